"""Stores that Core Data wrote go to the current version of their model (MIG-08)."""

from __future__ import annotations

import pathlib
import sqlite3

import pytest
from core_data import IDENTIFIER, archive, model_cache, write_bundle, write_store

import pinview
from pinview.__main__ import main

CAR = {"plate": 700, "owner": ("Person", "cars", False)}
CARS = ("Car", "owner", True)
# A name that changes more than once has the first one as identifier in every version.
FIRST = archive({"Car": CAR, "Person": {"name": 700, "age": 100, "cars": CARS}}, "1")
SECOND = archive({"Car": CAR, "Person": {"title": (700, "name"), "age": 100, "city": 700, "cars": CARS}}, "2")
# A new entity comes before the others, so that all numbers change.
THIRD = archive({"Address": {"street": 700}, "Car": CAR, "Person": {"fullName": (700, "name"), "age": 200, "city": 700, "cars": CARS}}, "3")
HASHES = {
    "Shop": {"Car": b"\1" * 32, "Person": b"\1" * 32},
    "Shop 2": {"Car": b"\1" * 32, "Person": b"\2" * 32},
    "Shop 10": {"Address": b"\3" * 32, "Car": b"\1" * 32, "Person": b"\3" * 32},
}
CARS_TABLE = [
    "CREATE TABLE ZCAR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZPLATE VARCHAR)",
    "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER)",
    "INSERT INTO ZCAR VALUES (1, 1, 1, 1, 'A 1'), (2, 1, 3, 1, 'A 2'), (3, 1, 1, NULL, 'B')",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_ENT + 2",
]
PERSON_TABLES = {
    "Shop": [
        "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZNAME VARCHAR)",
        "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'Ada'), (2, 2, 2, 40, 'Alan')",
    ],
    "Shop 2": [
        "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZCITY VARCHAR, ZTITLE VARCHAR)",
        "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'London', 'Ada'), (2, 2, 2, 40, NULL, 'Alan')",
    ],
}
CITY = {"Shop": None, "Shop 2": "London"}


