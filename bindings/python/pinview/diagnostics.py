"""The SQL log, versions, and the number of live handles."""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Callable, Iterator
from ctypes import CDLL, Structure, byref, c_char_p, c_void_p, cast

from ._ffi import library, registry
from ._ffi.buffers import drop_buffers
from ._ffi.calls import call, keep_for_caller, raise_pending, shielded
from ._ffi.handles import require_callable
from ._ffi.library import functions
from ._ffi.pending_releases import flush
from ._ffi.prototypes import pinview_free_callback, pinview_log_callback
from ._ffi.values import string, text
from ._objects.blocks import check_queues
from ._support import lazy
from ._support.annotating import Any
from ._support.forward import Logger
from ._support.records import record

_NO_CALLBACK = pinview_log_callback()
_NO_FREE = pinview_free_callback()
_process = os.getpid()


def _log(line: Any, userdata: int) -> None:
    handler = registry.registered(userdata)
    if handler is None:
        return
    try:
        handler(text(line))
    except BaseException as error:
        keep_for_caller(error)


# Passed to the library; it lives as long as the module.
_log_callback = pinview_log_callback(shielded(_log, flushes=False))


def set_sql_log(handler: Callable[[str], Any] | None = None, *, enabled: bool = True) -> None:
    """Switches the log of all SQL statements on or off. Without a handler, lines go to standard
    error.

    A line consists of `CoreData: sql: `, the statement, and an SQL comment with the name of the
    store's file, the kind of connection and the state that it reads: `-- people.sqlite, reader,
    generation 17`. A connection is a writer, a reader, the probe, which finds the newest state, or
    the anchor, which holds the pins. The state is a generation by its ordinal (as in
    JournalReport), `newest`, or `transaction` for the connection's own uncommitted changes. Only
    `CoreData: sql: pragma journal_mode=wal` has no comment. A checkpoint is logged as the
    equivalent statement, with its result.

    The handler is called on the thread that executes the statement, and must not use the library.
    An exception is raised by the call that executed the statement.
    """
    if handler is None or not enabled:
        call(functions.pinview_sql_log_set_callback, _NO_CALLBACK, None, _NO_FREE)
    else:
        require_callable(handler, "The handler of the log")
        number = registry.register(handler)
        try:
            call(functions.pinview_sql_log_set_callback, _log_callback, number, registry.free)
        except BaseException:
            registry.unregister(number)
            raise
        atexit.unregister(_end_sql_log)
        atexit.register(_end_sql_log)  # while there is still an interpreter that can run it
    functions.pinview_sql_log_set_enabled(bool(enabled))
    raise_pending()


def _end_sql_log() -> None:
    if os.getpid() == _process:
        set_sql_log(enabled=False)


@contextlib.contextmanager
def sql_log(handler: Callable[[str], Any] | None = None) -> Iterator[None]:
    """Switches the log of all SQL statements on for a `with` block."""
    set_sql_log(handler)
    try:
        yield
    finally:
        set_sql_log(enabled=False)


def log_sql(logger: str | Logger = "pinview.sql") -> None:
    """Sends the log of all SQL statements to a logger of `logging`, at the level DEBUG; see
    set_sql_log(). It is formatted and passed on only if the logger is enabled for that level.

    Args:
        logger: The logger, or its name.
    """
    logging = lazy.logging
    chosen = logging.getLogger(logger) if isinstance(logger, str) else logger

    def log(line: str) -> None:
        if chosen.isEnabledFor(logging.DEBUG):
            chosen.debug("%s", line.removeprefix("CoreData: sql: "))

    set_sql_log(log)


def library_version() -> str:
    """The version of the loaded shared library."""
    return text(functions.pinview_version_string()) or ""


def live_handles() -> int:
    """The number of the library's handles that are alive in this process, for finding leaks."""
    drop_buffers()
    flush()
    return functions.pinview_handle_count()


def sqlite_version() -> str:
    """The version of the SQLite library in use."""
    return text(functions.pinview_sqlite_version()) or ""


@record(frozen=True)
class SQLiteLibrary:
    """Which SQLite is in use."""

    path: str
    """The shared library."""
    version: str
    is_of_package: bool
    """Whether it is the copy that comes with the package, for machines without one."""


class _DynamicLinkerInfo(Structure):
    _fields_ = [("path", c_char_p), ("base", c_void_p), ("symbol", c_char_p), ("address", c_void_p)]


def sqlite_library() -> SQLiteLibrary:
    """The SQLite library in use: the system's or, where there is none, the copy in the package. The
    variable PINVIEW_SQLITE chooses one: system or package.
    """
    info = _DynamicLinkerInfo()
    # What is loaded under this name is what the linker gave libpinview.
    found = CDLL(library.SQLITE_NAME).sqlite3_libversion
    dladdr = CDLL(None).dladdr
    dladdr.argtypes = (c_void_p, c_void_p)
    path = os.fsdecode(info.path or b"") if dladdr(cast(found, c_void_p), byref(info)) else ""
    path = os.path.realpath(path)
    return SQLiteLibrary(path, sqlite_version(), path == os.path.realpath(library.sqlite_of_package()))


def has_feature(name: str) -> bool:
    """Whether the library has a feature: query-generations, undo, nested-contexts, merge-policies,
    batch-update, sql-log and others.
    """
    return bool(functions.pinview_has_feature(string(name)))


def is_sql_log_enabled() -> bool:
    """Whether the SQL log is switched on."""
    return bool(functions.pinview_sql_log_is_enabled())


def set_concurrency_debug(enabled: bool = True) -> None:
    """Sets whether calls on private-queue contexts raise WrongQueueError outside of perform()
    blocks, for debugging.
    """
    functions.pinview_set_concurrency_debug(bool(enabled))
    check_queues(bool(enabled))
