"""Objects are read in blocks, with the same results as a call for each value (FLT-01, FLT-03,
CTX-02, CON-11).
"""

from __future__ import annotations

import datetime
import decimal
import gc
import pathlib
import sys
import threading
import uuid
from collections.abc import Iterator

import pytest
from conftest import PERSONS

import pinview
from pinview import Attribute, Entity, Relationship
from pinview._ffi.implementation import implementation
from pinview._objects import blocks
from pinview._objects.views import NEVER


def in_columns(target: pinview.ManagedObject) -> bool:
    """Whether the object can be read without a call."""
    clock = target._view.clock
    return clock is not NEVER and clock.version == clock.value


@pytest.fixture
def people(context: pinview.Context) -> Iterator[list[pinview.ManagedObject]]:
    people = list(context.fetch("Person", sort="age"))
    yield people
    people.clear()


def test_readingOneObjectLoadsTheOthers(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    lines: list[str] = []
    assert people[0].age == 20
    pinview.set_sql_log(lines.append)
    try:
        assert [person.age for person in people] == list(range(20, 20 + PERSONS))
    finally:
        pinview.set_sql_log(enabled=False)
    assert lines == []
    assert all(map(in_columns, people))


def test_FLT_01_onlyObjectsThatAreReadAreFired(people: list[pinview.ManagedObject]) -> None:
    assert people[3].name == "dave3"
    assert people[5].name == "dave5"
    assert [place for place, person in enumerate(people) if not person.is_fault] == [3, 5]


def test_FLT_01_registeredObjectsToo(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    assert people[1].age == 21
    assert {person.is_fault for person in context.registered_objects if person is not people[1]} == {True}


def test_afterASaveObjectsAreReadOneByOneAndThenAllAgain(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    assert [person.age for person in people] == list(range(20, 20 + PERSONS))
    people[0].age = 90
    context.save()
    read = [(person.age, in_columns(person)) for person in people[:4]]
    assert read == [(90, False), (21, False), (22, False), (23, True)]
    assert [person.age for person in people[4:]] == list(range(24, 20 + PERSONS)) and all(map(in_columns, people[4:]))


@pytest.mark.skipif(implementation != "c", reason="needs the accelerator")
def test_aReadAfterASaveTakesNoPython(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    assert [person.age for person in people] == list(range(20, 20 + PERSONS))
    called: list[str] = []
    for number, person in enumerate(people):
        person.age += 100
        context.save()
        sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
        try:
            age, name = person.age, person.name
        finally:
            sys.setprofile(None)
        assert age == 120 + number and isinstance(name, str)
    assert called == []


def test_aSetValueIsRead(people: list[pinview.ManagedObject]) -> None:
    for person in people:
        person.age += 1
        assert person.age == people[people.index(person)]["age"]
    assert [person.age for person in people] == list(range(21, 21 + PERSONS))


def test_aSetValueOfAnotherTypeIsReadAsConverted(people: list[pinview.ManagedObject]) -> None:
    assert people[0].name == "dave0"
    people[0].name = None
    assert people[0].name is None
    with pytest.raises(pinview.WrongTypeError):
        people[0].name = 3
    assert (people[0].name, people[1].name) == (None, "dave1")


def test_savesOfOthersAreSeenByFaultsOnly(context: pinview.Context, other: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    assert people[0].age == 20
    for person in other.fetch("Person"):
        person.age += 100
    other.save()
    assert [people[0].age, people[1].age] == [20, 121]


def test_pinnedFaultsStayInTheirGeneration(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    people = list(context.fetch("Person", sort="age"))
    assert people[0].age == 20
    for person in other.fetch("Person"):
        person.age += 100
    other.save()
    assert [person.age for person in people] == list(range(20, 20 + PERSONS))
    context.pin()
    assert people[0].age == 20
    context.refresh_all()
    assert [person.age for person in people] == list(range(120, 120 + PERSONS))


def test_advancingKeepsLoadedObjectsAndReadsFaultsAgain(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    people = list(context.fetch("Person", sort="age"))
    assert people[0].age == 20
    for person in other.fetch("Person"):
        person.age += 100
    other.save()
    context.pin()
    assert [people[0].age, people[1].age] == [20, 121]


@pytest.mark.parametrize("how", ["refresh", "refresh_all", "rollback", "undo", "merge", "reset"])
def test_allKindsOfChangesAreSeen(context: pinview.Context, other: pinview.Context, people: list[pinview.ManagedObject], how: str) -> None:
    ages = [person.age for person in people]
    if how in ("rollback", "undo"):
        people[2].age = 7
        assert people[2].age == 7
        getattr(context, how)()
        assert [person.age for person in people] == ages
        return
    if how == "reset":
        context.reset()
        for person in people:
            with pytest.raises(pinview.ObjectInvalidatedError):
                person.age  # noqa: B018
        assert context.fetch("Person", "age == 22")[0].age == 22
        return
    told = []
    with other.observe(pinview.DID_SAVE, told.append):
        other.fetch("Person", "age == 22")[0].age = 7
        other.save()
        assert people[2].age == 22
        if how == "merge":
            context.merge_changes(told[0])
        elif how == "refresh":
            context.refresh(people[2])
        else:
            context.refresh_all()
        told.clear()
    assert people[2].age == 7
    assert people[3].age == 23


def test_automaticMergesOfAnotherThreadAreSeen(context: pinview.Context, other: pinview.Context) -> None:
    context.automatically_merges_changes_from_parent = True
    people = list(context.fetch("Person", sort="age"))
    assert people[0].age == 20

    def save() -> None:
        other.fetch("Person", "age == 20")[0].age = 5
        other.save()

    thread = threading.Thread(target=save)
    thread.start()
    thread.join()
    context.perform_and_wait(lambda: None)
    assert people[0].age == 5


def test_deletedObjects(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    assert [person.age for person in people][:2] == [20, 21]
    context.delete(people[0])
    assert people[0].is_deleted and people[0].age == 20
    context.save()
    assert people[1].age == 21
    assert people[0].name in ("dave0", None)


def test_setsOfAnotherThreadAreSeen(people: list[pinview.ManagedObject]) -> None:
    assert people[0].age == 20
    thread = threading.Thread(target=setattr, args=(people[0], "age", 99))
    thread.start()
    thread.join()
    assert people[0].age == 99


def test_REL_toOneLeadsToTheOneObject(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    cars = list(context.fetch("Car"))
    assert {car.owner for car in cars} == set(people)
    cars[0].owner, last = cars[-1].owner, cars[0].owner
    assert cars[0].owner is cars[-1].owner is not last
    cars[0].owner = None
    assert cars[0].owner is None and cars[1].owner is not None
    context.rollback()
    assert cars[0].owner is last


def test_REL_destinationsAfterAResetAreNew(context: pinview.Context) -> None:
    car = context.fetch("Car", "name == 'car0'")[0]
    owner = car.owner
    assert owner is car.owner
    context.reset()
    again = context.fetch("Car", "name == 'car0'")[0]
    assert again is not car and again.owner is not owner
    assert again.owner.name == "dave0"


def test_CTX_02_oneObjectForAllWaysOfFindingIt(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    assert list(context.fetch("Person", sort="-age")) == people[::-1]
    assert context.fetch("Person", "age == 30")[0] is people[10]
    assert context.object(people[4].object_id) is people[4]
    assert set(context.fetch("Person", "age > 25")) <= set(people)


def test_CTX_02_namedByManyThreadsAtOnce(context: pinview.Context) -> None:
    found: list[list[pinview.ManagedObject]] = []

    def work() -> None:
        for _ in range(40):
            found.append(list(context.fetch("Person", sort="age")))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {tuple(map(id, each)) for each in found} == {tuple(map(id, found[0]))}


def test_namesAndObjectsGoTogether(context: pinview.Context) -> None:
    """Threads release and create the same blocks at the same time."""

    def work() -> None:
        for _ in range(60):
            assert [person.age for person in context.fetch("Person", sort="age")] == list(range(20, 20 + PERSONS))

    failures: list[BaseException] = []

    def caught() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=caught) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    gc.collect()
    assert context.registered_objects == set()


def test_oneObjectIsReadWhileAnotherThreadReceivesTheOthers(context: pinview.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    (identity,) = context.fetch_ids("Person", "age == 20")
    first_of_block = blocks.first_of_block
    read: list[pinview.ManagedObject] = []

    def read_first(address: int, count: int) -> int | None:
        monkeypatch.undo()
        read.append(context.object(identity))
        assert (read[0].age, read[0].age) == (20, 20)
        return first_of_block(address, count)

    monkeypatch.setattr(blocks, "first_of_block", read_first)
    people = list(context.fetch("Person", sort="age"))
    assert people[0] is read[0]
    assert [person.age for person in people] == list(range(20, 20 + PERSONS))


def test_objectsAreFreedWhileAnotherThreadReadsAColumn(context: pinview.Context, people: list[pinview.ManagedObject]) -> None:
    cars = list(context.fetch("Car", sort="name"))
    assert cars[0].owner is not None
    view = cars[0]._view
    view.keys_of["maker"] = [None] * len(cars)  # the state after a thread has read the keys, and before it has stored the column
    cars.pop()
    gc.collect()
    assert context.count("Car") == len(cars) + 1
    assert cars[0].owner.name == "dave0" and cars[0]._view is view


def test_CON_11_otherThreadsAreRejected(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator, concurrency="main_queue") as context:
        people = list(context.fetch("Person", sort="age"))
        assert [person.age for person in people][:2] == [20, 21]
        raised: list[BaseException] = []

        def read() -> None:
            try:
                people[0].age  # noqa: B018
            except pinview.Error as error:
                raised.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        assert [type(error) for error in raised] == [pinview.WrongQueueError]


def test_CON_12_theConcurrencyCheckAppliesToWhatWasRead(people: list[pinview.ManagedObject], context: pinview.Context) -> None:
    assert people[0].age == 20
    pinview.set_concurrency_debug(True)
    try:
        with pytest.raises(pinview.WrongQueueError):
            people[0].age  # noqa: B018
        assert context.perform_and_wait(lambda: people[0].age) == 20
    finally:
        pinview.set_concurrency_debug(False)
    assert people[0].age == 20


def test_FLT_13_closedContexts(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        people = list(context.fetch("Person", sort="age"))
        assert people[0].age == 20
    del context
    with pytest.raises(pinview.ContextGoneError):
        people[0].age  # noqa: B018


def test_closedObjects(people: list[pinview.ManagedObject], context: pinview.Context) -> None:
    person = people[0]
    assert person.age == 20
    person.close()
    person.close()
    assert person.closed
    with pytest.raises(pinview.InvalidHandleError):
        person.age  # noqa: B018
    again = context.fetch("Person", "age == 20")[0]
    assert again is not person and again.age == 20


def test_unreadFaultsOfDeletedRows(context: pinview.Context, other: pinview.Context) -> None:
    context.should_delete_inaccessible_faults = False
    people = list(context.fetch("Person", sort="age", includes_property_values=False))
    for car in other.fetch("Car"):
        car.owner = None
    other.save()
    other.delete(other.fetch("Person", "age == 21")[0])
    other.save()
    assert people[0].age == 20
    with pytest.raises(pinview.ObjectNotFoundError):
        people[1].age  # noqa: B018
    assert people[2].age == 22


@pytest.fixture
def things(tmp_path: pathlib.Path) -> Iterator[tuple[pinview.Context, list[dict[str, object]]]]:
    model = pinview.Model(
        [
            Entity(
                "Thing",
                attributes=[
                    Attribute("number", "integer64"),
                    Attribute("real", "double"),
                    Attribute("text", "string"),
                    Attribute("flag", "boolean"),
                    Attribute("date", "date"),
                    Attribute("data", "binaryData"),
                    Attribute("uuid", "uuid"),
                    Attribute("money", "decimal"),
                    Attribute("passing", "string", transient=True),
                ],
                relationships=[
                    Relationship("next", "Thing", inverse="previous"),
                    Relationship("previous", "Thing", inverse="next"),
                ],
            ),
            Entity("Special", parent="Thing", attributes=[Attribute("extra", "string")]),
        ]
    )
    rows: list[dict[str, object]] = [
        {
            "number": number * (-1) ** number,
            "real": number / 3,
            "text": ["", "plain", "grün 漢字", "a\0b", "\0", "🎈"][number % 6],
            "flag": number % 2 == 0,
            "date": datetime.datetime(2024, 5, 6, 7, 8, 9, number, tzinfo=datetime.timezone.utc),
            "data": bytes(range(number)),
            "uuid": uuid.UUID(int=number * 7**30),
            "money": decimal.Decimal(number) / 8,
        }
        for number in range(12)
    ]
    rows += [dict.fromkeys(rows[0]) for _ in range(2)]
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            for place, row in enumerate(rows):
                context.insert("Special" if place % 3 == 0 else "Thing", **row)
            context.save()
            yield context, rows


def test_everyKindOfValue(things: tuple[pinview.Context, list[dict[str, object]]]) -> None:
    context, rows = things
    context.reset()
    found = list(context.fetch("Thing"))
    shown = [{name: getattr(thing, name) for name in rows[0]} for thing in found]
    assert sorted(shown, key=repr) == sorted(rows, key=repr)
    assert [thing.passing for thing in found] == [None] * len(found)
    for thing in found:
        thing.passing = "here"
    assert {thing.passing for thing in found} == {"here"}
    assert {thing.extra for thing in found if thing.entity.name == "Special"} == {None}
    with pytest.raises(pinview.UnknownKeyError):
        next(thing for thing in found if thing.entity.name == "Thing").extra  # noqa: B018


def test_destinationsOfSubEntities(things: tuple[pinview.Context, list[dict[str, object]]]) -> None:
    context, _ = things
    found = list(context.fetch("Thing"))
    for one, other in zip(found, found[1:]):
        one.next = other
    assert [thing.next for thing in found] == [*found[1:], None]
    context.save()
    context.refresh_all()
    assert [thing.next for thing in found] == [*found[1:], None]
    assert [thing.previous for thing in found] == [None, *found[:-1]]
