"""Measures what it takes until a program in Python can begin: the import, and opening a store.
usage: load.py cell load-import|load-open PEER FOLDER NAME=NUMBER…
"""

import importlib
import os
import subprocess
import sys
import tempfile
import time


def memory() -> int:
    """The memory of the process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def measure_import(module: str) -> None:
    """Reports the duration and memory of an import."""
    before = memory()
    begin = time.perf_counter_ns()
    importlib.import_module(module)
    print("measure import", time.perf_counter_ns() - begin)
    print("measure memory", memory() - before)


def measure_open(path: str) -> None:
    """Reports how long it takes to open a store, with the model it contains, and to read an object
    by key: the first time, which loads what an import of the package does not, and once more.
    """
    pinview = importlib.import_module("pinview")
    opened = []  # the process keeps the first one
    for name in ("open", "again"):
        begin = time.perf_counter_ns()
        coordinator = pinview.Coordinator(pinview.Coordinator.model_of_store(path))
        context = pinview.Context(coordinator)
        store = coordinator.add_store(path, cache_size=-65536)
        flight = context.existing_object(coordinator.object_id(f"x-coredata://{store.identifier}/Flight/p77"))
        distance = flight.distance
        print(f"measure {name}", time.perf_counter_ns() - begin)
        print("checksum distance", int(distance))
        opened.append((coordinator, context))


_, _, workload, peer, folder, *_ = sys.argv
library = {"raw": "sqlite3", "python": "pinview"}[peer]
# An installed package is already compiled, so import all of it once before.
sys.dont_write_bytecode = False
sys.pycache_prefix = os.path.join(tempfile.gettempdir(), "pinview-benchmarks-pycache")
earlier = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}
subprocess.run([sys.executable, "-c", f"from {library} import *"], env=earlier, check=True)
if workload == "load-import":
    measure_import(library)
else:
    measure_open(os.path.join(folder, "flights.sqlite"))
