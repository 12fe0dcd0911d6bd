"""MDL-10: values of transformable attributes."""

from __future__ import annotations

import datetime
import pathlib
import plistlib
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, ClassVar, Optional

import pytest

import pinview
from pinview import Attr, attribute

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


def _declared() -> tuple[Any, Any]:
    class Thing(pinview.Object):
        name: Attr[Optional[str]] = attribute(default=None)  # noqa: UP045
        look: Attr[Optional[complex]] = attribute(default=None, transformer="Looks")  # noqa: UP045
        both: Attr[dict[str, int] | list[int] | None] = attribute(default=None, transformer="Looks")

        checked: ClassVar[list[Any]] = []

        def validate_look(self, value: Any) -> None:
            self.checked.append(value)

    class Toy(Thing):
        raw: Attr[Optional[bytes]] = attribute(default=None, type="transformable")  # noqa: UP045
        made: Attr[complex] = attribute(default_factory=lambda: 5j, transformer="Looks")

    return Thing, Toy


COMPLEX = pinview.ValueTransformer(lambda data: complex(data.decode()), lambda value: str(complex(value)).encode())


def test_mdl_10_declared_classes_have_values_of_their_transformers(path: pathlib.Path) -> None:
    Thing, Toy = _declared()
    pinview.set_value_transformer("Looks", COMPLEX)
    with pinview.Model([Thing, Toy]) as model, pinview.Coordinator(model) as coordinator:
        prop = model.entity("Toy").properties["look"]
        assert (prop.type, prop.value_transformer, prop.optional) == ("transformable", "Looks", True)
        assert model.entity("Toy").properties["raw"].value_transformer is None
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            toy = context.insert(Toy, name="toy", look=1 + 2j, raw=b"x")
            assert (toy.look, toy["look"], toy.made, toy.raw, toy.both) == (1 + 2j, 1 + 2j, 5j, b"x", None)
            toy.look = 3j
            context.insert(Thing, name="none")
            context.save()
            assert Thing.checked == [3j, None] or Thing.checked == [None, 3j]
        with pinview.Context(coordinator) as context:
            toy = context.one(Toy, Toy.look == 3j)
            # Whichever way objects are read: one by one, many at once, from what was read before.
            assert [each.look for each in context.fetch(Thing, sort=Thing.name)] == [None, 3j]
            assert (toy.look, toy.look, toy.made, toy.raw) == (3j, 3j, 5j, b"x")
            assert toy.values("look", "raw") == (b"3j", b"x")
            assert (toy.to_dict("look"), toy.snapshot().look) == ({"look": 3j}, 3j)
            assert context.count(Thing, Thing.look.in_([3j, 4j])) == 1
            assert context.count(Thing, Thing.look != 3j) == 1
            toy.look = None
            context.save()
            assert toy.look is None and context.count(Thing, Thing.look.is_none()) == 2


def test_mdl_10_declared_classes_are_bound_to_attributes_with_the_same_transformer(path: pathlib.Path) -> None:
    Thing, Toy = _declared()
    pinview.set_value_transformer("Looks", COMPLEX)
    with pinview.Model([Thing, Toy]) as made:
        text = made.to_json()
    assert text.count('"Looks"') == 3
    with pinview.Model.from_json(text) as model:
        model.bind(Thing, Toy)
        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(path)
            with pinview.Context(coordinator) as context:
                context.insert("Toy", look=2j, made=1j)
                context.save()
                context.reset()
                assert (context.one(Toy).look, context.one("Toy").made) == (2j, 1j)
    for other in ('"Others"', "null"):
        with pinview.Model.from_json(text.replace('"Looks"', other)) as model:
            with pytest.raises(pinview.ModelError, match=r"Thing\.look: transformer is 'Looks' in the class"):
                model.bind(Thing)
    # Setting would transform, and reading would not.
    with pinview.Model.from_json(
        text.replace('"raw","type":"transformable"', '"raw","type":"transformable","valueTransformerName":"Raw"')
    ) as model:
        with pytest.raises(pinview.ModelError, match=r"Toy\.raw: transformer is None in the class, 'Raw' in the model"):
            model.bind(Toy)


def test_mdl_10_a_declared_class_needs_its_transformer(path: pathlib.Path) -> None:
    Thing, Toy = _declared()
    pinview.set_value_transformer("Looks", COMPLEX)
    with pinview.Model([Thing, Toy]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            thing = context.insert(Thing, look=1j)
            empty = context.insert(Thing)
            context.save()
            pinview.set_value_transformer("Looks", None)
            for use in (lambda: thing.look, lambda: setattr(thing, "look", 1j), lambda: context.count(Thing, Thing.look == 1j)):
                with pytest.raises(pinview.InvalidArgumentError, match="No value transformer is registered under the name 'Looks'"):
                    use()
            assert (empty.look, thing["look"]) == (None, b"1j")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("look: int = attribute(type='transformable')", "without a transformer, so its values are bytes"),
        ("look: int = attribute(transformer='Looks', default=3)", "use default_factory"),
        ("look: int = attribute(transformer='Looks', type='string')", "Only transformable attributes have a transformer"),
        ("look: int = attribute(transformer=len)", "must be a str"),
        ("look: list[int]", "which no attribute can hold.*transformer"),
        ("look: Related[int] = attribute(transformer='Looks')", "is a relationship"),
    ],
)
def test_mdl_10_mistakes_with_transformers_are_told(line: str, message: str) -> None:
    names: dict[str, Any] = {"__name__": "mistakes_with_transformers"}
    for head in ("", "from __future__ import annotations\n"):
        text = f"{head}from pinview import Object, Related, attribute\nclass Thing(Object):\n  {line}\n"
        with pytest.raises((pinview.ModelError, pinview.WrongTypeError, pinview.InvalidArgumentError), match=message):
            exec(compile(text, "mistakes.py", "exec", dont_inherit=True), names)
