"""Fetches, saves and the firing of faults are stopped by Ctrl-C, by a timeout, and from another
thread (issue 15, point 11).
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import sqlite3
import threading
import time
import types
from collections.abc import Iterator

import pytest

import pinview
from pinview import FetchRequest
from pinview._contexts import commits

# Compares each car of a person with all others, which takes some seconds.
CARS = 5000
SLOW = f"SUBQUERY(owner.cars, $c, $c.name > name).@count > {CARS}"


@pytest.fixture
def context(empty: pinview.Coordinator) -> Iterator[pinview.Context]:
    with pinview.Context(empty) as context:
        person = context.insert("Person", name="x")
        for number in range(CARS):
            context.insert("Car", name=f"car{number}", owner=person)
        context.save()
        yield context


def test_a_signal_stops_the_fetch_of_the_main_thread(context: pinview.Context) -> None:
    """The handler runs during the statement, not after it."""
    inside: list[str] = []

    def handle(_number: int, frame: types.FrameType | None) -> None:
        inside.append(frame.f_code.co_name if frame else "")
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, handle)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            context.count("Car", SLOW)
    finally:
        timer.cancel()
        signal.signal(signal.SIGUSR1, before)
    assert inside == ["_checks"]
    assert context.count("Car") == CARS


def test_an_interrupted_fetch_raises_the_exception(context: pinview.Context) -> None:
    """The fetch raises the exception, the context stays usable, and no later call raises it
    again.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            context.fetch("Car", SLOW)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert any(entry.name == "_checks" for entry in caught.traceback)
    assert len(context.fetch("Car", limit=3)) == 3


def test_a_handler_that_raises_nothing_does_not_stop_the_fetch(context: pinview.Context) -> None:
    seen: list[int] = []
    refused: list[BaseException] = []

    def handle(_number: int, _frame: object) -> None:
        seen.append(1)
        try:
            context.count("Person")
        except pinview.Error as error:
            refused.append(error)

    before = signal.signal(signal.SIGUSR1, handle)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        assert context.count("Car", f"name BEGINSWITH 'car1' AND {SLOW}") == 0
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [1]
    assert all(isinstance(error, pinview.InvalidArgumentError) for error in refused)


def wait_for_writer(store: pathlib.Path) -> None:
    with contextlib.closing(sqlite3.connect(store, timeout=0, isolation_level=None)) as connection:
        with contextlib.suppress(sqlite3.OperationalError):
            while True:
                connection.execute("BEGIN IMMEDIATE")  # fails while somebody else writes
                connection.execute("ROLLBACK")
                time.sleep(0.001)


def press_when_written(store: pathlib.Path) -> threading.Thread:
    """Presses Ctrl-C when a save has begun to write."""

    def press() -> None:
        wait_for_writer(store)
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press, daemon=True)
    pressing.start()
    return pressing


def test_ctrl_c_stops_a_save_which_loses_nothing(empty: pinview.Coordinator, path: pathlib.Path) -> None:
    people = 400_000  # the check is called every 50 ms, so the writing has to take longer
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pinview.Context(empty) as context:
            for number in range(people):
                context.insert("Person", name=f"person{number}")
            pressing = press_when_written(path)
            with pytest.raises(KeyboardInterrupt):
                context.save()
            pressing.join()
            with pinview.Context(empty) as other:
                assert other.count("Person") == 0
            assert len(context.inserted_objects) == people
            context.save()
            with pinview.Context(empty) as other:
                assert other.count("Person") == people
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_stops_a_batch_request(context: pinview.Context) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            context.batch_update("Car", {"name": "y"}, SLOW)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert context.count("Car", "name == 'y'") == 0
    assert context.batch_update("Car", {"name": "z"}, "name == 'car1'", result="count") == 1


