"""SNP-03: SQL at a generation, which only reads."""

from __future__ import annotations

import datetime
import sqlite3
import threading
import uuid

import pytest

import pinview
from pinview import Context, Coordinator, SQLCursor

AGES = "SELECT ZAGE FROM ZPERSON ORDER BY ZAGE"


def test_snp_03_a_statement_reads_the_generation_of_its_context(coordinator: Coordinator, context: Context, other: Context) -> None:
    context.pin()
    context.count("Person")
    other.batch_update("Person", {"age": 99})
    with context.sql(AGES) as rows:
        assert [age for (age,) in rows] == list(range(20, 44))
    with coordinator.sql(AGES, token=context.query_generation, store=coordinator.stores[0]) as rows:
        assert rows.fetchone() == (20,)
    with coordinator.sql("SELECT DISTINCT ZAGE FROM ZPERSON") as rows, other.sql("SELECT max(ZAGE) FROM ZPERSON") as highest:
        assert rows.fetchall() == [(99,)] == highest.fetchall()


def test_snp_03_rows_are_read_as_they_are_asked_for(coordinator: Coordinator, context: Context) -> None:
    many = "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s LIMIT 5000) SELECT n, 'row ' || n AS text FROM s"
    with coordinator.sql(many) as rows:
        assert rows.columns == ("n", "text")
        assert rows.fetchone() == (1, "row 1")
        assert rows.fetchmany(2) == [(2, "row 2"), (3, "row 3")]
        assert next(rows) == (4, "row 4")
        rest = rows.fetchall()
        assert len(rest) == 4996 and rest[-1] == (5000, "row 5000")
        assert rows.fetchone() is None and rows.fetchmany(3) == [] and rows.fetchall() == []
    assert repr(rows) == "<SQLCursor closed>"


def test_snp_03_values_and_parameters(context: Context) -> None:
    moment = datetime.datetime(2001, 1, 1, 0, 1, tzinfo=datetime.timezone.utc)
    number = uuid.UUID(int=7)
    parameters = [None, True, 7, 1.5, "ä", b"\x01", moment, number]
    with context.sql("SELECT ?, ?, ?, ?, ?, ?, ?, ?", parameters) as rows:
        assert rows.fetchall() == [(None, 1, 7, 1.5, "ä", b"\x01", 60.0, number.bytes)]
    with context.sql("SELECT :a + @b, $c", {"a": 1, "@b": 2, "c": "x"}) as rows:
        assert rows.fetchall() == [(3, "x")]
    dave = context.fetch("Person", limit=1)[0]
    with context.sql("SELECT ZNAME FROM ZPERSON WHERE Z_PK = ?", [dave]) as rows:
        assert rows.fetchall() == [(dave.name,)]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM ZPERSON",
        "ATTACH 'x' AS x",
        "PRAGMA user_version = 1",
        "BEGIN",
        "CREATE TABLE x (y)",
        "SELECT 1; SELECT 2",
        "VACUUM",
        "SELEC",
    ],
)
def test_snp_03_what_does_not_only_read_is_refused(coordinator: Coordinator, statement: str) -> None:
    before = sqlite3.connect(coordinator.stores[0].path or "").execute("SELECT count(*) FROM ZPERSON").fetchone()
    with pytest.raises(pinview.StoreError, match="cannot be run"):
        coordinator.sql(statement)
    with coordinator.sql("SELECT count(*) FROM ZPERSON") as rows:
        assert rows.fetchone() == before


def test_snp_03_wrong_parameters_are_named(coordinator: Coordinator) -> None:
    for statement, parameters, said in (
        ("SELECT ?", [], "no argument for the parameter"),
        ("SELECT ?", [1, 2], "has 1 parameter"),
        ("SELECT :a", {"b": 1}, "no parameter"),
    ):
        with pytest.raises(pinview.InvalidArgumentError, match=said):
            coordinator.sql(statement, parameters)
    with pytest.raises(pinview.WrongTypeError, match="write"):
        coordinator.sql("SELECT ?", "x")


def test_snp_03_a_read_is_interrupted_from_another_thread(coordinator: Coordinator) -> None:
    endless = "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s) SELECT n FROM s WHERE n < 0"
    with coordinator.sql(endless) as rows:
        threading.Timer(0.1, rows.interrupt).start()
        with pytest.raises(pinview.CancelledError):
            rows.fetchone()


def test_snp_03_a_cursor_holds_its_generation_until_it_is_closed(coordinator: Coordinator, other: Context) -> None:
    rows: SQLCursor = coordinator.sql(AGES)
    other.batch_update("Person", {"age": 99})
    assert rows.fetchone() == (20,)
    rows.close()
    with pytest.raises(pinview.InvalidHandleError):
        rows.fetchall()
