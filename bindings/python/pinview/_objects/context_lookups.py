"""Looking up objects of a context one at a time, and where to-one relationships of single objects lead."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .._ffi.pending_releases import blocks, gone
from .._ffi.prototypes import pinview_object_block_info
from . import blocks as _blocks
from .blocks import Block
from .lookups import MOST_BLOCKS, LookUpsBase, plan_of, read_loose

if TYPE_CHECKING:
    from ..managed_object import ManagedObject
    from ..model import EntityInfo


class LookUps(LookUpsBase):
    """The blocks of a context that take in objects one at a time."""

    __slots__ = ("__weakref__", "_by_entity", "_entities")

    def __init__(self, entities: Mapping[str, EntityInfo]) -> None:
        super().__init__()
        self._entities = entities
        self._by_entity: dict[str, Block] = {}
        self._held = ()

    def _open(self, handle: int, info: int) -> Block:
        """The block that a call has made, in place of the one that had no room any more."""
        with _blocks.naming_lock:
            block = Block(handle, pinview_object_block_info.from_address(info), self._entities)
            block.is_loose = True
            blocks[block.number] = block
            former = self._by_entity.pop(block.entity.name, None)
            if former is None and len(self._by_entity) == MOST_BLOCKS:
                del self._by_entity[next(iter(self._by_entity))]
            self._by_entity[block.entity.name] = block
            self._held = tuple(self._by_entity.values())
            return block

    def _named(self, name: int) -> ManagedObject | None:
        """The object of a name that is in none of these blocks; None, and it is to be asked for again, while another thread makes its
        block, or ends it."""
        target = _blocks.named(name, self._entities)
        if target is None:
            gone.append(name)
            time.sleep(0.0001)
        return target


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


_blocks.later.read_loose = read_loose
_blocks.later.related = _related
_blocks.later.date_places = lambda entity: plan_of(entity).has_dates


def _forget_all() -> None:
    """In a child made by fork()."""
    _known.clear()


os.register_at_fork(after_in_child=_forget_all)
