"""Looking objects up one at a time: the object, its name and its values come with one call."""

from __future__ import annotations

import os
import struct
import time
import weakref
from collections.abc import Iterable, Mapping
from ctypes import POINTER, addressof, byref, c_char, c_uint64, c_void_p, cast, pointer, sizeof
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, Callable

from . import _blocks
from ._blocks import ALONE, NEVER, Block, ViewOfOne, clock_of
from ._failure import _pending as pending
from ._failure import settle
from ._library import functions
from ._owed import PLACE_BITS, Reference, blocks, gone, settle_shown, shown
from ._owed import settle as settle_owed
from ._prototypes import (
    PINVIEW_COLUMN_HAS_FAULTS,
    PINVIEW_COLUMN_HAS_NUL,
    PINVIEW_COLUMN_HAS_NULLS,
    PINVIEW_COLUMN_HAS_UNKNOWN,
    PINVIEW_COLUMN_NULL,
    PINVIEW_COLUMN_UNKNOWN,
    pinview_object_row,
)

if TYPE_CHECKING:
    from .managed_object import ManagedObject
    from .model import EntityInfo

# What states say, as tables for bytes.translate.
_IS_NULL = bytes(state == PINVIEW_COLUMN_NULL for state in range(256))
_IS_UNKNOWN = bytes(state == PINVIEW_COLUMN_UNKNOWN for state in range(256))
# What a call fills in a pinview_object_row: flags, text_size, name, changes and block.
_FILLED = struct.Struct("@4xI48xNQQP")
_PLACE_MASK = (1 << PLACE_BITS) - 1
_ROOM = 1 << 16
_MOST_DROPPED = 64
# Open blocks, one for each entity at the most.
_MOST_BLOCKS = 16


class Plan:
    """How the rows of an entity are packed, and what is unpacked how."""

    __slots__ = ("count", "dates", "has_dates", "names", "names_of_all", "numbers", "text_indexes", "texts")

    def __init__(self, entity: EntityInfo) -> None:
        properties = list(entity.properties.values())
        kinds = [_FORMATS.get(prop.type or "", "8x") if prop.is_attribute else "8x" for prop in properties]
        self.count = len(properties)
        self.numbers = struct.Struct("=" + "".join("8x" if kind in "td" else kind for kind in kinds).replace("r", "d"))
        self.dates = struct.Struct("=" + "".join("d" if kind == "d" else "8x" for kind in kinds))
        self.has_dates: dict[str, int] = {
            prop.name: place for place, prop in enumerate(each for each, kind in zip(properties, kinds) if kind == "d")
        }
        self.text_indexes = [index for index, kind in enumerate(kinds) if kind == "t"]
        self.texts = [properties[index].name for index in self.text_indexes]
        self.names = [prop.name for prop, kind in zip(properties, kinds) if kind not in ("8x", "t", "d")] + self.texts
        self.names_of_all = [prop.name for prop in properties]


# By the types of attributes: r is a double, d a date, t a text.
_FORMATS = {
    **dict.fromkeys(("integer16", "integer32", "integer64"), "q"),
    **dict.fromkeys(("double", "float"), "r"),
    **dict.fromkeys(("string", "uri"), "t"),
    "boolean": "?7x",
    "date": "d",
}

plan_of: Callable[[EntityInfo], Plan] = lru_cache(512)(Plan)


