"""The queue of the main-queue contexts: work that waits for the main thread of the process.

Nothing runs by itself. The main thread calls drain() now and then, or an event loop watches fileno():

    loop.add_reader(pinview.main_queue, pinview.main_queue.drain)
"""

from __future__ import annotations

import select
import time
from ctypes import c_uint64
from typing import Callable

from ._failure import call_for
from ._library import functions


class MainQueue:
    """The one main queue of the process, `pinview.main_queue`."""

    __slots__ = ()

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
