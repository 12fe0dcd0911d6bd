"""Batch inserts of rows with existing unique values, and upserts: UNQ-09, UNQ-11."""

from __future__ import annotations

import os
import random

import pytest

import pinview
from pinview import Attribute, BatchInsertCounts, Entity, Relationship, UpsertOutcome

CREATED, UPDATED, UNCHANGED = UpsertOutcome


@pytest.fixture
def model():
    person = Entity(
        "Person",
        attributes=[
            Attribute("email", "string"),
            Attribute("name", "string"),
            Attribute("age", "integer64", default=1),
            Attribute("code", "integer64"),
        ],
        relationships=[Relationship("team", "Team", inverse="members")],
        uniqueness_constraints=[["email"], ["code"]],
    )
    team = Entity(
        "Team",
        attributes=[Attribute("name", "string")],
        relationships=[Relationship("members", "Person", inverse="team", to_many=True)],
    )
    with pinview.Model([person, team]) as model:
        yield model


@pytest.fixture
def coordinator(empty):
    return empty


@pytest.fixture
def context(coordinator):
    with pinview.Context(coordinator) as context:
        context.insert("Person", email="ada@x", name="ada", age=30, code=0)
        context.insert("Person", email="bob@x", name="bob", age=31, code=1)
        context.save()
        yield context


def stored(coordinator):
    with pinview.Context(coordinator) as reader:
        return {each.email: (each.name, each.age) for each in reader.fetch("Person")}


ROWS = [
    {"email": "ada@x", "name": "Ada", "age": 30},
    {"email": "new@x", "name": "new", "age": 2},
    {"email": "bob@x", "name": "bob", "age": 31},
]


def test_unq_09_a_batch_insert_fails_by_default_and_names_the_row(context, coordinator):
    with pytest.raises(pinview.ConstraintConflictError, match=r'Row 1 .*constraint email.*email "ada@x"'):
        context.batch_insert("Person", ROWS)
    context.merge_policy = "merge_by_property_object_trump"  # not used by batch inserts
    with pytest.raises(pinview.ConstraintConflictError):
        context.batch_insert("Person", ROWS)
    assert set(stored(coordinator)) == {"ada@x", "bob@x"}


@pytest.mark.parametrize("source", ["rows", "iterator", "names", "columns"])
def test_unq_09_object_trump_inserts_or_updates(context, coordinator, source):
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    given = {
        "rows": {"rows": ROWS},
        "iterator": {"rows": iter(ROWS)},
        "names": {"rows": [list(row.values()) for row in ROWS], "names": list(ROWS[0])},
        "columns": {"columns": columns},
    }[source]
    counts = context.batch_insert("Person", **given, merge_policy="merge_by_property_object_trump", result="counts")
    assert counts == BatchInsertCounts(inserted=1, updated=1, left=1)
    assert stored(coordinator) == {"ada@x": ("Ada", 30), "bob@x": ("bob", 31), "new@x": ("new", 2)}


def test_unq_09_columns_of_another_context_come_through_arrow(context, coordinator, model, tmp_path):
    with pinview.Coordinator(model) as other, pinview.Context(other) as source:
        other.add_store(tmp_path / "other.sqlite")
        source.batch_insert("Person", ROWS)
        fetched = source.fetch_columns("Person", ["email", "age"])
        counts = context.batch_insert("Person", columns=fetched, merge_policy=pinview.MergePolicy.OVERWRITE, result="counts")
    assert counts == BatchInsertCounts(inserted=1, updated=2, left=0)
    assert stored(coordinator)["ada@x"] == (None, 30)


def test_unq_09_the_ids_are_those_of_the_resulting_rows(context):
    ids = context.batch_insert("Person", ROWS + ROWS[1:2], merge_policy="rollback", result="object_ids")
    assert [context.existing_object(each).email for each in ids] == ["ada@x", "new@x", "bob@x", "new@x"]
    assert ids[1] == ids[3]


def test_unq_09_the_error_lists_the_conflicts(context, coordinator):
    with pytest.raises(pinview.ConstraintConflictError) as raised:
        context.batch_insert("Person", [{"email": "ada@x", "name": "Ada!"}])
    (conflict,) = raised.value.constraint_conflicts
    assert (conflict.entity_name, conflict.constraint, conflict.values) == ("Person", ("email",), {"email": "ada@x"})
    assert conflict.database_object == raised.value.affected_objects[0]
    assert conflict.database_snapshot["email"] == "ada@x"
    assert conflict.objects == ()
    assert [snapshot["name"] for snapshot in conflict.snapshots] == ["Ada!"]


def test_unq_09_counts_are_of_batch_inserts_only(context):
    with pytest.raises(pinview.InvalidArgumentError):
        context.batch_update("Person", {"age": 1}, result="counts")
    with pytest.raises(pinview.InvalidArgumentError):
        context.batch_delete("Person", result="counts")
    with pytest.raises(pinview.InvalidArgumentError):
        context.batch_insert("Person", ROWS, merge_policy=pinview.MergePolicy.CALLBACK)
    with pytest.raises(ValueError):
        context.batch_insert("Person", ROWS, merge_policy="newest")


