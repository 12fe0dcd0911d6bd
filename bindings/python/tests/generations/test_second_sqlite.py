"""Pins survive a second copy of SQLite in the process, and code that closes the store's files.

POSIX locks belong to the process: when any code closes a descriptor of a file, all locks that
SQLite holds on the file are silently lost. `apsw` comes with its own SQLite, which does exactly
that.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import apsw  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pytest
from conftest import person_model

import pinview

COUNT = 3000
SHM_LOCKS = (120, 8)  # offset and number of the lock bytes of the WAL-index
F_OFD_SETLK = 37


@pytest.fixture
def pinned(path: pathlib.Path) -> Iterator[pinview.Context]:
    """A context that is pinned to COUNT persons with the ages 0, 1, 2, …"""
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as writer:
            for number in range(COUNT):
                writer.insert("Person", name="x" * 100, age=number)
            writer.save()
        with pinview.Context(coordinator) as context:
            context.pin()
            assert read(context) == (COUNT, COUNT * (COUNT - 1) // 2)
            yield context


def read(context: pinview.Context) -> tuple[int, int]:
    ages = context.values("Person", ["age"]).column("age")
    return len(ages), sum(ages)


def tool(path: pathlib.Path, sql: str) -> str:
    """Runs the sqlite3 tool in another process."""
    return subprocess.run(["sqlite3", "-batch", str(path), sql], capture_output=True, text=True, check=True).stdout.strip()


def rewrite(path: pathlib.Path) -> str:
    """Does to a file what another program could do: deletes most rows, rewrites the file, and
    empties the journal.

    Returns the output of the last checkpoint, which starts with 1 if a pin prevented it.
    """
    tool(path, "DELETE FROM ZPERSON WHERE ZAGE >= 5")
    tool(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    tool(path, "VACUUM")
    return tool(path, "PRAGMA wal_checkpoint(TRUNCATE)")


def use_apsw(path: pathlib.Path) -> None:
    connection = apsw.Connection(str(path))
    assert list(connection.execute("SELECT count(*) FROM ZPERSON")) == [(COUNT,)]
    connection.close()


def keep_apsw_busy(path: pathlib.Path) -> None:
    """Closes several connections while another one is reading."""
    first, second = apsw.Connection(str(path)), apsw.Connection(str(path))
    rows = first.execute("SELECT ZAGE FROM ZPERSON")
    next(rows)
    second.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    second.close()
    rows.close()
    first.close()


def use_pythons_sqlite(path: pathlib.Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM ZPERSON").fetchall() == [(COUNT,)]
    connection.close()


def copy_files(path: pathlib.Path) -> None:
    """Copies the store's files within the process, as a backup would."""
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(f"{path}{suffix}").read_bytes()


def test_apswBringsItsOwnSQLite() -> None:
    assert apsw.using_amalgamation


