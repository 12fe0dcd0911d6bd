"""Metadata of stores: Core Data's entries, and those of the program."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from ctypes import string_at

from .._ffi.buffers import return_buffer, take_buffer
from .._ffi.calls import call
from .._ffi.dates import UTC
from .._ffi.library import functions
from .._ffi.prototypes import pinview_binary, pinview_value
from .._ffi.values import STRING_LAYOUT, string
from .._support import lazy
from .._support.annotating import Any
from ..errors import WrongTypeError


def _decoded(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=UTC)
    if isinstance(value, dict):
        return {key: _decoded(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_decoded(member) for member in value]
    return value


def _encoded(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, Mapping):
        return {key: _encoded(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encoded(member) for member in value]
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return value


def _read(function: Any, source: Any) -> dict[str, Any]:
    buffer = take_buffer()
    try:
        out = pinview_binary()
        call(function, source, buffer._handle, out)
        address, size = STRING_LAYOUT.unpack_from(out)
        return dict(_decoded(lazy.plistlib.loads(string_at(address, size))))
    finally:
        return_buffer(buffer)


def _plist(entries: Mapping[str, Any]) -> pinview_binary:
    try:
        content = lazy.plistlib.dumps(_encoded(entries), fmt=lazy.plistlib.FMT_BINARY)
    except (TypeError, OverflowError) as error:
        raise WrongTypeError(f"Metadata must be texts, numbers, Booleans, dates, bytes, lists and dicts of them: {error}.") from None
    return pinview_binary(content, len(content))


def store_metadata(store: int) -> dict[str, Any]:
    """The metadata of an open store."""
    return _read(functions.pinview_store_metadata, store)


def _require_entries(entries: Any) -> None:
    if not isinstance(entries, Mapping):
        raise WrongTypeError(f"Metadata must be a mapping of names to values, got {type(entries).__name__}")


def set_store_metadata(store: int, entries: Mapping[str, Any]) -> None:
    """Changes entries of an open store; None removes one."""
    _require_entries(entries)
    kept = {key: value for key, value in entries.items() if value is not None}
    if kept:
        call(functions.pinview_store_set_metadata, store, _plist(kept))
    for key, value in entries.items():
        if value is None:
            call(functions.pinview_store_set_metadata_value, store, string(key), pinview_value())


def file_metadata(path: str) -> dict[str, Any]:
    """The metadata of a store file."""
    return _read(functions.pinview_file_metadata, string(path))


def set_file_metadata(path: str, entries: Mapping[str, Any]) -> None:
    """Sets entries of a store file."""
    _require_entries(entries)
    call(functions.pinview_file_set_metadata, string(path), _plist(entries))
