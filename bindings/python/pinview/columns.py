"""Fetches of columns of values, which numpy, pyarrow, pandas and polars take over without
copying.
"""

from __future__ import annotations

import datetime
import importlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from ctypes import addressof, byref, c_char
from itertools import accumulate, chain, compress, islice
from typing import Any, Protocol, cast

from ._ffi import handles as _handles
from ._ffi.calls import call, taken_exception
from ._ffi.capsules import capsule, release, sweep
from ._ffi.convert import uuid_of_bytes
from ._ffi.dates import REFERENCE_DATE, dates_of_seconds, prepare
from ._ffi.handles import FORKED
from ._ffi.implementation import accelerated
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_FETCH_COLUMNS_IF_SHOWN,
    PINVIEW_FETCH_COLUMNS_OBJECT_URIS,
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
)
from ._objects.entities import EntityInfo
from ._support import lazy
from ._support.forward import Context
from .errors import CancelledError, Error, ForkedError, InvalidArgumentError, TimedOutError
from .fetching import FetchRequest, Rows, name_of

# By Arrow's format: the name of the type, and the format of a memoryview of the values.
_TYPES = {
    "b": ("boolean", None),
    "s": ("int16", "h"),
    "i": ("int32", "i"),
    "l": ("int64", "q"),
    "f": ("float", "f"),
    "g": ("double", "d"),
    "tsu:UTC": ("timestamp", "q"),
    "u": ("string", None),
    "z": ("binary", None),
    "w:16": ("uuid", None),
}
prepare()
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# Microseconds from the Unix epoch to the reference date.
_REFERENCE = (REFERENCE_DATE - _EPOCH) // datetime.timedelta(microseconds=1)


class ArrowColumns(Protocol):
    """Anything that speaks Arrow's PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Columns:
    """The columns of a fetch. They are read on demand, and only once.

    Libraries that speak Arrow's PyCapsule protocol take them over without copying:
    `pyarrow.table(columns)`, `pyarrow.RecordBatchReader.from_stream(columns)`,
    `polars.DataFrame(columns)`, `pandas.DataFrame.from_arrow(columns)`. Without any of them,
    iterate over the batches.

    The columns hold the generation that the context had at the fetch until all is read or close()
    is called. They can be used from any thread.
    """

    __slots__ = ("__weakref__", "_pid", "_stream")

    _pid: int
    _stream: ArrowArrayStream

    def __init__(self) -> None:
        raise TypeError("Columns are created by context.fetch_columns(…).")

    @classmethod
    def _of(cls, context: Context, request: FetchRequest, flags: int = 0) -> Columns:
        columns = cls.__new__(cls)
        columns._pid = _handles._process
        columns._stream = ArrowArrayStream()
        sweep()
        with request._filled() as filled:
            call(functions.pinview_context_fetch_columns, context.handle, byref(filled), flags, byref(columns._stream))
        return columns

    def _taken(self) -> ArrowArrayStream:
        """The stream, if it can still be read."""
        if self._pid != _handles._process:
            raise ForkedError(FORKED, domain="PinviewErrorDomain", code=105)
        if not self._stream.release:
            raise InvalidArgumentError("These columns have already been read or closed; fetch them again.")
        return self._stream

    def _schema(self) -> ArrowSchema:
        stream = self._taken()
        schema = ArrowSchema()
        _check(stream.get_schema(byref(stream), byref(schema)))
        return schema

    def __arrow_c_schema__(self) -> Any:
        """The names and types of the columns, for Arrow's PyCapsule protocol."""
        return capsule(self._schema())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All rows, for Arrow's PyCapsule protocol. They can be read once; a requested schema is
        ignored.
        """
        del requested_schema
        stream = self._taken()
        given = ArrowArrayStream.from_buffer_copy(stream)
        self._stream = ArrowArrayStream()
        return capsule(given)

    @property
    def types(self) -> dict[str, str]:
        """The type of each column by name: "int64", "double", "string", "timestamp" and so on."""
        schema = self._schema()
        try:
            return {name: _TYPES[kind][0] for name, kind in _fields(schema)}
        finally:
            release(schema)

    def __iter__(self) -> Iterator[ColumnBatch]:
        """The batches, in order. A second loop continues where the first one stopped."""
        schema = self._schema()
        fields = list(_fields(schema))
        release(schema)
        while True:
            stream = self._taken()
            array = ArrowArray()
            _check(stream.get_next(byref(stream), byref(array)))
            if not array.release:
                self.close()
                return
            yield ColumnBatch(array, fields)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples, in order. A second loop continues with the next batch."""
        return chain.from_iterable(batch.rows() for batch in self)

    def _repr_html_(self) -> str:
        """For notebooks: names and types. Rows are not shown: they can be read only once."""
        if not self._stream.release or self._pid != _handles._process:
            return f"<p>{lazy.showing.escaped(self)}</p>"
        types = self.types
        return lazy.showing.table(["column", "type"], types.items(), len(types), "columns, not read yet")

    def __repr__(self) -> str:
        if not self._stream.release or self._pid != _handles._process:
            return "<Columns closed>"
        return f"<Columns {', '.join(self.types)}>"

    def close(self) -> None:
        """Stops reading and releases the generation. A second call does nothing."""
        stream, self._stream = self._stream, ArrowArrayStream()
        if self._pid == _handles._process:
            release(stream)
            sweep()

    def __enter__(self) -> Columns:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, _release: Any = release, _handles: Any = _handles) -> None:
        stream = getattr(self, "_stream", None)
        if stream is not None and self._pid == _handles._process:
            _release(stream)