class Reader:
    """What one look-up at a time needs: the struct of the call, and room for the values."""

    __slots__ = (
        "_array",
        "_held",
        "blocks_version",
        "dropped",
        "error",
        "error_pointer",
        "has_dropped",
        "memory",
        "pointer",
        "room",
        "row",
    )

    def __init__(self) -> None:
        self.room = bytearray(_ROOM)
        self.memory = bytearray(sizeof(pinview_object_row))
        self.dropped = (c_uint64 * _MOST_DROPPED)()
        self.has_dropped = False
        self._array = (c_void_p * _MOST_BLOCKS)()
        self._held: list[Block] = []
        self.blocks_version = 0
        self.row = pinview_object_row.from_buffer(self.memory)
        self.row.struct_size = sizeof(pinview_object_row)
        self.row.room, self.row.room_size = addressof((c_char * _ROOM).from_buffer(self.room)), _ROOM
        self.row.dropped = cast(self.dropped, POINTER(c_uint64))
        self.row.blocks = cast(self._array, POINTER(c_void_p))
        self.pointer = pointer(self.row)
        self.error = c_void_p()
        self.error_pointer = byref(self.error)

    def take_blocks(self, blocks: Iterable[Block], version: int) -> None:
        """Has the next calls name objects in these blocks, which live as long as they may be used."""
        self._held = list(blocks)
        for place, each in enumerate(self._held):
            self._array[place] = each.handle
        self.row.block_count = len(self._held)
        self.blocks_version = version

    def take_gone(self, open_blocks: Mapping[int, Block]) -> None:
        """Has the next call give back what Python has let go of."""
        count = 0
        while gone:
            try:
                each = gone.pop()
            except IndexError:  # another thread was faster
                break
            if type(each) is int:  # It was named once more, and is still there.
                name = each
            else:
                name = each.name
                block = open_blocks.get(name >> PLACE_BITS)
                if block is None or block._handles:
                    gone.append(each)
                    settle_owed()
                    break
                place = name & _PLACE_MASK
                if block.objects[place] is each:
                    block.objects[place] = None
            self.dropped[count] = name
            count += 1
            if count == _MOST_DROPPED:
                if gone:
                    settle_owed()
                break
        if count or self.has_dropped:
            self.row.dropped_count = count
            self.has_dropped = count > 0

    def check(self, status: int, free: list[Reader]) -> None:
        """Raises what went wrong in a call, and gives the reader back then."""
        error = c_void_p(self.error.value)
        self.error.value = None
        try:
            settle(status, error)
        except BaseException:
            free.append(self)
            raise

    def view(self, block: Block, place: int, flags: int, text_size: int, version: int) -> ViewOfOne:
        """The view of one object with the values that the call has filled in."""
        clock = block.clock
        if clock.version != version:
            clock = block.clock = clock_of(block.changes, version)
        view = ViewOfOne(block, place)
        if clock is NEVER or flags & PINVIEW_COLUMN_HAS_FAULTS or not block.any_thread or _blocks.checks_queues:
            return view
        view.own = clock
        known: dict[str, Any] = view
        plan = plan_of(block.entity)
        room = self.room
        values: Any = plan.numbers.unpack_from(room)
        if plan.texts:
            data = room[9 * plan.count : 9 * plan.count + text_size]
            values = [*values, *(_cut(data, plan, room) if flags & PINVIEW_COLUMN_HAS_NUL else data.decode("utf-8").split("\0"))]
        known.update(zip(plan.names, values))
        if plan.has_dates:
            view.seconds = plan.dates.unpack_from(room)
        if flags:
            states = room[8 * plan.count : 9 * plan.count]
            if flags & PINVIEW_COLUMN_HAS_NULLS:
                known.update(dict.fromkeys(compress(plan.names_of_all, states.translate(_IS_NULL))))
            if flags & PINVIEW_COLUMN_HAS_UNKNOWN:
                for name in compress(plan.names_of_all, states.translate(_IS_UNKNOWN)):
                    known.pop(name, None)
                view.seconds = None
        return view


def _cut(data: bytearray, plan: Plan, room: Any) -> list[str]:
    cells = struct.Struct(f"={plan.count}q").unpack_from(room)
    places = [cells[index] for index in plan.text_indexes]
    return [data[place >> 32 : (place >> 32) + (place & 0xFFFF_FFFF)].decode("utf-8") for place in places]


