"""SQLAlchemy's ORM: mapped classes, sessions with an identity map; add_all for inserts, joinedload
for prefetching.
"""

from __future__ import annotations

import time
from typing import Any

from by_hand import measure_latency, measure_threads, sum_of_few
from by_hand_connections import SETTINGS
from cell import PEOPLE_SUM, SNAPSHOT_KEY, Cell, memory_per, random_keys, sum_and_order, sum_of_seats, sum_of_six, workloads_of
from make_store import person_columns
from sqlalchemy import Engine, ForeignKey, create_engine, event, func, insert, select, text, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship


class Base(DeclarativeBase):
    """The base of the mapped classes."""


class Plane(Base):
    """A plane."""

    __tablename__ = "ZPLANE"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    entity: Mapped[int] = mapped_column("Z_ENT")
    version: Mapped[int] = mapped_column("Z_OPT")
    tailNumber: Mapped[str] = mapped_column("ZTAILNUMBER")
    year: Mapped[int] = mapped_column("ZYEAR")
    type: Mapped[str] = mapped_column("ZTYPE")
    manufacturer: Mapped[str] = mapped_column("ZMANUFACTURER")
    model: Mapped[str] = mapped_column("ZMODEL")
    engines: Mapped[int] = mapped_column("ZENGINES")
    seats: Mapped[int] = mapped_column("ZSEATS")
    speed: Mapped[int] = mapped_column("ZSPEED")
    engine: Mapped[str] = mapped_column("ZENGINE")


class Flight(Base):
    """A flight. The date is a number, as in SQLite."""

    __tablename__ = "ZFLIGHT"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    version: Mapped[int] = mapped_column("Z_OPT")
    year: Mapped[int] = mapped_column("ZYEAR")
    month: Mapped[int] = mapped_column("ZMONTH")
    day: Mapped[int] = mapped_column("ZDAY")
    departureTime: Mapped[int] = mapped_column("ZDEPARTURETIME")
    scheduledDepartureTime: Mapped[int] = mapped_column("ZSCHEDULEDDEPARTURETIME")
    departureDelay: Mapped[int] = mapped_column("ZDEPARTUREDELAY")
    arrivalTime: Mapped[int] = mapped_column("ZARRIVALTIME")
    scheduledArrivalTime: Mapped[int] = mapped_column("ZSCHEDULEDARRIVALTIME")
    arrivalDelay: Mapped[int] = mapped_column("ZARRIVALDELAY")
    carrier: Mapped[str] = mapped_column("ZCARRIER")
    number: Mapped[int] = mapped_column("ZNUMBER")
    tailNumber: Mapped[str] = mapped_column("ZTAILNUMBER")
    origin: Mapped[str] = mapped_column("ZORIGIN")
    destination: Mapped[str] = mapped_column("ZDESTINATION")
    airTime: Mapped[int] = mapped_column("ZAIRTIME")
    distance: Mapped[int] = mapped_column("ZDISTANCE")
    hour: Mapped[int] = mapped_column("ZHOUR")
    minute: Mapped[int] = mapped_column("ZMINUTE")
    scheduledHour: Mapped[float] = mapped_column("ZSCHEDULEDHOUR")
    airline_id: Mapped[int] = mapped_column("ZAIRLINE")
    plane_id: Mapped[int] = mapped_column("ZPLANE", ForeignKey("ZPLANE.Z_PK"))
    origin_airport_id: Mapped[int] = mapped_column("ZORIGINAIRPORT")
    destination_airport_id: Mapped[int] = mapped_column("ZDESTINATIONAIRPORT")
    plane: Mapped[Plane] = relationship()


class Person(Base):
    """A person."""

    __tablename__ = "ZPERSON"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    entity: Mapped[int] = mapped_column("Z_ENT", default=2)
    version: Mapped[int] = mapped_column("Z_OPT", default=1)
    firstName: Mapped[str] = mapped_column("ZFIRSTNAME")
    lastName: Mapped[str] = mapped_column("ZLASTNAME")
    email: Mapped[str] = mapped_column("ZEMAIL")
    age: Mapped[int] = mapped_column("ZAGE")
    height: Mapped[float] = mapped_column("ZHEIGHT")


class Car(Base):
    """A car."""

    __tablename__ = "ZCAR"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    version: Mapped[int] = mapped_column("Z_OPT")
    plate: Mapped[str] = mapped_column("ZPLATE")
    brand: Mapped[str] = mapped_column("ZBRAND")
    year: Mapped[int] = mapped_column("ZYEAR")
    price: Mapped[float] = mapped_column("ZPRICE")
    owner_id: Mapped[int] = mapped_column("ZOWNER")


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


def _rows_of(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Flight)) or 0


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
                total += session.get(Flight, key).distance  # type: ignore[union-attr,operator]
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
                person.age = person.age + 1  # type: ignore[operator]
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
