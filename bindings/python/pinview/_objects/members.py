"""The members of to-many relationships, for many owners at a time.

The library returns the members of one owner together with those of the owners that follow it in the
block, as far as it has them at hand. They wait in the block. When one of these owners is asked for
its members, a short call has the library read the relationship and tell whether they still are the
ones; usually it takes no statement, and no object has to be named.
"""

from __future__ import annotations

from ctypes import byref, c_int32, c_size_t

from .._ffi.calls import call_for, call_for_handle
from .._ffi.library import functions
from .._support.annotating import Any
from .._support.forward import ManagedObject
from .blocks import Block, block_of, closings
from .entities import Property
from .results import neighbours
from .views import track

# For how many owners members are returned in one call.
_OWNERS = 512


class ShownMembers:
    """The members of owners that follow each other in a block."""

    __slots__ = ("closings", "first", "lists")

    def __init__(self, first: int, lists: list[Any]) -> None:
        self.first = first
        # None for an owner whose members have been taken.
        self.lists = lists
        self.closings = closings.count

    def take(self, place: int) -> list[ManagedObject] | None:
        """The members of the owner at a place, unless they have been taken."""
        position = place - self.first
        if self.closings != closings.count or not 0 <= position < len(self.lists):
            return None
        found: list[ManagedObject] | None = self.lists[position]
        self.lists[position] = None
        return found


def members_at(block: Block, prop: Property, place: int) -> list[ManagedObject]:
    """The members of a to-many relationship of the object at a place."""
    block.check()
    shown: ShownMembers | None = block.members.get(prop.name)
    if shown is not None:
        found = shown.take(place)
        if found is not None:
            is_current = call_for(c_int32, functions.pinview_object_block_confirm_related_objects, block.handle, prop.index, place)
            if place + 1 == shown.first + len(shown.lists):
                block.members.pop(prop.name, None)
            if is_current.value:
                return found
    counts, owners = (c_int32 * _OWNERS)(), c_size_t(_OWNERS)
    result = call_for_handle(
        functions.pinview_result_release,
        functions.pinview_object_block_related_objects,
        block.handle,
        prop.index,
        place,
        counts,
        byref(owners),
    )
    try:
        objects = neighbours(block, result or 0, 0, functions.pinview_result_count(result))
    finally:
        functions.pinview_result_release(result)
    if owners.value == 1:
        return objects
    lists: list[Any] = []
    end = counts[0]
    for count in counts[1 : owners.value]:
        lists.append(objects[end : end + count])
        end += count
    # The block refers to them, as they may to the block.
    any(map(track, objects[counts[0] :]))
    block.members[prop.name] = ShownMembers(place + 1, lists)
    return objects[: counts[0]]


def members_in(owner: ManagedObject, prop: Property, index: int | slice) -> Any:
    """The member at a position of an ordered relationship, or the members of a slice. No others are
    made objects of.
    """
    result = call_for_handle(functions.pinview_result_release, functions.pinview_object_related_objects, owner.handle, prop.key) or 0
    try:
        count = functions.pinview_result_count(result)
        block = block_of(owner)
        if isinstance(index, slice):
            places = range(count)[index]
            if not places:
                return []
            first, last = min(places[0], places[-1]), max(places[0], places[-1])
            return neighbours(block, result, first, last - first + 1)[:: places.step]
        try:
            place = range(count)[index]
        except IndexError:
            raise IndexError(f"Index {index} is out of range for the {count} members of {prop.name}.") from None
        return neighbours(block, result, place, 1)[0]
    finally:
        functions.pinview_result_release(result)
