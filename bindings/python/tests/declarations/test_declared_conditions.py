"""Conditions made from classes equal format strings and find the same objects (issue 19, point
6).
"""

from __future__ import annotations

import datetime
import os
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import pytest
from declared import CLASSES, Car, Chapter, Colour, Company, Employee, Person

import pinview
from pinview import Expression, Predicate, Sort

SEED = int(os.environ.get("PINVIEW_SEED", "1"))


@pytest.fixture
def filled(tmp_path: pathlib.Path) -> Iterator[pinview.Context]:
    """A context on a store with some persons, cars and companies."""
    random_source = random.Random(SEED)
    with pinview.Model(CLASSES) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "filled.sqlite")
        with pinview.Context(coordinator) as context:
            companies = [context.insert(Company, name=name) for name in ("Acme", "Bell")]
            for number in range(12):
                kind = random_source.choice([Person, Employee])
                employer = random_source.choice([*companies, None])
                person = context.insert(kind, name=random_source.choice(["Ada", "bob", "Émile", None]), age=number % 5, employer=employer)
                for _ in range(random_source.randrange(3)):
                    name = random_source.choice(["a", "B", None])
                    context.insert(
                        Car, owner=person, price=random_source.randrange(5), name=name, colour=random_source.choice(list(Colour))
                    )
            context.save()
            yield context


def days(year: int) -> datetime.datetime:
    return datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    ("condition", "format", "arguments"),
    [
        (lambda: Person.age > 3, "age > 3", []),
        (lambda: 3 < Person.age, "age > 3", []),
        (lambda: (Person.age >= 3) & (Person.age < 5) & (Person.name != "x"), "age >= 3 AND age < 5 AND name != 'x'", []),
        (lambda: (Person.age == 3) | (Person.age == 5) | ~(Person.name == "x"), "age == 3 OR age == 5 OR NOT name == 'x'", []),
        (lambda: (Person.age == 3) & Predicate("name == 'x'"), "age == 3 AND name == 'x'", []),
        (lambda: Predicate("name == 'x'") & (Person.age == 3), "name == 'x' AND age == 3", []),
        (lambda: Person.name == None, "name == nil", []),  # noqa: E711
        (lambda: Person.employer == None, "employer == nil", []),  # noqa: E711
        (lambda: Car.name.is_none(), "name == nil", []),
        (lambda: Car.price.in_([1, 2]), "price IN %@", [[1, 2]]),
        (lambda: Car.price.in_(iter([])), "price IN {}", []),
        (lambda: ~Car.price.in_({7}), "NOT price IN %@", [[7]]),
        (lambda: Car.price.between(1, 2), "price BETWEEN {1, 2}", []),
        (lambda: Person.created > days(2020), "created > %@", [days(2020)]),
        (lambda: Car.name.contains("a"), "name CONTAINS 'a'", []),
        (lambda: Car.name.startswith("a", "cd"), "name BEGINSWITH[cd] 'a'", []),
        (lambda: Car.name.endswith("a"), "name ENDSWITH 'a'", []),
        (lambda: Car.name.like("a*"), "name LIKE 'a*'", []),
        (lambda: Car.name.matches("a+"), "name MATCHES 'a+'", []),
        (lambda: Car.name.equals("A"), "name ==[c] 'A'", []),
        (lambda: Car.name.lower() == "a", "lowercase:(name) == 'a'", []),
        (lambda: Car.price * 2 + 1 > 5, "price * 2 + 1 > 5", []),
        (lambda: 10 - Car.price < Car.price / 2, "10 - price < price / 2", []),
        (lambda: Car.price > Car.owner.age, "price > owner.age", []),  # type: ignore[operator]
        (lambda: Car.owner.employer.name == "Acme", "owner.employer.name == 'Acme'", []),  # type: ignore[union-attr]
        (lambda: Person.cars.any(Car.price > 3), "ANY cars.price > 3", []),
        (lambda: Person.cars.all(Car.price > 3), "ALL cars.price > 3", []),
        (lambda: Person.cars.none(Car.name == "a"), "NONE cars.name == 'a'", []),
        (lambda: Person.cars.any(), "cars.@count > 0", []),
        (lambda: Person.cars.count == 2, "cars.@count == 2", []),
        (lambda: Person.cars.sum(Car.price) > 3, "cars.@sum.price > 3", []),
        (lambda: Person.cars.average(Car.price) > 3, "cars.@avg.price > 3", []),
        (lambda: Person.cars.minimum(Car.price) < Person.cars.maximum(Car.price), "cars.@min.price < cars.@max.price", []),
        (
            lambda: Person.cars.any((Car.price > 3) & (Car.name == "a")),
            "SUBQUERY(cars, $each, $each.price > 3 AND $each.name == 'a').@count > 0",
            [],
        ),
        (
            lambda: Person.cars.none((Car.price > 3) | (Car.name == "a")),
            "SUBQUERY(cars, $each, $each.price > 3 OR $each.name == 'a').@count == 0",
            [],
        ),
        (
            lambda: Person.cars.all((Car.price > 3) & (Car.price < Car.weight)),
            "SUBQUERY(cars, $each, NOT ($each.price > 3 AND $each.price < $each.weight)).@count == 0",
            [],
        ),
        (
            lambda: Company.staff.any(Person.cars.any((Car.price > 1) & (Car.name == "a"))),
            "SUBQUERY(staff, $each, SUBQUERY($each.cars, $each2, $each2.price > 1 AND $each2.name == 'a').@count > 0).@count > 0",
            [],
        ),
        (lambda: Car.colour == Colour.BLUE, "colour == 'blue'", []),
        (lambda: Car.colour.in_([Colour.BLUE]), "colour IN {'blue'}", []),
    ],
)
def test_aConditionEqualsItsFormatString(filled: pinview.Context, condition: Any, format: str, arguments: list[Any]) -> None:
    made, parsed = condition(), Predicate(format, arguments)
    assert made == parsed, f"{made} is not {parsed}"
    assert hash(made) == hash(parsed)


