"""Values in the library's representation: single ones, arguments of predicates, and whole rows and
columns.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import POINTER, Array, addressof, c_char, c_char_p, c_void_p, cast, string_at
from itertools import accumulate

from .._support import lazy
from .._support.annotating import Any
from .._support.forward import UUID, Decimal, datetime
from ..errors import InternalError, WrongTypeError
from . import convert
from .handles import handle_of
from .implementation import accelerated
from .prototypes import (
    PINVIEW_VALUE_BINARY,
    PINVIEW_VALUE_BOOLEAN,
    PINVIEW_VALUE_DATE,
    PINVIEW_VALUE_DECIMAL,
    PINVIEW_VALUE_DOUBLE,
    PINVIEW_VALUE_INTEGER,
    PINVIEW_VALUE_LIST,
    PINVIEW_VALUE_NULL,
    PINVIEW_VALUE_OBJECT,
    PINVIEW_VALUE_OBJECT_ID,
    PINVIEW_VALUE_STRING,
    PINVIEW_VALUE_UUID,
    pinview_named_value,
    pinview_string,
    pinview_value,
)

# The layout of pinview_value: with integers, with a double, its type alone, and with 16 bytes.
_INTEGERS = struct.Struct("=iiqq")
_REAL = struct.Struct("=iid")
_KIND = struct.Struct("=ii")
_RAW = struct.Struct("=ii16s")
# The layout of pinview_string and pinview_binary.
STRING_LAYOUT = struct.Struct("@PN")
_VALUE_SIZE = 24


# Strings


def text(value: Any) -> str | None:
    """Copies a string of the library; None if it is absent."""
    address, size = STRING_LAYOUT.unpack_from(value)
    return None if not address else string_at(address, size).decode("utf-8")


def string(value: str | None) -> pinview_string:
    """A string for the library. The struct keeps its bytes alive."""
    if value is None:
        return pinview_string()
    if not isinstance(value, str):
        raise WrongTypeError(f"Expected a str, got {type(value).__name__}.")
    data = convert.utf8(value)
    return pinview_string(data, len(data))


# Decoding


def decode(value: Any) -> Any:
    """The Python value of a pinview_value. Strings and data are copied."""
    kind, _, first, second = _INTEGERS.unpack_from(value)
    return None if kind == PINVIEW_VALUE_NULL else _decoder(kind)(first, second)


def _decoder(kind: int) -> Callable[[int, int], Any]:
    try:
        return _DECODERS[kind]
    except KeyError:
        raise InternalError(
            f"The library returned a value of type {kind}, which this version of the package does not know. Update the package."
        ) from None


def _decoded(kind: int, first: int, second: int) -> Any:
    return _decoder(kind)(first, second)


def _double(first: int, _: int) -> float:
    return float(struct.unpack("=d", struct.pack("=q", first))[0])


def _uuid(first: int, second: int) -> UUID:
    return convert.uuid_of_bytes(struct.pack("=qq", first, second))


def _decimal(first: int, second: int) -> Decimal:
    return lazy.decimal.Decimal(string_at(first, second).decode("ascii"))


_DECODERS: dict[int, Callable[[int, int], Any]] = {
    PINVIEW_VALUE_NULL: lambda first, second: None,
    PINVIEW_VALUE_BOOLEAN: lambda first, second: bool(first & 0xFFFF_FFFF),
    PINVIEW_VALUE_INTEGER: lambda first, second: first,
    PINVIEW_VALUE_DOUBLE: _double,
    PINVIEW_VALUE_STRING: lambda first, second: string_at(first, second).decode("utf-8"),
    PINVIEW_VALUE_BINARY: lambda first, second: string_at(first, second),
    PINVIEW_VALUE_DATE: lambda first, second: lazy.dates.date_of_seconds(_double(first, second)),
    PINVIEW_VALUE_UUID: _uuid,
    PINVIEW_VALUE_DECIMAL: _decimal,
}


def decode_rows(values: Any, rows: int, columns: int) -> list[tuple[Any, ...]]:
    """Rows of values as tuples."""
    return [()] * rows if columns == 0 else rows_of_values(addressof(values), rows, columns, _decoded)


@accelerated
def rows_of_values(address: int, rows: int, columns: int, decode: Callable[[int, int, int], Any]) -> list[tuple[Any, ...]]:
    """The rows of a matrix of pinview_value as tuples. Kinds that are not frequent are left to
    `decode`.

    Decoding column by column makes a column of one kind cost next to nothing per value.
    """
    memory = memoryview((c_char * (_VALUE_SIZE * rows * columns)).from_address(address)).cast("B")
    integers = memory.cast("q").tolist()
    doubles: list[Any] = []
    step = 3 * columns
    decoded: list[list[Any]] = []
    for column in range(columns):
        # The type shares its 8 bytes with a field that is 0.
        kinds = integers[3 * column :: step]
        first = integers[3 * column + 1 :: step]
        second = integers[3 * column + 2 :: step]
        present = set(kinds)
        if present == {PINVIEW_VALUE_INTEGER}:
            decoded.append(first)
        elif present == {PINVIEW_VALUE_DOUBLE}:
            doubles = doubles or memory.cast("d").tolist()
            decoded.append(doubles[3 * column + 1 :: step])
        elif present == {PINVIEW_VALUE_STRING}:
            decoded.append([string_at(address, size).decode("utf-8") for address, size in zip(first, second)])
        else:
            decoded.append([decode(kind, one, two) for kind, one, two in zip(kinds, first, second)])
    return list(zip(*decoded))


def decode_column(values: Any, count: int) -> list[Any]:
    """The Python values of an array of pinview_value."""
    integers = memoryview(values).cast("B")[: _VALUE_SIZE * count].cast("q").tolist()
    return [_decoder(kind)(first, second) for kind, first, second in zip(integers[::3], integers[1::3], integers[2::3])]


# Encoding

# The types of most values, which need no further checks.
_PLAIN = frozenset({str, int, float, bool, type(None)})


def encode(value: Any, target: pinview_value) -> Any:
    """Stores a value in a pinview_value. Returns what must stay alive as long as that is used, or
    None.
    """
    kind = type(value)
    if value is None:
        _INTEGERS.pack_into(target, 0, PINVIEW_VALUE_NULL, 0, 0, 0)
    elif kind is str:
        return _bytes_into(target, PINVIEW_VALUE_STRING, convert.utf8(value))
    elif kind is bool:
        _INTEGERS.pack_into(target, 0, PINVIEW_VALUE_BOOLEAN, 0, int(value), 0)
    elif kind is int:
        _INTEGERS.pack_into(target, 0, PINVIEW_VALUE_INTEGER, 0, convert.int64(value), 0)
    elif kind is float:
        _REAL.pack_into(target, 0, PINVIEW_VALUE_DOUBLE, 0, value)
    else:
        return _encode_other(value, target)
    return None


def _encode_other(value: Any, target: pinview_value) -> Any:
    if isinstance(value, _date_class):
        _encode_date(value, target)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes_into(target, PINVIEW_VALUE_BINARY, convert.plain_bytes(value))
    elif (number := _handle_type(value)) is not None:
        _INTEGERS.pack_into(target, 0, number, 0, _signed(value.handle), 0)
        return value
    elif isinstance(value, str):
        return _bytes_into(target, PINVIEW_VALUE_STRING, convert.utf8(value))
    elif isinstance(value, int):
        _INTEGERS.pack_into(target, 0, PINVIEW_VALUE_INTEGER, 0, convert.int64(value), 0)
    elif isinstance(value, float):
        _REAL.pack_into(target, 0, PINVIEW_VALUE_DOUBLE, 0, float.__float__(value))
    else:
        return _encode_rare(value, target)
    return None


def _encode_date(value: datetime.datetime, target: pinview_value) -> None:
    if type(value).__name__ == "NaTType":  # pandas' NaT is a datetime
        _INTEGERS.pack_into(target, 0, PINVIEW_VALUE_NULL, 0, 0, 0)
    else:
        _REAL.pack_into(target, 0, PINVIEW_VALUE_DATE, 0, lazy.dates.seconds_since_reference_date(value))


def _handle_type(value: Any) -> int | None:
    """The type of a value that is passed as a handle; None for other values."""
    for kind, number in _handle_types.items():
        if isinstance(value, kind):
            return number
    return None


def _encode_rare(value: Any, target: pinview_value) -> Any:
    if isinstance(value, lazy.datetime.datetime):
        lazy.dates.prepare()
        _encode_date(value, target)
    elif isinstance(value, lazy.uuid.UUID):
        _RAW.pack_into(target, 0, PINVIEW_VALUE_UUID, 0, convert.uuid_bytes(value))
    elif isinstance(value, lazy.decimal.Decimal):
        return _bytes_into(target, PINVIEW_VALUE_DECIMAL, convert.decimal_text(value).encode("ascii"))
    elif (plain := lazy.foreign.plain_value(value)) is not value:
        return encode(plain, target)
    else:
        kind = type(value)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        raise WrongTypeError(
            f"{value!r:.100} has type {name}, which no attribute can hold. Supported types: str, int, float, bool, "
            "decimal.Decimal, uuid.UUID, bytes, datetime.datetime, datetime.date and None."
        )
    return None


def _signed(handle: int) -> int:
    return handle - (1 << 64) if handle >> 63 else handle


def _bytes_into(target: pinview_value, kind: int, data: bytes) -> None:
    _KIND.pack_into(target, 0, kind, 0)
    content = target.as_.string
    content.data = data  # the struct keeps the bytes alive
    content.size = len(data)


def arguments(values: Iterable[Any]) -> tuple[Any, int, list[Any]]:
    """An array of values, its length, and what must stay alive while it is used. Iterables among
    them become lists.
    """
    items = list(values)
    row = (pinview_value * len(items))()
    kept: list[Any] = []
    for place, item in enumerate(items):
        kept.append(_argument(item, row[place]))
    return row, len(items), kept


def _argument(item: Any, target: pinview_value) -> Any:
    """Like encode(), for arguments of predicates: an iterable becomes a list of values."""
    if type(item) in _PLAIN or not isinstance(item, Iterable) or isinstance(item, (str, bytes, bytearray, memoryview, Mapping)):
        return encode(item, target)
    inner = list(item)
    cells, below = column(inner)
    target.type = PINVIEW_VALUE_LIST
    target.as_.list.items = cells
    target.as_.list.count = len(inner)
    return cells, below


def column(values: Sequence[Any]) -> tuple[Any, Any]:
    """An array of the values of one property, and what must stay alive while it is used.

    A column that holds only integers, doubles, strings or IDs, and perhaps None, is packed as a
    whole, which takes a tenth of the time.
    """
    if type(values).__module__.partition(".")[0] == "pandas":
        values = lazy.foreign.values_of_column(values)
    present = set(map(type, values))
    missing = type(None) in present
    present.discard(type(None))
    packer = _PACKERS.get(present.pop()) if len(present) == 1 else None
    cells = packer(values, missing) if packer else None
    if cells is None:
        row, _, kept = arguments(values)
        return cast(row, POINTER(pinview_value)), (row, kept)
    return cast(cells[0].buffer_info()[0], POINTER(pinview_value)), cells


def _cells(kind: int, values: Sequence[Any], missing: bool) -> array[int]:
    """An array of pinview_value whose types are set."""
    cells = array("q", bytes(_VALUE_SIZE * len(values)))
    if missing:
        cells[0::3] = array("q", [PINVIEW_VALUE_NULL if value is None else kind for value in values])
    else:
        cells[0::3] = array("q", [kind]) * len(values)
    return cells


def _pack_integers(values: Sequence[Any], missing: bool) -> Any:
    try:
        numbers = array("q", [value or 0 for value in values] if missing else values)
    except OverflowError:
        return None  # encoding the values one by one names the one that is too large
    cells = _cells(PINVIEW_VALUE_INTEGER, values, missing)
    cells[1::3] = numbers
    return (cells,)


def _pack_doubles(values: Sequence[Any], missing: bool) -> Any:
    cells = _cells(PINVIEW_VALUE_DOUBLE, values, missing)
    with memoryview(cells) as whole, whole.cast("B") as data, data.cast("d") as doubles:
        doubles[1::3] = memoryview(array("d", [value or 0.0 for value in values] if missing else values))
    return (cells,)


def _pack_texts(values: Sequence[Any], missing: bool) -> Any:
    texts = [value or "" for value in values] if missing else values
    try:
        data = "".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        return None
    sizes = array("q", map(len, texts))
    if sum(sizes) != len(data):
        sizes = array("q", [len(each.encode("utf-8")) for each in texts])
    cells = _cells(PINVIEW_VALUE_STRING, values, missing)
    address = cast(c_char_p(data), c_void_p).value or 0
    cells[1::3] = array("q", accumulate(sizes[:-1], initial=address))
    cells[2::3] = sizes
    return cells, data


def _pack_ids(values: Sequence[Any], missing: bool) -> Any:
    cells = _cells(PINVIEW_VALUE_OBJECT_ID, values, missing)
    cells[1::3] = array("q", [0 if value is None else _signed(value.handle) for value in values])
    return cells, values


_PACKERS: dict[type, Callable[[Sequence[Any], bool], Any]] = {int: _pack_integers, float: _pack_doubles, str: _pack_texts}
# Classes whose values are passed as handles, and the types of those values.
_handle_types: dict[type[Any], int] = {}


# The class of dates, once `dates` has been loaded. Nothing is an instance of ().
_date_class: Any = ()


def add_date_class(kind: type[datetime.datetime]) -> None:
    """Registers the class of dates, so that they are recognized at once."""
    global _date_class
    _date_class = kind


def add_object_class(kind: type[Any]) -> None:
    """Registers the class of managed objects, which is defined above this module."""
    _handle_types[kind] = PINVIEW_VALUE_OBJECT


def add_object_id_class(kind: type[Any], decode: Callable[[int], Any]) -> None:
    """Registers the class of object IDs, which is defined above this module, and how to make one
    from a borrowed handle.
    """
    _handle_types[kind] = PINVIEW_VALUE_OBJECT_ID
    _PACKERS[kind] = _pack_ids
    _DECODERS[PINVIEW_VALUE_OBJECT_ID] = lambda first, _: decode(first)


def named(values: Mapping[str, Any]) -> tuple[Any, int, list[Any]]:
    """An array of named values, its length, and what must stay alive while it is used."""
    return _named(values, encode)


def named_arguments(values: Mapping[str, Any]) -> tuple[Any, int, list[Any]]:
    """Like named(), for the variables of a predicate, which may be iterables."""
    return _named(values, _argument)


def _named(values: Mapping[str, Any], put: Callable[[Any, pinview_value], Any]) -> tuple[Any, int, list[Any]]:
    if not isinstance(values, Mapping):
        raise WrongTypeError(f"Expected a mapping of names to values, got {type(values).__name__}.")
    row = (pinview_named_value * len(values))()
    kept: list[Any] = []
    for place, (name, value) in enumerate(values.items()):
        row[place].name = string(name)
        kept.append(put(value, row[place].value))
    return row, len(values), kept


def handles(owners: Sequence[Any], kind: str) -> Array[c_void_p]:
    """An array of the handles of several instances of a class."""
    return (c_void_p * len(owners))(*[handle_of(owner, kind) for owner in owners])


def handles_of_ids(ids: Sequence[Any]) -> Array[c_void_p]:
    """Like handles(), faster, for object IDs."""
    try:
        row = [each._handle for each in ids]
    except AttributeError:
        wrong = next(each for each in ids if not hasattr(each, "_handle"))
        raise TypeError(f"Expected ObjectIDs, got {type(wrong).__name__}.") from None
    if None in row:
        return handles(ids, "ObjectID")
    return (c_void_p * len(row)).from_buffer(array("Q", row)) if row else (c_void_p * 0)()
