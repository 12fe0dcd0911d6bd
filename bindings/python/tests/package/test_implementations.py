"""Both implementations of the hot paths, in C and in Python, behave alike (REF-01, REF-04, FLT-01,
CTX-02, STO-19).
"""

from __future__ import annotations

import copy
import datetime
import gc
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PERSONS, fill, person_model

import pinview
from pinview import Attribute, Entity, Relationship
from pinview._ffi.implementation import accelerator
from pinview._ffi.pending_releases import blocks

in_c = pytest.mark.skipif(accelerator is None, reason="of the accelerator")


def run(code: str, implementation: str | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in another process."""
    environment = {name: value for name, value in os.environ.items() if name != "PINVIEW_IMPLEMENTATION"}
    if implementation is not None:
        environment["PINVIEW_IMPLEMENTATION"] = implementation
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)


# Choosing the implementation


def test_thePackageReportsItsImplementation() -> None:
    assert pinview.implementation == os.environ.get("PINVIEW_IMPLEMENTATION", "c")


@pytest.mark.parametrize("wanted", ["c", "python"])
def test_theEnvironmentChooses(wanted: str) -> None:
    if wanted == "c" and accelerator is None and "PINVIEW_IMPLEMENTATION" not in os.environ:
        pytest.skip("the accelerator is not installed")
    ended = run("import pinview; print(pinview.implementation)", wanted)
    assert (ended.stdout, ended.stderr) == (f"{wanted}\n", "")


def test_anUnknownImplementationIsAnError() -> None:
    ended = run("import pinview", "fortran")
    assert "PINVIEW_IMPLEMENTATION is 'fortran'; expected c or python, or leave it unset." in ended.stderr


def test_withoutTheAcceleratorPythonIsUsed() -> None:
    ended = run("import sys; sys.modules['pinview._accelerator'] = None; import pinview; print(pinview.implementation)", None)
    assert (ended.stdout, ended.stderr) == ("python\n", "")


def test_demandingAMissingAcceleratorIsAnError() -> None:
    ended = run("import sys; sys.modules['pinview._accelerator'] = None; import pinview", "c")
    assert "PINVIEW_IMPLEMENTATION is c, but the accelerator cannot be used" in ended.stderr


def test_otherImplementationsOfPythonAreToldAtTheImport() -> None:
    ended = run("import sys; sys.implementation.name = 'pypy'; import pinview", None)
    assert "ImportError: pinview needs CPython, and this is pypy" in ended.stderr


# Both have the same results

WALK = """
import datetime, decimal, gc, sys, uuid
import pinview
from pinview import Attribute, Entity, Relationship

kinds = ("integer16", "integer32", "integer64", "double", "float", "boolean", "string", "uri", "date", "decimal", "binaryData", "uuid")
model = pinview.Model([
    Entity("Thing", [Attribute(kind, kind) for kind in kinds], relationships=[
        Relationship("next", "Thing", inverse="former"), Relationship("former", "Thing", inverse="next"),
        Relationship("parts", "Part", inverse="thing", to_many=True)]),
    Entity("Part", [Attribute("name", "string")], relationships=[Relationship("thing", "Thing", inverse="parts")]),
])
samples = [
    {}, dict(integer16=-7, integer32=8, integer64=-2**63, double=0.1, float=0.1, boolean=True, string="a\\0b é 🦉", uri="x:y",
             date=datetime.datetime(2024, 2, 29, 12, 30, 15, 250000, datetime.timezone.utc), decimal=decimal.Decimal("1.50"),
             binaryData=b"\\0\\xff", uuid=uuid.UUID(int=5)),
    dict(integer64=2**63 - 1, string="", boolean=False, float=-0.0, double=float("inf")),
]

def show(objects):
    for each in objects:
        print([repr(each[kind]) for kind in kinds], [getattr(each, kind) == each[kind] for kind in kinds])
        print(each.values("string", "integer64", "boolean", "date"), each.next and each.next.integer64, each.former is None)

with pinview.Coordinator(model) as coordinator:
    coordinator.add_store(sys.argv[1])
    with pinview.Context(coordinator) as context:
        things = [context.insert("Thing", **sample) for sample in samples]
        things[0].next, things[1].next = things[1], things[2]
        context.insert("Part", name="p", thing=things[1])
        context.save()
        ids = [each.object_id for each in things]
    for is_pinned in (False, True):
        with pinview.Context(coordinator) as context:
            if is_pinned:
                context.pin()
            fetched = list(context.fetch("Thing", sort="integer64"))
            show(fetched)
            show(fetched)
            print([part.name for each in fetched for part in each.parts])
        with pinview.Context(coordinator) as context:
            show(context.objects(ids[2:] + ids[:2]))
            show(context.existing_objects(ids + ids[:1]))
            show(map(context.existing_object, ids))
            looked_up = [context.object(each) for each in ids]
            show(looked_up)
            for each, values in zip(looked_up, reversed(samples)):
                for kind in kinds:
                    setattr(each, kind, values.get(kind))
            show(looked_up)
            for name, value in (("integer16", 40000), ("integer16", "a"), ("string", 1), ("boolean", 2), ("float", None), ("nothing", 1)):
                try:
                    setattr(looked_up[0], name, value)
                    context.process_pending_changes()
                    print(name, repr(looked_up[0][name]))
                except (pinview.Error, AttributeError) as error:
                    print(type(error).__name__, error)
            try:
                looked_up[0].nothing
            except (pinview.Error, AttributeError) as error:
                print(type(error).__name__, error)
            context.rollback()
            show(looked_up)
            looked_up[1].close()
            print(looked_up[1].closed, context.object(ids[1]) is looked_up[1], len(context.registered_objects))
"""


def test_bothHaveTheSameResults(tmp_path: pathlib.Path) -> None:
    if accelerator is None:
        pytest.skip("there is one implementation only")
    shown = [run(WALK, each, str(tmp_path / f"{each}.sqlite")) for each in ("c", "python")]
    assert [each.stderr for each in shown] == ["", ""]
    assert shown[0].stdout.splitlines() == shown[1].stdout.splitlines()
    assert len(shown[0].stdout.splitlines()) > 60


# Lifetimes of objects


class Person(pinview.ManagedObject):
    """A class of the program whose objects have a __dict__."""


class Slotted(pinview.ManagedObject):
    __slots__ = ("note",)


def ring_model() -> pinview.Model:
    """Pairs of persons who are each other's friend."""
    friends = [Relationship("friend", "Person", inverse="friend")]
    return pinview.Model([Entity("Person", [Attribute("name", "string")], relationships=friends)])


@pytest.mark.parametrize("kind", [None, Person, Slotted])
def test_REF_01_cyclesOfObjectsAreCollected(kind: type[pinview.ManagedObject] | None, tmp_path: pathlib.Path) -> None:
    model = ring_model()
    if kind is not None:
        model.entity_class("Person")(kind)
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "ring.sqlite")
        one, other = context.insert("Person", name="one"), context.insert("Person", name="other")
        one.friend = other
        context.save()
        del one, other
        context.reset()
        for find in (lambda: list(context.fetch("Person")), lambda: [*map(context.existing_object, context.fetch_ids("Person"))]):
            each = find()
            assert each[0].friend is each[1] and each[1].friend is each[0]
            if kind is Slotted:
                each[0].note, each[1].note = each[1], each[0]
            references = [weakref.ref(person) for person in each]
            each.clear()
            gc.collect()
            assert [reference() for reference in references] == [None, None]


