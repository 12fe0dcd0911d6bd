"""Threads for the blocks of private-queue contexts.

A block runs on a thread of Python's own, not on one of the library's: Python waits for its threads when the program ends, while a thread
that it does not know cannot survive the end of the interpreter in the middle of a call.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._ffi.callbacks import settle_future

if TYPE_CHECKING:
    from concurrent.futures import Future


class Worker:
    """Runs the blocks of one context one after the other. Its thread ends when nothing waits."""

    __slots__ = ("_is_running", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._is_running = False

    def submit(self, run: Callable[[], Any]) -> Future[Any]:
        """Runs a function after those that wait already. It is forgotten when it has run."""
        from concurrent.futures import Future  # only here: importing it takes long

        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, run))
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._work, name="pinview block").start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._is_running = False
                    return
                future, run = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                settle_future(future, run, ())
            del future, run
