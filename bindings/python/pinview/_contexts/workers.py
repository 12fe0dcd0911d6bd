"""Threads for the blocks of private-queue contexts.

The blocks run on threads of Python, not on threads of the library. Python waits for its own threads
at the end of the program, whereas a thread that it does not know cannot survive the end of the
interpreter in the middle of a call.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from .._ffi.callbacks import complete_future
from .._support import lazy
from .._support.forward import Future


class Worker:
    """Runs the blocks of one context one after the other. Its thread ends when no block is
    waiting.
    """

    __slots__ = ("_is_running", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._is_running = False

    def submit(self, run: Callable[[], Any]) -> Future[Any]:
        """Runs a function after those that are waiting already, and drops it when it has run."""
        future: Future[Any] = lazy.futures.Future()
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
                complete_future(future, run, ())
            del future, run
