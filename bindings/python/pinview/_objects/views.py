"""What has been read of blocks and of single objects, and which view and place an object has.

                    ┌─ Clock: the context's change counter, and its value when the columns were read
    object ─► View ─┤
                    └─ columns by property name, each a list by place; the object's place is its
                    index

The accelerator implements the classes here too; see `hot_paths`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from ctypes import c_uint64
from itertools import repeat

from .._ffi.implementation import accelerated, chosen
from .._ffi.pending_releases import PLACE_BITS, Reference, pending_fires, pending_releases
from .._ffi.prototypes import PINVIEW_OBJECT_BLOCK_LIMIT
from .._support.annotating import Any
from .._support.forward import Block, EntityLayout, ManagedObject
from .entities import EntityInfo


class Clock(c_uint64):
    """A context's change counter, in the library's memory, and its value when something was read.

    What was read is valid while `value`, the counter, equals `version`.
    """

    __slots__ = ("destinations", "version")

    version: int
    # Destinations of relationships by hierarchy and key. While nothing changes a key stands for the
    # same object.
    destinations: dict[int, dict[int, weakref.ref[ManagedObject]]]


_never = Clock()
_never.version = -1

# The clock of what is never valid.
NEVER: Clock = chosen("NEVER", _never)

# By the address of the counter.
_clocks: dict[int, Clock] = {}


@accelerated
def clock_of(address: int, version: int) -> Clock:
    """The clock for what was read when the counter at an address had a value; NEVER for the value
    0.
    """
    if version == 0:
        return NEVER
    clock = _clocks.get(address)
    if clock is None or clock.version != version:
        clock = Clock.from_address(address)
        clock.version = version
        clock.destinations = {}
        _clocks[address] = clock
    return clock


@accelerated
def retire_clocks() -> None:
    """Invalidates everything that has been read so far."""
    for clock in tuple(_clocks.values()):
        clock.version = -1
    _clocks.clear()


class AnyView(dict[str, Any]):
    """What View and ViewOfOne have in common."""

    __slots__ = (
        "__weakref__",
        "at",
        "block",
        "cache_version",
        "clock",
        "faults",
        "fired",
        "hierarchies",
        "keys_of",
        "next",
        "unknown",
    )

    block: Block
    clock: Clock
    # Set in the view of objects that have not been read: the view to read them from.
    next: View | None
    # Places that cannot be read from here.
    unknown: set[int]
    # By place: whether the object is a fault that nobody has read.
    faults: bytes | bytearray
    # Places of faults that were read here, until the library has been told.
    fired: list[int]
    # The value of the row cache's change counter to which `faults` belongs; 0 if there is none.
    cache_version: int
    # For to-one relationships: the keys of the destinations, and the hierarchy in which they are
    # unique. The column itself holds the destinations that have been asked for, so an object keeps
    # its destinations alive.
    keys_of: dict[str, Any]
    hierarchies: dict[str, int]
    # In a ViewOfOne: the place of its object in the block; -1 here.
    at: int


@accelerated
class View(AnyView):
    """Columns of a block, by property name."""

    __slots__ = ()

    def __init__(self, block: Block, clock: Clock) -> None:
        self.block = block
        self.clock = clock
        self.next = None
        self.unknown = set()
        self.faults = _NO_FAULTS
        self.fired = []
        self.cache_version = 0
        self.keys_of = {}
        self.hierarchies = {}
        self.at = -1

    def note_read(self, place: int) -> None:
        """Notes that an object is read: if it is a fault, the library has to be told."""
        if self.faults[place]:
            self.faults[place] = 0  # type: ignore[index]
            if not self.fired:
                pending_fires.append(weakref.ref(self))
            self.fired.append(place)


@accelerated
class ViewOfOne(AnyView):
    """What has been read of a single object: its values, by property name."""

    __slots__ = ("own", "seconds")

    # Tells how long the values are valid. `clock` is NEVER here, so that a look into columns need
    # not check which kind of view it has.
    own: Clock
    # The dates that nobody has asked for yet, as seconds.
    seconds: tuple[float, ...] | None

    def __init__(self, block: Block, place: int) -> None:
        self.block = block
        self.clock = self.own = NEVER
        self.at = place
        self.next = None
        self.keys_of = _NO_KEYS
        self.seconds = None


# Stale blocks are re-read on every fourth miss. In between single objects are read.
_REREAD_INTERVAL = 4
_NO_FAULTS = bytes(PINVIEW_OBJECT_BLOCK_LIMIT)
_NO_KEYS: dict[str, list[int | None]] = {}


@accelerated
class Places:
    """The living objects of a block, by place."""

    __slots__ = (
        "_current",
        "_handles",
        "_missed_version",
        "_misses",
        "any_thread",
        "clock",
        "entity",
        "is_loose",
        "kind",
        "number",
        "objects",
        "pid",
    )

    number: int
    pid: int
    entity: EntityInfo
    kind: type[ManagedObject]
    any_thread: bool
    # The address of the context's change counter.
    changes: int
    # Whether its objects were looked up one at a time. Each has a ViewOfOne then.
    is_loose: bool
    # The view from which the block's objects are read.
    _current: weakref.ref[View] | None
    # Handles, by place, of the objects that needed one.
    _handles: dict[int, int]

    def __init__(self) -> None:
        self.objects: list[Reference | None] = []
        self.is_loose = False
        self.clock = NEVER
        self._current = None
        self._misses = self._missed_version = 0

    def _prepare(self, handle: int, changes: int, cache_changes: int, layout: EntityLayout | None) -> None:
        """Passes what the accelerator needs: the handle, the addresses of both counters, the layout
        of the entity.
        """

    @property
    def object_count(self) -> int:
        """The number of places in use."""
        return len(self.objects)

    def add_objects(self, view: AnyView, count: int) -> list[ManagedObject]:
        """Makes all objects of a new block, with the view of objects that have not been read."""
        made = _make(self.kind, view, _PLACES[:count])
        first = self.number << PLACE_BITS
        references = list(map(Reference, made, repeat(pending_releases.append)))
        any(map(_set_name, references, range(first, first + count)))
        self.objects = references  # type: ignore[assignment]
        return made

    def known_object(self, place: int) -> ManagedObject | None:
        """The object at a place, or None."""
        reference = self.objects[place] if place < len(self.objects) else None
        return None if reference is None else reference()

    def make_object(self, view: AnyView, place: int) -> ManagedObject:
        """Makes the object at a place."""
        if place >= len(self.objects):
            self.objects += repeat(None, place + 1 - len(self.objects))
        (made,) = _make(self.kind, view, [place if view.at < 0 else ALONE])
        reference = Reference(made, pending_releases.append)
        reference.name = self.number << PLACE_BITS | place
        self.objects[place] = reference
        return made

    def _should_reread(self) -> bool:
        """Whether to read whole columns again, at every fourth miss of one state; not worth it
        while the context keeps changing. Counts the miss.
        """
        version = c_uint64.from_address(self.changes).value
        if version != self._missed_version:
            self._missed_version, self._misses = version, 0
        self._misses += 1
        return self._misses % _REREAD_INTERVAL == 0

    def forget_object(self, place: int) -> None:
        """Releases an object that was closed."""
        reference, self.objects[place] = self.objects[place], None
        if reference is not None:
            pending_releases.append(reference.name)


@accelerated
class ObjectBase:
    """The view from which an object is read, and its place there. The base class of
    ManagedObject.
    """

    __slots__ = ("__weakref__", "_place", "_view")

    _view: AnyView
    _place: int

    # Called only for attributes that the class does not have.
    def __getattr__(self, name: str) -> Any:
        return fallbacks.get_attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        fallbacks.set_attribute(self, name, value)

    def values(self, *names: str) -> tuple[Any, ...]:
        """The values of several properties. To-one relationships are returned as IDs."""
        view = self._view
        is_alone = isinstance(view, ViewOfOne)
        clock = view.own if isinstance(view, ViewOfOne) else view.clock
        if clock.version == clock.value and (not view.keys_of or view.keys_of.keys().isdisjoint(names)):
            try:
                return tuple([view[name] if is_alone else view[name][self._place] for name in names])
            except KeyError:
                pass  # not all of them have been read
        return fallbacks.read_values(self, names)


class Fallbacks:
    """What attributes of an object do that its class does not define, and values that have not been
    read. `managed_object` sets these.
    """

    get_attribute: Callable[[Any, str], Any]
    set_attribute: Callable[[Any, str, Any], None]
    read_values: Callable[[Any, tuple[str, ...]], tuple[Any, ...]]


fallbacks: Fallbacks = Fallbacks()

_set_name = Reference.name.__set__  # type: ignore[attr-defined]
_set_place: Callable[[Any, int], None] = ObjectBase._place.__set__  # type: ignore[attr-defined, misc]
# What object.__setattr__ does.
set_plainly: Callable[[Any, str, Any], None] = chosen("set_plainly", object.__setattr__)

# The place of an object that has a ViewOfOne, which knows the actual place.
ALONE = -1
# Shared by all blocks, so that objects with the same place share one int.
_PLACES = list(range(PINVIEW_OBJECT_BLOCK_LIMIT))


def _make(kind: type[ManagedObject], view: AnyView, places: list[int]) -> list[ManagedObject]:
    """Makes objects that share a view, without executing Python code for each."""
    made: list[ManagedObject] = list(map(object.__new__, repeat(kind, len(places))))
    any(map(set_view, made, repeat(view)))
    any(map(_set_place, made, places))
    return made


@accelerated
def track(target: ObjectBase) -> None:
    """Has the garbage collector visit an object, because a column refers to it. Python's own
    objects always are visited.
    """


set_view: Callable[[Any, AnyView], None] = ObjectBase._view.__set__  # type: ignore[attr-defined, misc]
