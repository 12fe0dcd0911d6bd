"""apsw: a thinner layer in C, with an SQLite of its own."""

from __future__ import annotations

import apsw
from by_hand import ByHand

WORKLOADS = ByHand(apsw.Connection).workloads
