"""Lists of objects and IDs as the library gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._ffi.calls import call_for_handle
from .._ffi.library import functions
from .blocks import of_handle, of_result

if TYPE_CHECKING:
    from ..managed_object import ManagedObject
    from ..model import EntityInfo
    from ..object_id import ObjectID

# How many rows of values are read in one call.
BLOCK = 512


def wrap(handle: int, entities: Mapping[str, EntityInfo]) -> ManagedObject:
    """The object of a handle, whose reference is taken over."""
    try:
        return of_handle(handle, entities)
    finally:
        functions.pinview_object_release(handle)


def take_objects(result: int | None, entities: Mapping[str, EntityInfo]) -> list[ManagedObject]:
    """All objects of a result, which is released."""
    if result is None:
        return []
    try:
        return of_result(result, 0, functions.pinview_result_count(result), entities)
    finally:
        functions.pinview_result_release(result)


def object_ids_of(result: int, first: int, count: int) -> list[ObjectID]:
    """Some of the IDs of a result."""
    from ..object_id import ObjectID

    release, get = functions.pinview_object_id_release, functions.pinview_result_object_id
    made: list[Any] = [ObjectID._owned_or_none(call_for_handle(release, get, result, place)) for place in range(first, first + count)]
    return made


def take_object_ids(result: int | None) -> list[ObjectID]:
    """All IDs of a result, which is released."""
    if result is None:
        return []
    try:
        return object_ids_of(result, 0, functions.pinview_result_count(result))
    finally:
        functions.pinview_result_release(result)
