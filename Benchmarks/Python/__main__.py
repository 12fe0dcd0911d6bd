"""Runs a Python peer of the benchmarks. usage: python Benchmarks/Python cell WORKLOAD PEER FOLDER
NAME=NUMBER…
"""

from __future__ import annotations

import importlib
import os
import sys

from cell import Cell

PEERS = ("sqlite3", "apsw", "pinview", "sqlalchemy", "peewee", "django")


def main(arguments: list[str]) -> None:
    if len(arguments) < 4 or arguments[0] != "cell" or arguments[2] not in PEERS:
        raise SystemExit(f"{__doc__}\nPEER is one of: {', '.join(PEERS)}")
    _, workload, peer, folder, *parameters = arguments
    # numpy's threads wait busily at first, which would count as processor time of what is measured.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    work = importlib.import_module(f"peer_{peer}").WORKLOADS.get(workload)
    if work is None:
        raise SystemExit(f"{peer} does not support the workload {workload}.")
    work(Cell(folder, parameters))


if __name__ == "__main__":
    main(sys.argv[1:])