def test_objectsAreComparedByIdentity(filled: pinview.Context) -> None:
    company = filled.fetch(Company, Company.name == "Acme")[0]
    expected = set(company.staff)
    assert expected
    assert set(filled.fetch(Person, Person.employer == company)) == expected
    assert set(filled.fetch(Person, Person.employer.in_([company.object_id]))) == expected  # type: ignore[union-attr]
    assert set(filled.fetch(Person, Person.employer != company)).isdisjoint(expected)
    person = next(iter(expected))
    assert list(filled.fetch(Company, Company.staff.contains(person))) == [company]


def atom(source: random.Random, owner: str) -> tuple[Any, str, list[Any]]:
    """A random comparison of a car, with its format string and arguments."""
    number, text = source.randrange(5), source.choice(["a", "B", None])
    operator = source.choice(["==", "!=", "<", "<=", ">", ">="])
    compared: dict[str, Any] = {
        "==": lambda left, right: left == right,
        "!=": lambda left, right: left != right,
        "<": lambda left, right: left < right,
        "<=": lambda left, right: left <= right,
        ">": lambda left, right: left > right,
        ">=": lambda left, right: left >= right,
    }
    choices: list[tuple[Any, str, list[Any]]] = [
        (compared[operator](Car.price, number), f"{owner}price {operator} %@", [number]),
        (compared[operator](Car.price + number, 3), f"{owner}price + %@ {operator} 3", [number]),
        (Car.name == text, f"{owner}name == %@", [text]),
        (Car.name.startswith("b", "c"), f"{owner}name BEGINSWITH[c] %@", ["b"]),
        (Car.price.in_([number, 1]), f"{owner}price IN %@", [[number, 1]]),
        (Car.price.between(1, number), f"{owner}price BETWEEN %@", [[1, number]]),
        (Car.colour == Colour.RED, f"{owner}colour == %@", ["red"]),
        (compared[operator](Car.owner.age, number), f"{owner}owner.age {operator} %@", [number]),
    ]
    return source.choice(choices)


