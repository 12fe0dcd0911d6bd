"""What the hot paths may cost, in counts that do not wobble: calls for memory, statements, instructions, each of one row or operation;
and what it takes to load the library and to import the Python package.

Above its ceiling in ceilings.json a count fails. When something has to cost more, or when it has come to cost less, write new ceilings by

    make ceilings

and say in the commit why. Instructions depend on compiler, C library and SQLite as well, which the headroom is for; a new version
of one of them may need new ceilings.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = (ROOT / os.environ.get("BUILD", ".build")).resolve()
DIST = BUILD / "dist"
BY_HAND = ROOT / "Benchmarks/Sources/RawSQLite"
CEILINGS = HERE / "ceilings.json"
ROWS = 4000
# Operations of another size than one row's.
REPEATS = {"open": 40}
# How much a ceiling lies above what was counted. Of many saves, a few have one more statement: the journal is looked after by time.
HEADROOM = {"allocations": 1.03, "statements": 1.002, "instructions": 1.15, "modules": 1}
# The version of Python whose instructions for an import the ceiling is for; the others take up to a third more.
PYTHON = (3, 11)


def run(*command, env=None):
    result = subprocess.run(
        [str(part) for part in command],
        env=None if env is None else {**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def program(folder):
    """The program that does the operations, built against the finished library."""
    path = pathlib.Path(folder) / "counts"
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{DIST}/include", f"-L{DIST}/lib", f"-Wl,-rpath,{DIST}/lib"]
    sources = (f"-I{BY_HAND}/include", HERE / "counts.c", BY_HAND / "allocations.c")
    run("cc", *flags[:6], *sources, "-o", path, *flags[6:], "-lpinview")
    return path


def instructions(*command, env=None):
    """The instructions of a whole process."""
    output = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command, env=env)
    return int(re.search(r"Collected : (\d+)", output)[1])


def count_load():
    """Loading the library, with SQLite and the C++ runtime, and a first call."""
    with tempfile.TemporaryDirectory(prefix="pinview-counts-") as folder:
        path = pathlib.Path(folder) / "load"
        run("cc", "-O1", "-Wall", "-Wextra", "-Werror", HERE / "load.c", "-o", path, "-ldl")
        return {"instructions": instructions(path, DIST / "lib/libpinview.so.0")}


# What a short program does once. A part of the package is loaded only when it is needed.
FIRST_USE = """import pinview
person = pinview.Entity('Person', attributes=[pinview.Attribute('name', 'string')])
with pinview.Coordinator(pinview.Model([person])) as coordinator:
    coordinator.add_store()
    with pinview.Context(coordinator) as context:
        context.insert('Person', name='Dave')
        context.save()
    with pinview.Context(coordinator) as context:
        context.pin()
        [dave] = context.fetch('Person', 'name BEGINSWITH %@', ['D'], sort=['name'])
        assert dave.name == 'Dave'
"""


def count_package(statements):
    """What statements take that import the package, without what starting Python takes, and how many of its modules they load."""
    with tempfile.TemporaryDirectory(prefix="pinview-counts-") as folder:
        # Without the accelerator, which is not built here; compiled at the first import.
        environment = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": "", "PYTHONHASHSEED": "0"}
        environment |= {"PINVIEW_IMPLEMENTATION": "python"}
        environment |= {"PINVIEW_LIBRARY": str(DIST / "lib/libpinview.so.0"), "PYTHONPATH": str(ROOT / "bindings/python")}
        end = "\nimport sys; print(sum(name.startswith('pinview') for name in sys.modules))"
        modules = int(run(sys.executable, "-c", statements + end, env=environment))
        started, ended = (
            min(instructions(sys.executable, "-c", each + end, env=environment) for _ in range(2)) for each in ("pass", statements)
        )
    return {"modules": modules} | ({"instructions": ended - started} if sys.version_info[:2] == PYTHON else {})


BEGINNINGS = {
    "load-library": count_load,
    "import-package": lambda: count_package("import pinview"),
    "use-package": lambda: count_package(FIRST_USE),
}


def count(counts, operation):
    """What an operation takes, for each row."""
    if operation in BEGINNINGS:
        return BEGINNINGS[operation]()
    found = {}
    rows = REPEATS.get(operation, ROWS)
    for is_for_valgrind in (False, True):
        with tempfile.TemporaryDirectory(prefix="pinview-counts-") as folder:
            run(counts, "nothing", folder, rows)
            if is_for_valgrind:
                valgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null")
                output = run(*valgrind, counts, operation, folder, rows, "callgrind")
                found["instructions"] = int(re.search(r"Collected : (\d+)", output)[1]) / rows
            else:
                lines = run(counts, operation, folder, rows).splitlines()
                found |= {kind: int(number) / rows for kind, number in map(str.split, lines)}
    return found


def short(number):
    return float(f"{number:.5g}")


class CountTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pinview-counts-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = program(cls.folder.name)


def test_of(operation, ceilings):
    def test(self):
        counted = count(self.program, operation)
        for kind, ceiling in ceilings.items():
            if kind not in counted:
                continue
            with self.subTest(kind):
                self.assertLessEqual(
                    counted[kind],
                    ceiling,
                    f"\n{operation}: {short(counted[kind])} {kind} for each row or at once, and the ceiling is {ceiling}. If that is meant, "
                    f"`make ceilings` writes new ones into {CEILINGS.relative_to(ROOT)}; say in the commit why.",
                )

    return test


for name, limits in json.loads(CEILINGS.read_text()).items():
    setattr(CountTests, f"test_{name.replace('-', '_')}", test_of(name, limits))


def write_ceilings():
    known = json.loads(CEILINGS.read_text())
    with tempfile.TemporaryDirectory(prefix="pinview-counts-") as folder:
        counts = program(folder)
        new = {
            operation: {kind: short(number * HEADROOM[kind] + 0.0005) for kind, number in count(counts, operation).items()}
            for operation in known
        }
    for operation, limits in new.items():
        for kind, limit in limits.items():
            print(f"{operation:18} {kind:13} {known[operation].get(kind, '–'):>10} -> {limit:>10}")
    CEILINGS.write_text(json.dumps(new, indent=2) + "\n")


if __name__ == "__main__":
    write_ceilings()
