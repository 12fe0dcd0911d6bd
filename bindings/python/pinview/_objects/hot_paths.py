"""The hot paths of reading and writing objects, which exist twice: in Python, and in C in the
accelerator.

`HotPaths` is what both implement. Each Python implementation stands in the module that its name
suggests, marked with @accelerated, which replaces it by the accelerator's where that is in use.
tests/package/test_hot_paths.py checks both against the protocol. Nothing imports this module when
a program runs.

    module         what it implements
    ──────────     ──────────────────────────────────────────────────────────────
    views          the change clock, views, the places of a block, the base class of objects
    descriptors    properties as attributes of objects
    lookups        looking up single objects, and the cache of lookups
    columns        decoding a column
    values         decoding rows of values
    calls          calling simple functions of the library
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableSequence
from typing import Any, Protocol

from .._ffi import handles
from . import blocks, lookups, views


class EntityLayout(Protocol):
    """The accelerator's description of the properties of an entity. Opaque to Python."""


class Descriptor(Protocol):
    """What reads and sets a property as an attribute of its objects."""

    def __get__(self, owner: Any, kind: type[Any] | None = None, /) -> Any: ...

    def __set__(self, owner: Any, value: Any, /) -> None: ...


class HotPaths(Protocol):
    """What both implementations provide."""

    @property
    def NEVER(self) -> views.Clock:
        """The clock of what is never valid."""

    def clock_of(self, address: int, version: int, /) -> views.Clock:
        """The clock for what was read when the change counter at an address had a value."""

    def retire_clocks(self) -> None:
        """Invalidates everything that has been read."""

    @property
    def View(self) -> type[views.View]:
        """Columns of a block."""

    @property
    def ViewOfOne(self) -> type[views.ViewOfOne]:
        """What has been read of a single object."""

    @property
    def Places(self) -> type[views.Places]:
        """The living objects of a block; the base class of Block."""

    @property
    def ObjectBase(self) -> type[views.ObjectBase]:
        """The base class of ManagedObject."""

    @property
    def HandleOwner(self) -> type[handles.HandleOwner]:
        """A handle and its process; the base class of Managed."""

    def owned_objects(self, kind: Any, address: int, count: int, process: int, /) -> list[Any]:
        """Owners that take over the references of an array of handles."""

    @property
    def ObjectIDBase(self) -> type[lookups.ObjectIDBase]:
        """An ID with the objects that it stands for; the base class of ObjectID."""

    @property
    def ContextBase(self) -> type[lookups.ContextBase]:
        """Looks up objects by their IDs; the base class of Context."""

    def own_look_ups(self, kind: type[lookups.ContextBase], /) -> None:
        """Gives a class the look-ups of ContextBase as methods of its own."""

    @property
    def LookupsBase(self) -> type[lookups.LookupsBase]:
        """Looks up objects of a context; the base class of Lookups."""

    def read_loose(self, block: blocks.Block, place: int, /) -> views.ViewOfOne:
        """Reads a single object."""

    def set_plainly(self, target: views.ObjectBase, name: str, value: Any, /) -> None:
        """What object.__setattr__ does."""

    def track(self, target: views.ObjectBase, /) -> None:
        """Has the garbage collector visit an object."""

    def first_of_block(self, address: int, count: int, /) -> int | None:
        """The first of an array of names, if they are those of a whole new block in order."""

    def flush_fires(self) -> None:
        """Tells the library which faults were read."""

    def take_releases(self, limit: int, /) -> list[tuple[int, bytes]]:
        """Takes pending releases off their list."""

    def Attribute(self, name: str) -> Descriptor:
        """The descriptor of an attribute. A class, of which there are subclasses."""

    def ToOne(self, name: str, on_class: object = None) -> Descriptor:
        """The descriptor of a to-one relationship, and what it is on the class, by default
        itself.
        """

    def column_values(
        self, kind: str, flags: int, count: int, states: int, cells: int, texts: int, text_size: int, /
    ) -> MutableSequence[Any]:
        """The values of a pinview_column."""

    def rows_of_values(self, address: int, rows: int, columns: int, decode: Callable[[int, int, int], Any], /) -> list[tuple[Any, ...]]:
        """Rows of pinview_value as tuples."""

    def BatchRows(self, owner: object, address: int, formats: str) -> Iterator[tuple[Any, ...]]:
        """The rows of an ArrowArray as tuples."""

    def Function(self, name: str, address: int, has_flag: bool) -> Callable[..., None]:
        """A function of the library that takes two handles and perhaps a flag."""


class Accelerator(HotPaths, Protocol):
    """The module in C, which also has to be told what the package has."""

    def connect(self, given: Mapping[str, object], /) -> None:
        """Takes objects of the package and addresses of functions of the library, by name."""

    def set_process(self, number: int, /) -> None:
        """Sets the ID of this process, so that objects of a parent process are not written to."""

    def set_checks_queues(self, enabled: bool, /) -> None:
        """Sets whether the library checks which thread a call comes from."""

    def forget_blocks(self) -> None:
        """Forgets all blocks, in a child made by fork()."""

    def Layout(self, names: tuple[str, ...], kinds: str) -> EntityLayout:
        """Describes the properties of an entity: their names, and the code of each one's
        representation.
        """
