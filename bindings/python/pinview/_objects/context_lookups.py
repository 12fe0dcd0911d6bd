"""Looking up objects of a context one at a time, and the destinations of their to-one
relationships.
"""

from __future__ import annotations

import time
import weakref

from .._ffi.pending_releases import blocks, pending_releases
from .._ffi.prototypes import pinview_object_block_info
from .._support import process
from .._support.forward import ManagedObject
from . import blocks as _blocks
from .blocks import Block, lookup_functions
from .entities import EntityTable
from .lookups import MAX_BLOCKS, LookupsBase, read_loose, row_format_of


class Lookups(LookupsBase):
    """Looks up objects of a context, and keeps the blocks that receive them one at a time."""

    __slots__ = ("__weakref__", "_by_entity", "_entities")

    def __init__(self, entities: EntityTable) -> None:
        super().__init__()
        self._entities = entities
        self._by_entity: dict[str, Block] = {}
        self._held = ()

    def _open(self, handle: int, info: int) -> Block:
        """Takes over a block that a call has made because the former one is full."""
        with _blocks.naming_lock:
            block = Block(handle, pinview_object_block_info.from_address(info), self._entities)
            block.is_loose = True
            blocks[block.number] = block
            former = self._by_entity.pop(block.entity.name, None)
            if former is None and len(self._by_entity) == MAX_BLOCKS:
                del self._by_entity[next(iter(self._by_entity))]
            self._by_entity[block.entity.name] = block
            self._held = tuple(self._by_entity.values())
            return block

    def _named(self, name: int) -> ManagedObject | None:
        """The object of a name in another block. None while another thread makes or releases that
        block: ask again.
        """
        target = _blocks.named(name, self._entities)
        if target is None:
            pending_releases.append(name)
            time.sleep(0.0001)
        return target


# By the address of the context's change counter.
_known: weakref.WeakValueDictionary[int, Lookups] = weakref.WeakValueDictionary()


def lookups_of(block: Block, new: Lookups | None = None) -> Lookups:
    """The Lookups of a block's context: the existing one, or else the new one."""
    known = _known.get(block.changes)
    if known is None:
        known = _known[block.changes] = new or Lookups(block.entity.model)
    return known


def lookups_near(block: Block) -> Lookups:
    """The Lookups of a block's context, kept as long as the block is."""
    lookups = block.lookups
    if lookups is None:
        lookups = lookups_of(block)
        if not block.is_loose:  # a loose block is kept by its Lookups, so a reference back would be a cycle
            block.lookups = lookups
    return lookups


def _related(block: Block, index: int, place: int) -> ManagedObject | None:
    return lookups_near(block).related(block, index, place)


lookup_functions.read_loose = read_loose
lookup_functions.related = _related
lookup_functions.date_places = lambda entity: row_format_of(entity).date_places


def _forget_all() -> None:
    """In a child made by fork()."""
    _known.clear()


process.in_child(_forget_all)
