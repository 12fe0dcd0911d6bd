"""By hand: rows one after another, upserts, and a list that follows changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from by_hand_connections import AGE, INSERT_PERSON, NOTE_KEYS, PERSON_COLUMNS, Connecting, Row
from cell import COLUMN_BATCH, PEOPLE_SUM, Cell, Stream, changes_of_persons, measure_peaks, measure_streams, sum_of_second
from make_store import person_columns

_UPSERT = (
    f"{INSERT_PERSON} ON CONFLICT (ZEMAIL) DO UPDATE SET Z_OPT = Z_OPT + 1, ZFIRSTNAME = excluded.ZFIRSTNAME, "
    "ZLASTNAME = excluded.ZLASTNAME, ZAGE = excluded.ZAGE, ZHEIGHT = excluded.ZHEIGHT"
)

_ALL_COLUMNS = f"SELECT {PERSON_COLUMNS} FROM ZPERSON"
_TWO_COLUMNS = "SELECT ZLASTNAME, ZAGE FROM ZPERSON"


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
        connection = self._open(cell.people)
        with cell.timed("whole", cell.parameter("persons")):
            rows = connection.execute(_ALL_COLUMNS).fetchall()
            total = _sum_of_ages(rows)
        cell.checksum("ages", total)
        del rows
        connection.close()
        measure_streams(cell, self._streams(cell))

    def stream_peaks(self, cell: Cell) -> None:
        measure_peaks(cell, self._streams(cell))

    def _streams(self, cell: Cell) -> Iterator[Stream]:
        with closing(self._open(cell.people)) as connection:
            yield Stream("objects", lambda: connection.execute(_ALL_COLUMNS), _sum_of_ages)
        with closing(self._open(cell.people)) as connection:
            yield Stream("values", lambda: connection.execute(_TWO_COLUMNS), sum_of_second)
        with closing(self._open(cell.people)) as connection:
            yield Stream("columns", lambda: _batches(connection.execute(_TWO_COLUMNS)), _sum_of_batches, every=1)


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
        # Where a section begins is seen while the persons are read.
        with changes_of_persons(cell.people) as companion:
            for name in ("sections", "change"):
                with cell.timed(name, changes):
                    for _ in range(changes):
                        companion.tell()
                        companion.hear()
                        persons = connection.execute(f"SELECT {PERSON_COLUMNS} FROM ZPERSON ORDER BY ZAGE, ZEMAIL").fetchall()
        cell.checksum("order", sum(place for place, person in enumerate(persons) if person[0] <= 100))
