"""Progress of calls that wait for a statement, and stopping them.

The library asks about 20 times a second, on the thread that waits, whether to stop. Commits are
never stopped: a save that is stopped has written nothing.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Generator, Iterator

from .._ffi.calls import call, keep_interrupt
from .._ffi.choices import Concurrency
from .._ffi.handles import require_callable
from .._ffi.library import functions
from .._ffi.prototypes import pinview_free_callback, pinview_interrupt_callback
from .._support import lazy
from .._support.annotating import Any
from .._support.forward import Context
from .main_queue import main_queue
from .threads import interrupt_callback

Progress = Callable[[float], Any]
"""Called with the number of seconds so far; False stops."""


def _checks(progress: Progress) -> Generator[int, None, None]:
    """Answers whether to stop, as in `threads`: signals are handled meanwhile, too."""
    begun, answer = time.monotonic(), 0
    while True:
        try:
            yield answer
            answer = int(progress(time.monotonic() - begun) is False)
        except GeneratorExit:
            return
        except BaseException as error:
            keep_interrupt(error)
            answer = 1


class _Reporting(threading.local):
    """What asks for the calling thread."""

    callback: Any = None


_reporting = _Reporting()


@contextlib.contextmanager
def reporting(progress: Progress) -> Iterator[None]:
    """Calls a function while this thread waits for a statement; if it returns False, the call is
    stopped and raises CancelledError. What it raises, the call raises.
    """
    require_callable(progress, "progress")
    checks = _checks(progress)
    next(checks)
    before, callback = _reporting.callback, pinview_interrupt_callback(checks.send)
    _install(callback)
    try:
        yield
    finally:
        _install(before)


def _install(callback: Any) -> None:
    _reporting.callback = callback
    if callback is None:
        callback = interrupt_callback() or pinview_interrupt_callback()
    call(functions.pinview_set_interrupt_callback, callback, None, pinview_free_callback())


async def stoppable(context: Context, block: Callable[[], Any], progress: Progress | None) -> Any:
    """Runs a block on the context's queue without blocking the event loop. Cancelling the awaiting
    task stops the statement that the block waits for, and waits for the block's end.
    """
    asyncio = lazy.asyncio
    loop, caller = asyncio.get_running_loop(), threading.current_thread()
    if progress is not None:
        require_callable(progress, "progress")
    is_cancelled = False

    def check(seconds: float) -> bool:
        if progress is not None and threading.current_thread() is caller:
            progress(seconds)
        elif progress is not None:
            # Fails if the loop has been closed, so that nobody is waiting any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(progress, seconds)
        return not is_cancelled

    def run() -> Any:
        with reporting(check):
            return block()

    async def wait() -> Any:
        nonlocal is_cancelled
        running = context.perform(run)
        try:
            return await asyncio.wrap_future(running)
        except asyncio.CancelledError:
            is_cancelled = True
            if not running.cancelled():
                await asyncio.wait([asyncio.wrap_future(running)])
                running.exception()
            raise

    if context.concurrency is Concurrency.MAIN_QUEUE and caller is threading.main_thread():
        with main_queue.attached():
            return await wait()
    return await wait()
