"""Models as Core Data has them: Xcode's, compiled ones, versions of them."""

from __future__ import annotations

import pathlib
import plistlib
import sqlite3

import pytest
from core_data import archive, model_cache

import pinview

XML = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" userDefinedModelVersionIdentifier="1.2">
    <entity name="Person" representedClassName=".Person">
        <attribute name="name" attributeType="String" maxValueString="80"/>
        <attribute name="age" optional="YES" attributeType="Integer 16" defaultValueString="7"/>
        <relationship name="cars" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Car" inverseName="owner"/>
    </entity>
    <entity name="Car">
        <attribute name="plate" optional="YES" attributeType="String"/>
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="cars"/>
    </entity>
</model>"""

ODD = '<model><entity name="A"><relationship name="a" optional="YES" maxCount="1" ordered="YES" destinationEntity="A"/></entity></model>'


def test_MDL_01_a_model_of_xcode_is_read_and_used(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "Shop.xcdatamodel"
    folder.mkdir()
    (folder / "contents").write_text(XML)

    model = pinview.Model.from_file(folder)
    with pinview.Container("Shop", model, tmp_path / "shop.sqlite") as container:
        container.load_stores()
        context = container.view_context
        person = context.insert("Person", name="Ada")
        context.insert("Car", plate="A 1", owner=person)
        context.save()

        assert person.age == 7
        assert [car.plate for car in person.cars] == ["A 1"]

    assert model == pinview.Model.from_bytes(XML.encode())
    assert model == pinview.Model.from_file(folder / "contents", strict=True)
    assert model.warnings == ()


def test_MDL_01_versions_of_a_model(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "Shop.xcdatamodeld"
    for name, text in (("Shop", XML), ("Shop 2", ODD)):
        (folder / f"{name}.xcdatamodel").mkdir(parents=True)
        (folder / f"{name}.xcdatamodel" / "contents").write_text(text)
    (folder / ".xccurrentversion").write_bytes(plistlib.dumps({"_XCCurrentVersionName": "Shop 2.xcdatamodel"}))

    assert pinview.Model.versions(folder) == pinview.ModelVersions(("Shop", "Shop 2"), "Shop 2")
    assert "A" in pinview.Model.from_file(folder)
    assert "Person" in pinview.Model.from_file(folder, version="Shop")
    with pytest.raises(pinview.InvalidArgumentError, match="no version"):
        pinview.Model.from_file(folder, version="Shop 3")
    with pytest.raises(pinview.InvalidArgumentError, match="versions"):
        pinview.Model.versions(tmp_path)


def test_MDL_01_MDL_08_a_compiled_model_with_its_hashes(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "Shop.momd"
    folder.mkdir()
    (folder / "Shop.mom").write_bytes(archive({"Thing": {"name": 700, "born": 900}}))
    info = {"NSManagedObjectModel_CurrentVersionName": "Shop", "NSManagedObjectModel_VersionHashes": {"Shop": {"Thing": bytes(range(32))}}}
    (folder / "VersionInfo.plist").write_bytes(plistlib.dumps(info, fmt=plistlib.FMT_BINARY))

    model = pinview.Model.from_file(folder)

    assert {name: each.type for name, each in model.entity("Thing").properties.items()} == {"name": "string", "born": "date"}
    assert '"versionHash":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="' in model.to_json().replace(" ", "")
    assert model == pinview.Model.from_json(model.to_json())


def test_MDL_02_what_is_left_out_is_a_warning_and_an_error_when_strict() -> None:
    model = pinview.Model.from_bytes(ODD.encode())

    assert model.warnings == ("A.a is ordered, but to-one: the order is ignored.",)
    with pytest.raises(pinview.ModelError, match=r"A\.a is ordered"):
        pinview.Model.from_bytes(ODD.encode(), strict=True)


def test_MDL_02_unknown_keys_of_json_are_errors_only_when_strict() -> None:
    text = '{"entities": [{"name": "A", "colour": "red"}]}'

    assert len(pinview.Model.from_json(text).warnings) == 1
    with pytest.raises(pinview.ModelError, match="colour"):
        pinview.Model.from_json(text, strict=True)


def test_MDL_04_a_store_is_described_by_its_model_cache(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "store.sqlite"
    metadata = {"NSStoreType": "SQLite", "NSStoreModelVersionHashes": {"Thing": bytes(range(32))}}
    cache = model_cache(archive({"Thing": {"name": 700}}))
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        INSERT INTO ZTHING VALUES (1, 1, 1, 'a');
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Thing', 0, 1);
        """
    )
    content = plistlib.dumps(metadata, fmt=plistlib.FMT_BINARY)
    connection.execute("INSERT INTO Z_METADATA VALUES (1, '0F8FAD5B-D9CB-469F-A165-70867728950E', ?)", (content,))
    connection.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (cache,))
    connection.commit()
    connection.close()

    model = pinview.Coordinator.model_of_store(path)

    assert set(model.entity("Thing").properties) == {"name"}
    assert "AAECAwQ" in model.to_json()


@pytest.mark.parametrize("data", [b"", b"bplist00", b"\x89PNG", b"<model", b"{", b"\x00" * 99, b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"])
def test_MDL_01_what_is_no_model_is_an_error(data: bytes) -> None:
    with pytest.raises(pinview.ModelError):
        pinview.Model.from_bytes(data)


def test_MDL_01_a_path_without_a_file_is_pythons_own_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        pinview.Model.from_file(tmp_path / "none.mom")
    with pytest.raises(TypeError):
        pinview.Model.from_file(3)  # type: ignore[arg-type]
