"""MDL-17: what a store lacks of a larger model, and values readable and raw."""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
import pathlib
import plistlib
import subprocess
import sys
import uuid
from decimal import Decimal

import pytest

import pinview
from pinview import KEYED_ARCHIVE, Attribute, Entity, Relationship, inspection

BORN = datetime.datetime(2001, 1, 2, 0, 0, 0, 500_000, tzinfo=datetime.timezone.utc)
TAG = uuid.UUID(int=7)


def small_model() -> pinview.Model:
    return pinview.Model(
        [
            Entity(
                "Person",
                attributes=[Attribute("name", "string"), Attribute("born", "date"), Attribute("likes", "transformable")],
                relationships=[Relationship("cars", "Car", inverse="owner", to_many=True)],
            ),
            Entity("Car", attributes=[Attribute("plate", "string")], relationships=[Relationship("owner", "Person", inverse="cars")]),
        ]
    )


def large_model() -> pinview.Model:
    return pinview.Model(
        [
            Entity(
                "Person",
                attributes=[
                    Attribute("name", "string"),
                    Attribute("age", "integer16"),
                    Attribute("born", "date"),
                    Attribute("likes", "transformable"),
                ],
                relationships=[
                    Relationship("cars", "Car", inverse="owner", to_many=True),
                    Relationship("pets", "Pet", inverse="owner", to_many=True),
                ],
            ),
            Entity("Car", attributes=[Attribute("plate", "string")], relationships=[Relationship("owner", "Person", inverse="cars")]),
            Entity("Pet", attributes=[Attribute("name", "string")], relationships=[Relationship("owner", "Person", inverse="pets")]),
        ]
    )


@pytest.fixture
def store(tmp_path: pathlib.Path) -> pathlib.Path:
    """A store of the small model: Ada with a birthday, what she likes and a car, and Bob."""
    path = tmp_path / "people.sqlite"
    with small_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            likes = KEYED_ARCHIVE.encode({"colours": ["red", None], "since": BORN, "tag": TAG})
            ada = context.insert("Person", name="Ada", born=BORN, likes=likes)
            context.insert("Person", name="Bob", likes=b"\x00\x01")
            context.insert("Car", plate="B-1", owner=ada)
            context.save()
    return path


@pytest.fixture
def model_file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "large.json"
    with large_model() as model:
        path.write_text(model.to_json())
    return path


