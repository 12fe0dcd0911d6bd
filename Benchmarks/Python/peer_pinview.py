"""Pinview's own package."""

from __future__ import annotations

import datetime
import sqlite3
import time
from typing import Any

import pinview
import pinview_related
import pinview_streams
from by_hand import measure_latency, measure_threads, sum_of_few
from cell import PEOPLE_SUM, SNAPSHOT_KEY, Cell, memory_per, random_keys, sum_and_order, sum_of_seats, sum_of_six, workloads_of
from make_store import person_columns
from pinview_stores import ask, ids_of, opened, sum_of_column

SIX = ("month", "departureDelay", "arrivalDelay", "carrier", "tailNumber", "distance")
_EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
_SECOND = datetime.timedelta(seconds=1)


def _seconds(date: datetime.datetime) -> int:
    return (date - _EPOCH) // _SECOND


def _rows_of(context: pinview.Context) -> int:
    return context.count("Flight")


# Reading


def _read_all(cell: Cell) -> None:
    limit = cell.parameter("limit")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as first, pinview.Context(coordinator) as second:
        first.pin()
        rows = limit or _rows_of(first)
        first.count("Plane")
        second.pin(first.query_generation)
        kept = []
        for name, context in (("first", first), ("again", first), ("second", second)):
            with cell.timed(name, rows):
                flights = list(context.fetch("Flight", limit=limit))
                total = sum_of_six(flights)
            kept.append(flights)
            cell.checksum("rows", total)
        del kept, flights
        with pinview.Context(coordinator) as third:
            third.pin(first.query_generation)
            with cell.timed("columns", rows):
                batches = list(third.fetch_columns("Flight", limit=limit))
                total = sum(sum_of_column(batch[name]) for batch in batches for name in SIX)
            cell.checksum("rows", total)


def _columns(cell: Cell) -> None:
    limit = cell.parameter("limit")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        rows = limit or _rows_of(context)
        with cell.timed("columns", rows):
            batches = list(context.fetch_columns("Flight", SIX, limit=limit))
            total = sum(sum_of_column(batch[name]) for batch in batches for name in SIX)
        cell.checksum("rows", total)
        with cell.timed("rows", rows):
            flights = list(context.fetch_columns("Flight", SIX, limit=limit).rows())
            total = sum_of_few(flights)
        cell.checksum("rows", total)
        with cell.timed("values", rows):
            flights = list(context.values("Flight", SIX, limit=limit))
            total = sum_of_few(flights)
        cell.checksum("rows", total)


def _index_sorted(cell: Cell) -> None:
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        rows = context.count("Flight", "destination == %@", ["DCA"])
        with cell.timed("sorted", rows):
            flights = list(context.fetch("Flight", "destination == %@", ["DCA"], sort=["-arrivalDelay", "scheduledHour", "number"]))
            total, order = sum_and_order(flights, _seconds)
        cell.checksum("values", total)
        cell.checksum("order", order)


def _by_key(cell: Cell) -> None:
    lookups = cell.parameter("lookups")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        ids = ids_of(coordinator, "Flight", random_keys(lookups, _rows_of(context)))
        context.pin()
        with cell.timed("cold", lookups):
            flights = [context.existing_object(each) for each in ids]
            total = sum_of_six(flights)
        cell.checksum("cold", total)
        total = 0
        with cell.timed("warm", lookups):
            for each in ids:
                total += context.object(each).distance
        cell.checksum("warm", total)
        del flights
    # With a new coordinator, which has no rows in memory.
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        ids = ids_of(coordinator, "Flight", random_keys(lookups, _rows_of(context)))
        context.pin()
        context.count("Plane")
        with cell.timed("batch", lookups):
            found = context.existing_objects(ids)
            total = sum_of_six(found)
        cell.checksum("cold", total)
        del found


def _follow(cell: Cell) -> None:
    count = cell.parameter("flights")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        context.pin()
        with cell.timed("fetch", count):
            flights = list(context.fetch("Flight", limit=count))
            total = sum_of_six(flights)
        cell.checksum("fetch", total)
        with cell.timed("lazy", count):
            total = sum_of_seats(flights)
        cell.checksum("lazy", total)


def _prefetch(cell: Cell) -> None:
    count = cell.parameter("flights")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        context.pin()
        with cell.timed("eager", count):
            flights = list(context.fetch("Flight", limit=count, prefetch=["plane"]))
            total = sum_of_six(flights) + sum_of_seats(flights)
        cell.checksum("eager", total)


# Writing


def _insert_into(cell: Cell, history: bool) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    with opened(cell.people, history_tracking=history) as coordinator, pinview.Context(coordinator) as context:
        columns = person_columns(range(persons + 1, persons + 1 + rows))
        with cell.timed("objects", rows):
            kept = context.insert_many("Person", columns)
            context.save()
        cell.checksum("objects", ask(cell.people, PEOPLE_SUM)[0])
        del kept
        columns = person_columns(range(persons + 1 + rows, persons + 1 + 2 * rows))
        with cell.timed("batch", rows):
            context.batch_insert("Person", columns=columns)
        cell.checksum("batch", ask(cell.people, PEOPLE_SUM)[0])


def _insert(cell: Cell) -> None:
    _insert_into(cell, False)


