"""Blocks of objects: how objects are named, and read many at a time.

In Python an object is a place in a block of the library. The columns that have been read of a block
lie in its view. They are valid as long as the context's change counter, a word in the library's
memory, has the value that it had when they were read. The first access gives the object that view;
from then on reading an attribute is a look into a list.
"""

from __future__ import annotations

import os
import struct
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from ctypes import addressof, byref, c_int32, c_uint32, c_uint64, c_void_p, sizeof
from functools import lru_cache, partial

from .._ffi import handles
from .._ffi.calls import call_for_handle
from .._ffi.implementation import accelerated, accelerator, connect
from .._ffi.library import functions
from .._ffi.pending_releases import PLACE_BITS, pending_releases
from .._ffi.pending_releases import blocks as _blocks
from .._ffi.prototypes import pinview_object_block_info, pinview_value
from .._support import lazy, process
from .._support.annotating import Any
from .._support.forward import EntityLayout, Lookups, ManagedObject
from ..errors import DataError, ForkedError, InvalidHandleError, StoreError
from .columns import read_cell, read_column, read_row, write_cell
from .entities import EntityInfo, EntityTable, Property
from .views import NEVER, AnyView, Places, View, ViewOfOne, clock_of, retire_clocks, set_view, track

# How many objects are named in one call.
SIZE = 512
_PLACE_MASK = (1 << PLACE_BITS) - 1
# The layout of pinview_object_block_info.
_INFO = struct.Struct("@IiQPPii")


class LookupFunctions:
    """Functions of the modules above this one, which set them."""

    read_loose: Callable[[Block, int], ViewOfOne]
    """Reads a single object and returns its view."""
    related: Callable[[Block, int, int], ManagedObject | None]
    """The destination of a to-one relationship: block, index of the property, place."""
    date_places: Callable[[EntityInfo], Mapping[str, int]]
    """The positions, by property name, in ViewOfOne.seconds."""
    forget_lookups: Callable[[], None]
    """Has contexts forget the objects that they find without a call."""


lookup_functions: LookupFunctions = LookupFunctions()
# Until the module of contexts is loaded there are none.
lookup_functions.forget_lookups = lambda: None


