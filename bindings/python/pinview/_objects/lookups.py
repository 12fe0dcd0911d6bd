"""Looking objects up one at a time: the object, its name and its values come with one call.

What is here has twins in the accelerator; see `_implementation`.
"""

from __future__ import annotations

import itertools
import os
import struct
import weakref
from ctypes import POINTER, addressof, byref, c_char, c_uint64, c_void_p, cast, pointer, sizeof
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable

from .._ffi.calls import _pending as pending
from .._ffi.calls import settle
from .._ffi.implementation import accelerator
from .._ffi.library import functions
from .._ffi.pending_releases import PLACE_BITS, gone, settle_shown, shown
from .._ffi.pending_releases import settle as settle_owed
from .._ffi.prototypes import (
    PINVIEW_COLUMN_HAS_FAULTS,
    PINVIEW_COLUMN_HAS_NUL,
    PINVIEW_COLUMN_HAS_NULLS,
    PINVIEW_COLUMN_HAS_UNKNOWN,
    PINVIEW_COLUMN_NULL,
    PINVIEW_COLUMN_UNKNOWN,
    pinview_object_row,
)
from . import blocks as _blocks
from .blocks import Block
from .views import NEVER, ViewOfOne, clock_of, set_view

if TYPE_CHECKING:
    from ..managed_object import ManagedObject
    from ..model import EntityInfo

# What states say, as tables for bytes.translate.
_IS_NULL = bytes(state == PINVIEW_COLUMN_NULL for state in range(256))
_IS_UNKNOWN = bytes(state == PINVIEW_COLUMN_UNKNOWN for state in range(256))
# What a call fills in a pinview_object_row: flags, text_size, name, changes and block.
_FILLED = struct.Struct("@4xI48xNQQP")
_PLACE_MASK = (1 << PLACE_BITS) - 1
_ROOM = 1 << 16
_MOST_DROPPED = 64
# Open blocks of a context, one for each entity at the most.
MOST_BLOCKS = 16


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
        "dropped",
        "error",
        "error_pointer",
        "has_dropped",
        "held",
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
        self._array = (c_void_p * MOST_BLOCKS)()
        self.held: tuple[Block, ...] = ()
        self.row = pinview_object_row.from_buffer(self.memory)
        self.row.struct_size = sizeof(pinview_object_row)
        self.row.room, self.row.room_size = addressof((c_char * _ROOM).from_buffer(self.room)), _ROOM
        self.row.dropped = cast(self.dropped, POINTER(c_uint64))
        self.row.blocks = cast(self._array, POINTER(c_void_p))
        self.pointer = pointer(self.row)
        self.error = c_void_p()
        self.error_pointer = byref(self.error)

    def take_blocks(self, blocks: tuple[Block, ...]) -> None:
        """Has the next calls name objects in these blocks, which live as long as they may be used."""
        self.held = blocks
        for place, each in enumerate(blocks):
            self._array[place] = each.handle
        self.row.block_count = len(blocks)

    def take_gone(self) -> None:
        """Has the next call give back what Python has let go of."""
        count = 0
        open_blocks = {block.number: block for block in self.held}
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
                known.update(dict.fromkeys(itertools.compress(plan.names_of_all, states.translate(_IS_NULL))))
            if flags & PINVIEW_COLUMN_HAS_UNKNOWN:
                for name in itertools.compress(plan.names_of_all, states.translate(_IS_UNKNOWN)):
                    known.pop(name, None)
                view.seconds = None
        return view


def _cut(data: bytearray, plan: Plan, room: Any) -> list[str]:
    cells = struct.Struct(f"={plan.count}q").unpack_from(room)
    places = [cells[index] for index in plan.text_indexes]
    return [data[place >> 32 : (place >> 32) + (place & 0xFFFF_FFFF)].decode("utf-8") for place in places]


