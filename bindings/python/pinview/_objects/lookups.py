"""Looking up objects one at a time: one call returns the object's name together with its values.

The accelerator implements what is here too; see `hot_paths`.
"""

from __future__ import annotations

import itertools
import struct
import weakref
from collections.abc import Callable, Mapping
from ctypes import POINTER, addressof, byref, c_char, c_int32, c_uint64, c_void_p, cast, pointer, sizeof
from functools import lru_cache

from .._ffi.calls import finish_call, pending_exceptions
from .._ffi.handles import HandleOwner
from .._ffi.implementation import accelerated, chosen
from .._ffi.library import functions
from .._ffi.pending_releases import PLACE_BITS, flush, flush_fires, pending_fires, pending_releases
from .._ffi.prototypes import (
    PINVIEW_COLUMN_HAS_FAULTS,
    PINVIEW_COLUMN_HAS_NUL,
    PINVIEW_COLUMN_HAS_NULLS,
    PINVIEW_COLUMN_HAS_UNKNOWN,
    PINVIEW_COLUMN_NULL,
    PINVIEW_COLUMN_UNKNOWN,
    pinview_object_row,
    pinview_string,
    pinview_value,
)
from .._ffi.values import encode
from .._support import process
from .._support.annotating import Any
from .._support.forward import Lookups, ManagedObject, ObjectID, Self
from . import blocks as _blocks
from .blocks import Block
from .entities import EntityInfo
from .views import NEVER, ViewOfOne, clock_of, set_view

# Tables for bytes.translate: which states of a cell mean what.
_IS_NULL = bytes(state == PINVIEW_COLUMN_NULL for state in range(256))
_IS_UNKNOWN = bytes(state == PINVIEW_COLUMN_UNKNOWN for state in range(256))
# What a call fills in of a pinview_object_row: flags, text_size, name, changes and block.
_FILLED = struct.Struct("@4xI48xNQQP")
_PLACE_MASK = (1 << PLACE_BITS) - 1
_ROOM = 1 << 16
_MAX_DROPPED = 64
# How many blocks of a context can be open, one for each entity.
MAX_BLOCKS = 16


class RowFormat:
    """How the rows of an entity are packed, and how to unpack them."""

    __slots__ = ("count", "date_places", "dates", "names", "names_of_all", "numbers", "text_indexes", "texts")

    def __init__(self, entity: EntityInfo) -> None:
        properties = list(entity.properties.values())
        kinds = [_FORMATS.get(prop.type or "", "8x") if prop.is_attribute else "8x" for prop in properties]
        self.count = len(properties)
        self.numbers = struct.Struct("=" + "".join("8x" if kind in "td" else kind for kind in kinds).replace("r", "d"))
        self.dates = struct.Struct("=" + "".join("d" if kind == "d" else "8x" for kind in kinds))
        self.date_places: dict[str, int] = {
            prop.name: place for place, prop in enumerate(each for each, kind in zip(properties, kinds) if kind == "d")
        }
        self.text_indexes = [index for index, kind in enumerate(kinds) if kind == "t"]
        self.texts = [properties[index].name for index in self.text_indexes]
        self.names = [prop.name for prop, kind in zip(properties, kinds) if kind not in ("8x", "t", "d")] + self.texts
        self.names_of_all = [prop.name for prop in properties]


# By type of the attribute: r is a double, d a date, t a string.
_FORMATS = {
    **dict.fromkeys(("integer16", "integer32", "integer64"), "q"),
    **dict.fromkeys(("double", "float"), "r"),
    **dict.fromkeys(("string", "uri"), "t"),
    "boolean": "?7x",
    "date": "d",
}

row_format_of: Callable[[EntityInfo], RowFormat] = lru_cache(512)(RowFormat)


