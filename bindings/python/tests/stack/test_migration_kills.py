"""A migration that is killed leaves the old version or the new one, whole (MIG-04).

PINVIEW_KILLS says how many are killed, PINVIEW_SEED repeats the moments, PINVIEW_SECONDS ends it
earlier.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time

import pinview

_ROWS = 20_000
_OLD = {
    "entities": [
        {"name": "Company", "attributes": [{"name": "name", "type": "string"}]},
        {"name": "Person", "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer32"}]},
    ]
}
# Between the two, for a migration in stages: a step copies the names.
_MIDDLE = {
    "entities": [
        _OLD["entities"][0],
        {"name": "Person", "attributes": [*_OLD["entities"][1]["attributes"], {"name": "mark", "type": "string"}]},
    ]
}
# A person becomes a kind of company, and an attribute goes: both tables become one, made anew.
_NEW = {
    "entities": [
        {"name": "Company", "attributes": [{"name": "title", "type": "string", "renamingIdentifier": "name"}]},
        {"name": "Person", "parent": "Company", "attributes": [{"name": "note", "type": "uri"}]},
    ]
}
_PROGRAM = """
import sys, pinview
model = pinview.Model.from_json(sys.argv[2])
coordinator = pinview.Coordinator(model)
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
removed = ["Person.name", "Person.age", "Person.mark"]
def step(manager):
    for old in manager.source.fetch("Person"):
        manager.destination_object(old).mark = old.name
migration = None
if len(sys.argv) > 3:
    versions = [pinview.Model.from_json(text) for text in sys.argv[3:]] + [model]
    names = [each.version_checksum for each in versions]
    stages = [pinview.MigrationStage(*names[:2], step), pinview.MigrationStage(*names[1:], confirmed_removals=removed)]
    migration = pinview.StagedMigration(versions, stages)
coordinator.add_store(sys.argv[1], migrate=True, confirmed_removals=removed[:2] if migration is None else (), migration=migration)
sys.stdout.write("done\\n"); sys.stdout.flush()
"""


def _fill(path: str, rows: int = _ROWS) -> None:
    with pinview.Coordinator(pinview.Model.from_json(json.dumps(_OLD))) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert_many("Company", {"name": [f"c{number}" for number in range(rows // 4)]})
            context.insert_many("Person", {"name": [f"p{number}" for number in range(rows)], "age": list(range(rows))})
            context.save()


def _start(path: str, largest_file: int | None = None, *, staged: bool = False) -> subprocess.Popen[str]:
    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, path, json.dumps(_NEW), *([json.dumps(_OLD), json.dumps(_MIDDLE)] if staged else [])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _version(path: str, rows: int = _ROWS) -> str:
    """Which version the store has; fails if it has none of them, whole."""
    model = pinview.Coordinator.model_of_store(path)
    is_new, is_middle = "title" in model.to_json(), "mark" in model.to_json()
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            assert context.count("Company") == rows // 4 + (rows if is_new else 0)
            assert context.count("Person") == rows
            if is_middle:
                assert context.count("Person", "mark == name") == rows
            if not is_new:
                assert context.count("Person", "age == 17 AND name == 'p17'") == 1
            assert context.count("Company", ("title" if is_new else "name") + " == 'c17'") == 1
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert not connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'Z_PINVIEW%'").fetchall()
    return "new" if is_new else "middle" if is_middle else "old"


def test_aKilledMigrationLeavesOldOrNew_MIG_04(tmp_path: pathlib.Path) -> None:
    found = _kill(tmp_path, _ROWS, staged=False)
    assert found["old"] > 0, "no kill came before the commit"


def test_aKilledStageLeavesAVersion_MIG_04_MIG_06(tmp_path: pathlib.Path) -> None:
    found = _kill(tmp_path, 2000, staged=True)
    assert found["old"] > 0, "no kill came before the commit"


def _kill(tmp_path: pathlib.Path, rows: int, *, staged: bool) -> dict[str, int]:
    """Kills migrations at random moments of their run, and counts the versions that they leave."""
    seed = int(os.environ.get("PINVIEW_SEED", "0")) or random.randrange(1, 1 << 32)
    kills = int(os.environ.get("PINVIEW_KILLS", "12"))
    print(f"PINVIEW_SEED={seed}")
    numbers = random.Random(seed)
    original, path = tmp_path / "original", str(tmp_path / "store" / "people.sqlite")
    original.mkdir()
    _fill(str(original / "people.sqlite"), rows)
    deadline = time.monotonic() + float(os.environ.get("PINVIEW_SECONDS", "1e9"))

    def prepare() -> None:
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        shutil.copytree(original, tmp_path / "store")

    prepare()
    process = _start(path, staged=staged)
    begun = time.monotonic()
    _go(process)
    output, errors = process.communicate()
    assert output == "done\n", errors
    longest = time.monotonic() - begun
    assert _version(path, rows) == "new"
    found = {"old": 0, "middle": 0, "new": 0}
    for number in range(kills):
        if time.monotonic() > deadline:
            break
        prepare()
        process = _start(path, staged=staged)
        _go(process)
        try:
            # Each kill falls into a part of its own, so that the first ones come before the commit.
            process.wait((number + numbers.random()) / kills * longest)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        found[_version(path, rows)] += 1
    print(found)
    return found


def test_withoutSpaceAMigrationLeavesTheOldVersion_MIG_04(tmp_path: pathlib.Path) -> None:
    """A limit of the size of files stands for a full disk."""
    path = str(tmp_path / "people.sqlite")
    _fill(path)
    for largest_file in (0, 40_000, 400_000):
        process = _start(path, largest_file)
        _go(process)
        _, errors = process.communicate()
        assert process.returncode != 0 and "pinview" in errors, errors
        assert _version(path) == "old"


def test_ofTwoProcessesOneMigrates_MIG_04(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "people.sqlite")
    _fill(path)
    processes = [_start(path), _start(path)]
    for process in processes:
        _go(process)
    for process in processes:
        output, errors = process.communicate()
        assert output == "done\n", errors
    assert _version(path) == "new"
