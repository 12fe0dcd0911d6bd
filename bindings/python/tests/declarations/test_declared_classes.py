"""Declared classes: the model they make, objects of them, and converters (issue 19, point 6)."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import gc
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, ClassVar, Optional

import pytest
from declared import CLASSES, Address, Car, Chapter, Colour, Company, Employee, Grade, Person, Timestamped

import pinview
from pinview import Attr, One, Related, attribute, inverse, relationship


@pytest.fixture
def declared(tmp_path: pathlib.Path) -> Iterator[pinview.Context]:
    """A context on an empty store of the declared classes."""
    with pinview.Model(CLASSES) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "declared.sqlite")
        with pinview.Context(coordinator) as context:
            yield context


# The model


def test_theModelHasWhatTheClassesDeclare() -> None:
    with pinview.Model(CLASSES) as model:
        person, car, company = model.entity("Person"), model.entity("Car"), model.entity("Company")
        assert [entity.name for entity in model.entities] == ["Car", "Chapter", "Company", "Person", "Employee"]
        assert {name: (prop.type, prop.optional) for name, prop in person.attributes.items()} == {
            "created": ("date", True),
            "name": ("string", True),
            "age": ("integer64", False),
            "email": ("string", True),
        }
        assert {name: prop.type for name, prop in car.attributes.items()} == {
            "name": "string",
            "price": "integer64",
            "weight": "double",
            "colour": "string",
            "grade": "integer64",
            "built": "date",
            "parked": "string",
            "serial": "uuid",
        }
        assert (person.properties["cars"].inverse, car.properties["owner"].inverse) == ("owner", "cars")
        assert (company.properties["staff"].inverse, company.properties["chapters"].ordered) == ("employer", True)
        assert company.properties["chapters"].delete_rule == "cascade"
        assert model.entity("Employee").parent == "Person"
        described = {entity["name"]: entity for entity in json.loads(model.to_json())["entities"]}
        assert described["Person"]["uniquenessConstraints"] == [["email"]]
        assert [index["elements"][1]["ascending"] for index in described["Person"]["indexes"]] == [False]


def test_theModelEqualsTheOneThatIsDescribed() -> None:
    class Dog(pinview.Object):
        name: str
        age: int = 3

    with (
        pinview.Model([Dog]) as declared,
        pinview.Model(
            [
                pinview.Entity(
                    "Dog",
                    attributes=[pinview.Attribute("name", "string", optional=False), pinview.Attribute("age", "integer64", False, 3)],
                )
            ]
        ) as described,
    ):
        assert declared == described and declared.to_json() == described.to_json()


def test_aModelBringsAlongParentsAndDestinations() -> None:
    with pinview.Model([Employee]) as model:
        assert {entity.name for entity in model.entities} == {"Person", "Employee", "Company", "Chapter", "Car"}


def test_annotationsWithoutTheFutureImportAreTheSame() -> None:
    text = """
import pinview, typing
from pinview import Related, inverse
class Author(pinview.Object):
    name: typing.Optional[str] = None
    first: "Author | None"
    books: Related["Book"] = inverse("author")
    kept: typing.ClassVar[int] = 3
class Book(pinview.Object):
    title: str = "untitled"
    author: typing.Optional[Author]
    pages: typing.Annotated[int, "many"] = 0
