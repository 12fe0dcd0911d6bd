"""Shared fixtures: the model of persons and cars, and a store in a temporary folder."""

from __future__ import annotations

import contextlib
import gc
import os
import pathlib
import sys
import time
from collections.abc import Iterator

import pytest

import pinview
from pinview import Attribute, Entity, Relationship


def person_model() -> pinview.Model:
    """Person and Car, related to each other with the delete rule nullify."""
    return pinview.Model(
        [
            Entity(
                "Person",
                attributes=[Attribute("name", "string"), Attribute("age", "integer64", default=0)],
                relationships=[Relationship("cars", "Car", inverse="owner", to_many=True)],
            ),
            Entity(
                "Car",
                attributes=[Attribute("name", "string")],
                relationships=[Relationship("owner", "Person", inverse="cars")],
            ),
        ]
    )


PERSONS = 24


def fill(coordinator: pinview.Coordinator, count: int = PERSONS) -> None:
    """Inserts dave0, dave1 and so on, each with an age and one car."""
    with pinview.Context(coordinator) as context:
        for number in range(count):
            person = context.insert("Person", name=f"dave{number}", age=20 + number)
            context.insert("Car", name=f"car{number}", owner=person)
        context.save()


@pytest.fixture
def model() -> Iterator[pinview.Model]:
    with person_model() as model:
        yield model


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "persons.sqlite"


@pytest.fixture
def empty(model: pinview.Model, path: pathlib.Path) -> Iterator[pinview.Coordinator]:
    """A coordinator with an empty SQLite store."""
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        yield coordinator


@pytest.fixture
def coordinator(empty: pinview.Coordinator) -> pinview.Coordinator:
    """A coordinator with an SQLite store of persons and their cars."""
    fill(empty)
    return empty


@pytest.fixture
def context(coordinator: pinview.Coordinator) -> Iterator[pinview.Context]:
    with pinview.Context(coordinator) as context:
        yield context


@pytest.fixture
def other(coordinator: pinview.Coordinator) -> Iterator[pinview.Context]:
    with pinview.Context(coordinator) as context:
        yield context


def counted_handles() -> int:
    """The number of live handles. The library keeps the last error of each thread, which is the
    same at each count.
    """
    with contextlib.suppress(pinview.PredicateError):
        pinview.Predicate("")
    gc.collect()
    return pinview.live_handles()


def settled_handles(before: int) -> int:
    """Like counted_handles(), but waits until there are no more than before: a worker thread can
    still be releasing the arguments of its last callback after it has reported its end.
    """
    deadline = time.monotonic() + 60
    while (after := counted_handles()) > before and time.monotonic() < deadline:
        os.sched_yield()
    return after


@pytest.fixture(autouse=True)
def no_handle_is_lost() -> Iterator[None]:
    """Checks that each test releases all handles that it creates."""
    before = counted_handles()
    yield
    after = settled_handles(before)
    assert after <= before, f"{after - before} handles are still alive"


def process_state() -> tuple[list[str], dict[str, str], str]:
    """What worker processes and later tests inherit from a test."""
    # Packages such as polars set variables of their own when they are imported.
    environment = {name: value for name, value in os.environ.items() if name.startswith(("PINVIEW", "PYTHON"))}
    return sys.path[:], environment, os.getcwd()


@pytest.fixture(autouse=True)
def process_state_is_left_as_it_was() -> Iterator[None]:
    """Checks that each test leaves sys.path, our variables and the working folder as they were.
    Workers take them over: with the folder of the sources in front, they import a package without a
    library.
    """
    before = process_state()
    yield
    assert process_state() == before
