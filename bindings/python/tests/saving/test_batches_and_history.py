"""Batch requests and persistent history: BAT-02, BAT-12, BAT-13, HIS-01 to HIS-09."""

from __future__ import annotations

import contextlib
import datetime
import gc
import pathlib
import pickle
import weakref
from collections.abc import Iterator

import pytest
from conftest import fill

import pinview
from pinview import Attribute, BatchResult, Entity, HistoryChangeType, HistoryToken


@pytest.fixture
def tracked(model: pinview.Model, path: pathlib.Path) -> Iterator[pinview.Coordinator]:
    """A coordinator whose store records its history."""
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, options={"historyTracking": True})
        yield coordinator


def test_BAT_13_rowsAreInserted(empty: pinview.Coordinator) -> None:
    with pinview.Context(empty) as context:
        assert context.batch_insert("Person", [{"name": "a", "age": 1}, {"name": "b", "age": 2}]) == 2
        ids = context.batch_insert("Car", [("x",), ("y",)], ["name"], result=BatchResult.OBJECT_IDS)
        assert isinstance(ids, list) and [context.existing_object(found)["name"] for found in ids] == ["x", "y"]
        assert sorted(person["name"] for person in context.fetch("Person")) == ["a", "b"]
        with pytest.raises(ValueError):
            context.batch_insert("Person", [{"name": "a"}, {"age": 1}])
        with pytest.raises(pinview.UnknownKeyError):
            context.batch_insert("Person", [{"nam": "a"}])


def test_rejected_rows_are_released(empty: pinview.Coordinator) -> None:
    class Row(list):
        pass

    def rows(row: Row) -> Iterator[Row]:
        yield row

    row = Row(["a"])
    iterator = rows(row)
    known = weakref.ref(row)
    with pinview.Context(empty) as context:
        with pytest.raises((AttributeError, TypeError)):
            context.batch_insert("Person", iterator, [1])
    del row, iterator
    gc.collect()
    assert known() is None


def test_BAT_12_rowsAreDeleted(empty: pinview.Coordinator) -> None:
    fill(empty, 4)
    with pinview.Context(empty) as context:
        assert context.batch_delete("Person", "age < %d", [22]) == 2
        last = context.fetch("Person", "name == 'dave3'")[0].object_id
        assert context.batch_delete(object_ids=[last]) == 1
        assert [person["name"] for person in context.fetch("Person")] == ["dave2"]


def test_BAT_02_updatesCompute(empty: pinview.Coordinator) -> None:
    fill(empty, 2)
    with pinview.Context(empty) as context:
        context.batch_update("Person", {}, expressions={"age": "age * 2 + cars.@count", "name": "uppercase(name)"})
        assert sorted((person["name"], person["age"]) for person in context.fetch("Person")) == [("DAVE0", 41), ("DAVE1", 43)]


