"""Observers of a coordinator's newer generations."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from ctypes import c_int32
from typing import TYPE_CHECKING, Any, Callable

from .._ffi import callbacks as _callbacks
from .._ffi.calls import call_for, call_for_handle
from .._ffi.handles import require_callable
from .._ffi.library import functions
from ..errors import InvalidArgumentError
from ..notifications import Observer, _registered

if TYPE_CHECKING:
    from ..context import Context
    from ..coordinator import Coordinator
    from ..history import RemoteChange


def observe(coordinator: Coordinator, callback: Callable[[], Any]) -> Observer:
    """Calls back on a thread of the library until the observer is closed, at the latest at the end of the program."""
    return _observe(coordinator, functions.pinview_coordinator_add_generation_observer, _callbacks.hear, callback)


def observe_remote_changes(coordinator: Coordinator, callback: Callable[[RemoteChange], Any]) -> Observer:
    """The same for what others commit."""
    return _observe(coordinator, functions.pinview_coordinator_add_remote_change_observer, _callbacks.tell_change, callback)


def _observe(coordinator: Coordinator, function: Any, hear: Any, callback: Callable[..., Any]) -> Observer:
    require_callable(callback, "The callback")
    number = _callbacks.register(callback)
    try:
        handle = call_for_handle(functions.pinview_observer_release, function, coordinator.handle, hear, number, _callbacks.free)
    except BaseException:
        _callbacks.unregister(number)
        raise
    observer = Observer._owned(handle or 0)
    # Those are closed at the end of the program, while there is still an interpreter to call back.
    _registered[id(observer)] = observer
    return observer


async def newer_generations(coordinator: Coordinator) -> AsyncIterator[None]:
    """An element for each time that a newer generation is noticed."""
    import asyncio

    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        try:
            loop.call_soon_threadsafe(news.set)
        except RuntimeError:  # the loop has been closed, and with it everybody who waits
            pass

    observer = observe(coordinator, tell)
    try:
        while True:
            await news.wait()
            news.clear()
            yield
    finally:
        observer.close()


def wait(context: Context, timeout: float | None) -> bool:
    """Waits in Python, where Ctrl-C is heard, for what an observer tells."""
    if timeout is not None and timeout < 0:
        raise InvalidArgumentError(f"{timeout} seconds cannot be waited for; give 0 or more, or None for no end.")
    coordinator, news = context.coordinator, threading.Event()
    if coordinator is None or timeout == 0 or timeout != timeout:
        return look(context, timeout or 0.0)
    with observe(coordinator, news.set):
        # What the observer was too late for; and what cannot be waited for is an error.
        return look(context, 0.0) or news.wait(timeout)


def look(context: Context, timeout: float) -> bool:
    """The library's own waiting."""
    return bool(call_for(c_int32, functions.pinview_context_wait_for_newer_generation, context.handle, timeout).value)
