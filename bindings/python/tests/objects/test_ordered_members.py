"""Ordered relationships, compared with a list after every kind of access that a list has."""

from __future__ import annotations

import os
import pathlib
import random
from collections.abc import Callable
from typing import Any

import pytest

import pinview

MODEL = pinview.Model(
    [
        pinview.Entity("List", relationships=[pinview.Relationship("items", "Item", inverse="list", to_many=True, ordered=True)]),
        pinview.Entity(
            "Item", [pinview.Attribute("number", "integer64")], relationships=[pinview.Relationship("list", "List", inverse="items")]
        ),
    ]
)


@pytest.fixture
def context(tmp_path: pathlib.Path):
    with pinview.Coordinator(MODEL) as coordinator:
        coordinator.add_store(tmp_path / "lists.sqlite")
        with pinview.Context(coordinator) as context:
            yield context


def outcome(work: Callable[[Any], Any], items: Any) -> Any:
    """What some work with a list gives, or the class of the exception that it raises."""
    try:
        return work(items)
    except (IndexError, ValueError) as error:
        return type(error)


def moved(items: list[Any], place: int, value: Any) -> None:
    """items.insert() without duplicates."""
    if value in items:
        items.remove(value)
    items.insert(place, value)


def set_item(items: Any, place: int, value: Any) -> None:
    items[place] = value


def delete(items: Any, place: int | slice) -> None:
    del items[place]


def slice_of(numbers: random.Random, count: int) -> slice:
    def bound() -> int | None:
        return numbers.choice([None, numbers.randrange(-count - 3, count + 4)])

    return slice(bound(), bound(), numbers.choice([None, 1, 2, -1, -3]))


def works(place: int, piece: slice, one: Any, free: list[Any]) -> list[Callable[[Any], Any]]:
    """What can be done with a list: at a place, with one that may be in it, with free ones."""
    always: list[Callable[[Any], Any]] = [
        lambda given: given[place],
        lambda given: list(given[piece]),
        lambda given: list(reversed(given)),
        lambda given: given.index(one),
        lambda given: given.count(one),
        lambda given: one in given,
        lambda given: given.pop(),
        lambda given: given.pop(place),
        lambda given: delete(given, place),
        lambda given: delete(given, piece),
        lambda given: given.remove(one),
        lambda given: given.reverse(),
        lambda given: given.clear(),
        lambda given: given.extend(free[:3]),
    ]
    if not free:
        return always
    return [
        *always,
        lambda given: set_item(given, place, free[0]),
        lambda given: given.insert(place, free[0]),
        lambda given: given.append(free[0]),
    ]


def test_REL_an_ordered_relationship_reads_and_changes_as_a_list(context: pinview.Context) -> None:
    seed = int(os.environ.get("PINVIEW_SEED", "1"))
    print("PINVIEW_SEED =", seed)
    numbers = random.Random(seed)
    owner = context.insert("List")
    everything = [context.insert("Item", number=number) for number in range(30)]
    for round_ in range(400):
        items, plain = owner.items, list(owner.items)
        place, piece = numbers.randrange(-len(plain) - 2, len(plain) + 2), slice_of(numbers, len(plain))
        one = numbers.choice(everything)
        work = numbers.choice(works(place, piece, one, [each for each in everything if each not in plain]))
        expected = outcome(work, plain)
        assert outcome(work, items) == expected, (seed, round_)
        # A list without duplicates: what is there moves.
        if numbers.randrange(4) == 0:
            end = numbers.randrange(2) == 0
            moved(plain, len(plain) if end else 0, one)
            items.append(one) if end else items.insert(0, one)
        assert list(items) == plain, (seed, round_)
        assert len(items) == len(plain)
        if numbers.randrange(10) == 0:
            context.save()
            context.refresh_all()
            assert list(items) == plain, (seed, round_)


def test_REL_a_position_that_there_is_not_is_named(context: pinview.Context) -> None:
    owner = context.insert("List", items=[context.insert("Item")])
    with pytest.raises(IndexError, match="Index 1 is out of range for the 1 members of items"):
        owner.items[1]
    with pytest.raises(pinview.WrongTypeError):
        owner.items[0] = "no object"
    assert len(owner.items) == 1
