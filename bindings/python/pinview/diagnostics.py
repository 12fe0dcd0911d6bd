"""The SQL log, versions, and counts."""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterator
from typing import Any, Callable

from ._ffi import callbacks as _callbacks
from ._ffi.buffers import drop_scratch
from ._ffi.calls import call, raise_pending
from ._ffi.handles import require_callable
from ._ffi.library import functions
from ._ffi.pending_releases import settle
from ._ffi.prototypes import pinview_free_callback, pinview_log_callback
from ._ffi.values import string, text
from ._objects.blocks import check_queues

_NO_CALLBACK = pinview_log_callback()
_NO_FREE = pinview_free_callback()
_process = os.getpid()


def set_sql_log(handler: Callable[[str], Any] | None = None, *, enabled: bool = True) -> None:
    """Switches the log of all SQL statements on or off. Without a handler the lines go to standard error.

    A line is the statement between `CoreData: sql: ` and, as a comment of SQL, the name of the store's file, what the connection is
    for and the state that it reads: `-- people.sqlite, reader, generation 17`. The connection is a writer, a reader, the probe, which
    finds the newest state, or the anchor, which holds the pins. The state is a generation by its ordinal (as in JournalReport),
    `newest`, or `transaction`, what the connection has changed itself. Only `CoreData: sql: pragma journal_mode=wal` stands alone.
    A checkpoint is written as the statement that would do the same, with what came of it.

    The handler is called on whatever thread runs the statement and must not use the library. What it raises comes out of the call
    that ran the statement.
    """
    if handler is None or not enabled:
        call(functions.pinview_sql_log_set_callback, _NO_CALLBACK, None, _NO_FREE)
    else:
        require_callable(handler, "The handler of the log")
        number = _callbacks.register(handler)
        try:
            call(functions.pinview_sql_log_set_callback, _callbacks.log, number, _callbacks.free)
        except BaseException:
            _callbacks.unregister(number)
            raise
        atexit.unregister(_end_sql_log)
        atexit.register(_end_sql_log)  # while there is still an interpreter to call back
    functions.pinview_sql_log_set_enabled(bool(enabled))
    raise_pending()


def _end_sql_log() -> None:
    if os.getpid() == _process:
        set_sql_log(enabled=False)


@contextlib.contextmanager
def sql_log(handler: Callable[[str], Any] | None = None) -> Iterator[None]:
    """The log of all SQL statements for a `with` block."""
    set_sql_log(handler)
    try:
        yield
    finally:
        set_sql_log(enabled=False)


def library_version() -> str:
    """The version of the shared library that is loaded."""
    return text(functions.pinview_version_string()) or ""


def live_handles() -> int:
    """How many handles of the library are alive in this process; to look for leaks."""
    drop_scratch()
    settle()
    return functions.pinview_handle_count()


def sqlite_version() -> str:
    """The version of the SQLite library in use."""
    return text(functions.pinview_sqlite_version()) or ""


def has_feature(name: str) -> bool:
    """Whether the library has a feature: query-generations, undo, nested-contexts, merge-policies, batch-update, sql-log…"""
    return bool(functions.pinview_has_feature(string(name)))


def is_sql_log_enabled() -> bool:
    """Whether the log of SQL statements is on."""
    return bool(functions.pinview_sql_log_is_enabled())


def set_concurrency_debug(enabled: bool = True) -> None:
    """Makes calls on private-queue contexts outside of their blocks a WrongQueueError, to find programs that forget them."""
    functions.pinview_set_concurrency_debug(bool(enabled))
    check_queues(bool(enabled))
