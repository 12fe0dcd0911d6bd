"""Lists of objects and IDs as the library gives them, and the one Python object for each object of the library."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any

from ._failure import call, call_for_handle
from ._library import functions
from ._values import text

if TYPE_CHECKING:
    from .managed_object import ManagedObject
    from .model import EntityInfo
    from .object_id import ObjectID

# How many objects, or rows of values, are read in one call.
BLOCK = 512

# By the identity that the library gives an object. Two handles of one object are one ManagedObject.
_living: weakref.WeakValueDictionary[int, ManagedObject] = weakref.WeakValueDictionary()

os.register_at_fork(after_in_child=_living.clear)


def wrap(handle: int, entities: Mapping[str, EntityInfo], entity: EntityInfo | None = None) -> ManagedObject:
    """The object of a handle, whose reference is taken over. `entity` is what its kind is known to be, or a parent of that."""
    from .managed_object import ManagedObject

    identity = functions.pinview_object_identity(handle)
    known = _living.get(identity)
    # One that was closed, or is being closed by the garbage collector, does not count.
    if known is not None and known._handle is not None:
        functions.pinview_object_release(handle)
        return known
    if entity is None or entity.has_subentities:
        entity = _entity_of(handle, entities)
    made = ManagedObject._make(handle, entity)
    _living[identity] = made
    return made


def _entity_of(handle: int, entities: Mapping[str, EntityInfo]) -> EntityInfo:
    entity = call_for_handle(functions.pinview_entity_release, functions.pinview_object_entity, handle)
    try:
        return entities[text(functions.pinview_entity_name(entity)) or ""]
    finally:
        functions.pinview_entity_release(entity)


def objects_of(result: int, first: int, count: int, entities: Mapping[str, EntityInfo], entity: EntityInfo | None) -> list[ManagedObject]:
    """Some of the objects of a result."""
    handles: Any = (c_void_p * count)()
    call(functions.pinview_result_objects, result, first, count, handles)
    return [wrap(handle, entities, entity) for handle in handles]


def take_objects(result: int | None, entities: Mapping[str, EntityInfo], entity: EntityInfo | None = None) -> list[ManagedObject]:
    """All objects of a result, which is released."""
    if result is None:
        return []
    try:
        return objects_of(result, 0, functions.pinview_result_count(result), entities, entity)
    finally:
        functions.pinview_result_release(result)


def object_ids_of(result: int, first: int, count: int) -> list[ObjectID]:
    """Some of the IDs of a result."""
    from .object_id import ObjectID

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
