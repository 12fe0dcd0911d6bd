"""SQL at a generation, read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import POINTER, byref, c_size_t
from itertools import chain
from typing import Any, Union

from ._ffi.calls import call, call_for_handle
from ._ffi.handles import Managed, optional_handle_of
from ._ffi.library import functions
from ._ffi.prototypes import pinview_named_value, pinview_value
from ._ffi.values import decode_rows, encode, named, string, text
from .errors import InvalidArgumentError, WrongTypeError

Parameters = Union[Mapping[str, Any], Iterable[Any]]


def _arguments(parameters: Parameters) -> tuple[Any, int, list[Any]]:
    """Parameters as an array of named values, its length, and what must stay alive meanwhile."""
    if isinstance(parameters, Mapping):
        return named(parameters)
    if isinstance(parameters, (str, bytes)):
        raise WrongTypeError("The parameters of an SQL statement must be a sequence or a mapping, got a string; write (value,).")
    values = list(parameters)
    row = (pinview_named_value * len(values))()
    kept = [encode(value, row[place].value) for place, value in enumerate(values)]
    return row, len(values), kept


class SQLCursor(Managed, Iterator["tuple[Any, ...]"], release="pinview_sql_cursor_release"):
    """The rows of an SQL statement, as tuples, read as they are asked for.

    It holds its generation until it is closed, by close(), at the end of its `with` block, or when
    nothing refers to it any more. The values are SQLite's: None, int, float, str and bytes; dates
    are seconds since 2001-01-01 UTC.
    """

    __slots__ = ("_columns", "_rows")

    _columns: tuple[str, ...]
    _rows: Iterator[tuple[Any, ...]]
    _BATCH = 1024

    def __init__(self) -> None:
        raise TypeError("Cursors are created by coordinator.sql(…) and context.sql(…).")

    @classmethod
    def _of(cls, function: Callable[..., int], handles: tuple[int | None, ...], statement: str, parameters: Parameters) -> SQLCursor:
        row, count, kept = _arguments(parameters)
        cursor = cls._owned(call_for_handle(functions.pinview_sql_cursor_release, function, *handles, string(statement), row, count) or 0)
        del kept
        columns = functions.pinview_sql_cursor_column_count(cursor.handle)
        cursor._columns = tuple(text(functions.pinview_sql_cursor_column_name(cursor.handle, column)) or "" for column in range(columns))
        cursor._rows = iter(())
        return cursor

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._columns

    def _read(self, limit: int) -> list[tuple[Any, ...]]:
        values, count = POINTER(pinview_value)(), c_size_t()
        call(functions.pinview_sql_cursor_read, self.handle, limit, byref(values), byref(count))
        return decode_rows(values.contents, count.value, len(self._columns)) if count.value else []

    def __next__(self) -> tuple[Any, ...]:
        for row in self._rows:
            return row
        self._rows = iter(self._read(self._BATCH))
        return next(self._rows)

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last one."""
        return next(self, None)

    def fetchmany(self, size: int = _BATCH) -> list[tuple[Any, ...]]:
        """The next rows, up to `size` of them; an empty list after the last one."""
        if not isinstance(size, int) or size < 0:
            raise InvalidArgumentError(f"size must be a number of rows, got {size!r}.")
        return [row for _, row in zip(range(size), self)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""
        rows = list(self._rows)
        batches = iter(lambda: self._read(self._BATCH), [])
        return list(chain(rows, *batches))

    def interrupt(self) -> None:
        """Stops the read under way on another thread; it and all further ones raise
        CancelledError.
        """
        call(functions.pinview_sql_cursor_interrupt, self.handle)

    def _described(self) -> str:
        return ", ".join(self._columns)


def coordinator_cursor(coordinator: int, token: Any, store: Any, statement: str, parameters: Parameters) -> SQLCursor:
    """See Coordinator.sql()."""
    handles = (coordinator, optional_handle_of(token, "QueryGenerationToken"), optional_handle_of(store, "Store"))
    return SQLCursor._of(functions.pinview_coordinator_query_sql, handles, statement, parameters)


def context_cursor(context: int, store: Any, statement: str, parameters: Parameters) -> SQLCursor:
    """See Context.sql()."""
    return SQLCursor._of(functions.pinview_context_query_sql, (context, optional_handle_of(store, "Store")), statement, parameters)
