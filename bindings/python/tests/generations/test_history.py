"""The difference of two generations, remote changes, and consumers of the history."""

from __future__ import annotations

import contextlib
import os
import pathlib
import queue
import sqlite3
import subprocess
import sys
from collections.abc import Iterator

import pytest
from conftest import fill

import pinview
from pinview import CURRENT, GenerationChange, HistoryChangeType, QueryGenerationToken, RemoteChange


@pytest.fixture(params=[False, True], ids=["compared", "from history"])
def either(request: pytest.FixtureRequest, model: pinview.Model, path: pathlib.Path) -> Iterator[pinview.Coordinator]:
    """A coordinator whose store does or does not record its history."""
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, options={"historyTracking": request.param})
        fill(coordinator, 3)
        yield coordinator


def pinned(coordinator: pinview.Coordinator) -> tuple[pinview.Context, QueryGenerationToken]:
    """A context that is pinned to the present generation."""
    context = pinview.Context(coordinator)
    context.pin()
    context.count("Person")
    token = context.query_generation
    assert token is not None
    return context, token


def test_difference_insertedUpdatedAndDeletedObjects(either: pinview.Coordinator) -> None:
    view, old = pinned(either)
    with view, pinview.Context(either) as writer:
        dave0, dave1 = (writer.fetch("Person", "name == %@", [name])[0] for name in ("dave0", "dave1"))
        dave0["age"] = 99
        car = next(iter(dave1["cars"]))
        writer.delete(dave1)
        eve = writer.insert("Person", name="eve")
        gone = dave1.object_id
        writer.save()

        found = either.difference(old)
        assert set(found) == {
            GenerationChange(HistoryChangeType.UPDATE, dave0.object_id, ("age",)),
            GenerationChange(HistoryChangeType.UPDATE, car.object_id, ("owner",)),
            GenerationChange(HistoryChangeType.DELETE, gone, ()),
            GenerationChange(HistoryChangeType.INSERT, eve.object_id, ()),
        }
        assert (found.inserted, found.deleted) == ((eve.object_id,), (gone,))
        back = either.difference(found.new_generation, old)
        assert (back.inserted, back.deleted, back.updated) == (found.deleted, found.inserted, found.updated)
        assert [change.object_id.entity_name for change in either.difference(old, CURRENT, entities=["Car"])] == ["Car"]
        assert len(found[1:]) == 3 and found[0].object_id == car.object_id


def test_difference_aViewAdvancesAndTouchesExactlyWhatChanged(either: pinview.Coordinator) -> None:
    view, old = pinned(either)
    with view, pinview.Context(either) as writer:
        people = {person["name"]: person for person in view.fetch("Person")}
        writer.fetch("Person", "name == 'dave1'")[0]["age"] = 77
        writer.save()
        with either.difference(old) as found:
            view.pin(found.new_generation)
            for object_id in found.updated:
                shown = view.registered_object(object_id)
                if shown is not None:
                    view.refresh(shown, merge_changes=False)
        assert {name: person.is_fault for name, person in people.items()} == {"dave0": False, "dave1": True, "dave2": False}
        assert people["dave1"]["age"] == 77


def test_difference_errors(either: pinview.Coordinator) -> None:
    view, old = pinned(either)
    with pytest.raises(pinview.UnknownEntityError):
        either.difference(old, entities=["Ship"])
    view.close()
    with pinview.Context(either) as writer:
        writer.insert("Person")
        writer.save()
    with pytest.raises(pinview.GenerationExpiredError):
        either.difference(old)


# Remote changes


@contextlib.contextmanager
def told(coordinator: pinview.Coordinator) -> Iterator[queue.Queue[RemoteChange]]:
    """Collects the changes that an observer is called with."""
    changes: queue.Queue[RemoteChange] = queue.Queue()
    with coordinator.add_remote_change_observer(changes.put):
        yield changes


@pytest.fixture
def watched(model: pinview.Model, path: pathlib.Path) -> Iterator[pinview.Coordinator]:
    """A coordinator that is notified of commits of others to its store."""
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, history_tracking=True, remote_changes=True)
        yield coordinator


IN_ANOTHER_PROCESS = """
import sys, pinview
with pinview.Coordinator(pinview.Coordinator.model_of_store(sys.argv[1])) as coordinator:
    coordinator.add_store(sys.argv[1], history_tracking=True)
    with pinview.Context(coordinator) as context:
        context.insert("Person", name="stranger")
        context.save()
"""


def test_remoteChange_ofAnotherProcess(watched: pinview.Coordinator, path: pathlib.Path) -> None:
    seen = watched.history_token()
    with told(watched) as changes:
        subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS, str(path)], check=True, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}
        )
        change = changes.get(timeout=120)
    assert (change.store_identifier, change.store_path) == (watched.stores[0].identifier, str(path))
    assert change.history_token is not None and change.history_token != seen
    with pinview.Context(watched) as context:
        (transaction,) = context.history(seen)
        assert [each.type for each in transaction.changes] == [HistoryChangeType.INSERT]
        assert transaction.token == change.history_token


def test_remoteChange_notOfItsOwnContexts(watched: pinview.Coordinator, path: pathlib.Path, model: pinview.Model) -> None:
    with told(watched) as changes, pinview.Context(watched) as context, pinview.Coordinator(model) as second:
        second.add_store(path, history_tracking=True)
        context.insert("Person", name="own")
        context.save()
        with pinview.Context(second) as stranger:
            stranger.insert("Person", name="stranger")
            stranger.save()
        token = second.history_token()
        # The only one: the notification of its own save would have come before.
        assert changes.get(timeout=120).history_token == token
        assert changes.empty()


def test_remoteChange_ofTheSqlite3ToolWithoutAHistoryToken(watched: pinview.Coordinator, path: pathlib.Path) -> None:
    before = watched.history_token()
    with told(watched) as changes:
        tool = sqlite3.connect(path)
        with tool:
            tool.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME = 'Person'")
        tool.close()
        assert changes.get(timeout=120).history_token == before


# Consumers


def test_consumers_areListedAndRespected(watched: pinview.Coordinator, path: pathlib.Path, model: pinview.Model) -> None:
    with pinview.Context(watched) as context:
        start = watched.history_token()
        for name in "abc":
            context.insert("Person", name=name)
            context.save()
        end = watched.history_token()
        watched.set_history_consumer("index", start)
        watched.set_history_consumer("view", end)
        # Consumers are kept in the store, so others see them too.
        with pinview.Coordinator(model) as second:
            second.add_store(path, history_tracking=True)
            assert second.history_consumers() == {"index": start, "view": end}
        with pytest.raises(pinview.Error, match=r'"index" has read up to transaction 0'):
            context.delete_history(end, refusing=True)
        with pytest.raises(pinview.InvalidArgumentError):
            context.delete_history(end, refusing=True, passing_consumers=True)
        assert context.delete_history(end) == 0
        assert context.delete_history(end, passing_consumers=True) == 2
        watched.remove_history_consumer("index")
        assert list(watched.history_consumers()) == ["view"]
