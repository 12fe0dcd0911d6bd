"""The queue of the main-queue contexts: work that waits for the main thread of the process.

Nothing runs by itself. The main thread calls drain() now and then, or an event loop watches fileno():

    loop.add_reader(pinview.main_queue, pinview.main_queue.drain)

or, with asyncio: `with pinview.main_queue.attached(): …`
"""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Iterator
from ctypes import c_uint64
from typing import TYPE_CHECKING, Callable

from .._ffi.calls import call_for
from .._ffi.library import functions

if TYPE_CHECKING:
    import asyncio


class MainQueue:
    """The one main queue of the process, `pinview.main_queue`."""

    __slots__ = ("_attached",)

    def __init__(self) -> None:
        self._attached: dict[asyncio.AbstractEventLoop, int] = {}

    @contextlib.contextmanager
    def attached(self, loop: asyncio.AbstractEventLoop | None = None) -> Iterator[None]:
        """In a `with` block the event loop, the running one unless given, drains the queue whenever work waits. For the main thread
        only. Such blocks nest.
        """
        if loop is None:
            import asyncio  # here, because it takes as long as all else that the package imports

            loop = asyncio.get_running_loop()
        count = self._attached.get(loop, 0)
        if count == 0:
            loop.add_reader(self, self.drain)
        self._attached[loop] = count + 1
        try:
            yield
        finally:
            self._attached[loop] -= 1
            if self._attached[loop] == 0:
                del self._attached[loop]
                loop.remove_reader(self)

    def drain(self) -> int:
        """Runs everything that waits, and returns how many blocks that were. For the main thread only."""
        return int(call_for(c_uint64, functions.pinview_main_queue_drain).value)

    def run_until(self, condition: Callable[[], bool]) -> None:
        """Drains the queue again and again, sleeping while it is empty, until the condition is true. For the main thread only.

        The condition is looked at before the first block, after each drain, and while nothing waits ten times a second.
        """
        while not condition():
            if self.drain() > 0:
                continue
            descriptor = self.fileno()
            if descriptor >= 0:
                select.select([descriptor], [], [], 0.1)
            else:  # the system had none left: look again every few milliseconds
                time.sleep(0.005)

    def fileno(self) -> int:
        """A descriptor that polls as readable while work waits. It belongs to the library."""
        return functions.pinview_main_queue_file_descriptor()

    def __repr__(self) -> str:
        return "<MainQueue>"


main_queue = MainQueue()
