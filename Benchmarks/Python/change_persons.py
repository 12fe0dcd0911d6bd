"""The second process of w22: commits a change for each line that it reads. usage:
change_persons.py STORE
"""

from __future__ import annotations

import sqlite3
import sys


def main(path: str) -> None:
    """Prints `ready` when the store is open, and a line after each commit."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=60)
    connection.execute("PRAGMA synchronous=normal")
    rows = connection.execute("SELECT max(Z_PK) FROM ZPERSON").fetchone()[0]
    print("ready", flush=True)
    for number, _ in enumerate(sys.stdin):
        key = 1 + number * 2654435761 % rows
        connection.execute("UPDATE ZPERSON SET ZAGE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (37 * number % 90, key))
        print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