def _insert_with_history(cell: Cell) -> None:
    _insert_into(cell, True)


def _update(cell: Cell) -> None:
    rows = cell.parameter("rows")
    with opened(cell.people) as coordinator, pinview.Context(coordinator) as context:
        persons = list(context.fetch("Person", limit=rows))
        for person in persons:
            person.age  # noqa: B018 (it is read)
        with cell.timed("update", rows):
            for person in persons:
                person.age = person.age + 1
            context.save()
        age, versions = ask(cell.people, "SELECT sum(ZAGE), sum(Z_OPT) FROM ZPERSON")
        cell.checksum("update", age)
        cell.checksum("versions", versions)


def _delete(cell: Cell) -> None:
    rows = cell.parameter("rows")
    with opened(cell.people) as coordinator, pinview.Context(coordinator) as context:
        cars = list(context.fetch("Car", limit=rows))
        for car in cars:
            car.plate  # noqa: B018 (it is read)
        with cell.timed("delete", rows):
            context.delete_many(cars)
            context.save()
        cell.checksum("delete", ask(cell.people, "SELECT count(*) + sum(Z_PK) FROM ZCAR")[0] or 0)


# Statements


def _count(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        for name, predicate, value in (("scan", "arrivalDelay > %@", 60), ("index", "destination == %@", "DCA")):
            found = 0
            with cell.timed(name, repeats):
                for _ in range(repeats):
                    found = context.count("Flight", predicate, [value])
            cell.checksum(name, found)


def _bulk_update(cell: Cell) -> None:
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        rows = _rows_of(context)
        with cell.timed("update", rows):
            context.batch_update("Flight", {}, "distance > %@", [500], expressions={"airTime": "airTime + 1"})
        cell.checksum("update", ask(cell.flights, "SELECT sum(ZAIRTIME) FROM ZFLIGHT")[0])


# Snapshots, threads, and memory


def _snapshot(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    writer = sqlite3.connect(cell.flights, isolation_level=None)
    writer.execute("PRAGMA synchronous=normal")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        (identity,) = ids_of(coordinator, "Flight", [SNAPSHOT_KEY])
        flight = context.existing_object(identity)
        context.pin()
        keeper = pinview.Context(coordinator)
        for name in ("commit", "idle", "shared", "asked"):
            if name == "shared":
                keeper.pin()
                keeper.count("Airline")
            if name == "asked":
                context.count("Airline")
            total = spent = 0
            for number in range(repeats):
                if name == "commit":
                    writer.execute("UPDATE ZFLIGHT SET ZMINUTE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (number % 60, SNAPSHOT_KEY))
                begin = time.perf_counter_ns()
                if name != "asked":
                    # Reading the refreshed object takes the newest generation; pinning again
                    # releases it.
                    context.refresh(flight, merge_changes=False)
                    total += flight.minute
                    context.pin()
                else:
                    if context.has_newer_generation:
                        context.pin()
                        context.refresh(flight, merge_changes=False)
                    total += flight.minute
                spent += time.perf_counter_ns() - begin
            cell.measure(name, spent / repeats)
            cell.checksum(name, total)
        keeper.close()
    writer.close()


def _memory(cell: Cell) -> None:
    limit = cell.parameter("limit")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        context.count("Flight", "arrivalDelay > 60")  # fills the page cache
        rows = limit or _rows_of(context)
        sums = []

        def read() -> list[Any]:
            flights = list(context.fetch("Flight", limit=limit))
            sums.append(sum_of_six(flights))
            return flights

        size, flights = memory_per(rows, read)
        cell.measure("object", size)
        cell.checksum("rows", sums[0])
        del flights
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        context.count("Flight", "arrivalDelay > 60")
        context.count("Flight")  # in an index, as rows without gaps between their keys are counted
        size, flights = memory_per(rows, lambda: list(context.fetch("Flight", limit=limit, includes_property_values=False)))
        cell.measure("fault", size)
        del flights


def _threads(cell: Cell) -> None:
    limit = cell.parameter("limit")
    with opened(cell.flights) as coordinator:
        contexts = [pinview.Context(coordinator) for _ in range(4)]
        contexts[0].pin()
        rows = limit or _rows_of(contexts[0])
        for context in contexts[1:]:
            context.pin(contexts[0].query_generation)
        kept = []

        def work(context: pinview.Context) -> int:
            flights = list(context.fetch("Flight", limit=limit))
            kept.append(flights)
            return sum_of_six(flights)

        measure_threads(cell, contexts, work, lambda: rows)
        kept.clear()
        for context in contexts:
            context.close()


def _latency(cell: Cell) -> None:
    reads = cell.parameter("reads")
    with opened(cell.flights) as coordinator, pinview.Context(coordinator) as context:
        ids = ids_of(coordinator, "Flight", random_keys(reads, _rows_of(context)))
        context.pin()

        def read(place: int) -> int:
            # The read takes the newest generation; pinning again releases it.
            total = sum_of_few([context.existing_object(ids[place]).values(*SIX)])
            context.pin()
            return total

        measure_latency(cell, range(reads), read)


WORKLOADS = {**workloads_of(globals()), **pinview_related.WORKLOADS, **pinview_streams.WORKLOADS}
