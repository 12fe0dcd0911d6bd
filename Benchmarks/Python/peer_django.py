"""Django's ORM: active records without an identity map; bulk_create for inserts, select_related for
prefetching.
"""

from __future__ import annotations

import time
from typing import Any

import django
from by_hand import measure_latency, measure_threads, sum_of_few
from cell import PEOPLE_SUM, SNAPSHOT_KEY, Cell, memory_per, random_keys, sum_and_order, sum_of_seats, sum_of_six, workloads_of
from django.conf import settings
from make_store import person_columns

PRAGMAS = "PRAGMA journal_mode=wal; PRAGMA synchronous=normal; PRAGMA cache_size=-65536; PRAGMA mmap_size=0"

# Without detect_types=0 it treats numbers in columns of the type TIMESTAMP as strings.
_OPTIONS = {"init_command": PRAGMAS, "timeout": 60, "detect_types": 0}

settings.configure(
    DATABASES={name: {"ENGINE": "django.db.backends.sqlite3", "NAME": "", "OPTIONS": _OPTIONS} for name in ("default", "writer")},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=[],
    USE_TZ=True,
)
django.setup()

from django.db import connection, connections, models, transaction
from django.db.models import Count, F, Sum


def _integer(name: str) -> Any:
    return models.IntegerField(db_column="Z" + name.upper(), null=True)


def _text(name: str) -> Any:
    return models.TextField(db_column="Z" + name.upper(), null=True)


def _double(name: str) -> Any:
    return models.FloatField(db_column="Z" + name.upper(), null=True)


class Plane(models.Model):
    """A plane."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
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
        app_label = "benchmarks"
        db_table = "ZPLANE"


class Flight(models.Model):
    """A flight. The date is a number, as in SQLite."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
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
    plane = models.ForeignKey(Plane, models.DO_NOTHING, db_column="ZPLANE", null=True)
    origin_airport_id = _integer("originAirport")
    destination_airport_id = _integer("destinationAirport")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZFLIGHT"


class Person(models.Model):
    """A person."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    entity = models.IntegerField(db_column="Z_ENT", default=2)
    version = models.IntegerField(db_column="Z_OPT", default=1)
    firstName = _text("firstName")
    lastName = _text("lastName")
    email = _text("email")
    age = _integer("age")
    height = _double("height")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZPERSON"


class Car(models.Model):
    """A car."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    plate = _text("plate")
    brand = _text("brand")
    year = _integer("year")
    price = _double("price")
    owner_id = _integer("owner")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZCAR"


SIX = ("month", "departureDelay", "arrivalDelay", "carrier", "tailNumber", "distance")


def _open(path: str) -> None:
    for each in connections.all():
        each.close()
        each.settings_dict["NAME"] = path
    connection.ensure_connection()


def _limited(query: Any, count: int) -> Any:
    return query[:count] if count else query


def _ask(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0] or 0


# Reading


