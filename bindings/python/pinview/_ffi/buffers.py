"""Reusable memory for reading and writing values."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int32, pointer, sizeof

from .._support import process
from .._support.annotating import Any
from .calls import call, call_for_handle, take_error_slot
from .handles import Managed
from .library import functions
from .prototypes import pinview_column, pinview_value
from .values import decode, decode_rows


class ReadBuffer(Managed, release="pinview_buffer_release"):
    """One value, one index, one column, and a buffer of the library that owns the strings and data
    that they refer to.
    """

    __slots__ = ("column", "column_pointer", "error", "error_pointer", "index", "index_pointer", "value", "value_pointer")

    def __init__(self) -> None:
        super().__init__(call_for_handle(functions.pinview_buffer_release, functions.pinview_buffer_create))
        self.value = pinview_value()
        self.value_pointer = pointer(self.value)
        self.error = take_error_slot()
        self.error_pointer = self.error.pointer
        self.index = c_int32()
        self.index_pointer = pointer(self.index)
        self.column = pinview_column(struct_size=sizeof(pinview_column))
        self.column_pointer = pointer(self.column)


# Buffers that are not in use. Each reader takes one out, so threads and callbacks never share one.
_free: list[ReadBuffer] = []
process.in_child(_free.clear)


def take_buffer() -> ReadBuffer:
    """A buffer for the caller alone."""
    try:
        return _free.pop()
    except IndexError:
        return ReadBuffer()


return_buffer = _free.append


def drop_buffers() -> None:
    """Releases all buffers that are not in use."""
    _free.clear()


def read_result(function: Any, *given: int) -> Any:
    """Calls a function that returns one value."""
    buffer = take_buffer()
    try:
        call(function, *given, buffer._handle, buffer.value_pointer)
        return decode(buffer.value)
    finally:
        return_buffer(buffer)


def read_row(function: Any, handle: int, indexes: Sequence[int]) -> tuple[Any, ...]:
    """Reads several values of an object in one call."""
    buffer = take_buffer()
    try:
        count = len(indexes)
        values = (pinview_value * count)()
        call(function, handle, (c_int32 * count)(*indexes), count, buffer._handle, values)
        return decode_rows(values, 1, count)[0]
    finally:
        return_buffer(buffer)


def read_rows(function: Any, handle: int, first: int, rows: int, indexes: Sequence[int]) -> list[tuple[Any, ...]]:
    """Reads values of several objects in one call."""
    buffer = take_buffer()
    try:
        count = len(indexes)
        values = (pinview_value * (rows * count))()
        call(function, handle, first, rows, (c_int32 * count)(*indexes), count, buffer._handle, values)
        return decode_rows(values, rows, count)
    finally:
        return_buffer(buffer)
