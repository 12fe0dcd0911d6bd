"""Hooks, registered classes, user_data and transient properties (DEC-55)."""

from __future__ import annotations

import gc
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import pinview
from pinview import Attribute, Entity


@pytest.fixture
def model() -> Iterator[pinview.Model]:
    """Person with a transient full name, and its sub-entity Employee."""
    attributes = [
        Attribute("first_name", "string"),
        Attribute("last_name", "string"),
        Attribute("age", "integer64", default=0),
        Attribute("full_name", "string", transient=True),
    ]
    with pinview.Model([Entity("Person", attributes=attributes), Entity("Employee", parent="Person")]) as model:
        yield model


@pytest.fixture
def calls() -> list[str]:
    return []


def coordinator_on(model: pinview.Model, path: pathlib.Path) -> pinview.Coordinator:
    coordinator = pinview.Coordinator(model)
    coordinator.add_store(path)
    return coordinator


def full_name(person: Any) -> str:
    return f"{person.first_name} {person.last_name}"


def test_hooksOfAClassAreCalled(model: pinview.Model, path: pathlib.Path, calls: list[str]) -> None:
    @model.entity_class("Person")
    class Person(pinview.ManagedObject):
        def awake_from_insert(self) -> None:
            self.age = 1
            calls.append("insert")

        def awake_from_fetch(self) -> None:
            calls.append("fetch")

        def prepare_for_deletion(self) -> None:
            calls.append("delete")

        def will_save(self) -> None:
            calls.append("will save")
            if self.age == 1:
                self.age = 2

        def did_save(self) -> None:
            calls.append("did save")

        def will_turn_into_fault(self) -> None:
            calls.append(f"will fault {self.age}")

        def did_turn_into_fault(self) -> None:
            calls.append(f"did fault {self.is_fault}")

        def initials(self) -> str:
            return f"{self.first_name[0]}{self.last_name[0]}"

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        person = context.insert("Person", first_name="Sarit", last_name="Smith")
        assert isinstance(person, Person)
        assert person.initials() == "SS"
        context.save()
        assert calls == ["insert", "will save", "will save", "did save"]
        calls.clear()
        context.refresh(person, merge_changes=False)
        assert calls == ["will fault 2", "did fault True"]
        assert (person.age, calls[-1]) == (2, "fetch")
        context.delete(person)
        assert calls[-1] == "delete"


def test_FLT_17_awakeFromFetchSetsTransientPropertiesWithoutPendingChanges(model: pinview.Model, path: pathlib.Path) -> None:
    model.set_hooks("Person", awake_from_fetch=lambda person: person.update(full_name=full_name(person)))
    with coordinator_on(model, path) as coordinator:
        with pinview.Context(coordinator) as context:
            context.insert("Person", first_name="Sarit", last_name="Smith")
            context.save()
        with pinview.Context(coordinator) as context:
            assert context.fetch("Person")[0].full_name == "Sarit Smith"
            assert not context.has_changes


def test_EX_29_to_EX_35_theExampleOfFionaJones(model: pinview.Model, path: pathlib.Path) -> None:
    @model.entity_class("Person")
    class Person(pinview.ManagedObject):
        def awake_from_fetch(self) -> None:
            self.full_name = full_name(self)
            if self.user_data is not None:
                self.user_data["refreshed"] = True

    with coordinator_on(model, path) as coordinator:
        with pinview.Context(coordinator) as context:
            context.insert("Person", first_name="Sarit", last_name="Smith")
            context.save()
        with pinview.Context(coordinator) as one, pinview.Context(coordinator) as two:
            first, second = one.fetch("Person")[0], two.fetch("Person")[0]
            assert [first.full_name, second.full_name] == ["Sarit Smith", "Sarit Smith"]  # EX-29
            second.user_data = {"refreshed": False}
            first.update(first_name="Fiona", full_name="Fiona Smith")
            one.save()  # EX-30
            second.update(last_name="Jones", full_name="Sarit Jones")  # EX-31
            two.refresh(second, merge_changes=True)
            assert second.first_name == "Fiona"  # EX-32
            assert second.last_name == "Jones"  # EX-33
            assert second.full_name == "Sarit Jones"  # EX-34, RFR-21
            assert second.user_data == {"refreshed": True}  # EX-35, RFR-23
            second.full_name = full_name(second)
            assert second.full_name == "Fiona Jones"
            two.refresh(second, merge_changes=False)  # RFR-22
            assert second.full_name == "Fiona Smith"


