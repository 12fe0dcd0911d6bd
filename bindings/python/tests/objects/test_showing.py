"""How objects and results are shown, copied and sent elsewhere (issue 19, point 7; SNP-04)."""

from __future__ import annotations

import datetime
import logging
import pathlib
import pickle
import subprocess
import sys
from collections.abc import Sequence

import pytest
from declared import CLASSES, Car, Colour, Person

import pinview
from pinview import Attribute, Entity


def test_reprShowsValuesWithoutFiringAFault(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        person = context.fetch("Person", "name == 'dave3'")[0]
        context.refresh(person, merge_changes=False)
        assert repr(person) == f"<Person {person.object_id.uri} fault>"
        assert person.is_fault
        assert "<p>0 values of Person" in person._repr_html_() and person.is_fault
        assert person.age == 23
        assert repr(person) == f"<Person {person.object_id.uri} name='dave3' age=23>"
        person.name = "x" * 100
        assert repr(person).endswith(f" name='{'x' * 39}'… age=23>")


def test_reprShowsTheFirstValuesOnly(tmp_path: pathlib.Path) -> None:
    attributes = [Attribute(f"a{number}", "binaryData" if number == 0 else "string") for number in range(9)]
    with pinview.Model([Entity("Wide", attributes=attributes)]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "wide.sqlite")
        with pinview.Context(coordinator) as context:
            assert repr(context.insert("Wide", a0=b"123")).endswith(" a0=<3 bytes> a1=None a2=None a3=None a4=None a5=None …>")


def test_toDictHasTheValuesOfAttributes(context: pinview.Context) -> None:
    person = context.one("Person", "name == 'dave3'")
    assert person.to_dict() == {"name": "dave3", "age": 23}
    assert person.to_dict("age") == {"age": 23}
    with pytest.raises(pinview.UnknownKeyError, match="did you mean 'name'"):
        person.to_dict("nmae")


def test_SNP_04_snapshotsOutliveTheirContext(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        car = context.one("Car", "name == 'car3'")
        owner = car.owner
        snapshot, uri, owner_uri = car.snapshot(), car.object_id.uri, owner.object_id.uri
        again = car.snapshot()
        car.name = "changed"
        assert car.snapshot() != snapshot
        everything = context.fetch("Car", sort="name").snapshots()
    assert (snapshot.name, snapshot["owner"], snapshot.uri, snapshot.entity_name) == ("car3", owner_uri, uri, "Car")
    assert snapshot == again == pickle.loads(pickle.dumps(snapshot)) and hash(snapshot) == hash(again)
    assert dict(snapshot) == {"name": "car3", "owner": owner_uri}
    assert [each.name for each in everything][:2] == ["car0", "car1"]
    assert repr(snapshot).startswith("<Snapshot of Car ")
    with pytest.raises(TypeError, match="cannot be changed"):
        snapshot.name = "x"
    with pytest.raises(AttributeError, match="did you mean 'name'"):
        snapshot.nmae  # noqa: B018
    with pinview.Context(coordinator) as context:
        assert context.get("Car", snapshot.uri).name == "car3"


def test_snapshotsOfDeclaredClassesHaveConvertedValues(tmp_path: pathlib.Path) -> None:
    with pinview.Model(CLASSES) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "declared.sqlite")
        with pinview.Context(coordinator) as context:
            car = context.insert(Car, colour=Colour.BLUE, owner=context.insert(Person, name="Ada"))
            context.save()
            assert (car.snapshot().colour, car.to_dict("colour")) == (Colour.BLUE, {"colour": Colour.BLUE})
            assert "colour=<Colour.BLUE: 'blue'>" in repr(car)
            assert "<td>Ada</td>" in context.fetch(Person)._repr_html_()


def test_resultsAndReportsAreTablesInNotebooks(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    context.insert("Person", name="<b>", age=1)
    context.pin()
    html = context.fetch("Person", sort="age")._repr_html_()
    assert html.startswith("<table><thead><tr><th>name</th><th>age</th>") and "<td>&lt;b&gt;</td><td>1</td>" in html
    assert html.count("<tr>") == 21 and html.endswith("<p>25 of Person</p>")
    assert "<td>dave0</td>" in context.values("Person", ["name"], sort="age")._repr_html_()
    (batch,) = context.fetch_columns("Person", ["name"], sort="age")
    assert "<td>dave0</td>" in batch._repr_html_()
    columns = context.fetch_columns("Person", ["name", "age"], sort="age")
    assert "<td>name</td><td>string</td>" in columns._repr_html_()
    assert len(list(columns.rows())) == 24, "showing them reads nothing"
    assert columns._repr_html_() == "<p>&lt;Columns closed&gt;</p>"
    reports = coordinator.journal_report()
    assert reports[0]._repr_html_().startswith("<pre>")
    assert reports._repr_html_() == reports[0]._repr_html_()  # type: ignore[attr-defined]


def test_rowsAreIndexedAndSliced(context: pinview.Context) -> None:
    rows = context.values("Person", ["name", "age"], sort="age")
    everything = list(rows)
    assert rows[0] == ("dave0", 20) and rows[-1] == everything[-1]
    for piece in (slice(2, 5), slice(None), slice(5, 2), slice(None, None, -3), slice(-4, None)):
        assert rows[piece] == everything[piece]
    with pytest.raises(IndexError):
        rows[len(rows)]


def test_rowsAreASequence(context: pinview.Context) -> None:
    rows = context.values("Person", ["name", "age"], sort="age")
    assert isinstance(rows, Sequence)
    assert ("dave3", 23) in rows and rows.index(("dave3", 23)) == 3 and rows.count(("nobody", 0)) == 0
    assert next(reversed(rows)) == rows[-1]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=rows.names)
    assert list(frame) == ["name", "age"] and frame["age"].sum() == sum(age for _, age in rows)


def test_rowsBecomeArrays(tmp_path: pathlib.Path) -> None:
    numpy = pytest.importorskip("numpy")
    kinds = {"name": "string", "age": "integer64", "weight": "double", "born": "date", "sure": "boolean", "maybe": "integer64"}
    entity = Entity("Row", attributes=[Attribute(name, kind) for name, kind in kinds.items()])
    moment = datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.timezone.utc)
    with pinview.Model([entity]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "rows.sqlite")
        with pinview.Context(coordinator) as context:
            context.insert("Row", name="a", age=1, weight=0.5, born=moment, sure=True, maybe=7)
            context.insert("Row", name="b", age=2, sure=False)
            array = numpy.asarray(context.values("Row", list(kinds), sort="age"))
            assert [array.dtype[name].kind for name in kinds] == ["O", "i", "f", "M", "b", "O"]
            assert array["age"].tolist() == [1, 2] and numpy.isnan(array["weight"][1]) and numpy.isnat(array["born"][1])
            assert array["born"][0] == numpy.datetime64("2020-01-02T03:00:00")
            plain = numpy.asarray(context.values("Row", ["age", "sure"], sort="age"), dtype=float)
            assert plain.tolist() == [[1.0, 1.0], [2.0, 0.0]]


