"""Lists of objects that the library returns."""

from __future__ import annotations

from .._ffi.library import functions
from .._support.forward import Context, ManagedObject
from .blocks import Block, block_of, of_handle, of_result
from .context_lookups import Lookups, lookups_near, lookups_of
from .entities import EntityTable

# How many rows of values are read in one call.
BLOCK = 512
# Up to so many objects are looked up one by one: making a block for them alone would take longer.
_FEW = 16


def wrap(handle: int, entities: EntityTable) -> ManagedObject:
    """The object of a handle; takes over the reference."""
    try:
        return of_handle(handle, entities)
    finally:
        functions.pinview_object_release(handle)


def take_objects(result: int | None, entities: EntityTable) -> list[ManagedObject]:
    """All objects of a result; releases the result."""
    if result is None:
        return []
    try:
        return of_result(result, 0, functions.pinview_result_count(result), entities)
    finally:
        functions.pinview_result_release(result)


def fetched(context: Context, result: int, first: int, count: int, entities: EntityTable) -> list[ManagedObject]:
    """Objects of a context's result, from `first` on."""
    if count > _FEW or context.closed:
        return of_result(result, first, count, entities)
    lookups = context._lookups or Lookups(entities)
    found = lookups.of_result(result, first, count)
    if context._lookups is None and found:
        context._lookups = lookups_of(block_of(found[0]), lookups)
    return found


def neighbours(block: Block, result: int, first: int, count: int) -> list[ManagedObject]:
    """Objects of a result, from `first` on, which are of the same context as a block."""
    if count > _FEW:
        return of_result(result, first, count, block.entity.model)
    return lookups_near(block).of_result(result, first, count)