class Closings:
    """How many objects have been closed. Lists of members made before may contain one of them."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


closings = Closings()


class _Owner:
    """Releases a block's handles. A __del__ of the block would not do, because while it runs other
    threads can still get the block from weak references.
    """

    __slots__ = ("handle", "handles", "pid")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        # Handles, by place, of the objects that needed one.
        self.handles: dict[int, int] = {}
        self.pid = handles._process

    def __del__(self, _getpid: Callable[[], int] = os.getpid) -> None:
        if self.pid == _getpid():
            for each in self.handles.values():
                functions.pinview_object_release(each)
            functions.pinview_object_block_release(self.handle)


class Block(Places):
    """Objects of one entity and one context."""

    __slots__ = (
        "__weakref__",
        "_owner",
        "_unread_view",
        "cache_changes",
        "changes",
        "handle",
        "is_single",
        "lookups",
        "members",
    )

    def __init__(self, handle: int, info: pinview_object_block_info, entities: EntityTable) -> None:
        super().__init__()
        self.pid = handles._process
        self.handle = handle
        _, entity, self.number, self.changes, cache_changes, any_thread, _ = _INFO.unpack_from(info)
        self.entity = entities.listed[entity]
        self.kind = self.entity.object_class
        self.cache_changes = NEVER if cache_changes == 0 else c_uint64.from_address(cache_changes)
        self.any_thread = bool(any_thread)
        # Whether it was made for a single object. Other blocks too may have a single object for a
        # moment, while a second thread adds the rest.
        self.is_single = False
        self._owner = _Owner(handle)
        self._handles = self._owner.handles
        self._unread_view: weakref.ref[View] | None = None
        # Set by `context_lookups`.
        self.lookups: Lookups | None = None
        # Members that nobody has asked for yet, by relationship; see `members`.
        self.members: dict[str, Any] = {}
        self._prepare(handle, self.changes, cache_changes, layout_of(self.entity))

    # Objects

    def _view_of_unread(self) -> View:
        """The view of the objects that nobody has read."""
        view = None if self._unread_view is None else self._unread_view()
        if view is None:
            view = View(self, NEVER)
            self._unread_view = weakref.ref(view)
        return view

    def add(self, count: int) -> list[ManagedObject]:
        """Makes all objects of a new block."""
        return self.add_objects(self._view_of_unread(), count)

    def object(self, place: int) -> ManagedObject:
        """The object at a place that the library has named once more, adding one to its count."""
        known = self.known_object(place)
        if known is not None:
            pending_releases.append(self.number << PLACE_BITS | place)
            return known
        return self.make_object(ViewOfOne(self, place) if self.is_loose else self._view_of_unread(), place)

    def handle_of(self, place: int) -> int:
        """The handle of an object; it belongs to the block."""
        self.check()
        handle = self._handles.get(place)
        if handle is None:
            made = call_for_handle(functions.pinview_object_release, functions.pinview_object_block_object, self.handle, place) or 0
            handle = self._handles.setdefault(place, made)
            if handle != made:  # another thread was faster
                functions.pinview_object_release(made)
        return handle

    def drop(self, places: bytes) -> None:
        """Releases objects: their places, as bytes of uint32."""
        view = None if self._current is None else self._current()
        count = len(places) // 4
        # Another thread may be adding a column.
        names = () if view is None else tuple(view.keys_of)
        columns = [view[name] for name in names if view is not None and name in view]
        if self._handles or columns:
            for place in memoryview(places).cast("I"):
                for column in columns:
                    if column[place] is not None:
                        column[place] = UNRESOLVED
                if place in self._handles and self.known_object(place) is None:
                    functions.pinview_object_release(self._handles.pop(place, None))
        functions.pinview_object_block_drop(self.handle, (c_uint32 * count).from_buffer_copy(places), count)

    def check(self) -> None:
        """Raises ForkedError for a block that was made before fork()."""
        if self.pid != handles._process:
            raise ForkedError(handles.FORKED, domain="PinviewErrorDomain", code=105)

    # Reading

    def read(self, target: ManagedObject, prop: Property) -> Any:
        """A property of an object whose view lacks it or is not valid."""
        self.check()
        if self.is_loose:
            return self._read_loose(target, prop)
        place = target._place
        if not self.any_thread or checks_queues:
            return self._read_single(prop, place)
        view = None if self._current is None else self._current()
        if view is not None and view.clock.version != view.clock.value:
            view = None
        if view is None or place in view.unknown:
            if self._current is not None and not self._should_reread():
                return self._read_single(prop, place)
            if self.is_single and prop.is_attribute and not prop.transient:
                view = self._with_row(place)
            if view is None or prop.name not in view:
                view = self._with_column(None, prop, place)
        elif view.faults[place] and view.cache_version and self.cache_changes.value != view.cache_version:
            view = self._with_column(None, prop, place)
        elif prop.name not in view:
            view = self._with_column(view, prop, place)
        if place in view.unknown:
            return self._read_single(prop, place)
        view.note_read(place)
        set_view(target, view)
        return view[prop.name][place] if prop.is_attribute else self.destination(view, prop.name, place)

    def _read_loose(self, target: ManagedObject, prop: Property) -> Any:
        view: Any = target._view
        place = view.at
        if not self.any_thread or checks_queues:
            return self._read_single(prop, place)
        if view.own.version != view.own.value:
            view = lookup_functions.read_loose(self, place)
            set_view(target, view)
        if prop.name in view:
            known = view[prop.name]
            if prop.is_attribute or known is None or known._view is not CLOSED:
                return known
        clock = view.own
        if prop.type == "date" and view.seconds is not None and not prop.transient:
            value: Any = lazy.dates.date_of_seconds(view.seconds[lookup_functions.date_places(self.entity)[prop.name]])
        else:
            value = self._read_single(prop, place)
        if clock.version == clock.value:
            view[prop.name] = value
            if not prop.is_attribute:
                view.keys_of = {**view.keys_of, prop.name: []}
        return value

    def _with_column(self, view: View | None, prop: Property, place: int) -> View:
        """Reads a column, and returns the view that has it."""
        column = read_column(self.handle, prop.index, place, view is None)
        clock = clock_of(self.changes, column.changes)
        if view is not None and (view.clock is not clock or not column.unknown <= view.unknown):
            return self._with_column(None, prop, place)
        if view is None:
            view = View(self, clock)
            view.unknown, view.cache_version = column.unknown, column.cache_changes
            if column.faults is not None:
                view.faults = column.faults
            former = None if self._current is None else self._current()
            if former is not None:
                former.clock = NEVER
            if clock is not NEVER:
                self._current = weakref.ref(view)
                self._view_of_unread().next = view
        if prop.is_attribute:
            view[prop.name] = column.values
        else:
            view.hierarchies[prop.name] = column.hierarchy
            view.keys_of[prop.name] = column.values
            view[prop.name] = [None if key is None else UNRESOLVED for key in column.values]
        return view

    def _with_row(self, place: int) -> View | None:
        """Reads all attributes of the block's only object, and returns the view that has them."""
        names, indexes, room = row_of(self.entity)
        try:
            values, changes = read_row(self.handle, place, indexes, room)
        except (DataError, StoreError):  # to be raised when that very attribute is read
            return None
        clock = clock_of(self.changes, changes)
        if clock is NEVER or place != 0:
            return None
        view = View(self, clock)
        for each, value in zip(names, values):
            view[each] = [value]
        self._current = weakref.ref(view)
        return view

    def _read_single(self, prop: Property, place: int) -> Any:
        if prop.is_attribute:
            if not prop.transient:
                # The whole row, as the accelerator has it in half the time of a single value.
                view = lookup_functions.read_loose(self, place)
                if prop.name in view:
                    return view[prop.name]
            return read_cell(self.handle, prop.index, place)
        return self._related_object(prop, place)

    # To-one relationships

    def destination(self, view: AnyView, name: str, place: int) -> ManagedObject | None:
        """The destination of a to-one relationship."""
        target: ManagedObject | None = view[name][place]
        if target is None or (target is not UNRESOLVED and target._view is not CLOSED):
            return target
        clock, key = view.clock, view.keys_of[name][place]
        if key is None:
            return None
        if clock is NEVER:
            # Read in a callback, while the context changes: nothing is known to stay as it is.
            return self._related_object(self.entity.properties[name], place)
        known = clock.destinations.get(view.hierarchies[name])
        if known is None:
            known = clock.destinations[view.hierarchies[name]] = {}
        reference = known.get(key)
        target = None if reference is None else reference()
        if target is None or target._view is CLOSED:
            target = self._related_object(self.entity.properties[name], place)
            if target is None or clock.version != clock.value:
                return target
            known[key] = weakref.ref(target)
        track(target)
        view[name][place] = target
        return target

    def _related_object(self, prop: Property, place: int) -> ManagedObject | None:
        return lookup_functions.related(self, prop.index, place)

    # Changing

    def write(self, target: ManagedObject, prop: Property, value: Any) -> None:
        """Sets an attribute or a to-one relationship."""
        if self.pid != handles._process:
            self.check()
        view: AnyView | None = target._view
        if isinstance(view, ViewOfOne):
            place, clock = view.at, view.own
        else:
            place = target._place
            view = None if self._current is None else self._current()
            clock = NEVER if view is None else view.clock
        if prop.value_transformer is not None:
            value = lazy.transforming.encoded(prop, value)
        elif prop.type == "uuid" and isinstance(value, str):
            value = lazy.foreign.uuid_of_text(value, f"{self.entity.name}.{prop.name}")
        before = clock.value
        was_valid = clock.version == before
        write_cell(self.handle, prop.index, place, value)
        if view is None or not was_valid:
            return
        # If this was the only change, and the value reads as it was set, everything else that was
        # read stays valid.
        if clock.value == before + 1 and clock.version == before and type(value) in _PLAIN.get(prop.type or "", ()):
            if self.is_loose:
                view[prop.name] = value
            else:
                column = view.get(prop.name)
                if column is not None:
                    column[place] = value
                if view.faults[place]:
                    view.faults[place] = 0  # type: ignore[index]
            clock.version = before + 1


