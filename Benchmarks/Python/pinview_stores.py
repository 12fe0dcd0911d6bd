"""Opening stores with Pinview."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pinview


@contextmanager
def opened(path: str, **options: Any) -> Iterator[pinview.Coordinator]:
    """The coordinator of a store, with the settings of all peers."""
    with pinview.Coordinator(pinview.Coordinator.model_of_store(path)) as coordinator:
        coordinator.add_store(path, cache_size=-65536, **options)
        yield coordinator


def ids_of(coordinator: pinview.Coordinator, entity: str, keys: Iterable[int]) -> list[Any]:
    """The IDs of keys, which a program keeps in order to find objects again."""
    store = coordinator.stores[0].identifier
    keys = list(keys)
    known = {key: coordinator.object_id(f"x-coredata://{store}/{entity}/p{key}") for key in set(keys)}
    return [known[key] for key in keys]


def sum_of_column(column: pinview.Column) -> int:
    """The sum of numbers, or the number of bytes of strings. None counts as 0."""
    return int(column.values[-1]) if column.type == "string" else int(numpy.asarray(column.values).sum())


def ask(path: str, statement: str) -> tuple[Any, ...]:
    """The first row of what a statement finds, with another connection."""
    connection = sqlite3.connect(path)
    try:
        row: tuple[Any, ...] = connection.execute(statement).fetchone()
        return row
    finally:
        connection.close()
