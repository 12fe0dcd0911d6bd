"""What inserting and upserting give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ._ffi.choices import UpsertOutcome
from ._support.records import record

if TYPE_CHECKING:
    from .managed_object import ManagedObject


@record(frozen=True)
class BatchInsertCounts:
    """What a batch insert did with its rows; each is counted once.

    Attributes:
        inserted: how many rows are new.
        updated: how many rows changed one that was there.
        left: how many rows left one that was there as it was.
    """

    inserted: int
    updated: int
    left: int


@record()
class UpsertResult:
    """The objects of an upsert, and what was done with each row.

    Attributes:
        objects: for each row, in order, the live object that stands for it; rows with equal values of the constraint have the same one.
        outcomes: for each row whether its object was created, updated or left unchanged.
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
        """The objects that are new."""
        return self._having(UpsertOutcome.CREATED)

    @property
    def updated(self) -> list[ManagedObject]:
        """The objects that got other values, once for each row that changed them."""
        return self._having(UpsertOutcome.UPDATED)

    @property
    def unchanged(self) -> list[ManagedObject]:
        """The objects that had the values already, once for each row that says so."""
        return self._having(UpsertOutcome.UNCHANGED)
