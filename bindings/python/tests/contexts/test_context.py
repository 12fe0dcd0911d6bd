"""Contexts, objects, relationships and requests."""

from __future__ import annotations

import asyncio
import pathlib
import sqlite3
import sys
import threading
from typing import Any, Callable

import pytest
from conftest import PERSONS, fill, person_model

import pinview
from pinview import Attribute, Entity, Relationship
from pinview._ffi import callbacks, calls, library, registry


def dave(context: pinview.Context, number: int) -> pinview.ManagedObject:
    return context.fetch("Person", predicate="name == %@", arguments=[f"dave{number}"])[0]


# Objects


def test_CTX_02_oneObjectForOneRow(context: pinview.Context) -> None:
    person = dave(context, 3)
    (car,) = person.cars
    assert car.owner is person
    assert context.object(person.object_id) is person
    assert dave(context, 3) is person


def test_CTX_03_twoContextsTwoObjects(context: pinview.Context, other: pinview.Context) -> None:
    mine, theirs = dave(context, 3), dave(other, 3)
    assert mine is not theirs
    assert mine != theirs
    assert mine.object_id == theirs.object_id
    assert hash(mine.object_id) == hash(theirs.object_id)
    assert (mine.context, theirs.context) == (context, other)
    assert mine.context is context


def test_CTX_06_CTX_07_identity(context: pinview.Context, coordinator: pinview.Coordinator) -> None:
    person = context.insert("Person", name="new")
    assert person.object_id.is_temporary
    context.save()
    identity = person.object_id
    assert not identity.is_temporary
    assert identity.entity_name == "Person"
    assert identity.uri.startswith("x-coredata://") and "/Person/p" in identity.uri
    assert coordinator.object_id(identity.uri) == identity
    assert coordinator.object_id("x-coredata://00000000-0000-4000-8000-000000000000/Person/p1") is None


def test_CTX_10_to_13_pendingChanges(context: pinview.Context) -> None:
    inserted, updated, deleted = context.insert("Person"), dave(context, 1), dave(context, 2)
    (car,) = deleted.cars
    updated.age = 99
    context.delete(deleted)
    context.process_pending_changes()  # the delete rule changes the car too
    assert (context.inserted_objects, context.updated_objects) == ({inserted}, {updated, car})
    assert deleted in context.deleted_objects
    assert (inserted.is_inserted, updated.is_updated, deleted.is_deleted) == (True, True, True)
    assert updated.committed_values(["age"]) == {"age": 21}
    assert context.has_changes
    context.save()
    assert not context.has_changes
    assert context.inserted_objects == context.updated_objects == context.deleted_objects == set()


def test_CTX_14_rollback(context: pinview.Context) -> None:
    person = dave(context, 1)
    person.name = "changed"
    context.insert("Person")
    context.rollback()
    assert person.name == "dave1"
    assert not context.has_changes
    assert context.count("Person") == PERSONS


def test_CTX_21_settings(context: pinview.Context) -> None:
    assert (context.name, context.transaction_author, context.merge_policy) == (None, None, pinview.MergePolicy.ERROR)
    assert context.concurrency is pinview.Concurrency.PRIVATE_QUEUE
    assert not context.retains_registered_objects
    assert context.should_delete_inaccessible_faults
    assert context.propagates_deletes_at_end_of_event
    assert context.staleness_interval < 0
    assert not context.automatically_merges_changes_from_parent
    context.name = "a name"
    context.transaction_author = "an author"
    context.merge_policy = pinview.MergePolicy.OVERWRITE
    context.staleness_interval = 2.5
    context.retains_registered_objects = True
    context.should_delete_inaccessible_faults = False
    context.propagates_deletes_at_end_of_event = False
    context.automatically_merges_changes_from_parent = True
    assert (context.name, context.transaction_author, context.merge_policy) == ("a name", "an author", pinview.MergePolicy.OVERWRITE)
    assert context.staleness_interval == 2.5
    assert context.retains_registered_objects and context.automatically_merges_changes_from_parent
    assert not context.should_delete_inaccessible_faults and not context.propagates_deletes_at_end_of_event
    context.name = None
    assert context.name is None
    assert "Context" in repr(context)