def _check(status: int) -> None:
    if status:
        error = functions.pinview_error_last()
        functions.pinview_error_retain(error)
        raise taken_exception(error, status)


def _fields(schema: ArrowSchema) -> Iterator[tuple[str, str]]:
    for place in range(schema.n_children):
        child = schema.children[place].contents
        yield child.name.decode("utf-8"), child.format.decode("ascii")


class _Owner:
    """Keeps an array of the library alive until the last view of its memory is gone."""

    __slots__ = ("array",)

    def __init__(self, array: ArrowArray) -> None:
        self.array = array

    def __del__(self, _release: Any = release) -> None:
        _release(self.array)


class ColumnBatch:
    """Some rows of a fetch of columns. It outlives the columns and the context."""

    __slots__ = ("_fields", "_owner")

    def __init__(self, array: ArrowArray, fields: Sequence[tuple[str, str]]) -> None:
        self._owner = _Owner(array)
        self._fields = fields

    def __len__(self) -> int:
        """The number of rows."""
        return int(self._owner.array.length)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(name for name, _ in self._fields)

    def __getitem__(self, name: str) -> Column:
        """The column of a name."""
        for place, (known, kind) in enumerate(self._fields):
            if known == name:
                return Column(self._owner, self._owner.array.children[place].contents, name, kind)
        raise KeyError(f"Unknown column {name!r}; expected one of {', '.join(self.names)}.")

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples, in order."""
        return BatchRows(self._owner, addressof(self._owner.array), "".join(kind[0] for _, kind in self._fields))

    def _repr_html_(self) -> str:
        """For notebooks: the first rows as a table."""
        return lazy.showing.table(self.names, islice(self.rows(), lazy.showing.ROWS), len(self), "rows")

    def __repr__(self) -> str:
        return f"<ColumnBatch {len(self)} rows of {', '.join(self.names)}>"


def _moments(microseconds: Sequence[int]) -> list[datetime.datetime]:
    """The datetimes of microseconds since 1970-01-01 UTC."""
    try:
        return [_EPOCH + datetime.timedelta(microseconds=moment) for moment in microseconds]
    except OverflowError:
        return dates_of_seconds([(moment - _REFERENCE) / 1_000_000 for moment in microseconds])


# For each byte of a validity bitmap: which of its eight values are missing.
_MISSING = [bytes(not byte >> bit & 1 for bit in range(8)) for byte in range(256)]


class Column:
    """The values of one column of a batch.

    Attributes:
        name: The column's name.
        type: "int16", "int32", "int64", "float", "double", "timestamp" (microseconds since
            1970-01-01 UTC), "boolean", "string", "binary" or "uuid".
        null_count: The number of values that are None.
    """

    __slots__ = ("_array", "_format", "_owner", "name", "null_count", "type")

    def __init__(self, owner: _Owner, array: ArrowArray, name: str, kind: str) -> None:
        self._owner = owner
        self._array = array
        self.name = name
        if not isinstance(owner, _Owner):
            raise TypeError("Columns are obtained from a ColumnBatch: batch[name].")
        self.type, self._format = _TYPES[kind]
        self.null_count = int(array.null_count)

    def __len__(self) -> int:
        """The number of values."""
        return int(self._array.length)

    def _view(self, buffer: int, size: int) -> memoryview:
        """The bytes of a buffer, which is kept alive by the view and by views made from it."""
        address = self._array.buffers[buffer]
        if not address or not size:
            return memoryview(b"")
        memory: Any = (c_char * size).from_address(address)
        memory.owner = self._owner
        return memoryview(memory).cast("B").toreadonly()

    @property
    def values(self) -> memoryview:
        """The values of a column of numbers or timestamps, in the library's memory; 0 where a value
        is None.

        For booleans: their bits, lowest first. For UUIDs: 16 bytes each. For strings and binary
        data: offsets into `data`, one more than there are values.
        """
        count = len(self)
        if self.type == "boolean":
            return self._view(1, (count + 7) // 8)
        if self.type == "uuid":
            return self._view(1, count * 16)
        if self._format is None:
            return self._view(1, (count + 1) * 4).cast("i")
        width = {"h": 2, "i": 4, "f": 4}.get(self._format, 8)
        view: Any = self._view(1, count * width)
        return cast("memoryview", view.cast(self._format))

    @property
    def data(self) -> memoryview:
        """The concatenated bytes of all strings or binary values; empty for other columns."""
        if self.type not in ("string", "binary"):
            return memoryview(b"")
        return self._view(2, self.values[-1])

    @property
    def validity(self) -> memoryview | None:
        """A bitmap with a bit for each value, lowest first: 0 if the value is None. None if no
        value is.
        """
        return self._view(0, (len(self) + 7) // 8) if self.null_count else None

    def to_list(self) -> list[Any]:
        """The values as Python objects: int, float, bool, str, bytes, datetime.datetime in UTC,
        uuid.UUID or None.
        """
        found = self._plain_list()
        validity = self.validity
        if validity is not None:
            for row in compress(range(len(found)), chain.from_iterable(map(_MISSING.__getitem__, validity))):
                found[row] = None
        return found

    def _plain_list(self) -> list[Any]:
        values = self.values
        if self.type == "boolean":
            return [bool(values[row >> 3] >> (row & 7) & 1) for row in range(len(self))]
        if self.type == "timestamp":
            return _moments(values)
        if self.type == "uuid":
            return [uuid_of_bytes(bytes(values[row * 16 : row * 16 + 16])) for row in range(len(self))]
        if self._format is not None:
            return values.tolist()
        offsets = values.tolist()
        if self.type == "binary":
            data = bytes(self.data)
            return [data[start:end] for start, end in zip(offsets, offsets[1:])]
        data = bytes(self.data)
        if data.isascii():
            whole = data.decode("ascii")
            return [whole[start:end] for start, end in zip(offsets, offsets[1:])]
        return [data[start:end].decode("utf-8") for start, end in zip(offsets, offsets[1:])]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The values as a numpy array: without copying for numbers and timestamps, if no value is
        None.
        """
        numpy: Any = importlib.import_module("numpy")
        if self._format is None:
            if copy is False:
                raise ValueError(f"The column {self.name!r} has type {self.type}, which numpy cannot represent without copying.")
            array = numpy.array(self.to_list(), dtype=None if self.type == "boolean" and not self.null_count else object)
        else:
            array = numpy.frombuffer(self.values, dtype=self._format)
            if self.type == "timestamp":
                array = array.view("datetime64[us]")
            validity = self.validity
            if validity is not None:
                if self.type not in ("float", "double", "timestamp") or copy is False:
                    raise ValueError(
                        f"The column {self.name!r} has {self.null_count} values that are None, which a numpy array of {self.type} "
                        "cannot represent. Use `values` and `validity`, or to_list()."
                    )
                array = array.copy()
                is_valid = numpy.unpackbits(numpy.frombuffer(validity, dtype="uint8"), count=len(self), bitorder="little")
                array[is_valid == 0] = "NaT" if self.type == "timestamp" else numpy.nan
            elif copy:
                array = array.copy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<Column {self.name}: {len(self)} of {self.type}>"


