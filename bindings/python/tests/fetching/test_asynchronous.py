"""Fetches in the background: the context answers other calls meanwhile, and SQLite's statement can
be stopped.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import pinview
from pinview import AsynchronousFetch

# Joins 1,500 cars of one owner four times, which would take hours.
ENDLESS = "ANY cars.owner.cars.owner.cars.owner.cars.name == 'none'"


@pytest.fixture
def endless(coordinator: pinview.Coordinator) -> str:
    """A predicate whose evaluation takes practically forever."""
    with pinview.Context(coordinator) as writer:
        owner = writer.fetch("Person", "name == 'dave0'")[0]
        for number in range(1500):
            writer.insert("Car", name=f"many{number}", owner=owner)
        writer.save()
    return ENDLESS


def test_asynchronousFetch_returnsWhatAFetchReturns(context: pinview.Context) -> None:
    fetch = context.begin_fetch("Person", "age < %d", [22], sort="name", counts_first=True)
    assert [person["name"] for person in fetch.result(120)] == ["dave0", "dave1"]
    assert (fetch.rows_read, fetch.rows_total, fetch.done) == (2, 2, True)
    fetch.cancel()
    assert len(fetch.result()) == 2


def test_asynchronousFetch_theCompletionRunsOnTheContextsQueue(context: pinview.Context) -> None:
    told: list[object] = []
    done = threading.Event()

    def completion(fetch: AsynchronousFetch) -> None:
        told.extend(person["name"] for person in fetch.result())
        told.append(len(pinview.FetchRequest("Person").execute()))  # in a block of the context
        done.set()

    context.begin_fetch("Person", "age < 22", sort="name", completion=completion)
    assert done.wait(120)
    assert told == ["dave0", "dave1", 24]


def test_asynchronousFetch_isCancelledWhileTheContextAnswers(context: pinview.Context, endless: str) -> None:
    fetch = context.begin_fetch("Person", endless)
    assert [context.count("Person") for _ in range(20)] == [24] * 20
    assert not fetch.done and fetch.rows_total is None
    with pytest.raises(TimeoutError):
        fetch.result(0.01)
    fetch.cancel()
    with pytest.raises(pinview.CancelledError):
        fetch.result(120)
    assert context.count("Car") == 1524


def test_asynchronousFetch_awaited(context: pinview.Context) -> None:
    async def names() -> list[str]:
        return [person["name"] for person in await context.fetch_async("Person", "age < 22", sort="name")]

    assert asyncio.run(names()) == ["dave0", "dave1"]


def test_asynchronousFetch_aCancelledTaskStopsIt(context: pinview.Context, endless: str) -> None:
    async def cancel() -> None:
        task = asyncio.create_task(context.fetch_async("Person", endless))
        await asyncio.sleep(0)
        assert context.count("Person") == 24
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert context.count("Car") == 1524


def test_asynchronousFetch_mistakes(context: pinview.Context) -> None:
    with pytest.raises(pinview.UnknownEntityError):
        context.begin_fetch("Ship")
    with pytest.raises(TypeError):
        AsynchronousFetch()


@pytest.mark.parametrize("timeout", [float("inf"), 1e300, -1.0])
def test_asynchronousFetch_invalidTimeouts(context: pinview.Context, timeout: float) -> None:
    fetch = context.begin_fetch("Person")
    with pytest.raises(pinview.InvalidArgumentError):
        fetch.wait(float("nan"))
    assert fetch.wait(120)
    assert fetch.wait(timeout)


def test_asynchronousFetch_aCancelledFetchOfTheMainQueueDoesNotKeepTheProgramRunning(tmp_path: Path) -> None:
    program = """
import asyncio, sys, pinview
model = pinview.Model([pinview.Entity("Person", attributes=[pinview.Attribute("name", "string")])])
coordinator = pinview.Coordinator(model)
coordinator.add_store(sys.argv[1])
context = pinview.Context(coordinator, concurrency=pinview.Concurrency.MAIN_QUEUE)

async def cancel():
    task = asyncio.create_task(context.fetch_async("Person"))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")