def test_FLT_01_FLT_04_stateDoesNotFire(context: pinview.Context) -> None:
    person = dave(context, 1)
    assert person.is_fault
    assert "Person" in repr(person)
    assert person.entity.name == "Person"
    assert person.is_fault
    assert person.name == "dave1"
    assert not person.is_fault


def test_FLT_08_anInaccessibleFaultReadsAsEmpty(context: pinview.Context, other: pinview.Context) -> None:
    (person,) = context.fetch("Person", predicate="name == 'dave1'")
    context.refresh(person, merge_changes=False)
    other.delete(dave(other, 1))
    other.save()
    assert person.name is None
    assert person.is_deleted
    assert len(person.cars) == 0


def test_reprNeverFails(context: pinview.Context) -> None:
    person = dave(context, 1)
    result = context.fetch("Person")
    predicate = pinview.Predicate("age > 3")
    things: list[Any] = [
        person,
        person.cars,
        person.object_id,
        person.entity,
        context,
        context.coordinator,
        result,
        pinview.CURRENT,
        predicate,
    ]
    assert all(repr(thing) for thing in things)
    context.close()
    predicate.close()
    assert all(repr(thing) for thing in things)


def test_attributesByItem(context: pinview.Context) -> None:
    person = dave(context, 1)
    person["name"] = "changed"
    assert person["name"] == person.name == "changed"
    assert set(dir(person)) >= {"name", "age", "cars"}
    assert person.values("name", "age") == ("changed", 21)


def test_propertiesNamedLikeMethods(tmp_path: pathlib.Path) -> None:
    model = pinview.Model([Entity("Thing", attributes=[Attribute("context", "string")])])
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store()
        with pinview.Context(coordinator) as context:
            thing = context.insert("Thing", context="the attribute")
            assert thing["context"] == "the attribute"
            assert thing.context is context
            with pytest.raises(AttributeError):
                thing.context = "no"


# Relationships


def test_REL_toManyIsALiveSet(context: pinview.Context) -> None:
    person, other_person = dave(context, 1), dave(context, 2)
    cars = person.cars
    (car,) = cars
    assert car in cars and len(cars) == 1 and cars == {car}
    new = context.insert("Car", name="new")
    cars.add(new)
    assert new.owner is person
    assert person.cars == {car, new}
    new.owner = other_person
    assert cars == {car}
    cars.discard(new)
    with pytest.raises(KeyError):
        cars.remove(new)
    assert other_person.cars >= {new}
    cars |= {new}
    assert new.owner is person
    cars.clear()
    assert not person.cars
    assert car.owner is None
    person.cars = [car, new]
    assert {each.name for each in person.cars} == {"car1", "new"}
    person.cars = None
    assert len(person.cars) == 0


def test_REL_orderedToManyIsALiveList(tmp_path: pathlib.Path) -> None:
    model = pinview.Model(
        [
            Entity("List", relationships=[Relationship("items", "Item", inverse="list", to_many=True, ordered=True)]),
            Entity("Item", attributes=[Attribute("name", "string")], relationships=[Relationship("list", "List", inverse="items")]),
        ]
    )
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "lists.sqlite")
        with pinview.Context(coordinator) as context:
            a, b, c, d = (context.insert("Item", name=name) for name in "abcd")
            items = context.insert("List", items=[c, a, b]).items

            def text() -> str:
                return "".join(item.name for item in items)

            assert text() == "cab"
            items.insert(1, d)
            assert text() == "cdab"
            assert (items[0], items[-1], items[1:3]) == (c, b, [d, a])
            assert items.index(a) == 2
            del items[0]
            assert text() == "dab"
            items.append(c)
            items[0] = b
            assert text() == "bac"
            items.reverse()
            assert text() == "cab"
            with pytest.raises(IndexError):
                items[3]
            context.save()
            context.refresh(context.fetch("List")[0], merge_changes=False)
            assert text() == "cab"
            assert items == [c, a, b]


# Requests