# Types of values that read as they were set, by type of the attribute.
_PLAIN: dict[str, tuple[type, ...]] = {
    "string": (str, type(None)),
    "integer16": (int, type(None)),
    "integer32": (int, type(None)),
    "integer64": (int, type(None)),
    "double": (float, type(None)),
    "boolean": (bool, type(None)),
}


# Stands for a destination that nobody has asked for yet.
UNRESOLVED: Any = object()


@lru_cache(512)
def row_of(entity: EntityInfo) -> tuple[list[str], Any, Any]:
    """The attributes of an entity, their indexes, and the type of an array for their values."""
    chosen = [prop for prop in entity.properties.values() if prop.is_attribute]
    return [prop.name for prop in chosen], (c_int32 * len(chosen))(*[prop.index for prop in chosen]), pinview_value * len(chosen)


# The view of objects that have been closed.
CLOSED = View(None, NEVER)  # type: ignore[arg-type]
connect(closed=CLOSED, unresolved=UNRESOLVED)


@lru_cache(512)
def layout_of(entity: EntityInfo) -> EntityLayout | None:
    """The accelerator's description of the properties of an entity."""
    if accelerator is None:
        return None
    properties = entity.properties.values()
    kinds = [_KINDS.get(prop.type or "", "x") if prop.is_attribute else "o" for prop in properties]
    return accelerator.Layout(tuple(prop.name for prop in properties), "".join(kinds))


# The accelerator's codes for the representation of values in cells, by type of the attribute.
_KINDS = {
    **dict.fromkeys(("integer16", "integer32", "integer64"), "q"),
    "double": "r",
    "float": "f",
    "string": "t",
    "uri": "u",
    "boolean": "?",
    "date": "d",
}


def place_of(target: ManagedObject) -> int:
    """The place of an object in its block."""
    view = target._view
    return target._place if view.at < 0 else view.at


