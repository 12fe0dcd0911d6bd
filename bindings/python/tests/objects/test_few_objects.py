"""Objects of small results, which are looked up one by one, are those of large results; members by
their names are as in sets of Python.
"""

from __future__ import annotations

import os
import pathlib
import random
from collections.abc import Iterator

import pytest
from conftest import PERSONS

import pinview

SEED = int(os.environ.get("PINVIEW_SEED", "1"))


@pytest.fixture(params=["pinned", "not pinned", "child"])
def context(coordinator: pinview.Coordinator, request: pytest.FixtureRequest) -> Iterator[pinview.Context]:
    parent = pinview.Context(coordinator)
    with pinview.Context(parent=parent) if request.param == "child" else parent as context:
        if request.param == "pinned":
            context.pin()
        yield context


def test_FET_few_and_many_objects_are_the_same(context: pinview.Context) -> None:
    everyone = list(context.fetch("Person", sort="age"))
    for count in (0, 1, 2, 15, 16, 17, PERSONS):
        for offset in (0, 1, 7):
            found = context.fetch("Person", sort="age", offset=offset, limit=count) if count else context.fetch("Person", "age < 0")
            expected = everyone[offset : offset + count]
            assert list(found) == expected
            assert [found[place] for place in range(len(found))] == expected
            assert list(reversed(found)) == expected[::-1]
            assert found[:3] == expected[:3]
    ids = [each.object_id for each in everyone]
    assert [context.existing_object(each) for each in ids] == everyone


def test_FET_few_objects_without_others_have_their_values(context: pinview.Context) -> None:
    for number in (3, 5, 3, 23, 3):
        (found,) = context.fetch("Person", "age == %@", [20 + number])
        assert (found.name, found.age, [car.name for car in found.cars]) == (f"dave{number}", 20 + number, [f"car{number}"])
        del found
    kept = [context.fetch("Person", "age == %@", [20 + number])[0] for number in range(PERSONS)]
    assert [each.name for each in kept] == [f"dave{number}" for number in range(PERSONS)]


def test_FET_few_objects_show_changes(context: pinview.Context) -> None:
    first, second = context.fetch("Person", sort="age", limit=2)
    assert (first.age, second.age) == (20, 21)
    first.age = 90
    assert (first.age, second.age) == (90, 21)
    assert [each.name for each in context.fetch("Person", "age == 90")] == ["dave0"]
    context.rollback()
    assert (first.age, second.age) == (20, 21)
    new = context.insert("Person", name="new", age=91)
    assert list(context.fetch("Person", "age > %@", [90])) == [new]


def test_FET_few_objects_are_those_of_their_entity(tmp_path: pathlib.Path) -> None:
    entities = [
        pinview.Entity("Animal", attributes=[pinview.Attribute("name", "string")]),
        pinview.Entity("Cat", parent="Animal", attributes=[pinview.Attribute("lives", "integer16")]),
        pinview.Entity("Dog", parent="Animal", attributes=[pinview.Attribute("tricks", "string")]),
    ]
    with pinview.Model(entities) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "animals.sqlite")
        with pinview.Context(coordinator) as context:
            context.insert("Cat", name="Tom", lives=9)
            context.insert("Dog", name="Rex", tricks="none")
            context.insert("Animal", name="Fish")
            context.save()
        with pinview.Context(coordinator) as context:
            fish, rex, tom = context.fetch("Animal", sort="name")
            assert [each.entity.name for each in (fish, rex, tom)] == ["Animal", "Dog", "Cat"]
            assert (fish.name, rex.tricks, tom.lives) == ("Fish", "none", 9)


def test_FET_few_objects_after_their_context_was_closed(coordinator: pinview.Coordinator) -> None:
    context = pinview.Context(coordinator)
    found, none = context.fetch("Person", sort="age", limit=3), context.fetch("Person", "age < 0")
    kept = found[0]
    context.close()
    assert next(iter(found)) is kept
    assert list(none) == []
    for each in found:
        with pytest.raises(pinview.ContextGoneError):
            each.name  # noqa: B018


def test_REL_members_by_name_are_a_set(context: pinview.Context) -> None:
    chance = random.Random(SEED)
    people, cars = list(context.fetch("Person", sort="age")), list(context.fetch("Car", sort="name"))
    owners = {car: car.owner for car in cars}
    for step in range(300):
        person, chosen = chance.choice(people), chance.sample(cars, chance.randrange(1, 4))
        kind = chance.randrange(4)
        if kind == 0:
            person.cars.add(chosen[0])
            owners[chosen[0]] = person
        elif kind == 1:
            person.cars.update(iter(chosen))
            owners.update(dict.fromkeys(chosen, person))
        elif kind == 2:
            person.cars.discard(chosen[0])
            if owners[chosen[0]] is person:
                owners[chosen[0]] = None
        elif chosen[0] in person.cars:
            person.cars.remove(chosen[0])
            owners[chosen[0]] = None
        where = f"seed {SEED}, step {step}"
        assert set(person.cars) == {car for car in cars if owners[car] is person}, where
        assert [car in person.cars for car in cars] == [owners[car] is person for car in cars], where
        assert all(car.owner is owners[car] for car in chosen), where


def test_REL_a_refused_member_leaves_the_others_out(context: pinview.Context, coordinator: pinview.Coordinator) -> None:
    person, car = context.fetch("Person", sort="age")[0], context.fetch("Car", sort="-name")[0]
    former = set(person.cars)
    with pytest.raises(pinview.WrongTypeError, match="must be objects of Car"):
        person.cars.update([car, "no car"])
    with pytest.raises(ZeroDivisionError):
        person.cars.update(each for each in [car, 1 // 0])
    with pytest.raises(pinview.Error):
        person.cars.add(person)
    with pinview.Context(coordinator) as other, pytest.raises(pinview.Error):
        person.cars.add(other.fetch("Car", limit=1)[0])
    closed = context.fetch("Car", "name == 'car5'")[0]
    closed.close()
    with pytest.raises(pinview.InvalidHandleError):
        person.cars.add(closed)
    assert set(person.cars) == former
