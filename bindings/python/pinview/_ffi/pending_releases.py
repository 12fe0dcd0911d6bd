"""What the library is told later: objects that are not used any more, and faults that were read.

Every call that could tell the difference settles this first; see `_failure`.
"""

from __future__ import annotations

import gc
import os
import threading
import weakref
from array import array
from collections.abc import Callable
from ctypes import c_uint32
from typing import TYPE_CHECKING, Any

from .implementation import accelerator, connect
from .library import functions

if TYPE_CHECKING:
    from .._objects.blocks import Block
    from .._objects.views import View

# The blocks that are alive, by number. What is owed keeps none of them: with its last object a block gives back everything.
blocks: weakref.WeakValueDictionary[int, Block] = weakref.WeakValueDictionary()
# Names that are given back: as they are, or as references to objects that are gone.
gone: list[Any] = []
# The views with objects that were shown as faults.
shown: list[weakref.ref[View]] = []
# So many names at the most are kept when no other call comes.
LIMIT = 16384

_giving = threading.Lock()
PLACE_BITS = 12


class Reference(weakref.ref):  # type: ignore[type-arg]
    """A weak reference to an object, by its name. With the callback `gone.append` it gives the name back when the object is gone.

    A __del__ of the object could not do that: while it runs, other threads still get the object from weak references.
    """

    __slots__ = ("name",)

    name: int


def settle() -> None:
    """Tells the library what it has to know before anything else is done."""
    settle_shown()
    if gone:
        give_back()


def settle_shown() -> None:
    """Tells which faults were read."""
    for _ in range(len(shown)):
        try:
            reference = shown.pop(0)
        except IndexError:  # another thread was faster
            break
        view = reference()
        if view is None:
            continue
        places, view.shown = view.shown, []
        numbers = array("I", places)
        if not functions.pinview_object_block_fire(view.block.handle, (c_uint32 * len(numbers)).from_buffer(numbers), len(numbers)):
            # Another thread is in that context.
            view.shown += places
            shown.append(reference)


def give_back() -> None:
    """Gives names back."""
    if not _giving.acquire(blocking=False):
        return
    try:
        while gone:
            for number, places in taken(LIMIT):
                block = blocks.get(number)
                if block is not None:
                    block.drop(places)
    finally:
        _giving.release()


def _collected(phase: str, _: dict[str, int]) -> None:
    """With a collection of garbage goes what objects keep alive in the library."""
    if gone and phase == "stop":
        give_back()


gc.callbacks.append(_collected)


def _taken(limit: int) -> list[tuple[int, bytes]]:
    """Takes names that are owed: numbers of blocks with their places, as bytes of uint32."""
    names = gone[:limit]
    del gone[: len(names)]
    by_block: dict[int, array[int]] = {}
    for each in names:
        name = each if type(each) is int else each.name
        by_block.setdefault(name >> PLACE_BITS, array("I")).append(name & (1 << PLACE_BITS) - 1)
    return [(number, places.tobytes()) for number, places in by_block.items()]


taken: Callable[[int], list[tuple[int, bytes]]] = _taken if accelerator is None else accelerator.take_gone


def _forget_all() -> None:
    """In a child made by fork() nothing is given back."""
    global _giving
    _giving = threading.Lock()
    gone.clear()
    shown.clear()
    blocks.clear()
    if accelerator is not None:
        accelerator.forget_blocks()


connect(gone=gone, shown=shown, settle=settle, settle_shown=settle_shown)
os.register_at_fork(after_in_child=_forget_all)
