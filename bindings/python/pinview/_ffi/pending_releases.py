"""What the library still has to be told: which objects Python has let go of, and which faults it
has read.

Telling the library at once would cost a call for each object. Every call that could tell the
difference flushes both lists first; see `calls`.
"""

from __future__ import annotations

import gc
import threading
import weakref
from array import array
from ctypes import c_uint32

from .._support import process
from .._support.annotating import Any
from .._support.forward import Block, View
from .implementation import accelerated, accelerator, connect
from .library import functions

# The blocks that are alive, by number. Pending releases keep no block alive: a block releases all
# that is left when its last object goes.
blocks: weakref.WeakValueDictionary[int, Block] = weakref.WeakValueDictionary()
# Names of objects to release: numbers, or references (class Reference) to objects that are gone.
pending_releases: list[Any] = []
# Views with faults that were read without a call.
pending_fires: list[weakref.ref[View]] = []
# How many names are released in one call at most.
LIMIT = 16384

_releasing = threading.Lock()
PLACE_BITS = 12


class Reference(weakref.ref):  # type: ignore[type-arg]
    """A weak reference to an object, with its name. Its callback, `pending_releases.append`, queues
    the release.

    A __del__ of the object would not do: while it runs, other threads can still get the object from
    weak references.
    """

    __slots__ = ("name",)

    name: int


def flush() -> None:
    """Tells the library everything that is pending."""
    flush_fires()
    if pending_releases:
        flush_releases()


@accelerated
def flush_fires() -> None:
    """Tells the library which faults were read."""
    for _ in range(len(pending_fires)):
        try:
            reference = pending_fires.pop(0)
        except IndexError:  # another thread was faster
            break
        view = reference()
        if view is None:
            continue
        places, view.fired = view.fired, []
        numbers = array("I", places)
        if not functions.pinview_object_block_fire(view.block.handle, (c_uint32 * len(numbers)).from_buffer(numbers), len(numbers)):
            # Another thread is using that context: try again later.
            view.fired += places
            pending_fires.append(reference)


def flush_releases() -> None:
    """Releases the objects that Python has let go of."""
    if not _releasing.acquire(blocking=False):
        return
    try:
        while pending_releases:
            for number, places in take_releases(LIMIT):
                block = blocks.get(number)
                if block is not None:
                    block.drop(places)
    finally:
        _releasing.release()


def _collected(phase: str, _: dict[str, int]) -> None:
    """After a garbage collection: lets the library free what the collected objects kept alive
    there.
    """
    if pending_releases and phase == "stop":
        flush_releases()


gc.callbacks.append(_collected)


@accelerated
def take_releases(limit: int) -> list[tuple[int, bytes]]:
    """Takes pending releases off the list: numbers of blocks, each with places in it as bytes of
    uint32.
    """
    names = pending_releases[:limit]
    del pending_releases[: len(names)]
    by_block: dict[int, array[int]] = {}
    for each in names:
        name = each if type(each) is int else each.name
        by_block.setdefault(name >> PLACE_BITS, array("I")).append(name & (1 << PLACE_BITS) - 1)
    return [(number, places.tobytes()) for number, places in by_block.items()]


def _forget_all() -> None:
    """In a child made by fork() nothing is released."""
    global _releasing
    _releasing = threading.Lock()
    pending_releases.clear()
    pending_fires.clear()
    blocks.clear()
    if accelerator is not None:
        accelerator.forget_blocks()


connect(pending_releases=pending_releases, pending_fires=pending_fires, flush=flush)
process.in_child(_forget_all)
