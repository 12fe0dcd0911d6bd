"""Migrations in stages, with steps and mappings of the program (MIG-03, MIG-06, MIG-07)."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

import pinview
from pinview.__main__ import main


def version(number: str, *entities: Any) -> pinview.Model:
    return pinview.Model.from_json(json.dumps({"versionIdentifiers": [number], "entities": entities}))


def attribute(name: str, kind: str = "string", **more: object) -> dict[str, object]:
    return {"name": name, "type": kind, **more}


FIRST = version("1", {"name": "Person", "attributes": [attribute("name"), attribute("age")]})
AGE = attribute("age", "integer32", optional=False)
NOTE = {"name": "Note", "attributes": [attribute("text")], "relationships": [{"name": "person", "destination": "Person"}]}
SECOND = version("2", {"name": "Person", "attributes": [attribute("name"), AGE]}, NOTE)


@pytest.fixture
def store(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "people.sqlite")
    with pinview.Coordinator(FIRST) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Person", name="ada", age="36")
            context.insert("Person", name="bob", age="7")
            context.save()
    return path


def numbered(manager: pinview.MigrationManager) -> None:
    for old in manager.source.fetch("Person"):
        new = manager.destination_object(old)
        assert new is not None
        back = manager.source_object(new)
        assert back is not None and back.name == old.name
        new.age = int(old.age)
        manager.destination.insert("Note", text=f"was {old.age}", person=new)


def migration(step: object = numbered) -> pinview.StagedMigration:
    return pinview.StagedMigration([FIRST, SECOND], [pinview.MigrationStage("1", "2", step, confirmed_removals=["Person.age"])])  # type: ignore[arg-type]


def opened(path: str, given: pinview.StagedMigration | None, **more: object) -> list[tuple[str, int]]:
    with pinview.Coordinator(SECOND) as coordinator:
        coordinator.add_store(path, migration=given, **more)  # type: ignore[arg-type]
        with pinview.Context(coordinator) as context:
            assert context.count("Note", "person.age == 36") <= 1
            return sorted((each.name, each.age) for each in context.fetch("Person"))


def is_untouched(path: str) -> bool:
    with pinview.Coordinator(FIRST) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            return sorted(each.age for each in context.fetch("Person")) == ["36", "7"]


def test_aStepMakesNewObjectsOfOldOnes_MIG_06(store: str) -> None:
    assert opened(store, migration()) == [("ada", 36), ("bob", 7)]


def test_anExceptionOfTheStepLeavesTheStoreAsItWas_MIG_06(store: str) -> None:
    def fails(manager: pinview.MigrationManager) -> None:
        numbered(manager)
        manager.destination.save()
        raise LookupError("no way")

    with pytest.raises(LookupError, match="no way"):
        opened(store, migration(fails))
    assert is_untouched(store)


def test_contextsKeptBeyondTheStepReadNothing_MIG_06(store: str) -> None:
    kept: list[pinview.MigrationManager] = []

    def keeps(manager: pinview.MigrationManager) -> None:
        numbered(manager)
        kept.append(manager)

    assert opened(store, migration(keeps)) == [("ada", 36), ("bob", 7)]
    assert len(kept[0].destination.fetch("Person")) == 0
    with pytest.raises(pinview.InvalidArgumentError, match="step"):
        kept[0].destination_object(kept[0].source.insert("Person"))


def test_mappingsTakeExpressionsAndFunctions_MIG_07(store: str) -> None:
    mappings = [
        pinview.EntityMapping("Person", "Person", {"age": lambda old: int(old.age)}),
        pinview.EntityMapping("Person", "Note", {"text": "name"}),
    ]
    stages = [pinview.MigrationStage("1", SECOND.version_checksum, mappings=mappings)]
    assert opened(store, pinview.StagedMigration([FIRST, SECOND], stages)) == [("ada", 36), ("bob", 7)]


def test_progressIsReportedAndFalseCancels_MIG_03(store: str) -> None:
    seen: list[tuple[float, str]] = []

    def cancels(fraction: float, step: str) -> bool:
        seen.append((fraction, step))
        return False

    with pytest.raises(pinview.MigrationError, match="cancelled"):
        opened(store, migration(), progress=cancels)
    assert len(seen) == 1 and is_untouched(store)
    seen.clear()
    opened(store, migration(), progress=lambda fraction, step: seen.append((fraction, step)))
    assert seen[-1][0] == pytest.approx(1) and "run the program's step" in [step for _, step in seen]


def test_anExceptionOfProgressIsTheCallers_MIG_03(store: str) -> None:
    def fails(fraction: float, step: str) -> None:
        raise LookupError(step)

    with pytest.raises(LookupError):
        opened(store, migration(), progress=fails)
    assert is_untouched(store)


def test_mistakesAreNamed_MIG_06(store: str) -> None:
    for stage, word in (
        (pinview.MigrationStage("1", "9"), "9"),
        (pinview.MigrationStage("2", "1"), "goes back"),
        (pinview.MigrationStage("1", "2", mappings=[pinview.EntityMapping("Persson", "Person")]), "Persson"),
    ):
        with pytest.raises(pinview.InvalidArgumentError, match=word):
            opened(store, pinview.StagedMigration([FIRST, SECOND], [stage]))
    assert is_untouched(store)


def test_theCommandShowsProgress_MIG_10(store: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.json"
    file.write_text(version("2", {"name": "Person", "attributes": [attribute("name"), attribute("age"), attribute("city")]}).to_json())
    assert main(["migrate", store, str(file), "--yes", "--progress"]) == 0
    captured = capsys.readouterr()
    assert "100 %" in captured.err and "migrated" in captured.out


def test_aContainerTakesStages_MIG_06(store: str) -> None:
    steps: list[float] = []
    container = pinview.Container("people", SECOND, store)
    with pytest.raises(pinview.MigrationError):
        container.load_stores(migration=migration(), progress=lambda *_: False)
    assert is_untouched(store)

    container.load_stores(migration=migration(), progress=lambda fraction, _: steps.append(fraction))
    container.load_stores(migration=migration())

    with container.new_background_context() as context:
        assert [(each.name, each.age) for each in context.fetch("Person", sort="name")] == [("ada", 36), ("bob", 7)]
    assert steps == sorted(steps) and steps[-1] == 1
    with pytest.raises(pinview.WrongTypeError, match="StagedMigration"):
        container.load_stores(migration=3)  # type: ignore[arg-type]
