"""Python functions that the library calls: blocks, observers, the SQL log.

The library gets one C function for each kind and a number for the Python function; what it is told to free is that number.
"""

from __future__ import annotations

import itertools
import threading
from ctypes import py_object, pythonapi
from typing import TYPE_CHECKING, Any, Callable

from .calls import apart, keep_for_caller, report_unraisable
from .prototypes import (
    PINVIEW_OK,
    pinview_block_callback,
    pinview_free_callback,
    pinview_generation_callback,
    pinview_history_consumer_callback,
    pinview_journal_callback,
    pinview_log_callback,
    pinview_notification_callback,
    pinview_remote_change_callback,
)
from .values import text

if TYPE_CHECKING:
    from concurrent.futures import Future

# A status of the program's own: the Python exception is at hand, the library need not know more.
RAISED = 100

_numbers = itertools.count(1)
_functions: dict[int, Any] = {}


def register(function: Any) -> int:
    """A number for a Python function, until the library frees it or unregister() does."""
    number = next(_numbers)
    _functions[number] = function
    return number


def registered(number: int | None) -> Any:
    """What stands for a number; None when it was freed."""
    return None if number is None else _functions.get(number)


def unregister(number: int | None) -> None:
    """For a function that the library did not take."""
    if number is not None:
        _functions.pop(number, None)


# What it needs is bound here, because the module may be gone when the last objects are freed at the end of the program.
def _free(userdata: int, _functions: dict[int, Any] = _functions) -> None:
    """Forgets a function; a block that never ran is cancelled, an exception that nobody was given is reported."""
    function = _functions.pop(userdata, None)
    freed = getattr(type(function), "_freed", None)
    if freed is not None:
        freed(function)


class Raised:
    """An exception of a callback, on its way through the library as an error."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error: BaseException | None = error

    def take(self) -> BaseException | None:
        """The exception, for whom it concerns; the first who asks gets it."""
        error, self.error = self.error, None
        return error

    def _freed(self) -> None:
        """Nobody asked."""
        error = self.take()
        if error is not None:
            report_unraisable(error)


class Blocks(threading.local):
    """The contexts of the blocks that the thread is in, the innermost last."""

    def __init__(self) -> None:
        self.contexts: list[Any] = []


blocks = Blocks()


class Block:
    """A block that somebody waits for."""

    def __init__(self, context: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.context = context
        self.function = function
        self.arguments = arguments
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self, _: int) -> int:
        blocks.contexts.append(self.context)
        try:
            self.result = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
            return RAISED
        finally:
            blocks.contexts.pop()
        return PINVIEW_OK


class LaterBlock:
    """A block that runs some time on the main thread; its future tells how it ended."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        from concurrent.futures import Future  # only here: importing it takes long

        self.function = function
        self.arguments = arguments
        self.future: Future[Any] = Future()

    def _freed(self) -> None:
        self.future.cancel()

    def run(self, handle: int) -> int:
        from ..context import Context

        if self.future.set_running_or_notify_cancel():
            blocks.contexts.append(Context._of_borrowed(handle))
            settle_future(self.future, self.function, self.arguments)
            blocks.contexts.pop()
        return PINVIEW_OK


def settle_future(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Gives a future the result of a function, or what it raised."""
    try:
        result = function(*arguments)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _run_block(context: int, userdata: int) -> int:
    """Runs a Block or a LaterBlock."""
    status: int = _functions[userdata].run(context)
    return status


def _notify(notification: int, userdata: int) -> None:
    """Calls an observer."""
    from ..notifications import Notification

    callback = _functions.get(userdata)
    if callback is None:
        return
    told = Notification._borrowed(notification)
    blocks.contexts.append(told.context)
    try:
        callback(told)
    except BaseException as error:
        keep_for_caller(error)
    finally:
        blocks.contexts.pop()


def _hear(userdata: int) -> None:
    """Calls an observer of generations, on a thread of the library: nobody could catch what it raises."""
    callback = _functions.get(userdata)
    if callback is None:
        return
    try:
        callback()
    except BaseException as error:
        report_unraisable(error)


def _tell_change(change: Any, userdata: int) -> None:
    """Calls an observer of remote changes, on a thread of the library."""
    from ..history import RemoteChange

    callback = _functions.get(userdata)
    if callback is None:
        return
    try:
        callback(RemoteChange._of(change.contents))
    except BaseException as error:
        report_unraisable(error)


def _consumer(name: Any, token: int, userdata: int) -> None:
    """Notes one reader of the history that is known by name."""
    from ..history import HistoryToken

    try:
        _functions[userdata](text(name) or "", HistoryToken._borrowed(token))
    except BaseException as error:
        keep_for_caller(error)


def _log(line: Any, userdata: int) -> None:
    """Calls the handler of the SQL log."""
    handler = _functions.get(userdata)
    if handler is None:
        return
    try:
        handler(text(line))
    except BaseException as error:
        keep_for_caller(error)


def _journal(event: Any, userdata: int) -> None:
    """Calls a journal callback. It runs on a thread of the library: nobody but the interpreter could be told of what it raises."""
    from ..journal import JournalEvent

    callback = _functions.get(userdata)
    if callback is None:
        return
    try:
        callback(JournalEvent._of(event.contents))
    except BaseException as error:
        report_unraisable(error)


# What the library gets. They live as long as the module, and what frees even longer.
free = pinview_free_callback(_free)
pythonapi.Py_IncRef(py_object(free))
run_block = pinview_block_callback(apart(_run_block))
notify = pinview_notification_callback(apart(_notify))
hear = pinview_generation_callback(_hear)
tell_change = pinview_remote_change_callback(_tell_change)
consumer = pinview_history_consumer_callback(apart(_consumer, settles=False))
log = pinview_log_callback(apart(_log, settles=False))
journal = pinview_journal_callback(_journal)
