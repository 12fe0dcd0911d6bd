"""Django's ORM: active records without an identity map; bulk_create for inserts, select_related and
prefetch_related for prefetching, iterator for streams.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

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
    workloads_of,
)
from django.db import connection, connections, transaction
from django.db.models import Count, F, Sum
from django_models import Car, Flight, Person, Plane, Post, Tag, User
from make_store import person_columns

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


# Relationships to many objects

# Objects whose members are prefetched together. SQLite's limit of values is 32,766 by default.
_BATCH = 1000


def _walk_users(cell: Cell, name: str, fetch: Callable[[], Iterable[Any]]) -> None:
    kept: list[Any] = []
    total = 0
    _open(cell.blog)
    Tag.objects.count()
    with cell.timed(name, cell.parameter("users") * 31):
        for user in fetch():
            kept.append(user)
            total += user.age
            for post in user.posts.all():
                kept.append(post)
                total += post.score
                for comment in post.comments.all():
                    kept.append(comment)
                    total += comment.likes
    cell.checksum("walk", total)


def _walk(cell: Cell) -> None:
    _walk_users(cell, "lazy", User.objects.all)


def _walk_prefetched(cell: Cell) -> None:
    _walk_users(cell, "prefetched", lambda: User.objects.prefetch_related("posts__comments").iterator(chunk_size=_BATCH))


def _walk_tags(cell: Cell, name: str, fetch: Callable[[int], Iterable[Any]]) -> None:
    count = cell.parameter("posts")
    _open(cell.blog)
    Tag.objects.count()
    with cell.timed(name, count * 4):
        kept = [(post, list(post.tags.all())) for post in fetch(count)]
        total = sum(tag.weight for _, tags in kept for tag in tags)
    cell.checksum("walk", total)


def _tags(cell: Cell) -> None:
    _walk_tags(cell, "lazy", lambda count: Post.objects.all()[:count])


def _tags_prefetched(cell: Cell) -> None:
    _walk_tags(cell, "prefetched", lambda count: Post.objects.prefetch_related("tags")[:count].iterator(chunk_size=_BATCH))


# Small saves, streams, upserts


def _small_saves(cell: Cell) -> None:
    saves = cell.parameter("saves")
    _open(cell.people)
    persons = list(Person.objects.all()[:1000])
    with cell.timed("save", saves):
        for number in range(saves):
            person = persons[number % 1000]
            same = Person.objects.filter(pk=person.pk, version=person.version)
            with transaction.atomic():
                if same.update(age=person.age + 1, version=person.version + 1) != 1:
                    raise SystemExit("Another one has changed the person.")
            person.age += 1
            person.version += 1
    for name, field in (("save", "age"), ("versions", "version")):
        cell.checksum(name, Person.objects.aggregate(total=Sum(field))["total"])


def _stream(cell: Cell) -> None:
    persons = cell.parameter("persons")
    _open(cell.people)
    Car.objects.count()
    with cell.timed("whole", persons):
        people = list(Person.objects.all())
        total = sum_of_ages(people)
    cell.checksum("ages", total)
    del people
    measure_streams(cell, _streams(cell))


def _stream_peaks(cell: Cell) -> None:
    measure_peaks(cell, _streams(cell))


def _streams(cell: Cell) -> Iterator[Stream]:
    _open(cell.people)
    Car.objects.count()
    yield Stream("objects", lambda: Person.objects.iterator(chunk_size=_BATCH), sum_of_ages)
    _open(cell.people)
    Car.objects.count()
    yield Stream("values", lambda: Person.objects.values_list("lastName", "age").iterator(chunk_size=_BATCH), sum_of_second)


def _upsert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    _open(cell.people)
    columns = person_columns(range(persons - rows // 2 + 1, persons + rows // 2 + 1), older=1)
    with cell.timed("batch", rows), transaction.atomic():
        people = [
            Person(firstName=first_name, lastName=last_name, email=email, age=age, height=height)
            for first_name, last_name, email, age, height in zip(*columns.values())
        ]
        changed = ["firstName", "lastName", "age", "height"]
        Person.objects.bulk_create(people, update_conflicts=True, unique_fields=["email"], update_fields=changed)
    cell.checksum("batch", _ask(PEOPLE_SUM))


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