def test_theCallThatTriggersAHookRaisesItsException(model: pinview.Model, path: pathlib.Path) -> None:
    raised: list[BaseException] = []

    def fail(person: Any) -> None:
        if person.age == 13:
            raised.append(RuntimeError("not today"))
            raise raised[-1]

    model.set_hooks("Person", will_save=fail, awake_from_fetch=fail, prepare_for_deletion=fail)
    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        person = context.insert("Person", age=13)
        for call in (context.save, lambda: context.delete(person)):
            with pytest.raises(RuntimeError) as caught:
                call()
            assert caught.value is raised[-1]
        assert person.is_inserted
        raised.clear()


def test_SAV_08_exceptionsOfSeveralChecksAreCombined(model: pinview.Model, path: pathlib.Path) -> None:
    @model.entity_class("Person")
    class Person(pinview.ManagedObject):
        def validate_age(self, age: int) -> None:
            if age == 13:
                raise ValueError("unlucky")

        def validate_for_insert(self) -> None:
            if self.first_name is None:
                raise pinview.ValidationError("no name", domain="NSCocoaErrorDomain", code=1550)

        def validate_for_delete(self) -> None:
            raise KeyError("kept")

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        person = context.insert("Person", age=13)
        with pytest.raises(pinview.MultipleValidationErrors) as caught:
            context.save()
        assert [type(each) for each in caught.value.detailed_errors] == [ValueError, pinview.ValidationError]
        person.first_name = "Sarit"
        with pytest.raises(ValueError, match="unlucky"):
            context.save()
        with pytest.raises(ValueError, match="unlucky"):
            person.validate()
        person.age = 14
        context.save()
        with pytest.raises(KeyError):
            person.validate_deletion()
        context.delete(person)
        with pytest.raises(KeyError):
            context.save()


def test_theSaveRaisesAnExceptionOfDidSave(model: pinview.Model, path: pathlib.Path) -> None:
    def fail(person: Any) -> None:
        raise RuntimeError("too late")

    model.set_hooks("Person", did_save=fail)
    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        context.insert("Person")
        with pytest.raises(RuntimeError, match="too late"):
            context.save()
        assert not context.has_changes
        assert context.count("Person") == 1


def test_anExceptionThatNobodyReceivesIsReported(
    model: pinview.Model, path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, calls: list[str]
) -> None:
    failing: list[bool] = []

    def fail(person: Any) -> None:
        if failing:
            raise RuntimeError("unheard")

    monkeypatch.setattr(sys, "unraisablehook", lambda report: calls.append(str(report.exc_value)))
    model.set_hooks("Person", awake_from_fetch=fail)
    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context, pinview.Context(coordinator) as other:
        person = context.insert("Person", age=1)
        context.save()
        context.automatically_merges_changes_from_parent = True
        person.first_name = "mine"
        theirs = other.fetch("Person")[0]
        theirs.age = 2
        failing.append(True)
        other.save()  # merged into the other context, where the hook fails
        assert calls == ["unheard"]
        assert person.age == 2


def test_aSubentityHasTheHooksAndTheClassOfItsParent(model: pinview.Model, path: pathlib.Path, calls: list[str]) -> None:
    @model.entity_class("Person")
    class Person(pinview.ManagedObject):
        def awake_from_insert(self) -> None:
            calls.append(self.entity.name)

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        assert isinstance(context.insert("Employee"), Person)
        assert calls == ["Employee"]


def test_aClassOfASubentityOverridesWithSuper(model: pinview.Model, path: pathlib.Path, calls: list[str]) -> None:
    @model.entity_class("Person")
    class Person(pinview.ManagedObject):
        def awake_from_insert(self) -> None:
            calls.append("Person")

    @model.entity_class("Employee")
    class Employee(Person):
        def awake_from_insert(self) -> None:
            super().awake_from_insert()
            calls.append("Employee")

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        assert type(context.insert("Employee")) is Employee
        assert type(context.insert("Person")) is Person
        assert calls == ["Person", "Employee", "Person"]


