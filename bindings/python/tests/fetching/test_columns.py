"""Columns of values, used directly and with pyarrow, numpy, pandas and polars if they are
installed.
"""

from __future__ import annotations

import datetime
import decimal
import gc
import pathlib
import sqlite3
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import PERSONS

import pinview
from pinview import Attribute, Entity, Relationship

TYPES = {
    "int16": "integer16",
    "int32": "integer32",
    "int64": "integer64",
    "boolean": "boolean",
    "float": "float",
    "double": "double",
    "decimal": "decimal",
    "moment": "date",
    "text": "string",
    "data": "binaryData",
    "uuid": "uuid",
}
UTC = datetime.timezone.utc
ROWS: list[dict[str, Any]] = [
    {
        "int16": -5,
        "int32": 1 << 30,
        "int64": -(1 << 62),
        "boolean": True,
        "float": 0.5,
        "double": 0.1,
        "decimal": decimal.Decimal("12.75"),
        "moment": datetime.datetime(2013, 1, 1, 10, 30, 0, 123456, tzinfo=UTC),
        "text": "grün\0€😀",
        "data": b"\x00\xff",
        "uuid": uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"),
    },
    dict.fromkeys(TYPES),
    {
        "int16": 7,
        "int32": 0,
        "int64": 1,
        "boolean": False,
        "float": -0.25,
        "double": 1e300,
        "decimal": decimal.Decimal(-3),
        "moment": datetime.datetime(1900, 2, 3, tzinfo=UTC),
        "text": "",
        "data": b"",
        "uuid": uuid.UUID(int=0),
    },
]
# The values in columns, where decimals are strings.
EXPECTED = {name: [str(row[name]) if isinstance(row[name], decimal.Decimal) else row[name] for row in ROWS] for name in TYPES}


@pytest.fixture
def samples(tmp_path: pathlib.Path) -> Iterator[pinview.Coordinator]:
    """A store with samples of each type in two series."""
    model = pinview.Model(
        [
            Entity(
                "Sample",
                attributes=[Attribute(name, kind) for name, kind in TYPES.items()],
                relationships=[Relationship("series", "Series", inverse="samples")],
            ),
            Entity(
                "Series",
                attributes=[Attribute("name", "string"), Attribute("rank", "integer32", optional=False)],
                relationships=[Relationship("samples", "Sample", inverse="series", to_many=True)],
            ),
        ]
    )
    with model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "samples.sqlite")
        with pinview.Context(coordinator) as context:
            context.batch_insert("Sample", ROWS)
        yield coordinator


@pytest.fixture
def sampled(samples: pinview.Coordinator) -> Iterator[pinview.Context]:
    with pinview.Context(samples) as context:
        yield context


def insert_series(context: pinview.Context, count: int) -> None:
    context.batch_insert("Series", columns={"name": [f"s{rank}" for rank in range(count)], "rank": list(range(count))})


# Used directly


def test_columns_hold_the_values_that_objects_have(sampled: pinview.Context) -> None:
    batches = list(sampled.fetch_columns("Sample"))
    assert [len(batch) for batch in batches] == [3]
    assert batches[0].names == tuple(TYPES)
    assert {name: batches[0][name].to_list() for name in TYPES} == EXPECTED
    assert [batches[0][name].null_count for name in TYPES] == [1] * len(TYPES)
    with pytest.raises(KeyError):
        batches[0]["shoe_size"]


def test_rows_hold_the_values_that_columns_hold(sampled: pinview.Context, samples: pinview.Coordinator) -> None:
    assert [repr(row) for row in sampled.fetch_columns("Sample").rows()] == [repr(row) for row in zip(*EXPECTED.values())]
    # Strings of various lengths, many of them repeated, and some that differ at their ends only.
    texts = [f"{'ä' * (place % 9)}{place % 700:05}{chr(0) * (place % 3)}" if place % 5 else None for place in range(3000)]
    insert_series(sampled, 1)
    sampled.batch_insert("Sample", columns={"text": texts, "int64": list(range(3000))})
    with sampled.fetch_columns("Sample", ["text", "int64"], predicate="int16 == NULL AND int64 != NULL", sort="int64") as columns:
        assert list(columns.rows()) == list(zip(texts, range(3000)))
    rows = next(iter(sampled.fetch_columns("Sample", ["text"], predicate="int16 != NULL", sort="int16"))).rows()
    gc.collect()
    assert [next(rows), next(rows), next(rows, None), next(rows, None)] == [(EXPECTED["text"][0],), (EXPECTED["text"][2],), None, None]


