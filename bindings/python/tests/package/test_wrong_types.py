"""Arguments of wrong types raise TypeError, ValueError or an exception of the package.

The calls are found by introspection, so new functions are tested too: every public function, class,
method and settable property gets each wrong value in each position.
"""

from __future__ import annotations

import contextlib
import ctypes
import datetime
import enum
import functools
import inspect
import itertools
import pathlib
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import fill, person_model

import pinview
from pinview import FetchRequest, Sort

# A missing file is not a wrong type.
EXPECTED = (TypeError, ValueError, pinview.Error, FileNotFoundError)


class Stranger:
    """An object that no function accepts, although it has a handle."""

    handle = "no handle"

    def __repr__(self) -> str:
        return "<Stranger>"


class Unhandled:
    """An object without any attributes."""

    __slots__ = ()


WRONG: list[Any] = [
    None,
    True,
    -1,
    3,
    2**70,
    3.5,
    float("nan"),
    "text",
    "\0",
    "\ud800",
    b"bytes",
    [],
    [3],
    ["name"],
    [None],
    {},
    {"name": 3},
    {3: 4},
    (1, 2),
    {7},
    Stranger(),
    Unhandled(),
    [Unhandled()],
    Stranger,
    ctypes.c_int64(3),
    lambda *_: 3,
    iter([Stranger()]),
    datetime.datetime(2024, 1, 1),
    enum.Enum("E", "A").A,
]

# Methods that would wait forever, or that close what later calls need.
LEFT_OUT = {
    "close",
    "run",
    "wait_for_newer_generation",
    "drain",
    # Python's own sets and lists raise these for missing items.
    "remove",
    "pop",
    # These need a running event loop, and raise RuntimeError without one.
    "notifications",
    "NotificationStream",
    "newer_generations",
    "journal_events",
}


class Scene:
    """An instance of every public class."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.model = person_model()
        self.model.set_fetch_request_template("all", FetchRequest("Person", "name == $NAME"))
        self.coordinator = pinview.Coordinator(self.model)
        self.store = self.coordinator.add_store(folder / "wrong.sqlite", history_tracking=True)
        fill(self.coordinator, 3)
        self.context = pinview.Context(self.coordinator)
        self.context.pin()
        self.result = self.context.fetch("Person", sort=["name"])
        self.person = self.result[0]
        self.things: list[Any] = [
            self.model,
            self.coordinator,
            self.store,
            self.context,
            self.result,
            self.person,
            self.person.object_id,
            self.person.cars,
            self.context.query_generation,
            self.coordinator.history_token(),
            self.context.history(),
            pinview.Predicate("name == $NAME"),
            pinview.Expression("age + 1"),
            pinview.UndoManager(),
            self.model.entities[0],
            pinview.main_queue,
            pinview.FetchedResultsController(FetchRequest("Person", sort=["name"]), self.context),
            self.context.fetch_columns("Person"),
            self.context.begin_fetch("Person"),
            self.coordinator.journal_report(),
            self.coordinator.difference(self.context.query_generation),
            self.result.values("name"),
            FetchRequest("Person"),
            Sort("name"),
        ]

        # Valid arguments by parameter name.
        self.good: dict[str, Any] = {
            "entity": "Person",
            "format": "TRUEPREDICATE",
            "predicate": "TRUEPREDICATE",
            "token": self.context.query_generation,
            "target": self.person,
            "object_id": self.person.object_id,
            "object_ids": [self.person.object_id],
            "objects": [self.person],
            "request": FetchRequest("Person", sort=["name"]),
            "name": "name",
            "key": "name",
            "keys": ["name"],
            "names": ["name"],
            "store": self.store,
            "context": self.context,
            "model": self.model,
            "coordinator": self.coordinator,
            "columns": {"name": ["x"]},
            "values": {"name": "x"},
            "callback": lambda *_: None,
            "block": lambda *_: None,
            "expression": "age + 1",
            "operator": "==",
            "left": "name",
            "right": 3,
            "index": 0,
            "timeout": 0.0,
            "old": self.context.query_generation,
            "before": self.coordinator.history_token(),
            "history": self.context.history(),
            "title": "a",
            "function": "sum",
            "path": "missing.sqlite",
            "notification": None,
            "message": "text",
            "text": "text",
        }

    def close(self) -> None:
        for thing in reversed(self.things):
            if hasattr(thing, "close"):
                with contextlib.suppress(*EXPECTED):
                    thing.close()


def _set(thing: Any, name: str, value: Any) -> None:
    setattr(thing, name, value)


def callables(thing: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of an object, and the setters of its properties."""
    kind = type(thing)
    if not kind.__module__.startswith("pinview"):
        return
    for name in sorted(dir(kind)):
        if name.startswith("_") or name in LEFT_OUT:
            continue
        found = inspect.getattr_static(kind, name)
        if isinstance(found, property):
            if found.fset is not None:
                yield f"{kind.__name__}.{name} =", functools.partial(_set, thing, name)
        elif callable(found) or isinstance(found, (classmethod, staticmethod)):
            yield f"{kind.__name__}.{name}", getattr(thing, name)


