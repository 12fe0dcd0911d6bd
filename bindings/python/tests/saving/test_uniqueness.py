"""Uniqueness conflicts of saves, and how merge policies resolve them: UNQ-01 to UNQ-08, UNQ-10."""

from __future__ import annotations

import pathlib
import pickle
import sqlite3
from collections.abc import Iterator

import pytest

import pinview
from pinview import Attribute, Conflict, ConstraintConflictError, Context, Coordinator, Entity, MergePolicy, Relationship


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "unique.sqlite"


@pytest.fixture
def coordinator(path: pathlib.Path) -> Iterator[Coordinator]:
    model = pinview.Model(
        [
            Entity(
                "Person",
                attributes=[Attribute("name", "string"), Attribute("mail", "string"), Attribute("age", "integer64", default=0)],
                relationships=[Relationship("cars", "Car", inverse="owner", to_many=True)],
                uniqueness_constraints=[["mail"]],
            ),
            Entity("Car", attributes=[Attribute("name", "string")], relationships=[Relationship("owner", "Person", inverse="cars")]),
        ]
    )
    with model, Coordinator(model) as coordinator:
        coordinator.add_store(path)
        yield coordinator


def store(coordinator: Coordinator, **values: object) -> pinview.ObjectID:
    with Context(coordinator) as context:
        person = context.insert("Person", **values)
        context.save()
        return person.object_id


def rows(path: pathlib.Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT ZMAIL, ZNAME, ZAGE FROM ZPERSON ORDER BY Z_PK").fetchall()


def test_unq_01_the_exception_lists_the_conflicts(coordinator: Coordinator, path: pathlib.Path) -> None:
    stored = store(coordinator, mail="a", name="old")
    with Context(coordinator) as context:
        new = context.insert("Person", mail="a", name="new")
        twins = [context.insert("Person", mail="b", name=name) for name in ("one", "two")]
        with pytest.raises(ConstraintConflictError) as raised:
            context.save()
        error = raised.value
        assert error.code == 133021
        assert error.conflicts == ()
        first, second = error.constraint_conflicts
        assert first.entity_name == "Person"
        assert first.constraint == ("mail",)
        assert first.values == {"mail": "a"}
        assert first.database_object == stored
        assert first.database_snapshot == {"age": 0, "mail": "a", "name": "old"}
        assert first.objects == (new.object_id,)
        assert first.snapshots[0]["name"] == "new"
        assert second.database_object is None
        assert second.database_snapshot is None
        assert second.objects == tuple(twin.object_id for twin in twins)
        assert error.affected_objects == (new.object_id, *second.objects)
        assert "mail" in error.message and '"a"' in error.message and "in the store" in error.message
        assert pickle.loads(pickle.dumps(error)).constraint_conflicts == ()
        assert context.has_changes
        assert rows(path) == [("a", "old", 0)]


@pytest.mark.parametrize(
    ("policy", "row"),
    [
        (MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP, ("a", "new", 5)),  # UNQ-02
        (MergePolicy.MERGE_BY_PROPERTY_STORE_TRUMP, ("a", "old", 5)),  # UNQ-03
        (MergePolicy.OVERWRITE, ("a", "new", 0)),  # UNQ-04
        (MergePolicy.ROLLBACK, ("a", "old", 5)),
    ],
)
@pytest.mark.parametrize("is_known", [False, True])
def test_a_policy_makes_one_row_of_two(
    coordinator: Coordinator, path: pathlib.Path, policy: MergePolicy, row: tuple[object, ...], is_known: bool
) -> None:
    stored = store(coordinator, mail="a", name="old", age=5)
    with Context(coordinator) as context:
        context.merge_policy = policy
        known = context.object(stored) if is_known else None
        new = context.insert("Person", mail="a", name="new")
        car = context.insert("Car", name="car", owner=new)
        context.save()
        assert rows(path) == [row]
        person = car.owner
        assert person is (known if is_known else new)
        assert person.object_id == stored
        assert (person.mail, person.name, person.age) == row
        assert list(person.cars) == [car]
        assert not context.has_changes


def test_unq_06_values_are_swapped(coordinator: Coordinator, path: pathlib.Path) -> None:
    with Context(coordinator) as context:
        one, two = context.insert("Person", mail="a", name="one"), context.insert("Person", mail="b", name="two")
        context.save()
        one.mail, two.mail = "b", "a"
        context.save()
        assert rows(path) == [("b", "one", 0), ("a", "two", 0)]
        context.delete(one)
        context.insert("Person", mail="b", name="three")
        context.save()
        assert rows(path) == [("a", "two", 0), ("b", "three", 0)]


def test_unq_08_a_function_resolves_uniqueness_conflicts(coordinator: Coordinator, path: pathlib.Path) -> None:
    stored = store(coordinator, mail="a", name="old", age=5)
    seen: list[Conflict] = []

    def decide(conflicts: list[Conflict]) -> list[object]:
        seen.extend(conflicts)
        return [{"name": f"{conflict.theirs['name']} and {conflict.mine['name']}"} for conflict in conflicts if conflict.theirs]

    with Context(coordinator) as context:
        context.merge_policy = decide
        new = context.insert("Person", mail="a", name="new")
        context.save()
        assert rows(path) == [("a", "old and new", 5)]
        assert new.object_id == stored
        assert seen[0].constraint is not None
        assert seen[0].constraint.database_object == stored
        context.merge_policy = lambda conflicts: [{"mail": conflict.mine["mail"] + "2"} for conflict in conflicts]
        apart = context.insert("Person", mail="a")
        context.save()
        assert apart.mail == "a2"
        context.merge_policy = lambda conflicts: [MergePolicy.ERROR for _ in conflicts]
        context.insert("Person", mail="a")
        with pytest.raises(ConstraintConflictError) as raised:
            context.save()
        assert len(raised.value.constraint_conflicts) == 1
        assert len(rows(path)) == 2


def test_unq_10_the_root_reports_its_own_objects(coordinator: Coordinator, path: pathlib.Path) -> None:
    with Context(coordinator) as root, Context(parent=root) as child:
        root.insert("Person", mail="a", name="root")
        child.insert("Person", mail="a", name="child")
        child.save()
        with pytest.raises(ConstraintConflictError) as raised:
            root.save()
        conflict = raised.value.constraint_conflicts[0]
        assert set(conflict.objects) == {person.object_id for person in root.inserted_objects}
        root.merge_policy = MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP
        root.save()
        assert rows(path) == [("a", "child", 0)]