def test_FET_12_sorting(context: pinview.Context) -> None:
    ages = [person.age for person in context.fetch("Person", sort=["-age"], limit=3)]
    assert ages == [43, 42, 41]
    people = context.fetch("Person", sort=[pinview.Sort("name", comparator="case_insensitive"), "-age"], offset=1, limit=2)
    assert [person.name for person in people] == ["dave1", "dave10"]


def test_FET_21_idsAndCounts(context: pinview.Context) -> None:
    ids = context.fetch_ids("Person", sort=["age"], limit=2)
    assert [context.object(identity).name for identity in ids] == ["dave0", "dave1"]
    assert context.count("Person", limit=5) == 5
    context.insert("Person")
    assert context.count("Person") == PERSONS + 1
    assert context.count("Person", includes_pending_changes=False) == PERSONS


def test_predicatesCanBeReused(context: pinview.Context) -> None:
    named = pinview.Predicate("name == $NAME AND age > %@", [3])
    assert [person.age for person in context.fetch("Person", named.substitute(NAME="dave7"))] == [27]
    assert context.count("Person", named.substitute(NAME="nobody")) == 0
    assert named == pinview.Predicate("name == $NAME AND age > 3")
    assert len({named, pinview.Predicate(str(named))}) == 1
    with pytest.raises(pinview.PredicateError):
        context.fetch("Person", named, ["an argument"])
    with pytest.raises(pinview.PredicateError):
        context.fetch("Person", named)


def test_resultIsASequence(context: pinview.Context) -> None:
    people = context.fetch("Person", sort=["age"])
    assert len(people) == PERSONS
    assert people[0].name == "dave0" and people[-1].name == f"dave{PERSONS - 1}"
    assert [person.name for person in people[2:4]] == ["dave2", "dave3"]
    assert [person.age for person in reversed(people)] == list(range(43, 19, -1))
    assert people[5] in people
    assert people.index(people[5]) == 5
    assert bool(people)
    assert not context.fetch("Person", predicate="FALSEPREDICATE")
    with pytest.raises(IndexError):
        people[PERSONS]
    with pytest.raises(TypeError):
        people["first"]  # type: ignore[call-overload]


def test_resultsLongerThanABlock(empty: pinview.Coordinator) -> None:
    fill(empty, 3000)
    with pinview.Context(empty) as context:
        people = context.fetch("Person", sort=["age"])
        assert [person.age for person in people] == list(range(20, 3020))
        assert people.values("age")[2999] == (3019,)


def test_bulkValues(context: pinview.Context) -> None:
    rows = context.values("Person", ["name", "age"], sort=["age"], limit=3)
    assert list(rows) == [("dave0", 20), ("dave1", 21), ("dave2", 22)]
    assert rows.column("age") == [20, 21, 22]
    assert context.fetch("Person", sort=["age"]).values("age")[:2] == [(20,), (21,)]
    changed = dave(context, 0)
    changed.name = "pending"
    assert next(iter(context.values("Person", ["name"], sort=["age"]))) == ("pending",)


def test_bulkValuesOfRelationships(context: pinview.Context) -> None:
    rows = context.values("Car", ["name", "owner"], predicate="name == 'car1'")
    ((name, owner),) = rows
    assert (name, owner) == ("car1", dave(context, 1).object_id)


def test_pagesOfABatchedFetch(context: pinview.Context) -> None:
    people = context.fetch("Person", sort=["age"], batch_size=10)
    assert [person.age for person in people] == list(range(20, 44))


def test_BAT_01_to_03_batchUpdate(context: pinview.Context) -> None:
    assert context.batch_update("Person", {"age": 1}, predicate="age < 30") is None
    assert context.batch_update("Person", {"age": 2, "name": "x"}, predicate="age == 1", result=pinview.BatchResult.COUNT) == 10
    ids = context.batch_update("Person", {"age": 3}, predicate="name == 'x'", result=pinview.BatchResult.OBJECT_IDS)
    assert {context.object(identity).age for identity in ids} == {3}
    with pytest.raises(pinview.UnknownKeyError):
        context.batch_update("Person", {"wings": 2})
    with pytest.raises(pinview.WrongTypeError):
        context.batch_update("Person", {"age": "old"})


