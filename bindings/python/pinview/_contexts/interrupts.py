"""Ctrl-C during a fetch of the main thread: the library asks regularly whether to stop, which lets
Python handle signals.
"""

from __future__ import annotations

import threading
from collections.abc import Generator

from .._ffi.calls import call, keep_interrupt
from .._ffi.library import functions
from .._ffi.prototypes import pinview_free_callback, pinview_interrupt_callback


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


def arm() -> None:
    """Installs the callback, once, when called on the thread on which the interpreter handles
    signals.
    """
    global _is_armed
    if _is_armed or threading.current_thread() is not threading.main_thread():
        return
    _is_armed = True
    call(functions.pinview_set_interrupt_callback, _callback, None, pinview_free_callback())
