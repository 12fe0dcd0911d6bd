"""MDL-12: composite attributes, whose elements are stored."""

from __future__ import annotations

import pathlib
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import pinview
from pinview import Attribute, Entity, Index, Model, Relationship, inspection
from pinview._declarations.stubs import source


def _model() -> Model:
    return Model(
        [
            Entity(
                "Shop",
                [
                    Attribute("name", "string"),
                    Attribute(
                        "location",
                        "composite",
                        elements=[
                            Attribute("latitude", "double", optional=False, maximum_value=90),
                            Attribute("longitude", "double", default=5.0),
                            Attribute("area", "composite", elements=[Attribute("city", "string"), Attribute("key", "uuid")]),
                        ],
                    ),
                ],
                [Relationship("owner", "Owner", inverse="shops")],
                indexes=[Index("by_latitude", ["location.latitude"])],
            ),
            Entity(
                "Owner",
                [Attribute("name", "string"), Attribute("home", "composite", elements=[Attribute("city", "string")])],
                [Relationship("shops", "Shop", inverse="owner", to_many=True)],
            ),
        ]
    )


@pytest.fixture
def context(tmp_path: pathlib.Path) -> Iterator[Any]:
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(tmp_path / "shops.sqlite")
        with pinview.Context(coordinator) as made:
            yield made


def _second(context: Any) -> Any:
    return pinview.Context(context.coordinator)


def test_mdl_12_entities_tell_their_composite_attributes() -> None:
    model = _model()
    shop = model.entity("Shop")

    assert list(shop.properties) == [
        "name", "location.latitude", "location.longitude", "location.area.city", "location.area.key", "owner",
    ]  # fmt: skip
    assert shop.composites["location"] == pinview.CompositeAttribute(
        "location", True, ("location.latitude", "location.longitude", "location.area.city", "location.area.key")
    )
    assert shop.composites["location.area"].leaves == ("location.area.city", "location.area.key")
    assert shop.attribute_names == ["name", "location"]
    assert Model.from_json(model.to_json(), strict=True) == model


def test_mdl_12_a_composite_is_a_dictionary_of_its_elements(context: Any) -> None:
    shop = context.insert("Shop", name="a", location={"latitude": 48.5, "area": {"city": "Paris"}})
    expected = {"latitude": 48.5, "longitude": 5.0, "area": {"city": "Paris", "key": None}}

    assert shop.location == shop["location"] == expected
    assert shop["location.latitude"] == 48.5
    assert shop["location.area"] == {"city": "Paris", "key": None}
    assert shop.to_dict() == {"name": "a", "location": expected}
    assert "location" in shop and "location.latitude" in shop
    assert "location" in dir(shop) and "location.latitude" not in dir(shop)
    context.save()
    with _second(context) as reader:
        read = reader.fetch("Shop")[0]
        assert read.location == expected
        assert "location={'latitude': 48.5" in repr(read)


def test_mdl_12_it_is_set_as_a_whole_or_by_element(context: Any) -> None:
    shop = context.insert("Shop", location={"latitude": 1, "area": {"key": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}})
    assert str(shop["location.area.key"]).startswith("e621e1f8")

    shop.location = {"latitude": 2.0, "longitude": None, "area": None}
    assert shop.location == {"latitude": 2.0, "longitude": None, "area": None}
    shop["location.area.city"] = "Rome"
    assert shop.location["area"] == {"city": "Rome", "key": None}
    shop["location.area"] = None
    assert shop.location["area"] is None
    shop.location = {}
    assert shop.location == {"latitude": None, "longitude": 5.0, "area": None}
    shop.location = None
    assert shop.location is None
    assert shop["location.longitude"] is None


def test_mdl_12_values_that_do_not_fit_change_nothing(context: Any) -> None:
    shop = context.insert("Shop", location={"latitude": 1.0})
    before = shop.location

    with pytest.raises(pinview.UnknownKeyError, match="height"):
        shop.location = {"latitude": 2.0, "height": 3.0}
    with pytest.raises(pinview.WrongTypeError, match=r"location\.area\.city"):
        shop.location = {"latitude": 2.0, "area": {"city": 7}}
    with pytest.raises(pinview.WrongTypeError, match="latitude, longitude, area"):
        shop.location = 7
    with pytest.raises(pinview.UnknownKeyError, match="composite attribute"):
        context.fetch("Shop", "location == 1")
    with pytest.raises(pinview.UnknownKeyError, match=r"location\.latitude"):
        shop.values("location")
    assert shop.location == before


