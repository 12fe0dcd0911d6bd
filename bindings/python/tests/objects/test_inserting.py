"""Inserting objects one by one, with their values: in one call of the library where possible."""

from __future__ import annotations

import datetime
import uuid
from typing import Any

import pytest

import pinview
from pinview import Attribute, Entity, Relationship

KINDS = {
    "integer": ("integer32", 7),
    "flag": ("boolean", True),
    "real": ("double", 0.5),
    "text": ("string", "äß\0b"),
    "moment": ("date", datetime.datetime(2001, 1, 2, tzinfo=datetime.timezone.utc)),
    "code": ("uuid", uuid.UUID(int=5)),
    "data": ("binaryData", b"\0\1"),
}


def model_of_all() -> pinview.Model:
    attributes = [Attribute(name, kind) for name, (kind, _) in KINDS.items()]
    attributes += [Attribute(f"n{place}", "integer16") for place in range(70)]
    other = [Relationship("others", "Thing", inverse="owner", to_many=True), Relationship("owner", "Thing", inverse="others")]
    return pinview.Model([Entity("Thing", attributes=attributes, relationships=other)])


def test_API_22_allKindsOfValuesAreSetAndSaved(tmp_path: Any) -> None:
    given = {name: value for name, (_, value) in KINDS.items()} | {f"n{place}": place for place in range(70)}
    with model_of_all() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            owner = context.insert("Thing")
            assert owner.values(*given) == (None,) * len(given)
            thing = context.insert("Thing", owner=owner, **given)
            assert thing.values(*given) == tuple(given.values())
            assert thing.owner is owner and set(owner.others) == {thing}
            assert context.inserted_objects == {owner, thing}
            context.save()
        with pinview.Context(coordinator) as context:
            (found,) = context.fetch("Thing", "n1 == 1")
            assert found.values(*given) == tuple(given.values())


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"name": "a", "age": "old"}, pinview.WrongTypeError),
        ({"name": "a", "age": 1 << 63}, OverflowError),
        ({"name": "\ud800"}, ValueError),
        ({"name": "a", "colour": 1}, pinview.UnknownKeyError),
        ({"name": "a", "cars": 1}, TypeError),
        ({"name": "a", "cars": [1]}, TypeError),
    ],
)
def test_API_22_nothingIsInsertedIfAValueIsRefused(context: pinview.Context, values: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        context.insert("Person", **values)
    assert context.inserted_objects == set()
    assert not context.has_changes


def test_API_22_anEntityMustExist(context: pinview.Context) -> None:
    for entity in ("Ghost", 3, None):
        with pytest.raises((pinview.Error, TypeError)):
            context.insert(entity, name="a")  # type: ignore[call-overload]


def test_CTX_02_newObjectsAreFoundAgain(context: pinview.Context) -> None:
    made = [context.insert("Person", name=f"ada{number}", age=number) for number in range(3000)]
    assert {each.age for each in made} == set(range(3000))
    assert set(context.fetch("Person", "name BEGINSWITH 'ada'")) == set(made)
    made[7].age = 70
    context.save()
    assert context.object(made[7].object_id) is made[7]
    assert [each.age for each in made[6:9]] == [6, 70, 8]


def test_API_22_anInsertionCanBeUndone(context: pinview.Context) -> None:
    person = context.insert("Person", name="ada", age=3)
    context.process_pending_changes()
    context.undo()
    assert context.inserted_objects == set()
    context.redo()
    assert context.inserted_objects == {person}
    assert (person.name, person.age) == ("ada", 3)


def test_API_22_aClassCanSetValuesInItsOwnWay(tmp_path: Any) -> None:
    with pinview.Model([Entity("Person", attributes=[Attribute("name", "string"), Attribute("age", "integer16")])]) as model:

        @model.entity_class("Person")
        class Loud(pinview.ManagedObject):
            def __setitem__(self, name: str, value: Any) -> None:
                super().__setitem__(name, value.upper() if isinstance(value, str) else value)

        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(tmp_path / "loud.sqlite")
            with pinview.Context(coordinator) as context:
                person = context.insert("Person", name="ada", age=1)
                assert (person.name, person.age) == ("ADA", 1)


def test_API_22_hooksRunBeforeTheValuesAreSet(tmp_path: Any) -> None:
    seen: list[Any] = []
    with pinview.Model([Entity("Person", attributes=[Attribute("name", "string")]), Entity("Child", parent="Person")]) as model:

        @model.entity_class("Person")
        class Person(pinview.ManagedObject):
            def awake_from_insert(self) -> None:
                seen.append(self.entity.name)
                self.name = "nobody"

        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(tmp_path / "hooked.sqlite")
            with pinview.Context(coordinator) as context:
                made = [context.insert("Person", name="ada"), context.insert("Person"), context.insert("Child")]
                assert seen == ["Person", "Person", "Child"]
                assert [each.name for each in made] == ["ada", "nobody", "nobody"]


def test_API_23_membersThatWaitInABlockAreCollectedWithIt(tmp_path: Any) -> None:
    """The members of the next owner come with those of the first and wait in the block, which
    no_handle_is_lost wants to be gone afterwards.
    """
    with model_of_all() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            first = context.insert("Thing")
            second = context.insert("Thing", owner=first)
            third = context.insert("Thing", owner=second)
            context.save()
            assert list(second.others) == [third]
            assert list(first.others) == [second]
