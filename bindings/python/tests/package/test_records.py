"""Records behave like data classes made by `dataclasses`."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

import pinview
from pinview._support.records import field, record

EXPORTED = [getattr(pinview, name) for name in pinview.__all__]
KINDS = [each for each in EXPORTED if isinstance(each, type) and dataclasses.is_dataclass(each)]


@record(frozen=True)
class Frozen:
    """A sample."""

    name: str
    count: int = 3
    tags: list[str] = field(default_factory=list)
    note: str = field(default_factory=str, repr=False, compare=False)


@record()
class Open:
    """Another sample."""

    name: str
    count: int = 3


def twin(kind: type) -> type:
    """The same class, made by dataclasses."""
    options = ("default", "default_factory", "repr", "compare")
    fields = [
        (each.name, each.type, dataclasses.field(**{name: getattr(each, name) for name in options})) for each in dataclasses.fields(kind)
    ]
    return dataclasses.make_dataclass(kind.__name__, fields, frozen=kind is Frozen)


def outcome(kind: type, *arguments: Any, **keywords: Any) -> Any:
    try:
        return repr(kind(*arguments, **keywords))
    except TypeError:
        return TypeError


def test_theREADMEHasNamesAndAProgram() -> None:
    assert {pinview.Attribute, pinview.Sort, pinview.FetchRequest, pinview.Conflict, pinview.BatchUpdateRequest} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_fieldsAndSignatureAreThoseOfTheAnnotations(kind: type) -> None:
    names = tuple(kind.__annotations__)
    assert tuple(each.name for each in dataclasses.fields(kind)) == names == kind.__match_args__
    assert tuple(inspect.signature(kind).parameters) == names


@pytest.mark.parametrize("kind", [Frozen, Open])
def test_theyTakeArgumentsAsDataClassesDo(kind: type) -> None:
    made = twin(kind)
    assert str(inspect.signature(kind)) == str(inspect.signature(made))
    cases: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        (("a",), {}),
        (("a", 4), {}),
        ((), {"count": 1, "name": "b"}),
        (("a",), {"name": "b"}),
        (("a",), {"self": 1}),
        (("a",), {"nothing": 1}),
        (("a", 1, [], "", 5), {}),
        (("a",), {"count": None}),
    ]
    for arguments, keywords in cases:
        assert outcome(kind, *arguments, **keywords) == outcome(made, *arguments, **keywords)


def test_equalOnesAreEqual() -> None:
    one, other = Frozen("a", 1, [], "x"), Frozen("a", 1, [], "y")
    assert one == other != Frozen("a", 2)
    assert one != ("a", 1, []) and one.tags is not other.tags
    assert pinview.Sort("a") == pinview.Sort("a") and len({pinview.Sort("a"), pinview.Sort("a"), pinview.Sort("b")}) == 2
    nan = float("nan")
    assert Open("a", nan) == Open("a", nan)  # as tuples
    with pytest.raises(TypeError):
        hash(Open("a"))
    with pytest.raises(TypeError):
        hash(one)  # its list is not hashable


def test_frozenOnesAreFrozen() -> None:
    sort = pinview.Sort("a")
    for name in ("key", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(sort, name, "b")
    with pytest.raises(dataclasses.FrozenInstanceError):
        del sort.key  # type: ignore[misc]
    opened = Open("a")
    opened.name = "b"
    assert opened == Open("b")


def test_dataclassesAcceptsThem() -> None:
    request = pinview.FetchRequest("Person", limit=3)
    assert dataclasses.replace(request, limit=4) == pinview.FetchRequest("Person", limit=4)
    assert dataclasses.asdict(pinview.Index("i", ["a"])) == {"name": "i", "attributes": ["a"]}
    assert copy.copy(request) == pickle.loads(pickle.dumps(request)) == request

    @dataclasses.dataclass(frozen=True)
    class Mine(pinview.Sort):
        note: str = ""

    class Other(pinview.Sort):
        def __init__(self, note: str) -> None:
            super().__init__(note)

    assert repr(Mine("a", note="n")).endswith("Mine(key='a', ascending=True, comparator=<Comparator.BINARY: 0>, note='n')")
    assert Other("x").key == "x" and tuple(inspect.signature(Other).parameters) == ("note",)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Mine("a").note = "b"  # type: ignore[misc]


def test_anImportLoadsNoModuleThatFewProgramsNeed() -> None:
    code = "import sys; before = set(sys.modules); import pinview; print(*sorted(set(sys.modules) - before))"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert not loaded & {"dataclasses", "inspect", "pathlib", "uuid", "decimal", "json", "base64", "asyncio", "concurrent.futures"}
