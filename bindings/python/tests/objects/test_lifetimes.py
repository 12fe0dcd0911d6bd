"""When handles are released, and what a child made by fork() may do."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
import textwrap
import weakref

import pytest
from conftest import PERSONS, counted_handles, fill, person_model, settled_handles

import pinview
from pinview._ffi.pending_releases import blocks


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(pathlib.Path(__file__).parents[1]), *sys.path])}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def test_REF_01_REF_04_REF_10_REF_17_theLiveObjectsAreCounted(context: pinview.Context) -> None:
    context.undo_manager = None

    def live() -> tuple[int, int]:
        """The number of objects in the context, and the number of other objects in Python."""
        gc.collect()
        return len(context.registered_objects), sum(
            block.known_object(place) is not None for block in blocks.values() for place in range(block.object_count)
        )

    def load(both_ways: bool) -> None:
        for person in context.fetch("Person"):
            for car in person.cars:
                assert not both_ways or car.owner == person

    load(False)
    _, others = live()  # objects of other tests that are still referred to
    handles = counted_handles()
    assert live() == (0, others)
    load(True)
    assert live() == (2 * PERSONS, others)  # persons and cars keep each other alive, but have no Python objects
    assert counted_handles() == handles
    context.refresh_all()
    assert live() == (0, others)
    held = list(context.fetch("Person"))
    assert live() == (PERSONS, others + PERSONS)
    held.clear()
    for person in context.fetch("Person", limit=5):
        person.name = "renamed"
    del person
    assert live() == (5, others)
    context.save()
    assert live() == (0, others)


def test_REF_01_unreferencedObjectsAreFreed(context: pinview.Context) -> None:
    for person in context.fetch("Person"):
        assert person.name
    del person
    gc.collect()
    assert context.registered_objects == set()


def test_REF_04_changedObjectsStay(context: pinview.Context) -> None:
    context.fetch("Person", predicate="name == 'dave1'")[0].name = "changed"
    gc.collect()
    context.save()
    assert context.count("Person", predicate="name == 'changed'") == 1


def test_REF_03_objectsOutliveTheirContext(coordinator: pinview.Coordinator) -> None:
    context = pinview.Context(coordinator)
    person = context.fetch("Person", limit=1)[0]
    gone = weakref.ref(context)
    del context
    gc.collect()
    assert gone() is None
    assert person.context is None
    assert person.object_id.entity_name == "Person"
    with pytest.raises(pinview.ContextGoneError):
        person.name  # noqa: B018


def test_resultKeepsItsContext(coordinator: pinview.Coordinator) -> None:
    people = pinview.Context(coordinator).fetch("Person", batch_size=5)
    gc.collect()
    assert len([person.name for person in people]) == PERSONS


def test_handlesAreReleased(coordinator: pinview.Coordinator) -> None:
    before = counted_handles()
    for _ in range(20):
        with pinview.Context(coordinator) as context:
            context.pin()
            people = context.fetch("Person", predicate="age > %@", arguments=[3])
            assert len([car.owner.name for person in people for car in person.cars]) == PERSONS
            assert len(list(context.values("Person", ["name"]))) == PERSONS
            for identity in context.fetch_ids("Person"):
                context.object(identity)
            with pytest.raises(pinview.UnknownKeyError):
                context.fetch("Person", predicate="nothing == 3")
            context.perform(lambda: None).result(timeout=120)
            del people, context, identity
    assert settled_handles(before) == before


def test_anyOrderOfClosing(model: pinview.Model, path: pathlib.Path) -> None:
    coordinator = pinview.Coordinator(model)
    store = coordinator.add_store(path)
    context = pinview.Context(coordinator)
    person = context.insert("Person", name="dave")
    token = pinview.CURRENT
    coordinator.close()
    store.close()
    context.save()
    assert person.name == "dave"
    context.close()
    assert token.is_current


def test_closingWhileAResultIsRead(coordinator: pinview.Coordinator) -> None:
    context = pinview.Context(coordinator)
    people = iter(context.fetch("Person", batch_size=5))
    next(people)
    context.close()
    with pytest.raises(pinview.Error):
        for person in people:
            assert person.name


def test_interpreterEndsQuietly(tmp_path: pathlib.Path) -> None:
    result = run(
        """
        import sys, pinview
        from conftest import fill, person_model
        coordinator = pinview.Coordinator(person_model())
        coordinator.add_store(sys.argv[1])
        fill(coordinator)
        context = pinview.Context(coordinator)
        context.pin()
        people = context.fetch("Person")
        first = people[0]
        observer = context.observe(pinview.DID_SAVE, print)
        context.perform(lambda: None)
        cycle = [context]; cycle.append(cycle)
        """,
        str(tmp_path / "store.sqlite"),
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


FORK = """
    import os, sys, pinview, gc
    from conftest import fill, person_model, PERSONS

    def in_child(work):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