def test_RFR_03_refresh(context: pinview.Context, other: pinview.Context) -> None:
    mine, theirs = dave(context, 1), dave(other, 1)
    assert mine.name == "dave1"
    mine.age = 1
    theirs.name, theirs.age = "theirs", 2
    other.save()
    context.refresh(mine, merge_changes=True)
    assert (mine.name, mine.age) == ("theirs", 1)
    context.save()


def test_SAV_mergePolicies(context: pinview.Context, other: pinview.Context) -> None:
    for policy, expected in (("merge_by_property_store_trump", "theirs"), (pinview.MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP, "mine")):
        context.merge_policy = policy  # type: ignore[assignment]
        mine, theirs = dave(context, 1), dave(other, 1)
        mine.name, theirs.name = "mine", "theirs"
        other.save()
        context.save()
        context.refresh_all()
        assert mine.name == expected
        mine.name = "dave1"
        context.save()
        other.refresh_all()


def test_UND_undoAndRedo(context: pinview.Context) -> None:
    person = dave(context, 1)
    context.perform_and_wait(lambda: setattr(person, "name", "changed"))
    context.undo()
    assert person.name == "dave1"
    assert not context.has_changes
    context.redo()
    assert person.name == "changed"


def test_UND_groupsLevelsAndSwitch(context: pinview.Context) -> None:
    person = dave(context, 1)

    def work() -> None:
        person.name = "first"
        with context.undo_group():
            person.name = "second"

    context.perform_and_wait(work)
    context.undo()
    assert person.name in ("first", "dave1")
    context.remove_all_undo_actions()
    before = person.name
    context.undo()
    assert person.name == before
    context.set_undo_levels(3)
    context.set_undo_enabled(False)
    person.name = "not recorded"
    context.undo()
    assert person.name == "not recorded"
    context.rollback()


# Queues


def test_CON_performAndWaitGivesTheResult(context: pinview.Context) -> None:
    assert context.perform_and_wait(lambda: context.count("Person")) == PERSONS
    assert context.perform_and_wait(lambda a, b: a + b, 2, 3) == 5
    assert context.perform_and_wait(lambda: context.perform_and_wait(lambda: "inner")) == "inner"


class ProgramError(Exception):
    pass


def test_CON_exceptionsOfBlocksAreRaisedUnchanged(context: pinview.Context) -> None:
    error = ProgramError("mine")

    def fail() -> None:
        raise error

    with pytest.raises(ProgramError) as caught:
        context.perform_and_wait(fail)
    assert caught.value is error
    with pytest.raises(ProgramError):
        context.perform(fail).result(timeout=120)
    with pytest.raises(KeyboardInterrupt):
        context.perform_and_wait(lambda: (_ for _ in ()).throw(KeyboardInterrupt()))
    with pytest.raises(pinview.UnknownEntityError):
        context.perform_and_wait(lambda: context.count("Nobody"))
    assert context.count("Person") == PERSONS


def test_CON_performRunsLaterOnAnotherThread(context: pinview.Context) -> None:
    futures = [context.perform(lambda: (threading.get_ident(), context.count("Person"))) for _ in range(5)]
    results = [future.result(timeout=120) for future in futures]
    assert {count for _, count in results} == {PERSONS}
    assert threading.get_ident() not in {thread for thread, _ in results}


def test_CON_performAwaited(context: pinview.Context) -> None:
    async def program() -> int:
        return await asyncio.wrap_future(context.perform(lambda: context.count("Person")))

    assert asyncio.run(program()) == PERSONS


def test_CON_mainQueueIsDrained(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator, concurrency="main_queue") as context:
        future = context.perform(lambda: threading.get_ident())
        assert not future.done()
        assert pinview.main_queue.drain() == 1
        assert future.result(timeout=0) == threading.get_ident()
        assert pinview.main_queue.fileno() >= 0


def test_CON_mainQueueRunsUntilACondition(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator, concurrency="main_queue") as context:
        futures: list[Any] = []
        thread = threading.Thread(target=lambda: futures.append(context.perform(lambda: context.count("Person"))))
        thread.start()
        pinview.main_queue.run_until(lambda: bool(futures) and futures[0].done())
        thread.join()
        assert futures[0].result(timeout=0) == PERSONS


