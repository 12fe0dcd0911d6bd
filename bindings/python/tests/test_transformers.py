"""MDL-10: values of transformable attributes."""

from __future__ import annotations

import datetime
import pathlib
import plistlib
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

import pinview

UTC = datetime.timezone.utc
ARCHIVED: list[Any] = [
    None, True, 5, -3, 0.5, "Größe", b"\x01\x02", datetime.datetime(2026, 5, 17, 12, 30, tzinfo=UTC), uuid.UUID(int=7),
    Decimal("-123456789012345678.25"), ["a", [1, {"b": None}]], {"names": ["x"], "deep": {"n": 1}}, {"only", "members"},
]  # fmt: skip


def _model() -> pinview.Model:
    return pinview.Model.from_json(
        """{"entities": [
            {"name": "Thing", "attributes": [
                {"name": "name", "type": "string"},
                {"name": "look", "type": "transformable", "valueTransformerName": "Looks"}]},
            {"name": "Toy", "parent": "Thing", "attributes": [{"name": "raw", "type": "transformable"}]}]}"""
    )


@pytest.fixture
def path(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    yield tmp_path / "things.sqlite"
    pinview.set_value_transformer("Looks", None)


def test_mdl_10_without_a_transformer_the_bytes_are_given(path: pathlib.Path) -> None:
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            toy = context.insert("Toy", look=b"abc", raw=b"\x01")
            context.save()
            assert (toy.look, toy.raw) == (b"abc", b"\x01")


def test_mdl_10_a_registered_transformer_gives_and_takes_the_programs_values(path: pathlib.Path) -> None:
    pinview.set_value_transformer("Looks", pinview.ValueTransformer(lambda data: complex(data.decode()), lambda value: str(value).encode()))
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            toy = context.insert("Toy", look=1 + 2j)
            thing = context.insert("Thing")
            thing["look"] = 3j
            context.insert("Thing", name="empty", look=None)
            context.save()
            assert (toy.look, thing["look"]) == (1 + 2j, 3j)
        with pinview.Context(coordinator) as context:
            found = {(thing.entity.name, thing.name): thing for thing in context.fetch("Thing")}
            assert found["Toy", None].look == 1 + 2j
            assert found["Thing", "empty"].look is None
            assert found["Toy", None].values("look") == (b"(1+2j)",)
            assert found["Toy", None].to_dict("look") == {"look": 1 + 2j}
            assert context.count("Thing", "look == %@", [b"3j"]) == 1


@pytest.mark.parametrize("value", ARCHIVED, ids=repr)
def test_mdl_10_keyed_archives_of_common_values_read_back(path: pathlib.Path, value: Any) -> None:
    pinview.set_value_transformer("Looks", pinview.KEYED_ARCHIVE)
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Thing", look=value)
            context.save()
        with pinview.Context(coordinator) as context:
            assert context.one("Thing").look == value


def test_mdl_10_property_lists_are_read_too() -> None:
    value = {"when": datetime.datetime(2026, 5, 17, tzinfo=UTC), "list": [1, "two"]}
    data = plistlib.dumps({**value, "when": datetime.datetime(2026, 5, 17)}, fmt=plistlib.FMT_BINARY)
    assert pinview.KEYED_ARCHIVE.decode(data) == value


def test_mdl_10_archives_of_others_are_errors_in_bounded_time() -> None:
    def archive(*objects: Any) -> bytes:
        content = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": ["$null", *objects], "$top": {"root": plistlib.UID(1)}}
        return plistlib.dumps(content, fmt=plistlib.FMT_BINARY)

    with pytest.raises(pinview.InvalidArgumentError, match="UIColor"):
        pinview.KEYED_ARCHIVE.decode(archive({"$class": plistlib.UID(2)}, {"$classname": "UIColor"}))
    array = {"$classname": "NSArray"}
    with pytest.raises(pinview.InvalidArgumentError, match="contain each other"):
        pinview.KEYED_ARCHIVE.decode(archive({"$class": plistlib.UID(2), "NS.objects": [plistlib.UID(1)]}, array))
    doubling = [{"$class": plistlib.UID(61), "NS.objects": [plistlib.UID(n + 2)] * 2} for n in range(59)]
    with pytest.raises(pinview.InvalidArgumentError, match="too many"):
        pinview.KEYED_ARCHIVE.decode(archive(*doubling, "end", array))
    # Lists that contain the next one ten times each, and what only expat objects to.
    levels = b"".join(b"\xaa" + bytes([level + 1] * 10) for level in range(12)) + b"\x10\x01"
    table = bytes(8 + 11 * level for level in range(13))
    many = b"bplist00" + levels + table + bytes(6) + b"\1\1" + (13).to_bytes(8, "big") + bytes(8) + (8 + len(levels)).to_bytes(8, "big")
    assert plistlib.loads(many)
    with pytest.raises(pinview.InvalidArgumentError, match="too many values"):
        pinview.KEYED_ARCHIVE.decode(many)
    with pytest.raises(pinview.InvalidArgumentError, match="not a property list"):
        pinview.KEYED_ARCHIVE.decode(b"<?xml version='1.0'?><plist><string>&</string></plist>")
    for damaged in (b"", b"abc", b"bplist00", archive({"$class": plistlib.UID(99)}), archive({"$class": plistlib.UID(2)}, array)):
        with pytest.raises(pinview.InvalidArgumentError):
            pinview.KEYED_ARCHIVE.decode(damaged)
    with pytest.raises(pinview.WrongTypeError, match="object"):
        pinview.KEYED_ARCHIVE.encode(object())