def name_of(target: ManagedObject) -> int:
    """The name of an object, to be passed to a call that does not keep it."""
    block = block_of(target)
    if block.pid != handles._process:
        block.check()
    name: int = block.number << PLACE_BITS | place_of(target)
    return name


def block_of(target: ManagedObject) -> Block:
    """The block of an object; raises InvalidHandleError for one that has been closed."""
    view = target._view
    if view is CLOSED:
        raise InvalidHandleError(f"This {type(target).__name__} has been closed; create a new one.")
    return view.block


# Whether the library checks which thread a call comes from. Then nothing may be read without a
# call.
checks_queues = False


def check_queues(enabled: bool) -> None:
    """Called when the library's concurrency check is switched on or off."""
    global checks_queues
    checks_queues = enabled
    if accelerator is not None:
        accelerator.set_checks_queues(enabled)
    retire_clocks()
    lookup_functions.forget_lookups()


naming_lock = threading.RLock()


def _forget_all() -> None:
    """In a child made by fork()."""
    global naming_lock
    naming_lock = threading.RLock()
    retire_clocks()


process.in_child(_forget_all)


# Naming


def name(naming: Callable[..., int], count: int, entities: EntityTable) -> list[ManagedObject]:
    """The objects that a function of the library names, in order. Missing objects have no name."""
    names = (c_uint64 * count)()
    blocks: dict[int, Block] = {}
    surplus: list[int] = []
    while True:
        _name(naming, names, blocks, entities)
        if len(blocks) == 1 and not surplus and first_of_block(addressof(names), count) is not None:
            # The usual case: all of them are new.
            (block,) = blocks.values()
            with naming_lock:
                if not block.object_count:
                    return block.add(count)
        numbers: list[int] = names[:]
        lost = {number >> PLACE_BITS for number in numbers if number} - blocks.keys()
        for each in tuple(lost):
            known = _blocks.get(each)
            if known is not None:
                blocks[each] = known
                lost.discard(each)
        if not lost:
            break
        # Another thread is making or releasing the block. Each call that returns a name again adds
        # one to its count.
        time.sleep(0.0001)
        surplus += [number for number in numbers if number >> PLACE_BITS in lost]
        names[:] = [0 if number >> PLACE_BITS in lost else number for number in numbers]
    with naming_lock:
        found = [blocks[number >> PLACE_BITS].object(number & _PLACE_MASK) for number in numbers if number]
    pending_releases.extend(surplus)
    return found


@accelerated
def first_of_block(address: int, count: int) -> int | None:
    """The first of an array of names, if they are those of a whole new block in order; else
    None.
    """
    numbers = (c_uint64 * count).from_address(address)[:]
    is_whole = numbers == list(range(numbers[0], numbers[0] + count)) and numbers[0] & _PLACE_MASK == 0
    return numbers[0] if is_whole else None


def named(each: int, entities: EntityTable) -> ManagedObject | None:
    """The object of a name that the library returned; None while another thread makes or releases
    its block.
    """
    block = _blocks.get(each >> PLACE_BITS)
    if block is None:
        return None
    with naming_lock:
        return block.object(each & _PLACE_MASK)


def _name(naming: Callable[..., int], names: Any, blocks: dict[int, Block], entities: EntityTable) -> None:
    """Calls the function until everything has a name; each call can make one block."""
    while True:
        info = pinview_object_block_info(struct_size=sizeof(pinview_object_block_info))
        handle = call_for_handle(functions.pinview_object_block_release, _Naming(naming, names, info))
        if handle is None:
            return
        block = Block(handle, info, entities)
        block.is_single = len(names) == 1
        blocks[block.number] = _blocks[block.number] = block
        if first_of_block(addressof(names), len(names)) is not None or 0 not in names[:]:
            return


class _Naming:
    """A naming function with all its arguments except the last two: where the block and the error
    go.
    """

    __slots__ = ("_function", "_info", "_names")

    def __init__(self, function: Callable[..., int], names: Any, info: pinview_object_block_info) -> None:
        self._function, self._names, self._info = function, names, info

    def __call__(self, out: Any, error: Any) -> int:
        return self._function(self._names, out, byref(self._info), error)


def of_result(result: int, first: int, count: int, entities: EntityTable) -> list[ManagedObject]:
    """Objects of a result, from `first` on."""
    found: list[ManagedObject] = []
    for begin in range(first, first + count, SIZE):
        size = min(SIZE, first + count - begin)
        found += name(partial(functions.pinview_result_object_block, result, begin, size), size, entities)
    return found


def of_handle(handle: int, entities: EntityTable) -> ManagedObject:
    """The object of a borrowed handle."""
    return name(partial(functions.pinview_objects_object_block, byref(c_void_p(handle)), 1), 1, entities)[0]
