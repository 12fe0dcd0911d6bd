"""How long an import takes. usage: load.py cell load-import PEER FOLDER NAME=NUMBER…"""

import importlib
import resource
import sys
import time

module = {"raw": "sqlite3", "python": "pinview"}[sys.argv[3]]
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begin = time.perf_counter_ns()
importlib.import_module(module)
print("measure import", time.perf_counter_ns() - begin)
print("measure memory", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) * 1024)
