"""The difference of two generations."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
from conftest import fill

import pinview
from pinview import CURRENT, GenerationChange, HistoryChangeType, QueryGenerationToken


@pytest.fixture(params=[False, True], ids=["compared", "from history"])
def either(request: pytest.FixtureRequest, model: pinview.Model, path: pathlib.Path) -> Iterator[pinview.Coordinator]:
    """A coordinator whose store keeps a history, or none."""
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, options={"historyTracking": request.param})
        fill(coordinator, 3)
        yield coordinator


def pinned(coordinator: pinview.Coordinator) -> tuple[pinview.Context, QueryGenerationToken]:
    """A context that is pinned to what is there now."""
    context = pinview.Context(coordinator)
    context.pin()
    context.count("Person")
    token = context.query_generation
    assert token is not None
    return context, token


def test_difference_whatWasInsertedUpdatedAndDeleted(either: pinview.Coordinator) -> None:
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
