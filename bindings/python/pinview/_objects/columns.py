"""Columns: one property of all objects of a block, decoded from the library's memory."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, MutableSequence
from ctypes import byref, c_uint64, string_at
from itertools import compress, repeat

from .._ffi.buffers import ReadBuffer, return_buffer, take_buffer
from .._ffi.calls import call, finish_call, pending_exceptions
from .._ffi.implementation import accelerated
from .._ffi.library import functions
from .._ffi.pending_releases import flush, pending_fires, pending_releases
from .._ffi.prototypes import (
    PINVIEW_COLUMN_FAULT,
    PINVIEW_COLUMN_HAS_FAULTS,
    PINVIEW_COLUMN_HAS_NUL,
    PINVIEW_COLUMN_HAS_NULLS,
    PINVIEW_COLUMN_HAS_UNKNOWN,
    PINVIEW_COLUMN_IS_MIXED,
    PINVIEW_COLUMN_NULL,
    PINVIEW_COLUMN_UNKNOWN,
    PINVIEW_VALUE_BOOLEAN,
    PINVIEW_VALUE_DATE,
    PINVIEW_VALUE_DOUBLE,
    PINVIEW_VALUE_INTEGER,
    PINVIEW_VALUE_LIST,
    PINVIEW_VALUE_OBJECT_ID,
    PINVIEW_VALUE_STRING,
    pinview_value,
)
from .._ffi.values import decode, decode_column, encode
from .._support import lazy
from .._support.annotating import Any
from ..errors import DataError

# Tables for bytes.translate: which states of a cell mean what.
_IS_NULL = bytes(state & PINVIEW_COLUMN_NULL for state in range(256))
_IS_FAULT = bytes(state & PINVIEW_COLUMN_FAULT for state in range(256))
_IS_UNKNOWN = bytes(state == PINVIEW_COLUMN_UNKNOWN for state in range(256))
# The layout of pinview_column.
_LAYOUT = struct.Struct("@IIiiQQqPPPNP")
_VALUE_SIZE = 24


class Column:
    """One property of the objects of a block, by place."""

    __slots__ = ("cache_changes", "changes", "faults", "hierarchy", "unknown", "values")

    def __init__(
        self,
        values: MutableSequence[Any],
        unknown: set[int],
        faults: bytearray | None,
        changes: int,
        cache_changes: int,
        hierarchy: int,
    ) -> None:
        self.values = values
        # Places for which the column has no value.
        self.unknown = unknown
        # By place: whether the object is a fault; None if no object is.
        self.faults = faults
        self.changes = changes
        self.cache_changes = cache_changes
        self.hierarchy = hierarchy


def read_column(block: int, index: int, place: int, wants_faults: bool) -> Column:
    """Reads a property of one object, and of the block's other objects as far as they are
    loaded.
    """
    buffer = take_buffer()
    try:
        call(functions.pinview_object_block_column, block, index, place, 0, buffer._handle, buffer.column_pointer)
        return _column(buffer, wants_faults)
    finally:
        return_buffer(buffer)


def read_cell(block: int, index: int, place: int) -> Any:
    """Reads a property of one object."""
    buffer = take_buffer()
    try:
        call(functions.pinview_object_block_column, block, index, place, 1, buffer._handle, buffer.column_pointer)
        _, _, kind, _, _, _, _, states, cells, texts, _, values = _LAYOUT.unpack_from(buffer.column)
        if kind == PINVIEW_VALUE_LIST:
            return decode(pinview_value.from_address(values + _VALUE_SIZE * place))
        if string_at(states + place, 1)[0] & PINVIEW_COLUMN_NULL:
            return None
        cell = string_at(cells + 8 * place, 8)
        if kind == PINVIEW_VALUE_STRING:
            (first,) = _INTEGER.unpack(cell)
            return string_at(texts + (first >> 32), first & 0xFFFF_FFFF).decode("utf-8")
        return _decoders[_CELLS[kind]](cell, 1)[0]
    finally:
        return_buffer(buffer)


def read_row(block: int, place: int, indexes: Any, room: Any) -> tuple[list[Any], int]:
    """Reads several attributes of one object, and the change counter to which they belong."""
    buffer = take_buffer()
    try:
        values, changes = room(), c_uint64()
        count = len(indexes)
        call(functions.pinview_object_block_values, block, place, indexes, count, buffer._handle, values, byref(changes))
        return decode_column(values, count), changes.value
    finally:
        return_buffer(buffer)


def write_cell(block: int, index: int, place: int, value: Any) -> None:
    """Sets a property of one object."""
    buffer = take_buffer()
    try:
        kept = encode(value, buffer.value)
        if pending_fires or pending_releases:
            flush()
        status = functions.pinview_object_block_set_value(block, index, place, buffer.value_pointer, buffer.error_pointer)
        if status or pending_exceptions:
            finish_call(status, buffer.error.take())
        del kept
    finally:
        return_buffer(buffer)


def _column(buffer: ReadBuffer, wants_faults: bool) -> Column:
    _, flags, kind, count, changes, cache_changes, hierarchy, at, cells, texts, size, others = _LAYOUT.unpack_from(buffer.column)
    unknown: set[int] = set()
    faults: bytearray | None = None
    values: MutableSequence[Any]
    states = string_at(at, count)
    if kind == PINVIEW_VALUE_LIST:
        values = decode_column((pinview_value * count).from_address(others), count)
    else:
        try:
            values = column_values(_CELLS[kind], flags, count, at, cells or 0, texts or 0, size)
        except DataError:
            values = _dates_one_by_one(string_at(cells, 8 * count), states, flags, unknown)
    places = range(count)
    if flags & PINVIEW_COLUMN_HAS_UNKNOWN:
        unknown.update(compress(places, states.translate(_IS_UNKNOWN)))
    if flags & PINVIEW_COLUMN_IS_MIXED:
        unknown.update(places)
    if flags & PINVIEW_COLUMN_HAS_FAULTS and wants_faults:
        faults = bytearray(states.translate(_IS_FAULT))
    return Column(values, unknown, faults, changes, cache_changes, hierarchy)


@accelerated
def column_values(kind: str, flags: int, count: int, states: int, cells: int, texts: int, text_size: int) -> MutableSequence[Any]:
    """The values of a pinview_column, copied: the code of their representation, the column's flags,
    and addresses.

    The accelerator decodes each value when it is asked for.
    """
    if kind == "t":
        data = string_at(texts, text_size)
        values = _split_texts(data, cells, count) if flags & PINVIEW_COLUMN_HAS_NUL else list[Any](data.decode("utf-8").split("\0"))
    else:
        values = _decoders[kind](string_at(cells, 8 * count), count)
    if flags & PINVIEW_COLUMN_HAS_NULLS:
        for place in compress(range(count), string_at(states, count).translate(_IS_NULL)):
            values[place] = None
    return values


def _split_texts(data: bytes, cells: int, count: int) -> list[Any]:
    """The strings of a column in which some contain NUL, so that NUL does not separate them."""
    places = _struct_of("q", count).unpack(string_at(cells, 8 * count))
    return [data[place >> 32 : (place >> 32) + (place & 0xFFFF_FFFF)].decode("utf-8") for place in places]


# Codes for the representation of values in cells, which the accelerator shares.
_CELLS = {
    PINVIEW_VALUE_INTEGER: "q",
    PINVIEW_VALUE_OBJECT_ID: "q",
    PINVIEW_VALUE_DOUBLE: "r",
    PINVIEW_VALUE_BOOLEAN: "?",
    PINVIEW_VALUE_STRING: "t",
    PINVIEW_VALUE_DATE: "d",
}

_INTEGER = struct.Struct("=q")


@functools.lru_cache(2048)
def _struct_of(kind: str, count: int) -> struct.Struct:
    return struct.Struct(f"={count}{kind}")


def _integers(data: bytes, count: int) -> list[Any]:
    return list(_struct_of("q", count).unpack(data))


def _doubles(data: bytes, count: int) -> list[Any]:
    return list(_struct_of("d", count).unpack(data))


def _booleans(data: bytes, count: int) -> list[Any]:
    return list(map(bool, _struct_of("q", count).unpack(data)))


def _dates(data: bytes, count: int) -> list[Any]:
    return lazy.dates.dates_of_seconds(_struct_of("d", count).unpack(data))


def _dates_one_by_one(data: bytes, states: bytes, flags: int, unknown: set[int]) -> list[Any]:
    """Decodes dates of which some are out of range. These stay unknown, so that reading one of them
    raises the error.
    """
    count = len(states)
    values: list[Any] = list(repeat(None, count))
    for place, seconds in enumerate(_struct_of("d", count).unpack(data)):
        if flags & PINVIEW_COLUMN_HAS_NULLS and states[place] & PINVIEW_COLUMN_NULL:
            continue
        try:
            values[place] = lazy.dates.date_of_seconds(seconds)
        except DataError:
            unknown.add(place)
    return values


_decoders: dict[str, Callable[[bytes, int], list[Any]]] = {"q": _integers, "r": _doubles, "?": _booleans, "d": _dates}