def test_IDsArePickled(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    person = context.one("Person", "name == 'dave3'")
    again = pickle.loads(pickle.dumps([person.object_id]))[0]
    assert again == person.object_id and context.object(again) is person
    with pytest.raises(TypeError, match="temporary ObjectID cannot be pickled"):
        pickle.dumps(context.insert("Person").object_id)


def test_anIDOfAStoreThatIsNotOpenCannotBeUnpickled(context: pinview.Context) -> None:
    pickled = pickle.dumps(context.one("Person", "name == 'dave3'").object_id)
    program = f"import pickle, pinview\ntry: pickle.loads({pickled!r})\nexcept pinview.UnknownStoreError as error: print(error)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "open the store first" in result.stdout


def test_statementsGoToALogger(context: pinview.Context, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "pinview.sql")
    pinview.log_sql()
    try:
        context.count("Person", "age > 3")
        assert any("SELECT" in record.getMessage() and record.name == "pinview.sql" for record in caplog.records)
        caplog.clear()
        caplog.set_level(logging.INFO, "pinview.sql")
        context.count("Person", "age > 4")
        assert not caplog.records
    finally:
        pinview.set_sql_log(enabled=False)


@pytest.mark.parametrize(
    ("format", "hint"),
    [
        ("name IS NULL", "Write == nil instead of IS NULL."),
        ("name is not null", "Write != nil instead of is not null."),
        ("name ILIKE 'a'", r"Write LIKE\[c\] instead of ILIKE."),
        ("name == None", r"Write nil instead of None\."),
        ("name == %s", r"Write %@ instead of %s\."),
        ("name == ?", r"Write %@ instead of \?\."),
        ("name == :name", r"Write %@ instead of :name\."),
        ("age in (1, 2)", r"Write \{…\} instead of \(\."),
        ("name == 'this is?' )", r"predicate\)\.$"),
    ],
)
def test_whatSQLSpellsDifferentlyIsTold(context: pinview.Context, format: str, hint: str) -> None:
    with pytest.raises(pinview.PredicateError, match=hint):
        context.fetch("Person", format)


def test_theNearestNameIsSuggested(context: pinview.Context) -> None:
    person = context.fetch("Person")[0]
    with pytest.raises(pinview.UnknownKeyError, match=r"The entity Person has no property 'nmae' \(did you mean 'name'\?\)\."):
        person.nmae  # noqa: B018
    with pytest.raises(pinview.UnknownKeyError, match="has no property 'zzz'; it has name, age, cars"):
        person["zzz"] = 3
    with pytest.raises(pinview.UnknownEntityError, match=r"did you mean 'Person'\?"):
        context.coordinator.model.entity("Persn")