"""
    names: dict[str, Any] = {"__name__": "without_future"}
    exec(compile(text, "without_future.py", "exec", dont_inherit=True), names)
    with pinview.Model([names["Book"]]) as model:
        author, book = model.entity("Author"), model.entity("Book")
        assert author.properties.keys() == {"name", "first", "books"}
        assert (author.properties["name"].optional, author.properties["first"].destination) == (True, "Author")
        assert (book.properties["author"].inverse, book.properties["pages"].type) == ("books", "integer64")
    assert names["Author"].kept == 3


def test_classesAndEnumerationsOfAFunctionAreFound() -> None:
    class Size(enum.Enum):
        SMALL = 1

    class Shirt(pinview.Object):
        size: Size = Size.SMALL
        other: Optional[Size]  # noqa: UP045
        box: Box | None
        kind: ClassVar[str] = "shirt"

    class Box(pinview.Object):
        shirts: Related[Shirt] = inverse("box")

    with pinview.Model([Shirt]) as model:
        assert model.entity("Shirt").properties.keys() == {"size", "other", "box"}
        assert model.entity("Box").properties["shirts"].destination == "Shirt"


def test_aSelfRelationshipIsItsOwnInverse() -> None:
    class Friend(pinview.Object):
        friends: Related[Friend] = inverse("friends")

    with pinview.Model([Friend]) as model:
        assert model.entity("Friend").properties["friends"].inverse == "friends"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("class A(Object):\n  b: Related['B'] = inverse('c')\nclass B(Object):\n  a: One['A']", "B has no such relationship"),
        ("class A(Object):\n  b: Related['Bee']\nclass Be(Object):\n  a: int", "A refers to 'Bee', but no class of that name"),
        ("class A(Object):\n  b: object", "A.b has the type object, which no attribute can hold"),
        ("class A(Object):\n  b: 'int | str'", "A.b must have one type"),
        ("class A(Object):\n  values: int", "A.values cannot be a property, because objects have a method"),
        ("class A(Object):\n  b: int = inverse('c')", "A.b is an attribute, so inverse"),
        ("class A(Object):\n  b: One['A'] = 3", "A.b is a relationship, so only inverse"),
        ("class A(Object, mixin=True):\n  b: int", "A declares no entity"),
        ("class B(Object): pass\nclass C(Object): pass\nclass A(B, C): pass", "A derives from several entities: B, C"),
        ("class A(Object, unique=[['nmae']]):\n  name: str", "A has no property 'nmae'.*did you mean 'name'"),
        (
            "class A(Object):\n  b: One['B'] = inverse('a')\nclass B(Object):\n  a: One['A'] = inverse('c')\n  c: One['A']",
            "whose own inverse is",
        ),
    ],
)
def test_mistakesInDeclarationsAreTold(lines: str, message: str) -> None:
    names: dict[str, Any] = {"__name__": "mistakes"}
    with pytest.raises((pinview.ModelError, pinview.WrongTypeError), match=message):
        exec(f"from pinview import Object, One, Related, inverse\n{lines}", names)
        pinview.Model([names["A"]])


# Objects


def test_objectsHaveTheClassAndItsMethods(declared: pinview.Context) -> None:
    person = declared.insert(Person, name="Ada", age=36)
    employee = declared.insert(Employee, name="Bob", salary=decimal.Decimal("12.50"))
    car = declared.insert(Car, owner=person, price=3)
    acme = declared.insert(Company, name="Acme", staff=[person, employee])
    declared.save()
    declared.refresh_all()
    assert (type(person), person.name, person.age, person.greeting()) == (Person, "Ada", 36, "Hello Ada")
    assert (type(employee), employee.salary, employee.employer) == (Employee, decimal.Decimal("12.50"), acme)
    assert (set(person.cars), car.owner, set(acme.staff)) == ({car}, person, {person, employee})
    person.age += 1
    person.employer = None
    person.cars.clear()
    assert (person.age, set(acme.staff), car.owner) == (37, {employee}, None)
    fetched = declared.fetch(Person, Person.age > 3, sort=-Person.age)
    assert [type(each) for each in declared.fetch(Person, sort=Person.name)] == [Person, Employee]
    assert list(fetched) == [person]


def test_manyObjectsAreWrittenByClass(declared: pinview.Context) -> None:
    made = declared.insert_many(Person, {"name": ["Ada", "Bob"], "age": [1, 2], "email": ["a", "b"]})
    assert [type(each) for each in made] == [Person, Person]
    declared.save()
    upserted = declared.upsert(Person, [{"email": "a", "age": 5}], constraint=["email"])
    assert upserted.objects == [made[0]]
    declared.save()
    assert declared.batch_insert(Person, columns={"name": ["Cy"], "age": [9]}) == 1
    assert declared.batch_update(Person, {"age": 0}, Person.age > 4, result=pinview.BatchResult.COUNT) == 2
    assert declared.batch_delete(Person, Person.name == "Cy") == 1
    assert declared.count(Person, Person.age == 0) == 1


def test_orderedRelationshipsAreLists(declared: pinview.Context) -> None:
    acme = declared.insert(Company, name="Acme")
    acme.chapters = [declared.insert(Chapter, title=title) for title in "ba"]
    declared.save()
    assert [chapter.title for chapter in acme.chapters] == ["b", "a"]


def test_valuesAreConverted(declared: pinview.Context) -> None:
    car = declared.insert(
        Car, colour=Colour.BLUE, grade=Grade.HIGH, built=datetime.date(2020, 2, 29), parked=Address("Main", 4, datetime.date(2021, 1, 2))
    )
    assert car.serial.version == 4
    declared.save()
    declared.refresh_all()
    assert (car.colour, car.grade, car.built) == (Colour.BLUE, Grade.HIGH, datetime.date(2020, 2, 29))
    assert car.parked == Address("Main", 4, datetime.date(2021, 1, 2))
    assert (car["colour"], car["grade"], car["parked"]) == ("blue", 2, '{"street":"Main","number":4,"since":"2021-01-02"}')
    car.colour, car.grade, car.parked = Colour("red"), None, None
    assert (car.colour, car.grade, car.parked) == (Colour.RED, None, None)
    assert declared.count(Car, Car.colour == Colour.RED) == 1
    assert declared.count(Car, Car.built.between(datetime.date(2020, 1, 1), datetime.date(2020, 12, 31))) == 1
    assert declared.count(Car, Car.colour.in_([Colour.BLUE])) == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("colour", "green", "'green' is not a Colour; expected one of 'red', 'blue'"),
        ("built", "2020-02-29", "Expected a datetime.date or None"),
        ("parked", {"street": "Main"}, "Expected Address or None"),
        ("price", "three", "Car.price is of type integer64"),
    ],
)
def test_valuesAreCheckedWhenTheyAreAssigned(declared: pinview.Context, name: str, value: Any, message: str) -> None:
    car = declared.insert(Car)
    before = getattr(car, name)
    with pytest.raises(pinview.WrongTypeError, match=message):
        setattr(car, name, value)
    with pytest.raises(pinview.WrongTypeError, match=message):
        declared.insert(Car, **{name: value})
    assert getattr(car, name) == before
    assert declared.inserted_objects == {car}


def test_rulesAreCheckedByTheLibrary(tmp_path: pathlib.Path) -> None:
    class Rated(pinview.Object):
        stars: Attr[int] = attribute(default=1, minimum=1, maximum=5)
        code: Attr[str] = attribute(default="ab", minimum_length=2, regular_expression="[a-z]+")

    with pinview.Coordinator(pinview.Model([Rated])) as coordinator:
        coordinator.add_store(tmp_path / "rated.sqlite")
        with pinview.Context(coordinator) as context:
            rated = context.insert(Rated, stars=6)
            with pytest.raises(pinview.ValidationError, match="stars"):
                context.save()
            rated.stars, rated.code = 5, "A1"
            with pytest.raises(pinview.ValidationError, match="code"):
                context.save()


def test_pydanticModelsAreValues(tmp_path: pathlib.Path) -> None:
    pydantic = pytest.importorskip("pydantic")

    Point = pydantic.create_model("Point", x=(int, ...), y=(int, 0))

    class Place(pinview.Object):
        at: Point | None  # type: ignore[valid-type]

    with pinview.Coordinator(pinview.Model([Place])) as coordinator:
        coordinator.add_store(tmp_path / "places.sqlite")
        with pinview.Context(coordinator) as context:
            place = context.insert(Place, at=Point(x=1))
            context.save()
            context.refresh_all()
            assert place.at == Point(x=1, y=0)
            assert place["at"] == '{"x":1,"y":0}'


def test_anOwnConverterIsUsed(tmp_path: pathlib.Path) -> None:
    class Version(tuple):  # type: ignore[type-arg]
        pass

    pinview.add_converter(Version, "string", lambda version: ".".join(map(str, version)), lambda text: Version(map(int, text.split("."))))

    class Release(pinview.Object):
        version: Attr[Version] = attribute(default=Version((1, 0)))

    with pinview.Coordinator(pinview.Model([Release])) as coordinator:
        coordinator.add_store(tmp_path / "releases.sqlite")
        with pinview.Context(coordinator) as context:
            release = context.insert(Release)
            assert release.version == (1, 0)
            release.version = Version((2, 1))
            assert (release["version"], context.count(Release, Release.version == Version((2, 1)))) == ("2.1", 1)
    with pytest.raises(pinview.InvalidArgumentError, match="No attribute has the type 'text'"):
        pinview.add_converter(Version, "text", str, Version)


def test_dataClassesSurviveJson() -> None:
    from pinview._declarations import json_values

    @dataclasses.dataclass
    class Everything:
        day: datetime.date
        moment: datetime.datetime
        price: decimal.Decimal
        colour: Colour
        many: list[Address]
        by_name: dict[str, Address]
        pair: tuple[int, Colour]
        maybe: Optional[Address] = None  # noqa: UP045

    value = Everything(
        datetime.date(2020, 1, 2),
        datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.timezone.utc),
        decimal.Decimal("1.20"),
        Colour.RED,
        [Address("a")],
        {"b": Address("b", 2)},
        (1, Colour.BLUE),
    )
    # The data class is local, so its annotations are resolved in the module.
    assert json_values.decode(Everything, json_values.encode(value)) == value
    with pytest.raises(pinview.DataError, match="is not a Everything"):
        json_values.decode(Everything, "[]")


def test_hooksAndChecksAreMethods(tmp_path: pathlib.Path) -> None:
    calls: list[str] = []

    class Base(pinview.Object):
        name: Attr[str] = attribute(default="x")
        colour: Attr[Colour] = attribute(default=Colour.RED)

        def awake_from_insert(self) -> None:
            calls.append(f"{type(self).__name__} awakes")

        def will_save(self) -> None:
            calls.append("will save")

        def validate_colour(self, colour: Colour) -> None:
            if colour is Colour.BLUE:
                raise ValueError("never blue")

    class Derived(Base):
        pass

    with pinview.Coordinator(pinview.Model([Derived])) as coordinator:
        coordinator.add_store(tmp_path / "hooks.sqlite")
        with pinview.Context(coordinator) as context:
            made = context.insert(Derived)
            context.save()
            assert calls == ["Derived awakes", "will save"]
            made.colour = Colour.BLUE
            with pytest.raises(ValueError, match="never blue"):
                context.save()


def test_mixinsBringPropertiesAndMethods(declared: pinview.Context) -> None:
    now = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    declared.insert(Person, name="Ada", created=now)
    assert declared.count(Person, Person.created == now) == 1
    assert not hasattr(Timestamped, "entity_name") and "Timestamped" not in declared._entities


def test_theNearestNameIsSuggested(declared: pinview.Context) -> None:
    person = declared.insert(Person, name="Ada")
    with pytest.raises(AttributeError, match="'nmae' \\(did you mean 'name'"):
        person.nmae  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(pinview.UnknownKeyError, match="'nmae' \\(did you mean 'name'"):
        person.nmae = 3  # type: ignore[attr-defined]
    with pytest.raises(pinview.UnknownKeyError, match="'nmae' \\(did you mean 'name'"):
        declared.insert(Person, nmae="Bob")  # type: ignore[call-overload]
    with pytest.raises(pinview.UnknownKeyError, match="Company declares no property 'nmae' \\(did you mean 'name'"):
        Car.owner.employer.nmae  # type: ignore[union-attr]  # noqa: B018
    with pytest.raises(TypeError, match="Expected the name of an entity, a class"):
        declared.fetch(int)  # type: ignore[type-var]


def test_aClassServesSeveralModels(tmp_path: pathlib.Path) -> None:
    for number in range(2):
        with pinview.Model(CLASSES) as model, pinview.Coordinator(model) as coordinator:
            coordinator.add_store(tmp_path / f"{number}.sqlite")
            with pinview.Context(coordinator) as context:
                made = context.insert(Employee, name="Ada", age=number)
                context.save()
                context.refresh_all()
                assert (made.age, type(made)) == (number, Employee)


def test_declaredClassesCanBeForgotten() -> None:
    import weakref

    def make() -> weakref.ref[type]:
        class Fleeting(pinview.Object):
            name: str
            other: One[Fleeting | None] = relationship()

        return weakref.ref(Fleeting)

    reference = make()
    gc.collect()
    assert reference() is None


# Binding to a model that exists


def test_classesAreBoundToAModelThatExists(tmp_path: pathlib.Path) -> None:
    with pinview.Model(CLASSES) as source:
        text = source.to_json()

    class Car(pinview.Object):
        price: int

    with pinview.Model.from_json(text) as model:
        model.bind(Car)
        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(tmp_path / "bound.sqlite")
            with pinview.Context(coordinator) as context:
                car = context.insert(Car, price=3)
                assert (type(car), car.price, car["colour"], car["name"]) == (Car, 3, "red", None)


def test_everyDifferenceFromAModelIsTold() -> None:
    with pinview.Model(CLASSES) as source:
        text = source.to_json()

    class Person(pinview.Object):
        name: str | None

    class Car(pinview.Object):
        price: str
        weight: float
        nmae: str
        owner: Related[Person]

    class Persn(pinview.Object):
        name: str

    with pinview.Model.from_json(text) as model:
        with pytest.raises(pinview.ModelError) as caught:
            model.bind(Car, Persn)
        assert str(caught.value).splitlines() == [
            "The classes do not agree with the model:",
            "  Car.price: type is 'string' in the class, 'integer64' in the model",
            "  Car.weight: optional is False in the class, True in the model",
            "  Car.nmae: the entity has no such property (did you mean 'name'?)",
            "  Car.owner: to_many is True in the class, False in the model",
            "  Persn: the model has no entity 'Persn' (did you mean 'Person'?)",
        ]


def test_importingThePackageDoesNotLoadDeclarations() -> None:
    program = (
        "import sys, pinview; print([name for name in sys.modules if 'declarations' in name or name in ('ast', 'difflib', 'dataclasses')])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
