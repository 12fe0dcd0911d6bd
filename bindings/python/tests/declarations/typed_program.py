"""What type checkers know of declared classes. test_typing.py runs them on this file: every line
that ends with `# error` must be one, and no other line may be. It is not executed.
"""

# ruff: noqa: B015, B018, UP007

from __future__ import annotations

import datetime
import enum
from typing import Union

from typing_extensions import assert_type

import pinview
from pinview import (
    Attr,
    Condition,
    Context,
    FetchedResultsController,
    FetchResult,
    ManagedObject,
    Model,
    Object,
    One,
    Operand,
    Predicate,
    Related,
    RelatedInOrder,
    RelatedList,
    RelatedSet,
    ResultsSection,
    attribute,
    inverse,
)


class Colour(enum.Enum):
    RED = "red"


# Typed on instances and on the class.


class Person(Object, unique=[["name"]]):
    name: Attr[Union[str, None]] = attribute(default=None)
    age: Attr[int] = attribute(default=0, minimum=0)
    born: Attr[datetime.date]
    employer: One[Union[Company, None]] = inverse("staff")
    cars: Related[Car] = inverse("owner")

    def greeting(self) -> str:
        return f"Hello {self.name}"


class Employee(Person):
    salary: Attr[float] = attribute(default=0.0)


class Company(Object, abstract=False):
    name: Attr[str]
    staff: RelatedInOrder[Person] = inverse("employer")


class Car(Object):
    price: Attr[int] = attribute(default=0)
    colour: Attr[Colour] = attribute(default=Colour.RED)
    owner: One[Union[Person, None]] = inverse("cars")


class Shape(Object):
    position: Attr[complex] = attribute(transformer="Positions")
    corners: Attr[Union[list[dict[str, int]], None]] = attribute(default=None, transformer="Corners")


def transformed(shape: Shape, context: Context) -> None:
    assert_type(shape.position, complex)
    assert_type(shape.corners, Union["list[dict[str, int]]", None])
    assert_type(Shape.position == 1j, Condition)
    shape.position = 2j
    shape.position = "2j"  # error
    shape.corners = [{"x": "one"}]  # error
    assert_type(context.one(Shape, Shape.position.in_([1j])), Shape)
    context.insert(Shape, position=b"2j")  # error


# Typed on instances.


class Plain(Object):
    name: Union[str, None]
    age: int = 0
    company: Union[Company, None] = inverse("staff")
    cars: Related[Car] = inverse("owner")


def instances(person: Person, company: Company, car: Car, plain: Plain) -> None:
    assert_type(person.name, Union[str, None])
    assert_type(person.age, int)
    assert_type(person.employer, Union[Company, None])
    assert_type(person.cars, RelatedSet[Car])
    assert_type(company.staff, RelatedList[Person])
    assert_type(company.staff[0], Person)
    assert_type(car.colour, Colour)
    assert_type(plain.age, int)
    assert_type(plain.company, Union[Company, None])
    assert_type(person.greeting(), str)
    for each in person.cars:
        assert_type(each, Car)
    person.age = 3
    person.employer = company
    person.cars = [car]
    person.cars.add(car)
    person.age = "three"  # error
    person.employer = car  # error
    person.cars.add(company)  # error
    person.nmae  # error
    person.nmae = 3  # error
    plain.age = "three"  # error
    plain.nmae  # error


def conditions(person: Person, company: Company) -> None:
    assert_type(Person.age, Operand[int])
    assert_type(Person.age > 3, Condition)
    assert_type(3 < Person.age, Condition)
    assert_type(Person.name == None, Condition)  # noqa: E711
    assert_type((Person.age > 3) & (Person.name == "x") | ~(Person.employer == company), Condition)
    assert_type(Person.employer.name.startswith("A"), Condition)
    assert_type(Person.employer.staff.any(Person.age > 3), Condition)
    assert_type(Car.owner.employer.name, Operand[str])
    assert_type(Person.cars.any((Car.price > 3) & (Car.colour == Colour.RED)), Condition)
    assert_type(Person.cars.count > 3, Condition)
    assert_type(Car.price * 2 + 1 > Car.price, Condition)
    assert_type(Person.age.in_([1, 2]), Condition)
    assert_type(Person.age.between(1, 2), Condition)
    assert_type((Person.age > 3) & Predicate("age < 5"), Condition)
    Person.age > "three"  # error
    "three" < Person.age  # error
    Person.age > Person.name  # error
    Person.age.in_(["three"])  # error
    Person.age.startswith("x")  # error
    Person.born > 3  # error
    Person.nmae  # error
    Person.employer.nmae  # error
    Plain.age > "three"  # error


def contexts(context: Context, person: Person, company: Company) -> None:
    assert_type(context.insert(Person, name="Ada", born=datetime.date(1815, 12, 10)), Person)
    assert_type(context.insert(Employee, born=datetime.date(1815, 12, 10), salary=3.5), Employee)
    assert_type(context.insert(Plain, name=None), Plain)
    assert_type(context.insert("Person", anything=3), ManagedObject)
    assert_type(context.fetch(Person, Person.age > 3, sort=-Person.age), FetchResult[Person])
    assert_type(context.fetch(Person, "age > %@", [3])[0], Person)
    assert_type(context.fetch(Plain, Plain.age > 3, sort=[Plain.name]), FetchResult[Plain])
    assert_type(context.fetch("Person"), FetchResult[ManagedObject])
    for each in context.fetch(Person):
        assert_type(each, Person)
    assert_type(context.count(Person, Person.age > 3), int)
    context.values(Person, [Person.name, "age"], sort=Person.employer.name)
    assert_type(context.first(Person, Person.age > 3), Union[Person, None])
    assert_type(context.one(Person, Person.age > 3), Person)
    assert_type(context.get(Person, name="Ada"), Union[Person, None])
    assert_type(context.get_or_create(Person, name="Ada"), "tuple[Person, bool]")
    assert_type(context.insert_many(Person, {"age": [1, 2]}), FetchResult[Person])
    assert_type(context.one("Person"), ManagedObject)
    for each in context.iterate(Person, Person.age > 3, batch_size=10):
        assert_type(each, Person)
    assert_type(context.page(Person, size=3, sort=Person.age), pinview.Page[Person])
    assert_type(context.page(Person)[0], Person)
    for each in context.page(Person, b"cursor"):
        assert_type(each, Person)
    assert_type(context.page("Person")[0], ManagedObject)
    context.delete(person)
    context.refresh(company)
    Model([Person, Employee])
    context.insert(Person, nmae="Ada", born=datetime.date(1815, 12, 10))  # error
    context.insert(Person, age="three", born=datetime.date(1815, 12, 10))  # error
    context.insert(Person, name="Ada")  # error
    context.fetch(int)  # error


class PersonList(FetchedResultsController[Person]):
    def did_change_content(self) -> None:
        assert_type(self[0], Person)


def lists(context: Context) -> None:
    people = FetchedResultsController(Person, context, Person.name, predicate=Person.age > 3, sort=[Person.name, -Person.age])
    assert_type(people, FetchedResultsController[Person])
    assert_type(people[0], Person)
    assert_type(people.sections, list[ResultsSection[Person]])
    for each in people.sections[0]:
        assert_type(each, Person)
    for person in PersonList(Person, context, sort=Person.name):
        assert_type(person, Person)
    assert_type(FetchedResultsController("Person", context, sort="name")[0], ManagedObject)
    people[0].nmae  # error
    PersonList(Car, context, sort=Car.price)  # error


def dynamic(person: ManagedObject) -> None:
    person.anything = person.everything + 1
    person["name"] = pinview.CURRENT
