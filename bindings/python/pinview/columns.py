"""Fetches that give columns of values, which numpy, pyarrow, pandas and polars take over without copying them."""

from __future__ import annotations

import datetime
import importlib
from collections.abc import Iterator, Sequence
from ctypes import addressof, byref, c_char
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, cast

from ._ffi import handles as _handles
from ._ffi.calls import call, taken_exception
from ._ffi.capsules import capsule, released, sweep
from ._ffi.convert import REFERENCE_DATE, dates_of_seconds, uuid_of_bytes
from ._ffi.handles import FORKED
from ._ffi.implementation import accelerator
from ._ffi.library import functions
from ._ffi.prototypes import PINVIEW_COLUMNS_OBJECT_URIS, ArrowArray, ArrowArrayStream, ArrowSchema
from .errors import ForkedError, InvalidArgumentError

if TYPE_CHECKING:
    from .context import Context
    from .fetching import FetchRequest

# Arrow's formats, what they are called here, and the formats of memoryviews of the values.
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
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
# From there to the reference date, in microseconds.
_REFERENCE = (REFERENCE_DATE - _EPOCH) // datetime.timedelta(microseconds=1)


class Columns:
    """The columns of a fetch, which are read when somebody asks for them: once.

    Whatever speaks Arrow's PyCapsule protocol takes them without copying: `pyarrow.table(columns)`,
    `pyarrow.RecordBatchReader.from_stream(columns)`, `polars.DataFrame(columns)`, `pandas.DataFrame.from_arrow(columns)`. Without any of
    these, a loop over it gives the batches.

    It holds the generation that the context had when it was made, until all is read, or close(). Any thread may use it.
    """

    __slots__ = ("__weakref__", "_pid", "_stream")

    _pid: int
    _stream: ArrowArrayStream

    def __init__(self) -> None:
        raise TypeError("Columns are made by context.fetch_columns(…).")

    @classmethod
    def _of(cls, context: Context, request: FetchRequest, object_uris: bool) -> Columns:
        columns = cls.__new__(cls)
        columns._pid = _handles._process
        columns._stream = ArrowArrayStream()
        sweep()
        flags = PINVIEW_COLUMNS_OBJECT_URIS if object_uris else 0
        with request._filled() as filled:
            call(functions.pinview_context_fetch_columns, context.handle, byref(filled), flags, byref(columns._stream))
        return columns

    def _taken(self) -> ArrowArrayStream:
        """The stream, to be used."""
        if self._pid != _handles._process:
            raise ForkedError(FORKED, domain="PinviewErrorDomain", code=105)
        if not self._stream.release:
            raise InvalidArgumentError("These columns were read already, or closed; fetch them again.")
        return self._stream

    def _schema(self) -> ArrowSchema:
        stream = self._taken()
        schema = ArrowSchema()
        _check(stream.get_schema(byref(stream), byref(schema)))
        return schema

    def __arrow_c_schema__(self) -> Any:
        """Names and types, for Arrow's PyCapsule protocol."""
        return capsule(self._schema())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All rows, for Arrow's PyCapsule protocol. They are given once, and in the types that they have."""
        del requested_schema
        stream = self._taken()
        given = ArrowArrayStream.from_buffer_copy(stream)
        self._stream = ArrowArrayStream()
        return capsule(given)

    @property
    def types(self) -> dict[str, str]:
        """Name and type of each column: "int64", "double", "string", "timestamp" and so on."""
        schema = self._schema()
        try:
            return {name: _TYPES[kind][0] for name, kind in _fields(schema)}
        finally:
            released(schema)

    def __iter__(self) -> Iterator[ColumnBatch]:
        """The batches, in order. What this has not given, a second loop gives."""
        schema = self._schema()
        fields = list(_fields(schema))
        released(schema)
        while True:
            stream = self._taken()
            array = ArrowArray()
            _check(stream.get_next(byref(stream), byref(array)))
            if not array.release:
                self.close()
                return
            yield ColumnBatch(array, fields)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples, in order. What this has not given, a second loop gives, from the next batch on."""
        return chain.from_iterable(batch.rows() for batch in self)

    def close(self) -> None:
        """Ends the reading and lets go of the generation. A second call does nothing."""
        stream, self._stream = self._stream, ArrowArrayStream()
        if self._pid == _handles._process:
            released(stream)
            sweep()

    def __enter__(self) -> Columns:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self, _released: Any = released, _handles: Any = _handles) -> None:
        stream = getattr(self, "_stream", None)
        if stream is not None and self._pid == _handles._process:
            _released(stream)


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
    """Keeps an array of the library until the last view of its memory has gone."""

    __slots__ = ("array",)

    def __init__(self, array: ArrowArray) -> None:
        self.array = array

    def __del__(self, _released: Any = released) -> None:
        _released(self.array)


class ColumnBatch:
    """Some rows of a fetch of columns. It needs neither the columns nor the context any more."""

    __slots__ = ("_fields", "_owner")

    def __init__(self, array: ArrowArray, fields: Sequence[tuple[str, str]]) -> None:
        self._owner = _Owner(array)
        self._fields = fields

    def __len__(self) -> int:
        """How many rows there are."""
        return int(self._owner.array.length)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(name for name, _ in self._fields)

    def __getitem__(self, name: str) -> Column:
        for place, (known, kind) in enumerate(self._fields):
            if known == name:
                return Column(self._owner, self._owner.array.children[place].contents, name, kind)
        raise KeyError(f"There is no column {name!r}; there are {', '.join(self.names)}.")

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples, in order."""
        if accelerator is not None:
            formats = "".join(kind[0] for _, kind in self._fields)
            rows: Iterator[tuple[Any, ...]] = accelerator.Rows(self._owner, addressof(self._owner.array), formats)
            return rows
        return zip(*(self[name].to_list() for name in self.names))

    def __repr__(self) -> str:
        return f"<ColumnBatch {len(self)} rows of {', '.join(self.names)}>"


