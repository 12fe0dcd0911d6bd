"""Fetches that are carried out in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import byref, c_int32, c_int64, c_uint64
from typing import TYPE_CHECKING, Any

from ._contexts.main_queue import main_queue
from ._ffi.calls import call, call_for, call_for_handle
from ._ffi.choices import Concurrency
from ._ffi.handles import Managed, require_callable
from ._ffi.library import functions
from ._ffi.prototypes import PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST, pinview_asynchronous_fetch_callback, pinview_free_callback
from .errors import CancelledError
from .fetching import FetchRequest, FetchResult

if TYPE_CHECKING:
    from .context import Context


class AsynchronousFetch(Managed, release="pinview_asynchronous_fetch_release"):
    """A fetch that is under way, or has ended. From context.fetch_async(); any thread may use it."""

    __slots__ = ("_context", "_request")

    _context: Context
    _request: FetchRequest

    def __init__(self) -> None:
        raise TypeError("Asynchronous fetches come from context.begin_fetch() and context.fetch_async().")

    def cancel(self) -> None:
        """Ends it: SQLite's statement stops within microseconds, and result() raises a CancelledError. After the end it does nothing."""
        call(functions.pinview_asynchronous_fetch_cancel, self.handle)

    @property
    def rows_read(self) -> int:
        """How many rows have been read so far."""
        rows = c_uint64()
        call(functions.pinview_asynchronous_fetch_progress, self.handle, byref(rows), None)
        return int(rows.value)

    @property
    def rows_total(self) -> int | None:
        """How many there will be; None while that is not known. It is counted with counts_first."""
        total = c_int64()
        call(functions.pinview_asynchronous_fetch_progress, self.handle, None, byref(total))
        return None if total.value < 0 else int(total.value)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end, which takes place on the context's queue, so not on that queue. Gives whether it has ended.

        A time below 0 only looks; one that is no number is an InvalidArgumentError.
        """
        wait = functions.pinview_asynchronous_fetch_wait
        if timeout is not None:
            return bool(call_for(c_int32, wait, self.handle, max(timeout, 0.0)).value)
        # In pieces, between which Ctrl-C is heard.
        while not call_for(c_int32, wait, self.handle, 0.25).value:
            pass
        return True

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self.wait(0.0)

    def result(self, timeout: float | None = None) -> FetchResult:
        """The objects, waited for; they belong to the context. Raises what the fetch failed with, and a TimeoutError."""
        if not self.wait(timeout):
            raise TimeoutError(f"The fetch has not ended within {timeout} seconds.")
        handle = call_for_handle(functions.pinview_result_release, functions.pinview_asynchronous_fetch_result, self.handle)
        return FetchResult._of(handle, self._request.entity, self._context)


def begin(
    context: Context, request: FetchRequest, counts_first: bool, completion: Callable[[AsynchronousFetch], Any] | None
) -> AsynchronousFetch:
    """Begins a fetch. The completion runs as a block of the context."""
    if completion is not None:
        require_callable(completion, "The completion")
    flags = PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST if counts_first else 0
    with request._filled() as filled:
        handle = call_for_handle(
            functions.pinview_asynchronous_fetch_release,
            functions.pinview_context_fetch_asynchronously,
            context.handle,
            byref(filled),
            flags,
            pinview_asynchronous_fetch_callback(),
            pinview_asynchronous_fetch_callback(),
            None,
            pinview_free_callback(),
        )
    fetch = AsynchronousFetch._owned(handle or 0)
    fetch._context, fetch._request = context, request
    if completion is not None:
        # A thread of Python's own waits for the end. A program that ends does not wait for it: the main thread may be what has to
        # bring the end about.
        def wait() -> None:
            fetch.wait()
            if not context.closed:
                context.perform(completion, fetch)

        threading.Thread(target=wait, name="pinview fetch", daemon=True).start()
    return fetch


async def fetch(context: Context, request: FetchRequest) -> FetchResult:
    """Fetches without blocking the event loop; cancelling the task that waits stops SQLite's statement."""
    running = begin(context, request, False, None)
    if context.concurrency is Concurrency.MAIN_QUEUE and threading.current_thread() is threading.main_thread():
        with main_queue.attached():
            return await _finish(running, drains=True)
    return await _finish(running, drains=False)


async def _finish(running: AsynchronousFetch, drains: bool) -> FetchResult:
    """Awaits the end.

    Args:
        running: the fetch.
        drains: whether the event loop brings the end about; then it does so after a cancellation too.
    """
    import asyncio

    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def wait() -> None:
        running.wait()
        try:
            loop.call_soon_threadsafe(ended.set)
        except RuntimeError:  # the loop has been closed, and with it everybody who waits
            pass

    threading.Thread(target=wait, name="pinview fetch", daemon=True).start()
    try:
        await ended.wait()
    except asyncio.CancelledError:
        running.cancel()
        if drains:
            await ended.wait()
        raise
    try:
        return running.result(0.0)
    except CancelledError:
        raise asyncio.CancelledError from None
