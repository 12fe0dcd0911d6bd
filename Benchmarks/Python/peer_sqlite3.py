"""The module of the standard library: what Python's other peers are compared with."""

from __future__ import annotations

import sqlite3

from by_hand import ByHand


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


WORKLOADS = ByHand(_connect).workloads