def _read_all(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or Flight.objects.count()
    kept = []
    for name in ("first", "again", "second"):
        if name == "second":
            _open(cell.flights)
            Plane.objects.count()
        with cell.timed(name, rows):
            flights = list(_limited(Flight.objects.all(), limit))
            total = sum_of_six(flights)
        kept.append(flights)
        cell.checksum("rows", total)


def _columns(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or Flight.objects.count()
    with cell.timed("rows", rows):
        flights = list(_limited(Flight.objects.values_list(*SIX), limit))
        total = sum_of_few(flights)
    cell.checksum("rows", total)


def _index_sorted(cell: Cell) -> None:
    _open(cell.flights)
    query = Flight.objects.filter(destination="DCA")
    rows = query.count()
    with cell.timed("sorted", rows):
        flights = list(query.order_by("-arrivalDelay", "scheduledHour", "number"))
        total, order = sum_and_order(flights, int)
    cell.checksum("values", total)
    cell.checksum("order", order)


def _by_key(cell: Cell) -> None:
    lookups = cell.parameter("lookups")
    _open(cell.flights)
    keys = random_keys(lookups, Flight.objects.count())
    with cell.timed("cold", lookups):
        flights = [Flight.objects.get(pk=key) for key in keys]
        total = sum_of_six(flights)
    cell.checksum("cold", total)
    with cell.timed("batch", lookups):
        by_id: dict[int, Any] = {}
        for place in range(0, lookups, 10_000):
            by_id.update(Flight.objects.in_bulk(keys[place : place + 10_000]))
        total = sum_of_six([by_id[key] for key in keys])
    cell.checksum("cold", total)


def _follow(cell: Cell) -> None:
    count = cell.parameter("flights")
    _open(cell.flights)
    with cell.timed("fetch", count):
        flights = list(Flight.objects.all()[:count])
        total = sum_of_six(flights)
    cell.checksum("fetch", total)
    with cell.timed("lazy", count):
        total = sum_of_seats(flights)
    cell.checksum("lazy", total)


def _prefetch(cell: Cell) -> None:
    count = cell.parameter("flights")
    _open(cell.flights)
    with cell.timed("eager", count):
        flights = list(Flight.objects.select_related("plane")[:count])
        total = sum_of_six(flights) + sum_of_seats(flights)
    cell.checksum("eager", total)


# Writing


def _insert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    _open(cell.people)
    # Inserting without objects is not possible, so bulk_create is used for both.
    for round_, name in enumerate(("objects", "batch")):
        first = persons + 1 + round_ * rows
        columns = person_columns(range(first, first + rows))
        with cell.timed(name, rows), transaction.atomic():
            Person.objects.bulk_create(
                [
                    Person(firstName=first_name, lastName=last_name, email=email, age=age, height=height)
                    for first_name, last_name, email, age, height in zip(*columns.values())
                ]
            )
        cell.checksum(name, _ask(PEOPLE_SUM))


def _update(cell: Cell) -> None:
    rows = cell.parameter("rows")
    _open(cell.people)
    people = list(Person.objects.all()[:rows])
    with cell.timed("update", rows), transaction.atomic():
        for person in people:
            person.age = person.age + 1
            person.save(update_fields=["age"])
    cell.checksum("update", Person.objects.aggregate(total=Sum("age"))["total"])


def _delete(cell: Cell) -> None:
    rows = cell.parameter("rows")
    _open(cell.people)
    cars = list(Car.objects.all()[:rows])
    with cell.timed("delete", rows), transaction.atomic():
        for car in cars:
            car.delete()
    cell.checksum("delete", _ask("SELECT count(*) + sum(Z_PK) FROM ZCAR"))


# Statements


def _count(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    _open(cell.flights)
    for name, condition in (("scan", {"arrivalDelay__gt": 60}), ("index", {"destination": "DCA"})):
        found = 0
        with cell.timed(name, repeats):
            for _ in range(repeats):
                found = Flight.objects.filter(**condition).count()
        cell.checksum(name, found)


def _bulk_update(cell: Cell) -> None:
    _open(cell.flights)
    rows = Flight.objects.aggregate(rows=Count("pk"))["rows"]
    with cell.timed("update", rows):
        Flight.objects.filter(distance__gt=500).update(airTime=F("airTime") + 1, version=F("version") + 1)
    cell.checksum("update", Flight.objects.aggregate(total=Sum("airTime"))["total"])


# Snapshots, threads, and memory


def _snapshot(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    _open(cell.flights)
    with connections["writer"].cursor() as writer:
        for name in ("commit", "idle"):
            total = spent = 0
            for number in range(repeats):
                if name == "commit":
                    writer.execute("UPDATE ZFLIGHT SET ZMINUTE = %s, Z_OPT = Z_OPT + 1 WHERE Z_PK = %s", (number % 60, SNAPSHOT_KEY))
                begin = time.perf_counter_ns()
                with transaction.atomic():
                    total += Flight.objects.get(pk=SNAPSHOT_KEY).minute
                spent += time.perf_counter_ns() - begin
            cell.measure(name, spent / repeats)
            cell.checksum(name, total)


def _memory(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or Flight.objects.count()
    list(_limited(Flight.objects.values_list(*SIX), limit))  # fills the page cache
    sums = []

    def read() -> list[Any]:
        flights = list(_limited(Flight.objects.all(), limit))
        sums.append(sum_of_six(flights))
        return flights

    size, _ = memory_per(rows, read)
    cell.measure("object", size)
    cell.checksum("rows", sums[0])


def _threads(cell: Cell) -> None:
    limit = cell.parameter("limit")
    _open(cell.flights)
    rows = limit or Flight.objects.count()
    kept = []

    def work(_: int) -> int:
        flights = list(_limited(Flight.objects.all(), limit))  # each thread has its own connection
        kept.append(flights)
        return sum_of_six(flights)

    measure_threads(cell, range(4), work, lambda: rows)


def _latency(cell: Cell) -> None:
    reads = cell.parameter("reads")
    _open(cell.flights)
    keys = random_keys(reads, Flight.objects.count())
    measure_latency(cell, keys, lambda key: sum_of_few([Flight.objects.values_list(*SIX).get(pk=key)]))


WORKLOADS = workloads_of(globals())
