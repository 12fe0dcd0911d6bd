"""Measures the duration and memory of an import. usage: load.py cell load-import PEER FOLDER
NAME=NUMBER…
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


module = {"raw": "sqlite3", "python": "pinview"}[sys.argv[3]]
# An installed package is already compiled, so import it once before.
sys.dont_write_bytecode = False
sys.pycache_prefix = os.path.join(tempfile.gettempdir(), "pinview-benchmarks-pycache")
earlier = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}
subprocess.run([sys.executable, "-c", f"import {module}"], env=earlier, check=True)
before = memory()
begin = time.perf_counter_ns()
importlib.import_module(module)
print("measure import", time.perf_counter_ns() - begin)
print("measure memory", memory() - before)