def test_REF_04_aResurrectedObjectStaysTheSameObject(tmp_path: pathlib.Path) -> None:
    kept: list[Any] = []

    class Stubborn(pinview.ManagedObject):
        def __del__(self) -> None:
            if not kept:
                kept.append(self)

    model = person_model()
    model.entity_class("Person")(Stubborn)
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as other:
        coordinator.add_store(tmp_path / "people.sqlite")
        person = other.insert("Person", name="dave", age=1)
        del person
        gc.collect()
        (again,) = other.inserted_objects
        assert kept == [again] and again.name == "dave"
        kept.append(None)
        del again
        kept.clear()


def test_aWeakReferencesCallbackMayReadTheObjectsContext(context: pinview.Context) -> None:
    seen: list[int] = []
    people = list(context.fetch("Person", sort="age"))
    references = [weakref.ref(each, lambda _: seen.append(context.fetch("Person", sort="age")[0].age)) for each in people]
    del people
    gc.collect()
    assert seen == [20] * PERSONS and all(reference() is None for reference in references)


def test_CTX_02_threadsThatLookUpTheSameRecordsGetTheSameObjects(context: pinview.Context) -> None:
    ids = context.fetch_ids("Person", sort="age")
    failures: list[str] = []
    begin = threading.Barrier(4)

    def look(first: int) -> None:
        begin.wait()
        for turn in range(300):
            place = (first + turn) % len(ids)
            one, other = context.existing_object(ids[place]), context.object(ids[place])
            if one is not other or one.age != 20 + place or one.name != f"dave{place}":
                failures.append(f"{place}: {one.age}")
            del one, other

    threads = [threading.Thread(target=look, args=(number * 5,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []


def test_CON_11_aDateIsDecodedWhileAnotherThreadReadsTheObjectAgain(tmp_path: pathlib.Path) -> None:
    now = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    model = pinview.Model([Entity("Moment", [Attribute("at", "date")])])
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "moments.sqlite")
        inserted = context.insert("Moment", at=now)
        context.save()
        identity = inserted.object_id
        del inserted
        context.reset()
        moment = context.existing_object(identity)
        seen: set[datetime.datetime] = set()
        begin = threading.Barrier(3)

        def read() -> None:
            begin.wait()
            seen.update(moment.at for _ in range(2000))

        threads = [threading.Thread(target=read) for _ in range(2)]
        for each in threads:
            each.start()
        begin.wait()
        for _ in range(500):
            context.refresh(moment, merge_changes=False)
        for each in threads:
            each.join()
        assert seen == {now} and moment.at == now


def test_releasesAreFlushedByTheNextCalls(context: pinview.Context) -> None:
    ids = context.fetch_ids("Person", sort="age")
    for _ in range(50):
        for each in ids:
            assert context.existing_object(each).age >= 20
        assert len(list(context.fetch("Person"))) == PERSONS
    gc.collect()
    assert len(context.registered_objects) == 0


@in_c
def test_theGarbageCollectorSkipsObjectsWithoutReferences(context: pinview.Context) -> None:
    people = list(context.fetch("Person"))
    assert sum(each.age for each in people) and not any(map(gc.is_tracked, people))
    car = context.fetch("Car", "owner != NIL")[0]
    assert gc.is_tracked(car.owner)


@in_c
def test_anotherInterpreterOfTheProcessUsesPython(context: pinview.Context, path: pathlib.Path) -> None:
    code = '''
        import sys, textwrap

        try:
            import _interpreters
            create, execute = lambda: _interpreters.create("legacy"), _interpreters.exec
        except ImportError:
            import _xxsubinterpreters as _interpreters
            create, execute = lambda: _interpreters.create(isolated=False), _interpreters.run_string

        read = textwrap.dedent("""
            from pinview import Context, Coordinator, implementation
            coordinator = Coordinator(Coordinator.model_of_store(%r))
            coordinator.add_store(%r)
            with Context(coordinator) as context:
                print(implementation, len([each.name for each in context.fetch("Person")]), flush=True)
            coordinator.close()
            """ % (sys.argv[1], sys.argv[1]))
        exec(read, {})
        number = create()
        execute(number, read)
        _interpreters.destroy(number)
        exec(read, {})
        '''
    ended = run(code, None, str(path))
    count = context.count("Person")
    assert (ended.stdout, ended.stderr) == (f"c {count}\npython {count}\nc {count}\n", "")


# Misuse


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_anObjectIsNotCopied(context: pinview.Context, copied: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"cannot be copied or pickled; use object_id\.uri"):
        copied(context.fetch("Person")[0])


@in_c
def test_misuseRaisesInsteadOfCrashing(context: pinview.Context) -> None:
    person = context.fetch("Person", sort="age")[0]
    kind = type(person)
    loose: Any = object.__new__(kind)
    for action in (
        lambda: setattr(person, "_view", 5),
        lambda: type(person)._view.__set__(person, person._view.__class__(None, person._view.clock)),
        lambda: kind.age.__get__(5),
        lambda: kind.age.__set__(5, 1),
        lambda: loose.age,
        lambda: setattr(loose, "age", 1),
        lambda: accelerator.View(5, accelerator.NEVER),
        lambda: accelerator.View(None, 5),
        lambda: accelerator.ViewOfOne(None, 1),
        lambda: accelerator.Places().add_objects(accelerator.View(accelerator.Places(), accelerator.NEVER), 3),
        lambda: accelerator.Places().make_object(accelerator.View(accelerator.Places(), accelerator.NEVER), 3),
        lambda: accelerator.Layout(("a",), "qq"),
        lambda: accelerator.Function("nothing", 0, False),
        lambda: accelerator.Clock(),
        lambda: accelerator.connect(5),
        lambda: accelerator.connect({"pinview_object_block_row": 0}),
        lambda: accelerator.read_loose(None, 0),
    ):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            action()
    with pytest.raises((TypeError, AttributeError)):
        del person.age
    assert person.age == 20 and person.values("age", "name") == (20, "dave0")


def test_readingADateThatIsOutOfRangeRaises(tmp_path: pathlib.Path) -> None:
    model = pinview.Model([Entity("Moment", [Attribute("name", "string"), Attribute("at", "date")])])
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "moments.sqlite")
        now = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
        ids = [context.insert("Moment", name="far", at=now), context.insert("Moment", name="near", at=now)]
        context.save()
        context.batch_update("Moment", {}, "name == 'far'", expressions={"at": "CAST(1e15, 'NSDate')"})
        identities = [each.object_id for each in ids]
        ids.clear()
        context.reset()
        for far, near in (
            tuple(context.fetch("Moment", sort="name")),
            tuple(map(context.existing_object, identities)),
        ):
            assert (far.name, near.name, near.at) == ("far", "near", now)
            with pytest.raises(pinview.DataError):
                far.at  # noqa: B018 (it is read)


def test_blocksKnowExactlyTheObjectsThatAreReferredTo(context: pinview.Context) -> None:
    people = list(context.fetch("Person"))

    def living() -> int:
        return sum(block.known_object(place) is not None for block in blocks.values() for place in range(block.object_count))

    before = living()
    del people[PERSONS // 2 :]
    gc.collect()
    assert living() == before - (PERSONS - PERSONS // 2)


def test_aSecondCoordinatorsObjectsAreItsOwn(context: pinview.Context, tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(person_model()) as coordinator:
        coordinator.add_store(tmp_path / "second.sqlite")
        with pinview.Context(coordinator) as other:
            fill(coordinator)
            mine, theirs = context.fetch("Person", sort="age")[3], other.fetch("Person", sort="age")[3]
            theirs.age = 99
            assert (mine.age, theirs.age) == (23, 99) and type(mine) is not type(theirs)
            other.rollback()
