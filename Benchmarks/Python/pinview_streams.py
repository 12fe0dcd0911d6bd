"""Pinview: objects, values and columns one after another, upserts, and a list that follows changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pinview
from cell import (
    COLUMN_BATCH,
    PEOPLE_SUM,
    Cell,
    Stream,
    changes_of_persons,
    measure_peaks,
    measure_streams,
    sum_of_ages,
    sum_of_second,
    workloads_of,
)
from make_store import person_columns
from pinview_stores import ask, ids_of, opened, sum_of_column

_TWO = ("lastName", "age")
# How many seconds a commit may take to be noticed.
_PATIENCE = 60


@contextmanager
def _pinned(path: str) -> Iterator[pinview.Context]:
    """A context that has a connection already."""
    with opened(path) as coordinator, pinview.Context(coordinator) as context:
        context.pin()
        context.count("Car")
        yield context


def _sum_of_batches(batches: Iterable[pinview.ColumnBatch]) -> int:
    return sum(sum_of_column(batch["age"]) for batch in batches)


def _stream(cell: Cell) -> None:
    with _pinned(cell.people) as context:
        with cell.timed("whole", cell.parameter("persons")):
            persons = list(context.fetch("Person"))
            total = sum_of_ages(persons)
        cell.checksum("ages", total)
        del persons
    measure_streams(cell, _streams(cell))


def _stream_peaks(cell: Cell) -> None:
    measure_peaks(cell, _streams(cell))


def _streams(cell: Cell) -> Iterator[Stream]:
    with _pinned(cell.people) as context:
        yield Stream("objects", lambda: context.iterate("Person", batch_size=1000), sum_of_ages)
    with _pinned(cell.people) as context:
        yield Stream("values", lambda: context.values("Person", _TWO), sum_of_second)
    with _pinned(cell.people) as context:
        yield Stream("columns", lambda: context.fetch_columns("Person", _TWO, batch_size=COLUMN_BATCH), _sum_of_batches, every=1)


def _upsert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    with opened(cell.people) as coordinator, pinview.Context(coordinator) as context:
        columns = person_columns(range(persons - rows // 2 + 1, persons + rows // 2 + 1), older=1)
        with cell.timed("batch", rows):
            context.batch_insert("Person", columns=columns, merge_policy="merge_by_property_object_trump")
        cell.checksum("batch", ask(cell.people, PEOPLE_SUM)[0])
        columns = person_columns(range(persons + 1, persons + rows + 1), older=2)
        with cell.timed("objects", rows):
            kept = context.upsert("Person", columns=columns, constraint=["email"])
            context.save()
        cell.checksum("objects", ask(cell.people, PEOPLE_SUM)[0])
        del kept


def _live_list(cell: Cell) -> None:
    changes = cell.parameter("changes")
    reported: list[Any] = []
    with opened(cell.people) as coordinator, pinview.Context(coordinator) as context, changes_of_persons(cell.people) as companion:
        context.pin()

        def followed(name: str, sections: str | None) -> Any:
            request = pinview.FetchRequest("Person", sort=["age", "email"])
            people: Any = pinview.FetchedResultsController(request, context, section_name_key_path=sections)
            people.did_change_object = lambda *change: reported.append(change)
            people.perform_fetch()
            with cell.timed(name, changes):
                for _ in range(changes):
                    companion.tell()
                    while not reported:
                        if not context.wait_for_newer_generation(_PATIENCE):
                            raise SystemExit("The change was not noticed.")
                        context.pin()
                    reported.clear()
                    companion.hear()
            people.did_change_object = None
            return people

        followed("sections", "age").close()
        people = followed("change", None)
        first = context.existing_objects(ids_of(coordinator, "Person", range(1, 101)))
        cell.checksum("order", sum(people.index_path(person).item for person in first))
        del first
        people.close()


WORKLOADS = workloads_of(globals())
