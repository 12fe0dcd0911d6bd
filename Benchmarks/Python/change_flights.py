"""The second process of w13: commits one change after the other until its input ends. usage:
change_flights.py STORE
"""

from __future__ import annotations

import itertools
import select
import sqlite3
import sys


def main(path: str) -> None:
    """Prints `ready` after the first commit, works until its input ends, and prints the number of
    commits.
    """
    connection = sqlite3.connect(path, isolation_level=None, timeout=60)
    connection.execute("PRAGMA synchronous=normal")
    rows = connection.execute("SELECT max(Z_PK) FROM ZFLIGHT").fetchone()[0]
    for number in itertools.count():
        key = 1 + number * 2654435761 % rows
        connection.execute("UPDATE ZFLIGHT SET ZMINUTE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (number % 60, key))
        if number == 0:
            print("ready", flush=True)
        if select.select([sys.stdin], [], [], 0)[0]:
            break
    print(number + 1)


if __name__ == "__main__":
    main(sys.argv[1])