# Arrow's formats by their first letters, which suffice to tell them apart.
_FORMATS = {kind[0]: kind for kind in _TYPES}


@accelerated
def BatchRows(owner: object, address: int, formats: str) -> Iterator[tuple[Any, ...]]:
    """The rows of an ArrowArray as tuples: what owns its memory, its address, and the first letters
    of the columns' formats.
    """
    array = ArrowArray.from_address(address)
    columns = (Column(owner, array.children[place].contents, "", _FORMATS[letter]) for place, letter in enumerate(formats))  # type: ignore[arg-type]
    return zip(*(column.to_list() for column in columns))


# The types of attributes whose values are the same in columns as those of objects.
_EXACT = frozenset({"integer16", "integer32", "integer64", "boolean", "double", "string", "uuid"})


class StoredRows(Rows):
    """Rows of which only the named columns have been read."""

    def __init__(self, batches: list[ColumnBatch], names: tuple[str, ...], entity: EntityInfo) -> None:
        self._batches, self._names, self._entity = batches, names, entity
        self._ends = list(accumulate(map(len, batches)))
        # The batch that single rows were last taken from, and its rows.
        self._decoded: tuple[int, list[tuple[Any, ...]]] = (-1, [])

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return chain.from_iterable(batch.rows() for batch in self._batches)

    def _rows(self, first: int, count: int) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        while len(rows) < count:
            number = bisect_right(self._ends, first + len(rows))
            if self._decoded[0] != number:
                self._decoded = (number, list(self._batches[number].rows()))
            start = first + len(rows) - (self._ends[number - 1] if number else 0)
            rows += self._decoded[1][start : start + count - len(rows)]
        return rows