class Reader:
    """What one lookup needs: the struct of the call, and room for the values."""

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
        self.dropped = (c_uint64 * _MAX_DROPPED)()
        self.has_dropped = False
        self._array = (c_void_p * MAX_BLOCKS)()
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
        """Has the next calls name objects in these blocks, and keeps the blocks alive."""
        self.held = blocks
        for place, each in enumerate(blocks):
            self._array[place] = each.handle
        self.row.block_count = len(blocks)

    def take_releases(self) -> None:
        """Has the next call release what Python has let go of."""
        count = 0
        open_blocks = {block.number: block for block in self.held}
        while pending_releases:
            try:
                each = pending_releases.pop()
            except IndexError:  # another thread was faster
                break
            if type(each) is int:  # an additional count of an object that is alive
                name = each
            else:
                name = each.name
                block = open_blocks.get(name >> PLACE_BITS)
                if block is None or block._handles:
                    pending_releases.append(each)
                    flush()
                    break
                place = name & _PLACE_MASK
                if block.objects[place] is each:
                    block.objects[place] = None
            self.dropped[count] = name
            count += 1
            if count == _MAX_DROPPED:
                if pending_releases:
                    flush()
                break
        if count or self.has_dropped:
            self.row.dropped_count = count
            self.has_dropped = count > 0

    def check(self, status: int, free: list[Reader]) -> None:
        """Raises what went wrong in a call, after returning the reader to the free ones."""
        error = c_void_p(self.error.value)
        self.error.value = None
        try:
            finish_call(status, error)
        except BaseException:
            free.append(self)
            raise

    def view(self, block: Block, place: int, flags: int, text_size: int, version: int) -> ViewOfOne:
        """A view of one object with the values that the call has filled in."""
        clock = block.clock
        if clock.version != version:
            clock = block.clock = clock_of(block.changes, version)
        view = ViewOfOne(block, place)
        if clock is NEVER or flags & PINVIEW_COLUMN_HAS_FAULTS or not block.any_thread or _blocks.checks_queues:
            return view
        view.own = clock
        known: dict[str, Any] = view
        layout = row_format_of(block.entity)
        room = self.room
        values: Any = layout.numbers.unpack_from(room)
        if layout.texts:
            data = room[9 * layout.count : 9 * layout.count + text_size]
            values = [*values, *(_split_texts(data, layout, room) if flags & PINVIEW_COLUMN_HAS_NUL else data.decode("utf-8").split("\0"))]
        known.update(zip(layout.names, values))
        if layout.date_places:
            view.seconds = layout.dates.unpack_from(room)
        if flags:
            states = room[8 * layout.count : 9 * layout.count]
            if flags & PINVIEW_COLUMN_HAS_NULLS:
                known.update(dict.fromkeys(itertools.compress(layout.names_of_all, states.translate(_IS_NULL))))
            if flags & PINVIEW_COLUMN_HAS_UNKNOWN:
                for name in itertools.compress(layout.names_of_all, states.translate(_IS_UNKNOWN)):
                    known.pop(name, None)
                view.seconds = None
        return view


def _split_texts(data: bytearray, layout: RowFormat, room: bytearray) -> list[str]:
    """The strings of a row in which some contain NUL, so that NUL does not separate them."""
    cells = struct.Struct(f"={layout.count}q").unpack_from(room)
    places = [cells[index] for index in layout.text_indexes]
    return [data[place >> 32 : (place >> 32) + (place & 0xFFFF_FFFF)].decode("utf-8") for place in places]


