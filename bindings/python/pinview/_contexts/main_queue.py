"""The queue of main-queue contexts: blocks that wait for the main thread of the process.

Nothing runs by itself: the main thread calls drain() regularly, or an event loop watches fileno():

    loop.add_reader(pinview.main_queue, pinview.main_queue.drain)

or, with asyncio: `with pinview.main_queue.attached(): …`
"""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Callable, Iterator
from ctypes import c_uint64

from .._ffi.calls import call_for
from .._ffi.library import functions
from .._support import lazy
from .._support.forward import AbstractEventLoop


class MainQueue:
    """The one main queue of the process, `pinview.main_queue`."""

    __slots__ = ("_attached",)

    def __init__(self) -> None:
        self._attached: dict[AbstractEventLoop, int] = {}

    @contextlib.contextmanager
    def attached(self, loop: AbstractEventLoop | None = None) -> Iterator[None]:
        """Has an event loop, by default the running one, drain the queue for a `with` block. Blocks
        can be nested.

        For the main thread only.
        """
        if loop is None:
            loop = lazy.asyncio.get_running_loop()
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
        """Runs all waiting blocks, and returns how many there were. For the main thread only."""
        return int(call_for(c_uint64, functions.pinview_main_queue_drain).value)

    def run_until(self, condition: Callable[[], bool]) -> None:
        """Drains the queue until the condition is true, sleeping while the queue is empty. For the
        main thread only.

        The condition is checked before the first block, after each drain, and ten times a second
        while nothing waits.
        """
        while not condition():
            if self.drain() > 0:
                continue
            descriptor = self.fileno()
            if descriptor >= 0:
                select.select([descriptor], [], [], 0.1)
            else:  # no descriptor was available: poll
                time.sleep(0.005)

    def fileno(self) -> int:
        """A file descriptor that is readable while blocks are waiting. It belongs to the
        library.
        """
        return functions.pinview_main_queue_file_descriptor()

    def __repr__(self) -> str:
        return "<MainQueue>"


main_queue = MainQueue()