def test_ONE_07_notificationsOfMainQueueContextsComeOnTheMainThread(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    told: list[bool] = []
    with pinview.Context(coordinator, concurrency="main_queue") as view:
        shown = dave(view, 0)
        assert shown.age == 20

        def work() -> None:
            dave(context, 0).age = 66
            context.save()

        def note(_: pinview.Notification) -> None:
            told.append(threading.current_thread() is threading.main_thread())

        with context.observe(pinview.DID_SAVE, view.merge_changes), view.observe(pinview.OBJECTS_DID_CHANGE, note):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            assert shown.age == 20 and not told
            assert pinview.main_queue.drain() == 1
        assert shown.age == 66 and told == [True]


def test_ONE_08_a_circle_of_waiting_threads_is_an_error(coordinator: pinview.Coordinator) -> None:
    contexts = [pinview.Context(coordinator) for _ in range(2)]
    both_are_inside = threading.Barrier(2)
    errors: list[BaseException] = []

    def inside(number: int) -> None:
        both_are_inside.wait(60)
        contexts[1 - number].perform_and_wait(lambda: None)

    def work(number: int) -> None:
        try:
            contexts[number].perform_and_wait(inside, number)
        except pinview.DeadlockError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert [error.code for error in errors if isinstance(error, pinview.DeadlockError)] == [110]
    for context in contexts:
        context.close()


def test_ONE_08_contextsMergeEachOthersSaves(coordinator: pinview.Coordinator) -> None:
    both_have_saved = threading.Barrier(2)
    contexts = [pinview.Context(coordinator) for _ in range(2)]
    failures: list[BaseException] = []

    def merger(receiver: pinview.Context) -> Callable[[pinview.Notification], None]:
        def merge(did_save: pinview.Notification) -> None:
            both_have_saved.wait(60)
            receiver.merge_changes(did_save)

        return merge

    def save(number: int) -> None:
        try:
            dave(contexts[number], number).age = 66
            contexts[number].save()
        except BaseException as error:
            failures.append(error)

    theirs = [dave(context, 1 - number) for number, context in enumerate(contexts)]
    assert [person.age for person in theirs] == [21, 20]
    with contexts[0].observe(pinview.DID_SAVE, merger(contexts[1])), contexts[1].observe(pinview.DID_SAVE, merger(contexts[0])):
        threads = [threading.Thread(target=save, args=(number,), daemon=True) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
    assert not failures
    for number, context in enumerate(contexts):
        context.perform_and_wait(lambda: None)  # runs after the deferred merge
        assert theirs[number].age == 66
        context.close()


def test_CON_theMainQueueIsForTheMainThread() -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            pinview.main_queue.drain()
        except pinview.WrongQueueError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_CON_concurrencyDebug(context: pinview.Context) -> None:
    pinview.set_concurrency_debug(True)
    try:
        with pytest.raises(pinview.WrongQueueError):
            context.count("Person")
        assert context.perform_and_wait(lambda: context.count("Person")) == PERSONS
    finally:
        pinview.set_concurrency_debug(False)


def test_CON_confinementContext(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator, concurrency="confinement") as confined:
        assert confined.count("Person") == PERSONS
        with pytest.raises(pinview.ConfinementError):
            confined.perform(lambda: None)
        with pytest.raises(pinview.ConfinementError):
            pinview.Context(parent=confined)


def test_CON_manyThreads(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as shared:

        def work(number: int) -> None:
            for _ in range(20):
                dave(shared, number).age += 1
            with pinview.Context(coordinator) as own:
                own.pin()
                assert own.count("Person") == PERSONS

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [dave(shared, number).age for number in range(6)] == [20 + number + 20 for number in range(6)]


# Notifications


def test_NOT_didSaveNamesTheObjects(context: pinview.Context, other: pinview.Context) -> None:
    seen: list[tuple[str, Any, Any, Any]] = []

    def note(notification: pinview.Notification) -> None:
        seen.append((notification.name, notification.context, set(notification.inserted_objects), set(notification.updated_objects)))

    with context.observe(pinview.DID_SAVE, note):
        inserted = context.insert("Person", name="new")
        updated = dave(context, 1)
        updated.age = 5
        context.save()
        other.insert("Person")
        other.save()
    context.insert("Person")
    context.save()
    assert seen == [(pinview.DID_SAVE, context, {inserted}, {updated})]


def test_NOT_willSaveAndDidChange(context: pinview.Context) -> None:
    names: list[str] = []
    observers = [
        pinview.observe(name, lambda n: names.append(n.name)) for name in (pinview.WILL_SAVE, pinview.OBJECTS_DID_CHANGE, pinview.DID_SAVE)
    ]
    context.perform_and_wait(lambda: context.insert("Person"))
    context.save()
    for observer in observers:
        observer.close()
    assert names == [pinview.OBJECTS_DID_CHANGE, pinview.WILL_SAVE, pinview.DID_SAVE]


def test_NOT_exceptionsOfObserversAreRaised(context: pinview.Context) -> None:
    def fail(_: pinview.Notification) -> None:
        raise ProgramError("observer")

    with context.observe(pinview.DID_SAVE, fail):
        context.insert("Person")
        with pytest.raises(ProgramError, match="observer"):
            context.save()
    assert not context.has_changes
    assert context.count("Person") == PERSONS + 1


def test_NOT_anObserverThatRaisesLeavesTheOthersAlone(context: pinview.Context) -> None:
    told: list[str] = []

    def fail(notification: pinview.Notification) -> None:
        told.append("first")
        raise ProgramError("observer")

    def listen(notification: pinview.Notification) -> None:
        told.append(f"second of {notification.context.count('Person')}" if notification.context else "")

    with context.observe(pinview.DID_SAVE, fail), context.observe(pinview.DID_SAVE, listen):
        context.insert("Person")
        with pytest.raises(ProgramError, match="observer"):
            context.save()
    assert told == ["first", f"second of {PERSONS + 1}"]


def test_NOT_exceptionsAtTheEndOfABlockAreRaisedByIt(context: pinview.Context) -> None:
    def fail(_: pinview.Notification) -> None:
        raise ProgramError("observer")

    with context.observe(pinview.OBJECTS_DID_CHANGE, fail):
        with pytest.raises(ProgramError, match="observer"):
            context.perform_and_wait(lambda: context.insert("Person"))
        with pytest.raises(ProgramError, match="observer"):
            context.perform(lambda: context.insert("Person")).result(timeout=120)


def test_NOT_exceptionsOfMergingAreRaisedByTheSave(context: pinview.Context, other: pinview.Context) -> None:
    def fail(_: pinview.Notification) -> None:
        raise ProgramError("observer")

    context.automatically_merges_changes_from_parent = True
    person = dave(context, 1)
    assert person.name == "dave1"
    with context.observe(pinview.OBJECTS_DID_CHANGE, fail):
        dave(other, 1).name = "theirs"
        with pytest.raises(ProgramError, match="observer"):
            other.save()
    assert person.name == "theirs"


def test_NOT_exceptionsNobodyCanCatchAreReported(context: pinview.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notification is posted on a thread of the library after the block, so there is no Python
    call to raise from.
    """
    reported: list[Any] = []
    told = threading.Event()

    def report(unraisable: Any) -> None:
        reported.append((unraisable.exc_type, str(unraisable.exc_value)))
        told.set()

    monkeypatch.setattr(sys, "unraisablehook", report)

    def fail(_: pinview.Notification) -> None:
        raise ProgramError("nobody listens")

    with context.observe(pinview.OBJECTS_DID_CHANGE, fail):
        block = callbacks.LaterBlock(lambda: context.insert("Person"), ())
        number = registry.register(block)
        calls.call(library.functions.pinview_context_perform, context.handle, callbacks.run_block, number, registry.free)
        assert told.wait(timeout=120)
        context.perform_and_wait(lambda: None)
        block.future.result().object_id  # noqa: B018
    assert reported == [(ProgramError, "nobody listens")]


def test_NOT_idsAndTokenOfANotification(context: pinview.Context, other: pinview.Context) -> None:
    other.pin()
    other.count("Person")
    seen: list[Any] = []

    def note(notification: pinview.Notification) -> None:
        seen.append((notification.object_ids("inserted"), notification.object_ids("deleted")))
        context.pin(notification.query_generation)

    with pinview.observe(pinview.DID_SAVE, note, context=other):
        inserted = other.insert("Person", name="new")
        other.save()
    assert seen == [([inserted.object_id], [])]
    assert context.count("Person") == PERSONS + 1


def test_MRG_remoteChanges(context: pinview.Context, other: pinview.Context) -> None:
    person = dave(context, 1)
    assert person.name == "dave1"
    theirs = dave(other, 1)
    theirs.name = "theirs"
    other.save()
    pinview.merge_remote_changes({"updated": [theirs.object_id]}, [context])
    assert person.name == "theirs"
    theirs.name = "again"
    other.save()
    pinview.merge_remote_changes({"updated": [theirs.object_id.uri]}, [context])
    assert person.name == "again"
    with pytest.raises(pinview.InvalidArgumentError):
        pinview.merge_remote_changes({"renamed": []}, [context])


def test_MRG_automatic(context: pinview.Context, other: pinview.Context) -> None:
    context.automatically_merges_changes_from_parent = True
    person = dave(context, 1)
    assert person.name == "dave1"
    dave(other, 1).name = "theirs"
    other.save()
    context.perform_and_wait(lambda: None)
    assert person.name == "theirs"


# Coordinators, stores, the log


def test_STO_propertiesOfAStore(coordinator: pinview.Coordinator, path: pathlib.Path) -> None:
    (store,) = coordinator.stores
    assert store.path == str(path)
    assert store.type == "SQLite"
    assert len(store.identifier) == 36
    assert store.supports_query_generations and store.journal_mode == "wal"
    assert not store.is_read_only
    assert store.journal_size > 0
    assert store.checkpoint()
    assert store.journal_size == 0
    assert coordinator.model == person_model()
    assert pinview.Coordinator.model_of_store(path) == person_model()


def test_STO_04_journalMode(model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator:
        assert coordinator.add_store(path, journal_mode="delete").journal_mode == "delete"


def test_STO_13_removedStore(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    person = dave(context, 1)
    (store,) = coordinator.stores
    coordinator.remove_store(store)
    assert coordinator.stores == ()
    with pytest.raises(pinview.Error):
        person.name  # noqa: B018
    with pytest.raises(pinview.UnknownStoreError):
        coordinator.remove_store(store)


def test_STO_16_dataPersists(model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            person = context.insert("Person", name="dave")
            context.save()
            uri = person.object_id.uri
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        identity = coordinator.object_id(uri)
        assert identity is not None
        with pinview.Context(coordinator) as context:
            assert context.existing_object(identity).name == "dave"
    reader = sqlite3.connect(path)
    assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    reader.close()


def test_modelDescribesItself(model: pinview.Model) -> None:
    assert [entity.name for entity in model.entities] == ["Car", "Person"]
    person = model.entity("Person")
    assert {name: prop.type for name, prop in person.attributes.items()} == {"name": "string", "age": "integer64"}
    assert list(person.relationships) == ["cars"]
    cars = person.properties["cars"]
    assert (cars.destination, cars.inverse, cars.to_many, cars.ordered, cars.delete_rule) == ("Car", "owner", True, False, "nullify")
    assert "Person" in model and "Nobody" not in model
    with pytest.raises(pinview.UnknownEntityError):
        model.entity("Nobody")


def test_childContextSavesIntoItsParent(context: pinview.Context) -> None:
    with pinview.Context(parent=context) as child:
        assert child.parent is context
        dave(child, 1).name = "child"
        assert dave(context, 1).name == "dave1"
        child.save()
    assert context.has_changes
    assert context.count("Person", predicate="name == 'child'") == 1


def test_exceptionsOfTheLogHandlerAreRaised(context: pinview.Context) -> None:
    def fail(_: str) -> None:
        raise ProgramError("log")

    with pinview.sql_log(fail), pytest.raises(ProgramError, match="log"):
        context.count("Person")
    assert context.count("Person") == PERSONS


def test_theLogIsSwitched() -> None:
    assert not pinview.is_sql_log_enabled()
    with pinview.sql_log(lambda line: None):
        assert pinview.is_sql_log_enabled()
    assert not pinview.is_sql_log_enabled()


def test_versionsAndFeatures() -> None:
    assert pinview.__version__ == pinview.library_version()
    assert tuple(int(part) for part in pinview.sqlite_version().split(".")) >= (3, 37)
    assert pinview.has_feature("query-generations")
    assert not pinview.has_feature("time travel")


def test_containerRunsBackgroundTasks(tmp_path: pathlib.Path) -> None:
    with pinview.Container("People", person_model(), tmp_path / "people.sqlite") as container:
        container.load_stores()

        def task(context: pinview.Context) -> int:
            context.insert("Person", name="from the background")
            context.save()
            return context.count("Person")

        assert container.perform_background_task(task).result(timeout=120) == 1
        assert container.view_context.count("Person") == 1
        assert container.view_context.concurrency is pinview.Concurrency.MAIN_QUEUE
        assert container.view_context is container.view_context
        assert container.coordinator is container.view_context.coordinator
        assert container.name == "People"


def test_manyObjects_inOneCall(empty: pinview.Coordinator) -> None:
    with pinview.Context(empty) as context:
        persons = context.insert_many("Person", {"name": ["Dave", None, "Zoë"], "age": [41, 7, 36]})
        cars = context.insert_many("Car", {"name": ["Mini", "Kitt"], "owner": [persons[2], None]})
        assert [(person.name, person.age, person.is_inserted) for person in persons] == [
            ("Dave", 41, True),
            (None, 7, True),
            ("Zoë", 36, True),
        ]
        assert [car.owner for car in cars] == [persons[2], None]
        context.save()
        assert sorted(context.values("Person", ["age"])) == [(7,), (36,), (41,)]

        context.delete_many(person for person in persons if person.age > 10)
        context.delete_many([])
        context.save()
        assert [person.age for person in context.fetch("Person")] == [7]
        assert context.count("Car", "owner == NULL") == 2


def test_manyObjects_rejected_insertNothing(empty: pinview.Coordinator) -> None:
    with pinview.Context(empty) as context:
        for entity, columns, kind in (
            ("Person", {"name": ["a", "b"], "age": [1, "old"]}, TypeError),
            ("Person", {"name": ["a", "b"], "size": [1, 2]}, AttributeError),
            ("Person", {"name": ["a", "b"], "age": [1]}, ValueError),
            ("Boat", {"name": ["a"]}, LookupError),
        ):
            with pytest.raises(kind):
                context.insert_many(entity, columns)
        with pytest.raises(TypeError):
            context.delete_many([None])  # type: ignore[list-item]
        assert not context.has_changes
        assert len(context.insert_many("Person", {})) == 0


def test_theContextOfAnObjectIsFoundWithoutAskingAllContexts(coordinator: pinview.Coordinator, monkeypatch: pytest.MonkeyPatch) -> None:
    contexts = [pinview.Context(coordinator) for _ in range(20)]
    person = contexts[-1].insert("Person")
    compared: list[int | None] = []
    is_equal = library.functions.pinview_context_is_equal

    def counting(left: int | None, right: int | None) -> int:
        compared.append(left)
        return is_equal(left, right)

    monkeypatch.setattr(library.functions, "pinview_context_is_equal", counting)

    assert person.context is contexts[-1]
    assert len(compared) <= 1


def test_insertingIntoAnOrderedRelationshipReadsNoMembers(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    model = pinview.Model(
        [
            Entity("List", relationships=[Relationship("items", "Item", inverse="list", to_many=True, ordered=True)]),
            Entity("Item", relationships=[Relationship("list", "List", inverse="items")]),
        ]
    )
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "lists.sqlite")
        target, items = context.insert("List"), [context.insert("Item") for _ in range(4)]

        with monkeypatch.context() as patch:
            patch.setattr(pinview.ManagedObject, "_members", None)
            target.items.append(items[0])
            target.items.append(items[1])
            target.items.insert(-1, items[2])
            target.items.insert(-9, items[3])
            target.items.append(items[3])

        assert list(target.items) == [items[0], items[2], items[1], items[3]]