@accelerated
class LookupsBase:
    """Looks up objects of a context, and keeps the blocks that receive them one at a time."""

    __slots__ = ("_free", "_held")

    # The blocks that have room for more objects.
    _held: tuple[Block, ...]
    _open: Callable[[int, int], Block]
    _named: Callable[[int], ManagedObject | None]

    def __init__(self) -> None:
        # Readers that are not in use. Each lookup takes one out, so threads and callbacks never
        # share one.
        self._free: list[Reader] = []

    def object(self, context: int, identity: int, loads: int) -> tuple[ManagedObject, int]:
        """The object of an ID, and the value of the change counter for which that is valid."""
        return self._found(functions.pinview_context_object_row, context, identity, loads)

    def of_result(self, result: int, first: int, count: int) -> list[ManagedObject]:
        """Objects of a result, one by one."""
        return [self._found(_result_row, result, index, None)[0] for index in range(first, first + count)]

    def related(self, block: Block, index: int, place: int) -> ManagedObject | None:
        """The destination of a to-one relationship."""
        target: ManagedObject | None
        target, _ = self._found(functions.pinview_object_block_related_row, block.handle, index, place)
        return target

    def insert(
        self, context: int, entity: int, places: Mapping[str, int], values: Mapping[str, Any]
    ) -> tuple[ManagedObject, dict[str, Any] | None]:
        """A new object with its values, and those still to be set, if any: all but plain values of
        properties with a place.

        Args:
            context: The handle of the context.
            entity: The address of the entity's name, a pinview_string.
            places: The indexes of properties that can be set here, by name.
            values: The values by name.
        """
        plain = {name: value for name, value in values.items() if name in places and _is_plain(value)}
        rest = None if len(plain) == len(values) else {name: value for name, value in values.items() if name not in plain}
        indexes, cells = (c_int32 * len(plain))(*map(places.__getitem__, plain)), (pinview_value * len(plain))()
        kept = [encode(value, cell) for value, cell in zip(plain.values(), cells)]
        key = pinview_string.from_address(entity)
        is_inserted = False

        def function(context: int, first: Any, second: Any, row: Any, error: Any) -> int:
            nonlocal is_inserted
            if is_inserted:
                raise SystemError("a new object has a name already")
            status: int = functions.pinview_context_insert_row(context, key, first, second, len(plain), row, error)
            is_inserted = True
            return status

        target, _ = self._found(function, context, indexes, cells)
        del kept  # the call has copied it
        return target, rest

    def _found(self, function: Any, first: int, second: Any, third: Any) -> tuple[Any, int]:
        """The object that a function names, if any, and the change counter for which that is valid;
        0 for never.
        """
        try:
            reader = self._free.pop()
        except IndexError:
            reader = Reader()
        if pending_fires:
            flush_fires()
        if reader.held is not self._held:
            reader.take_blocks(self._held)
        if pending_releases or reader.has_dropped:
            reader.take_releases()
        status = function(first, second, third, reader.pointer, reader.error_pointer)
        if status or pending_exceptions:
            reader.check(status, self._free)
        flags, text_size, name, changes, made = _FILLED.unpack_from(reader.memory)
        target: ManagedObject | None = None
        if not name:
            self._free.append(reader)
            return None, changes
        number, place = name >> PLACE_BITS, name & _PLACE_MASK
        block = self._open(made, addressof(reader.row.info)) if made else _numbered(reader.held, number)
        if block is None:  # it was named before, in another block
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


def _result_row(result: int, index: int, _: Any, row: Any, error: Any) -> int:
    status: int = functions.pinview_result_object_row(result, index, row, error)
    return status


def _is_plain(value: Any) -> bool:
    """Whether the value can be passed as it is."""
    kind = type(value)
    if kind is int:
        return bool(-(1 << 63) <= value < 1 << 63)
    if kind is str:
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
        return True
    return value is None or kind is float or kind is bool


def _numbered(blocks: tuple[Block, ...], number: int) -> Block | None:
    for block in blocks:
        if block.number == number:
            return block
    return None


@accelerated
def read_loose(block: Block, place: int) -> ViewOfOne:
    """Reads a single object, and returns its view."""
    reader = _readers.pop() if _readers else Reader()
    if pending_fires or pending_releases:
        flush()
    status = functions.pinview_object_block_row(block.handle, place, reader.pointer, reader.error_pointer)
    if status or pending_exceptions:
        reader.check(status, _readers)
    flags, text_size, _, changes, _ = _FILLED.unpack_from(reader.memory)
    view = reader.view(block, place, flags, text_size, changes)
    _readers.append(reader)
    return view