def test_columns_say_their_types(sampled: pinview.Context) -> None:
    with sampled.fetch_columns("Sample", ["moment", "uuid", "series.name", "series", "objectID"]) as columns:
        assert columns.types == {"moment": "timestamp", "uuid": "uuid", "series.name": "string", "series": "int64", "objectID": "int64"}


def test_views_of_the_memory_outlive_everything(context: pinview.Context) -> None:
    (batch,) = context.fetch_columns("Person", ["name", "age"])
    ages, texts = batch["age"].values, batch["name"].data
    assert ages.format == "q" and ages.readonly
    assert batch["age"].validity is None
    del batch
    context.close()
    gc.collect()
    assert ages.tolist() == list(range(20, 44))
    assert bytes(texts).startswith(b"dave0dave1")


def test_batches_have_the_size_that_was_asked_for(sampled: pinview.Context) -> None:
    insert_series(sampled, 2500)
    columns = sampled.fetch_columns("Series", ["rank"], batch_size=1000)
    found = [batch["rank"].to_list() for batch in columns]
    assert [len(ranks) for ranks in found] == [1000, 1000, 500]
    assert [rank for ranks in found for rank in ranks] == list(range(2500))


def test_predicate_order_limit_and_key_paths(context: pinview.Context) -> None:
    columns = context.fetch_columns("Car", ["name", "owner.name"], "owner.age > %@", [25], sort="-owner.age", limit=2, offset=1)
    (batch,) = columns
    assert batch["name"].to_list() == ["car22", "car21"]
    assert batch["owner.name"].to_list() == ["dave22", "dave21"]


def test_values_to_compute_and_groups(context: pinview.Context) -> None:
    (batch,) = context.fetch_columns(
        "Person", {"decade": "age / 10", "n": "count:(SELF)", "oldest": "max:(age)"}, group_by="decade", sort="decade"
    )
    assert [batch[name].to_list() for name in ("decade", "n", "oldest")] == [[2.0, 3.0, 4.0], [10, 10, 4], [29, 39, 43]]


def test_objects_as_uris(context: pinview.Context) -> None:
    (batch,) = context.fetch_columns("Car", ["owner"], object_uris=True, limit=1)
    assert batch["owner"].to_list() == [next(iter(context.fetch("Car")))["owner"].object_id.uri]