@pytest.fixture
def bundle(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "Shop.momd"
    write_bundle(folder, {name: (compiled, HASHES[name]) for name, compiled in zip(HASHES, (FIRST, SECOND, THIRD))})
    return folder


def make_store(folder: pathlib.Path, version: str, *, hashes: dict[str, bytes] | None = None, cache: bytes | None = None) -> pathlib.Path:
    path = folder / "Shop.sqlite"
    statements = CARS_TABLE + PERSON_TABLES[version]
    write_store(path, ["Car", "Person"], statements, cache=cache, NSStoreModelVersionHashes=hashes or HASHES[version], ours="kept")
    return path


def files(folder: pathlib.Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def check_migrated(path: pathlib.Path, context: pinview.Context, city: str | None) -> None:
    ada = context.one("Person", "fullName == 'Ada'")
    assert ada is not None
    assert (ada.age, ada.city, sorted(car.plate for car in ada.cars)) == (36, city, ["A 1", "A 2"])
    assert ada.object_id.uri == f"x-coredata://{IDENTIFIER}/Person/p1"
    assert context.count("Car", "plate == 'B' AND owner == nil") == 1
    assert context.count("Address") == 0
    with sqlite3.connect(path) as connection:
        numbers = connection.execute("SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1").fetchall()
        assert numbers == [(1, "Address", 0), (2, "Car", 3), (3, "Person", 4)]
        assert connection.execute("SELECT Z_ENT, Z_OPT FROM ZCAR").fetchall() == [(2, 1), (2, 3), (2, 1)]
    metadata = pinview.Coordinator.metadata_of_store(path)
    assert metadata["NSStoreModelVersionHashes"] == HASHES["Shop 10"]
    assert (metadata["NSPersistenceFrameworkVersion"], metadata["ours"]) == (1044, "kept")


def test_MIG_08_the_model_cache_tells_which_version_a_store_has(tmp_path: pathlib.Path, bundle: pathlib.Path) -> None:
    path = make_store(tmp_path, "Shop", cache=model_cache(FIRST))
    model = pinview.Model.from_file(bundle)
    with pinview.Container("Shop", model, path) as container:
        container.load_stores()
        check_migrated(path, container.view_context, None)
    assert pinview.Coordinator.model_of_store(path) == model


@pytest.mark.parametrize("version", ["Shop", "Shop 2"])
def test_MIG_08_every_version_in_a_folder_migrates_to_the_current_one(tmp_path: pathlib.Path, bundle: pathlib.Path, version: str) -> None:
    path = make_store(tmp_path, version)
    with pinview.Coordinator(pinview.Model.from_file(bundle)) as coordinator:
        coordinator.add_store(path, migrate=True, options={"modelVersions": str(bundle)})
        with pinview.Context(coordinator) as context:
            check_migrated(path, context, CITY[version])


@pytest.mark.parametrize("version", ["Shop", "Shop 2"])
def test_MIG_08_the_program_gives_the_versions(tmp_path: pathlib.Path, bundle: pathlib.Path, version: str) -> None:
    path = make_store(tmp_path, version)
    versions = pinview.Model.all_versions(bundle)
    with pinview.Coordinator(versions[-1]) as coordinator:
        coordinator.add_store(path, migration=pinview.StagedMigration(versions[::-1]))
        with pinview.Context(coordinator) as context:
            check_migrated(path, context, CITY[version])


def test_MIG_06_MIG_08_a_store_of_core_datas_goes_through_stages(tmp_path: pathlib.Path, bundle: pathlib.Path) -> None:
    path = make_store(tmp_path, "Shop")

    def step(manager: pinview.MigrationManager) -> None:
        for old in manager.source.fetch("Person", "name == 'Ada'"):
            new = manager.destination_object(old)
            assert new is not None
            new.city = "Rome"

    # In the order of the numbers in their names: "Shop 10" is the last one.
    versions = pinview.Model.all_versions(bundle)
    assert pinview.Model.versions(bundle).names == ("Shop", "Shop 2", "Shop 10")
    with pinview.Coordinator(versions[-1]) as coordinator:
        coordinator.add_store(path, migration=pinview.StagedMigration(versions, [pinview.MigrationStage("1", "2", step)]))
        with pinview.Context(coordinator) as context:
            check_migrated(path, context, "Rome")


def test_MIG_08_a_store_of_none_of_the_versions_is_refused_and_untouched(tmp_path: pathlib.Path, bundle: pathlib.Path) -> None:
    path = make_store(tmp_path, "Shop", hashes={"Car": b"\1" * 32, "Person": b"\x09" * 32})
    before = files(tmp_path)
    with pinview.Coordinator(pinview.Model.from_file(bundle)) as coordinator:
        with pytest.raises(pinview.IncompatibleModelError, match="give the versions"):
            coordinator.add_store(path, migrate=True, options={"modelVersions": str(bundle)})
    assert files(tmp_path) == before


def test_MIG_08_a_damaged_model_cache_is_named(tmp_path: pathlib.Path, bundle: pathlib.Path) -> None:
    path = make_store(tmp_path, "Shop", cache=b"\xff" * 300)
    before = files(tmp_path)
    with pinview.Coordinator(pinview.Model.from_file(bundle)) as coordinator, pytest.raises(pinview.ModelError, match="model cache"):
        coordinator.add_store(path, migrate=True)
    assert files(tmp_path) == before


def test_MIG_08_MIG_10_the_command_takes_a_folder_of_versions(
    tmp_path: pathlib.Path, bundle: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_store(tmp_path, "Shop 2")
    before = files(tmp_path)
    assert main(["migrate", str(path), str(bundle), "--versions", str(bundle), "--dry-run"]) == 0
    assert "title renamed fullName" in capsys.readouterr().out
    assert files(tmp_path) == before
    # The folder of the model is where its versions are looked for.
    assert main(["migrate", str(path), str(bundle), "--yes"]) == 0
    with pinview.Coordinator(pinview.Model.from_file(bundle)) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            check_migrated(path, context, "London")
