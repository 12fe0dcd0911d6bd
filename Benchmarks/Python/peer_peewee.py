"""peewee: active records without an identity map; bulk_create for inserts, a join for
prefetching.
"""

from __future__ import annotations

import time
from typing import Any

import peewee
from by_hand import measure_latency, measure_threads, sum_of_few
from cell import PEOPLE_SUM, SNAPSHOT_KEY, Cell, memory_per, random_keys, sum_and_order, sum_of_seats, sum_of_six, workloads_of
from make_store import person_columns

database = peewee.SqliteDatabase(
    None, pragmas={"journal_mode": "wal", "synchronous": "normal", "cache_size": -65536, "mmap_size": 0}, timeout=60
)


def _integer(name: str) -> Any:
    return peewee.IntegerField(column_name="Z" + name.upper(), null=True)


def _text(name: str) -> Any:
    return peewee.TextField(column_name="Z" + name.upper(), null=True)


def _double(name: str) -> Any:
    return peewee.FloatField(column_name="Z" + name.upper(), null=True)


class Plane(peewee.Model):
    """A plane."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    tailNumber = _text("tailNumber")
    year = _integer("year")
    type = _text("type")
    manufacturer = _text("manufacturer")
    model = _text("model")
    engines = _integer("engines")
    seats = _integer("seats")
    speed = _integer("speed")
    engine = _text("engine")

    class Meta:
        database = database
        table_name = "ZPLANE"


class Flight(peewee.Model):
    """A flight. The date is a number, as in SQLite."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    year = _integer("year")
    month = _integer("month")
    day = _integer("day")
    departureTime = _integer("departureTime")
    scheduledDepartureTime = _integer("scheduledDepartureTime")
    departureDelay = _integer("departureDelay")
    arrivalTime = _integer("arrivalTime")
    scheduledArrivalTime = _integer("scheduledArrivalTime")
    arrivalDelay = _integer("arrivalDelay")
    carrier = _text("carrier")
    number = _integer("number")
    tailNumber = _text("tailNumber")
    origin = _text("origin")
    destination = _text("destination")
    airTime = _integer("airTime")
    distance = _integer("distance")
    hour = _integer("hour")
    minute = _integer("minute")
    scheduledHour = _double("scheduledHour")
    airline_id = _integer("airline")
    plane = peewee.ForeignKeyField(Plane, column_name="ZPLANE", null=True, lazy_load=True)
    origin_airport_id = _integer("originAirport")
    destination_airport_id = _integer("destinationAirport")

    class Meta:
        database = database
        table_name = "ZFLIGHT"


class Person(peewee.Model):
    """A person."""

    id = peewee.AutoField(column_name="Z_PK")
    entity = peewee.IntegerField(column_name="Z_ENT", default=2)
    version = peewee.IntegerField(column_name="Z_OPT", default=1)
    firstName = _text("firstName")
    lastName = _text("lastName")
    email = _text("email")
    age = _integer("age")
    height = _double("height")

    class Meta:
        database = database
        table_name = "ZPERSON"


