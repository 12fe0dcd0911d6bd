"""A migration that is killed leaves the old version or the new one, whole (MIG-04).

PINVIEW_KILLS says how many are killed, PINVIEW_SEED repeats the moments.
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
coordinator.add_store(sys.argv[1], migrate=True, confirmed_removals=["Person.name", "Person.age"])
sys.stdout.write("done\\n"); sys.stdout.flush()
"""


def _fill(path: str) -> None:
    with pinview.Coordinator(pinview.Model.from_json(json.dumps(_OLD))) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert_many("Company", {"name": [f"c{number}" for number in range(_ROWS // 4)]})
            context.insert_many("Person", {"name": [f"p{number}" for number in range(_ROWS)], "age": list(range(_ROWS))})
            context.save()


def _start(path: str, largest_file: int | None = None) -> subprocess.Popen[str]:
    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, path, json.dumps(_NEW)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def _version(path: str) -> str:
    """Which version the store has; fails if it has neither, whole."""
    model = pinview.Coordinator.model_of_store(path)
    is_new = "title" in model.to_json()
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            assert context.count("Company") == _ROWS // 4 + (_ROWS if is_new else 0)
            assert context.count("Person") == _ROWS
            if not is_new:
                assert context.count("Person", "age == 17 AND name == 'p17'") == 1
            assert context.count("Company", ("title" if is_new else "name") + " == 'c17'") == 1
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert not connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'Z_PINVIEW%'").fetchall()
    return "new" if is_new else "old"


def test_aKilledMigrationLeavesOldOrNew_MIG_04(tmp_path: pathlib.Path) -> None:
    seed = int(os.environ.get("PINVIEW_SEED", "0")) or random.randrange(1, 1 << 32)
    kills = int(os.environ.get("PINVIEW_KILLS", "12"))
    print(f"PINVIEW_SEED={seed}")
    numbers = random.Random(seed)
    original, path = tmp_path / "original", str(tmp_path / "store" / "people.sqlite")
    original.mkdir()
    _fill(str(original / "people.sqlite"))

    def prepare() -> None:
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        shutil.copytree(original, tmp_path / "store")

    prepare()
    begun = time.monotonic()
    process = _start(path)
    _go(process)
    assert process.communicate()[0] == "done\n"
    longest = time.monotonic() - begun
    assert _version(path) == "new"
    found = {"old": 0, "new": 0}
    for _ in range(kills):
        prepare()
        process = _start(path)
        _go(process)
        try:
            process.wait(numbers.uniform(0, longest))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        found[_version(path)] += 1
    print(found)
    assert found["old"] > 0, "no kill came before the commit"


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
