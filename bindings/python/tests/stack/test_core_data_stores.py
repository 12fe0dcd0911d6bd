"""Models and stores of Core Data's, as a program reads and changes them (MDL)."""

from __future__ import annotations

import contextlib
import json
import pathlib
import plistlib
import sqlite3

import pytest
from core_data import archive, model_cache, write_store

import pinview

ENTITIES = {
    "Note": {"made": 900, "name": 700, "tags": ("Tag", "notes", True)},
    "Tag": {"name": 700, "notes": ("Note", "tags", True)},
}
HASHES = {"Note": b"\1" * 32, "Tag": b"\2" * 32}
HISTORY = [
    "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, "
    "ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, "
    "ZPROCESSID VARCHAR, ZQUERYGEN BLOB)",
    "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, "
    "ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB)",
    "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
    "INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'sync')",
    "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 1)",
    "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, ZAUTHORTS) VALUES (1, 16002, 1, 600000001.5, 1)",
    "INSERT INTO ACHANGE VALUES (1, 16001, 1, 1, 1, 2, 1, x'10')",
]


def tables(join: str) -> list[str]:
    """Two notes and two tags; the join table has the name of either end."""
    return [
        "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZMADE TIMESTAMP, ZNAME VARCHAR)",
        "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
        f"CREATE TABLE {join} (Z_1NOTES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_2TAGS))",
        "INSERT INTO ZNOTE VALUES (1, 1, 1, 86400.5, 'one'), (2, 1, 1, NULL, 'two')",
        "INSERT INTO ZTAG VALUES (1, 2, 1, 'red'), (2, 2, 1, 'blue')",
        f"INSERT INTO {join} VALUES (1, 1), (1, 2), (2, 2)",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 2",
    ]


def make(path: pathlib.Path, statements: list[str]) -> None:
    write_store(path, ENTITIES, statements, cache=model_cache(archive(ENTITIES)), NSStoreModelVersionHashes=HASHES)