@pytest.mark.parametrize("other", [use_apsw, keep_apsw_busy, use_pythons_sqlite, copy_files])
def test_aPinOutlivesOtherUsersOfTheFilesInTheProcess(
    pinned: pinview.Context, path: pathlib.Path, other: Callable[[pathlib.Path], None]
) -> None:
    other(path)
    answer = rewrite(path)
    assert answer.startswith("1|")
    assert read(pinned) == (COUNT, COUNT * (COUNT - 1) // 2)
    assert pinned.count("Person") == COUNT
    with pinview.Context(pinned.coordinator) as newest:
        assert read(newest) == (5, 10)


def test_aStoreThatApswClosesLastKeepsItsJournal(pinned: pinview.Context, path: pathlib.Path) -> None:
    for _ in range(3):
        use_apsw(path)
    tool(path, "SELECT count(*) FROM ZPERSON")
    assert os.path.getsize(f"{path}-wal") > 0
    assert read(pinned) == (COUNT, COUNT * (COUNT - 1) // 2)


def test_apswWritesBesideAPin(pinned: pinview.Context, path: pathlib.Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE ZPERSON SET ZAGE = 1")
    connection.close()
    assert read(pinned) == (COUNT, COUNT * (COUNT - 1) // 2)
    pinned.pin()
    assert read(pinned) == (COUNT, COUNT)


def lose_all_locks(path: pathlib.Path) -> None:
    """Releases all locks, including those that survive other code in the process."""
    copy_files(path)
    unlock = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, *SHM_LOCKS, 0)
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            continue
        if target == f"{path}-shm":
            fcntl.fcntl(int(name), F_OFD_SETLK, unlock)


def test_lostLocksRaiseAnErrorAndNeverReturnOtherRows(pinned: pinview.Context, path: pathlib.Path) -> None:
    lose_all_locks(path)
    assert rewrite(path).startswith("0|")
    with pytest.raises(pinview.GenerationLostError, match="locks"):
        read(pinned)
    with pytest.raises(pinview.GenerationLostError):
        pinned.count("Person")
    pinned.pin()
    assert read(pinned) == (5, 10)


WRITER = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
db.execute("PRAGMA wal_autocheckpoint=20")
count = 0
print("ready", flush=True)
while not os.path.exists(sys.argv[2]):
    db.execute("UPDATE ZPERSON SET ZAGE = ZAGE + 1 WHERE Z_PK = 1")
    count += 1
print(count, flush=True)
"""


def test_theFolderIsCopiedWhileThisProcessSavesAndAnotherWrites(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Issue 15, 3: write locks survive a copy of the folder. Otherwise the store is malformed
    within seconds.
    """
    over = threading.Event()
    stop = tmp_path / "stop"

    def copy() -> None:
        while not over.is_set():
            copy_files(path)

    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            first = context.insert("Person", name="theirs", age=0)
            context.save()
            own = context.insert("Person", name="ours", age=0)
            context.save()
            assert tool(path, "SELECT ZNAME FROM ZPERSON WHERE Z_PK = 1") == first["name"]
            arguments = [sys.executable, "-c", WRITER, str(path), str(stop)]
            with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as other:
                assert other.stdout is not None
                assert other.stdout.readline() == "ready\n"
                copier = threading.Thread(target=copy)
                copier.start()
                saves = 0
                try:
                    end = time.monotonic() + 3
                    while time.monotonic() < end:
                        own["age"] = saves + 1
                        context.save()
                        saves += 1
                finally:
                    over.set()
                    copier.join()
                    stop.touch()
                written = int(other.stdout.readline())
            assert saves > 0
            assert tool(path, "PRAGMA integrity_check") == "ok"
            assert tool(path, "SELECT ZAGE FROM ZPERSON ORDER BY Z_PK") == f"{written}\n{saves}"


def test_theReportNamesASecondCopyOfSQLite(pinned: pinview.Context, path: pathlib.Path) -> None:
    def text() -> str:
        return "\n".join(str(report) for report in pinned.coordinator.journal_report())

    assert "second copy of SQLite" not in text()
    connection = apsw.Connection(str(path))
    list(connection.execute("SELECT count(*) FROM ZPERSON"))
    assert "second copy of SQLite" in text()
    connection.close()


def test_theLastCloseLeavesTheJournalThatApswUses(path: pathlib.Path) -> None:
    """SQLite does not see the second copy in the process, and would delete the journal under it.
    What apsw then commits would be lost, and overwrite what other programs commit.
    """
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        store = coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Person", name="ours")
            context.save()
        other = apsw.Connection(str(path))
        list(other.execute("SELECT * FROM ZPERSON"))
        coordinator.remove_store(store)
        other.execute("UPDATE ZPERSON SET ZAGE = 1")
        assert tool(path, "UPDATE ZPERSON SET ZAGE = ZAGE + 1; SELECT ZAGE FROM ZPERSON") == "2"
        other.close()
        assert tool(path, "SELECT ZAGE FROM ZPERSON; PRAGMA integrity_check") == "2\nok"


def test_inRollbackModeASaveKeepsItsLocks(path: pathlib.Path) -> None:
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, journal_mode="delete", busy_timeout=0.1)
        with pinview.Context(coordinator) as context:
            person = context.insert("Person", name="ours")
            context.save()
            other = apsw.Connection(str(path))
            other.execute("BEGIN IMMEDIATE")
            person["age"] = 1
            with pytest.raises(pinview.StoreBusyError):
                context.save()
            other.execute("UPDATE ZPERSON SET ZNAME = 'theirs'; COMMIT")
            other.close()
            context.save()
        assert tool(path, "SELECT ZNAME, ZAGE FROM ZPERSON; PRAGMA integrity_check") == "theirs|1\nok"


# A VFS of the program's own, which makes the library use SQLite's locks.
OWN_VFS = """
import ctypes, sys, apsw, pinview
from conftest import person_model

class VFS(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("size", ctypes.c_int), ("longest", ctypes.c_int), ("next", ctypes.c_void_p),
                ("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("methods", ctypes.c_void_p * 16)]

sqlite = ctypes.CDLL(str(pinview.sqlite_library().path))
sqlite.sqlite3_vfs_find.restype = ctypes.POINTER(VFS)
own = VFS.from_buffer_copy(sqlite.sqlite3_vfs_find(b"unix").contents)
own.name = b"own"
assert sqlite.sqlite3_vfs_register(ctypes.byref(own), 1) == 0
path = sys.argv[1]
with person_model() as model, pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
    coordinator.add_store(path)
    person = context.insert("Person", name="ours")
    context.save()
    other = apsw.Connection(path)
    list(other.execute("SELECT * FROM ZPERSON"))
    person["age"] = 1
    try:
        context.save()
    except pinview.LocksLostError as error:
        assert isinstance(error, pinview.SaveError) and error.code == 112, error
        assert "second copy of SQLite" in str(error), error
    else:
        raise AssertionError("saved beside a second copy of SQLite that can drop the locks")
    assert context.updated_objects == {person}
    other.close()
    context.save()
print("ok")
"""


def test_nothingIsSavedWhileApswCanDropTheLocks(path: pathlib.Path) -> None:
    arguments = [sys.executable, "-c", OWN_VFS, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("ok\n", 0), done.stderr
    assert tool(path, "SELECT ZAGE FROM ZPERSON; PRAGMA integrity_check") == "1\nok"


def test_pythonsSQLiteIsTheSameCopyOrIsDetected(pinned: pinview.Context, path: pathlib.Path) -> None:
    """The statement in docs/store-files.md about which SQLite a Python uses."""
    libraries = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "libsqlite3" in line}
    # An interpreter that exports its SQLite's functions shares them with the library.
    has_own = "_sqlite3" in sys.builtin_module_names and not hasattr(ctypes.CDLL(None), "sqlite3_open_v2")
    connection = sqlite3.connect(path)
    connection.execute("SELECT count(*) FROM ZPERSON").fetchall()
    text = "\n".join(str(report) for report in pinned.coordinator.journal_report())
    assert ("second copy of SQLite" in text) == (has_own or len(libraries) > 1)
    connection.close()