def test_mdl_12_validation_names_the_key_path(context: Any) -> None:
    shop = context.insert("Shop", location=None)
    context.save()
    shop["location.area.city"] = "Rome"
    with pytest.raises(pinview.ValidationError, match=r"Shop\.location\.latitude"):
        context.save()
    shop["location.latitude"] = 91
    with pytest.raises(pinview.ValidationError, match=r"Shop\.location\.latitude.*90"):
        context.save()


def test_mdl_12_requests_use_key_paths(context: Any) -> None:
    owner = context.insert("Owner", name="o", home={"city": "Oslo"})
    context.insert("Shop", name="a", location={"latitude": 59.0, "area": {"city": "Oslo"}}, owner=owner)
    context.insert("Shop", name="b", location={"latitude": 48.0, "area": {"city": "Paris"}})
    context.save()

    assert [each.name for each in context.fetch("Shop", "location.latitude > 50")] == ["a"]
    assert [each.name for each in context.fetch("Shop", "owner.home.city == location.area.city")] == ["a"]
    assert [each.name for each in context.fetch("Shop", sort="location.latitude")] == ["b", "a"]
    rows = context.fetch_dictionaries("Shop", ["name", "location.area", "owner.home"], "name == 'a'")
    assert list(rows) == [{"name": "a", "location.area.city": "Oslo", "location.area.key": None, "owner.home.city": "Oslo"}]
    assert list(context.fetch_columns("Shop", ["location.latitude"], sort="name").rows()) == [(59.0,), (48.0,)]
    assert context.batch_update("Shop", {"location.longitude": 7.0}, result=pinview.BatchResult.COUNT) == 2
    assert context.insert_many("Shop", {"name": ["c"], "location.latitude": [3.0]})[0].location["latitude"] == 3.0


def test_mdl_12_changes_and_snapshots_have_the_elements(context: Any) -> None:
    shop = context.insert("Shop", name="a", location={"latitude": 1.0})
    context.save()
    shop.location = {"latitude": 2.0}

    assert shop.changed_values() == {"location.latitude": 2.0}
    assert shop.committed_values(["location.latitude"]) == {"location.latitude": 1.0}
    snapshot = shop.snapshot()
    assert snapshot.location == {"latitude": 2.0, "longitude": 5.0, "area": None}
    assert snapshot["location.latitude"] == 2.0
    assert pickle.loads(pickle.dumps(snapshot)) == snapshot


def test_mdl_12_transformers_work_in_elements(tmp_path: pathlib.Path) -> None:
    model = Model.from_json(
        """{"entities": [{"name": "Thing", "attributes": [{"name": "look", "type": "composite", "elements": [
            {"name": "colour", "type": "transformable", "valueTransformerName": "CompositeLooks"}]}]}]}"""
    )
    transformer = pinview.ValueTransformer(lambda data: complex(data.decode()), lambda value: str(value).encode())
    pinview.set_value_transformer("CompositeLooks", transformer)
    try:
        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(tmp_path / "things.sqlite")
            with pinview.Context(coordinator) as context:
                thing = context.insert("Thing", look={"colour": 2j})
                context.save()
                assert thing.look == {"colour": 2j}
                assert thing["look.colour"] == 2j
    finally:
        pinview.set_value_transformer("CompositeLooks", None)


def test_mdl_12_stubs_and_summaries_name_the_elements(context: Any, tmp_path: pathlib.Path) -> None:
    context.insert("Shop", name="a", location={"latitude": 59.0})
    context.save()

    text = source(context.coordinator.model)
    compile(text, "stubs.py", "exec")
    assert "object['location']" in text
    summary = inspection.inspect(tmp_path / "shops.sqlite")
    shop = next(each for each in summary.entities if each.name == "Shop")
    assert "location.latitude" in [each.name for each in shop.attributes]
