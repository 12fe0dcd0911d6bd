"""The members of to-many relationships, which Python gets for many owners in one call."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import PERSONS

import pinview
from pinview._ffi.library import functions


@pytest.fixture(params=["pinned", "not pinned"])
def context(coordinator: pinview.Coordinator, request: pytest.FixtureRequest) -> Iterator[pinview.Context]:
    with pinview.Context(coordinator) as context:
        if request.param == "pinned":
            context.pin()
        yield context


def everyone(context: pinview.Context) -> list[pinview.ManagedObject]:
    return list(context.fetch("Person", sort="age"))


def names(person: pinview.ManagedObject) -> list[str]:
    return sorted(car.name for car in person.cars)


def test_all_members_of_all_owners_are_found_in_any_order(context: pinview.Context) -> None:
    people = everyone(context)
    for number in (0, 1, 2, 3, 9, 4, 5, 2, 6, 7, 8, *range(len(people))):
        assert names(people[number]) == [f"car{number}"]


def test_an_owner_that_nobody_asked_keeps_its_relationship_unloaded(context: pinview.Context) -> None:
    people = everyone(context)
    for person in people[:4]:
        names(person)
    assert [person.has_fault("cars") for person in people[3:6]] == [False, True, True]


def test_members_that_wait_are_not_shown_after_a_change(context: pinview.Context) -> None:
    people = everyone(context)
    for person in people[:3]:
        names(person)
    (car,) = people[3].cars
    car.owner = people[4]
    assert names(people[3]) == []
    assert names(people[4]) == ["car3", "car4"]
    context.delete(people[5])
    assert names(people[6]) == ["car6"]


def test_members_that_wait_are_those_of_the_state_that_is_read(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context, pinview.Context(coordinator) as pinned, pinview.Context(coordinator) as other:
        pinned.pin()
        people, pinned_people = everyone(context), everyone(pinned)
        for number in range(3):
            assert names(people[number]) == names(pinned_people[number]) == [f"car{number}"]
        other.delete(other.fetch("Car", "name == 'car4'")[0])
        other.save()
        assert names(people[4]) == []
        assert names(pinned_people[4]) == ["car4"]


def test_a_closed_member_is_found_again(context: pinview.Context) -> None:
    people = everyone(context)
    for person in people[:3]:
        names(person)
    context.fetch("Car", "name == 'car4'")[0].close()
    assert names(people[4]) == ["car4"]


def test_prefetched_members_are_those_of_their_owners(context: pinview.Context) -> None:
    people = list(context.fetch("Person", sort="age", prefetch=["cars"]))
    assert [names(person) for person in people] == [[f"car{number}"] for number in range(len(people))]


def test_members_that_wait_do_not_outlive_their_owners(context: pinview.Context) -> None:
    people = everyone(context)
    for person in people[:3]:
        names(person)
    car = weakref.ref(next(iter(people[10].cars)))
    del people, person
    gc.collect()
    assert car() is None


def test_owners_without_members_take_no_calls_of_their_own(context: pinview.Context, monkeypatch: pytest.MonkeyPatch) -> None:
    with pinview.Context(context.coordinator) as other:
        other.delete_many(other.fetch("Car"))
        other.save()
    if context.query_generation_state != pinview.QueryGenerationState.UNPINNED:
        context.pin()
    original, calls = functions.pinview_object_block_related_objects, []

    def counting(*arguments: Any) -> int:
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(functions, "pinview_object_block_related_objects", counting)
    assert [names(person) for person in everyone(context)] == [[]] * PERSONS
    assert len(calls) <= 6
