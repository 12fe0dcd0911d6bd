"""Objects are looked up together with their values, with the same results as separate calls
(FET-09, FLT-02, CTX-02).
"""

from __future__ import annotations

import collections
import ctypes
import gc
import os
import pathlib
import random
import subprocess
import threading
from collections.abc import Iterator

import pytest
from conftest import PERSONS
from test_blocks import things as things

import pinview
from pinview._ffi.implementation import connect
from pinview._ffi.library import address_of, functions
from pinview._objects.lookups import MAX_CONTEXTS


@pytest.fixture
def ids(other: pinview.Context) -> Iterator[list[pinview.ObjectID]]:
    ids = other.fetch_ids("Person", sort="age")
    yield ids
    ids.clear()


def test_FET_09_existingObjectsAreNoFaults(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    people = [context.existing_object(each) for each in ids]
    assert not any(person.is_fault for person in people)
    assert [person.age for person in people] == list(range(20, 20 + PERSONS))
    assert [person.name for person in people] == [f"dave{number}" for number in range(PERSONS)]
    assert people[3].values("name", "age") == ("dave3", 23)
    assert [person.object_id for person in people] == ids


def test_FET_09_readWithoutStatements(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    person = context.existing_object(ids[4])
    lines: list[str] = []
    pinview.set_sql_log(lines.append)
    try:
        assert (person.name, person.age, context.existing_object(ids[4]), context.object(ids[4])) == ("dave4", 24, person, person)
    finally:
        pinview.set_sql_log(enabled=False)
    assert lines == []


def test_FLT_02_objectsByIDAreFaultsUntilTheyAreRead(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    person = context.object(ids[2])
    assert person.is_fault
    assert context.object(ids[2]) is person and person.is_fault
    assert person.age == 22
    assert not person.is_fault


def test_CTX_02_oneObjectForAllWaysOfFindingIt(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    looked_up = [context.existing_object(each) for each in ids[:5]]
    fetched = list(context.fetch("Person", sort="age"))
    assert all(one is other for one, other in zip(looked_up, fetched))
    assert [context.existing_object(each) for each in ids] == fetched
    assert [person.age for person in fetched] == list(range(20, 20 + PERSONS))
    assert context.registered_object(ids[0]) is looked_up[0]
    assert looked_up[0].cars and {car.owner for car in looked_up[0].cars} == {looked_up[0]}


def test_CTX_02_everyContextFindsItsOwn(coordinator: pinview.Coordinator, ids: list[pinview.ObjectID]) -> None:
    """An ID is looked up alternately in more contexts than it caches objects for."""
    contexts = [pinview.Context(coordinator) for _ in range(6)]
    first = [context.existing_object(ids[0]) for context in contexts]
    for few in (contexts[:2], contexts[3:], contexts):
        for _ in range(3):
            again = [context.object(ids[0]) for context in few]
            assert [found.context for found in again] == few
            assert all(found is first[contexts.index(context)] for found, context in zip(again, few))
    contexts[1].reset()
    assert contexts[1].object(ids[0]) is not first[1]
    assert contexts[2].object(ids[0]) is first[2]
    for context in contexts:
        context.close()


@pytest.fixture
def look_ups(monkeypatch: pytest.MonkeyPatch) -> Iterator[collections.Counter[int | None]]:
    """How often the library was asked for the object of an ID, by the handle of the context."""
    counts: collections.Counter[int | None] = collections.Counter()
    name = "pinview_context_object_row"
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
    asked, usual = kind(address_of(name)), getattr(functions, name)

    def counted(context: int | None, *rest: int) -> int:
        counts[context] += 1
        return asked(context, *rest)

    def counted_in_python(context: int | None, *rest: int) -> int:
        counts[context] += 1
        status: int = usual(context, *rest)
        return status

    replacement = kind(counted)
    monkeypatch.setattr(functions, name, counted_in_python)
    connect(**{name: ctypes.cast(replacement, ctypes.c_void_p).value})
    yield counts
    connect(**{name: address_of(name)})


def test_CTX_02_anIDCachesTheObjectsOfSomeContexts(
    coordinator: pinview.Coordinator, ids: list[pinview.ObjectID], look_ups: collections.Counter[int | None]
) -> None:
    contexts = [pinview.Context(coordinator) for _ in range(MAX_CONTEXTS + 1)]
    some, last = contexts[:-1], contexts[-1]
    first = [context.existing_object(ids[0]) for context in some]
    assert [look_ups[context.handle] for context in some] == [1] * MAX_CONTEXTS
    for _ in range(3):
        assert [context.object(ids[0]) for context in some] == first
        assert [context.existing_object(ids[0]) for context in some] == first
    assert [look_ups[context.handle] for context in some] == [1] * MAX_CONTEXTS
    first[1].age = 1  # which may move the change counter
    assert some[1].object(ids[0]) is first[1]
    # The entry that was made first makes room, and is made again.
    last.object(ids[0])
    assert [context.object(ids[0]) for context in some] == first
    assert look_ups[some[0].handle] == 2
    # An object that is gone leaves an entry without an object.
    del first[0]
    assert some[0].existing_object(ids[0]).name == "dave0"
    for context in contexts:
        context.close()


def test_API_theIDIsTheOnlyArgument(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    person = context.object(object_id=ids[0])
    assert context.existing_object(object_id=ids[0]) is person
    for look_up in (context.object, context.existing_object):
        for arguments, names in (((), {}), ((ids[0], ids[1]), {}), ((ids[0],), {"object_id": ids[0]}), ((), {"identity": ids[0]})):
            with pytest.raises(TypeError):
                look_up(*arguments, **names)  # type: ignore[arg-type]
        for wrong in (None, "p1", person, context):
            with pytest.raises(TypeError, match="Expected an ObjectID, got"):
                look_up(wrong)  # type: ignore[arg-type]


def test_API_closedIDsRaise(context: pinview.Context, other: pinview.Context) -> None:
    identity = other.fetch_ids("Person", limit=1)[0]
    found = [context.existing_object(identity), context.object(identity)]
    assert found[0] is found[1]
    identity.close()
    with pytest.raises(pinview.InvalidHandleError):
        context.object(identity)
    with pytest.raises(pinview.InvalidHandleError):
        context.existing_object(identity)


def test_CTX_02_closedObjectsAreLookedUpAgain(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    first, second = context.existing_object(ids[0]), context.existing_object(ids[1])
    first.close()
    assert context.existing_object(ids[1]) is second
    again = context.object(ids[0])
    assert again is not first and again.age == 20


def test_FET_10_noSuchRow(context: pinview.Context, other: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    for car in other.fetch("Car"):
        car.owner = None
    other.delete(other.existing_object(ids[1]))
    other.save()
    with pytest.raises(pinview.ObjectNotFoundError):
        context.existing_object(ids[1])
    assert context.existing_object(ids[0]).age == 20


def test_changesAreSeen(context: pinview.Context, other: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    person = context.existing_object(ids[0])
    person.age = 7
    assert (person.age, person.name) == (7, "dave0")
    person.name = None
    assert (person.age, person.name, person.values("name")) == (7, None, (None,))
    context.rollback()
    assert (person.age, person.name) == (20, "dave0")
    other.existing_object(ids[0]).age = 8
    other.save()
    assert person.age == 20
    context.refresh(person)
    assert person.age == 8
    assert context.existing_object(ids[0]) is person
    context.delete(person)
    assert person.is_deleted and context.existing_object(ids[0]) is person
    context.reset()
    with pytest.raises(pinview.ObjectInvalidatedError):
        person.age  # noqa: B018
    again = context.existing_object(ids[0])
    assert again is not person and again.age == 8


def test_REL_destinations(context: pinview.Context, other: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    cars = [context.existing_object(each) for each in other.fetch_ids("Car", sort="name")]
    owners = [car.owner for car in cars]
    assert all(car.owner is owner for car, owner in zip(cars, owners))
    assert set(owners) == {context.object(each) for each in ids}
    assert sorted(owner.age for owner in owners) == list(range(20, 20 + PERSONS))
    cars[0].owner = None
    assert cars[0].owner is None
    context.rollback()
    assert cars[0].owner is owners[0]
    owners[0].close()
    assert cars[0].owner is not owners[0] and cars[0].owner.object_id in ids


def test_REF_18_unusedObjectsAreReleased(context: pinview.Context, other: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    kept = context.existing_object(ids[0])
    for each in ids * 100:
        assert context.existing_object(each).object_id == each
    gc.collect()
    assert context.registered_objects == {kept}
    other.existing_object(ids[1]).age = 99
    other.save()
    assert context.existing_object(ids[1]).age == 99


def test_closedObjectsAndContexts(coordinator: pinview.Coordinator, ids: list[pinview.ObjectID]) -> None:
    with pinview.Context(coordinator) as context:
        person = context.existing_object(ids[0])
        person.close()
        assert person.closed
        again = context.object(ids[0])
        assert again is not person and again.age == 20
    with pytest.raises(pinview.InvalidHandleError):
        context.existing_object(ids[0])
    del context
    with pytest.raises(pinview.ContextGoneError):
        again.age  # noqa: B018


def test_everyKindOfValue(things: tuple[pinview.Context, list[dict[str, object]]]) -> None:
    context, rows = things
    identities = context.fetch_ids("Thing")
    context.reset()
    shown = []
    for each in identities:
        thing = context.existing_object(each)
        values = {name: getattr(thing, name) for name in rows[0]}
        assert {name: getattr(thing, name) for name in rows[0]} == values
        assert thing.values(*rows[0]) == tuple(values.values())
        assert thing.passing is None and thing.next is None
        shown.append(values)
    assert sorted(shown, key=repr) == sorted(rows, key=repr)


def test_longTexts(things: tuple[pinview.Context, list[dict[str, object]]]) -> None:
    context, _ = things
    first, second = context.fetch_ids("Thing")[1:3]
    for each, text in ((first, "ü" * 40_000), (second, "a\0" * 200)):
        context.existing_object(each).text = text
    context.save()
    context.reset()
    assert context.existing_object(first).text == "ü" * 40_000
    assert context.existing_object(second).text == "a\0" * 200
    assert context.existing_object(first).number is not None


def test_CON_11_theThreadIsChecked(coordinator: pinview.Coordinator, ids: list[pinview.ObjectID]) -> None:
    with pinview.Context(coordinator, concurrency="main_queue") as context:
        person = context.existing_object(ids[0])
        assert person.age == 20
        raised: list[BaseException] = []

        def read() -> None:
            for look in (lambda: context.object(ids[0]), lambda: person.age):
                try:
                    look()
                except pinview.Error as error:
                    raised.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        assert [type(error) for error in raised] == [pinview.WrongQueueError] * 2


def test_CON_12_theConcurrencyCheckAppliesToWhatWasFound(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    person = context.existing_object(ids[0])
    pinview.set_concurrency_debug(True)
    try:
        for look in (lambda: context.object(ids[0]), lambda: context.existing_object(ids[0]), lambda: person.age):
            with pytest.raises(pinview.WrongQueueError):
                look()
    finally:
        pinview.set_concurrency_debug(False)
    assert context.object(ids[0]) is person and person.age == 20


def test_CTX_02_lookedUpByManyThreadsAtOnce(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    found: list[list[pinview.ManagedObject]] = []

    def work() -> None:
        for _ in range(30):
            found.append([context.existing_object(each) for each in ids])
            assert [person.age for person in found[-1]] == list(range(20, 20 + PERSONS))
            del found[:-40]

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(map(id, each)) for each in found}) == 1


def test_deleteMany(context: pinview.Context, other: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    cars = list(context.fetch("Car"))[:3] + [context.existing_object(each) for each in other.fetch_ids("Car")[:1]]
    context.delete_many(cars)
    assert context.deleted_objects == set(cars)
    with pytest.raises(TypeError):
        context.delete_many([cars[0], "car"])  # type: ignore[list-item]
    cars[0].close()
    with pytest.raises(pinview.InvalidHandleError):
        context.delete_many(cars)


def _statements(lines: list[str]) -> int:
    return sum("SELECT" in line for line in lines)


def test_FET_08_manyObjectsByTheirIDs(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    known = context.existing_object(ids[3])
    lines: list[str] = []
    pinview.set_sql_log(lines.append)
    try:
        people = context.objects([ids[4], ids[3], ids[4], ids[0]])
        assert _statements(lines) == 0
        assert [person.is_fault for person in people] == [True, False, True, True]
        assert people[1] is known and people[0] is people[2] and people[0] is context.object(ids[4])
        assert [person.age for person in people] == [24, 23, 24, 20]
        assert _statements(lines) == 1
    finally:
        pinview.set_sql_log(enabled=False)
    assert context.objects(iter([])) == [] and context.objects(iter(ids[:2])) == [people[3], context.object(ids[1])]


def test_FET_09_manyExistingObjects(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    edited = context.existing_object(ids[5])
    edited.name = "mine"
    lines: list[str] = []
    pinview.set_sql_log(lines.append)
    try:
        people = context.existing_objects([ids[1], ids[5], ids[0], ids[1], *ids])
        assert not any(person.is_fault for person in people)
        assert [person.name for person in people[:4]] == ["dave1", "mine", "dave0", "dave1"]
        assert [person.age for person in people[4:]] == list(range(20, 20 + PERSONS))
        assert people[0] is people[3] and people[1] is edited and people[4] is people[2]
        assert context.existing_objects(()) == []
        assert _statements(lines) == 1
    finally:
        pinview.set_sql_log(enabled=False)
    assert [context.existing_object(each) for each in ids] == people[4:]


def test_FET_10_oneOfManyHasNoRow(context: pinview.Context, other: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    for car in other.fetch("Car"):
        car.owner = None
    other.delete(other.existing_object(ids[1]))
    other.save()
    with pytest.raises(pinview.ObjectNotFoundError) as raised:
        context.existing_objects(ids)
    assert raised.value.affected_objects == (ids[1],)
    assert [person.age for person in context.existing_objects(ids[2:])] == list(range(22, 20 + PERSONS))
    with pytest.raises(TypeError):
        context.objects([ids[0], ids[2].uri])  # type: ignore[list-item]
    closed = next(iter(other.fetch_ids("Car")))
    closed.close()
    for find in (context.objects, context.existing_objects):
        with pytest.raises(pinview.InvalidHandleError):
            find([ids[0], closed])


def test_QG_02_manyObjectsOfAPinnedContext(context: pinview.Context, ids: list[pinview.ObjectID], path: pathlib.Path) -> None:
    context.pin()
    context.count("Car")
    change = "UPDATE ZPERSON SET ZNAME = 'renamed'; DELETE FROM ZPERSON WHERE ZAGE = 21"
    subprocess.run(["sqlite3", str(path), f"PRAGMA foreign_keys = 0; {change}"], check=True)
    assert [person.name for person in context.existing_objects(ids)] == [f"dave{number}" for number in range(PERSONS)]
    context.pin()
    context.refresh_all()
    with pytest.raises(pinview.ObjectNotFoundError):
        context.existing_objects(ids)
    assert {person.name for person in context.existing_objects([ids[0], *ids[2:]])} == {"renamed"}


def test_FET_09_manyAtOnceAndOneByOneAreTheSame(coordinator: pinview.Coordinator, other: pinview.Context) -> None:
    ids = other.fetch_ids("Person") + other.fetch_ids("Car")
    for seed in range(20):
        numbers = random.Random(seed)
        with pinview.Context(coordinator) as together, pinview.Context(coordinator) as alone:
            for _ in range(5):
                chosen = numbers.choices(ids, k=numbers.randrange(12))
                found = [together.existing_objects(chosen), list(map(alone.existing_object, chosen))]
                assert [each.name for each in found[0]] == [each.name for each in found[1]]
                assert [each.object_id for each in found[0]] == chosen
                faults = [together.objects(ids), list(map(alone.object, ids))]
                assert [each.name for each in faults[0]] == [each.name for each in faults[1]]
                edited = numbers.randrange(len(ids))
                for each in faults:
                    each[edited].name = f"n{seed}"
                if numbers.random() < 0.5:
                    del found, faults


def test_QG_02_objectsLookedUpAtGenerationsThatMoveOn(
    coordinator: pinview.Coordinator, other: pinview.Context, ids: list[pinview.ObjectID]
) -> None:
    """An object is read at the generation of its context, and keeps its values while it is kept."""
    people = other.existing_objects(ids)
    first = int(os.environ.get("PINVIEW_SEED", "1"))
    print("PINVIEW_SEED =", first)
    for seed in range(first, first + 8):
        numbers = random.Random(seed)
        newest = [person.values("name", "age") for person in people]
        with pinview.Context(coordinator) as context:
            context.pin()
            pinned: list[tuple[object, ...]] | None = None
            kept: dict[int, pinview.ManagedObject] = {}
            loaded: dict[int, tuple[object, ...]] = {}
            for step in range(200):
                chosen = numbers.randrange(3)  # few, so that each of them is changed and refreshed while it is kept
                action = numbers.choice(["change", "pin", "forget", "refresh", "read", "read", "read"])
                if action == "change":
                    people[chosen].update(name=f"{seed}.{step}", age=step)
                    other.save()
                    newest[chosen] = people[chosen].values("name", "age")
                elif action == "pin":
                    context.pin()
                    pinned = None
                elif action == "forget":
                    kept.pop(chosen, None)
                    loaded.pop(chosen, None)
                elif action == "refresh":
                    context.refresh_all()
                    loaded.clear()
                else:
                    person = kept[chosen] if chosen in kept and numbers.random() < 0.5 else context.existing_object(ids[chosen])
                    # A pinned context takes the newest generation when it first reads the store.
                    if chosen not in loaded:
                        pinned = pinned or list(newest)
                    expected = loaded[chosen] if chosen in loaded else (pinned or newest)[chosen]
                    assert (person.name, person.age) == person.values("name", "age") == expected, (seed, step)
                    if chosen in kept or numbers.random() < 0.4:
                        kept[chosen], loaded[chosen] = person, expected
                    del person


def test_API_valuesByNamesThatAreMadeAtRunTime(context: pinview.Context, ids: list[pinview.ObjectID]) -> None:
    """Names that a program writes are found by their identity, others by what they say."""
    person = context.existing_object(ids[3])
    made = ["".join(letters) for letters in ("name", "age")]
    assert person.values(*made) == person.values("name", "age") == ("dave3", 23)
    assert person.values("age", made[0], made[1], "name") == (23, "dave3", 23, "dave3")
    assert person.values() == ()
    for wrong in ("Name", "".join("nam"), ""):
        with pytest.raises(pinview.UnknownKeyError):
            person.values("name", wrong)
    for nothing in (None, 3, b"name"):
        with pytest.raises((TypeError, pinview.UnknownKeyError)):
            person.values(nothing)  # type: ignore[arg-type]
