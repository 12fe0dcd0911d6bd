"""Objects are read in every callback as anywhere else: attributes and relationships."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from conftest import fill, person_model

import pinview
from pinview._objects.hook_callbacks import FALLIBLE, NOTICES

CONTROLLER_CALLBACKS = ("will_change_content", "did_change_section", "did_change_object", "did_change_content")
NOTIFICATIONS = (pinview.WILL_SAVE, pinview.DID_SAVE, pinview.OBJECTS_DID_CHANGE)
# They are called while an object is made, or becomes a fault.
WITHOUT_READING = {"will_turn_into_fault", "did_turn_into_fault", "awake_from_insert"}
HOOKS = sorted({*FALLIBLE, *NOTICES} - WITHOUT_READING)


def read_all(cars: Any, read: list[tuple[str, str, int]]) -> None:
    for car in cars:
        read.append((car.name, car.owner.name, len(car.owner.cars)))


EXPECTED = ("car1", "dave1", 1)


def make_changes(context: pinview.Context) -> None:
    cars = list(context.fetch("Car", sort=["name"]))
    cars[0].name = "another"
    context.process_pending_changes()
    context.save()
    context.delete(cars[0])
    context.save()


@pytest.mark.parametrize("callback", CONTROLLER_CALLBACKS)
def test_callbacksOfAResultsController(context: pinview.Context, callback: str) -> None:
    cars = list(context.fetch("Car", sort=["name"]))
    controller = pinview.FetchedResultsController("Car", context, "name", sort=["name"])
    controller.perform_fetch()
    read: list[tuple[str, str, int]] = []
    setattr(controller, callback, lambda *_: read_all(cars[1:], read))

    make_changes(context)

    assert EXPECTED in read


@pytest.mark.parametrize("notification", NOTIFICATIONS)
def test_observers(context: pinview.Context, notification: str) -> None:
    cars = list(context.fetch("Car", sort=["name"]))
    read: list[tuple[str, str, int]] = []
    with context.observe(notification, lambda *_: read_all(cars[1:], read)):
        make_changes(context)

    assert EXPECTED in read


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks(path: pathlib.Path, hook: str) -> None:
    cars: list[Any] = []
    read: list[tuple[str, str, int]] = []
    called: Callable[[Any], None] = lambda _: read_all(cars[1:], read)  # noqa: E731
    with person_model() as model:
        model.set_hooks("Car", **{hook: called})
        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(path)
            fill(coordinator)
            with pinview.Context(coordinator) as context:
                cars += context.fetch("Car", sort=["name"])
                make_changes(context)
                context.insert("Car", name="new")
                context.save()
                context.refresh(cars[1], merge_changes=False)
                assert cars[1].name == "car1"
                cars[1].name = "car1!"
                context.process_pending_changes()
                context.undo()
                cars.clear()

    assert EXPECTED in read
