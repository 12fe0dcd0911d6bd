"""Writes Distribution/pinview.order: the functions of the hot paths, those that call each other side by side.

The linker lays the library's functions out in this order. What a save executes then lies on a third of the pages, and the processor
finds the next instructions where it looks ahead. valgrind counts the calls of each operation of counts.c, lld orders the functions by them
(--call-graph-ordering-file), and the order is read from the library that it links. Names that a later library doesn't have do no harm.
"""

import collections
import json
import pathlib
import re
import tempfile

import test_counts

ORDER = test_counts.ROOT / "Distribution/pinview.order"
# With its symbols.
LIBRARY = test_counts.BUILD / "library/release/libPinviewC.so"
# The operation that goes through most functions for each row, and has what it calls to itself; the others share that with it.
FIRST = "save-each"


def operations():
    known = [name for name in json.loads(test_counts.CEILINGS.read_text()) if name not in test_counts.BEGINNINGS]
    return sorted(known, key=lambda name: name != FIRST)


def call_counts(counts, operation):
    """How often which function of the library calls which other one in an operation."""
    with tempfile.TemporaryDirectory(prefix="pinview-order-") as folder:
        folder = pathlib.Path(folder)
        (folder / "libpinview.so.0").symlink_to(LIBRARY)
        environment = {"LD_LIBRARY_PATH": str(folder)}
        store, rows, profile = folder / "store", test_counts.REPEATS.get(operation, test_counts.ROWS), folder / "profile"
        store.mkdir()
        test_counts.run(counts, "nothing", store, rows, env=environment)
        names = ("--demangle=no", "--compress-strings=no", "--compress-pos=no")
        valgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", *names, f"--callgrind-out-file={profile}")
        test_counts.run(*valgrind, counts, operation, store, rows, "callgrind", env=environment)
        return calls_in(profile)


def calls_in(profile):
    """The calls that a profile in callgrind's format has (valgrind's manual, "Callgrind Format Specification")."""
    found = collections.Counter()
    file = caller = other_file = callee = None
    with open(profile, encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                file = value
            elif key == "fn":
                caller = value
            elif key == "cob":
                other_file = value
            elif key == "cfn":
                callee = value
            elif key == "calls":
                if is_library(other_file or file):
                    # A recursive call has a number at the end of its name.
                    pair = [re.sub(r"'\d+$", "", name) for name in (caller, callee)]
                    found[pair[0] if is_library(file) else None, pair[1]] += int(value.split()[0])
                other_file = None
    return found


def is_library(path):
    return path.endswith(LIBRARY.name)


def order_of(calls):
    """The functions of a call graph in the order in which lld lays them out."""
    with tempfile.TemporaryDirectory(prefix="pinview-order-") as folder:
        graph, link_map = pathlib.Path(folder, "graph"), pathlib.Path(folder, "map")
        lines = (f"{caller} {callee} {number}\n" for (caller, callee), number in calls.items() if caller and caller != callee)
        graph.write_text("".join(lines))
        # As if the Makefile were new, so that the library is linked again.
        option = f"FUNCTION_ORDER=--call-graph-ordering-file={graph} -Xlinker -Map={link_map}"
        test_counts.run("make", "-C", test_counts.ROOT, "--no-print-directory", "-W", "Makefile", "library", option)
        called = {name for pair in calls for name in pair}
        return [name for name in functions_in(link_map) if name in called]


def functions_in(link_map):
    """The functions that lld can move, by address: those that are sections. Nearly all of the standard library is one section, which
    a name in the order would move as a whole."""
    movable, others = [], set()
    is_movable = False
    with open(link_map, encoding="utf-8") as lines:
        for line in lines:
            # Address, address when loaded, size, alignment; then an output section, indented an input section, indented more a symbol.
            columns = re.match(r"\s*(?:[0-9a-f]+\s+){3}\d+ ( *)(.*)", line)
            if columns and len(columns[1]) == 8:
                is_movable = ":(.text." in columns[2]
            elif columns and is_movable:
                movable.append(columns[2])
            elif columns:
                others.add(columns[2])
    return [name for name in movable if name not in others]


def often_called(calls, rows):
    """The calls of functions that most rows call."""
    numbers = collections.Counter()
    for (_, callee), number in calls.items():
        numbers[callee] += number
    often = {name for name, number in numbers.items() if number * 2 >= rows}
    return {pair: number for pair, number in calls.items() if pair[1] in often and (pair[0] is None or pair[0] in often)}


def write_order():
    with tempfile.TemporaryDirectory(prefix="pinview-counts-") as folder:
        counts = test_counts.program(folder)
        graphs = {name: call_counts(counts, name) for name in operations()}
    order = []
    for name, calls in graphs.items():
        often = order_of(often_called(calls, test_counts.REPEATS.get(name, test_counts.ROWS)))
        print(f"{name:18} {len(often):5} functions for most rows")
        order += often
    order += order_of(sum(graphs.values(), collections.Counter()))
    order = list(dict.fromkeys(order))
    ORDER.write_text("".join(f"{name}\n" for name in order))
    print(f"{len(order)} functions in {ORDER.relative_to(test_counts.ROOT)}")


if __name__ == "__main__":
    write_order()