_readers: list[Reader] = []
# In a child made by fork() they may be in use by threads that no longer exist.
process.in_child(_readers.clear)


# Numbers for contexts and for epochs of their caches; each is used once.
_numbers = itertools.count(1)

# For how many contexts an ID caches its object: those that used it last.
MAX_CONTEXTS = 4

# The number of a context, the epoch of its cache, and the object.
CachedObject = tuple[int, int, "weakref.ref[ManagedObject]"]


@accelerated
class ObjectIDBase(HandleOwner):
    """An ID, with the objects that it stands for. The base class of ObjectID."""

    __slots__ = ("_cached", "_hash")

    _cached: tuple[CachedObject, ...]
    _hash: int

    def __new__(cls) -> Self:
        made = super().__new__(cls)
        made._cached = ()
        return made

    def _forget_objects(self) -> None:
        """Forgets the objects that the ID stands for."""
        self._cached = ()


@accelerated
class ContextBase(HandleOwner):
    """Looks up objects by their IDs. The base class of Context.

    While nothing changes, an ID stands for the same object. The entries of this cache lie in the
    IDs themselves, so that looking up an ID needs no table.
    """

    __slots__ = ("_counter", "_epoch", "_lookup_version", "_lookups", "_number")

    _counter: c_uint64
    _epoch: int
    _number: int
    # The value of the change counter for which the cache is valid; -1 for none.
    _lookup_version: int
    # None until the first look-up.
    _lookups: Lookups | None

    _look_up: Callable[[ObjectID, int], ManagedObject]

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made._number = next(_numbers)
        made._forget_lookups()
        return made

    def object(self, object_id: ObjectID) -> ManagedObject:
        """The object of an ID: the registered one, or a new fault. Does not check whether the row
        exists.
        """
        target = self._cached_object(object_id)
        return self._look_up(object_id, 0) if target is None else target

    def existing_object(self, object_id: ObjectID) -> ManagedObject:
        """The object of an ID with its values loaded; raises ObjectNotFoundError if there is no
        such row.
        """
        target = self._cached_object(object_id)
        if target is not None:
            view = target._view
            if isinstance(view, ViewOfOne) and view.own.version == view.own.value:
                return target
        return self._look_up(object_id, 1)

    def _cached_object(self, object_id: ObjectID) -> ManagedObject | None:
        if isinstance(object_id, ObjectIDBase) and self._counter.value == self._lookup_version:
            for number, epoch, found in object_id._cached:
                if number == self._number:
                    return found() if epoch == self._epoch else None
        return None

    def _cache_object(self, object_id: ObjectID, target: ManagedObject, changes: int) -> None:
        """Caches the object that was found for an ID at a value of the change counter."""
        if changes != self._lookup_version:
            block = _blocks.block_of(target)
            if not block.any_thread or _blocks.checks_queues:
                return
            self._counter, self._lookup_version, self._epoch = c_uint64.from_address(block.changes), changes, next(_numbers)
        others = [each for each in object_id._cached if each[0] != self._number]
        object_id._cached = ((self._number, self._epoch, weakref.ref(target)), *others[: MAX_CONTEXTS - 1])

    def _forget_lookups(self) -> None:
        """Empties the cache."""
        self._counter = NEVER
        self._lookup_version = -1
        self._epoch = next(_numbers)


def _inherit_look_ups(kind: type[ContextBase]) -> None:
    """Leaves it at that: methods in Python are called as fast if they are inherited."""


# Gives a class the look-ups of ContextBase as methods of its own.
own_look_ups: Callable[[type[ContextBase]], None] = chosen("own_look_ups", _inherit_look_ups)
