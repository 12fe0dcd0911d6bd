"""Further parts of a context: user values, the undo manager, requests, event loops."""

from __future__ import annotations

import asyncio
import gc
import pathlib
import threading
import weakref

import pytest
from conftest import counted_handles

import pinview

# User values and the deprecated lock


def test_API_05_user_info_lives_as_long_as_the_context(coordinator: pinview.Coordinator) -> None:
    class Held:
        pass

    held = Held()
    gone = weakref.ref(held)
    context = pinview.Context(coordinator)
    assert context.user_info == {}
    context.user_info["held"] = held
    assert context.user_info["held"] is held
    person = context.fetch("Person", limit=1)[0]
    assert person.context is context
    del held, person
    context.close()
    gc.collect()
    assert gone() is None


def test_API_05_user_info_outlives_the_python_object(model: pinview.Model) -> None:
    with pinview.Container("People", model) as container:
        container.view_context.user_info["title"] = "people"
        gc.collect()
        assert container.view_context.user_info == {"title": "people"}


def test_API_62_API_63_API_64_the_deprecated_lock(context: pinview.Context) -> None:
    tried: list[bool] = []
    with pytest.warns(DeprecationWarning), pytest.raises(pinview.NotLockedError):
        context.unlock()
    with pytest.warns(DeprecationWarning):
        context.lock()
        assert context.try_lock()
        thread = threading.Thread(target=lambda: tried.append(context.try_lock()))
        thread.start()
        thread.join()
        context.unlock()
        context.unlock()
    assert tried == [False]


# Undo


def test_API_49_UND_01_the_undo_manager_names_and_undoes(context: pinview.Context) -> None:
    person = context.fetch("Person", "name == 'dave0'")[0]
    manager = context.undo_manager
    assert manager is not None
    assert not manager.can_undo
    with manager.group("Rename"):
        person.name = "Dave"
    with manager.group("Birthday"):
        person.age = 50
    assert (manager.undo_action_name, manager.redo_action_name) == ("Birthday", "")
    manager.undo()
    assert (person.age, person.name) == (20, "Dave")
    assert (manager.undo_action_name, manager.redo_action_name) == ("Rename", "Birthday")
    manager.redo()
    assert person.age == 50
    with manager.unrecorded():
        person.age = 60
        assert not manager.is_recording
    assert manager.is_recording
    manager.undo()
    assert person.age == 20
    manager.levels = 2
    assert manager.levels == 2
    manager.remove_all_actions()
    assert not manager.can_undo
    assert not manager.can_redo


def test_UND_09_without_an_undo_manager_nothing_is_recorded(context: pinview.Context, other: pinview.Context) -> None:
    manager = pinview.UndoManager()
    context.undo_manager = manager
    assert context.undo_manager == manager
    other.undo_manager = manager
    assert context.undo_manager is None
    context.fetch("Person", limit=1)[0].age = 1
    context.undo()
    assert context.has_changes


# Requests


def test_API_14_execute_takes_any_request(context: pinview.Context) -> None:
    found = context.execute(pinview.FetchRequest("Person", sort="name", limit=2))
    assert [person.name for person in found] == ["dave0", "dave1"]
    update = pinview.BatchUpdateRequest("Person", {"age": 7}, "name == %@", ["dave0"], result="count")
    assert context.execute(update) == 1


def test_prefetching_takes_one_statement_for_each_relationship(context: pinview.Context) -> None:
    lines: list[str] = []
    with pinview.sql_log(lines.append):
        people = list(context.fetch("Person", sort="name", prefetch=["cars"]))
        owners = list(context.fetch("Car", prefetch=["owner"]))
        before = len(lines)
        assert all(len(person.cars) == 1 for person in people)
        assert {car.owner for car in owners} == set(people)
    assert sum("SELECT" in line for line in lines) == 3
    assert len(lines) == before
    with pytest.raises(pinview.UnknownKeyError):
        context.fetch("Person", prefetch=["wheels"])
    with pytest.raises(TypeError):
        context.fetch("Person", prefetch="cars")


def test_FLT_03_the_faults_of_a_fetch_are_read_in_one_statement(context: pinview.Context) -> None:
    people = list(context.fetch("Person", includes_property_values=False))
    lines: list[str] = []
    with pinview.sql_log(lines.append):
        assert len({person.name for person in people}) == 24
    assert sum("SELECT" in line for line in lines) == 1


@pytest.mark.parametrize("deletes", [True, False])
def test_FLT_14_in_a_pinned_context_no_fault_is_inaccessible(context: pinview.Context, other: pinview.Context, deletes: bool) -> None:
    context.should_delete_inaccessible_faults = deletes
    context.pin()
    people = list(context.fetch("Person", includes_property_values=False, sort="name"))
    for person in other.fetch("Person"):
        other.delete(person)
    other.save()
    assert {person.name for person in people} == {f"dave{number}" for number in range(24)}
    assert context.deleted_objects == set()


def test_FLT_08_FLT_10_an_unpinned_context_has_inaccessible_faults(context: pinview.Context, other: pinview.Context) -> None:
    first, second = context.fetch("Person", includes_property_values=False, limit=2, sort="name")
    for person in other.fetch("Person"):
        other.delete(person)
    other.save()
    assert first.name is None
    assert context.deleted_objects == {first}
    context.should_delete_inaccessible_faults = False
    with pytest.raises(pinview.ObjectNotFoundError):
        second.name  # noqa: B018
    assert context.deleted_objects == {first}


# Event loops


