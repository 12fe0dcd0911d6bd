"""SNP-01: a generation as a file of its own."""

from __future__ import annotations

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading

import pytest

import pinview
from pinview import Context, Coordinator


def contents(path: pathlib.Path, statement: str = "SELECT ZNAME, ZAGE FROM ZPERSON ORDER BY ZAGE") -> list[tuple[object, ...]]:
    """What SQLite itself finds in a file."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def everything(context: Context) -> list[tuple[object, ...]]:
    return [(person["name"], person["age"]) for person in context.fetch_dictionaries("Person", ["name", "age"], sort="age")]


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a program with this Python."""
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_snp_01_the_file_has_the_generation(coordinator: Coordinator, context: Context, other: Context, tmp_path: pathlib.Path) -> None:
    context.pin()
    context.count("Person")
    other.batch_update("Person", {"age": 99})
    seen: list[tuple[int, int]] = []
    coordinator.export(tmp_path / "copy.sqlite", context.query_generation, progress=lambda done, total: seen.append((done, total)))
    assert [age for _, age in contents(tmp_path / "copy.sqlite")] == list(range(20, 44))
    assert seen[-1][0] == seen[-1][1] > 0
    coordinator.export(tmp_path / "copy.sqlite", replace=True)
    assert {age for _, age in contents(tmp_path / "copy.sqlite")} == {99}
    assert not [name for name in os.listdir(tmp_path) if "export" in name]


WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=60)
print("begun", flush=True)
while True:
    with connection:
        connection.execute("UPDATE ZPERSON SET ZAGE = ZAGE + 1")
        connection.execute("CREATE TABLE IF NOT EXISTS noise (x)")
        connection.execute("INSERT INTO noise VALUES (randomblob(20000))")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
"""


def test_snp_01_the_file_equals_what_the_pinned_context_sees_while_another_process_writes(
    coordinator: Coordinator, context: Context, path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None and writer.stdout.readline() == "begun\n"
        ages = set()
        for number in range(10):
            context.pin()
            expected = everything(context)
            copy = tmp_path / f"copy{number}.sqlite"
            coordinator.export(copy, context.query_generation)
            assert contents(copy) == expected
            # Each transaction adds one to all ages: none was taken in half.
            steps = {age - 20 - place for place, (_, age) in enumerate(expected) if isinstance(age, int)}
            assert len(steps) == 1
            ages |= steps
    finally:
        writer.kill()
        writer.communicate()


def test_snp_01_the_file_is_a_store_that_can_be_written(coordinator: Coordinator, model: pinview.Model, tmp_path: pathlib.Path) -> None:
    coordinator.export(tmp_path / "copy.sqlite")
    with pinview.Coordinator(model) as copied:
        store = copied.add_store(tmp_path / "copy.sqlite")
        assert store.identifier == coordinator.stores[0].identifier
        with pinview.Context(copied) as context:
            context.insert("Person", name="new")
            context.save()
            assert context.count("Person") == 25
    with pinview.Context(coordinator) as context:
        assert context.count("Person") == 24


def test_snp_01_an_existing_file_is_not_replaced_unless_asked(coordinator: Coordinator, tmp_path: pathlib.Path) -> None:
    target = tmp_path / "copy.sqlite"
    target.write_text("mine")
    with pytest.raises(pinview.StoreOperationError, match="exists already"):
        coordinator.export(target)
    assert target.read_text() == "mine"
    with pytest.raises(pinview.StoreOperationError, match="file of the store itself"):
        coordinator.export(coordinator.stores[0].path or "", replace=True)
    (tmp_path / "copy.sqlite-wal").write_text("of another database")
    with pytest.raises(pinview.StoreOperationError, match=r"copy\.sqlite-wal"):
        coordinator.export(target, replace=True)
    assert target.read_text() == "mine"


def test_snp_01_progress_can_cancel_and_raise(coordinator: Coordinator, tmp_path: pathlib.Path) -> None:
    with pytest.raises(pinview.CancelledError):
        coordinator.export(tmp_path / "copy.sqlite", progress=lambda done, total: False)
    with pytest.raises(ZeroDivisionError):
        coordinator.export(tmp_path / "copy.sqlite", progress=lambda done, total: 1 // 0)
    with pytest.raises(TypeError):
        coordinator.export(tmp_path / "copy.sqlite", progress=3)  # type: ignore[arg-type]
    assert not [name for name in os.listdir(tmp_path) if "copy" in name]


KILLED = """
import os, signal, sys
import pinview
reached = []
def progress(done, total):
    reached.append(done)
    if done * 100 >= total * int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
