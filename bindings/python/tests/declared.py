"""Declared classes that several tests use: persons, their cars and companies."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import uuid

import pinview
from pinview import Attr, One, Related, RelatedInOrder, attribute, inverse


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Grade(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Address:
    street: str
    number: int = 1
    since: datetime.date | None = None


class Timestamped(pinview.Object, mixin=True):
    created: datetime.datetime | None = None


class Person(Timestamped, indexes=[["name", "-age"]]):
    # Plain annotations: the types of the values.
    name: str | None
    age: int = 0
    email: str | None = attribute(default=None, unique=True)
    employer: Company | None = inverse("staff")
    cars: Related[Car] = inverse("owner")

    def greeting(self) -> str:
        return f"Hello {self.name}"


class Employee(Person):
    salary: Attr[decimal.Decimal | None] = attribute(default=None)


class Company(pinview.Object):
    # Typed on the class, too.
    name: Attr[str]
    staff: Related[Person]
    chapters: RelatedInOrder[Chapter] = inverse("company", delete_rule="cascade")


class Chapter(pinview.Object):
    title: Attr[str]
    company: One[Company | None]


class Car(pinview.Object):
    name: Attr[str | None] = attribute(default=None)
    price: Attr[int] = attribute(default=0)
    weight: Attr[float | None] = attribute(default=None)
    colour: Attr[Colour] = attribute(default=Colour.RED)
    grade: Attr[Grade | None] = attribute(default=None)
    built: Attr[datetime.date | None] = attribute(default=None)
    parked: Attr[Address | None] = attribute(default=None)
    serial: Attr[uuid.UUID] = attribute(default_factory=uuid.uuid4)
    owner: One[Person | None]


CLASSES = (Person, Employee, Company, Chapter, Car)
