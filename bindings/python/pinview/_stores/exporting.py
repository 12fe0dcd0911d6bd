"""Generations as files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .._ffi import registry
from .._ffi.calls import call, leave_error, shielded
from .._ffi.handles import optional_handle_of, require_callable
from .._ffi.library import functions
from .._ffi.prototypes import PINVIEW_EXPORT_REPLACE, PINVIEW_OK, PINVIEW_STOP, pinview_export_callback
from .._ffi.values import string
from .._support.forward import Path
from ..errors import CancelledError, InvalidArgumentError, StoppedError

Progress = Callable[[int, int], Any]
"""Called with the numbers of bytes written and to be written; returning False cancels."""


def file_path(path: Path, what: str) -> str:
    """A path as a string, checked."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"The path of {what} must be a str or a path object, got {type(text).__name__}.")
    if "\0" in text:
        raise InvalidArgumentError(f"The path {text!r} contains a NUL character.")
    return text


def _progress(completed: int, total: int, userdata: int) -> int:
    try:
        progress = registry.registered(userdata)
        return PINVIEW_STOP if progress is not None and progress(completed, total) is False else PINVIEW_OK
    except BaseException as error:
        return leave_error(error)


# Also without a function of the program, so that Ctrl-C interrupts.
_callback = pinview_export_callback(shielded(_progress))


def export(function: Any, path: Path, replace: bool, progress: Progress | None, *arguments: Any) -> None:
    """Calls a function of the library that exports, and translates its callback."""
    if progress is not None:
        require_callable(progress, "progress")
    target = string(file_path(path, "the new file"))
    number = registry.register(progress)
    try:
        call(function, *arguments, target, PINVIEW_EXPORT_REPLACE if replace else 0, _callback, number)
    except StoppedError:
        raise CancelledError(f"The export to {os.fspath(path)!r} was cancelled; no file was written.") from None
    finally:
        registry.unregister(number)


def export_generation(coordinator: int, token: Any, store: Any, path: Path, replace: bool, progress: Progress | None) -> None:
    """See Coordinator.export()."""
    handles = (coordinator, optional_handle_of(token, "QueryGenerationToken"), optional_handle_of(store, "Store"))
    export(functions.pinview_coordinator_export, path, replace, progress, *handles)


def export_database(source: Path, path: Path, *, replace: bool = False, progress: Progress | None = None) -> None:
    """Writes the newest state of any SQLite database to a file of its own, while other programs
    write to it.

    The file is complete and consistent, needs no journal beside it, and appears only when it is
    finished: an interrupted export leaves nothing behind. The database is opened for reading only.

    Args:
        source: The database. It needs no model.
        path: The new file, in an existing folder.
        replace: Whether an existing file is replaced. It must not be open.
        progress: Called about once per megabyte with the numbers of bytes written and to be
            written. If it returns False, the export is cancelled and raises CancelledError.
    """
    export(functions.pinview_export_database, path, replace, progress, string(file_path(source, "the database")))