def _moments(microseconds: Sequence[int]) -> list[datetime.datetime]:
    """Moments by the time since 1970."""
    try:
        return [_EPOCH + datetime.timedelta(microseconds=moment) for moment in microseconds]
    except OverflowError:
        return dates_of_seconds([(moment - _REFERENCE) / 1_000_000 for moment in microseconds])


# By a byte of a bitmap which of its eight values are missing.
_MISSING = [bytes(not byte >> bit & 1 for bit in range(8)) for byte in range(256)]


class Column:
    """The values of one column of a batch.

    Attributes:
        name: its name.
        type: "int16", "int32", "int64", "float", "double", "timestamp" (microseconds since 1970-01-01 UTC), "boolean", "string",
            "binary" or "uuid".
        null_count: how many values are None.
    """

    __slots__ = ("_array", "_format", "_owner", "name", "null_count", "type")

    def __init__(self, owner: _Owner, array: ArrowArray, name: str, kind: str) -> None:
        self._owner = owner
        self._array = array
        self.name = name
        if not isinstance(owner, _Owner):
            raise TypeError("Columns come from a ColumnBatch: batch[name].")
        self.type, self._format = _TYPES[kind]
        self.null_count = int(array.null_count)

    def __len__(self) -> int:
        return int(self._array.length)

    def _view(self, buffer: int, size: int) -> memoryview:
        """Bytes of a buffer, which stay as long as the view or one made of it."""
        address = self._array.buffers[buffer]
        if not address or not size:
            return memoryview(b"")
        memory: Any = (c_char * size).from_address(address)
        memory.owner = self._owner
        return memoryview(memory).cast("B").toreadonly()

    @property
    def values(self) -> memoryview:
        """The numbers of a column of numbers or timestamps, in the memory in which the library has them. What stands for None is 0.

        Of booleans the bits, the lowest first; of UUIDs 16 bytes each; of texts and binary data the offsets into `data`, one more than
        there are values.
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
        """The bytes of all texts or binary data, one after the other; of other columns none."""
        if self.type not in ("string", "binary"):
            return memoryview(b"")
        return self._view(2, self.values[-1])

    @property
    def validity(self) -> memoryview | None:
        """A bit for each value, the lowest first: 0 for None. None where there is no None."""
        return self._view(0, (len(self) + 7) // 8) if self.null_count else None

    def to_list(self) -> list[Any]:
        """The values as Python has them: int, float, bool, str, bytes, datetime.datetime with the time zone UTC, uuid.UUID, None."""
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
        """For numpy: numbers and timestamps without copying, where there is no None."""
        numpy: Any = importlib.import_module("numpy")
        if self._format is None:
            if copy is False:
                raise ValueError(f"numpy has no array like the column {self.name!r} of the type {self.type}, so its values must be copied.")
            array = numpy.array(self.to_list(), dtype=None if self.type == "boolean" and not self.null_count else object)
        else:
            array = numpy.frombuffer(self.values, dtype=self._format)
            if self.type == "timestamp":
                array = array.view("datetime64[us]")
            validity = self.validity
            if validity is not None:
                if self.type not in ("float", "double", "timestamp") or copy is False:
                    raise ValueError(
                        f"The column {self.name!r} has {self.null_count} values that are None, for which numpy has no {self.type}. "
                        "Take `values` and `validity`, or to_list()."
                    )
                array = array.copy()
                is_valid = numpy.unpackbits(numpy.frombuffer(validity, dtype="uint8"), count=len(self), bitorder="little")
                array[is_valid == 0] = "NaT" if self.type == "timestamp" else numpy.nan
            elif copy:
                array = array.copy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<Column {self.name}: {len(self)} of {self.type}>"
