"""The difference of two generations: which objects were inserted, updated and deleted between
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from ctypes import c_void_p, sizeof

from ._ffi.calls import call, call_for_handle
from ._ffi.handles import Managed, handle_of, optional_handle_of
from ._ffi.library import functions
from ._ffi.prototypes import pinview_difference_change, pinview_string
from ._ffi.values import string, text
from ._support.annotating import Any, overload
from ._support.records import record
from .history import HistoryChangeType
from .object_id import ObjectID
from .tokens import QueryGenerationToken


@record(frozen=True)
class GenerationChange:
    """A difference of one object between two generations."""

    type: HistoryChangeType
    """Whether only the new generation has the object (INSERT), only the old one (DELETE), or both
    (UPDATE).
    """
    object_id: ObjectID
    updated_properties: tuple[str, ...]
    """For updates: the names of the properties with different values."""


class GenerationDifference(Managed, Sequence["GenerationChange"], release="pinview_difference_release"):
    """The changes between two generations, ordered by store, entity and primary key, each object at
    most once.

    It keeps both generations alive, so that contexts can be pinned to its tokens. Close it when it
    is not needed any more.
    """

    __slots__ = ("_changes",)

    _changes: tuple[GenerationChange, ...] | None
    _BATCH = 1000

    def __init__(self) -> None:
        raise TypeError("Differences are created by coordinator.difference().")

    @property
    def old_generation(self) -> QueryGenerationToken:
        """The token of the first generation."""
        return self._token(functions.pinview_difference_old_generation)

    @property
    def new_generation(self) -> QueryGenerationToken:
        """The token of the second generation."""
        return self._token(functions.pinview_difference_new_generation)

    def _token(self, function: Any) -> QueryGenerationToken:
        return QueryGenerationToken._owned(call_for_handle(functions.pinview_token_release, function, self.handle) or 0)

    @property
    def inserted(self) -> tuple[ObjectID, ...]:
        """The IDs of objects that only the second generation has."""
        return self._ids(HistoryChangeType.INSERT)

    @property
    def updated(self) -> tuple[ObjectID, ...]:
        """The IDs of objects that both generations have, with different values."""
        return self._ids(HistoryChangeType.UPDATE)

    @property
    def deleted(self) -> tuple[ObjectID, ...]:
        """The IDs of objects that only the first generation has."""
        return self._ids(HistoryChangeType.DELETE)

    def _ids(self, kind: HistoryChangeType) -> tuple[ObjectID, ...]:
        return tuple(change.object_id for change in self._all() if change.type == kind)

    def _all(self) -> tuple[GenerationChange, ...]:
        known: tuple[GenerationChange, ...] | None = getattr(self, "_changes", None)
        if known is None:
            total = len(self)
            known = tuple(change for first in range(0, total, self._BATCH) for change in self._read(first, min(self._BATCH, total - first)))
            self._changes = known
        return known

    def _read(self, first: int, count: int) -> list[GenerationChange]:
        changes, ids = (pinview_difference_change * count)(), (c_void_p * count)()
        try:
            call(functions.pinview_difference_changes, self.handle, first, count, changes, sizeof(pinview_difference_change), ids)
        except BaseException:
            for handle in ids:
                functions.pinview_object_id_release(handle)
            raise
        return [
            GenerationChange(
                HistoryChangeType(change.type),
                ObjectID._owned(handle or 0),
                tuple(text(change.properties[index]) or "" for index in range(change.property_count)),
            )
            for change, handle in zip(changes, ids)
        ]

    def __len__(self) -> int:
        return int(functions.pinview_difference_count(self.handle))

    @overload
    def __getitem__(self, index: int) -> GenerationChange: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[GenerationChange, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._all()[index]

    def __iter__(self) -> Iterator[GenerationChange]:
        return iter(self._all())


def difference(
    coordinator: int, old: QueryGenerationToken, new: QueryGenerationToken | None, entities: Iterable[str] | None
) -> GenerationDifference:
    """Compares two generations."""
    names = None if entities is None else [string(name) for name in entities]
    array = None if names is None else (pinview_string * max(len(names), 1))(*names)
    handle = call_for_handle(
        functions.pinview_difference_release,
        functions.pinview_coordinator_difference,
        coordinator,
        handle_of(old, "QueryGenerationToken"),
        optional_handle_of(new, "QueryGenerationToken"),
        array,
        len(names or ()),
    )
    return GenerationDifference._owned(handle or 0)
