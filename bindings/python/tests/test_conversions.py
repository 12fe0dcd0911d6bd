"""Values on their way to the store and back."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import math
import pathlib
import random
import sqlite3
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import pinview
from pinview import Attribute, Entity

UTC = datetime.timezone.utc
TYPES = (
    "integer16",
    "integer32",
    "integer64",
    "decimal",
    "double",
    "float",
    "string",
    "boolean",
    "date",
    "binaryData",
    "uuid",
    "uri",
)


@pytest.fixture
def values(tmp_path: pathlib.Path) -> Iterator[pinview.Context]:
    """A context with one entity that has an attribute of each type, named after it."""
    model = pinview.Model([Entity("Thing", attributes=[Attribute(name, name) for name in TYPES])])
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            yield context


def execute(tmp_path: pathlib.Path, statement: str) -> None:
    """Changes the store by hand."""
    with contextlib.closing(sqlite3.connect(tmp_path / "things.sqlite")) as connection, connection:
        connection.execute(statement)


def through_the_store(context: pinview.Context, name: str, value: Any) -> Any:
    """Writes the value, saves, forgets it, and reads it again: as an attribute and in a block of rows, which must agree."""
    thing = context.insert("Thing", **{name: value})
    context.save()
    context.refresh(thing, merge_changes=False)
    assert thing.is_fault
    back = thing[name]
    (row,) = context.values("Thing", [name], predicate="SELF == %@", arguments=[thing])
    assert repr(row[0]) == repr(back)
    return back


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("integer16", -32768),
        ("integer32", 2**31 - 1),
        ("integer64", -(2**63)),
        ("integer64", 2**63 - 1),
        ("decimal", decimal.Decimal("-12345678.9012345")),
        ("double", 0.1),
        ("double", -math.inf),
        ("float", 0.5),
        ("string", ""),
        ("string", "Grüße, 世界 \N{SNOWMAN} with a NUL\0 inside"),
        ("boolean", True),
        ("boolean", False),
        ("date", datetime.datetime(2024, 2, 29, 12, 34, 56, 789012, tzinfo=UTC)),
        ("date", datetime.datetime(1500, 1, 1, tzinfo=UTC)),
        ("date", datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("binaryData", b""),
        ("binaryData", bytes(range(256)) * 300),
        ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
        ("uri", "https://example.org/a?b=c"),
    ],
)
def test_valueComesBack(values: pinview.Context, name: str, value: Any) -> None:
    back = through_the_store(values, name, value)
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize("name", TYPES)
def test_noneIsNull(values: pinview.Context, name: str) -> None:
    assert through_the_store(values, name, None) is None


def test_notANumber(values: pinview.Context) -> None:
    assert values.insert("Thing", double=math.nan).double != 0


def test_numbersWidenWithoutLoss(values: pinview.Context) -> None:
    assert through_the_store(values, "double", 3) == 3.0
    assert through_the_store(values, "decimal", 3) == decimal.Decimal(3)


def test_aDateOfAnotherTimeZoneComesBackInUTC(values: pinview.Context) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    back = through_the_store(values, "date", datetime.datetime(2020, 1, 1, 5, 30, tzinfo=zone))
    assert back == datetime.datetime(2020, 1, 1, tzinfo=UTC)
    assert back.tzinfo is UTC


def test_theLastMomentOfPythonCanBeReadAgain(values: pinview.Context) -> None:
    last = datetime.datetime.max.replace(tzinfo=UTC)
    back = through_the_store(values, "date", last)
    # A date has as many digits as a double.
    assert datetime.timedelta(0) < last - back < datetime.timedelta(microseconds=40)
    assert list(values.fetch_columns("Thing", ["date"]).rows()) == [(back,)]


def test_datesAreWhatTimedeltaMakesOfTheirSeconds(values: pinview.Context, tmp_path: pathlib.Path) -> None:
    numbers = random.Random(20)
    seconds = [-63_113_904_000.0, 252_423_993_599.0, 0.0, -0.0, 0.0000005, -0.0000005, 1.0000015, 31_535_999.9999995]
    seconds += [numbers.uniform(-63e9, 252e9) for _ in range(500)]
    seconds += [numbers.randrange(-(10**9), 10**9) + numbers.randrange(1 << 22) / (1 << 22) for _ in range(500)]
    # The last days of years and months, and what follows them.
    seconds += [86400.0 * (day + 365 * numbers.randrange(-2000, 7900)) for day in range(-400, 400)]
    expected = [datetime.datetime(2001, 1, 1, tzinfo=UTC) + datetime.timedelta(seconds=each) for each in seconds]
    values.insert_many("Thing", {"date": expected, "double": seconds, "integer64": list(range(len(seconds)))})
    values.save()
    execute(tmp_path, "UPDATE ZTHING SET ZDATE = ZDOUBLE")
    with pinview.Context(values.coordinator) as context:
        fetched = list(context.fetch("Thing", sort="integer64"))
        assert [each.date for each in fetched] == expected
        assert {each.date.tzinfo for each in fetched} == {UTC}
        ids = [each.object_id for each in fetched]
    with pinview.Context(values.coordinator) as context:
        assert [context.existing_object(each).date for each in ids] == expected


def test_aDateThatPythonHasNotIsToldToWhoAsksForIt(values: pinview.Context, tmp_path: pathlib.Path) -> None:
    moment = datetime.datetime(2020, 2, 29, tzinfo=UTC)
    values.insert_many("Thing", {"date": [moment] * 4, "integer16": [1, 2, 3, 4]})
    values.save()
    execute(tmp_path, "UPDATE ZTHING SET ZDATE = 300000000000.0 WHERE ZINTEGER16 = 2")
    with pinview.Context(values.coordinator) as context:
        fetched = list(context.fetch("Thing", sort="integer16"))
        for things in (fetched, [context.existing_object(each.object_id) for each in fetched]):
            assert [thing.date for thing in things if thing.integer16 != 2] == [moment] * 3
            with pytest.raises(pinview.DataError, match="outside of what datetime can represent"):
                things[1].date  # noqa: B018 (it is read)
        with pytest.raises(pinview.DataError, match="outside of what datetime can represent"):
            list(context.fetch_columns("Thing", ["date"]).rows())


def test_bytesLikeValues(values: pinview.Context) -> None:
    assert through_the_store(values, "binaryData", bytearray(b"abc")) == b"abc"
    assert through_the_store(values, "binaryData", memoryview(b"abcdef")[::2]) == b"ace"


def test_aDateWithoutTimeZoneIsRefused(values: pinview.Context) -> None:
    with pytest.raises(pinview.WrongTypeError, match="time zone"):
        values.insert("Thing", date=datetime.datetime(2020, 1, 1))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**40])
def test_numbersBeyond64BitsAreRefused(values: pinview.Context, value: int) -> None:
    with pytest.raises(pinview.OutOfRangeError, match="64 bits") as caught:
        values.insert("Thing", integer64=value)
    assert isinstance(caught.value, OverflowError)


@pytest.mark.parametrize("value", [object(), 1j, {}, {1}, datetime.date(2020, 1, 1), range(3)])
def test_typesThatNoAttributeHolds(values: pinview.Context, value: Any) -> None:
    thing = values.insert("Thing", string="before")
    with pytest.raises(pinview.WrongTypeError) as caught:
        thing.string = value
    assert isinstance(caught.value, TypeError)
    assert thing.string == "before"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("integer64", "3"),
        ("integer64", 3.5),
        ("integer16", 40000),
        ("string", 3),
        ("string", b"bytes"),
        ("boolean", "yes"),
        ("date", 3.0),
        ("uuid", "12345678-1234-5678-1234-567812345678"),
        ("binaryData", "text"),
        ("decimal", "3.14"),
    ],
)
def test_STO_19_aValueOfAWrongTypeChangesNothing(values: pinview.Context, name: str, value: Any) -> None:
    thing = values.insert("Thing")
    with pytest.raises((pinview.WrongTypeError, pinview.OutOfRangeError), match=name):
        thing[name] = value
    assert thing[name] is None


def test_textThatIsNoUTF8(values: pinview.Context) -> None:
    with pytest.raises(pinview.InvalidTextError):
        values.insert("Thing", string="\ud800")


def test_extremeDecimals(values: pinview.Context) -> None:
    thing = values.insert("Thing", decimal=decimal.Decimal("NaN"))
    assert thing.decimal.is_nan()
    with pytest.raises(pinview.Error):
        thing.decimal = decimal.Decimal("Infinity")
    with pytest.raises(pinview.Error):
        thing.decimal = decimal.Decimal("1E+1000000")


def test_defaultsOfTheModel(tmp_path: pathlib.Path) -> None:
    defaults: dict[str, Any] = {
        "integer64": -5,
        "decimal": decimal.Decimal("1.25"),
        "double": 0.5,
        "string": 'a "quoted" text',
        "boolean": True,
        "date": datetime.datetime(2001, 1, 2, tzinfo=UTC),
        "binaryData": b"\0\xff",
        "uuid": uuid.UUID(int=7),
    }
    model = pinview.Model([Entity("Thing", attributes=[Attribute(name, name, default=value) for name, value in defaults.items()])])
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            thing = context.insert("Thing")
            assert {name: thing[name] for name in defaults} == defaults


def test_predicateArgumentsOfEachType(values: pinview.Context) -> None:
    samples: dict[str, Any] = {
        "integer64": 42,
        "decimal": decimal.Decimal("1.5"),
        "double": 2.5,
        "string": 'it\'s 100% "quoted"',
        "boolean": True,
        "date": datetime.datetime(2020, 5, 5, tzinfo=UTC),
        "uuid": uuid.UUID(int=99),
        "binaryData": b"\x01\x02",
    }
    thing = values.insert("Thing", **samples)
    values.insert("Thing")
    values.save()
    for name, value in samples.items():
        assert list(values.fetch("Thing", predicate=f"{name} == %@", arguments=[value])) == [thing], name
    assert list(values.fetch("Thing", predicate="integer64 IN %@", arguments=[[41, 42]])) == [thing]
    assert list(values.fetch("Thing", predicate="integer64 IN %@", arguments=[(number for number in (42,))])) == [thing]
    assert list(values.fetch("Thing", predicate="SELF == %@", arguments=[thing.object_id])) == [thing]
    assert values.count("Thing", predicate="string == %@", arguments=[None]) == 1
