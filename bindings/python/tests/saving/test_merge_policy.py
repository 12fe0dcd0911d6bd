"""Merge policies that are functions (SAV-10 to SAV-19)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import pinview
from pinview import Attribute, Conflict, Entity, MergePolicy, Relationship


def dispute(context: pinview.Context, other: pinview.Context) -> pinview.ManagedObject:
    """Changes the name of dave0 here, and the name and age in another context."""
    mine = context.fetch("Person", "name == 'dave0'")[0]
    mine.name = "mine"
    other.fetch("Person", "name == 'dave0'")[0].update(name="theirs", age=50)
    other.save()
    return mine


def test_SAV_10_aFunctionReceivesBaseMineAndTheirs(context: pinview.Context, other: pinview.Context) -> None:
    told: list[Conflict] = []

    def policy(conflicts: Sequence[Conflict]) -> list[MergePolicy]:
        told.extend(conflicts)
        return [MergePolicy.ROLLBACK for _ in conflicts]

    context.merge_policy = policy
    assert context.merge_policy is policy
    mine = dispute(context, other)
    context.save()
    (conflict,) = told
    assert conflict.object_id == mine.object_id
    assert (conflict.base, conflict.mine) == ({"name": "dave0", "age": 20}, {"name": "mine", "age": 20})
    assert conflict.theirs == {"name": "theirs", "age": 50}
    assert (conflict.keys_changed_by_mine, conflict.keys_changed_by_theirs) == ({"name"}, {"name", "age"})
    assert not conflict.is_deletion
    assert mine.name == "theirs"


def test_SAV_15_theValuesThatItReturnsAreWrittenAndInMemory(coordinator: pinview.Coordinator, other: pinview.Context) -> None:
    def both(conflicts: Sequence[Conflict]) -> list[dict[str, Any]]:
        return [{"name": f"{each.mine['name']} and {each.theirs and each.theirs['name']}"} for each in conflicts]

    with pinview.Context(coordinator, merge_policy=both) as context:
        mine = dispute(context, other)
        context.save()
        assert (mine.name, mine.age) == ("mine and theirs", 50)
        other.refresh_all()
        assert other.count("Person", "name == 'mine and theirs' AND age == 50") == 1


def test_SAV_16_SAV_18_deletedRowsAndDeletedObjects(context: pinview.Context, other: pinview.Context) -> None:
    context.merge_policy = lambda conflicts: [{} if each.theirs is None else {"name": "kept"} for each in conflicts]
    gone, kept = context.fetch("Person", "name IN {'dave1', 'dave2'}", sort=["name"])
    gone.age = 77
    context.delete(kept)
    other.delete(other.fetch("Person", "name == 'dave1'")[0])
    other.fetch("Person", "name == 'dave2'")[0].age = 78
    other.save()
    context.save()
    assert (gone.name, gone.age, kept.name, kept.age, kept.is_deleted) == ("dave1", 77, "kept", 78, False)


def test_SAV_04_theSaveRaisesItsException(context: pinview.Context, other: pinview.Context) -> None:
    def refuse(conflicts: Sequence[Conflict]) -> list[MergePolicy]:
        raise LookupError("no idea")

    context.merge_policy = refuse
    mine = dispute(context, other)
    with pytest.raises(LookupError, match="no idea"):
        context.save()
    assert mine.is_updated
    for wrong, error in [([], pinview.InvalidArgumentError), ([{"nickname": 1}], pinview.UnknownKeyError), (["sideways"], ValueError)]:
        context.merge_policy = lambda conflicts, wrong=wrong: wrong  # type: ignore[misc]
        with pytest.raises(error):
            context.save()
    context.merge_policy = "overwrite"
    assert context.merge_policy is MergePolicy.OVERWRITE
    context.save()
    assert context.count("Person", "name == 'mine' AND age == 20") == 1


def test_aPolicyCannotCallItsContext(context: pinview.Context, other: pinview.Context) -> None:
    def policy(conflicts: Sequence[Conflict]) -> list[str]:
        for call in (context.save, lambda: mine.name, lambda: context.count("Person"), lambda: context.perform_and_wait(lambda: None)):
            with pytest.raises(pinview.InvalidArgumentError):
                call()
        return ["merge_by_property_object_trump"]

    context.merge_policy = policy
    mine = dispute(context, other)
    context.save()
    assert (mine.name, mine.age) == ("mine", 50)
    context.merge_policy = MergePolicy.ERROR  # the function refers to the object


def test_SAV_19_SAV_20_detectConflicts(context: pinview.Context, other: pinview.Context) -> None:
    person = context.fetch("Person", "name == 'dave0'")[0]
    context.detect_conflicts(person)
    other.fetch("Person", "name == 'dave0'")[0].age = 50
    other.save()
    with pytest.raises(pinview.ConflictError) as caught:
        context.save()
    assert [each.object_id for each in caught.value.conflicts] == [person.object_id]
    context.rollback()
    context.save()


def test_SAV_24_obtainPermanentIDs(context: pinview.Context) -> None:
    person = context.insert("Person", name="new")
    assert person.object_id.is_temporary
    context.obtain_permanent_ids([person])
    permanent = person.object_id
    assert not permanent.is_temporary
    assert context.inserted_objects == {person}
    context.save()
    assert person.object_id == permanent


@pytest.mark.parametrize("at_end_of_event", [True, False])
def test_REL_08_REL_09_propagatesDeletesAtEndOfEvent(path: Any, at_end_of_event: bool) -> None:
    entities = [
        Entity("Person", relationships=[Relationship("cars", "Car", inverse="owner", to_many=True, delete_rule="cascade")]),
        Entity("Car", attributes=[Attribute("name", "string")], relationships=[Relationship("owner", "Person", inverse="cars")]),
    ]
    with pinview.Model(entities) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.propagates_deletes_at_end_of_event = at_end_of_event
            person = context.insert("Person")
            car = context.insert("Car", owner=person)
            context.save()
            context.delete(person)
            context.process_pending_changes()
            assert car.is_deleted is at_end_of_event
            context.save()
            assert context.count("Car") == 0
