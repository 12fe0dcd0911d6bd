"""Observers of commits: of newer generations, and of what other coordinators and processes
commit.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from ctypes import c_int32

from .._ffi import registry
from .._ffi.callbacks import call_observer, open_observers
from .._ffi.calls import call_for, call_for_handle
from .._ffi.choices import QueryGenerationState
from .._ffi.handles import require_callable
from .._ffi.library import functions
from .._ffi.prototypes import pinview_generation_callback, pinview_remote_change_callback
from .._support import lazy
from .._support.annotating import Any
from .._support.forward import Context, Coordinator
from ..errors import InvalidArgumentError
from ..history import RemoteChange
from ..notifications import Observer


def _remote_change(change: Any, userdata: int) -> None:
    call_observer(userdata, lambda observer: observer(RemoteChange._of(change.contents)))


_LIBRARY_WAIT_SECONDS = 0.02
"""Ctrl-C may be delayed by this long."""

# Passed to the library; they live as long as the module.
_generation_callback = pinview_generation_callback(call_observer)
_remote_change_callback = pinview_remote_change_callback(_remote_change)


def observe(coordinator: Coordinator, callback: Callable[[], Any]) -> Observer:
    """Calls back on a thread of the library, until the observer is closed or the program ends."""
    return _observe(coordinator, functions.pinview_coordinator_add_generation_observer, _generation_callback, callback)


def observe_remote_changes(coordinator: Coordinator, callback: Callable[[RemoteChange], Any]) -> Observer:
    """Like observe(), for commits of other coordinators and processes."""
    return _observe(coordinator, functions.pinview_coordinator_add_remote_change_observer, _remote_change_callback, callback)


def _observe(coordinator: Coordinator, function: Any, c_callback: Any, callback: Callable[..., Any]) -> Observer:
    require_callable(callback, "The callback")
    number = registry.register(callback)
    try:
        handle = call_for_handle(functions.pinview_observer_release, function, coordinator.handle, c_callback, number, registry.free)
    except BaseException:
        registry.unregister(number)
        raise
    observer = Observer._owned(handle or 0)
    open_observers[id(observer)] = observer
    return observer


@contextlib.contextmanager
def noticing(coordinator: Coordinator) -> Iterator[Any]:
    """An asyncio.Event of the running loop, set each time that a newer generation is noticed."""
    loop, has_newer = lazy.asyncio.get_running_loop(), lazy.asyncio.Event()

    def notify() -> None:
        try:
            loop.call_soon_threadsafe(has_newer.set)
        except RuntimeError:  # the loop has been closed, so nobody is waiting any more
            pass

    with observe(coordinator, notify):
        yield has_newer


async def newer_generations(coordinator: Coordinator) -> AsyncIterator[None]:
    """Yields each time that a newer generation is noticed."""
    with noticing(coordinator) as has_newer:
        while True:
            await has_newer.wait()
            has_newer.clear()
            yield


async def wait_async(context: Context, timeout: float | None) -> bool:
    """Like wait(), without blocking the event loop. The observer is there before anything is
    awaited, so that no commit made after the call is missed.
    """
    _require_timeout(timeout)
    coordinator = context.coordinator
    if coordinator is None:
        return _wait_in_library(context, 0.0)
    with noticing(coordinator) as has_newer:
        if wait(context, 0):
            return True
        try:
            await lazy.asyncio.wait_for(has_newer.wait(), timeout)
        except lazy.asyncio.TimeoutError:
            return False
        return True


def wait(context: Context, timeout: float | None) -> bool:
    """Waits for a newer generation: first in the library, which is cheapest and usually enough in a
    busy store, then in Python, where Ctrl-C interrupts the wait.
    """
    _require_timeout(timeout)
    if timeout is not None and not timeout > _LIBRARY_WAIT_SECONDS:
        return _wait_in_library(context, timeout)
    # Without a generation of its own, each call in the library waits for commits after that call:
    # one made in between would be missed.
    is_pinned = _is_pinned(context)
    if is_pinned and _wait_in_library(context, _LIBRARY_WAIT_SECONDS):
        return True
    coordinator, has_newer = context.coordinator, threading.Event()
    if coordinator is None:
        return _wait_in_library(context, 0.0)
    with observe(coordinator, has_newer.set):
        # Finds what was committed before the observer was there, and raises for a context that
        # cannot be waited for.
        if _wait_in_library(context, 0.0):
            return True
        # Another thread has let go of the generation, and nobody knows what was committed since.
        if is_pinned and not _is_pinned(context):
            return True
        left = timeout if timeout is None or not is_pinned else timeout - _LIBRARY_WAIT_SECONDS
        return has_newer.wait(left)


def _is_pinned(context: Context) -> bool:
    return context.query_generation_state is QueryGenerationState.PINNED


def _wait_in_library(context: Context, timeout: float) -> bool:
    return bool(call_for(c_int32, functions.pinview_context_wait_for_newer_generation, context.handle, timeout).value)


def _require_timeout(timeout: float | None) -> None:
    if timeout is not None and timeout < 0:
        raise InvalidArgumentError(f"The timeout must be 0 or more seconds, or None to wait indefinitely; got {timeout}.")
