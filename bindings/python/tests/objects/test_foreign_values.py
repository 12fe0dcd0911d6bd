"""Values of numpy and pandas, dates and texts of UUIDs are taken where values are (issue 19, point
7).
"""

from __future__ import annotations

import datetime
import enum
import pathlib
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import pinview
from pinview import Attr, Attribute, Entity, attribute

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


def test_missingValuesOfPandasColumnsAreNone(things: pinview.Context) -> None:
    """pandas says what is missing with NaN in columns of any type."""
    pandas = pytest.importorskip("pandas")
    columns = {
        "text": pandas.Series(["a", None]),
        "number": pandas.array([3, None], dtype="Int64"),
        "real": pandas.Series([0.5, None]),
        "sure": pandas.array([True, None], dtype="boolean"),
        "moment": pandas.Series([pandas.Timestamp("2020-01-02", tz="UTC"), None]),
    }
    present = ("a", 3, 0.5, True, DAY)
    for given in (columns, pandas.DataFrame(columns)):
        made = things.insert_many("Thing", given)
        assert made.values(*columns) == [present, (None,) * 5]
        things.reset()
    things.batch_insert("Thing", columns=columns)
    assert list(things.values("Thing", list(columns), sort="text")) == [(None,) * 5, present]


class Light(enum.Enum):
    RED = 1
    GREEN = 2


class Signal(pinview.Object):
    day: Attr[datetime.date | None] = attribute(default=None)
    length: Attr[datetime.timedelta | None] = attribute(default=None)
    light: Attr[Light | None] = attribute(default=None)


def test_convertedValuesAreTakenFromOtherPackagesToo(tmp_path: pathlib.Path) -> None:
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    day, length = datetime.date(2020, 1, 2), datetime.timedelta(seconds=90)
    given: list[tuple[str, Any, Any]] = [
        ("day", numpy.datetime64("2020-01-02"), day),
        ("day", numpy.datetime64("NaT"), None),
        ("day", pandas.NaT, None),
        ("day", pandas.NA, None),
        ("length", numpy.timedelta64(90, "s"), length),
        ("length", numpy.timedelta64(90_000_000_000, "ns"), length),
        ("length", pandas.Timedelta(seconds=90), length),
        ("length", pandas.NaT, None),
        ("light", numpy.int64(2), Light.GREEN),
        ("light", pandas.NA, None),
    ]
    with pinview.Model([Signal]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "signals.sqlite")
        with pinview.Context(coordinator) as context:
            for name, value, expected in given:
                signal = context.insert(Signal, **{name: value})
                assert getattr(signal, name) == expected, (name, value)
                assert context.count(Signal, getattr(Signal, name) == value) == 1, (name, value)
                context.reset()
            with pytest.raises(pinview.WrongTypeError, match=r"Signal.day: Expected a datetime.date or None, .* pass its date\(\)"):
                context.insert(Signal, day=pandas.Timestamp("2020-01-02T03:00"))
            with pytest.raises(pinview.WrongTypeError, match=r"Signal.length: Expected a datetime.timedelta or None, got 3 \(int\)"):
                context.insert(Signal, length=3)


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
