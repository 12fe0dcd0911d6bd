"""The sqlite3 module of the standard library, with which the other Python peers are compared."""

from __future__ import annotations

import sqlite3

from by_hand import ByHand


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


WORKLOADS = ByHand(_connect).workloads
