"""values() reads only the columns that are named, as long as objects show the same (W19)."""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import pinview

ROWS = 300


@pytest.fixture
def context(tmp_path: Any) -> Iterator[pinview.Context]:
    attributes = [
        pinview.Attribute(name, kind)
        for name, kind in {
            "name": "string",
            "small": "integer16",
            "large": "integer64",
            "share": "double",
            "isOn": "boolean",
            "code": "uuid",
            "at": "date",
            "fraction": "float",
        }.items()
    ]
    thing = pinview.Entity("Thing", attributes=attributes)
    more = pinview.Entity("More", parent="Thing", attributes=[pinview.Attribute("extra", "string")])
    with pinview.Model([thing, more]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as writer:
            for row in range(ROWS):
                writer.insert(
                    "More" if row % 5 == 0 else "Thing",
                    name=None if row % 7 == 0 else f"thing {row} ä",
                    small=row - 100,
                    large=None if row % 11 == 0 else row << 40,
                    share=row / 8,
                    isOn=row % 2 == 0,
                    code=uuid.UUID(int=row),
                )
            writer.save()
        with pinview.Context(coordinator) as found:
            yield found


NAMES = ("name", "small", "large", "share", "isOn", "code")


def statements(work: Any) -> list[str]:
    lines: list[str] = []
    with pinview.sql_log(lines.append):
        work()
    return [line for line in lines if "SELECT" in line and "ZTHING" in line]


def test_onlyTheNamedColumnsAreSelected(context: pinview.Context) -> None:
    (line,) = statements(lambda: context.values("Thing", ["name", "small"], "share > 3", sort="name"))
    chosen = line.partition("SELECT")[2].partition(" FROM ")[0]
    assert "ZNAME" in chosen and "ZSMALL" in chosen
    assert not any(name in chosen for name in ("ZLARGE", "ZSHARE", "ZCODE", "ZAT", "Z_OPT"))


@pytest.mark.parametrize("options", [{}, {"sort": "-small"}, {"limit": 120}, {"sort": "name", "offset": 17}, {"predicate": "small > 20"}])
def test_theValuesAreThoseOfObjects(context: pinview.Context, options: dict[str, Any]) -> None:
    rows = context.values("Thing", NAMES, **options)
    objects = context.fetch("Thing", **options)
    expected = [tuple(getattr(each, name) for name in NAMES) for each in objects]
    assert list(rows) == expected
    assert list(rows) == expected
    assert len(rows) == len(expected)
    assert rows[3] == expected[3] and rows[-1] == expected[-1]
    assert rows[5:30:3] == expected[5:30:3] and rows[::-7] == expected[::-7]
    assert rows.column("small") == [row[1] for row in expected]
    assert repr(rows) == f"<Rows: {len(expected)} of Thing (name, small, large, share, isOn, code)>"
    with pytest.raises(IndexError):
        rows[len(expected)]


def test_objectsOfTheContextKeepTheirValues(context: pinview.Context) -> None:
    changed = context.one("Thing", "small == 3")
    changed.name = "edited"
    context.insert("More", name="new", small=1000)
    names = dict(context.values("Thing", ["small", "name"]))
    assert names[3] == "edited" and names[1000] == "new" and len(names) == ROWS + 1


def test_aChildSeesWhatItsParentHas(context: pinview.Context) -> None:
    held = context.one("Thing", "small == 3")
    held.name = "edited"
    with pinview.Context(parent=context) as child:
        assert dict(child.values("Thing", ["small", "name"]))[3] == "edited"


def test_valuesAreOfThePinnedGeneration(context: pinview.Context) -> None:
    context.pin()
    assert len(context.values("Thing", ["small"])) == ROWS
    coordinator = context.coordinator
    assert coordinator is not None
    with pinview.Context(coordinator) as writer:
        writer.insert("Thing", small=5000)
        writer.save()
    assert len(context.values("Thing", ["small"])) == ROWS
    context.unpin()
    assert len(context.values("Thing", ["small"])) == ROWS + 1


def test_otherTypesAndNamesAreReadFromObjects(context: pinview.Context) -> None:
    for names in (["at"], ["fraction"], ["small", "small"]):
        assert len(list(context.values("Thing", names))) == ROWS
    with pytest.raises(pinview.UnknownKeyError):
        context.values("Thing", ["nothing"])
    with pytest.raises(pinview.PredicateError):
        context.values("Thing", ["small"], "small >")


def test_aValueThatNoColumnHoldsIsReadFromTheObject(context: pinview.Context) -> None:
    import sqlite3

    store = context.coordinator.stores[0].path  # type: ignore[union-attr]
    with sqlite3.connect(str(store)) as connection:
        connection.execute("UPDATE ZTHING SET ZSMALL = 70000 WHERE Z_PK = 5")
    connection.close()
    found = list(context.values("Thing", ["small"]))
    assert len(found) == ROWS


def test_recurringAndUniqueNumbersAreThoseThatWereStored(tmp_path: Any) -> None:
    """Equal numbers of a column may be one object, and a column without any is read without looking
    for them.
    """
    chance = random.Random(int(os.environ.get("PINVIEW_SEED", "1")))
    kinds: dict[str, tuple[str, list[Any]]] = {
        "few": ("integer64", [0, -1, -6, 257, -(1 << 63), (1 << 63) - 1, 1 << 40, None]),
        "unique": ("integer64", list(range(1 << 40, (1 << 40) + 6000))),
        "short": ("integer16", [-32768, 32767, 300, -300, 5]),
        "middle": ("integer32", list(range(-1500, 1500))),
        "real": ("double", [0.0, -1.5, 1e308, 5e-324, float("inf"), None]),
        "reals": ("double", [number / 7 for number in range(6000)]),
    }
    thing = pinview.Entity("Thing", attributes=[pinview.Attribute(name, kind) for name, (kind, _) in kinds.items()])
    rows = [tuple(chance.choice(values) for _, values in kinds.values()) for _ in range(6000)]
    with pinview.Model([thing]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "numbers.sqlite")
        with pinview.Context(coordinator) as context:
            context.batch_insert("Thing", rows, names=list(kinds))
        with pinview.Context(coordinator) as context:
            for limit in (100, 6000):
                found = list(context.values("Thing", list(kinds), limit=limit))
                assert found == rows[:limit]
                assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in rows[:limit]]


def test_textsThatDifferInOnePlaceStayDifferent(tmp_path: Any) -> None:
    """Of every length up to some more than what is compared at once, in turns, so that each is met
    again after another one.
    """
    texts = [""]
    for size in range(1, 20):
        plain = "abcdefghijklmnopqrst"[:size]
        texts += [plain, *(plain[:place] + other + plain[place + 1 :] for place in range(size) for other in "XYä")]
    texts = texts * 3 + texts[::-1]
    thing = pinview.Entity("Thing", attributes=[pinview.Attribute("number", "integer64"), pinview.Attribute("text", "string")])
    with pinview.Model([thing]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            context.batch_insert("Thing", columns={"number": range(len(texts)), "text": texts})
        with pinview.Context(coordinator) as context:
            assert [text for _, text in context.values("Thing", ["number", "text"], sort="number")] == texts


def test_noRows(context: pinview.Context) -> None:
    rows = context.values("Thing", ["small"], "small > 100000")
    assert (len(rows), list(rows), rows[:5]) == (0, [], [])
