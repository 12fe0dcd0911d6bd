"""Threads for the blocks of private-queue contexts, and Ctrl-C during fetches of the main thread.

The blocks run on threads of Python, not on threads of the library. Python waits for its own threads
at the end of the program, whereas a thread that it does not know cannot survive the end of the
interpreter in the middle of a call.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator

from .._ffi.callbacks import complete_future
from .._ffi.calls import call, keep_interrupt
from .._ffi.library import functions
from .._ffi.prototypes import pinview_free_callback, pinview_interrupt_callback
from .._support import lazy
from .._support.annotating import Any
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


# Ctrl-C: the library asks regularly during a fetch whether to stop, which lets Python handle
# signals.


def _checks() -> Generator[int, None, None]:
    """Answers whether to stop. An exception of a signal handler stops the fetch, which then raises
    it.

    This is a generator because the interpreter handles signals when a frame starts, before a
    function could enter its `try`. A generator resumes inside it.
    """
    answer = 0
    while True:
        try:
            yield answer
            answer = 0
        except GeneratorExit:
            return
        except BaseException as error:
            keep_interrupt(error)
            answer = 1


_checking = _checks()
next(_checking)
_callback = pinview_interrupt_callback(_checking.send)
_is_armed = False


def install_interrupt_callback() -> None:
    """Installs the callback, once, when called on the thread on which the interpreter handles
    signals.
    """
    global _is_armed
    if _is_armed or threading.current_thread() is not threading.main_thread():
        return
    _is_armed = True
    call(functions.pinview_set_interrupt_callback, _callback, None, pinview_free_callback())


def interrupt_callback() -> Any:
    """The callback that the calling thread has for Ctrl-C; None for most threads."""
    return _callback if _is_armed and threading.current_thread() is threading.main_thread() else None