@pytest.fixture
def store(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "notes.sqlite"
    make(path, tables("Z_1TAGS"))
    return path


def test_mdl_03_what_a_model_says_is_kept_and_acted_on() -> None:
    xml = b"""<model userDefinedModelVersionIdentifier="1.4">
        <entity name="Note" representedClassName="CDNote" elementID="Memo" versionHashModifier="2">
            <attribute name="rank" optional="YES" attributeType="Integer 16" defaultValueString="3" minValueString="1"/>
            <attribute name="name" optional="YES" attributeType="String" regularExpressionString="\\p{Lower}+"/>
            <fetchIndex name="byRank"><fetchIndexElement property="rank" type="Binary" order="descending"/></fetchIndex>
        </entity>
        <fetchRequest name="high" entity="Note" predicateString="rank &gt; $RANK"/>
    </model>"""
    with pinview.Model.from_bytes(xml, strict=True) as model, pinview.Coordinator(model) as coordinator:
        for said in ('"CDNote"', '"renamingIdentifier":"Memo"', '"versionHashModifier":"2"', '"byRank"', '["1.4"]'):
            assert said in model.to_json()
        coordinator.add_store()
        with pinview.Context(coordinator) as context:
            note = context.insert("Note", name="ähm")
            assert note.rank == 3
            context.save()
            assert list(context.fetch(model.fetch_request_from_template("high", RANK=2))) == [note]
            note.name, note.rank = "Two", 0
            with pytest.raises(pinview.MultipleValidationErrors) as raised:
                context.save()
            assert len(raised.value.detailed_errors) == 2


def test_mdl_03_indexes_have_conditions_and_expressions_as_far_as_sqlite_can(tmp_path: pathlib.Path) -> None:
    attributes = [
        {"name": name, "type": kind} for name, kind in [("rank", "integer64"), ("done", "boolean"), ("name", "string"), ("size", "double")]
    ]
    elements: list[dict[str, str]] = [{"property": "rank"}]
    indexes = [
        {"name": "open", "elements": elements, "predicate": "done == NO AND name IN {'a', 'it\\'s'}"},
        {"name": "double", "elements": [{"expression": "rank + rank"}]},
        {"name": "all", "elements": [{"property": "size"}], "predicate": "name CONTAINS 'a'"},
        {"name": "none", "elements": [{"expression": "lowercase:(name)"}]},
    ]
    text = json.dumps({"entities": [{"name": "Item", "attributes": attributes, "indexes": indexes}]})
    path = tmp_path / "items.sqlite"
    with pinview.Model.from_json(text) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("INSERT INTO ZITEM (Z_ENT, Z_OPT, ZRANK, ZDONE, ZNAME) VALUES (1, 1, 3, 0, 'it''s'), (1, 1, 3, 1, 'a')")
            connection.commit()
            found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'"))
        assert found == {
            "Z_Item_open": "CREATE INDEX Z_Item_open ON ZITEM (ZRANK COLLATE BINARY ASC) "
            "WHERE (ZDONE = 0 AND (ZNAME = 'a' OR ZNAME = 'it''s'))",
            "Z_Item_double": "CREATE INDEX Z_Item_double ON ZITEM ((ZRANK + ZRANK) COLLATE BINARY ASC)",
            "Z_Item_all": "CREATE INDEX Z_Item_all ON ZITEM (ZSIZE COLLATE BINARY ASC)",
        }
        with pinview.Context(coordinator) as context:
            for predicate, index, count in [
                ("rank == 3 AND done == NO AND name IN {'a', 'it\\'s'}", "Z_Item_open (ZRANK=?)", 1),
                ("rank + rank == 6", "Z_Item_double (<expr>=?)", 2),
            ]:
                assert context.explain("Item", predicate)[0].plan == [f"SEARCH t0 USING INDEX {index}"]
                assert context.count("Item", predicate) == count


def test_mdl_07_a_model_that_does_not_fit_is_refused_and_the_file_untouched(store: pathlib.Path) -> None:
    before = store.read_bytes()
    model = json.loads(pinview.Coordinator.model_of_store(store).to_json())
    for entity in model["entities"]:
        del entity["versionHash"]
    text = json.dumps(model)
    with pinview.Coordinator(pinview.Model.from_json(text)) as coordinator:
        coordinator.add_store(store, read_only=True)
    for old, new, said in (('"date"', '"string"', "made"), ('"made"', '"seen"', "SEEN"), ('"Tag"', '"Label"', "Label")):
        assert old in text
        with pinview.Model.from_json(text.replace(old, new)) as other, pinview.Coordinator(other) as coordinator:
            with pytest.raises(pinview.IncompatibleModelError, match=said):
                coordinator.add_store(store)
        assert store.read_bytes() == before and [each.name for each in store.parent.iterdir()] == [store.name]


@pytest.mark.parametrize("join", ["Z_1TAGS", "Z_2NOTES"])
def test_mdl_08_mdl_09_hashes_are_kept_and_join_tables_found_under_either_name(tmp_path: pathlib.Path, join: str) -> None:
    path = tmp_path / "notes.sqlite"
    make(path, tables(join))
    with pinview.Coordinator(pinview.Coordinator.model_of_store(path)) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            one = context.one("Note", "name == 'one'")
            assert sorted(tag.name for tag in one.tags) == ["blue", "red"]
            one.tags.remove(context.one("Tag", "name == 'red'"))
            one.name = "changed"
            context.save()
    connection = sqlite3.connect(path)
    assert connection.execute(f"SELECT * FROM {join} ORDER BY 1").fetchall() == [(1, 2), (2, 2)]
    assert connection.execute("SELECT Z_OPT, ZNAME FROM ZNOTE WHERE Z_PK = 1").fetchall() == [(2, "changed")]
    assert plistlib.loads(connection.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()[0])["NSStoreModelVersionHashes"] == HASHES
    connection.close()


def test_mdl_14_a_history_is_read_and_continued(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "notes.sqlite"
    make(path, tables("Z_1TAGS") + HISTORY)
    with pinview.Coordinator(pinview.Coordinator.model_of_store(path)) as coordinator:
        assert coordinator.add_store(path).is_read_only  # without the option
    with pinview.Coordinator(pinview.Coordinator.model_of_store(path)) as coordinator:
        coordinator.add_store(path, history_tracking=True)
        with pinview.Context(coordinator) as context:
            context.transaction_author = "mine"
            context.one("Note", "name == 'one'").name = "changed"
            context.save()
            first, second = context.history()
    assert (first.author, second.author) == ("sync", "mine")
    assert [(change.type.name.lower(), sorted(change.updated_properties)) for change in first.changes] == [("update", ["name"])]
    assert [sorted(change.updated_properties) for change in second.changes] == [["name"]]
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT Z_PK, hex(ZCOLUMNS) FROM ACHANGE ORDER BY 1").fetchall() == [(1, "10"), (2, "10")]
    assert connection.execute(
        "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = (SELECT ZAUTHORTS FROM ATRANSACTION WHERE Z_PK = 2)"
    ).fetchall() == [("mine",)]
    connection.close()
