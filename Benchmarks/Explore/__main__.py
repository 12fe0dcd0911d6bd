"""Looks for work on which Pinview is slow and that no workload of the benchmarks covers.

usage: python Benchmarks/Explore [--seed N] [--schemas N] [--rows N] [--kind TEXT] [--swift PROGRAM]

Makes random schemas, fills stores with random data, and does operations of every kind by hand in
SQL (Python's sqlite3) and through Pinview, on copies of one store. Both must find the same. With the
program `pinview-explore`, the same work is done in Swift as well, by hand with SQLite's functions. Prints the
ratio of processor times by kind of operation: the median over the schemas, and the worst with its
seed. A ratio is that of the best of several runs for what can be repeated; in contexts of their own,
so that nothing is in memory beforehand.
"""

import argparse
import gc
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

# Its kinds of work are registered by importing it.
import changing  # noqa: F401
import pinview
from operations import KINDS, PINVIEW_FIRST, Case
from schema import Schema, Tables

# What changes the store, and is done once.
WRITES = ("insert", "update", "save", "delete", "batch")
REPEATS = 3


def timed(work):
    """What work returns, and the processor time it took."""
    gc.collect()
    gc.disable()
    began = time.process_time_ns()
    try:
        result = work()
    finally:
        took = time.process_time_ns() - began
        gc.enable()
    return result, took


def measured(name, operation, schema, tables, coordinator, rows):
    """The processor times of an operation by hand and through Pinview, in nanoseconds."""
    best = [float("inf"), float("inf")]
    for _ in range(1 if name.startswith(WRITES) else REPEATS):
        state = schema.chance.getstate()
        results = [None, None]
        works = operation(Case(schema, tables, coordinator, rows))
        for side in (1, 0) if operation in PINVIEW_FIRST else (0, 1):
            results[side], took = timed(works[side])
            best[side] = min(best[side], took)
        if results[0] != results[1]:
            raise SystemExit(f"{name}: by hand {results[0]}, through Pinview {results[1]}")
        if not name.startswith(WRITES):
            schema.chance.setstate(state)
    schema.chance.random()
    return best


def explore(seed, rows, kinds, program, kind):
    """The times of each kind of operation on one schema, in Python and in Swift, if there is a program for it."""
    schema = Schema(seed)
    with tempfile.TemporaryDirectory(prefix="pinview-explore-") as folder:
        path = pathlib.Path(folder) / "explore.sqlite"
        with schema.model() as model, pinview.Coordinator(model) as coordinator:
            coordinator.add_store(path, cache_size=-65536)
            schema.fill(coordinator, rows)
        found, swift = {}, {}
        if program:
            description = pathlib.Path(folder) / "schema.json"
            tables = Tables(schema, path)
            description.write_text(json.dumps(tables.description()))
            tables.close()
            command = [program, path, description, str(seed), str(rows), *([kind] if kind else [])]
            for line in subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
                name, *times = line.split("\t")
                swift[name] = [float(each) for each in times]
        for name, operation in kinds.items():
            # Each kind begins with the store as it was filled, and with nothing in memory.
            copy = pathlib.Path(folder) / "copy.sqlite"
            shutil.copy(path, copy)
            with schema.model() as model, pinview.Coordinator(model) as coordinator:
                coordinator.add_store(copy, cache_size=-65536)
                tables = Tables(schema, copy)
                try:
                    found[name] = measured(name, operation, schema, tables, coordinator, rows)
                finally:
                    tables.close()
            for each in pathlib.Path(folder).glob("copy.sqlite*"):
                each.unlink() if each.is_file() else shutil.rmtree(each)
        return found, swift


def print_table(title, times):
    """One line for each kind of operation, the worst ratio first."""
    ratios = {name: [(through / by_hand, seed) for seed, by_hand, through in each] for name, each in times.items()}
    print(f"| {title} | ratio | worst (seed) | by hand | Pinview |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in sorted(ratios, key=lambda name: -statistics.median(ratio for ratio, _ in ratios[name])):
        worst, seed = max(ratios[name])
        median = statistics.median(ratio for ratio, _ in ratios[name])
        by_hand, through = (statistics.median(each[side] for each in times[name]) / 1e6 for side in (1, 2))
        print(f"| {name} | **{median:.2f}** | {worst:.2f} ({seed}) | {by_hand:.2f} ms | {through:.2f} ms |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first schema; the others follow")
    parser.add_argument("--schemas", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000, help="of each entity")
    parser.add_argument("--kind", default="", help="only kinds with this text")
    parser.add_argument("--swift", metavar="PROGRAM", default="", help="pinview-explore, to measure in Swift as well")
    arguments = parser.parse_args()
    kinds = {name: operation for name, operation in KINDS.items() if arguments.kind in name}
    times, swift = {}, {}
    for seed in range(arguments.seed, arguments.seed + arguments.schemas):
        for all_times, found in zip((times, swift), explore(seed, arguments.rows, kinds, arguments.swift, arguments.kind)):
            for name, (by_hand, through) in found.items():
                all_times.setdefault(name, []).append((seed, by_hand, through))
    what = f"({arguments.schemas} schemas from seed {arguments.seed}, {arguments.rows} rows each)"
    print_table(f"kind of work, Python {what}", times)
    if swift:
        print()
        print_table(f"kind of work, Swift {what}", swift)


if __name__ == "__main__":
    main()
