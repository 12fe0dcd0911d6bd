"""What programs usually do with a fetch (issue 19, point 7)."""

from __future__ import annotations

import asyncio
import gc
import pathlib
import threading

import pytest
from conftest import PERSONS, person_model
from declared import CLASSES, Colour
from declared import Car as DeclaredCar
from declared import Person as DeclaredPerson

import pinview


def test_firstIsTheFirstOrNone(context: pinview.Context) -> None:
    first = context.first("Person", sort="-age")
    assert first is not None and first.name == f"dave{PERSONS - 1}"
    assert context.first("Person", "age < 0") is None


def test_oneIsTheOnlyOne(context: pinview.Context) -> None:
    assert context.one("Person", "name == %@", ["dave3"]).age == 23
    with pytest.raises(pinview.ObjectNotFoundError, match="No object of Person matches the condition age < 0"):
        context.one("Person", "age < 0")
    with pytest.raises(pinview.MultipleObjectsError, match=r"Several objects of Person match; use first\(\)") as caught:
        context.one("Person")
    assert len(caught.value.affected_objects) == 2
    assert isinstance(caught.value, LookupError)


def test_getFindsByIDURIAndValues(context: pinview.Context) -> None:
    person = context.one("Person", "name == 'dave3'")
    assert context.get("Person", person.object_id) is person
    assert context.get("Person", person.object_id.uri) is person
    assert context.get("Car", person.object_id) is None
    assert context.get("Person", name="dave3", age=23) is person
    assert context.get("Person", name="dave3", age=24) is None
    assert context.get("Person", person.object_id.uri.replace("/p", "/p9999")) is None
    context.insert("Person", name="dave3")
    with pytest.raises(pinview.MultipleObjectsError, match="Several objects of Person have the values name='dave3'"):
        context.get("Person", name="dave3")
    with pytest.raises(pinview.InvalidArgumentError, match="needs an ID"):
        context.get("Person")
    with pytest.raises(pinview.InvalidArgumentError, match="not both"):
        context.get("Person", person.object_id, name="dave3")


def test_getOrCreateInsertsWhatIsMissing(context: pinview.Context) -> None:
    person, is_new = context.get_or_create("Person", {"age": 7}, name="dave3")
    assert (person.age, is_new) == (23, False)
    person, is_new = context.get_or_create("Person", {"age": 7}, name="new")
    assert (person.age, person.name, is_new) == (7, "new", True)
    assert context.get_or_create("Person", name="new") == (person, False)


def test_declaredClassesAreFoundByConvertedValues(tmp_path: pathlib.Path) -> None:
    with pinview.Model(CLASSES) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "declared.sqlite")
        with pinview.Context(coordinator) as context:
            car, is_new = context.get_or_create(DeclaredCar, price=3, colour=Colour.BLUE)
            assert (car.colour, is_new) == (Colour.BLUE, True)
            assert context.get(DeclaredCar, colour=Colour.BLUE) is car
            assert context.one(DeclaredCar, DeclaredCar.price > 2) is car
            assert not context.exists(DeclaredPerson)
            with pytest.raises(pinview.UnknownKeyError, match="did you mean 'colour'"):
                context.get(DeclaredCar, color=Colour.BLUE)


def test_existsTellsWhetherAnyMatches(context: pinview.Context) -> None:
    assert context.exists("Person") and context.exists("Person", "age > %@", [30])
    assert not context.exists("Person", "age < 0")


def test_iterationReleasesWhatItHasPassed(context: pinview.Context) -> None:
    context.insert_many("Person", {"name": [f"many{number}" for number in range(3000)], "age": [5] * 3000})
    context.save()
    context.reset()
    names, most = [], 0
    for person in context.iterate("Person", "age == 5", sort="name", batch_size=100):
        names.append(person.name)
        if len(names) % 250 == 0:
            gc.collect()
            most = max(most, len(context.registered_objects))
    assert names == sorted(f"many{number}" for number in range(3000))
    assert most <= 300
    with pytest.raises(pinview.InvalidArgumentError, match="at least 1"):
        context.iterate("Person", batch_size=0)


def test_contextsWorkInAsyncPrograms(tmp_path: pathlib.Path) -> None:
    async def program(coordinator: pinview.Coordinator) -> None:
        async with pinview.Context(coordinator) as context:
            context.insert("Person", name="Ada", age=36)
            await context.save_async()
            assert await context.count_async("Person", "age > %@", [30]) == 1
            assert await context.values_async("Person", ["name", "age"]) == [("Ada", 36)]
            assert not await context.wait_for_newer_generation_async(0.01)
            thread = threading.Thread(target=add, args=[coordinator])
            waiting = asyncio.ensure_future(context.wait_for_newer_generation_async(60))
            await asyncio.sleep(0)
            thread.start()
            assert await waiting
            thread.join()
            assert await context.count_async("Person") == 2
        assert context.closed

    def add(coordinator: pinview.Coordinator) -> None:
        with pinview.Context(coordinator) as context:
            context.insert("Person", name="Grace")
            context.save()

    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "async.sqlite")
        asyncio.run(program(coordinator))


def test_aSaveThatFailsRaisesWhereItIsAwaited(tmp_path: pathlib.Path) -> None:
    async def program(context: pinview.Context) -> None:
        context.insert("Note")
        with pytest.raises(pinview.ValidationError):
            await context.save_async()

    entity = pinview.Entity("Note", attributes=[pinview.Attribute("text", "string", optional=False)])
    with pinview.Model([entity]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "notes.sqlite")
        with pinview.Context(coordinator) as context:
            asyncio.run(program(context))