def places(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def calls(scene: Scene, function: Callable[..., Any]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Argument lists with each wrong value in each position, the others valid, and in all positions
    at once.
    """
    parameters = places(function)
    required = [
        each for each in parameters if each.default is each.empty and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    for wrong in WRONG:
        yield [wrong for _ in required], {}
        for each in parameters:
            arguments = [wrong if other is each else scene.good.get(other.name, "name") for other in required]
            if each in required:
                yield arguments, {}
            elif each.kind is each.VAR_POSITIONAL:
                yield [*arguments, wrong], {}
            elif each.kind is each.VAR_KEYWORD:
                yield arguments, {"name": wrong}
                yield arguments, {"no_such_option": wrong}
            else:
                yield arguments, {each.name: wrong}


def leaks(scene: Scene, name: str, function: Callable[..., Any]) -> list[str]:
    found: dict[str, str] = {}
    for positional, named in calls(scene, function):
        try:
            result = function(*positional, **named)
            if isinstance(result, Iterator) and not isinstance(result, contextlib.AbstractContextManager):
                list(itertools.islice(result, 2))
        except EXPECTED:
            continue
        except StopIteration:
            continue
        except Exception as error:
            shown = f"{name}({', '.join([*map(repr, positional), *(f'{key}={value!r}' for key, value in named.items())])})"
            found.setdefault(f"{type(error).__name__} {str(error)[:60]}", f"{shown}: {type(error).__name__}: {error}")
    return list(found.values())


@pytest.fixture(autouse=True)
def no_handle_is_lost() -> None:
    """Handles are not counted here, because wrong calls can leave some to callbacks and to the
    garbage collector.
    """


@pytest.fixture
def scene(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.chdir(tmp_path)
    # Exceptions of callbacks that are called later do not belong to the tested call.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    made = Scene(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield made
        pinview.set_sql_log(enabled=False)
        pinview.set_concurrency_debug(False)
        made.close()


def public_functions() -> list[str]:
    return [
        name
        for name in pinview.__all__
        if name not in LEFT_OUT and callable(getattr(pinview, name)) and not _is_error(getattr(pinview, name))
    ]


def _is_error(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseException)


@pytest.mark.parametrize("name", public_functions())
def test_functionsAndClassesRejectWrongArguments(scene: Scene, name: str) -> None:
    assert leaks(scene, name, getattr(pinview, name)) == []


def test_methodsAndPropertiesRejectWrongArguments(scene: Scene, tmp_path: pathlib.Path) -> None:
    found: list[str] = []
    for number, thing in enumerate(scene.things):
        for place, (name, _) in enumerate(list(callables(thing))):
            # A call must not keep the next one from checking its arguments.
            folder = tmp_path / f"{number}-{place}"
            folder.mkdir()
            own = Scene(folder)
            _, function = list(callables(own.things[number]))[place]
            found += leaks(own, name, function)
            own.close()
    assert found == []


@pytest.mark.parametrize("kind", [FetchRequest, pinview.BatchInsertRequest, pinview.BatchUpdateRequest, pinview.BatchDeleteRequest])
def test_requestsWithWrongFieldsAreRejected(scene: Scene, kind: Any) -> None:
    def execute(**fields: Any) -> Any:
        return scene.context.execute(kind(**{**({} if kind is pinview.BatchDeleteRequest else {"entity": "Person"}), **fields}))

    found: list[str] = []
    for field in inspect.signature(kind).parameters:
        for wrong in WRONG:
            try:
                list(execute(**{field: wrong}) or ())
            except EXPECTED:
                continue
            except Exception as error:
                found.append(f"{kind.__name__}({field}={wrong!r}): {type(error).__name__}: {error}")
    assert found == []


@pytest.mark.parametrize("kind", [pinview.Attribute, pinview.Relationship, pinview.FetchedProperty, pinview.Index, pinview.Entity])
def test_descriptionsWithWrongFieldsAreRejected(kind: Any) -> None:
    good_fields: dict[Any, dict[str, Any]] = {
        pinview.Attribute: {"name": "age", "type": "integer64"},
        pinview.Relationship: {"name": "others", "destination": "Thing"},
        pinview.FetchedProperty: {"name": "found", "request": FetchRequest("Thing")},
        pinview.Index: {"name": "byName", "attributes": ["name"]},
        pinview.Entity: {"name": "Thing"},
    }
    homes = {
        pinview.Attribute: "attributes",
        pinview.Relationship: "relationships",
        pinview.FetchedProperty: "fetched_properties",
        pinview.Index: "indexes",
    }
    found: list[str] = []
    for field in inspect.signature(kind).parameters:
        for wrong in WRONG:
            try:
                made = kind(**{**good_fields[kind], field: wrong})
                entity = made if kind is pinview.Entity else pinview.Entity("Thing", **{homes[kind]: [made]})
                pinview.Model([entity]).close()
            except EXPECTED:
                continue
            except Exception as error:
                found.append(f"{kind.__name__}({field}={wrong!r}): {type(error).__name__}: {error}")
    assert found == []


def test_errorsNameTheExpectedAndTheGivenType(scene: Scene) -> None:
    for call, words in [
        (lambda: scene.context.pin("yesterday"), ["QueryGenerationToken", "str"]),  # type: ignore[arg-type]
        (lambda: scene.context.delete("dave"), ["ManagedObject", "str"]),  # type: ignore[arg-type]
        (lambda: pinview.Predicate("TRUEPREDICATE").evaluate(3), ["ManagedObject", "int"]),  # type: ignore[arg-type]
        (lambda: pinview.Predicate("TRUEPREDICATE") & 3, ["Predicate", "int"]),  # type: ignore[operator]
        (lambda: setattr(scene.context, "undo_manager", 3), ["UndoManager", "int"]),
        (lambda: pinview.Context(scene.model), ["Coordinator", "Model"]),  # type: ignore[arg-type]
    ]:
        with pytest.raises(TypeError) as caught:
            call()
        for word in words:
            assert word in str(caught.value), (word, str(caught.value))


def test_everyReprHasItsClassNameOnce(scene: Scene) -> None:
    for thing in scene.things:
        name = type(thing).__name__
        if type(thing).__module__.startswith("pinview"):
            assert repr(thing).count(name) <= 1 or name in ("Person", "EntityInfo"), repr(thing)
