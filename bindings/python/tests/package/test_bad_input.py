"""Mistakes of programs: each raises an exception of its own, and no data is lost."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import PERSONS, person_model

import pinview
from pinview import Attribute, Entity, Relationship
from pinview._ffi import library


def test_FET_19_unknownEntity(context: pinview.Context) -> None:
    for call in (context.fetch, context.count, context.insert):
        with pytest.raises(pinview.UnknownEntityError, match="Nobody") as caught:
            call("Nobody")  # type: ignore[operator]
        assert isinstance(caught.value, LookupError)
        assert (caught.value.domain, caught.value.code) == ("PinviewErrorDomain", 16)


def test_STO_19_unknownKey(context: pinview.Context) -> None:
    person = context.fetch("Person", limit=1)[0]
    with pytest.raises(AttributeError, match="wings") as missing:
        person.wings  # noqa: B018
    assert isinstance(missing.value, pinview.UnknownKeyError)
    with pytest.raises(KeyError):
        person["wings"]
    with pytest.raises(AttributeError):
        person.wings = 2
    assert not hasattr(person, "wings")
    assert getattr(person, "wings", "none") == "none"
    assert "wings" not in person
    assert not context.has_changes


def test_FET_19_unknownKeyInPredicateSortAndValues(context: pinview.Context) -> None:
    with pytest.raises(pinview.UnknownKeyError, match="wings"):
        context.fetch("Person", predicate="wings == 2")
    with pytest.raises(pinview.UnknownKeyError, match="wings"):
        context.fetch("Person", sort=["wings"])
    with pytest.raises(pinview.UnknownKeyError, match="wings"):
        context.values("Person", ["wings"])


@pytest.mark.parametrize("predicate", ["name ==", "name == 'open", "== 3", "name LIKELY 'x'", "(name == 'a'", "\0", "name == %@"])
def test_FET_19_malformedPredicate(context: pinview.Context, predicate: str) -> None:
    with pytest.raises(pinview.PredicateError) as caught:
        context.fetch("Person", predicate=predicate)
    assert isinstance(caught.value, ValueError)
    assert caught.value.code == 19


def test_argumentsWithoutAPredicate(context: pinview.Context) -> None:
    with pytest.raises(pinview.PredicateError):
        context.fetch("Person", arguments=[3])


def test_tooManyArguments(context: pinview.Context) -> None:
    with pytest.raises(pinview.PredicateError):
        context.fetch("Person", predicate="name == %@", arguments=["a", "b"])


@pytest.mark.parametrize("limit", [-1, 2**70, "ten", 1.5, None])
def test_invalidLimits(context: pinview.Context, limit: Any) -> None:
    with pytest.raises((pinview.InvalidArgumentError, pinview.OutOfRangeError, TypeError)):
        context.fetch("Person", limit=limit)


def test_relationshipsTakeObjectsOfTheirEntityOnly(context: pinview.Context) -> None:
    car = context.fetch("Car", limit=1)[0]
    person = car.owner
    for wrong in (3, "dave", car, person.object_id):
        with pytest.raises(pinview.WrongTypeError):
            car.owner = wrong
    with pytest.raises(pinview.WrongTypeError):
        person.cars = [person]
    with pytest.raises(TypeError):
        person.cars = 3
    with pytest.raises(TypeError):
        person.cars.add("car")
    assert car.owner is person
    assert list(person.cars) == [car]


def test_CTX_04_objectsOfTwoContextsDoNotMix(context: pinview.Context, other: pinview.Context) -> None:
    person = context.fetch("Person", limit=1)[0]
    car = other.fetch("Car", limit=1)[0]
    with pytest.raises(pinview.WrongContextError):
        car.owner = person
    with pytest.raises(pinview.WrongContextError):
        context.delete(car)


def test_ERR_07_validationNamesObjectKeyAndValue(tmp_path: pathlib.Path) -> None:
    model = pinview.Model(
        [Entity("Person", attributes=[Attribute("name", "string", optional=False), Attribute("age", "integer64", maximum_value=150)])]
    )
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "persons.sqlite")
        with pinview.Context(coordinator) as context:
            person = context.insert("Person", age=7)
            with pytest.raises(pinview.MissingValueError) as missing:
                context.save()
            assert (missing.value.key, missing.value.value) == ("name", None)
            assert missing.value.affected_objects == (person.object_id,)

            person.age = 151
            with pytest.raises(pinview.MultipleValidationErrors) as several:
                context.save()
            assert {(error.code, error.key, error.value) for error in several.value.detailed_errors} == {
                (1570, "name", None),
                (1610, "age", 151),
            }

            person.name, person.age = "Dave", 150
            context.save()


# Models


@pytest.mark.parametrize(
    ("entities", "named"),
    [
        ([], "entit"),
        ([Entity("Person"), Entity("Person")], "Person"),
        ([Entity("Person", parent="Nobody")], "Nobody"),
        ([Entity("Person", attributes=[Attribute("age", "number")])], "number"),
        ([Entity("Person", attributes=[Attribute("age", "integer64", default="old")])], "age"),
        ([Entity("Person", relationships=[Relationship("cars", "Car", to_many=True)])], "cars"),
        ([Entity("A", relationships=[Relationship("b", "B", inverse="a")]), Entity("B", relationships=[Relationship("a", "A")])], "b"),
        ([Entity("9 lives")], "9 lives"),
    ],
)
def test_STO_18_wrongModel(entities: list[Entity], named: str) -> None:
    with pytest.raises(pinview.ModelError, match=named):
        pinview.Model(entities)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"entities": 3}', '{"entities": [{"name": "A", "abstract": "red"}]}', "\0", "nonsense"])
def test_wrongModelJSON(text: str) -> None:
    with pytest.raises((pinview.ModelError, pinview.InvalidArgumentError)):
        pinview.Model.from_json(text)


def test_modelWithUnknownTypes() -> None:
    with pytest.raises((TypeError, pinview.ModelError)):
        pinview.Model([Entity("A", attributes=[Attribute("a", "string", default=object())])])


def test_missingModelFile(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        pinview.Model.from_file(tmp_path / "none.json")


def test_modelFileThatIsNotText(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(pinview.Error):
        pinview.Model.from_file(tmp_path / "model.json")


def test_modelThroughJSONAndBack(model: pinview.Model) -> None:
    again = pinview.Model.from_json(model.to_json())
    assert again == model
    assert json.loads(again.to_json()) == json.loads(model.to_json())


# Stores


def test_STO_14_notADatabase(model: pinview.Model, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("This is no database. " * 500)
    before = path.read_bytes()
    with pinview.Coordinator(model) as coordinator:
        with pytest.raises(pinview.NotADatabaseError, match=r"text\.txt") as caught:
            coordinator.add_store(path)
        assert caught.value.code == 134080
        assert caught.value.sqlite_code == 26
        assert coordinator.stores == ()
    assert path.read_bytes() == before


def test_STO_14_missingFolder(model: pinview.Model, tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator, pytest.raises(pinview.StoreOpenError, match="no-such-folder"):
        coordinator.add_store(tmp_path / "no-such-folder" / "store.sqlite")


def test_STO_14_folderInsteadOfAFile(model: pinview.Model, tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator, pytest.raises(pinview.StoreOpenError):
        coordinator.add_store(tmp_path)


@pytest.fixture
def read_only_folder() -> Iterator[pathlib.Path]:
    """A folder that this process can read but not write, even if it runs as root."""
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        folder.rmdir()


def test_STO_14_readOnlyFolder(model: pinview.Model, read_only_folder: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator, pytest.raises(pinview.StoreOpenError, match=r"new\.sqlite"):
        coordinator.add_store(read_only_folder / "new.sqlite")


def test_STO_14_storeOfAnotherModel(coordinator: pinview.Coordinator, path: pathlib.Path) -> None:
    with pinview.Coordinator(pinview.Model([Entity("Planet", attributes=[Attribute("mass", "double")])])) as foreign:
        with pytest.raises(pinview.IncompatibleModelError, match=path.name):
            foreign.add_store(path)


def test_invalidPaths(model: pinview.Model) -> None:
    with pinview.Coordinator(model) as coordinator:
        with pytest.raises(TypeError):
            coordinator.add_store(3)  # type: ignore[arg-type]
        with pytest.raises(pinview.Error):
            coordinator.add_store("")
        with pytest.raises((pinview.Error, ValueError)):
            coordinator.add_store("a\0b")


def test_unknownOption(model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator, pytest.raises(pinview.InvalidArgumentError, match="colour"):
        coordinator.add_store(path, options={"colour": "red"})


def test_busyStoreKeepsTheChanges(model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, busy_timeout=0.05)
        with pinview.Context(coordinator) as context:
            context.insert("Person", name="waiting")
            writer = sqlite3.connect(path, isolation_level=None)
            try:
                writer.execute("BEGIN IMMEDIATE")
                with pytest.raises(pinview.StoreBusyError):
                    context.save()
                assert context.has_changes
                writer.execute("ROLLBACK")
            finally:
                writer.close()
            context.save()
            assert context.count("Person") == 1


def test_STO_09_readOnlyStore(coordinator: pinview.Coordinator, model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as reading:
        store = reading.add_store(path, read_only=True)
        assert store.is_read_only
        with pinview.Context(reading) as context:
            context.fetch("Person", limit=1)[0].name = "no"
            with pytest.raises(pinview.SaveError):
                context.save()


def test_ERR_04_damagedStore(coordinator: pinview.Coordinator, model: pinview.Model, path: pathlib.Path) -> None:
    coordinator.close()
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pinview.Coordinator(model) as damaged, pytest.raises(pinview.DatabaseError) as caught:
        damaged.add_store(path)
        with pinview.Context(damaged) as context:
            list(context.values("Person", ["name"]))
    assert caught.value.sqlite_code is not None


# Handles


def test_closedObjectsRaiseInvalidHandleError(model: pinview.Model, path: pathlib.Path) -> None:
    coordinator = pinview.Coordinator(model)
    coordinator.add_store(path)
    context = pinview.Context(coordinator)
    person = context.insert("Person", name="dave")
    context.close()
    context.close()
    assert context.closed
    with pytest.raises(pinview.InvalidHandleError, match="Context"):
        context.save()
    with pytest.raises(pinview.InvalidHandleError):
        with context:
            pass
    with pytest.raises(pinview.ContextGoneError):
        person.name  # noqa: B018
    assert "Person" in repr(person)
    assert person.object_id.uri
    coordinator.close()
    with pytest.raises(pinview.InvalidHandleError):
        pinview.Context(coordinator)


@pytest.mark.parametrize("bits", [0, 1, 0x7F, 2**63, 2**64 - 1, 0x7FFF_FFFF_F000])
def test_invalidHandles(bits: int) -> None:
    """The library checks every handle before using it."""
    error = ctypes.c_void_p()
    status = library.functions.pinview_context_save(bits or None, ctypes.byref(error))
    assert status != 0
    library.functions.pinview_error_release(error.value)


def test_contextWithoutACoordinator() -> None:
    with pinview.Context() as context:
        for call in (lambda: context.fetch("Person"), lambda: context.count("Person"), context.pin):
            with pytest.raises(pinview.NoCoordinatorError):
                call()


def test_CTX_17_contextHasCoordinatorOrParent(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    with pytest.raises((TypeError, pinview.InvalidArgumentError)):
        pinview.Context(coordinator, parent=context)


def test_CTX_15_objectsOfAResetContext(context: pinview.Context) -> None:
    person = context.fetch("Person", limit=1)[0]
    assert person.name
    context.reset()
    with pytest.raises(pinview.ObjectInvalidatedError):
        person.name  # noqa: B018
    assert person.object_id.uri
    assert "Person" in repr(person)


def test_CON_wrongThreadForAMainQueueContext(coordinator: pinview.Coordinator) -> None:
    caught: list[BaseException] = []
    with pinview.Context(coordinator, concurrency=pinview.Concurrency.MAIN_QUEUE) as context:

        def work() -> None:
            try:
                context.count("Person")
            except pinview.WrongQueueError as error:
                caught.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert context.count("Person") == PERSONS
    assert len(caught) == 1


def test_FET_10_deletedRow(context: pinview.Context, other: pinview.Context) -> None:
    identity = context.fetch_ids("Person", limit=1)[0]
    other.delete(other.object(identity))
    other.save()
    with pytest.raises(pinview.ObjectNotFoundError) as caught:
        context.existing_object(identity)
    assert isinstance(caught.value, LookupError)
    assert caught.value.affected_objects == (identity,)


def test_FET_15_executeOutsideABlock() -> None:
    with pytest.raises(pinview.NoCurrentContextError):
        pinview.FetchRequest("Person").execute()


def test_invalidURI(coordinator: pinview.Coordinator) -> None:
    for uri in ("", "http://example.org", "x-coredata://", "x-coredata:///Person/p-1"):
        with pytest.raises((pinview.InvalidArgumentError, pinview.ValidationError, LookupError)):
            coordinator.object_id(uri)


def test_invalidConcurrencyAndPolicy(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    with pytest.raises(ValueError):
        pinview.Context(coordinator, concurrency="sideways")
    with pytest.raises(ValueError):
        context.merge_policy = "sometimes"  # type: ignore[assignment]


def test_missingLibrary(tmp_path: pathlib.Path) -> None:
    import subprocess
    import sys

    environment = {**os.environ, "PINVIEW_LIBRARY": str(tmp_path / "libnothing.so"), "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([sys.executable, "-c", "import pinview"], env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert "libnothing.so" in result.stderr and "PINVIEW_LIBRARY" in result.stderr


def test_errorsSurviveBeingCopied() -> None:
    import pickle

    error = pinview.ConflictError("what was wrong", domain="NSCocoaErrorDomain", code=133020)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.code, again.domain) == (pinview.ConflictError, "what was wrong", 133020, "NSCocoaErrorDomain")


def test_errorsArePickledWithoutIDs(context: pinview.Context) -> None:
    import pickle

    person = context.fetch("Person")[0]
    context.batch_delete(object_ids=[person.object_id])
    context.reset()
    with pytest.raises(pinview.ObjectNotFoundError) as caught:
        context.existing_object(person.object_id)
    again = pickle.loads(pickle.dumps(caught.value))
    assert caught.value.affected_objects == (person.object_id,)
    assert (type(again), str(again), again.code, again.affected_objects) == (type(caught.value), str(caught.value), 133000, ())


def test_objectsWithHandlesCannotBeCopied(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    import copy
    import gc
    import pickle

    person = context.fetch("Person")[0]
    for each in (coordinator, coordinator.model, context, context.fetch("Person"), context.undo_manager, coordinator.stores[0]):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"{type(each).__name__} objects cannot be copied or pickled"):
                copied(each)
    identity = person.object_id
    assert copy.copy(identity) is identity and copy.deepcopy([identity])[0] is identity
    assert pickle.loads(pickle.dumps(identity)) == identity
    gc.collect()
    assert context.existing_object(identity) is person and pinview.Context(coordinator).count("Person") > 0


@pytest.mark.parametrize("wrong", [None, "x-coredata://", 5, "a person"])
def test_methodsThatTakeIDsRejectOtherValues(context: pinview.Context, wrong: Any) -> None:
    given = context.fetch("Person")[0] if wrong == "a person" else wrong
    for look_up in (context.object, context.existing_object, context.registered_object):
        with pytest.raises(TypeError, match=f"Expected an ObjectID, got {type(given).__name__}"):
            look_up(given)


def test_errorsNameThePackageOfAValuesType(context: pinview.Context) -> None:
    strange = type("bool", (), {"__module__": "numpy"})()
    with pytest.raises(pinview.WrongTypeError, match=r"has type numpy\.bool, which no attribute can hold"):
        context.insert("Person", name=strange)


def test_invalidColumns(context: pinview.Context) -> None:
    before = context.count("Person")
    for wrong in (5, [1, 2], [{"name": "Dave"}]):
        with pytest.raises(TypeError, match=r"Columns must be a mapping .* or an object with __arrow_c_stream__"):
            context.batch_insert("Person", columns=wrong)  # type: ignore[call-overload, arg-type, unused-ignore]
        with pytest.raises(TypeError, match="Columns must be a mapping of names to sequences of values; got"):
            context.insert_many("Person", wrong)  # type: ignore[arg-type]
    for rows in ([{"name": "Ada"}], [], iter(())):
        with pytest.raises(pinview.InvalidArgumentError, match="either rows or columns"):
            context.batch_insert("Person", rows, columns={"name": ["Dave"]})
    assert context.count("Person") == before


def test_everyCodeHasAClassAndUnknownOnesAreErrors() -> None:
    from pinview.errors import error_class

    assert error_class("NSCocoaErrorDomain", 133020, None) is pinview.ConflictError
    assert error_class("NSCocoaErrorDomain", 1634, None) is pinview.ValidationError
    assert error_class("PinviewErrorDomain", 99, None) is pinview.ProgrammingError
    assert error_class("another domain", 1, None) is pinview.DatabaseError
    assert error_class("NSCocoaErrorDomain", 134030, 517) is pinview.StoreBusyError


def test_modelMismatchBetweenTwoModels() -> None:
    assert person_model() == person_model()
    assert person_model() != pinview.Model([Entity("Planet")])
