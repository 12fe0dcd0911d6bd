"""peewee: active records without an identity map; bulk_create for inserts, a join and prefetch for
prefetching, iterator for streams.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import peewee
from by_hand import measure_latency, measure_threads, sum_of_few
from cell import (
    PEOPLE_SUM,
    SNAPSHOT_KEY,
    Cell,
    Stream,
    measure_peaks,
    measure_streams,
    memory_per,
    random_keys,
    sum_and_order,
    sum_of_ages,
    sum_of_seats,
    sum_of_second,
    sum_of_six,
    sum_of_walk,
    workloads_of,
)
from make_store import person_columns
from peewee_models import Car, Comment, Flight, Person, Plane, Post, PostTag, Tag, User, database

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


# Relationships to many objects


def _walk_users(cell: Cell, name: str, fetch: Callable[[], Iterable[Any]]) -> None:
    kept: list[Any] = []
    _open(cell.blog)
    Tag.select().count()
    with cell.timed(name, cell.parameter("users") * 31):
        total = sum_of_walk(fetch(), kept)
    cell.checksum("walk", total)


def _walk(cell: Cell) -> None:
    _walk_users(cell, "lazy", User.select)


def _walk_prefetched(cell: Cell) -> None:
    _walk_users(cell, "prefetched", lambda: peewee.prefetch(User.select(), Post.select(), Comment.select()))


def _tags(cell: Cell) -> None:
    count = cell.parameter("posts")
    _open(cell.blog)
    Comment.select().count()
    with cell.timed("lazy", count * 4):
        posts = list(Post.select().limit(count))
        kept = [list(post.tags) for post in posts]
        total = sum(tag.weight for tags in kept for tag in tags)
    cell.checksum("walk", total)


def _tags_prefetched(cell: Cell) -> None:
    count = cell.parameter("posts")
    _open(cell.blog)
    Comment.select().count()
    with cell.timed("prefetched", count * 4):
        posts = peewee.prefetch(Post.select().order_by(Post.id).limit(count), PostTag.select(), Tag.select())
        total = sum(link.tag.weight for post in posts for link in post.links)
    cell.checksum("walk", total)


# Small saves, streams, upserts


def _small_saves(cell: Cell) -> None:
    saves = cell.parameter("saves")
    _open(cell.people)
    persons = list(Person.select().limit(1000))
    with cell.timed("save", saves):
        for number in range(saves):
            # As its documentation has it for optimistic locking.
            person = persons[number % 1000]
            is_same = (Person.id == person.id) & (Person.version == person.version)
            with database.atomic():
                if Person.update(age=person.age + 1, version=person.version + 1).where(is_same).execute() != 1:
                    raise SystemExit("Another one has changed the person.")
            person.age += 1
            person.version += 1
    for name, field in (("save", Person.age), ("versions", Person.version)):
        cell.checksum(name, Person.select(peewee.fn.SUM(field)).scalar())


def _stream(cell: Cell) -> None:
    persons = cell.parameter("persons")
    _open(cell.people)
    Car.select().count()
    with cell.timed("whole", persons):
        people = list(Person.select())
        total = sum_of_ages(people)
    cell.checksum("ages", total)
    del people
    database.close()
    measure_streams(cell, _streams(cell))


def _stream_peaks(cell: Cell) -> None:
    measure_peaks(cell, _streams(cell))


def _streams(cell: Cell) -> Iterator[Stream]:
    _open(cell.people)
    Car.select().count()
    yield Stream("objects", lambda: Person.select().iterator(), sum_of_ages)
    database.close()
    database.connect()
    Car.select().count()
    yield Stream("values", lambda: Person.select(Person.lastName, Person.age).tuples().iterator(), sum_of_second)


def _upsert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    _open(cell.people)
    columns = person_columns(range(persons - rows // 2 + 1, persons + rows // 2 + 1), older=1)
    with cell.timed("batch", rows), database.atomic():
        fields = [getattr(Person, name) for name in columns]
        for batch in peewee.chunked(zip(*columns.values()), BLOCK):
            Person.insert_many(batch, fields=fields).on_conflict(
                conflict_target=[Person.email],
                preserve=[Person.firstName, Person.lastName, Person.age, Person.height],
                update={Person.version: Person.version + 1},
            ).execute()
    cell.checksum("batch", database.execute_sql(PEOPLE_SUM).fetchone()[0])


# Snapshots, threads, and memory


def _snapshot(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    _open(cell.flights)
    writer: Any = peewee.SqliteDatabase(cell.flights, pragmas={"synchronous": "normal"})
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
    measure_latency(cell, keys, lambda key: sum_of_few([Flight.select(*SIX).where(Flight.id == key).tuples().get()]))  # type: ignore[list-item]


WORKLOADS = workloads_of(globals())
