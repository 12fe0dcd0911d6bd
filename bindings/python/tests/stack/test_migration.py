"""Stores of other versions of a model (MIG)."""

from __future__ import annotations

import json
import pathlib

import pytest

import pinview
from pinview.__main__ import main


def person(*attributes: pinview.Attribute, **options: object) -> pinview.Model:
    return pinview.Model([pinview.Entity("Person", attributes=list(attributes), **options)])  # type: ignore[arg-type]


NAME = pinview.Attribute("name", "string")


@pytest.fixture
def store(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "people.sqlite")
    with pinview.Coordinator(person(NAME)) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            for name in ("ada", "bob", "ada"):
                context.insert("Person", name=name)
            context.save()
    return path


def names(path: str, model: pinview.Model, attribute: str = "name", **options: object) -> list[str]:
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, **options)  # type: ignore[arg-type]
        with pinview.Context(coordinator) as context:
            return sorted(getattr(each, attribute) for each in context.fetch("Person"))


def test_aStoreIsMigratedWhereAskedFor_MIG_01(store: str) -> None:
    newer = person(pinview.Attribute("fullName", "string", renaming_identifier="name"), pinview.Attribute("age", "integer64", default=7))
    with pytest.raises(pinview.IncompatibleModelError):
        names(store, newer)
    assert names(store, newer, "fullName", migrate=True) == ["ada", "ada", "bob"]


def test_aContainerMigrates_MIG_01(store: str) -> None:
    with pinview.Container("people", person(NAME, pinview.Attribute("age", "integer64")), store) as container:
        container.load_stores()


def test_whatIsUnclearIsAnErrorUntilConfirmed_MIG_11(store: str) -> None:
    newer = person(pinview.Attribute("title", "string"))
    with pytest.raises(pinview.InferredMappingError, match=r"Person\.name"):
        names(store, newer, migrate=True)
    (obstacle,) = pinview.model_difference(person(NAME), newer).obstacles
    assert (obstacle.kind, obstacle.subject) == ("unclearRemoval", "Person.name")
    with pinview.Coordinator(newer) as coordinator:
        coordinator.add_store(store, migrate=True, confirmed_removals=["Person.name"])


def test_whatIsRequiredIsNamedAndTheStoreStays_MIG_02(store: str) -> None:
    strict = person(NAME, pinview.Attribute("age", "integer64", optional=False))
    with pytest.raises(pinview.MigrationError, match=r"Person\.age.*/Person/p1"):
        names(store, strict, migrate=True)
    circle = person(
        pinview.Attribute("a", "string", renaming_identifier="name"), pinview.Attribute("b", "string", renaming_identifier="name")
    )
    with pytest.raises(pinview.InferredMappingError, match="only one of them"):
        names(store, circle, migrate=True)
    assert names(store, person(NAME)) == ["ada", "ada", "bob"]


def test_tokensFromBeforeAHistoryThatCannotBeToldAreExpired_MIG_09(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "notes.sqlite")
    note = pinview.Entity("Note", attributes=[pinview.Attribute("text", "string")])
    with pinview.Coordinator(pinview.Model([pinview.Entity("Person", attributes=[NAME]), note])) as coordinator:
        coordinator.add_store(path, history_tracking=True)
        with pinview.Context(coordinator) as context:
            ada = context.insert("Person", name="ada")
            context.insert("Note", text="gone")
            context.save()
            uri = ada.object_id.uri
            token = coordinator.history_token()
    with pinview.Coordinator(person(NAME, pinview.Attribute("age", "integer64"))) as coordinator:
        coordinator.add_store(path, history_tracking=True, migrate=True)
        with pinview.Context(coordinator) as context:
            assert [each.object_id.uri for each in context.fetch("Person")] == [uri]
            with pytest.raises(pinview.HistoryTokenExpiredError):
                context.history(token)
            assert len(context.history(coordinator.history_token())) == 0


def test_aStoreIsErasedOnlyWhereAskedFor_MIG_13(store: str) -> None:
    other = pinview.Model([pinview.Entity("Thing", attributes=[pinview.Attribute("size", "double")])])
    with pinview.Coordinator(other) as coordinator:
        with pytest.raises(pinview.IncompatibleModelError):
            coordinator.add_store(store)
        coordinator.add_store(store, options={"eraseOnModelChange": True})
        with pinview.Context(coordinator) as context:
            assert context.count("Thing") == 0


def test_aStoreThatIsReadOnlyIsNotMigrated_MIG_02(store: str) -> None:
    before = pathlib.Path(store).read_bytes()
    with pytest.raises(pinview.IncompatibleModelError, match="for writing"):
        names(store, person(NAME, pinview.Attribute("age", "integer64")), migrate=True, read_only=True)
    assert pathlib.Path(store).read_bytes() == before


def test_duplicatesAreNamedOrMerged_MIG_12(store: str) -> None:
    unique = person(NAME, uniqueness_constraints=[["name"]])
    with pytest.raises(pinview.MigrationConstraintError, match="/Person/p1 and"):
        names(store, unique, migrate=True)
    assert names(store, unique, migrate=True, constraint_policy="keepNewest") == ["ada", "bob"]


def test_plansAndRehearsalsChangeNothing_MIG_10(store: str) -> None:
    strict = person(NAME, pinview.Attribute("age", "integer64", optional=False))
    plan = pinview.migration_plan(store, strict)
    assert plan is not None and "ADD COLUMN" in str(plan) and plan.rows == 0
    with pytest.raises(pinview.MigrationError, match=r"Person\.age"):
        pinview.rehearse_migration(strict, [store])
    assert pinview.migration_plan(store, person(NAME)) is None
    assert names(store, person(NAME)) == ["ada", "ada", "bob"]


def test_thePinnedContextGoesOnAndOthersLearn_MIG_05(store: str) -> None:
    with pinview.Coordinator(person(NAME)) as coordinator:
        coordinator.add_store(store)
        with pinview.Context(coordinator) as pinned, pinview.Context(coordinator) as other:
            pinned.pin()
            assert pinned.count("Person") == 3
            assert names(store, person(NAME, pinview.Attribute("age", "integer64")), migrate=True) == ["ada", "ada", "bob"]
            assert sorted(each.name for each in pinned.fetch("Person")) == ["ada", "ada", "bob"]
            with pytest.raises(pinview.StoreMigratedError):
                other.count("Person")


def test_theCommandShowsAndMigrates_MIG_10(store: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.json"
    newer = person(NAME, pinview.Attribute("age", "integer64"))
    model.write_text(newer.to_json())
    assert main(["migrate", store, str(model), "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == "Person: + age (integer64, optional)"
    assert names(store, person(NAME)) == ["ada", "ada", "bob"]
    assert main(["migrate", store, str(model), "--yes"]) == 0
    assert names(store, newer) == ["ada", "ada", "bob"]
    assert main(["migrate", store, str(model)]) == 0
    assert "already" in capsys.readouterr().out
