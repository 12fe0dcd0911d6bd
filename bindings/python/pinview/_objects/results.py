"""Lists of objects that the library returns."""

from __future__ import annotations

from collections.abc import Mapping

from .._ffi.library import functions
from .._support.forward import ManagedObject
from .blocks import of_handle, of_result
from .entities import EntityInfo

# How many rows of values are read in one call.
BLOCK = 512


def wrap(handle: int, entities: Mapping[str, EntityInfo]) -> ManagedObject:
    """The object of a handle; takes over the reference."""
    try:
        return of_handle(handle, entities)
    finally:
        functions.pinview_object_release(handle)


def take_objects(result: int | None, entities: Mapping[str, EntityInfo]) -> list[ManagedObject]:
    """All objects of a result; releases the result."""
    if result is None:
        return []
    try:
        return of_result(result, 0, functions.pinview_result_count(result), entities)
    finally:
        functions.pinview_result_release(result)