def test_HIS_03_attributesOfTransactions(tracked: pinview.Coordinator) -> None:
    with pinview.Context(tracked) as context:
        context.transaction_author = "editor"
        context.name = "view"
        dave = context.insert("Person", name="dave")
        context.save()
        dave["age"] = 3
        context.save()
        context.delete(dave)
        context.save()
        history = context.history()
        assert [entry.number for entry in history] == [1, 2, 3]
        assert {(entry.author, entry.context_name) for entry in history} == {("editor", "view")}
        changes = [change for entry in history for change in entry.changes]
        assert [change.type for change in changes] == [HistoryChangeType.INSERT, HistoryChangeType.UPDATE, HistoryChangeType.DELETE]
        assert changes[1].updated_properties == ("age",)
        assert changes[2].tombstone("name") is None
        assert abs(history[0].timestamp - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(minutes=1)


def test_HIS_04_HIS_05_afterATokenAndByAuthor(tracked: pinview.Coordinator) -> None:
    with pinview.Context(tracked) as context:
        for author in ("a", None, "b"):
            context.transaction_author = author
            context.insert("Person", name=author)
            context.save()
        history = context.history()
        assert len(context.history(history[0].token)) == 2
        assert len(context.history(HistoryToken.from_bytes(bytes(history[1].token)))) == 1
        assert pickle.loads(pickle.dumps(history[2].token)) == tracked.history_token()
        assert [entry.author for entry in context.history(before=history[2].token)] == ["a", None]
        assert [entry.author for entry in context.history(history[0].token, before=history[2].token)] == [None]
        assert len(context.history(before=history[0].timestamp - datetime.timedelta(seconds=1))) == 0
        assert [entry.author for entry in context.history(authors=["a", None])] == ["a", None]
        assert [entry.author for entry in context.history(excluded_authors=["a"])] == [None, "b"]
        assert len(context.history(entities=["Car"])) == 0
        assert context.history(changes=False)[0].changes == ()
        with pytest.raises(pinview.InvalidArgumentError):
            HistoryToken.from_bytes(b"nothing")
        data = bytes(history[1].token)
        for bit in range(len(data) * 8):  # a damaged token is rejected, and never denotes another position
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            with pytest.raises(pinview.InvalidArgumentError):
                HistoryToken.from_bytes(bytes(damaged))


def test_MDL_15_historyNamesTheSamePropertiesAfterTheyWereReordered(tmp_path: pathlib.Path) -> None:
    names = ["name", "age", "city", "Zone"]

    @contextlib.contextmanager
    def opened(names: list[str]) -> Iterator[pinview.Context]:
        entity = Entity("Person", [Attribute(name, "string") for name in names])
        with pinview.Coordinator(pinview.Model([entity])) as coordinator, pinview.Context(coordinator) as context:
            coordinator.add_store(tmp_path / "reordered.sqlite", history_tracking=True)
            yield context

    with opened(names) as context:
        person = context.insert("Person")
        context.save()
        person.age = person.Zone = "changed"
        context.save()
    with opened(names[::-1]) as context:
        assert [set(change.updated_properties) for change in list(context.history())[-1].changes] == [{"age", "Zone"}]


def test_HIS_06_aTransactionIsMerged(tracked: pinview.Coordinator) -> None:
    with pinview.Context(tracked) as context, pinview.Context(tracked) as view:
        dave = context.insert("Person", name="dave")
        context.save()
        view.pin()
        seen = view.fetch("Person")[0]
        assert seen["name"] == "dave"
        token = tracked.history_token()
        dave["name"] = "david"
        context.save()
        view.merge_history(view.history(token))
        assert seen["name"] == "david"


def test_HIS_07_theBeginningIsDeletedButNotPastConsumers(tracked: pinview.Coordinator) -> None:
    with pinview.Context(tracked) as context:
        start = tracked.history_token()
        for name in ("a", "b", "c"):
            context.insert("Person", name=name)
            context.save()
        end = tracked.history_token()
        tracked.set_history_consumer("index", start)
        assert tracked.history_consumer("index") == start
        assert context.delete_history(end) == 0
        tracked.remove_history_consumer("index")
        assert tracked.history_consumer("index") is None
        assert context.delete_history(end) == 2
        with pytest.raises(pinview.HistoryTokenExpiredError):
            context.history(start)


def test_HIS_08_withoutTrackingThereIsNone(empty: pinview.Coordinator) -> None:
    with pinview.Context(empty) as context, pytest.raises(pinview.UnsupportedRequestError):
        context.history()


def test_columnsOfOneKind_withAndWithoutNone(tmp_path: pathlib.Path) -> None:
    attributes = [Attribute("text", "string"), Attribute("number", "integer64"), Attribute("real", "double"), Attribute("flag", "boolean")]
    columns = {
        "text": ["", "Dave", None, "Zoë 🚗", "a\0b"],
        "number": [0, -1, None, 2**63 - 1, -(2**63)],
        "real": [0.0, -0.5, None, 1e300, float("inf")],
        "flag": [True, False, None, True, False],
    }
    with pinview.Coordinator(pinview.Model([Entity("Thing", attributes=attributes)])) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
        with pinview.Context(coordinator) as context:
            # With booleans, which are passed value by value, and without, as a stream.
            for names in (list(columns), ["text", "number", "real"]):
                for rows in (slice(0, 5), slice(3, 5), slice(2, 3), slice(0, 0)):
                    given = {name: columns[name][rows] for name in names}
                    context.batch_delete("Thing")
                    assert context.batch_insert("Thing", columns=given) == len(given["text"])
                    assert list(context.values("Thing", names)) == list(zip(*given.values()))


def test_columnWithWrongValue_saysWhich(empty: pinview.Coordinator) -> None:
    with pinview.Context(empty) as context:
        with pytest.raises(pinview.OutOfRangeError, match="fit into 64 bits"):
            context.batch_insert("Person", columns={"age": [1, 2**63]})
        with pytest.raises(pinview.InvalidTextError, match="UTF-8"):
            context.batch_insert("Person", columns={"name": ["Dave", "\ud800"]})
        with pytest.raises(TypeError):
            context.batch_insert("Person", columns={"age": [1, "old"]})
        with pytest.raises(ValueError, match="others have"):
            context.batch_insert("Person", columns={"name": ["Dave"], "age": [1, 2]})
        with pytest.raises(AttributeError):
            context.batch_insert("Person", columns={"name": ["Dave"], "size": [1]})
        assert context.count("Person") == 0