@contextlib.contextmanager
def locked(path: pathlib.Path, how: str) -> Iterator[None]:
    """Holds a lock of the store, as another program does."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute(how)
    yield
    other.execute("ROLLBACK")
    other.close()


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    """Expects a call to be stopped by Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_and_a_timeout_stop_a_save_that_waits(model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(path, busy_timeout=600)
        person = context.insert("Person", name="x")
        with locked(path, "BEGIN IMMEDIATE"):
            with interrupted():
                context.save()
            context.timeout = 0.05
            assert context.timeout == 0.05
            with pytest.raises(pinview.TimedOutError, match="nothing was written"):
                context.save()
            assert context.inserted_objects == {person}
        context.timeout = 0
        with pytest.raises(pinview.TimedOutError):
            context.save()
        context.timeout = None
        assert context.timeout is None
        context.save()
        with pytest.raises(pinview.InvalidArgumentError):
            context.timeout = -1
        with pinview.Context(coordinator) as other:
            assert other.count("Person") == 1


@pytest.mark.parametrize("pinned", [False, True])
def test_ctrl_c_stops_waiting_for_a_newer_generation(context: pinview.Context, pinned: bool) -> None:
    if pinned:
        context.pin()
        context.count("Person")
    with interrupted():
        context.wait_for_newer_generation(120)


def test_ctrl_c_is_noticed_when_the_library_has_waited(context: pinview.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    context.pin()
    context.count("Person")
    monkeypatch.setattr(commits, "_LIBRARY_WAIT_SECONDS", 0.5)
    monkeypatch.delattr(commits, "observe")
    with interrupted():
        context.wait_for_newer_generation(120)


def test_ctrl_c_and_a_timeout_stop_the_firing_of_a_fault(model: pinview.Model, path: pathlib.Path) -> None:
    """A store that is not in WAL mode cannot be read while another program writes."""
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(path, busy_timeout=600, journal_mode="delete")
        person = context.insert("Person", name="x")
        context.save()
        context.staleness_interval = 0
        context.refresh(person, merge_changes=False)
        with locked(path, "BEGIN EXCLUSIVE"):
            with interrupted():
                person["name"]
            context.timeout = 0.05
            with pytest.raises(pinview.TimedOutError):
                person["name"]
            assert person.is_fault
        context.timeout = None
        assert person["name"] == "x"


def test_another_thread_stops_a_save(model: pinview.Model, path: pathlib.Path) -> None:
    over = threading.Event()

    def stop(context: pinview.Context) -> None:
        while not over.is_set():
            context.interrupt()
            over.wait(0.001)

    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(path, busy_timeout=600)
        context.interrupt()  # nothing to stop
        context.insert("Person", name="x")
        thread = threading.Thread(target=stop, args=[context])
        with locked(path, "BEGIN IMMEDIATE"):
            thread.start()
            try:
                with pytest.raises(pinview.CancelledError):
                    context.save()
            finally:
                over.set()
                thread.join()
        assert context.has_changes
        context.save()


def test_a_fetch_ends_with_its_timeout(context: pinview.Context) -> None:
    with pytest.raises(pinview.TimedOutError, match="timeout"):
        context.fetch("Car", SLOW, timeout=0)
    with pytest.raises(pinview.TimedOutError):
        context.count(FetchRequest("Car", SLOW, timeout=0.001))
    with pytest.raises(pinview.InvalidArgumentError):
        context.fetch("Car", timeout=-1)
    assert len(context.fetch("Car", timeout=1000)) == CARS


def test_chains_that_grow_at_their_beginning_cost_their_length(context: pinview.Context) -> None:
    term, chain = pinview.Predicate("name == 'car1'"), pinview.Predicate("name == 'car2'")
    for _ in range(50_000):
        chain = term | chain
    assert context.count("Car", chain) == 2


def test_long_chains_cost_their_length(context: pinview.Context) -> None:
    chain = pinview.Predicate("name == 'car1'")
    for number in range(2, 20_000):
        chain = chain | pinview.Predicate("name == %@", [f"car{number}"])
    assert context.count("Car", chain) == CARS - 1
    assert context.count("Car", " OR ".join(f"name == 'car{number}'" for number in range(20_000))) == CARS


def test_a_count_tells_its_progress(context: pinview.Context) -> None:
    seconds: list[float] = []
    assert context.count("Car", f"name BEGINSWITH 'car1' AND {SLOW}", progress=seconds.append) == 0
    assert seconds and seconds == sorted(seconds) and seconds[0] > 0


def test_progress_that_returns_false_stops_a_count(context: pinview.Context) -> None:
    with pytest.raises(pinview.CancelledError):
        context.count("Car", SLOW, progress=lambda _seconds: False)
    assert context.count("Car") == CARS


def test_what_progress_raises_the_call_raises(context: pinview.Context) -> None:
    def fail(_seconds: float) -> None:
        raise ZeroDivisionError("progress")

    with pytest.raises(ZeroDivisionError):
        context.count("Car", SLOW, progress=fail)
    with pytest.raises(TypeError, match="progress"):
        context.count("Car", progress=3)  # type: ignore[arg-type]
    assert context.count("Car", "name == 'car1'") == 1


def test_progress_cannot_use_the_library(context: pinview.Context) -> None:
    refused: list[BaseException] = []

    def use(_seconds: float) -> bool:
        try:
            context.count("Person")
        except pinview.InvalidArgumentError as error:
            refused.append(error)
        return False

    with pytest.raises(pinview.CancelledError):
        context.count("Car", SLOW, progress=use)
    assert len(refused) == 1


def test_a_save_that_progress_stops_has_written_nothing(empty: pinview.Coordinator) -> None:
    people = 400_000  # the check is called every 50 ms, so the writing has to take longer
    with pinview.Context(empty) as context:
        context.insert_many("Person", {"name": [f"person{number}" for number in range(people)]})
        with pytest.raises(pinview.CancelledError):
            context.save(progress=lambda _seconds: False)
        with pinview.Context(empty) as other:
            assert other.count("Person") == 0
            assert len(context.inserted_objects) == people
            seconds: list[float] = []
            context.save(progress=seconds.append)
            assert seconds
            assert other.count("Person") == people


def test_ctrl_c_still_stops_a_count_with_progress(context: pinview.Context) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            context.count("Car", SLOW, progress=lambda _seconds: None)
        # And the check of the thread is back.
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            context.count("Car", SLOW)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_progress_within_another_threads_calls(context: pinview.Context) -> None:
    """Each thread has its own."""
    told: list[int] = []

    def count() -> None:
        with contextlib.suppress(pinview.CancelledError):
            context.count("Car", SLOW, progress=lambda _seconds: told.append(threading.get_ident()) or False)

    thread = threading.Thread(target=count)
    thread.start()
    thread.join()
    assert told == [thread.ident]
