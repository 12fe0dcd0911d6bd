"""Callbacks that every context needs: blocks that run on its queue, which context the running block
belongs to, and the observers that are open.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from .._support import lazy, process
from .._support.annotating import Any
from .._support.forward import Context, Future, Observer
from ..errors import NoCurrentContextError
from .calls import shielded
from .factories import factories
from .prototypes import PINVIEW_OK, pinview_block_callback
from .registry import RAISED, registered, report_unraisable


class _CurrentContexts(threading.local):
    """The contexts whose blocks the thread is running, innermost last."""

    def __init__(self) -> None:
        self.stack: list[Context] = []


current_contexts = _CurrentContexts()


def current_context() -> Context:
    """The context whose block the thread is running."""
    stack = current_contexts.stack
    if not stack:
        raise NoCurrentContextError("This thread is not running a block of a context that was started from Python.", code=14)
    return stack[-1]


class Block:
    """A block whose caller waits for it."""

    def __init__(self, context: Context, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.context = context
        self.function = function
        self.arguments = arguments
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self, _: int) -> int:
        current_contexts.stack.append(self.context)
        try:
            self.result = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
            return RAISED
        finally:
            current_contexts.stack.pop()
        return PINVIEW_OK


class LaterBlock:
    """A block that runs later on the main thread. Its future receives the result."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function = function
        self.arguments = arguments
        self.future: Future[Any] = lazy.futures.Future()

    def _freed(self) -> None:
        self.future.cancel()

    def run(self, handle: int) -> int:
        if self.future.set_running_or_notify_cancel():
            current_contexts.stack.append(factories.retained_context(handle))
            complete_future(self.future, self.function, self.arguments)
            current_contexts.stack.pop()
        return PINVIEW_OK


def complete_future(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Gives a future the result of a function, or the exception that it raises."""
    try:
        result = function(*arguments)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def _run_block(context: int, userdata: int) -> int:
    """Runs a Block or a LaterBlock."""
    status: int = registered(userdata).run(context)
    return status


def call_observer(userdata: int, call: Callable[[Any], Any] = lambda observer: observer()) -> None:
    """Calls an observer on a thread of the library, where no caller could receive an exception."""
    observer = registered(userdata)
    if observer is None:
        return
    try:
        call(observer)
    except BaseException as error:
        report_unraisable(error)


# Observers that have not been closed, by id(), which this keeps alive.
open_observers: dict[int, Observer] = {}


def _close_observers() -> None:
    """At the end of the program, while there is still an interpreter that could run callbacks."""
    for observer in list(open_observers.values()):
        observer.close()


# Observers outlive the exit handlers of the program.
process.at_end(_close_observers)
process.in_child(open_observers.clear)


# Passed to the library; it lives as long as the module.
run_block = pinview_block_callback(shielded(_run_block))
