"""Connections of the modules for which the workloads are written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

Connect = Callable[[str], Any]
Row = Sequence[Any]

SETTINGS = ("PRAGMA journal_mode=wal", "PRAGMA synchronous=normal", "PRAGMA cache_size=-65536", "PRAGMA mmap_size=0")

PERSON_COLUMNS = "Z_PK, Z_OPT, ZFIRSTNAME, ZLASTNAME, ZEMAIL, ZAGE, ZHEIGHT"
AGE = 5
INSERT_PERSON = "INSERT INTO ZPERSON (Z_ENT, Z_OPT, ZFIRSTNAME, ZLASTNAME, ZEMAIL, ZAGE, ZHEIGHT) VALUES (2, 1, ?, ?, ?, ?, ?)"
NOTE_KEYS = "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZPERSON) WHERE Z_NAME = 'Person'"


class Connecting:
    """What opens stores with a module."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    def _open(self, path: str) -> Any:
        connection = self._connect(path)
        for setting in SETTINGS:
            connection.execute(setting).fetchall()
        return connection
