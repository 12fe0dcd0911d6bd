"""The tables as SQLAlchemy's mapped classes."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Table
from sqlalchemy.orm import DeclarativeBase, Mapped, column_property, mapped_column, relationship


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


class VersionedPerson(Base):
    """A person whose version is checked."""

    __table__ = Person.__table__
    __mapper_args__ = {"version_id_col": Person.__table__.c.Z_OPT}  # noqa: RUF012 (as the base class has it)
    age: Mapped[int] = column_property(Person.__table__.c.ZAGE)


class Comment(Base):
    """A comment."""

    __tablename__ = "ZCOMMENT"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    version: Mapped[int] = mapped_column("Z_OPT")
    text: Mapped[str] = mapped_column("ZTEXT")
    likes: Mapped[int] = mapped_column("ZLIKES")
    post_id: Mapped[int] = mapped_column("ZPOST", ForeignKey("ZPOST.Z_PK"))


class Tag(Base):
    """A tag."""

    __tablename__ = "ZTAG"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    version: Mapped[int] = mapped_column("Z_OPT")
    name: Mapped[str] = mapped_column("ZNAME")
    weight: Mapped[int] = mapped_column("ZWEIGHT")


_posts_and_tags = Table(
    "Z_2TAGS",
    Base.metadata,
    Column("Z_2POSTS", ForeignKey("ZPOST.Z_PK"), primary_key=True),
    Column("Z_3TAGS", ForeignKey("ZTAG.Z_PK"), primary_key=True),
)


class Post(Base):
    """A post."""

    __tablename__ = "ZPOST"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    version: Mapped[int] = mapped_column("Z_OPT")
    title: Mapped[str] = mapped_column("ZTITLE")
    body: Mapped[str] = mapped_column("ZBODY")
    score: Mapped[int] = mapped_column("ZSCORE")
    author_id: Mapped[int] = mapped_column("ZAUTHOR", ForeignKey("ZUSER.Z_PK"))
    comments: Mapped[list[Comment]] = relationship()
    tags: Mapped[list[Tag]] = relationship(secondary=_posts_and_tags)


class User(Base):
    """A user."""

    __tablename__ = "ZUSER"
    id: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    version: Mapped[int] = mapped_column("Z_OPT")
    name: Mapped[str] = mapped_column("ZNAME")
    age: Mapped[int] = mapped_column("ZAGE")
    posts: Mapped[list[Post]] = relationship()
