"""Memory for reading values, used again and again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from ctypes import c_int32, pointer, sizeof
from typing import Any

from .calls import call, call_for_handle, error_place
from .handles import Managed
from .library import functions
from .prototypes import pinview_column, pinview_value
from .values import decode, decode_rows


class Scratch(Managed, release="pinview_buffer_release"):
    """One value, one index, and a buffer of the library for the texts and data of what is read."""

    __slots__ = ("column", "column_pointer", "error", "error_pointer", "index", "index_pointer", "value", "value_pointer")

    def __init__(self) -> None:
        super().__init__(call_for_handle(functions.pinview_buffer_release, functions.pinview_buffer_create))
        self.value = pinview_value()
        self.value_pointer = pointer(self.value)
        self.error = error_place()
        self.error_pointer = self.error.pointer
        self.index = c_int32()
        self.index_pointer = pointer(self.index)
        self.column = pinview_column(struct_size=sizeof(pinview_column))
        self.column_pointer = pointer(self.column)


# What is not in use. Each reader takes one out, so threads and callbacks never share one.
_free: list[Scratch] = []
os.register_at_fork(after_in_child=_free.clear)


def taken() -> Scratch:
    """One for the caller alone."""
    try:
        return _free.pop()
    except IndexError:
        return Scratch()


given_back = _free.append


def drop_scratch() -> None:
    """Gives all unused buffers back."""
    _free.clear()


def read_result(function: Any, *given: int) -> Any:
    """One value that a function gives through a buffer."""
    scratch = taken()
    try:
        call(function, *given, scratch._handle, scratch.value_pointer)
        return decode(scratch.value)
    finally:
        given_back(scratch)


def read_row(function: Any, handle: int, indexes: Sequence[int]) -> tuple[Any, ...]:
    """Several values of an object in one call."""
    scratch = taken()
    try:
        count = len(indexes)
        values = (pinview_value * count)()
        call(function, handle, (c_int32 * count)(*indexes), count, scratch._handle, values)
        return decode_rows(values, 1, count)[0]
    finally:
        given_back(scratch)


def read_rows(function: Any, handle: int, first: int, rows: int, indexes: Sequence[int]) -> list[tuple[Any, ...]]:
    """Values of several objects in one call."""
    scratch = taken()
    try:
        count = len(indexes)
        values = (pinview_value * (rows * count))()
        call(function, handle, first, rows, (c_int32 * count)(*indexes), count, scratch._handle, values)
        return decode_rows(values, rows, count)
    finally:
        given_back(scratch)
