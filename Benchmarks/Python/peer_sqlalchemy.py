"""SQLAlchemy's ORM: mapped classes, sessions with an identity map; add_all for inserts, joinedload
and selectinload for prefetching, yield_per for streams.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from by_hand import measure_latency, measure_threads, sum_of_few
from by_hand_connections import SETTINGS
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
from sqlalchemy import Engine, create_engine, event, func, insert, select, text, update
from sqlalchemy.dialects.sqlite import insert as insert_or_update
from sqlalchemy.orm import Session, joinedload, selectinload
from sqlalchemy_models import Car, Comment, Flight, Person, Plane, Post, User, VersionedPerson

SIX = (Flight.month, Flight.departureDelay, Flight.arrivalDelay, Flight.carrier, Flight.tailNumber, Flight.distance)


def _engine(path: str) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 60})

    @event.listens_for(engine, "connect")
    def settings(connection: Any, _: Any) -> None:
        for setting in SETTINGS:
            connection.execute(setting).fetchall()

    return engine


def _first(statement: Any, count: int) -> Any:
    return statement.limit(count) if count else statement


def _rows_of(session: Session, kind: Any = Flight) -> int:
    return session.scalar(select(func.count()).select_from(kind)) or 0


# Reading


def _read_all(cell: Cell) -> None:
    limit = cell.parameter("limit")
    engine = _engine(cell.flights)
    with Session(engine) as first, Session(engine) as second:
        rows = limit or _rows_of(first)
        second.scalar(select(func.count()).select_from(Plane))
        kept = []
        for name, session in (("first", first), ("again", first), ("second", second)):
            with cell.timed(name, rows):
                flights = session.scalars(_first(select(Flight), limit)).all()
                total = sum_of_six(flights)
            kept.append(flights)
            cell.checksum("rows", total)


def _columns(cell: Cell) -> None:
    limit = cell.parameter("limit")
    with Session(_engine(cell.flights)) as session:
        rows = limit or _rows_of(session)
        with cell.timed("rows", rows):
            flights = session.execute(_first(select(*SIX), limit)).all()
            total = sum_of_few(flights)
        cell.checksum("rows", total)


def _index_sorted(cell: Cell) -> None:
    with Session(_engine(cell.flights)) as session:
        rows = session.scalar(select(func.count()).select_from(Flight).where(Flight.destination == "DCA")) or 0
        statement = select(Flight).where(Flight.destination == "DCA")
        statement = statement.order_by(Flight.arrivalDelay.desc(), Flight.scheduledHour, Flight.number)
        with cell.timed("sorted", rows):
            flights = session.scalars(statement).all()
            total, order = sum_and_order(flights, int)
        cell.checksum("values", total)
        cell.checksum("order", order)


def _by_key(cell: Cell) -> None:
    lookups = cell.parameter("lookups")
    engine = _engine(cell.flights)
    with Session(engine) as session, Session(engine) as second:
        keys = random_keys(lookups, _rows_of(session))
        with cell.timed("cold", lookups):
            flights = [session.get(Flight, key) for key in keys]
            total = sum_of_six(flights)
        cell.checksum("cold", total)
        total = 0
        with cell.timed("warm", lookups):
            for key in keys:
                total += session.get(Flight, key).distance  # type: ignore[union-attr]
        cell.checksum("warm", total)
        with cell.timed("batch", lookups):
            by_id: dict[int, Flight] = {}
            for place in range(0, lookups, 10_000):
                found = second.scalars(select(Flight).where(Flight.id.in_(keys[place : place + 10_000])))
                by_id.update((flight.id, flight) for flight in found)
            total = sum_of_six([by_id[key] for key in keys])
        cell.checksum("cold", total)


def _follow(cell: Cell) -> None:
    count = cell.parameter("flights")
    with Session(_engine(cell.flights)) as session:
        with cell.timed("fetch", count):
            flights = session.scalars(select(Flight).limit(count)).all()
            total = sum_of_six(flights)
        cell.checksum("fetch", total)
        with cell.timed("lazy", count):
            total = sum_of_seats(flights)
        cell.checksum("lazy", total)


def _prefetch(cell: Cell) -> None:
    count = cell.parameter("flights")
    with Session(_engine(cell.flights)) as session:
        with cell.timed("eager", count):
            flights = session.scalars(select(Flight).options(joinedload(Flight.plane)).limit(count)).all()
            total = sum_of_six(flights) + sum_of_seats(flights)
        cell.checksum("eager", total)


# Writing


def _insert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    with Session(_engine(cell.people)) as session:
        columns = person_columns(range(persons + 1, persons + 1 + rows))
        with cell.timed("objects", rows):
            session.add_all(
                [
                    Person(firstName=first_name, lastName=last_name, email=email, age=age, height=height)
                    for first_name, last_name, email, age, height in zip(*columns.values())
                ]
            )
            session.commit()
        cell.checksum("objects", session.scalar(text(PEOPLE_SUM)))
        session.commit()
        columns = person_columns(range(persons + 1 + rows, persons + 1 + 2 * rows))
        with cell.timed("batch", rows):
            session.execute(insert(Person), [dict(zip(columns, row)) for row in zip(*columns.values())])
            session.commit()
        cell.checksum("batch", session.scalar(text(PEOPLE_SUM)))


def _update(cell: Cell) -> None:
    rows = cell.parameter("rows")
    with Session(_engine(cell.people)) as session:
        persons = session.scalars(select(Person).limit(rows)).all()
        with cell.timed("update", rows):
            for person in persons:
                person.age = person.age + 1
            session.commit()
        cell.checksum("update", session.scalar(select(func.sum(Person.age))) or 0)


def _delete(cell: Cell) -> None:
    rows = cell.parameter("rows")
    with Session(_engine(cell.people)) as session:
        cars = session.scalars(select(Car).limit(rows)).all()
        with cell.timed("delete", rows):
            for car in cars:
                session.delete(car)
            session.commit()
        cell.checksum("delete", session.scalar(text("SELECT count(*) + sum(Z_PK) FROM ZCAR")) or 0)


# Statements


def _count(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    with Session(_engine(cell.flights)) as session:
        for name, condition in (("scan", Flight.arrivalDelay > 60), ("index", Flight.destination == "DCA")):
            found = 0
            with cell.timed(name, repeats):
                for _ in range(repeats):
                    found = session.scalar(select(func.count()).select_from(Flight).where(condition)) or 0
            cell.checksum(name, found)


def _bulk_update(cell: Cell) -> None:
    with Session(_engine(cell.flights)) as session:
        rows = _rows_of(session)
        session.commit()
        with cell.timed("update", rows):
            session.execute(update(Flight).where(Flight.distance > 500).values(airTime=Flight.airTime + 1, version=Flight.version + 1))
            session.commit()
        cell.checksum("update", session.scalar(select(func.sum(Flight.airTime))) or 0)


# Relationships to many objects


def _walk_users(cell: Cell, name: str, *options: Any) -> None:
    kept: list[Any] = []
    with Session(_engine(cell.blog)) as session:
        _rows_of(session, Comment)
        with cell.timed(name, cell.parameter("users") * 31):
            total = sum_of_walk(session.scalars(select(User).options(*options)), kept)
        cell.checksum("walk", total)


def _walk(cell: Cell) -> None:
    _walk_users(cell, "lazy")


def _walk_prefetched(cell: Cell) -> None:
    _walk_users(cell, "prefetched", selectinload(User.posts).selectinload(Post.comments))


def _walk_tags(cell: Cell, name: str, *options: Any) -> None:
    count = cell.parameter("posts")
    with Session(_engine(cell.blog)) as session:
        _rows_of(session, Comment)
        with cell.timed(name, count * 4):
            posts = session.scalars(select(Post).limit(count).options(*options)).all()
            total = sum(tag.weight for post in posts for tag in post.tags)
        cell.checksum("walk", total)


def _tags(cell: Cell) -> None:
    _walk_tags(cell, "lazy")


def _tags_prefetched(cell: Cell) -> None:
    _walk_tags(cell, "prefetched", selectinload(Post.tags))


# Small saves, streams, upserts


def _small_saves(cell: Cell) -> None:
    saves = cell.parameter("saves")
    with Session(_engine(cell.people), expire_on_commit=False) as session:
        persons = session.scalars(select(VersionedPerson).limit(1000)).all()
        session.commit()
        with cell.timed("save", saves):
            for number in range(saves):
                persons[number % 1000].age += 1
                session.commit()
        for name, column in (("save", "ZAGE"), ("versions", "Z_OPT")):
            cell.checksum(name, session.scalar(text(f"SELECT sum({column}) FROM ZPERSON")) or 0)


def _stream(cell: Cell) -> None:
    with Session(_engine(cell.people)) as session:
        _rows_of(session, Car)
        with cell.timed("whole", cell.parameter("persons")):
            people = session.scalars(select(Person)).all()
            total = sum_of_ages(people)
        cell.checksum("ages", total)
        del people
    measure_streams(cell, _streams(cell))


def _stream_peaks(cell: Cell) -> None:
    measure_peaks(cell, _streams(cell))


def _streams(cell: Cell) -> Iterator[Stream]:
    in_batches = {"yield_per": 1000}
    with Session(_engine(cell.people)) as session:
        _rows_of(session, Car)
        yield Stream("objects", lambda: session.scalars(select(Person), execution_options=in_batches), sum_of_ages)
    with Session(_engine(cell.people)) as session:
        _rows_of(session, Car)
        two = select(Person.lastName, Person.age)
        yield Stream("values", lambda: session.execute(two, execution_options=in_batches), sum_of_second)


def _upsert(cell: Cell) -> None:
    persons, rows = cell.parameter("persons"), cell.parameter("rows")
    with Session(_engine(cell.people)) as session:
        _rows_of(session, Car)
        columns = person_columns(range(persons - rows // 2 + 1, persons + rows // 2 + 1), older=1)
        statement = insert_or_update(Person)
        given = statement.excluded
        statement = statement.on_conflict_do_update(
            index_elements=["ZEMAIL"],
            set_={
                "ZFIRSTNAME": given.ZFIRSTNAME,
                "ZLASTNAME": given.ZLASTNAME,
                "ZAGE": given.ZAGE,
                "ZHEIGHT": given.ZHEIGHT,
                "Z_OPT": Person.version + 1,
            },
        )
        with cell.timed("batch", rows):
            session.execute(statement, [dict(zip(columns, row)) for row in zip(*columns.values())])
            session.commit()
        cell.checksum("batch", session.scalar(text(PEOPLE_SUM)) or 0)


# Snapshots, threads, and memory


def _snapshot(cell: Cell) -> None:
    repeats = cell.parameter("repeats")
    engine, writer = _engine(cell.flights), _engine(cell.flights).connect().execution_options(isolation_level="AUTOCOMMIT")
    for name in ("commit", "idle"):
        total = spent = 0
        for number in range(repeats):
            if name == "commit":
                writer.execute(
                    text("UPDATE ZFLIGHT SET ZMINUTE = :minute, Z_OPT = Z_OPT + 1 WHERE Z_PK = :key"),
                    {"minute": number % 60, "key": SNAPSHOT_KEY},
                )
            begin = time.perf_counter_ns()
            with Session(engine) as session:
                total += session.get_one(Flight, SNAPSHOT_KEY).minute
            spent += time.perf_counter_ns() - begin
        cell.measure(name, spent / repeats)
        cell.checksum(name, total)


def _memory(cell: Cell) -> None:
    limit = cell.parameter("limit")
    with Session(_engine(cell.flights)) as session:
        rows = limit or _rows_of(session)
        session.execute(_first(select(*SIX), limit)).all()  # fills the page cache
        sums = []

        def read() -> Any:
            flights = session.scalars(_first(select(Flight), limit)).all()
            sums.append(sum_of_six(flights))
            return flights

        size, _ = memory_per(rows, read)
        cell.measure("object", size)
        cell.checksum("rows", sums[0])


def _threads(cell: Cell) -> None:
    limit = cell.parameter("limit")
    engine = _engine(cell.flights)
    with Session(engine) as session:
        rows = limit or _rows_of(session)
    kept = []

    def work(session: Session) -> int:
        flights = session.scalars(_first(select(Flight), limit)).all()
        kept.append(flights)
        return sum_of_six(flights)

    measure_threads(cell, [Session(engine) for _ in range(4)], work, lambda: rows)


def _latency(cell: Cell) -> None:
    reads = cell.parameter("reads")
    engine = _engine(cell.flights)
    with Session(engine) as session:
        keys = random_keys(reads, _rows_of(session))

    def read(key: int) -> int:
        with Session(engine) as session:
            return sum_of_few([session.execute(select(*SIX).where(Flight.id == key)).one()])

    measure_latency(cell, keys, read)


WORKLOADS = workloads_of(globals())
