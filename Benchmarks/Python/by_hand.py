"""The workloads written by hand for modules with connections and cursors: sqlite3, the reference,
and apsw.

Rows are tuples, the default of these modules. A dictionary by key serves as the identity map.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any, Callable

from by_hand_connections import INSERT_PERSON, NOTE_KEYS, PERSON_COLUMNS, Connect, Row
from by_hand_related import SmallSaves, Walking
from by_hand_streams import Following, Streaming, Upserting
from cell import EPOCH_SECONDS, PEOPLE_SUM, SNAPSHOT_KEY, WORKLOADS, Cell, commits, memory_per, percentile, random_keys
from make_store import person_columns

ATTRIBUTE_COLUMNS = (
    "ZYEAR, ZMONTH, ZDAY, ZDEPARTURETIME, ZSCHEDULEDDEPARTURETIME, ZDEPARTUREDELAY, ZARRIVALTIME, ZSCHEDULEDARRIVALTIME, ZARRIVALDELAY, "
    "ZCARRIER, ZNUMBER, ZTAILNUMBER, ZORIGIN, ZDESTINATION, ZAIRTIME, ZDISTANCE, ZHOUR, ZMINUTE, ZSCHEDULEDHOUR"
)
FLIGHT_COLUMNS = f"Z_PK, Z_OPT, ZAIRLINE, ZPLANE, ZORIGINAIRPORT, ZDESTINATIONAIRPORT, {ATTRIBUTE_COLUMNS}"
PLANE_COLUMNS = "Z_PK, Z_OPT, ZTAILNUMBER, ZYEAR, ZTYPE, ZMANUFACTURER, ZMODEL, ZENGINES, ZSEATS, ZSPEED, ZENGINE"
PLANE, MONTH, DEPARTURE_DELAY, ARRIVAL_DELAY, CARRIER, TAIL_NUMBER, DISTANCE, SEATS = 3, 7, 11, 14, 15, 17, 21, 8


def limited(count: int) -> str:
    """The LIMIT clause for the first `count` rows; 0 for all."""
    return f" LIMIT {count}" if count else ""


def sum_of_six(rows: Iterable[Row]) -> int:
    """The sum of the six attributes of all flights."""
    total = 0
    for row in rows:
        total += (
            row[MONTH]
            + (row[DEPARTURE_DELAY] or 0)
            + (row[ARRIVAL_DELAY] or 0)
            + len(row[CARRIER])
            + len(row[TAIL_NUMBER] or "")
            + row[DISTANCE]
        )
    return total


def sum_of_few(rows: Iterable[Row]) -> int:
    """The same, for rows that have only the six attributes."""
    total = 0
    for month, departure_delay, arrival_delay, carrier, tail_number, distance in rows:
        total += month + (departure_delay or 0) + (arrival_delay or 0) + len(carrier) + len(tail_number or "") + distance
    return total


SIX_COLUMNS = "ZMONTH, ZDEPARTUREDELAY, ZARRIVALDELAY, ZCARRIER, ZTAILNUMBER, ZDISTANCE"


class ByHand(Walking, SmallSaves, Streaming, Upserting, Following):
    """The workloads for a module."""

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect)
        self.workloads: dict[str, Callable[[Cell], None]] = {workload: getattr(self, name) for workload, name in WORKLOADS.items()}

    # Reading

    def read_all(self, cell: Cell) -> None:
        count = cell.parameter("limit")
        statement = f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT{limited(count)}"
        first, second = self._open(cell.flights), self._open(cell.flights)
        rows = count or first.execute("SELECT count(*) FROM ZFLIGHT").fetchone()[0]
        second.execute("SELECT count(*) FROM ZPLANE").fetchall()
        kept = []
        for name, connection in (("first", first), ("again", first), ("second", second)):
            with cell.timed(name, rows):
                flights = connection.execute(statement).fetchall()
                total = sum_of_six(flights)
            kept.append(flights)
            cell.checksum("rows", total)
        del kept
        with cell.timed("columns", rows):
            flights = second.execute(f"SELECT {ATTRIBUTE_COLUMNS} FROM ZFLIGHT{limited(count)}").fetchall()
            total = sum_of_few((row[1], row[5], row[8], row[9], row[11], row[15]) for row in flights)
        cell.checksum("rows", total)

    def columns(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        count = cell.parameter("limit")
        rows = count or connection.execute("SELECT count(*) FROM ZFLIGHT").fetchone()[0]
        for name in ("columns", "rows", "values"):
            with cell.timed(name, rows):
                flights = connection.execute(f"SELECT {SIX_COLUMNS} FROM ZFLIGHT{limited(count)}").fetchall()
                total = sum_of_few(flights)
            cell.checksum("rows", total)

    def index_sorted(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        statement = f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT WHERE ZDESTINATION = ? ORDER BY ZARRIVALDELAY DESC, ZSCHEDULEDHOUR, ZNUMBER"
        rows = connection.execute("SELECT count(*) FROM ZFLIGHT WHERE ZDESTINATION = 'DCA'").fetchone()[0]
        total = order = 0
        with cell.timed("sorted", rows):
            flights = connection.execute(statement, ("DCA",)).fetchall()
            for place, row in enumerate(flights, 1):
                _, _, _, _, _, _, year, month, day, departure, planned_departure, departure_delay, *rest = row
                arrival, planned_arrival, arrival_delay, carrier, number, tail_number, origin, destination, *rest = rest
                air_time, distance, hour, minute, date = rest
                total += (
                    year
                    + month
                    + day
                    + (departure or 0)
                    + planned_departure
                    + (departure_delay or 0)
                    + (arrival or 0)
                    + planned_arrival
                    + (arrival_delay or 0)
                    + len(carrier)
                    + number
                    + len(tail_number or "")
                    + len(origin)
                    + len(destination)
                    + (air_time or 0)
                    + distance
                    + hour
                    + minute
                    + int(date)
                )
                order += place * number
        cell.checksum("values", total)
        cell.checksum("order", order)

    def by_key(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        lookups = cell.parameter("lookups")
        keys = random_keys(lookups, connection.execute("SELECT max(Z_PK) FROM ZFLIGHT").fetchone()[0])
        statement = f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT WHERE Z_PK = ?"
        known: dict[int, Row] = {}
        with cell.timed("cold", lookups):
            for key in keys:
                if key not in known:
                    known[key] = connection.execute(statement, (key,)).fetchone()
            total = sum_of_six([known[key] for key in keys])
        cell.checksum("cold", total)
        total = 0
        with cell.timed("warm", lookups):
            for key in keys:
                total += known[key][DISTANCE]
        cell.checksum("warm", total)
        other = self._open(cell.flights)
        other.execute("SELECT count(*) FROM ZPLANE").fetchall()
        known = {}
        with cell.timed("batch", lookups):
            for place in range(0, lookups, 10_000):
                some = keys[place : place + 10_000]
                found = other.execute(f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT WHERE Z_PK IN ({', '.join('?' * len(some))})", some)
                known.update((row[0], row) for row in found)
            total = sum_of_six([known[key] for key in keys])
        cell.checksum("cold", total)

    def follow(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        count = cell.parameter("flights")
        with cell.timed("fetch", count):
            flights = connection.execute(f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT LIMIT {count}").fetchall()
            total = sum_of_six(flights)
        cell.checksum("fetch", total)
        statement = f"SELECT {PLANE_COLUMNS} FROM ZPLANE WHERE Z_PK = ?"
        planes: dict[int, Row] = {}
        total = 0
        with cell.timed("lazy", count):
            for flight in flights:
                key = flight[PLANE]
                if key is not None:
                    plane = planes.get(key)
                    if plane is None:
                        plane = planes[key] = connection.execute(statement, (key,)).fetchone()
                    total += plane[SEATS] or 0
        cell.checksum("lazy", total)

    def prefetch(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        count = cell.parameter("flights")
        wanted = f"SELECT ZPLANE FROM ZFLIGHT ORDER BY Z_PK LIMIT {count}"
        with cell.timed("eager", count):
            flights = connection.execute(f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT LIMIT {count}").fetchall()
            planes = {
                plane[0]: plane for plane in connection.execute(f"SELECT {PLANE_COLUMNS} FROM ZPLANE WHERE Z_PK IN ({wanted})").fetchall()
            }
            total = sum_of_six(flights)
            for flight in flights:
                if flight[PLANE] is not None:
                    total += planes[flight[PLANE]][SEATS] or 0
        cell.checksum("eager", total)

    # Writing

    def _insert(self, cell: Cell, history: bool) -> None:
        connection = self._open(cell.people)
        persons, rows = cell.parameter("persons"), cell.parameter("rows")
        for round_, name in enumerate(("objects", "batch")):
            first = persons + 1 + round_ * rows
            columns = list(person_columns(range(first, first + rows)).values())
            with cell.timed(name, rows):
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(INSERT_PERSON, zip(*columns))
                if history:
                    self._write_history(connection, first, rows)
                connection.execute(NOTE_KEYS)
                connection.execute("COMMIT")
            cell.checksum(name, connection.execute(PEOPLE_SUM).fetchone()[0])

    def _write_history(self, connection: Any, first: int, rows: int) -> None:
        number = (connection.execute("SELECT max(Z_PK) FROM ATRANSACTION").fetchone()[0] or 0) + 1
        connection.execute(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (?, 16002, 1, ?)", (number, time.time() - EPOCH_SECONDS)
        )
        connection.executemany(
            "INSERT INTO ACHANGE (Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (16001, 1, 0, 2, ?, ?)",
            ((key, number) for key in range(first, first + rows)),
        )

    def insert(self, cell: Cell) -> None:
        self._insert(cell, False)

    def insert_with_history(self, cell: Cell) -> None:
        self._insert(cell, True)

    def update(self, cell: Cell) -> None:
        connection = self._open(cell.people)
        rows = cell.parameter("rows")
        persons = connection.execute(f"SELECT {PERSON_COLUMNS} FROM ZPERSON LIMIT {rows}").fetchall()
        with cell.timed("update", rows):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "UPDATE ZPERSON SET ZAGE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", ((row[5] + 1, row[0]) for row in persons)
            )
            connection.execute("COMMIT")
        age, versions = connection.execute("SELECT sum(ZAGE), sum(Z_OPT) FROM ZPERSON").fetchone()
        cell.checksum("update", age)
        cell.checksum("versions", versions)

    def delete(self, cell: Cell) -> None:
        connection = self._open(cell.people)
        rows = cell.parameter("rows")
        cars = connection.execute(f"SELECT Z_PK, Z_OPT, ZPLATE, ZBRAND, ZYEAR, ZPRICE, ZOWNER FROM ZCAR LIMIT {rows}").fetchall()
        with cell.timed("delete", rows):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("DELETE FROM ZCAR WHERE Z_PK = ?", ((car[0],) for car in cars))
            connection.execute("COMMIT")
        cell.checksum("delete", connection.execute("SELECT count(*) + sum(Z_PK) FROM ZCAR").fetchone()[0] or 0)

    # Statements

    def count(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        repeats = cell.parameter("repeats")
        for name, condition, value in (("scan", "ZARRIVALDELAY > ?", 60), ("index", "ZDESTINATION = ?", "DCA")):
            found = 0
            with cell.timed(name, repeats):
                for _ in range(repeats):
                    found = connection.execute(f"SELECT count(*) FROM ZFLIGHT WHERE {condition}", (value,)).fetchone()[0]
            cell.checksum(name, found)

    def bulk_update(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        rows = connection.execute("SELECT count(*) FROM ZFLIGHT").fetchone()[0]
        with cell.timed("update", rows):
            connection.execute("UPDATE ZFLIGHT SET ZAIRTIME = ZAIRTIME + 1, Z_OPT = Z_OPT + 1 WHERE ZDISTANCE > 500")
        cell.checksum("update", connection.execute("SELECT sum(ZAIRTIME) FROM ZFLIGHT").fetchone()[0])

    # Snapshots, threads, and memory

    def snapshot(self, cell: Cell) -> None:
        connection, writer = self._open(cell.flights), self._open(cell.flights)
        repeats = cell.parameter("repeats")
        for name in ("commit", "idle", "shared", "asked"):
            total = spent = 0
            for number in range(repeats):
                if name == "commit":
                    writer.execute("UPDATE ZFLIGHT SET ZMINUTE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (number % 60, SNAPSHOT_KEY))
                begin = time.perf_counter_ns()
                connection.execute("BEGIN")
                total += connection.execute("SELECT ZMINUTE FROM ZFLIGHT WHERE Z_PK = ?", (SNAPSHOT_KEY,)).fetchone()[0]
                connection.execute("COMMIT")
                spent += time.perf_counter_ns() - begin
            cell.measure(name, spent / repeats)
            cell.checksum(name, total)

    def memory(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        count = cell.parameter("limit")
        statement = f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT{limited(count)}"
        for _ in connection.execute(statement):
            pass  # fills the page cache
        rows = count or connection.execute("SELECT count(*) FROM ZFLIGHT").fetchone()[0]
        size, flights = memory_per(rows, connection.execute(statement).fetchall)
        cell.measure("object", size)
        cell.checksum("rows", sum_of_six(flights))

    def threads(self, cell: Cell) -> None:
        count = cell.parameter("limit")
        statement = f"SELECT {FLIGHT_COLUMNS} FROM ZFLIGHT{limited(count)}"

        def work(connection: Any) -> int:
            kept.append(connection.execute(statement).fetchall())
            return sum_of_six(kept[-1])

        kept: list[list[Row]] = []
        measure_threads(cell, [self._open(cell.flights) for _ in range(4)], work, lambda: len(kept[0]))

    def latency(self, cell: Cell) -> None:
        connection = self._open(cell.flights)
        connection.execute("PRAGMA busy_timeout=60000").fetchall()
        reads = cell.parameter("reads")
        keys = random_keys(reads, connection.execute("SELECT max(Z_PK) FROM ZFLIGHT").fetchone()[0])

        def read(key: int) -> int:
            return sum_of_few([connection.execute(f"SELECT {SIX_COLUMNS} FROM ZFLIGHT WHERE Z_PK = ?", (key,)).fetchone()])

        measure_latency(cell, keys, read)


def measure_threads(cell: Cell, spaces: Sequence[Any], work: Callable[[Any], int], rows: Callable[[], int]) -> None:
    """Runs the work four times with separate connections: twice in one thread, and twice in two
    threads at once.
    """
    begin = time.perf_counter_ns()
    sums = [work(spaces[0]), work(spaces[1])]
    one = time.perf_counter_ns() - begin
    threads = [threading.Thread(target=lambda space=space: sums.append(work(space))) for space in spaces[2:]]
    begin = time.perf_counter_ns()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    two = time.perf_counter_ns() - begin
    cell.measure("one", one / (2 * rows()))
    cell.measure("two", two / (2 * rows()))
    cell.measure("speedup", one / two)
    cell.checksum("rows", sums[0] + sums[1])
    cell.checksum("rows", sums[2] + sums[3])


def measure_latency(cell: Cell, keys: Sequence[int], read: Callable[[int], int]) -> None:
    """Measures a read of each key while a second process commits."""
    times = []
    with commits(cell.flights):
        for key in keys:
            begin = time.perf_counter_ns()
            read(key)
            times.append(time.perf_counter_ns() - begin)
    cell.measure("p50", percentile(times, 0.5))
    cell.measure("p99", percentile(times, 0.99))