class LookUps:
    """The blocks of a context that take in objects one at a time."""

    __slots__ = ("__weakref__", "_by_entity", "_entities", "_free", "_version", "blocks")

    def __init__(self, entities: Mapping[str, EntityInfo]) -> None:
        self._entities = entities
        # By number; those that still take objects in.
        self.blocks: dict[int, Block] = {}
        self._by_entity: dict[str, Block] = {}
        # How often they have changed.
        self._version = 0
        # Not in use: each look-up takes one out, so threads and callbacks never share one.
        self._free: list[Reader] = []

    def related(self, block: Block, index: int, place: int) -> ManagedObject | None:
        """Where a to-one relationship leads."""
        target: ManagedObject | None
        target, _ = self.found(functions.pinview_object_block_related_row, block.handle, index, place)
        return target

    def found(self, function: Any, first: int, second: int, third: int) -> tuple[Any, int]:
        """The object that a function names, None for none, and the count of changes up to which that holds; 0 for no count."""
        try:
            reader = self._free.pop()
        except IndexError:
            reader = Reader()
        if shown:
            settle_shown()
        if gone or reader.has_dropped:
            reader.take_gone(self.blocks)
        if reader.blocks_version != self._version:
            with _blocks.naming_lock:
                reader.take_blocks(self._by_entity.values(), self._version)
        status = function(first, second, third, reader.pointer, reader.error_pointer)
        if status or pending:
            reader.check(status, self._free)
        flags, text_size, name, changes, made = _FILLED.unpack_from(reader.memory)
        target: ManagedObject | None = None
        if not name:
            self._free.append(reader)
            return None, changes
        number, place = name >> PLACE_BITS, name & _PLACE_MASK
        block = self._open(made, reader) if made else self.blocks.get(number)
        if block is None:  # It has been named before.
            self._free.append(reader)
            target = _blocks.named(name, self._entities)
            if target is None:
                gone.append(name)
                time.sleep(0.0001)
                return self.found(function, first, second, third)
            return target, changes
        with _blocks.naming_lock:
            objects = block.objects
            if place == len(objects):
                target = _new(block.kind)
                _blocks.set_view(target, reader.view(block, place, flags, text_size, changes))
                _blocks.set_place(target, ALONE)
                reference = Reference(target, gone.append)
                reference.name = name
                objects.append(reference)
            else:
                target = block.object(place)
                former = target._view
                if isinstance(former, ViewOfOne) and former.own.version != former.own.value:
                    _blocks.set_view(target, reader.view(block, place, flags, text_size, changes))
        self._free.append(reader)
        return target, changes

    def _open(self, handle: int, reader: Reader) -> Block:
        """The block that a call has made, in place of the one that had no room any more."""
        with _blocks.naming_lock:
            block = Block(handle, reader.row.info, self._entities)
            block.is_loose = True
            blocks[block.number] = block
            former = self._by_entity.pop(block.entity.name, None)
            if former is None and len(self._by_entity) == _MOST_BLOCKS:
                former = self._by_entity.pop(next(iter(self._by_entity)))
            if former is not None:
                self.blocks.pop(former.number, None)
            self._by_entity[block.entity.name] = block
            self.blocks[block.number] = block
            self._version += 1
            return block


_new = object.__new__

# By the address of their context's count of changes.
_known: weakref.WeakValueDictionary[int, LookUps] = weakref.WeakValueDictionary()


def look_ups_of(block: Block, made: LookUps | None = None) -> LookUps:
    """What looks up objects of a block's context: what there is, or what was made."""
    known = _known.get(block.changes)
    if known is None:
        known = _known[block.changes] = made or LookUps(block.entity.model)
    return known


def _related(block: Block, index: int, place: int) -> ManagedObject | None:
    look_ups: LookUps | None = block.look_ups
    if look_ups is None:
        look_ups = look_ups_of(block)
        if not block.is_loose:  # Those are kept by the others, and by the context.
            block.look_ups = look_ups
    return look_ups.related(block, index, place)


def read_loose(block: Block, place: int) -> ViewOfOne:
    """The view of an object that is read by itself."""
    reader = _readers.pop() if _readers else Reader()
    if shown or gone:
        settle_owed()
    status = functions.pinview_object_block_row(block.handle, place, reader.pointer, reader.error_pointer)
    if status or pending:
        reader.check(status, _readers)
    flags, text_size, _, changes, _ = _FILLED.unpack_from(reader.memory)
    view = reader.view(block, place, flags, text_size, changes)
    _readers.append(reader)
    return view


_readers: list[Reader] = []
_blocks.later.read_loose = read_loose
_blocks.later.related = _related
_blocks.later.date_places = lambda entity: plan_of(entity).has_dates


def _forget_all() -> None:
    """In a child made by fork()."""
    _readers.clear()
    _known.clear()


os.register_at_fork(after_in_child=_forget_all)