asyncio.run(cancel())
context.begin_fetch("Person", completion=print)
"""
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.sqlite")], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "cancelled\n", "")


def test_interruptFetch_stopsASynchronousFetch(context: pinview.Context, endless: str) -> None:
    context.interrupt_fetch()  # nothing to stop
    ended = threading.Event()

    def interrupt() -> None:
        # Repeated until it has an effect, because the fetch may not have started yet.
        while not ended.wait(0.001):
            context.interrupt_fetch()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(pinview.CancelledError):
            context.count("Person", endless)
    finally:
        ended.set()
        thread.join()
    assert context.count("Person") == 24


# Compares each car of a person with all others, which takes some seconds.
SLOW = "SUBQUERY(owner.cars, $c, $c.name > name).@count > 5000"


@pytest.fixture
def slow(coordinator: pinview.Coordinator) -> str:
    with pinview.Context(coordinator) as writer:
        owner = writer.insert("Person", name="x")
        for number in range(5000):
            writer.insert("Car", name=f"slow{number}", owner=owner)
        writer.save()
    return SLOW


def test_fetch_async_tells_rows_and_their_number(context: pinview.Context, slow: str) -> None:
    async def fetch() -> list[tuple[int, int | None]]:
        told: list[tuple[int, int | None]] = []
        found = await context.fetch_async("Car", f"NOT ({slow})", progress=lambda rows, total: told.append((rows, total)))
        assert len(found) == 5024
        return told

    told = asyncio.run(fetch())
    assert told[-1] == (5024, 5024)
    assert [rows for rows, _ in told] == sorted(rows for rows, _ in told)


@pytest.mark.parametrize("concurrency", ["private_queue", "main_queue"])
def test_count_async_tells_its_progress_in_the_event_loop(coordinator: pinview.Coordinator, slow: str, concurrency: str) -> None:
    told: list[tuple[float, int]] = []

    async def count() -> int:
        with pinview.Context(coordinator, concurrency=pinview.Concurrency[concurrency.upper()]) as context:
            return await context.count_async(
                "Car", f"name BEGINSWITH 'slow1' AND {slow}", progress=lambda seconds: told.append((seconds, threading.get_ident()))
            )

    assert asyncio.run(count()) == 0
    assert told and {thread for _, thread in told} == {threading.get_ident()}


@pytest.mark.parametrize("call", ["count", "values"])
def test_cancelling_the_task_stops_a_count_and_values(context: pinview.Context, endless: str, call: str) -> None:
    """Practically endless, so that the test ends only if the statement does."""

    async def cancel() -> None:
        begun = asyncio.Event()
        arguments: list[object] = [] if call == "count" else [["name"]]
        running = getattr(context, f"{call}_async")("Person", *arguments, endless, progress=lambda _: begun.set())
        task = asyncio.create_task(running)
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert context.count("Car") == 1524


def test_cancelling_the_task_stops_a_save_which_has_written_nothing(empty: pinview.Coordinator) -> None:
    async def cancel(context: pinview.Context) -> None:
        begun = asyncio.Event()
        task = asyncio.create_task(context.save_async(progress=lambda _: begun.set()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with pinview.Context(empty) as context, pinview.Context(empty) as other:
        context.insert_many("Person", {"name": [f"person{number}" for number in range(400_000)]})
        asyncio.run(cancel(context))
        # It may have come to the commit before it was stopped; then everything is there.
        assert other.count("Person") == (0 if context.has_changes else 400_000)
        asyncio.run(context.save_async())
        assert other.count("Person") == 400_000


def test_a_save_that_waits_is_not_begun_after_its_task_was_cancelled(context: pinview.Context) -> None:
    released = threading.Event()

    async def cancel() -> None:
        busy = context.perform(released.wait, 60)
        context_save = asyncio.create_task(context.save_async())
        await asyncio.sleep(0)
        context_save.cancel()
        with pytest.raises(asyncio.CancelledError):
            await context_save
        released.set()
        await asyncio.wrap_future(busy)

    context.insert("Person", name="new")
    asyncio.run(cancel())
    assert context.has_changes


def test_progress_has_to_be_callable(context: pinview.Context) -> None:
    for call in (context.save_async, lambda **options: context.fetch_async("Person", **options)):
        with pytest.raises(TypeError, match="progress"):
            asyncio.run(call(progress=3))