pinview.export_database(sys.argv[1], sys.argv[2], replace=True, progress=progress)
"""


@pytest.fixture
def large(tmp_path: pathlib.Path) -> pathlib.Path:
    """A database of 8 MB, half of it in its journal."""
    path = tmp_path / "large.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE t (x)")
    for _ in range(2):
        with connection:
            connection.executemany("INSERT INTO t VALUES (randomblob(1000000))", [()] * 4)
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)") if _ == 0 else None
    yield path
    connection.close()


@pytest.mark.parametrize("percent", [0, 30, 60, 100])
def test_snp_01_a_killed_export_leaves_nothing(large: pathlib.Path, tmp_path: pathlib.Path, percent: int) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    killed = run(KILLED, large, folder / "copy.db", percent)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    left = os.listdir(folder)
    assert "copy.db" not in left
    pinview.export_database(large, folder / "copy.db")
    assert os.listdir(folder) == ["copy.db"]
    assert contents(folder / "copy.db", "SELECT count(*), sum(length(x)) FROM t") == [(8, 8_000_000)]


def test_snp_01_a_killed_export_leaves_the_old_file(large: pathlib.Path, tmp_path: pathlib.Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("old")
    assert run(KILLED, large, target, 50).returncode == -signal.SIGKILL
    assert target.read_text() == "old"


FULL = """
import os, resource, sys
import pinview
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
try:
    pinview.export_database(sys.argv[1], sys.argv[2])
except pinview.StoreOperationError as error:
    print(error, error.sqlite_code & 0xFF)
"""


def test_snp_01_a_full_disk_is_said_and_leaves_nothing(large: pathlib.Path, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "target"
    folder.mkdir()
    said = run(FULL, large, folder / "copy.db")
    assert said.stdout.endswith("13\n"), said  # SQLITE_FULL
    assert os.listdir(folder) == []


def test_snp_01_any_database_is_exported_whole_while_it_is_written(large: pathlib.Path, tmp_path: pathlib.Path) -> None:
    connection = sqlite3.connect(large)
    connection.execute("CREATE TABLE pairs (a, b)")
    connection.commit()
    stop = threading.Event()

    def write() -> None:
        writing = sqlite3.connect(large, timeout=60)
        number = 0
        while not stop.is_set():
            number += 1
            with writing:
                writing.execute("INSERT INTO pairs VALUES (?, randomblob(3000))", [number])
                writing.execute("INSERT INTO pairs VALUES (?, randomblob(3000))", [-number])
        writing.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(5):
            pinview.export_database(large, tmp_path / f"{number}.db")
    finally:
        stop.set()
        thread.join()
        connection.close()
    for number in range(5):
        assert contents(tmp_path / f"{number}.db", "SELECT coalesce(sum(a), 0), count(*) % 2 FROM pairs") == [(0, 0)]


def test_snp_01_stores_in_memory_and_mistakes(model: pinview.Model, tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator:
        with pytest.raises(pinview.InvalidArgumentError, match="no store"):
            coordinator.export(tmp_path / "copy.sqlite")
        coordinator.add_store()
        with pinview.Context(coordinator) as context:
            context.insert("Person", name="dave", age=5)
            context.save()
        coordinator.export(tmp_path / "copy.sqlite")
        assert contents(tmp_path / "copy.sqlite") == [("dave", 5)]
        with pytest.raises(TypeError):
            coordinator.export(3)  # type: ignore[arg-type]
        with pytest.raises(pinview.WrongTypeError):
            coordinator.export(tmp_path / "x", "token")  # type: ignore[arg-type]
    with pytest.raises(pinview.StoreOpenError):
        pinview.export_database(tmp_path / "none", tmp_path / "x")
    with pytest.raises(pinview.StoreOpenError):
        (tmp_path / "text").write_text("no database, and longer than a header of SQLite, which has a hundred bytes" * 9)
        pinview.export_database(tmp_path / "text", tmp_path / "x")
    assert not (tmp_path / "x").exists()
