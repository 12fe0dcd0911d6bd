"""Ctrl-C while the main thread fetches: the library asks now and then whether to stop, and signals are handled meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Generator

from .._ffi.calls import call, keep_interrupt
from .._ffi.library import functions
from .._ffi.prototypes import pinview_free_callback, pinview_interrupt_callback


def _checks() -> Generator[int, None, None]:
    """What a signal handler raises stops the fetch, which then raises it.

    A generator, not a function: the interpreter handles signals as a frame begins, before a function could enter a `try`. A generator goes
    on inside of it.
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
    """Once, and only for the thread on which the interpreter handles signals."""
    global _is_armed
    if _is_armed or threading.current_thread() is not threading.main_thread():
        return
    _is_armed = True
    call(functions.pinview_set_interrupt_callback, _callback, None, pinview_free_callback())