@pytest.mark.parametrize("as_columns", [False, True])
def test_unq_11_an_upsert_returns_the_outcome_of_each_row(context, coordinator, as_columns):
    if as_columns:
        result = context.upsert("Person", columns={name: [row[name] for row in ROWS] for name in ROWS[0]}, constraint=["email"])
    else:
        result = context.upsert("Person", ROWS, constraint=["email"])
    assert result.outcomes == [UPDATED, CREATED, UNCHANGED]
    assert [each.name for each in result.objects] == ["Ada", "new", "bob"]
    assert [each.email for each in result.created] == ["new@x"]
    assert result.updated == [result.objects[0]]
    assert result.unchanged == [result.objects[2]]
    assert len(result) == 3
    assert list(result)[1] == (result.objects[1], CREATED)
    assert set(stored(coordinator)) == {"ada@x", "bob@x"}, "changes are pending"
    context.save()
    assert stored(coordinator) == {"ada@x": ("Ada", 30), "bob@x": ("bob", 31), "new@x": ("new", 2)}


def test_unq_11_names_what_is_set_on_insert_and_on_update(context):
    result = context.upsert("Person", ROWS, constraint=["email"], on_insert=["name"], on_update=["age"])
    assert [(each.name, each.age) for each in result.objects] == [("ada", 30), ("new", 1), ("bob", 31)]
    ignoring = context.upsert("Person", [{"email": "ada@x", "age": 99}, {"email": "n@x", "age": 98}], constraint=["email"], on_update=[])
    assert ignoring.outcomes == [UNCHANGED, CREATED]
    assert [each.age for each in ignoring.objects] == [30, 98]


def test_unq_11_relationships_take_objects_and_ids(context):
    team = context.insert("Team", name="red")
    first = context.upsert("Person", [{"email": "ada@x", "team": team}, {"email": "new@x", "team": None}], constraint=["email"])
    assert first.outcomes == [UPDATED, CREATED]
    assert set(team.members) == {first.objects[0]}
    again = context.upsert("Person", [{"email": "ada@x", "team": team.object_id}], constraint=["email"])
    assert again.outcomes == [UNCHANGED]


@pytest.mark.parametrize(
    ("row", "error", "text"),
    [
        ({"email": "x@x", "age": "old"}, pinview.WrongTypeError, "Row 2"),
        ({"email": "x@x", "code": 1}, pinview.ConstraintConflictError, r"Row 2.*code 1.*\(email\)"),
    ],
)
def test_unq_11_a_rejected_row_changes_nothing(context, row, error, text):
    good = dict.fromkeys(row) | {"email": "good@x"}
    if "age" in good:
        good["age"] = 5
    with pytest.raises(error, match=text):
        context.upsert("Person", [good, row], constraint=["email"])
    assert not context.has_changes
    context.insert("Person", email="later@x")
    context.save()


def test_unq_11_wrong_calls(context):
    with pytest.raises(TypeError):
        context.upsert("Person", ROWS, constraint="email")
    with pytest.raises(pinview.InvalidArgumentError, match=r"\(email\), \(code\)"):
        context.upsert("Person", ROWS, constraint=["age"])
    with pytest.raises(pinview.InvalidArgumentError, match="lacks 'code'"):
        context.upsert("Person", ROWS, constraint=["code"])
    with pytest.raises(pinview.InvalidArgumentError):
        context.upsert("Person", ROWS, columns={"email": []}, constraint=["email"])
    with pytest.raises(pinview.UnknownKeyError):
        context.upsert("Person", [{"email": "x", "nam": 1}], constraint=["email"])
    with pytest.raises(ValueError, match="an upsert"):
        context.upsert("Person", [{"email": "x"}, {"email": "y", "age": 1}], constraint=["email"])
    assert len(context.upsert("Person", [], constraint=["email"])) == 0
    assert not context.has_changes


def test_unq_09_unq_11_agree_with_a_naive_model(context, coordinator):
    seed = int(os.environ.get("PINVIEW_SEED") or random.randrange(2**32))
    print(f"PINVIEW_SEED={seed}")
    source = random.Random(seed)
    expected = {"ada@x": ("ada", 30), "bob@x": ("bob", 31)}
    nulls = 0
    for _ in range(60):
        rows = []
        for _ in range(source.randrange(1, 40)):
            email = source.choice([None, *(f"p{number}@x" for number in range(20)), "ada@x", "bob@x"])
            rows.append({"email": email, "name": source.choice(["a", "b", None]), "age": source.randrange(3)})
        kind = source.choice(["upsert", "ignore", "merge_by_property_object_trump", "overwrite", "merge_by_property_store_trump"])
        keeps = kind in ("ignore", "merge_by_property_store_trump")
        told = []
        for row in rows:
            values = (row["name"], row["age"])
            if row["email"] is None:
                nulls += 1
                told.append(CREATED)
            elif row["email"] not in expected:
                expected[row["email"]] = values
                told.append(CREATED)
            elif keeps or expected[row["email"]] == values:
                told.append(UNCHANGED)
            else:
                expected[row["email"]] = values
                told.append(UPDATED)
        if kind in ("upsert", "ignore"):
            result = context.upsert("Person", rows, constraint=["email"], on_update=[] if kind == "ignore" else None)
            assert result.outcomes == told, f"seed {seed}"
            context.save()
        else:
            counts = context.batch_insert("Person", rows, merge_policy=kind, result="counts")
            wanted = BatchInsertCounts(*(told.count(outcome) for outcome in UpsertOutcome))
            # Overwriting clears the property of the other constraint, for which no row has a value.
            if kind != "overwrite":
                assert counts == wanted, f"seed {seed}"
        found = stored(coordinator)
        assert {email: values for email, values in found.items() if email is not None} == expected, f"seed {seed}"
        with pinview.Context(coordinator) as reader:
            assert reader.count("Person", "email == nil") == nulls, f"seed {seed}"
