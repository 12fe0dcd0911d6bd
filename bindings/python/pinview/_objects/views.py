"""What was read of blocks and of single objects, and where objects stand.

The classes here have twins in the accelerator, which are used where it is; see `_implementation`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from ctypes import c_uint64
from itertools import repeat
from typing import TYPE_CHECKING, Any

from .._ffi.implementation import accelerator
from .._ffi.pending_releases import PLACE_BITS, Reference, gone, shown
from .._ffi.prototypes import PINVIEW_OBJECT_BLOCK_LIMIT

if TYPE_CHECKING:
    from ..managed_object import ManagedObject
    from ..model import EntityInfo
    from .blocks import Block


class Clock(c_uint64):
    """A context's count of changes, in the library's memory, and the count up to which what was read holds."""

    __slots__ = ("destinations", "version")

    version: int
    # By hierarchy and key: where relationships led to. What a key stands for is the same as long as nothing changes.
    destinations: dict[int, dict[int, weakref.ref[ManagedObject]]]


# Says of everything that it does not hold.
NEVER = Clock()
NEVER.version = -1

# By the address of the count.
_clocks: dict[int, Clock] = {}


def clock_of(address: int, version: int) -> Clock:
    """What tells whether columns hold that belong to a count of changes."""
    if version == 0:
        return NEVER
    clock = _clocks.get(address)
    if clock is None or clock.version != version:
        clock = Clock.from_address(address)
        clock.version = version
        clock.destinations = {}
        _clocks[address] = clock
    return clock


def retire_clocks() -> None:
    """Has nothing that was read so far hold any more."""
    for clock in tuple(_clocks.values()):
        clock.version = -1
    _clocks.clear()


class View(dict[str, Any]):
    """Columns of a block, by the names of properties."""

    __slots__ = (
        "__weakref__",
        "at",
        "block",
        "cache_version",
        "clock",
        "faults",
        "hierarchies",
        "keys_of",
        "next",
        "shown",
        "unknown",
    )

    block: Block
    clock: Clock
    # In the view of those that were not read: where to read them.
    next: View | None
    # The places that cannot be read from here.
    unknown: set[int]
    # By place whether an object is a fault as long as nobody reads it; and the places of those that were read, until the library knows.
    faults: bytes | bytearray
    shown: list[int]
    cache_version: int
    # Of to-one relationships the keys of the destinations, and what these are unique in. The column has the destinations as far as
    # they were asked for; an object keeps its destinations alive.
    keys_of: dict[str, Any]
    hierarchies: dict[str, int]
    # In a view of one object alone its place in the block, else -1.
    at: int

    def __init__(self, block: Block, clock: Clock) -> None:
        self.block = block
        self.clock = clock
        self.next = None
        self.unknown = set()
        self.faults = _NO_FAULTS
        self.shown = []
        self.cache_version = 0
        self.keys_of = {}
        self.hierarchies = {}
        self.at = -1

    def show(self, place: int) -> None:
        """Notes that an object is read, if it is a fault."""
        if self.faults[place]:
            self.faults[place] = 0  # type: ignore[index]
            if not self.shown:
                shown.append(weakref.ref(self))
            self.shown.append(place)


class ViewOfOne(View):
    """What is known of one object that is read by itself: the values themselves, by the names of properties."""

    __slots__ = ("own", "seconds")

    # What `clock` is for others: a look into a column need not ask which kind of view it has.
    own: Clock
    # The dates that nobody has asked for yet, as the library has them.
    seconds: tuple[float, ...] | None

    def __init__(self, block: Block, place: int) -> None:
        self.block = block
        self.clock = self.own = NEVER
        self.at = place
        self.next = None
        self.keys_of = _NO_KEYS
        self.seconds = None


_NO_FAULTS = bytes(PINVIEW_OBJECT_BLOCK_LIMIT)
_NO_KEYS: dict[str, list[int | None]] = {}


class Places:
    """The living objects of a block, by place."""

    __slots__ = ("_current", "_handles", "any_thread", "clock", "entity", "is_loose", "kind", "number", "objects", "pid")

    number: int
    pid: int
    entity: EntityInfo
    kind: type[ManagedObject]
    any_thread: bool
    # Whether its objects came one at a time. Each has a view of its own then.
    is_loose: bool
    _current: weakref.ref[View] | None
    # Of objects that had to have one, by place.
    _handles: dict[int, int]

    def __init__(self) -> None:
        self.objects: list[Reference | None] = []
        self.is_loose = False
        self.clock = NEVER
        self._current = None

    def _prepare(self, handle: int, changes: int, cache_changes: int, layout: Any) -> None:
        """For the accelerator."""

    @property
    def object_count(self) -> int:
        """How many places there are."""
        return len(self.objects)

    def add_objects(self, view: View, count: int) -> list[ManagedObject]:
        """The objects of a new block: the view of those that nobody has read, how many."""
        made = _make(self.kind, view, _PLACES[:count])
        first = self.number << PLACE_BITS
        references = list(map(Reference, made, repeat(gone.append)))
        any(map(_set_name, references, range(first, first + count)))
        self.objects = references  # type: ignore[assignment]
        return made

    def known_object(self, place: int) -> ManagedObject | None:
        """The object of a place, or None."""
        reference = self.objects[place] if place < len(self.objects) else None
        return None if reference is None else reference()

    def make_object(self, view: View, place: int) -> ManagedObject:
        """A new object."""
        if place >= len(self.objects):
            self.objects += repeat(None, place + 1 - len(self.objects))
        (made,) = _make(self.kind, view, [place if view.at < 0 else ALONE])
        reference = Reference(made, gone.append)
        reference.name = self.number << PLACE_BITS | place
        self.objects[place] = reference
        return made

    def forget_object(self, place: int) -> None:
        """Gives back the name of an object that was closed."""
        reference, self.objects[place] = self.objects[place], None
        if reference is not None:
            gone.append(reference.name)


class ObjectBase:
    """Where an object of a context is read, and its place there."""

    __slots__ = ("__weakref__", "_place", "_view")

    _view: View
    _place: int

    # Called for what is no member of the class only.
    def __getattr__(self, name: str) -> Any:
        return later["missing"](self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        later["set"](self, name, value)


# What `managed_object` gives.
later: dict[str, Callable[..., Any]] = {}

_set_name = Reference.name.__set__  # type: ignore[attr-defined]
_set_place: Callable[[Any, int], None] = ObjectBase._place.__set__  # type: ignore[attr-defined, misc]
set_plainly: Callable[[Any, str, Any], None] = object.__setattr__

# In place of its place an object has this whose view is of it alone.
ALONE = -1
# One number for all objects with the same place.
_PLACES = list(range(PINVIEW_OBJECT_BLOCK_LIMIT))


def _make(kind: type[ManagedObject], view: View, places: list[int]) -> list[ManagedObject]:
    """Objects that are new in Python, without a step of Python for each."""
    made: list[ManagedObject] = list(map(object.__new__, repeat(kind, len(places))))
    any(map(set_view, made, repeat(view)))
    any(map(_set_place, made, places))
    return made


def track(target: Any) -> None:
    """For the accelerator: a column leads to the object, so collections of garbage have to look at it."""


if accelerator is not None and not TYPE_CHECKING:
    NEVER, clock_of, retire_clocks = accelerator.NEVER, accelerator.clock_of, accelerator.retire_clocks
    View, ViewOfOne, Places = accelerator.View, accelerator.ViewOfOne, accelerator.Places
    ObjectBase, set_plainly, track = accelerator.ObjectBase, accelerator.set_plainly, accelerator.track

set_view: Callable[[Any, View], None] = ObjectBase._view.__set__  # type: ignore[attr-defined, misc]