class Car(peewee.Model):
    """A car."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    plate = _text("plate")
    brand = _text("brand")
    year = _integer("year")
    price = _double("price")
    owner_id = _integer("owner")

    class Meta:
        database = database
        table_name = "ZCAR"


SIX = (Flight.month, Flight.departureDelay, Flight.arrivalDelay, Flight.carrier, Flight.tailNumber, Flight.distance)
# Rows of one statement. SQLite's limit of values is 32,766 by default, and 250,000 in Debian's
# library.
BLOCK = 1000


def _open(path: str) -> None:
    database.init(path)
    database.connect()


def _limited(query: Any, count: int) -> Any:
    return query.limit(count) if count else query


def _rows_of() -> int:
    return int(Flight.select().count())


# Reading


def _read_all(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or _rows_of()
    kept = []
    for name in ("first", "again", "second"):
        if name == "second":
            database.close()
            database.connect()
            Plane.select().count()
        with cell.timed(name, rows):
            flights = list(_limited(Flight.select(), limit))
            total = sum_of_six(flights)
        kept.append(flights)
        cell.checksum("rows", total)


def _columns(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or _rows_of()
    with cell.timed("rows", rows):
        flights = list(_limited(Flight.select(*SIX), limit).tuples())
        total = sum_of_few(flights)
    cell.checksum("rows", total)


def _index_sorted(cell: Cell) -> None:
    _open(cell.flights)
    query = Flight.select().where(Flight.destination == "DCA")
    rows = query.count()
    with cell.timed("sorted", rows):
        flights = list(query.order_by(Flight.arrivalDelay.desc(), Flight.scheduledHour, Flight.number))
        total, order = sum_and_order(flights, int)
    cell.checksum("values", total)
    cell.checksum("order", order)


def _by_key(cell: Cell) -> None:
    lookups = cell.parameter("lookups")
    _open(cell.flights)
    keys = random_keys(lookups, _rows_of())
    with cell.timed("cold", lookups):
        flights = [Flight.get_by_id(key) for key in keys]
        total = sum_of_six(flights)
    cell.checksum("cold", total)
    with cell.timed("batch", lookups):
        by_id: dict[int, Any] = {}
        for place in range(0, lookups, 10_000):
            by_id.update((flight.id, flight) for flight in Flight.select().where(Flight.id.in_(keys[place : place + 10_000])))
        total = sum_of_six([by_id[key] for key in keys])
    cell.checksum("cold", total)


def _follow(cell: Cell) -> None:
    count = cell.parameter("flights")
    _open(cell.flights)
    with cell.timed("fetch", count):
        flights = list(Flight.select().limit(count))
        total = sum_of_six(flights)
    cell.checksum("fetch", total)
    with cell.timed("lazy", count):
        total = sum_of_seats(flights)
    cell.checksum("lazy", total)


def _prefetch(cell: Cell) -> None:
    count = cell.parameter("flights")
    _open(cell.flights)
    with cell.timed("eager", count):
        flights = list(Flight.select(Flight, Plane).join(Plane, peewee.JOIN.LEFT_OUTER).limit(count))
        total = sum_of_six(flights) + sum_of_seats(flights)
    cell.checksum("eager", total)


# Writing


def _insert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    _open(cell.people)
    columns = person_columns(range(persons + 1, persons + 1 + rows))
    with cell.timed("objects", rows), database.atomic():
        people = [
            Person(firstName=first_name, lastName=last_name, email=email, age=age, height=height)
            for first_name, last_name, email, age, height in zip(*columns.values())
        ]
        Person.bulk_create(people, batch_size=BLOCK)
    cell.checksum("objects", database.execute_sql(PEOPLE_SUM).fetchone()[0])
    columns = person_columns(range(persons + 1 + rows, persons + 1 + 2 * rows))
    with cell.timed("batch", rows), database.atomic():
        fields = [getattr(Person, name) for name in columns]
        for batch in peewee.chunked(zip(*columns.values()), BLOCK):
            Person.insert_many(batch, fields=fields).execute()
    cell.checksum("batch", database.execute_sql(PEOPLE_SUM).fetchone()[0])


def _update(cell: Cell) -> None:
    rows = cell.parameter("rows")
    _open(cell.people)
    people = list(Person.select().limit(rows))
    with cell.timed("update", rows), database.atomic():
        for person in people:
            person.age = person.age + 1
            person.save(only=[Person.age])
    cell.checksum("update", Person.select(peewee.fn.SUM(Person.age)).scalar())


def _delete(cell: Cell) -> None:
    rows = cell.parameter("rows")
    _open(cell.people)
    cars = list(Car.select().limit(rows))
    with cell.timed("delete", rows), database.atomic():
        for car in cars:
            car.delete_instance()
    cell.checksum("delete", database.execute_sql("SELECT count(*) + sum(Z_PK) FROM ZCAR").fetchone()[0] or 0)


# Statements


def _count(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    _open(cell.flights)
    for name, condition in (("scan", Flight.arrivalDelay > 60), ("index", Flight.destination == "DCA")):
        found = 0
        with cell.timed(name, repeats):
            for _ in range(repeats):
                found = Flight.select().where(condition).count()
        cell.checksum(name, found)


def _bulk_update(cell: Cell) -> None:
    _open(cell.flights)
    rows = _rows_of()
    with cell.timed("update", rows):
        Flight.update(airTime=Flight.airTime + 1, version=Flight.version + 1).where(Flight.distance > 500).execute()
    cell.checksum("update", Flight.select(peewee.fn.SUM(Flight.airTime)).scalar())


# Snapshots, threads, and memory


def _snapshot(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    _open(cell.flights)
    writer = peewee.SqliteDatabase(cell.flights, pragmas={"synchronous": "normal"})
    for name in ("commit", "idle"):
        total = spent = 0
        for number in range(repeats):
            if name == "commit":
                writer.execute_sql("UPDATE ZFLIGHT SET ZMINUTE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", (number % 60, SNAPSHOT_KEY))
            begin = time.perf_counter_ns()
            with database.atomic():
                total += Flight.get_by_id(SNAPSHOT_KEY).minute
            spent += time.perf_counter_ns() - begin
        cell.measure(name, spent / repeats)
        cell.checksum(name, total)
    writer.close()


def _memory(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or _rows_of()
    list(_limited(Flight.select(*SIX), limit).tuples())  # fills the page cache
    sums = []

    def read() -> list[Any]:
        flights = list(_limited(Flight.select(), limit))
        sums.append(sum_of_six(flights))
        return flights

    size, _ = memory_per(rows, read)
    cell.measure("object", size)
    cell.checksum("rows", sums[0])


def _threads(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or _rows_of()
    kept = []

    def work(_: int) -> int:
        flights = list(_limited(Flight.select(), limit))  # each thread has its own connection
        kept.append(flights)
        return sum_of_six(flights)

    measure_threads(cell, range(4), work, lambda: rows)


def _latency(cell: Cell) -> None:
    reads = cell.parameter("reads")
    _open(cell.flights)
    keys = random_keys(reads, _rows_of())
    measure_latency(cell, keys, lambda key: sum_of_few([Flight.select(*SIX).where(Flight.id == key).tuples().get()]))


WORKLOADS = workloads_of(globals())