class LookUpsBase:
    """The blocks of a context that take in objects one at a time."""

    __slots__ = ("_free", "_held")

    # Those that still take objects in.
    _held: tuple[Block, ...]
    _open: Callable[[int, int], Block]
    _named: Callable[[int], ManagedObject | None]

    def __init__(self) -> None:
        # Not in use: each look-up takes one out, so threads and callbacks never share one.
        self._free: list[Reader] = []

    def object(self, context: int, identity: int, loads: int) -> tuple[Any, int]:
        """The object of an ID, and the count of changes up to which that holds."""
        return self._found(functions.pinview_context_object_row, context, identity, loads)

    def related(self, block: Block, index: int, place: int) -> ManagedObject | None:
        """Where a to-one relationship leads."""
        target: ManagedObject | None
        target, _ = self._found(functions.pinview_object_block_related_row, block.handle, index, place)
        return target

    def _found(self, function: Any, first: int, second: int, third: int) -> tuple[Any, int]:
        """The object that a function names, None for none, and the count of changes up to which that holds; 0 for no count."""
        try:
            reader = self._free.pop()
        except IndexError:
            reader = Reader()
        if shown:
            settle_shown()
        if reader.held is not self._held:
            reader.take_blocks(self._held)
        if gone or reader.has_dropped:
            reader.take_gone()
        status = function(first, second, third, reader.pointer, reader.error_pointer)
        if status or pending:
            reader.check(status, self._free)
        flags, text_size, name, changes, made = _FILLED.unpack_from(reader.memory)
        target: ManagedObject | None = None
        if not name:
            self._free.append(reader)
            return None, changes
        number, place = name >> PLACE_BITS, name & _PLACE_MASK
        block = self._open(made, addressof(reader.row.info)) if made else _numbered(reader.held, number)
        if block is None:  # It has been named before.
            self._free.append(reader)
            target = self._named(name)
            return self._found(function, first, second, third) if target is None else (target, changes)
        with _blocks.naming_lock:
            if place == block.object_count:
                target = block.make_object(reader.view(block, place, flags, text_size, changes), place)
            else:
                target = block.object(place)
                former = target._view
                if isinstance(former, ViewOfOne) and former.own.version != former.own.value:
                    set_view(target, reader.view(block, place, flags, text_size, changes))
        self._free.append(reader)
        return target, changes


def _numbered(blocks: tuple[Block, ...], number: int) -> Block | None:
    for block in blocks:
        if block.number == number:
            return block
    return None


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
# In a child made by fork() they may be in use by threads that are gone.
os.register_at_fork(after_in_child=_readers.clear)


# Of contexts, and of times at which one began anew; none is given twice.
_numbers = itertools.count(1)

# So many contexts at the most are known to an ID: those that used it last.
MOST_CONTEXTS = 4

# Of a context: its number, the time since which it holds, and the object.
Finding = tuple[int, int, "weakref.ref[ManagedObject]"]


class Found:
    """The objects that IDs stand for in a context, for as long as nothing changes.

    Each ID has its findings itself, so that who has the ID needs to look nowhere else.
    """

    __slots__ = ("_context", "_count", "_time", "version")

    def __init__(self) -> None:
        self._context = next(_numbers)
        self.forget()

    def forget(self) -> None:
        """Forgets all."""
        self._count: c_uint64 = NEVER
        # The count of changes up to which all of it holds; -1 for none.
        self.version = -1
        self._time = next(_numbers)

    def get(self, findings: tuple[Finding, ...] | None) -> ManagedObject | None:
        """The object of an ID by its findings, if that still holds."""
        if findings is not None and self._count.value == self.version:
            for context, time, found in findings:
                if context == self._context:
                    return found() if time == self._time else None
        return None

    def loaded(self, findings: tuple[Finding, ...] | None) -> ManagedObject | None:
        """The same, if its values hold as well."""
        target = self.get(findings)
        view = None if target is None else target._view
        return target if isinstance(view, ViewOfOne) and view.own.version == view.own.value else None

    def note(self, former: tuple[Finding, ...] | None, target: ManagedObject, changes: int) -> tuple[Finding, ...] | None:
        """The findings of an ID with an object that was found at a count of changes."""
        if changes != self.version:
            block = _blocks.block_of(target)
            if not block.any_thread or _blocks.checks_queues:
                return former
            self._count, self.version, self._time = c_uint64.from_address(block.changes), changes, next(_numbers)
        others = [each for each in former or () if each[0] != self._context]
        return ((self._context, self._time, weakref.ref(target)), *others[: MOST_CONTEXTS - 1])


if accelerator is not None and not TYPE_CHECKING:
    Found, LookUpsBase, read_loose = accelerator.Found, accelerator.LookUpsBase, accelerator.read_loose