def test_columns_read_the_generation_of_their_context(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    columns = context.fetch_columns("Person", ["name"], batch_size=10)
    other.insert("Person", name="new")
    other.save()
    context.pin()
    assert context.count("Person") == 25
    context.close()
    assert sum(len(batch) for batch in columns) == 24


def test_unsaved_changes_do_not_count(context: pinview.Context) -> None:
    context.insert("Person", name="unsaved")
    assert sum(len(batch) for batch in context.fetch_columns("Person")) == 24


def test_columns_are_read_once(context: pinview.Context) -> None:
    columns = context.fetch_columns("Person")
    assert len(list(columns)) == 1
    with pytest.raises(pinview.InvalidArgumentError, match="fetch them again"):
        list(columns)
    columns.close()
    with pytest.raises(TypeError):
        pinview.Columns()


def test_invalid_requests(context: pinview.Context) -> None:
    with pytest.raises(pinview.UnknownKeyError):
        context.fetch_columns("Person", ["shoe_size"])
    with pytest.raises(pinview.UnknownEntityError):
        context.fetch_columns("Persn")


def test_a_value_that_its_column_cannot_hold(sampled: pinview.Context, tmp_path: pathlib.Path) -> None:
    with sqlite3.connect(tmp_path / "samples.sqlite") as connection:
        connection.execute("UPDATE ZSAMPLE SET ZINT16 = 70000")
    connection.close()
    with pytest.raises(pinview.WrongTypeError, match="70000"):
        list(sampled.fetch_columns("Sample", ["int16"]))


def test_an_unused_capsule_is_released(coordinator: pinview.Coordinator, context: pinview.Context) -> None:
    context.pin()
    columns = context.fetch_columns("Person")
    schema = columns.__arrow_c_schema__()
    stream = columns.__arrow_c_stream__()
    assert "arrow_schema" in repr(schema) and "arrow_array_stream" in repr(stream)
    with pytest.raises(pinview.InvalidArgumentError):
        columns.__arrow_c_stream__()
    context.unpin()
    assert len(coordinator.journal_report()[0].generations) == 1
    del schema, stream
    columns.close()
    assert not coordinator.journal_report()[0].generations


# With other packages


def test_pyarrow(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    assert pa.schema(sampled.fetch_columns("Sample", ["int16", "text"])).names == ["int16", "text"]
    table = pa.table(sampled.fetch_columns("Sample"))
    table.validate(full=True)
    expected = {**EXPECTED}
    found = {name: table[name].to_pylist() for name in TYPES}
    if isinstance(found["uuid"][0], bytes):  # an older pyarrow does not know the extension type
        expected["uuid"] = [value and value.bytes for value in expected["uuid"]]
    assert found == expected
    assert str(table.schema.field("moment").type) == "timestamp[us, tz=UTC]"
    assert table.schema.field("decimal").metadata == {b"pinview.type": b"decimal"}


def test_pyarrow_reads_batch_by_batch(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    insert_series(sampled, 2500)
    reader = pa.RecordBatchReader.from_stream(sampled.fetch_columns("Series", ["rank"], batch_size=1000))
    batches = list(reader)
    assert [batch.num_rows for batch in batches] == [1000, 1000, 500]
    empty = pa.table(sampled.fetch_columns("Series", ["name", "rank"], "rank < 0"))
    assert empty.num_rows == 0 and empty.column_names == ["name", "rank"]


def test_pyarrow_copies_nothing(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    insert_series(sampled, 2500)
    table = pa.table(sampled.fetch_columns("Series", ["rank", "name"]))
    assert table.num_rows == 2500 and pa.total_allocated_bytes() == before


def test_pyarrow_gets_errors_with_their_message(sampled: pinview.Context, samples: pinview.Coordinator) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = sampled.fetch_columns("Sample")
    samples.remove_store(samples.stores[0])
    with pytest.raises(OSError, match="closed"):
        pa.table(columns)


def test_numpy(sampled: pinview.Context) -> None:
    numpy = pytest.importorskip("numpy")
    insert_series(sampled, 5)
    (batch,) = sampled.fetch_columns("Series", ["rank", "name"])
    ranks = numpy.asarray(batch["rank"])
    assert ranks.dtype == "int32" and ranks.tolist() == [0, 1, 2, 3, 4] and not ranks.flags.owndata
    assert numpy.asarray(batch["rank"], dtype="float64").dtype == "float64"
    assert numpy.asarray(batch["name"]).tolist() == ["s0", "s1", "s2", "s3", "s4"]
    (batch,) = sampled.fetch_columns("Sample")
    assert numpy.isnan(numpy.asarray(batch["double"])[1])
    assert numpy.asarray(batch["moment"]).astype("datetime64[s]").astype(str).tolist() == [
        "2013-01-01T10:30:00",
        "NaT",
        "1900-02-03T00:00:00",
    ]
    with pytest.raises(ValueError, match="to_list"):
        numpy.asarray(batch["int16"])


def test_pandas(sampled: pinview.Context) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    if not hasattr(pandas.DataFrame, "from_arrow"):
        pytest.skip("this pandas does not take streams")
    frame = pandas.DataFrame.from_arrow(sampled.fetch_columns("Sample"))
    assert frame["text"].dropna().tolist() == [ROWS[0]["text"], ""]
    assert frame["moment"][0].to_pydatetime() == ROWS[0]["moment"]
    assert frame["double"].isna().tolist() == [False, True, False]


def test_polars(sampled: pinview.Context) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(sampled.fetch_columns("Sample", [name for name in TYPES if name != "uuid"]))
    assert {name: frame[name].to_list() for name in frame.columns} == {name: EXPECTED[name] for name in frame.columns}
    insert_series(sampled, 2500)
    series = polars.DataFrame(sampled.fetch_columns("Series", ["rank"], batch_size=1000))
    assert series["rank"].sum() == 2500 * 2499 // 2


# Inserting columns


def test_columns_of_one_store_go_into_another(sampled: pinview.Context, samples: pinview.Coordinator, tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(samples.model) as coordinator:
        coordinator.add_store(tmp_path / "other.sqlite")
        with pinview.Context(coordinator) as context:
            assert context.batch_insert("Sample", columns=sampled.fetch_columns("Sample")) == 3
            (batch,) = context.fetch_columns("Sample")
            assert {name: batch[name].to_list() for name in TYPES} == EXPECTED
            assert context.fetch("Sample")[0]["decimal"] == decimal.Decimal("12.75")


def test_a_stream_can_be_inserted_once(sampled: pinview.Context) -> None:
    columns = sampled.fetch_columns("Sample")
    assert sampled.batch_insert("Sample", columns) == 3
    with pytest.raises(pinview.InvalidArgumentError, match="already been read"):
        sampled.batch_insert("Sample", columns)
    assert sampled.count("Sample") == 6


def test_pyarrow_tables_are_inserted(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(sampled.fetch_columns("Sample"))
    assert sampled.batch_insert("Sample", columns=table) == 3
    types = {
        "int16": pa.uint8(),
        "int32": pa.int64(),
        "int64": pa.int8(),
        "boolean": pa.int32(),
        "float": pa.float16(),
        "double": pa.float32(),
        "decimal": pa.decimal128(10, 2),
        "moment": pa.timestamp("ms", tz="Europe/Paris"),
        "text": pa.large_string(),
        "data": pa.large_binary(),
        "uuid": pa.string(),
    }
    values = {
        "int16": [5, None],
        "int32": [-7, 0],
        "int64": [-128, 127],
        "boolean": [1, 0],
        "float": [0.5, -2.0],
        "double": [0.25, float("inf")],
        "decimal": [decimal.Decimal("-1.25"), None],
        "moment": [datetime.datetime(2001, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC), None],
        "text": ["ü" * 5000, ""],
        "data": [b"\0", None],
        "uuid": [str(uuid.UUID(int=9)), None],
    }
    arrays = [pa.array(values[name], kind) for name, kind in types.items()]
    sampled.batch_insert("Sample", columns=pa.table(dict(zip(types, arrays))))
    (batch,) = sampled.fetch_columns("Sample", offset=6)
    found = {name: batch[name].to_list() for name in TYPES}
    assert found == {**values, "boolean": [True, False], "decimal": ["-1.25", None], "uuid": [uuid.UUID(int=9), None]}


def test_dictionaries_views_and_slices_of_pyarrow_are_inserted(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    names = pa.array(["zero", "one", None, "one", "a longer one than fits into a view"]).dictionary_encode()
    ranks = pa.array([9, 1, 2, 3, 4])
    table = pa.table({"name": names, "rank": ranks}).slice(1)
    assert sampled.batch_insert("Series", columns=table) == 4
    if hasattr(pa, "string_view"):
        views = pa.array(["short", "a longer one than fits into a view", None], pa.string_view())
        assert sampled.batch_insert("Series", columns=pa.table({"name": views, "rank": [5, 6, 7]})) == 3
    (batch,) = sampled.fetch_columns("Series", ["name", "rank"], "rank < 5")
    assert batch["name"].to_list() == ["one", None, "one", "a longer one than fits into a view"]
    assert batch["rank"].to_list() == [1, 2, 3, 4]
    if hasattr(pa, "string_view"):
        (batch,) = sampled.fetch_columns("Series", ["name"], "rank >= 5")
        assert batch["name"].to_list() == ["short", "a longer one than fits into a view", None]


def test_relationships_as_keys_and_uris(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    insert_series(sampled, 3)
    sampled.batch_insert("Sample", columns=pa.table({"int64": [100, 101], "series": pa.array([2, None], pa.int32())}))
    uris = [each.object_id.uri for each in sampled.fetch("Series")]
    sampled.batch_insert("Sample", columns=pa.table({"int64": [102], "series": [uris[2]]}))
    (batch,) = sampled.fetch_columns("Sample", ["series.name"], "int64 >= 100")
    assert batch["series.name"].to_list() == ["s1", None, "s2"]
    with pytest.raises(pinview.WrongTypeError, match="not 'x'"):
        sampled.batch_insert("Sample", columns=pa.table({"series": ["x"]}))


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"rank": [1], "shoe_size": [1]}, "UnknownKeyError", "shoe_size"),
        ({"rank": [1], "samples": [1]}, "UnknownKeyError", "neither"),
        ({"name": ["a"]}, "MissingValueError", "there is no column 'rank'"),
        ({"rank": [1, None]}, "MissingValueError", "Row 2, column 'rank'"),
        ({"rank": [1, 2, 1 << 40]}, "WrongTypeError", "Row 3, column 'rank'"),
        ({"rank": [1.5]}, "WrongTypeError", "1.5"),
        ({"rank": ["1"]}, "WrongTypeError", "format 'u'"),
        ({"rank": [[1]]}, "WrongTypeError", "'\\+l'"),
        ({"rank": [1], "name": [b"\xff"]}, "WrongTypeError", "format 'z'"),
    ],
)
def test_invalid_columns_insert_nothing(sampled: pinview.Context, columns: dict[str, list[Any]], error: str, message: str) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(getattr(pinview, error), match=message):
        sampled.batch_insert("Series", columns=pa.table(columns))
    assert sampled.count("Series") == 0


def test_invalid_utf8_is_rejected(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    with pytest.raises(pinview.InvalidTextError, match="Row 1, column 'name'"):
        sampled.batch_insert("Series", columns=pa.table({"rank": [1], "name": broken}))
    assert sampled.count("Series") == 0


def test_a_failing_producer_inserts_nothing(sampled: pinview.Context) -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema({"rank": pa.int32()})

    def batches() -> Iterator[Any]:
        yield pa.record_batch([pa.array([1, 2], pa.int32())], schema)
        raise ValueError("out of rows")

    with pytest.raises(pinview.StoppedError, match="out of rows"):
        sampled.batch_insert("Series", columns=pa.RecordBatchReader.from_batches(schema, batches()))
    assert sampled.count("Series") == 0


def test_frames_of_polars_and_pandas_are_inserted(sampled: pinview.Context) -> None:
    polars = pytest.importorskip("polars")
    rows = {"name": ["a", None, "a name that is longer than twelve bytes"], "rank": [1, 2, 3]}
    assert sampled.batch_insert("Series", columns=polars.DataFrame(rows)) == 3
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    if hasattr(pandas.DataFrame, "__arrow_c_stream__"):
        assert sampled.batch_insert("Series", columns=pandas.DataFrame(rows)) == 3
    batches = list(sampled.fetch_columns("Series", ["name", "rank"]))
    assert batches[0]["name"].to_list()[:3] == rows["name"]
    assert batches[0]["rank"].to_list()[-3:] == rows["rank"]


def test_lists_need_no_mandatory_attributes(sampled: pinview.Context) -> None:
    assert sampled.batch_insert("Series", columns={"name": ["a", "b"]}) == 2
    assert sampled.batch_insert("Series", columns={"name": ["c"], "rank": [None]}) == 1
    (batch,) = sampled.fetch_columns("Series", ["name", "rank"])
    assert batch["rank"].to_list() == [None, None, None]


def test_rowsHaveTheValuesOfTheColumns(context: pinview.Context) -> None:
    columns = context.fetch_columns("Person", ["age", "name"], sort="age", batch_size=5)
    assert list(columns.rows()) == [(20 + number, f"dave{number}") for number in range(PERSONS)]
    with pytest.raises(pinview.InvalidArgumentError, match="already been read"):
        list(columns.rows())


def test_rowsOfABatchHaveNoneForMissingValues(context: pinview.Context) -> None:
    for place, person in enumerate(context.fetch("Person", sort="age")):
        person.name = None if place % 3 == 0 else str(place)
    context.save()
    (batch,) = context.fetch_columns("Person", ["name", "age"], sort="age")
    assert list(batch.rows()) == [(None if place % 3 == 0 else str(place), 20 + place) for place in range(PERSONS)]


def test_reprNamesTheColumns(context: pinview.Context) -> None:
    columns = context.fetch_columns("Person", ["name", "age"])

    assert repr(columns) == "<Columns name, age>"

    columns.close()
    assert repr(columns) == "<Columns closed>"
