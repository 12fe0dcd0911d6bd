"""Imports inside the package run one way: from the top floor down, without circles, and at the top
of the modules.
"""

from __future__ import annotations

import ast
import pathlib

import pytest

import pinview

PACKAGE = pathlib.Path(pinview.__file__).resolve().parent

# From the bottom to the top. A module imports modules of its own floor and of those below it.
FLOORS = (
    {"_support"},
    {"errors"},
    {"_ffi"},
    {"_objects", "_stores"},
    {
        "columns",
        "difference",
        "examining",
        "expressions",
        "fetching",
        "history",
        "inserting",
        "journal",
        "managed_object",
        "notifications",
        "object_id",
        "predicates",
        "relationships",
        "results",
        "snapshots",
        "sql",
        "stages",
        "tokens",
        "transformers",
        "undo",
    },
    {"_declarations"},
    {"_contexts", "_requests"},
    {"asynchronous", "container", "context", "coordinator", "core_data_versions", "diagnostics", "model", "paging", "requests"},
    {"_output"},
    {"inspection", "migration"},
    {"_commands"},
    {"__init__", "__main__"},
)
FORWARD = "_support.forward"


def parsed(package: pathlib.Path) -> dict[str, ast.Module]:
    """The modules of a package by dotted name. Packages inside it are named like folders:
    `_ffi`.
    """
    trees = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(file.read_text(encoding="utf-8"))
    return trees


def imported(module: str, node: ast.AST, modules: dict[str, ast.Module]) -> set[str]:
    """The modules of the package that an import statement names."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names if alias.name.split(".")[0] == "pinview"]
        return {name.partition(".")[2] or "__init__" for name in names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    if node.level == 0:
        if (node.module or "").split(".")[0] != "pinview":
            return set()
        base = (node.module or "").split(".")[1:]
    else:
        base = module.split(".")[: -node.level] + ([node.module] if node.module else [])
    source = ".".join(base)
    found = {f"{source}.{alias.name}".lstrip(".") for alias in node.names}
    return {name if name in modules else source or "__init__" for name in found}


def imports_of(modules: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Which modules each module imports."""
    return {name: set().union(*(imported(name, node, modules) for node in ast.walk(tree))) for name, tree in modules.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The nodes that remain when all nodes that lead to no circle have been taken away."""
    left = {node: set(targets) - {node} for node, targets in graph.items()}
    while True:
        ends = {node for node, targets in left.items() if not targets & left.keys()}
        if not ends:
            return sorted(left)
        left = {node: targets for node, targets in left.items() if node not in ends}


def outside_annotations(node: ast.AST) -> list[ast.Name]:
    """The names in a tree that are evaluated when the program runs."""
    names = []
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if field == "bases" and isinstance(child, ast.Subscript):
                # What a generic base is given stands for nothing when the program runs.
                child = child.value
            if isinstance(child, ast.Name):
                names.append(child)
            elif isinstance(child, ast.AST):
                names += outside_annotations(child)
    return names


def faults(package: pathlib.Path, floors: tuple[set[str], ...] = FLOORS) -> list[str]:
    """Everything about the imports of a package that breaks a rule."""
    modules = parsed(package)
    graph = imports_of(modules)
    floor_of = {room: number for number, rooms in enumerate(floors) for room in rooms}
    found = [f"{name} is on no floor" for name in modules if name.split(".")[0] not in floor_of]
    for name, targets in graph.items():
        own = floor_of.get(name.split(".")[0], 0)
        found += [f"{name} imports {target}, which is above it" for target in targets if floor_of.get(target.split(".")[0], 0) > own]
    rooms: dict[str, set[str]] = {}
    for name, targets in graph.items():
        rooms.setdefault(name.split(".")[0], set()).update(target.split(".")[0] for target in targets)
    found += [f"these import each other: {', '.join(each)}" for each in (circle(graph), circle(rooms)) if each]
    for name, tree in modules.items():
        top = set(map(id, tree.body))
        if name == "__init__":
            # It names for type checkers what it loads at the first use.
            top |= {id(each) for node in tree.body if isinstance(node, ast.If) for each in node.body}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in top:
                found.append(f"{name}, line {node.lineno}: an import that is not at the top of the module")
            if isinstance(node, ast.Name) and node.id.endswith("TYPE_CHECKING") and name not in ("__init__", "_support.annotating"):
                found.append(f"{name}, line {node.lineno}: TYPE_CHECKING")
        declared = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and FORWARD in imported(name, node, modules)
            for alias in node.names
        }
        found += [
            f"{name}, line {each.lineno}: {each.id} is only declared for annotations"
            for each in outside_annotations(tree)
            if each.id in declared
        ]
    return found


def test_theImportsOfThePackageRunOneWay() -> None:
    assert faults(PACKAGE) == []


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"low/a.py": "from ..high import b\n", "high.py": "b = 1\n"}, "low.a imports high, which is above it"),
        ({"low/a.py": "from . import b\n", "low/b.py": "from .a import c\n"}, "these import each other: low.a, low.b"),
        ({"low/a.py": "def f():\n    import uuid\n"}, "low.a, line 2: an import that is not at the top of the module"),
        ({"low/a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\n"}, "low.a, line 2: TYPE_CHECKING"),
        (
            {"_support/forward.py": "Context = None\n", "low/a.py": "from .._support.forward import Context\nx: Context = Context()\n"},
            "low.a, line 2: Context is only declared for annotations",
        ),
        ({"new.py": ""}, "new is on no floor"),
    ],
)
def test_violationsAreFound(tmp_path: pathlib.Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert faults(tmp_path, ({"_support"}, {"low"}, {"high"})) == [message]
