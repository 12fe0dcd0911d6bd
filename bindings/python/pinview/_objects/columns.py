"""Columns: one property of many objects, as the library lays it out."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from ctypes import byref, c_uint64, string_at
from itertools import compress, repeat
from typing import Any, NamedTuple

from .._ffi import convert as _convert
from .._ffi.buffers import Scratch, given_back, taken
from .._ffi.calls import _pending as pending
from .._ffi.calls import call, settle
from .._ffi.implementation import accelerator
from .._ffi.library import functions
from .._ffi.pending_releases import gone, shown
from .._ffi.pending_releases import settle as settle_owed
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
from ..errors import DataError

# What states say, as tables for bytes.translate.
_IS_NULL = bytes(state & PINVIEW_COLUMN_NULL for state in range(256))
_IS_FAULT = bytes(state & PINVIEW_COLUMN_FAULT for state in range(256))
_IS_UNKNOWN = bytes(state == PINVIEW_COLUMN_UNKNOWN for state in range(256))
# pinview_column.
_LAYOUT = struct.Struct("@IIiiQQqPPPNP")
_VALUE_SIZE = 24


class Column(NamedTuple):
    """One property of the objects of a block, by their places."""

    values: list[Any]
    # The places that the column knows nothing of, and by place whether the object is a fault, if any is.
    unknown: set[int]
    faults: bytearray | None
    changes: int
    cache_changes: int
    hierarchy: int


def read_column(block: int, index: int, place: int, wants_faults: bool) -> Column:
    """A property of one object, and of the others what is at hand; which of them are faults is said to who wants it."""
    scratch = taken()
    try:
        call(functions.pinview_object_block_column, block, index, place, 0, scratch._handle, scratch.column_pointer)
        return _column(scratch, wants_faults)
    finally:
        given_back(scratch)


def read_cell(block: int, index: int, place: int) -> Any:
    """A property of one object."""
    scratch = taken()
    try:
        call(functions.pinview_object_block_column, block, index, place, 1, scratch._handle, scratch.column_pointer)
        _, _, kind, _, _, _, _, states, cells, texts, _, values = _LAYOUT.unpack_from(scratch.column)
        if kind == PINVIEW_VALUE_LIST:
            return decode(pinview_value.from_address(values + _VALUE_SIZE * place))
        if string_at(states + place, 1)[0] & PINVIEW_COLUMN_NULL:
            return None
        cell = string_at(cells + 8 * place, 8)
        if kind == PINVIEW_VALUE_STRING:
            (first,) = _INTEGER.unpack(cell)
            return string_at(texts + (first >> 32), first & 0xFFFF_FFFF).decode("utf-8")
        return _decoders[kind](cell, 1)[0]
    finally:
        given_back(scratch)


def read_row(block: int, place: int, indexes: Any, room: Any) -> tuple[list[Any], int]:
    """Several attributes of one object, and the count of changes that they belong to."""
    scratch = taken()
    try:
        values, changes = room(), c_uint64()
        count = len(indexes)
        call(functions.pinview_object_block_values, block, place, indexes, count, scratch._handle, values, byref(changes))
        return decode_column(values, count), changes.value
    finally:
        given_back(scratch)


def write_cell(block: int, index: int, place: int, value: Any) -> None:
    """Sets a property of one object."""
    scratch = taken()
    try:
        kept = encode(value, scratch.value)
        if shown or gone:
            settle_owed()
        status = functions.pinview_object_block_set_value(block, index, place, scratch.value_pointer, scratch.error_pointer)
        if status or pending:
            settle(status, scratch.error.taken())
        del kept
    finally:
        given_back(scratch)


def _column(scratch: Scratch, wants_faults: bool) -> Column:
    _, flags, kind, count, changes, cache_changes, hierarchy, at, cells, texts, size, others = _LAYOUT.unpack_from(scratch.column)
    unknown: set[int] = set()
    faults: bytearray | None = None
    values: list[Any]
    states = string_at(at, count)
    if accelerator is not None and kind in _CELLS:
        values = accelerator.column_values(_CELLS[kind], flags, count, at, cells or 0, texts or 0, size)
    elif kind == PINVIEW_VALUE_STRING:
        data = string_at(texts, size)
        values = _cut(data, cells, count) if flags & PINVIEW_COLUMN_HAS_NUL else list[Any](data.decode("utf-8").split("\0"))
    elif kind == PINVIEW_VALUE_LIST:
        values = decode_column((pinview_value * count).from_address(others), count)
    else:
        try:
            values = _decoders[kind](string_at(cells, 8 * count), count)
        except DataError:
            values = _dates_one_by_one(string_at(cells, 8 * count), count, unknown)
    places = range(count)
    if flags & PINVIEW_COLUMN_HAS_NULLS and kind != PINVIEW_VALUE_LIST and isinstance(values, list):
        for place in compress(places, states.translate(_IS_NULL)):
            values[place] = None
    if flags & PINVIEW_COLUMN_HAS_UNKNOWN:
        unknown.update(compress(places, states.translate(_IS_UNKNOWN)))
    if flags & PINVIEW_COLUMN_IS_MIXED:
        unknown.update(places)
    if flags & PINVIEW_COLUMN_HAS_FAULTS and wants_faults:
        faults = bytearray(states.translate(_IS_FAULT))
    return Column(values, unknown, faults, changes, cache_changes, hierarchy)


def _cut(data: bytes, cells: int, count: int) -> list[Any]:
    places = _struct_of("q", count).unpack(string_at(cells, 8 * count))
    return [data[place >> 32 : (place >> 32) + (place & 0xFFFF_FFFF)].decode("utf-8") for place in places]


# What the accelerator calls the cells that it decodes when they are asked for.
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
    return _convert.dates_of_seconds(_struct_of("d", count).unpack(data))


def _dates_one_by_one(data: bytes, count: int, unknown: set[int]) -> list[Any]:
    """Where one is out of what Python can represent: whoever asks for that is told."""
    values: list[Any] = list(repeat(None, count))
    for place, seconds in enumerate(_struct_of("d", count).unpack(data)):
        try:
            values[place] = _convert.date_of_seconds(seconds)
        except DataError:
            unknown.add(place)
    return values


_decoders: dict[int, Callable[[bytes, int], list[Any]]] = {
    PINVIEW_VALUE_INTEGER: _integers,
    PINVIEW_VALUE_OBJECT_ID: _integers,
    PINVIEW_VALUE_DOUBLE: _doubles,
    PINVIEW_VALUE_BOOLEAN: _booleans,
    PINVIEW_VALUE_DATE: _dates,
}
