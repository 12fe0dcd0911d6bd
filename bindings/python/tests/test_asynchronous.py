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
