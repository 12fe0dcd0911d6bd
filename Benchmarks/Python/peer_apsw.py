"""apsw: a thinner layer in C, with its own copy of SQLite."""

from __future__ import annotations

import apsw
from by_hand import ByHand

WORKLOADS = ByHand(apsw.Connection).workloads