"""


def test_aForkedChildCannotUseTheLibrary(tmp_path: pathlib.Path) -> None:
    result = run(
        FORK
        + """
    model = person_model()
    coordinator = pinview.Coordinator(model)
    store = coordinator.add_store(sys.argv[1])
    fill(coordinator)
    context = pinview.Context(coordinator)
    context.pin()
    people = context.fetch("Person", predicate="name == 'dave1'")
    person = people[0]
    token, identity, cars = context.query_generation, person.object_id, person.cars

    def work():
        for call in (
            lambda: context.count("Person"), lambda: person.name, lambda: context.save(), lambda: context.name, lambda: people[0],
            lambda: pinview.Context(coordinator), lambda: store.path, lambda: identity.uri, lambda: identity == identity,
            lambda: bytes(token), lambda: len(cars), lambda: context.perform_and_wait(lambda: None),
        ):
            try:
                call()
            except pinview.ForkedError as error:
                assert "fork" in str(error) and error.code == 105
                continue
            raise AssertionError("the child could use what the parent opened")
        assert all(repr(thing) for thing in (context, coordinator, store, people, person, token, identity, cars, model))
        context.close()
        gc.collect()

    in_child(work)
    assert context.count("Person") == PERSONS
    assert person.name == "dave1"
    """,
        str(tmp_path / "store.sqlite"),
    )
    assert (result.stderr, result.returncode) == ("", 0)


def test_aChildThatWasForkedBeforeTheFirstUseMayUseTheLibrary(tmp_path: pathlib.Path) -> None:
    result = run(
        FORK
        + """
    def work():
        with pinview.Coordinator(person_model()) as coordinator:
            coordinator.add_store(sys.argv[1])
            fill(coordinator)
            with pinview.Context(coordinator) as context:
                context.pin()
                assert context.count("Person") == PERSONS

    in_child(work)
    """,
        str(tmp_path / "store.sqlite"),
    )
    assert (result.stderr, result.returncode) == ("", 0)


def test_twoProcessesOnOneStore(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "store.sqlite"
    with pinview.Coordinator(person_model()) as coordinator:
        coordinator.add_store(path)
        fill(coordinator)
        with pinview.Context(coordinator) as pinned:
            pinned.pin()
            assert pinned.count("Person") == PERSONS
            result = run(
                """
                import sys, pinview
                from conftest import person_model
                with pinview.Coordinator(person_model()) as coordinator:
                    coordinator.add_store(sys.argv[1])
                    with pinview.Context(coordinator) as context:
                        for person in context.fetch("Person", limit=10):
                            context.delete(person)
                        context.save()
                        print(context.count("Person"))
                """,
                str(path),
            )
            assert (result.returncode, result.stderr, result.stdout) == (0, "", f"{PERSONS - 10}\n")
            assert pinned.count("Person") == PERSONS
            assert len([car for car in pinned.fetch("Car") if car.owner is not None]) == PERSONS
            pinned.pin()
            assert pinned.count("Person") == PERSONS - 10


def test_errorsLeaveNothingBehind(context: pinview.Context) -> None:
    from pinview._ffi.calls import ErrorSlot

    def fail() -> None:
        for failing in (
            lambda: pinview.Predicate("n == "),
            lambda: context.fetch("Nobody"),
            lambda: context.insert("Nobody"),
            lambda: context.count("Person", "nothing == 1"),
            lambda: context.object_id("x-coredata://nothing"),
            lambda: context.insert("Person", age="text"),
        ):
            with pytest.raises((pinview.Error, AttributeError, TypeError)):
                failing()

    def slots() -> int:
        gc.collect()
        return sum(isinstance(each, ErrorSlot) for each in gc.get_objects())

    fail()
    before = slots()
    for _ in range(20):
        fail()
    assert slots() == before
