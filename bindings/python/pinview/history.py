"""Persistent history: the write transactions of stores and their changes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_int64, sizeof, string_at

from ._ffi import registry
from ._ffi.calls import call, call_for, call_for_handle, call_for_text, keep_for_caller, shielded
from ._ffi.choices import Choice
from ._ffi.convert import plain_bytes
from ._ffi.dates import date_of_seconds, seconds_since_reference_date
from ._ffi.handles import Managed, handle_of
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_HISTORY_BEFORE_DATE,
    PINVIEW_HISTORY_BY_DATE,
    PINVIEW_HISTORY_OMITS_CHANGES,
    PINVIEW_HISTORY_PASSES_CONSUMERS,
    PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS,
    pinview_binary,
    pinview_history_change,
    pinview_history_consumer_callback,
    pinview_history_request,
    pinview_history_transaction,
    pinview_string,
    pinview_value,
)
from ._ffi.values import STRING_LAYOUT, decode, string, text
from ._support.annotating import Any
from ._support.records import record
from .object_id import ObjectID


class HistoryToken(Managed, release="pinview_history_token_release"):
    """A position in the history of the stores. Its bytes() are valid in every process, and can be
    kept.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Tokens are obtained from coordinator.history_token(), a transaction, or HistoryToken.from_bytes().")

    @classmethod
    def from_bytes(cls, data: bytes) -> HistoryToken:
        """The token for the result of bytes()."""
        content = plain_bytes(data)
        view = pinview_binary(content, len(content))
        return cls._owned(call_for_handle(cls._release, functions.pinview_history_token_create_from_data, view) or 0)

    def __bytes__(self) -> bytes:
        """The token as bytes, from which from_bytes() makes an equal token."""
        address, size = STRING_LAYOUT.unpack_from(call_for(pinview_binary, functions.pinview_history_token_data, self.handle))
        return string_at(address, size)

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return HistoryToken.from_bytes, (bytes(self),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HistoryToken):
            return NotImplemented
        return bool(functions.pinview_history_token_is_equal(self.handle, other.handle))

    def __hash__(self) -> int:
        return hash(bytes(self))


class HistoryChangeType(Choice):
    """What a transaction did to a row."""

    INSERT = 0
    UPDATE = 1
    DELETE = 2


@record(frozen=True)
class RemoteChange:
    """A commit to a store by another coordinator of this process, or by another process."""

    store_identifier: str
    store_path: str | None
    history_token: HistoryToken | None
    """The end of the store's history now; None for a store without history. Commits by programs
    that do not use this library, such as the sqlite3 tool, are not in the history.
    """

    @classmethod
    def _of(cls, change: Any) -> RemoteChange:
        token = change.history_token
        path = text(change.store_path)
        return cls(text(change.store_identifier) or "", path, None if token is None else HistoryToken._borrowed(token))


@record(frozen=True)
class HistoryTransaction:
    """A write transaction of a store.

    Attributes:
        number: The number of the transaction in its store.
        timestamp: When it was committed.
        store_identifier: The UUID of the store.
        author: The context's transaction_author.
        context_name: The context's name.
        program: The name of the program.
        process: The process.
        changes: The changes, one for each row.
        token: The position in the history after this transaction.
    """

    number: int
    timestamp: datetime.datetime
    store_identifier: str
    author: str | None
    context_name: str | None
    program: str | None
    process: str | None
    changes: tuple[HistoryChange, ...]
    token: HistoryToken


class HistoryChange:
    """A change that a transaction made to one row.

    Attributes:
        change_id: The number of the change.
        object_id: The ID of the object.
        type: Whether the row was inserted, updated or deleted.
        updated_properties: For updates: the names of the properties that were changed.
    """

    __slots__ = ("_history", "_index", "_transaction", "change_id", "object_id", "type", "updated_properties")

    def __init__(self, history: History, transaction: int, index: int) -> None:
        place = (handle_of(history, "History"), transaction, index)
        self._history, self._transaction, self._index = history, transaction, index
        change = call_for(pinview_history_change, functions.pinview_history_change_at, *place)
        self.change_id: int = change.change_id
        self.type = HistoryChangeType(change.type)
        found = call_for_handle(functions.pinview_object_id_release, functions.pinview_history_change_object_id, *place)
        self.object_id: ObjectID = ObjectID._owned(found or 0)
        names = (call_for_text(functions.pinview_history_change_property, *place, number) for number in range(change.property_count))
        self.updated_properties: tuple[str, ...] = tuple(name or "" for name in names)

    def tombstone(self, name: str) -> Any:
        """The value of an attribute of a deleted object, if the model preserves it in the history;
        else None.
        """
        buffer = call_for_handle(functions.pinview_buffer_release, functions.pinview_buffer_create)
        try:
            place = (self._history.handle, self._transaction, self._index)
            return decode(call_for(pinview_value, functions.pinview_history_change_tombstone, *place, string(name), buffer))
        finally:
            functions.pinview_buffer_release(buffer)

    def __repr__(self) -> str:
        return f"<HistoryChange {self.type.name} {self.object_id.uri}>"


