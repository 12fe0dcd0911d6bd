"""Results of batch inserts and upserts."""

from __future__ import annotations

from collections.abc import Iterator

from ._ffi.choices import UpsertOutcome
from ._support.records import record
from .managed_object import ManagedObject


@record(frozen=True)
class BatchInsertCounts:
    """What a batch insert did with its rows. Each row is counted once.

    Attributes:
        inserted: The number of rows that were inserted.
        updated: The number of rows that updated an existing row.
        left: The number of rows that left an existing row unchanged.
    """

    inserted: int
    updated: int
    left: int


@record()
class UpsertResult:
    """The objects of an upsert, and what was done with each row.

    Attributes:
        objects: The object of each row, in order. Rows with equal values of the constraint have the
            same object.
        outcomes: For each row, whether its object was created, updated or left unchanged.
    """

    objects: list[ManagedObject]
    outcomes: list[UpsertOutcome]

    def __len__(self) -> int:
        return len(self.objects)

    def __iter__(self) -> Iterator[tuple[ManagedObject, UpsertOutcome]]:
        return iter(zip(self.objects, self.outcomes, strict=True))

    def _having(self, outcome: UpsertOutcome) -> list[ManagedObject]:
        return [each for each, given in self if given is outcome]

    @property
    def created(self) -> list[ManagedObject]:
        """The objects that were inserted."""
        return self._having(UpsertOutcome.CREATED)

    @property
    def updated(self) -> list[ManagedObject]:
        """The objects that got new values, once for each row that changed them."""
        return self._having(UpsertOutcome.UPDATED)

    @property
    def unchanged(self) -> list[ManagedObject]:
        """The objects that had the values already, once for each such row."""
        return self._having(UpsertOutcome.UNCHANGED)
