"""Values of numpy and pandas, dates and texts of UUIDs are taken where values are (issue 19, point
7).
"""

from __future__ import annotations

import datetime
import pathlib
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import pinview
from pinview import Attribute, Entity

KINDS = {"text": "string", "number": "integer64", "real": "double", "sure": "boolean", "moment": "date", "key": "uuid"}
DAY = datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc)


@pytest.fixture
def things(tmp_path: pathlib.Path) -> Iterator[pinview.Context]:
    entity = Entity("Thing", attributes=[Attribute(name, kind) for name, kind in KINDS.items()])
    with pinview.Model([entity]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            yield context


def given() -> list[tuple[str, Any, Any]]:
    """Attributes with values of other packages, and the values that they stand for."""
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    return [
        ("number", numpy.int64(3), 3),
        ("number", numpy.uint8(3), 3),
        ("number", pandas.NA, None),
        ("real", numpy.float32(0.5), 0.5),
        ("real", numpy.float64(0.25), 0.25),
        ("sure", numpy.bool_(True), True),
        ("text", numpy.str_("a"), "a"),
        ("text", pandas.NA, None),
        ("moment", datetime.date(2020, 1, 2), DAY),
        ("moment", pandas.Timestamp("2020-01-02", tz="UTC"), DAY),
        ("moment", numpy.datetime64("2020-01-02"), DAY),
        ("moment", numpy.datetime64("2020-01-02T00:00:00.000000000"), DAY),
        ("moment", pandas.NaT, None),
        ("moment", numpy.datetime64("NaT"), None),
    ]


def test_valuesOfOtherPackagesAreTaken(things: pinview.Context) -> None:
    for name, value, expected in given():
        thing = things.insert("Thing", **{name: value})
        assert thing[name] == expected, (name, value)
        setattr(thing, name, value)
        (made,) = things.insert_many("Thing", {name: [value]})
        assert made[name] == expected, (name, value)
        if expected is not None:
            assert things.count("Thing", f"{name} == %@", [value]) == 2, (name, value)
            assert things.count("Thing", f"{name} IN %@", [[value]]) == 2, (name, value)
        things.reset()


def test_textsOfUUIDsAreTaken(things: pinview.Context) -> None:
    key = uuid.uuid4()
    thing = things.insert("Thing", key=str(key))
    assert thing.key == key
    thing.key = key.hex
    assert thing.key == key
    thing.key = None
    with pytest.raises(pinview.WrongTypeError, match=r"Thing.key is of type uuid; it cannot take the string 'x', which is not a UUID"):
        thing.key = "x"


def test_anArrayIsNoValue(things: pinview.Context) -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(pinview.WrongTypeError, match="which no attribute can hold"):
        things.insert("Thing", number=numpy.array([1, 2]))
    assert things.count("Thing", "number IN %@", [numpy.array([1, 2])]) == 0