def object_uri_flag(object_uris: bool) -> int:
    """The flag of a fetch of columns for the URIs of objects."""
    return PINVIEW_FETCH_COLUMNS_OBJECT_URIS if object_uris else 0


def exact_names(entity: EntityInfo | None, names: Sequence[Any]) -> tuple[str, ...] | None:
    """Names of attributes whose values columns have as objects do; None if there are others."""
    if entity is None or isinstance(names, str):
        return None
    chosen = tuple(map(name_of, names))
    for name in chosen:
        known = entity.properties.get(name)
        if known is None or known.type not in _EXACT or known.transient or "." in name:
            return None
    return chosen if 0 < len(chosen) == len(set(chosen)) else None


def stored_rows(context: Context, entity: EntityInfo, request: FetchRequest) -> StoredRows | None:
    """The exact attributes of what a request finds, without reading anything else.

    None if that takes the objects: because the context has some of the entity, with values of their
    own, or because columns cannot have the values.
    """
    try:
        columns = Columns._of(context, request, PINVIEW_FETCH_COLUMNS_IF_SHOWN)
        return StoredRows(list(columns), tuple(request.properties), entity) if columns._stream.release else None
    except (CancelledError, TimedOutError):
        raise
    except Error:
        # A value that no column can hold, or several stores in order. A wrong request is told by
        # the fetch of the objects, too.
        return None
