"""Python objects that the library knows by number: functions that it calls, and values that it
keeps for the program.

For each kind of callback the library gets one C function and, as userdata, the number of the Python
function. What it is told to free is that number.
"""

from __future__ import annotations

import itertools
import sys
from ctypes import py_object, pythonapi

from .._support.annotating import Any
from .prototypes import pinview_free_callback

# The status of a callback that raised a Python exception. The exception itself is at hand, so the
# library need not know more.
RAISED = 100

_numbers = itertools.count(1)
_registered: dict[int, Any] = {}


def register(value: Any) -> int:
    """Registers an object and returns its number, which is valid until the library frees it or
    unregister() is called.
    """
    number = next(_numbers)
    _registered[number] = value
    return number


def registered(number: int | None) -> Any:
    """The object with a number; None if it has been freed."""
    return None if number is None else _registered.get(number)


def unregister(number: int | None) -> None:
    """Forgets an object that the library did not accept."""
    if number is not None:
        _registered.pop(number, None)


# The dictionary is bound as a default argument: at the end of the program, when the last objects
# are freed, the module's globals may be gone.
def _free(userdata: int, _registered: dict[int, Any] = _registered) -> None:
    """Forgets an object. Cancels a block that never ran, and reports an exception that nobody
    received.
    """
    value = _registered.pop(userdata, None)
    freed = getattr(type(value), "_freed", None)
    if freed is not None:
        freed(value)


# Passed to the library. It has to outlive even this module.
free = pinview_free_callback(_free)
pythonapi.Py_IncRef(py_object(free))


class Raised:
    """An exception of a callback while it travels through the library as an error."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error: BaseException | None = error

    def take(self) -> BaseException | None:
        """Returns the exception to the first caller, and None to all others."""
        error, self.error = self.error, None
        return error

    def _freed(self) -> None:
        """Reports the exception if nobody took it."""
        error = self.take()
        if error is not None:
            report_unraisable(error)


class _Unraisable:
    """The argument of sys.unraisablehook."""

    def __init__(self, error: BaseException) -> None:
        self.exc_type = type(error)
        self.exc_value: BaseException | None = error
        self.exc_traceback = error.__traceback__
        self.err_msg: str | None = "Exception in a callback of pinview"
        self.object: object = None


def report_unraisable(error: BaseException) -> None:
    """Passes an exception that no caller can receive to sys.unraisablehook."""
    sys.unraisablehook(_Unraisable(error))
