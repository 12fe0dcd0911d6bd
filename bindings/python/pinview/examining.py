"""What a store lacks, and values as examiners read them."""

from __future__ import annotations

from ctypes import byref, c_int32

from ._ffi.buffers import return_buffer, take_buffer
from ._ffi.calls import call, call_for
from ._ffi.library import functions
from ._ffi.prototypes import pinview_string, pinview_value
from ._ffi.values import decode, encode, string, text
from ._support import lazy
from ._support.annotating import Any
from ._support.records import record


@record(frozen=True)
class MissingElement:
    """An entity or a property that a model asks for and a store lacks."""

    entity: str
    """The entity that is missing, or that declares the missing property."""
    property: str | None = None
    """None if the whole entity is missing."""

    def __str__(self) -> str:
        return self.entity if self.property is None else f"{self.entity}.{self.property}"


@record(frozen=True)
class ExaminedValue:
    """What a property of an object holds, readable and as stored."""

    readable: Any
    """The value in terms of JSON: see readable(). Objects are the URIs of their IDs."""
    raw: Any
    """What the column holds, whatever the property's type is: a date and a Boolean are numbers, a
    UUID is 16 bytes, a to-one relationship is a primary key. Data that the store keeps in a file of
    its own are the data. None for a to-many relationship.
    """
    is_missing: bool
    """Whether the value is None, or without members, because the store has no such property."""


def readable(value: Any) -> Any:
    """A value in terms of JSON, for people to read: dates as ISO 8601 text in UTC, data that are a
    property list or a keyed archive as what they contain, other data as `{"$bytes": 3, "$base64":
    "AQID"}`.

    No object is made of a class that an archive names: one of an unusual class is a dict of its
    members, with the class as "$class". Damaged and hostile data are other data.
    """
    buffer = take_buffer()
    try:
        given, out = pinview_value(), pinview_string()
        kept = encode(value, given)
        call(functions.pinview_value_readable, byref(given), buffer._handle, byref(out))
        del kept
        return lazy.json.loads(text(out) or "null")
    finally:
        return_buffer(buffer)


def examined(thing: int, name: str) -> ExaminedValue:
    """See ManagedObject.examine()."""
    buffer = take_buffer()
    try:
        raw, shown, is_missing = pinview_value(), pinview_string(), c_int32()
        call(functions.pinview_object_examine, thing, string(name), buffer._handle, byref(raw), byref(shown), byref(is_missing))
        return ExaminedValue(lazy.json.loads(text(shown) or "null"), decode(raw), bool(is_missing.value))
    finally:
        return_buffer(buffer)


def missing_elements(store: int) -> list[MissingElement]:
    """See Store.missing."""
    buffer = take_buffer()
    try:
        found = []
        entity, name = pinview_string(), pinview_string()
        for index in range(functions.pinview_store_missing_count(store)):
            call(functions.pinview_store_missing, store, index, buffer._handle, byref(entity), byref(name))
            found.append(MissingElement(text(entity) or "", text(name)))
        return found
    finally:
        return_buffer(buffer)


def lacks(store: int, entity: str, name: str | None) -> bool:
    """See Store.lacks()."""
    return bool(call_for(c_int32, functions.pinview_store_lacks, store, string(entity), string(name)).value)