def test_awaiting_a_block_does_not_block_the_loop(context: pinview.Context) -> None:
    async def scene() -> tuple[int, list[str]]:
        seen: list[str] = []

        async def tick() -> None:
            seen.append("tick")
            may_end.set()

        may_end = threading.Event()

        def block() -> int:
            assert may_end.wait(120)
            return context.count("Person")

        counted, _ = await asyncio.gather(context.perform_async(block), tick())
        return counted, seen

    assert asyncio.run(scene()) == (24, ["tick"])


def test_an_exception_of_an_awaited_block_is_raised(context: pinview.Context) -> None:
    async def scene() -> None:
        await context.perform_async(context.fetch, "Nobody")

    with pytest.raises(pinview.UnknownEntityError):
        asyncio.run(scene())


def test_CON_17_an_asyncio_loop_drains_the_main_queue(coordinator: pinview.Coordinator) -> None:
    async def scene() -> list[threading.Thread]:
        with pinview.Context(coordinator, concurrency="main_queue") as view:
            ran_on: list[threading.Thread] = []
            done = asyncio.Event()

            def block() -> None:
                ran_on.append(threading.current_thread())
                done.set()

            with pinview.main_queue.attached():
                # Posted from another thread, so the loop sleeps until the queue's descriptor wakes
                # it.
                await asyncio.to_thread(view.perform, block)
                await asyncio.wait_for(done.wait(), 120)
            ran_on.append(await view.perform_async(threading.current_thread))
            return ran_on

    assert asyncio.run(scene()) == [threading.main_thread()] * 2


def test_CON_17_a_loop_that_waits_runs_what_another_thread_waits_for(coordinator: pinview.Coordinator) -> None:
    async def scene() -> int:
        with pinview.Context(coordinator, concurrency="main_queue") as view, pinview.main_queue.attached():
            return await asyncio.to_thread(view.perform_and_wait, lambda: view.count("Person"))

    assert asyncio.run(scene()) == 24


# Notifications


def test_NOT_05_notifications_come_in_order_to_an_async_for(coordinator: pinview.Coordinator) -> None:
    async def scene() -> list[str]:
        names: list[str] = []
        context, reader = pinview.Context(coordinator), pinview.Context(coordinator)
        with context, reader, context.notifications(pinview.DID_SAVE) as saves:
            for number in range(3):
                context.insert("Person", name=f"new{number}")
                await context.perform_async(context.save)
            async for save in saves:
                names += [reader.existing_object(each).name for each in save.object_ids("inserted")]
                save.close()
                if len(names) == 3:
                    saves.close()
        return names

    assert asyncio.run(scene()) == ["new0", "new1", "new2"]


def test_NOT_13_a_closed_stream_ends(context: pinview.Context) -> None:
    async def scene() -> list[str]:
        stream = context.notifications()
        stream.close()
        context.insert("Person", name="new")
        context.save()
        return [notification.name async for notification in stream]

    assert asyncio.run(scene()) == []


# Reference counts


def test_REF_objects_are_weak_until_they_change(context: pinview.Context) -> None:
    def registered() -> int:
        gc.collect()
        return len(context.registered_objects)

    people = list(context.fetch("Person", sort="name"))
    assert registered() == 24
    before = counted_handles()
    first = people[0]
    del people
    assert registered() == 1  # REF-04: nothing refers to the others
    assert counted_handles() == before  # the block's handle
    first.age = 99
    weak = weakref.ref(first)
    del first
    assert registered() == 1  # REF-05: a change keeps the object alive, but not its Python object
    assert weak() is None
    context.save()
    assert context.undo_manager is not None
    context.undo_manager.remove_all_actions()  # REF-14: undo keeps it alive until then
    assert registered() == 0  # REF-06


def test_REF_07_retained_objects_stay_without_handles(context: pinview.Context) -> None:
    context.retains_registered_objects = True
    before = counted_handles()
    assert len(context.fetch("Person")) == 24
    gc.collect()
    assert (len(context.registered_objects), counted_handles()) == (24, before)
    context.retains_registered_objects = False
    gc.collect()
    assert len(context.registered_objects) == 0


def test_REF_a_python_cycle_over_objects_is_collected(context: pinview.Context) -> None:
    context.fetch("Person", limit=1)[0]  # the context keeps the block for objects that are looked up one by one
    before = counted_handles()
    person = context.fetch("Person", limit=1)[0]
    box: dict[str, object] = {"person": person}
    box["box"] = box
    del person, box
    assert counted_handles() == before
    assert len(context.registered_objects) == 0


def test_REF_10_cycles_of_relationships_are_broken_by_refresh(context: pinview.Context) -> None:
    person = context.fetch("Person", limit=1)[0]
    for car in person.cars:
        assert car.owner == person
    del person, car
    gc.collect()
    assert len(context.registered_objects) == 2  # they refer to each other inside the context
    context.refresh_all()
    gc.collect()
    assert len(context.registered_objects) == 0


# Stores


def test_STO_09_STO_12_STO_13_stores_come_and_go(model: pinview.Model, tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator:
        first, second = coordinator.add_store(tmp_path / "a.sqlite"), coordinator.add_store(tmp_path / "b.sqlite")
        with pinview.Context(coordinator) as context:
            person = context.insert("Person", name="second")
            context.assign(person, second)
            context.insert("Person", name="first")
            context.save()
            assert context.count("Person", stores=[second]) == 1
            coordinator.remove_store(second)
            assert [each.name for each in context.fetch("Person")] == ["first"]
            with pytest.raises(pinview.StoreOperationError):  # DEC-20
                person.name  # noqa: B018
            second.close()
            with coordinator.add_store(tmp_path / "b.sqlite", read_only=True) as again:
                assert again.is_read_only
                assert {each.name for each in context.fetch("Person")} == {"first", "second"}
                context.fetch("Person", "name == 'second'")[0].age = 1
                with pytest.raises(pinview.SaveError):
                    context.save()
        first.close()