def test_invalidHooksAreRejected(model: pinview.Model) -> None:
    with pytest.raises(pinview.InvalidArgumentError, match="awake_from_sleep"):
        model.set_hooks("Person", awake_from_sleep=print)
    with pytest.raises(pinview.InvalidArgumentError, match="int"):
        model.set_hooks("Person", will_save=3)  # type: ignore[arg-type]
    with pytest.raises(pinview.UnknownEntityError):
        model.set_hooks("Nobody", will_save=print)
    with pytest.raises(pinview.UnknownKeyError):
        model.set_hooks("Person", validate_property={"nickname": print})
    with pytest.raises(pinview.InvalidArgumentError, match=r"pinview\.ManagedObject"):
        model.entity_class("Person")(dict)  # type: ignore[type-var]
    with pinview.Coordinator(model), pytest.raises(pinview.InvalidArgumentError, match="before"):
        model.set_hooks("Person", will_save=print)


def test_RFR_23_userDataLivesAsLongAsItsObject(model: pinview.Model, path: pathlib.Path) -> None:
    class Data:
        alive = 0

        def __init__(self) -> None:
            Data.alive += 1

        def __del__(self) -> None:
            Data.alive -= 1

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        context.insert("Person")
        context.save()
        context.reset()
        person = context.fetch("Person")[0]
        assert person.user_data is None
        person.user_data = Data()
        person.user_data = data = Data()
        gc.collect()
        assert Data.alive == 1
        context.refresh(person, merge_changes=False)
        assert person.user_data is data
        del person, data
        gc.collect()
        assert Data.alive == 0


def test_interpreterEndsQuietlyWithHooks(tmp_path: pathlib.Path) -> None:
    program = f"""
import pinview
model = pinview.Model([pinview.Entity("Person", attributes=[pinview.Attribute("age", "integer64")])])
model.set_hooks("Person", awake_from_fetch=lambda person: None, will_save=lambda person: None)
coordinator = pinview.Coordinator(model)
coordinator.add_store({str(tmp_path / "end.sqlite")!r})
context = pinview.Context(coordinator)
person = context.insert("Person", age=1)
person.user_data = object()
context.save()
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("name", ["PersonMO", "Contacts.PersonMO"])
def test_MDL_03_entityClassFindsEntitiesByTheClassNamesOfTheModel(name: str, path: pathlib.Path) -> None:
    description = {
        "entities": [
            {"name": "Person", "managedObjectClassName": "Contacts.PersonMO", "attributes": [{"name": "name", "type": "string"}]},
            {"name": "Car", "managedObjectClassName": "CarMO"},
        ]
    }
    model = pinview.Model.from_json(json.dumps(description))

    @model.entity_class(name)
    class Person(pinview.ManagedObject):
        def validate_name(self, value: Any) -> None:
            if value == "nobody":
                raise ValueError("nobody is called that")

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        assert type(context.insert("Person")) is Person
        assert not isinstance(context.insert("Car"), Person)
        context.insert("Person", name="nobody")
        with pytest.raises(ValueError, match="nobody"):
            context.save()


def test_MDL_03_aClassNameThatSeveralEntitiesShareStandsForAllOfThem(path: pathlib.Path) -> None:
    description = {"entities": [{"name": name, "managedObjectClassName": ".Thing"} for name in ("Box", "Tray")]}
    model = pinview.Model.from_json(json.dumps(description))

    @model.entity_class("Thing")
    class Thing(pinview.ManagedObject):
        pass

    with coordinator_on(model, path) as coordinator, pinview.Context(coordinator) as context:
        assert [type(context.insert(name)) for name in ("Box", "Tray")] == [Thing, Thing]
    with pytest.raises(pinview.UnknownEntityError, match="Nothing"):
        pinview.Model.from_json(json.dumps(description)).entity_class("Nothing")(Thing)