def command(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pinview", *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == status, done.stderr
    return done


def test_mdl_17_a_store_tells_what_it_lacks(store: pathlib.Path) -> None:
    with large_model() as model, pinview.Coordinator(model) as coordinator:
        with pytest.raises(pinview.IncompatibleModelError, match=r"allowMissing.*Person\.age, Person\.pets, Pet"):
            coordinator.add_store(store, read_only=True)
        with pytest.raises(pinview.InvalidArgumentError, match="readOnly"):
            coordinator.add_store(store, allow_missing=True)
        added = coordinator.add_store(store, read_only=True, allow_missing=True)
        assert [str(each) for each in added.missing] == ["Person.age", "Person.pets", "Pet"]
        assert added.missing[2] == pinview.MissingElement("Pet")
        assert (added.lacks("Pet"), added.lacks("Car"), added.lacks("Person", "age"), added.lacks("Person", "name")) == (
            True,
            False,
            True,
            False,
        )
        with pytest.raises(pinview.UnknownEntityError):
            added.lacks("Ghost")
        with pytest.raises(pinview.UnknownKeyError):
            added.lacks("Person", "ghost")


def test_mdl_17_objects_of_such_a_store(store: pathlib.Path) -> None:
    with inspection.open_store(store, large_model(), allow_missing=True) as context:
        ada, bob = context.fetch("Person", sort="name")
        assert (ada.age, bob.age, list(ada.pets), ada.born) == (None, None, [], BORN)
        assert context.count("Pet") == 0
        assert context.count("Person", "age == nil AND pets.@count == 0") == 2
        assert [each.name for each in context.fetch("Person", sort=["-age", "-name"])] == ["Bob", "Ada"]
        assert (ada.examine("age").readable, ada.examine("age").raw, ada.examine("age").is_missing) == (None, None, True)
        assert not ada.examine("name").is_missing
        with context.fetch_columns("Person", ["name", "age"], sort=["name"]) as columns:
            assert list(columns.rows()) == [("Ada", None), ("Bob", None)]
        ada.age = 3
        with pytest.raises(pinview.SaveError):
            context.save()


def test_mdl_17_a_value_is_readable_and_raw(store: pathlib.Path) -> None:
    with inspection.open_store(store) as context:
        ada, bob = context.fetch("Person", sort="name")
        assert ada.examine("born") == pinview.ExaminedValue("2001-01-02T00:00:00.5Z", 86400.5, False)
        assert ada.examine("likes").readable == {"colours": ["red", None], "since": "2001-01-02T00:00:00.5Z", "tag": str(TAG).upper()}
        assert ada.examine("likes").raw == ada["likes"]
        assert bob.examine("likes").readable == {"$bytes": 2, "$base64": "AAE="}
        assert ada.examine("cars").readable == [each.object_id.uri for each in ada.cars]
        assert context.fetch("Car")[0].examine("owner").raw == 1


def test_mdl_17_values_of_the_program_are_readable() -> None:
    assert pinview.readable(None) is None
    assert pinview.readable(BORN) == "2001-01-02T00:00:00.5Z"
    assert pinview.readable(Decimal("1.50")) in ("1.5", "1.50")
    assert pinview.readable(TAG) == str(TAG).upper()
    assert pinview.readable(plistlib.dumps({"a": [1, True]}, fmt=plistlib.FMT_BINARY)) == {"a": [1, True]}
    assert pinview.readable(plistlib.dumps([b"\x01"])) == [{"$bytes": 1, "$base64": "AQ=="}]
    assert pinview.readable(b"bplist00 and nothing more")["$bytes"] == 25


def test_mdl_17_no_class_of_an_archive_is_made() -> None:
    archive = {
        "$archiver": "NSKeyedArchiver",
        "$version": 100000,
        "$top": {"root": plistlib.UID(1)},
        "$objects": [
            "$null",
            {"$class": plistlib.UID(2), "red": 0.5, "next": plistlib.UID(1)},
            {"$classname": "os.system", "$classes": ["os.system"]},
        ],
    }
    data = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
    assert pinview.readable(data) == {"$class": "os.system", "next": {"$circular": 1}, "red": 0.5}


def test_mdl_17_inspect_lists_what_is_missing(store: pathlib.Path, model_file: pathlib.Path) -> None:
    assert "allowMissing" in command("inspect", store, "--model", model_file, status=1).stderr
    shown = command("inspect", store, "--model", model_file, "--allow-missing").stdout
    assert "missing     Person.age, Person.pets, Pet" in shown
    lines = [line.split() for line in shown.splitlines()]
    assert ["age", "int16", "not", "in", "this", "store"] in lines
    assert ["pets", "set", "of", "Pet", "not", "in", "this", "store"] in lines
    assert ["Pet", "0", "not", "in", "this", "store"] in lines
    assert '"colours": ["red", null]' in command("inspect", store, "--entity", "Person", "--samples", "1").stdout
    summary = json.loads(command("inspect", store, "--model", model_file, "--allow-missing", "--json").stdout)
    assert summary["missing"] == ["Person.age", "Person.pets", "Pet"]
    _, person, pet = summary["entities"]
    assert (person["missing"], pet["missing"]) == (False, True)
    assert {each["name"] for each in person["attributes"] if each["missing"]} == {"age"}
    likes = next(each for each in person["attributes"] if each["name"] == "likes")
    assert likes["samples"][0]["colours"] == ["red", None]
    assert likes["samples"][1] == {"$bytes": 2, "$base64": "AAE="}


def test_mdl_17_a_query_tells_no_rows_from_no_entity(store: pathlib.Path, model_file: pathlib.Path) -> None:
    options = ("--model", model_file, "--allow-missing")
    none = command("query", store, "Pet", *options)
    assert none.stdout == "objectID,name,owner\n"
    assert none.stderr == "pinview: The store does not have the entity Pet.\n"
    some = command("query", store, "Person", "age == nil", "--columns", "name,age", "--format", "jsonl", *options)
    assert [json.loads(line) for line in some.stdout.splitlines()] == [{"name": "Ada", "age": None}, {"name": "Bob", "age": None}]
    assert some.stderr == "pinview: The store does not have these properties of Person: age.\n"
    assert command("query", store, "Person", "--columns", "name", *options).stderr == ""


def test_mdl_17_a_query_shows_values_readable_and_raw(store: pathlib.Path, model_file: pathlib.Path) -> None:
    options = ("--sort", "name", "--columns", "name,born,likes", "--format", "jsonl")
    ada, bob = map(json.loads, command("query", store, "Person", "--readable", *options).stdout.splitlines())
    assert list(ada) == ["name", "born", "likes"]
    assert (ada["born"], ada["likes"]["colours"], bob["likes"]) == (
        "2001-01-02T00:00:00.5Z",
        ["red", None],
        {"$bytes": 2, "$base64": "AAE="},
    )
    ada, bob = map(json.loads, command("query", store, "Person", "--raw", *options).stdout.splitlines())
    assert list(ada) == ["name", "name:raw", "born", "born:raw", "likes", "likes:raw"]
    assert (ada["born:raw"], bob["born:raw"], bob["likes:raw"]) == (86400.5, None, "AAE=")
    missing = command(
        "query", store, "Person", "--raw", "--columns", "age", "--model", model_file, "--allow-missing", "--format", "json"
    ).stdout
    assert json.loads(missing) == [{"age": None, "age:raw": None, "age:missing": True}] * 2
    paths = command("query", store, "Car", "--raw", "--columns", "plate,owner.born,owner", "--format", "csv").stdout
    assert list(csv.reader(io.StringIO(paths)))[1][:4] == ["B-1", "B-1", "2001-01-02T00:00:00.5Z", "86400.5"]
    assert list(csv.reader(io.StringIO(paths)))[1][5] == "1"
    assert "colours" in command("query", store, "Person", "--format", "table").stdout
    for wrong in ("cars.plate", "ghost"):
        assert command("query", store, "Person", "--raw", "--columns", wrong, status=1).stderr
    assert command("query", store, "--sql", "SELECT 1", "--raw", status=1).stderr


def test_mdl_17_exports_are_readable_and_raw(store: pathlib.Path, model_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    target = tmp_path / "people.jsonl"
    options = ("--model", model_file, "--allow-missing", "--raw")
    command("export", store, "--entity", "Person", "-o", target, "--sort", "name", *options)
    ada = json.loads(target.read_text(encoding="utf-8").splitlines()[0])
    assert (ada["objectID"][:13], ada["born:raw"], ada["age:missing"]) == ("x-coredata://", 86400.5, True)
    piped = command("export", store, "--entity", "Person", "--format", "json", "--readable").stdout
    assert [each["name"] for each in json.loads(piped)] == ["Ada", "Bob"]
    folder = tmp_path / "all"
    command("export", store, "--all", "-o", folder, "--format", "csv", *options)
    assert sorted(each.name for each in folder.iterdir()) == ["Car.csv", "Person.csv", "Pet.csv"]
    assert (folder / "Pet.csv").read_text() == "objectID,name,name:raw,name:missing,owner,owner:raw,owner:missing\n"
    assert inspection.export(store, "Person", tmp_path / "f.json", readable=True, properties=["name", "likes"]) == 2
    assert (
        "cannot be written as parquet"
        in command("export", store, "--entity", "Person", "-o", tmp_path / "x.parquet", "--raw", status=1).stderr
    )
    assert not (tmp_path / "x.parquet").exists()


def test_mdl_17_no_byte_of_the_store_changes(store: pathlib.Path, model_file: pathlib.Path) -> None:
    def state() -> dict[str, str]:
        return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(store.parent.iterdir())}

    before = state()
    for arguments in (("inspect", store), ("query", store, "Person", "--raw"), ("export", store, "--entity", "Pet", "--readable")):
        command(*arguments, "--model", model_file, "--allow-missing")
    assert state() == before


def test_mdl_17_elements_of_composite_attributes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "shops.sqlite"
    place = Attribute("place", "composite", elements=[Attribute("city", "string"), Attribute("opened", "date")])
    old = pinview.Model([Entity("Shop", [Attribute("name", "string"), place])])
    area = Attribute("area", "composite", elements=[Attribute("size", "double")])
    new = pinview.Model([Entity("Shop", [Attribute("name", "string"), place, area])])
    with pinview.Coordinator(old) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Shop", name="A")["place.opened"] = BORN
            context.save()
    with inspection.open_store(path, new, allow_missing=True) as context:
        assert [str(each) for each in inspection.coordinator_of(context).stores[0].missing] == ["Shop.area.size"]
        shop = context.fetch("Shop")[0]
        assert shop.examine("place.opened").raw == 86400.5
        assert shop.examine("place").readable == {"city": None, "opened": "2001-01-02T00:00:00.5Z"}
        assert shop.examine("area") == pinview.ExaminedValue(None, None, True)
        names, rows = inspection.examined_rows(context, "Shop", properties=["place.opened", "area.size"], raw=True)
        assert names == ["place.opened", "place.opened:raw", "area.size", "area.size:raw", "area.size:missing"]
        assert list(rows) == [["2001-01-02T00:00:00.5Z", 86400.5, None, None, True]]
