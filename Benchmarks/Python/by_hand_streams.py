"""By hand: rows one after another, upserts, and a list that follows changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from by_hand_connections import AGE, INSERT_PERSON, NOTE_KEYS, PERSON_COLUMNS, Connecting, Row
from cell import COLUMN_BATCH, PEOPLE_SUM, Cell, changes_of_persons, measure_stream, sum_of_second
from make_store import person_columns

_UPSERT = (
    f"{INSERT_PERSON} ON CONFLICT (ZEMAIL) DO UPDATE SET Z_OPT = Z_OPT + 1, ZFIRSTNAME = excluded.ZFIRSTNAME, "
    "ZLASTNAME = excluded.ZLASTNAME, ZAGE = excluded.ZAGE, ZHEIGHT = excluded.ZHEIGHT"
)


def _sum_of_ages(rows: Iterable[Row]) -> int:
    total = 0
    for row in rows:
        total += row[AGE]
    return total


def _sum_of_batches(batches: Iterable[list[Row]]) -> int:
    return sum(map(sum_of_second, batches))


def _batches(cursor: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(islice(cursor, COLUMN_BATCH)):
        yield batch


class Streaming(Connecting):
    """All rows, without keeping them."""

    def stream(self, cell: Cell) -> None:
        persons = cell.parameter("persons")
        all_columns, two = f"SELECT {PERSON_COLUMNS} FROM ZPERSON", "SELECT ZLASTNAME, ZAGE FROM ZPERSON"
        connection = self._open(cell.people)
        with cell.timed("whole", persons):
            rows = connection.execute(all_columns).fetchall()
            total = _sum_of_ages(rows)
        cell.checksum("ages", total)
        del rows
        connection.close()
        connection = self._open(cell.people)
        measure_stream(cell, "objects", persons, lambda: connection.execute(all_columns), _sum_of_ages)
        connection.close()
        connection = self._open(cell.people)
        measure_stream(cell, "values", persons, lambda: connection.execute(two), sum_of_second)
        connection.close()
        connection = self._open(cell.people)
        measure_stream(cell, "columns", persons, lambda: _batches(connection.execute(two)), _sum_of_batches, every=1)


class Upserting(Connecting):
    """Rows that are inserted, or updated if they are there."""

    def upsert(self, cell: Cell) -> None:
        connection = self._open(cell.people)
        persons, rows = cell.parameter("persons"), cell.parameter("rows")
        for name, first, older in (("batch", persons - rows // 2 + 1, 1), ("objects", persons + 1, 2)):
            columns = list(person_columns(range(first, first + rows), older).values())
            with cell.timed(name, rows):
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(_UPSERT, zip(*columns))
                connection.execute(NOTE_KEYS)
                connection.execute("COMMIT")
            cell.checksum(name, connection.execute(PEOPLE_SUM).fetchone()[0])


class Following(Connecting):
    """A sorted list that follows the changes of another process: it is fetched anew."""

    def live_list(self, cell: Cell) -> None:
        connection = self._open(cell.people)
        changes = cell.parameter("changes")
        persons: list[Any] = []
        with changes_of_persons(cell.people) as companion, cell.timed("change", changes):
            for _ in range(changes):
                companion.tell()
                companion.hear()
                persons = connection.execute(f"SELECT {PERSON_COLUMNS} FROM ZPERSON ORDER BY ZAGE, ZEMAIL").fetchall()
        cell.checksum("order", sum(place for place, person in enumerate(persons) if person[0] <= 100))