def tree(source: random.Random, depth: int, owner: str) -> tuple[Any, str, list[Any]]:
    """A random condition on a car, with its format string and arguments."""
    kind = source.choice(["and", "or", "not", "atom"]) if depth else "atom"
    if kind == "atom":
        return atom(source, owner)
    first, format, arguments = tree(source, depth - 1, owner)
    if kind == "not":
        return ~first, f"NOT ({format})", arguments
    second, other, more = tree(source, depth - 1, owner)
    joined = first & second if kind == "and" else first | second
    return joined, f"({format}) {kind.upper()} ({other})", [*arguments, *more]


@pytest.mark.parametrize("round", range(20))
def test_randomConditionsFindWhatTheirFormatStringsFind(filled: pinview.Context, round: int) -> None:
    print(f"PINVIEW_SEED = {SEED}")
    source = random.Random(f"{SEED} {round}")
    condition, format, arguments = tree(source, 3, "")
    assert set(filled.fetch(Car, condition)) == set(filled.fetch("Car", format, arguments)), format
    condition, format, arguments = tree(source, 2, "$each.")
    some = Person.cars.any(condition)
    subquery = f"SUBQUERY(cars, $each, {format}).@count > 0"
    assert set(filled.fetch(Person, some)) == set(filled.fetch("Person", subquery, arguments)), subquery
    # In memory, too.
    assert {person for person in filled.fetch(Person) if some.evaluate(person)} == set(filled.fetch(Person, some)), subquery


def test_conditionsSortsAndNamesGoWhereStringsGo(filled: pinview.Context) -> None:
    older = Person.age > 2
    assert filled.count(Person, older) == filled.count("Person", "age > 2")
    sort = [Person.employer.name, -Person.age]  # type: ignore[union-attr]
    assert list(filled.fetch(Person, older, sort=sort)) == list(filled.fetch("Person", "age > 2", sort=["employer.name", "-age"]))
    assert list(filled.fetch(Person, sort=Car.name.descending("localized"))) == list(
        filled.fetch("Person", sort=Sort("name", False, "localized"))
    )
    assert list(filled.values(Person, [Person.name, Person.age], sort=Person.age)) == list(
        filled.values("Person", ["name", "age"], sort="age")
    )
    rows = filled.fetch_dictionaries(Car, {"twice": Car.price * 2, "age": Car.owner.age}, sort=Car.price)  # type: ignore[union-attr]
    assert rows == filled.fetch_dictionaries("Car", {"twice": "price * 2", "age": "owner.age"}, sort="price")
    names = [Person.name, Person.employer.name]  # type: ignore[union-attr]
    assert filled.fetch_dictionaries(Person, names, older) == filled.fetch_dictionaries("Person", ["name", "employer.name"], "age > 2")
    request = pinview.FetchRequest(Person, older, prefetch=[Person.cars])
    assert set(filled.fetch(request)) == set(filled.fetch(Person, older))
    assert filled.fetch_ids(Person, older, sort=Person.age) == filled.fetch_ids("Person", "age > 2", sort="age")


def test_conditionsCannotBeUsedAsTruthValues() -> None:
    with pytest.raises(TypeError, match=r"no truth value.*Combine conditions with &"):
        assert (Person.age > 3) and (Person.age < 5)
    with pytest.raises(TypeError, match="use between"):
        assert 3 < Person.age < 5
    with pytest.raises(TypeError, match="age has no truth value"):
        assert not Person.age


def test_whatCannotBeMovedIntoARelationshipIsRefused() -> None:
    with pytest.raises(pinview.PredicateError, match=r"cannot be used inside any\(\)"):
        Person.cars.any((Car.price > 3) & Predicate("name == 'x'"))
    with pytest.raises(pinview.InvalidArgumentError, match="cannot sort or name its values by the computed value"):
        (Car.price + 1).ascending()


def test_aBoolIsNoCondition(filled: pinview.Context) -> None:
    with pytest.raises(pinview.WrongTypeError, match="values were compared instead of the attribute of a class"):
        filled.fetch(Person, filled.fetch(Person)[0].age > 100)


def test_expressionsOfClassesAreThoseOfStrings() -> None:
    assert Expression.of(Car.price * 2) == Expression("price * 2")
    assert repr(Car.price * 2) == "<Computed price * 2>"
    assert (str(Chapter.company.name), repr(Chapter.company)) == ("company.name", "<Relationship company>")
