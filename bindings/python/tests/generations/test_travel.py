"""Tokens in other processes, and notifications of commits."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import pickle
import signal
import sqlite3
import threading
import time
import types
from typing import Any

import pytest
from conftest import PERSONS, fill, person_model

import pinview
from pinview._contexts import commits

spawn = multiprocessing.get_context("spawn")


def workers(count: int) -> concurrent.futures.ProcessPoolExecutor:
    """Processes that share nothing with this one. Unlike those of multiprocessing.Pool, they fail
    the test when they die.
    """
    return concurrent.futures.ProcessPoolExecutor(count, mp_context=spawn)


def ages_of_a_part(path: str, token: pinview.QueryGenerationToken, part: int) -> tuple[int, int, int, bool]:
    """In a worker: reads every fourth person at the parent's generation, three times, while a
    writer commits.
    """
    with pinview.Coordinator(person_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.pin(token)
            seen = set()
            for _ in range(3):
                ages = context.values("Person", ["age"], predicate="modulus:by:(age, 4) == %@", arguments=[part]).column("age")
                seen.add((len(ages), sum(ages)))
                time.sleep(0.05)
            (found,) = seen
            return (*found, context.count("Person"), context.query_generation == token)


def adopt(path: str, data: bytes) -> str:
    """In a worker: pins to a token of another process."""
    with pinview.Coordinator(person_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            try:
                context.pin(pinview.QueryGenerationToken.from_bytes(data))
            except pinview.Error as error:
                return type(error).__name__
            return str(context.count("Person"))


def hold(path: str, pipe: object) -> None:
    """In a worker: pins, sends the token, and waits to be killed."""
    with pinview.Coordinator(person_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.pin()
            context.count("Person")
            pipe.send(context.query_generation)  # type: ignore[attr-defined]
            time.sleep(600)


def pinned_token(context: pinview.Context) -> pinview.QueryGenerationToken:
    context.pin()
    context.count("Person")
    token = context.query_generation
    assert token is not None
    return token


def test_DEC_66_fourWorkersAggregateOneOldGeneration(
    coordinator: pinview.Coordinator, context: pinview.Context, other: pinview.Context, path: pathlib.Path
) -> None:
    token = pinned_token(context)
    other.insert("Person", name="newer", age=1000)
    other.save()
    with workers(4) as pool:
        results = [pool.submit(ages_of_a_part, str(path), token, part) for part in range(4)]
        commits = 0
        while not all(result.done() for result in results):
            other.insert("Person", name="newer still", age=commits)
            other.save()
            commits += 1
            time.sleep(0.001)
        parts = [result.result() for result in results]
    assert commits > 0
    assert sum(part[0] for part in parts) == PERSONS
    assert sum(part[1] for part in parts) == sum(range(20, 20 + PERSONS))
    assert all(part[2] == PERSONS and part[3] for part in parts)


def test_QG_11_tokensArePickled(context: pinview.Context) -> None:
    token = pinned_token(context)
    again = pickle.loads(pickle.dumps(token))
    assert again == token
    assert hash(again) == hash(token)
    assert pickle.loads(pickle.dumps(pinview.CURRENT)) == pinview.CURRENT


def test_QG_41_unusedGenerationsExpire(context: pinview.Context, path: pathlib.Path) -> None:
    data = bytes(pinned_token(context))
    with workers(1) as pool:
        assert pool.submit(adopt, str(path), data).result() == str(PERSONS)
        context.pin(None)
        assert pool.submit(adopt, str(path), data).result() == "GenerationExpiredError"


def test_DEC_66_theGenerationOutlivesItsOwner(context: pinview.Context, other: pinview.Context, path: pathlib.Path) -> None:
    here, there = spawn.Pipe()
    owner = spawn.Process(target=hold, args=(str(path), there))
    owner.start()
    token = here.recv()
    other.insert("Person", name="newer")
    other.save()
    context.pin(token)
    assert owner.pid is not None
    os.kill(owner.pid, signal.SIGKILL)
    owner.join()
    assert context.count("Person") == PERSONS
    assert context.query_generation == token


def test_QG_43_bytesOfATokenAreNoUseToAnotherCoordinator(context: pinview.Context, path: pathlib.Path) -> None:
    token = pickle.loads(pickle.dumps(pinned_token(context)))
    with pinview.Coordinator(person_model()) as stranger:
        stranger.add_store(path)
        with pinview.Context(stranger) as elsewhere, pytest.raises(pinview.ForeignTokenError):
            elsewhere.pin(token)


def test_observers_areNotifiedOfCommitsByAnyProcess(coordinator: pinview.Coordinator, path: pathlib.Path) -> None:
    news = threading.Event()
    observer = coordinator.add_generation_observer(news.set)
    connection = sqlite3.connect(path, timeout=60)
    with connection:
        connection.execute("UPDATE ZPERSON SET ZAGE = 1")
    connection.close()
    assert news.wait(120)
    coordinator.remove_generation_observer(observer)
    news.clear()
    with pinview.Context(coordinator) as context:
        context.insert("Person", name="unheard")
        context.save()
    assert not news.wait(0.05)


def test_newerGenerations_areReportedAndAwaitedByContexts(context: pinview.Context, other: pinview.Context) -> None:
    pinned_token(context)
    assert not context.has_newer_generation
    assert not context.wait_for_newer_generation(0)
    assert not context.wait_for_newer_generation(0.01)
    later = threading.Timer(0.05, lambda: (other.insert("Person", name="newer"), other.save()))
    later.start()
    assert context.wait_for_newer_generation(120)
    later.join()  # save() returns shortly after its commit is visible
    assert context.has_newer_generation
    assert context.wait_for_newer_generation()
    context.pin()
    assert not context.has_newer_generation


def test_newerGenerations_anUnpinnedContextWaitsForTheNextCommit(context: pinview.Context, other: pinview.Context) -> None:
    assert not context.wait_for_newer_generation(0.01)
    heard = threading.Event()

    def commit() -> None:
        # The wait may not have started yet, so commit until one is noticed.
        while not heard.wait(0.05):
            other.insert("Person", name="newer")
            other.save()

    writer = threading.Thread(target=commit)
    writer.start()
    try:
        assert context.wait_for_newer_generation(120)
    finally:
        heard.set()
        writer.join()


@pytest.mark.parametrize("unpins", [False, True])
@pytest.mark.parametrize("when", ["before", "after"])
def test_newerGenerations_aCommitAroundTheStartOfObservingIsNoticed(
    context: pinview.Context, other: pinview.Context, monkeypatch: pytest.MonkeyPatch, when: str, unpins: bool
) -> None:
    pinned_token(context)
    observe = commits.observe

    def commit() -> None:
        if unpins:
            context.unpin()
        other.insert("Person", name="newer")
        other.save()

    def observing(coordinator: pinview.Coordinator, callback: Any) -> pinview.Observer:
        if when == "before":
            commit()
        observer = observe(coordinator, callback)
        if when == "after":
            commit()
        return observer

    monkeypatch.setattr(commits, "_LIBRARY_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(commits, "observe", observing)
    assert context.wait_for_newer_generation(120)


def test_newerGenerations_aPinnedContextNeedsNoObserverForACommitThatComesSoon(
    context: pinview.Context, other: pinview.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned_token(context)
    monkeypatch.setattr(commits, "_LIBRARY_WAIT_SECONDS", 60)
    monkeypatch.delattr(commits, "observe")
    later = threading.Timer(0.05, lambda: (other.insert("Person", name="newer"), other.save()))
    later.start()
    assert context.wait_for_newer_generation(120)
    later.join()


@pytest.mark.parametrize("pinned", [False, True])
def test_newerGenerations_theTimeoutIsThatOfTheWholeCall(context: pinview.Context, monkeypatch: pytest.MonkeyPatch, pinned: bool) -> None:
    waited: list[float] = []

    class Event:
        set = None

        def wait(self, timeout: float) -> bool:
            waited.append(timeout)
            return False

    if pinned:
        pinned_token(context)
    monkeypatch.setattr(commits, "_LIBRARY_WAIT_SECONDS", 0.25)
    monkeypatch.setattr(commits, "threading", types.SimpleNamespace(Event=Event))
    monkeypatch.setattr(commits, "observe", lambda _coordinator, _callback: contextlib.nullcontext())
    assert not context.wait_for_newer_generation(0.75)
    assert waited == [0.5 if pinned else 0.75]


def test_newerGenerations_errors(context: pinview.Context) -> None:
    for seconds in (-1.0, float("nan")):
        with pytest.raises(pinview.InvalidArgumentError):
            context.wait_for_newer_generation(seconds)


def test_newerGenerations_asAnAsynchronousIterator(coordinator: pinview.Coordinator, other: pinview.Context) -> None:
    async def first() -> bool:
        async for _ in coordinator.newer_generations():
            return True
        return False

    async def run() -> bool:
        waiting = asyncio.ensure_future(first())
        while not waiting.done():
            other.insert("Person", name="newer")
            other.save()
            await asyncio.sleep(0.01)
        return await waiting

    assert asyncio.run(asyncio.wait_for(run(), 120))


def test_DEC_06_writersAreBlockedIfRequested(empty: pinview.Coordinator) -> None:
    assert not empty.holds_writers_while_pinning
    empty.holds_writers_while_pinning = True
    assert empty.holds_writers_while_pinning
    fill(empty, 1)
    with pinview.Context(empty) as context:
        pinned_token(context)
        assert context.count("Person") == 1


def test_aPickledIDIsFoundWhileAContainerHasItsStore(path: pathlib.Path) -> None:
    container = pinview.Container("People", person_model(), path)
    container.load_stores()
    person = container.view_context.insert("Person", name="Ada")
    container.view_context.save()

    again = pickle.loads(pickle.dumps(person.object_id))

    assert again == person.object_id


def test_aPickledIDIsFoundWhileAContextHasItsStore(path: pathlib.Path) -> None:
    coordinator = pinview.Coordinator(person_model())
    coordinator.add_store(path)
    context = pinview.Context(coordinator)
    person = context.insert("Person", name="Ada")
    context.save()
    del coordinator

    again = pickle.loads(pickle.dumps(person.object_id))

    assert again == person.object_id
