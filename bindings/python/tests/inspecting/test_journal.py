"""Reports on what holds the journal: of a coordinator, and `python -m pinview` for any file."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import queue
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest
from conftest import fill

import pinview

HOLDER = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode=wal")
db.execute("PRAGMA wal_autocheckpoint=0")
db.execute("CREATE TABLE IF NOT EXISTS t (v)")
for line in sys.stdin:
    print(*(db.execute(line).fetchone() or ("ok",)), flush=True)
"""


class Holder:
    """Another process with its own connection."""

    def __init__(self, path: pathlib.Path) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def run(self, sql: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.communicate()


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    return subprocess.run(
        [sys.executable, "-m", "pinview", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**known, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=60,
    )


@pytest.fixture
def held(tmp_path: pathlib.Path) -> Iterator[tuple[pathlib.Path, Holder, Holder]]:
    """A file that Pinview has never opened, with a reader of an old state and a writer."""
    path = tmp_path / "plain.sqlite"
    writer = Holder(path)
    for _ in range(5):
        writer.run("INSERT INTO t VALUES ('a')")
    reader = Holder(path)
    reader.run("BEGIN")
    assert reader.run("SELECT count(*) FROM t") == "5"
    for _ in range(5):
        writer.run("INSERT INTO t VALUES ('b')")
    yield path, reader, writer
    reader.end()
    writer.end()


def test_aReportNamesContextsAndWhatTheyHoldBack(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context, pinview.Context(coordinator) as lazy:
        context.name, context.transaction_author = "report of May", "accounting"
        context.pin()
        assert context.count("Person") == 24
        lazy.name = "lazy"
        lazy.pin()
        fill(coordinator, 3)
        (report,) = coordinator.journal_report()
        (generation,) = report.generations
        (entry,) = generation.contexts
        assert (entry.name, entry.transaction_author, entry.thread) == ("report of May", "accounting", "private queue")
        assert entry.concurrency is pinview.Concurrency.PRIVATE_QUEUE and entry.is_pinned
        assert generation.frames_held_back > 0 and not generation.is_newest and generation.age >= 0
        assert generation.bytes_held_back == generation.frames_held_back * (report.page_size + 24)
        assert [context.name for context in report.waiting_contexts] == ["lazy"]
        assert [process.pid for process in report.processes] == [os.getpid()]
        assert report.counters.pins >= 1 and report.is_open_here
        assert "report of May (author accounting, private queue)" in str(report)
        assert "generation" in report.picture(100) and "report of May" in report.picture(100)
    assert coordinator.journal_report()[0].generations == ()


def test_storesWithoutAJournalHaveNoReport(model: pinview.Model) -> None:
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store()
        assert coordinator.journal_report() == ()


def test_aFileThatThisProcessHasNotOpenedIsInspected(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    path, reader, writer = held
    report = pinview.JournalReport.of_file(path)
    by_pid = {process.pid: process for process in report.processes}
    (mark,) = by_pid[reader.pid].read_marks
    assert by_pid[writer.pid].read_marks == ()
    assert report.frames == mark.frame + 5 and report.reclaimable_frames == mark.frame and report.copied_frames == 0
    assert not report.is_open_here and report.generations == ()
    assert f"read mark {mark.number}: {by_pid[reader.pid].command} {reader.pid}" in report.picture(100)


def test_inspectingAFileDoesNotAffectOthers(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    path, reader, writer = held
    journal = path.with_name(path.name + "-wal")
    before = journal.read_bytes(), path.read_bytes()
    assert command(path).returncode == 0
    assert (journal.read_bytes(), path.read_bytes()) == before
    assert writer.run("PRAGMA wal_checkpoint(TRUNCATE)").startswith("1 ")
    assert reader.run("SELECT count(*) FROM t") == "5"


def test_filesLeftBehindByAProcessAreNotChanged(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "left.sqlite"
    writer = Holder(path)
    writer.run("INSERT INTO t VALUES ('a')")
    writer.process.kill()
    writer.process.communicate()
    files = sorted((file.name, file.read_bytes()) for file in tmp_path.iterdir())
    shown = json.loads(command("--json", path).stdout)
    assert shown["frames"] > 0 and shown["processes"] == [] and shown["reclaimable_frames"] == shown["frames"]
    assert sorted((file.name, file.read_bytes()) for file in tmp_path.iterdir()) == files


def test_theOwnConnectionsOfTheProcessKeepTheirLocks(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    path, reader, writer = held
    reader.run("COMMIT")
    mine = sqlite3.connect(path, isolation_level=None)
    mine.execute("BEGIN")
    assert mine.execute("SELECT count(*) FROM t").fetchone() == (10,)
    for _ in range(3):
        pinview.JournalReport.of_file(str(path))
    assert writer.run("PRAGMA wal_checkpoint(TRUNCATE)").startswith("1 ")
    mine.close()


def test_theTableAndThePictureArePrinted(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    path, reader, _ = held
    shown = command(path, COLUMNS="70")
    assert shown.returncode == 0 and shown.stderr == ""
    assert str(reader.pid) in shown.stdout and "read marks" in shown.stdout
    assert "▓" in shown.stdout and "░" in shown.stdout and "▲" in shown.stdout
    drawn = shown.stdout.split("\n\n")[-1].splitlines()
    assert max(len(line) for line in drawn) <= 70 and len(drawn[0]) == 70
    assert "\x1b" not in shown.stdout


@pytest.mark.parametrize("arguments, encoding", [(["--ascii"], "utf-8"), ([], "ascii")])
def test_withoutUnicodeThePictureIsASCII(held: tuple[pathlib.Path, Holder, Holder], arguments: list[str], encoding: str) -> None:
    shown = command(*arguments, held[0], PYTHONIOENCODING=encoding)
    assert shown.stdout.isascii() and re.search(r"^\[=+\.+\]$", shown.stdout, re.MULTILINE) and shown.returncode == 0


def test_anInvisibleProcessIsUnknown(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    """Simulates a container, where the list of locks names only the container's processes."""
    hidden = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*hidden, "true"], capture_output=True).returncode != 0:
        pytest.skip("this user may not make a namespace of processes")
    shown = subprocess.run([*hidden, sys.executable, "-m", "pinview", "--json", held[0]], capture_output=True, text=True, check=True)
    report = json.loads(shown.stdout)
    (process,) = report["processes"]
    assert process["pid"] is None and process["command"] is None and process["read_marks"] == report["read_marks"] != []


def test_jsonHasAllFieldsOfTheReport(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    path, reader, _ = held
    shown = json.loads(command("--json", path).stdout)
    assert shown["path"] == str(path.resolve()) and shown["page_size"] == 4096
    assert [process["pid"] for process in shown["processes"] if process["read_marks"]] == [reader.pid]


def test_errorMessagesOfTheCommand(tmp_path: pathlib.Path) -> None:
    missing, letter, plain = tmp_path / "missing", tmp_path / "letter.txt", tmp_path / "plain.sqlite"
    letter.write_text("This is a letter and no database at all, of whatever length.\n" * 3)
    with sqlite3.connect(plain) as database:
        database.execute("CREATE TABLE t (v)")
    database.close()
    for path, words in (
        (missing, "No such file"),
        (letter, "not an SQLite database"),
        (plain, "not in WAL mode"),
        (tmp_path, "not a regular file"),
    ):
        shown = command(path)
        assert shown.returncode == 1 and shown.stdout == ""
        assert words in shown.stderr and str(path) in shown.stderr and shown.stderr.count("\n") == 1
    assert command().returncode == 2 and "STORE" in command().stderr
    assert "between" in command("--watch", "0", plain).stderr


def test_helpIsComplete() -> None:
    shown = command("--help")
    assert shown.returncode == 0
    for word in ("--watch", "--json", "NO_COLOR", "exit status", "read mark", "examples"):
        assert word in shown.stdout


def test_watchingLinesOfJsonEndsCleanly(held: tuple[pathlib.Path, Holder, Holder]) -> None:
    path, _, writer = held
    watching = subprocess.Popen(
        [sys.executable, "-m", "pinview", "--json", "--watch", "0.05", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert watching.stdout is not None
    first = json.loads(watching.stdout.readline())
    writer.run("INSERT INTO t VALUES ('c')")
    while json.loads(watching.stdout.readline())["frames"] == first["frames"]:
        pass
    watching.send_signal(signal.SIGINT)
    _, errors = watching.communicate(timeout=120)
    assert watching.returncode == 0 and errors == ""


def read_until(terminal: int, pattern: bytes) -> bytes:
    seen = b""
    while not re.search(pattern, seen):
        assert select.select([terminal], [], [], 120)[0], seen
        try:
            seen += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            raise AssertionError(f"{pattern!r} does not come in {seen!r}") from None
    return seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("colour", [True, False])
def test_onATerminalThePictureIsRedrawnInPlace(held: tuple[pathlib.Path, Holder, Holder], number: signal.Signals, colour: bool) -> None:
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    environment.update(PYTHONIOENCODING="utf-8", TERM="xterm", **({} if colour else {"NO_COLOR": "1"}))
    watching = subprocess.Popen(
        [sys.executable, "-m", "pinview", "--watch", "0.05", held[0]], stdin=other, stdout=other, stderr=subprocess.PIPE, env=environment
    )
    os.close(other)
    try:
        screens = read_until(terminal, rb"(?s)\x1b\[H.*\x1b\[J.*\x1b\[H.*\x1b\[J")
        watching.send_signal(number)
        end = read_until(terminal, rb"\x1b\[\?25h\x1b\[\?1049l")  # the cursor and the screen are restored
    finally:
        _, errors = watching.communicate(timeout=120)
        os.close(terminal)
    assert watching.returncode == 0 and errors == b"" and end
    text = re.sub(r"\x1b\[[?0-9]*[A-Za-z]", "", screens.decode("utf-8", "replace").split("\x1b[J")[0])
    assert max(len(line) for line in text.splitlines()) <= 60
    assert (b"\x1b[33m" in screens) is colour


def test_an_old_generation_is_detached(empty: pinview.Coordinator, path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    events: queue.Queue[pinview.JournalEvent] = queue.Queue()
    empty.remove_store(empty.stores[0])
    store = empty.add_store(tmp_path / "aside.sqlite", generation_age_budget=0.02)
    fill(empty)
    empty.journal_callback = events.put
    with pinview.Context(empty) as context, pinview.Context(empty) as writer:
        context.pin()
        before = context.count("Person")
        writer.insert("Person", name="new")
        writer.save()

        event = events.get(timeout=120)

        assert (event.kind, event.generations, event.reason) == ("detached", 1, None)
        assert event.path.endswith("aside.sqlite") and event.copy_bytes > 0 and event.journal_bytes > 0
        assert store.checkpoint()
        assert context.count("Person") == before
        assert any(generation.is_detached for generation in empty.journal_report()[0].generations)
        assert list(tmp_path.glob("aside.sqlite-detached-*"))
    empty.journal_callback = None
    assert empty.journal_callback is None


def test_a_report_says_what_pins_and_history_cost(empty: pinview.Coordinator, tmp_path: pathlib.Path) -> None:
    """SNP-05: the journal, detached copies and history have one budget."""
    empty.remove_store(empty.stores[0])
    store = empty.add_store(tmp_path / "costs.sqlite", history_tracking=True, journal_budget_bytes=1 << 20)
    fill(empty, 2000)
    with pinview.Context(empty) as context:
        for person in context.fetch("Person"):
            person.age = 7
        context.save()
    assert store.checkpoint()
    (report,) = empty.journal_report()
    assert report.budget_bytes == 1 << 20
    assert (report.copy_count, report.copy_bytes) == (0, 0)
    # Numbers of some bytes each: about what SQLite says.
    with contextlib.closing(sqlite3.connect(tmp_path / "costs.sqlite")) as file:
        try:
            (size,) = file.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'ACHANGE%' OR name LIKE 'ATRANSACTION%'").fetchone()
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no dbstat")
    assert report.history_bytes is not None and size / 2 < report.history_bytes < size * 2
    assert "history about" in str(report)


def test_a_budget_is_checked(empty: pinview.Coordinator, tmp_path: pathlib.Path) -> None:
    for options in ({"journal_budget_policy": "never"}, {"journal_budget_bytes": -1}, {"journal_budget_share": -0.5}):
        with pytest.raises(pinview.InvalidArgumentError):
            empty.add_store(tmp_path / "other.sqlite", **options)  # type: ignore[arg-type]


def test_a_program_may_end_with_a_journal_callback(tmp_path: pathlib.Path) -> None:
    program = """
import sys, pinview
from conftest import fill, person_model
coordinator = pinview.Coordinator(person_model())
coordinator.add_store(sys.argv[1], generation_age_budget=0.01)
coordinator.journal_callback = print
fill(coordinator)
context = pinview.Context(coordinator)
context.pin()
context.count("Person")
fill(coordinator)
print("end")
"""
    folder = pathlib.Path(__file__).parents[1]
    ended = subprocess.run([sys.executable, "-c", program, tmp_path / "end.sqlite"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "") and "end" in ended.stdout
