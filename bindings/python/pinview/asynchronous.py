"""Fetches that run in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import byref, c_int32, c_int64, c_uint64
from typing import Any, Union

from ._contexts.main_queue import main_queue
from ._ffi.calls import call, call_for, call_for_handle
from ._ffi.choices import Concurrency
from ._ffi.handles import Managed, require_callable
from ._ffi.library import functions
from ._ffi.prototypes import PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST, pinview_asynchronous_fetch_callback, pinview_free_callback
from ._objects.entities import entity_name
from ._support import lazy
from ._support.forward import Context
from .errors import CancelledError
from .fetching import FetchRequest, FetchResult

RowProgress = Callable[[int, Union[int, None]], Any]
"""Called with the number of rows read so far and the number to read; None while it is unknown."""


class AsynchronousFetch(Managed, release="pinview_asynchronous_fetch_release"):
    """A fetch that is running or has ended, from context.begin_fetch(). It can be used from any
    thread.
    """

    __slots__ = ("_context", "_request")

    _context: Context
    _request: FetchRequest

    def __init__(self) -> None:
        raise TypeError("Asynchronous fetches are created by context.begin_fetch().")

    def cancel(self) -> None:
        """Stops the fetch: SQLite's statement ends within microseconds, and result() raises
        CancelledError.

        Does nothing after the fetch has ended.
        """
        call(functions.pinview_asynchronous_fetch_cancel, self.handle)

    @property
    def rows_read(self) -> int:
        """The number of rows read so far."""
        rows = c_uint64()
        call(functions.pinview_asynchronous_fetch_progress, self.handle, byref(rows), None)
        return int(rows.value)

    @property
    def rows_total(self) -> int | None:
        """The number of rows to read; None while it is unknown. With `counts_first` the rows are
        counted first.
        """
        total = c_int64()
        call(functions.pinview_asynchronous_fetch_progress, self.handle, None, byref(total))
        return None if total.value < 0 else int(total.value)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the fetch has ended, at most `timeout` seconds, and returns whether it has.

        The fetch ends on the context's queue, so do not wait there. A negative timeout does not
        wait; NaN raises InvalidArgumentError.
        """
        wait = functions.pinview_asynchronous_fetch_wait
        if timeout is not None:
            return bool(call_for(c_int32, wait, self.handle, max(timeout, 0.0)).value)
        # In short waits, so that Ctrl-C interrupts.
        while not call_for(c_int32, wait, self.handle, 0.25).value:
            pass
        return True

    @property
    def done(self) -> bool:
        """Whether the fetch has ended."""
        return self.wait(0.0)

    def result(self, timeout: float | None = None) -> FetchResult[Any]:
        """Waits for the fetch and returns its objects, which belong to the context.

        Raises the error of the fetch, or TimeoutError if it has not ended in time.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"The fetch did not end within {timeout} seconds.")
        handle = call_for_handle(functions.pinview_result_release, functions.pinview_asynchronous_fetch_result, self.handle)
        return FetchResult._of(handle, entity_name(self._request.entity), self._context)


def begin(
    context: Context, request: FetchRequest, counts_first: bool, completion: Callable[[AsynchronousFetch], Any] | None
) -> AsynchronousFetch:
    """Starts a fetch. The completion runs as a block of the context."""
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
        # A daemon thread waits for the end. The program does not wait for that thread, because
        # ending the fetch may need the main thread.
        def wait() -> None:
            fetch.wait()
            if not context.closed:
                context.perform(completion, fetch)

        threading.Thread(target=wait, name="pinview fetch", daemon=True).start()
    return fetch


async def fetch(context: Context, request: FetchRequest, progress: RowProgress | None = None) -> FetchResult[Any]:
    """Fetches without blocking the event loop. Cancelling the awaiting task stops SQLite's
    statement.
    """
    if progress is not None:
        require_callable(progress, "progress")
    running = begin(context, request, progress is not None, None)
    if context.concurrency is Concurrency.MAIN_QUEUE and threading.current_thread() is threading.main_thread():
        with main_queue.attached():
            return await _finish(running, progress, drains=True)
    return await _finish(running, progress, drains=False)


async def _finish(running: AsynchronousFetch, progress: RowProgress | None, drains: bool) -> FetchResult[Any]:
    """Awaits the end of a fetch.

    Args:
        running: The fetch.
        progress: Called in the event loop until then.
        drains: Whether the event loop has to drain the main queue for the fetch to end, also after
            a cancellation.
    """
    asyncio = lazy.asyncio
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def report() -> None:
        if progress is not None and not ended.is_set():
            progress(running.rows_read, running.rows_total)

    def wait() -> None:
        try:
            while not running.wait(None if progress is None else _INTERVAL):
                loop.call_soon_threadsafe(report)
            loop.call_soon_threadsafe(ended.set)
        except RuntimeError:  # the loop has been closed, so nobody is waiting any more
            pass

    threading.Thread(target=wait, name="pinview fetch", daemon=True).start()
    try:
        await ended.wait()
    except asyncio.CancelledError:
        running.cancel()
        if drains:
            await ended.wait()
        ended.set()
        raise
    try:
        result = running.result(0.0)
    except CancelledError:
        raise asyncio.CancelledError from None
    if progress is not None:
        progress(running.rows_read, running.rows_total)
    return result


# How often the progress is told, in seconds.
_INTERVAL = 0.05