class History(Managed, Sequence["HistoryTransaction"], release="pinview_history_release"):
    """A sequence of transactions, in order."""

    __slots__ = ("_transactions",)

    _transactions: list[HistoryTransaction] | None

    def __init__(self) -> None:
        raise TypeError("Histories are created by context.history().")

    def _all(self) -> list[HistoryTransaction]:
        known: list[HistoryTransaction] | None = getattr(self, "_transactions", None)
        if known is None:
            known = [self._read(index) for index in range(functions.pinview_history_count(self.handle))]
            self._transactions = known
        return known

    def _read(self, index: int) -> HistoryTransaction:
        found = call_for(pinview_history_transaction, functions.pinview_history_transaction_at, self.handle, index)
        token = call_for_handle(functions.pinview_history_token_release, functions.pinview_history_token_after, self.handle, index)
        return HistoryTransaction(
            number=found.number,
            timestamp=date_of_seconds(found.date),
            store_identifier=text(found.store_identifier) or "",
            author=text(found.author),
            context_name=text(found.context_name),
            program=text(found.program),
            process=text(found.process),
            changes=tuple(HistoryChange(self, index, change) for change in range(found.change_count)),
            token=HistoryToken._owned(token or 0),
        )

    def __len__(self) -> int:
        return int(functions.pinview_history_count(self.handle))

    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __iter__(self) -> Iterator[HistoryTransaction]:
        return iter(self._all())


def _placed(place: HistoryToken | datetime.datetime | None, flags: int) -> pinview_history_request:
    request = pinview_history_request(struct_size=sizeof(pinview_history_request), flags=flags)
    if isinstance(place, datetime.datetime):
        request.flags |= PINVIEW_HISTORY_BY_DATE
        request.date = seconds_since_reference_date(place)
    elif isinstance(place, HistoryToken):
        request.token = place.handle
    elif place is not None:
        raise TypeError(f"Expected a HistoryToken or a datetime, got {type(place).__name__}.")
    return request


def fetch_history(
    context: int,
    after: HistoryToken | datetime.datetime | None,
    before: HistoryToken | datetime.datetime | None,
    authors: Iterable[str | None] | None,
    excluded_authors: Iterable[str | None],
    entities: Iterable[str] | None,
    changes: bool,
) -> History:
    """Reads transactions."""
    request = _placed(after, 0 if changes else PINVIEW_HISTORY_OMITS_CHANGES)
    end = _placed(before, 0)
    request.before = end.token
    if end.flags & PINVIEW_HISTORY_BY_DATE:
        request.flags |= PINVIEW_HISTORY_BEFORE_DATE
        request.before_date = end.date
    if authors is not None:
        wanted = [string(author) for author in authors]
        request.authors, request.author_count = (pinview_string * max(len(wanted), 1))(*wanted), len(wanted)
    excluded = [string(author) for author in excluded_authors]
    request.excluded_authors, request.excluded_author_count = (pinview_string * len(excluded))(*excluded), len(excluded)
    if entities is not None:
        names = [string(name) for name in entities]
        request.entities, request.entity_count = (pinview_string * max(len(names), 1))(*names), len(names)
    return History._owned(
        call_for_handle(functions.pinview_history_release, functions.pinview_context_fetch_history, context, byref(request)) or 0
    )


def delete_history(context: int, before: HistoryToken | datetime.datetime, passing_consumers: bool, refusing: bool) -> int:
    """Deletes transactions."""
    flags = (PINVIEW_HISTORY_PASSES_CONSUMERS if passing_consumers else 0) | (PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS if refusing else 0)
    request = _placed(before, flags)
    return int(call_for(c_int64, functions.pinview_context_delete_history, context, byref(request)).value)


def _consumer(name: Any, token: int, userdata: int) -> None:
    try:
        registry.registered(userdata)(text(name) or "", HistoryToken._borrowed(token))
    except BaseException as error:
        keep_for_caller(error)


# Passed to the library; it lives as long as the module.
_consumer_callback = pinview_history_consumer_callback(shielded(_consumer, flushes=False))


def consumers(coordinator: int) -> dict[str, HistoryToken]:
    """How far each named consumer has read the history."""
    found: dict[str, HistoryToken] = {}
    number = registry.register(found.__setitem__)
    try:
        call(functions.pinview_coordinator_each_history_consumer, coordinator, _consumer_callback, number)
    finally:
        registry.unregister(number)
    return found
