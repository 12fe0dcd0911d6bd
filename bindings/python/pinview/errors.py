"""The exceptions: a tree under Error as PEP 249 draws it, with one class for each code that a program may want to catch.

Where Python has a habit of its own, the class follows it too: an unknown property is an AttributeError and a KeyError, a value of
a wrong type a TypeError, an unknown entity a LookupError, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._support.records import field, record

if TYPE_CHECKING:
    from .object_id import ObjectID

__all__ = [
    "CancelledError",
    "ConfinementError",
    "Conflict",
    "ConflictError",
    "ConstraintConflict",
    "ConstraintConflictError",
    "ContextGoneError",
    "CoordinatorNilError",
    "DataError",
    "DatabaseError",
    "DeadlockError",
    "DeleteDeniedError",
    "Error",
    "ExternalRelationshipError",
    "ForeignTokenError",
    "ForkedError",
    "GenerationError",
    "GenerationExpiredError",
    "GenerationLostError",
    "HistoryTokenExpiredError",
    "IncompatibleModelError",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidHandleError",
    "InvalidTextError",
    "MissingValueError",
    "ModelError",
    "MultipleValidationErrors",
    "NestedPinError",
    "NoCoordinatorError",
    "NoCurrentContextError",
    "NotADatabaseError",
    "NotLockedError",
    "NotSupportedError",
    "ObjectInvalidatedError",
    "ObjectNotFoundError",
    "OperationalError",
    "OutOfMemoryError",
    "OutOfRangeError",
    "ParentCycleError",
    "PinnedAutoMergeError",
    "PredicateError",
    "ProgrammingError",
    "RelationshipCountError",
    "SaveError",
    "StoppedError",
    "StoreBusyError",
    "StoreError",
    "StoreOpenError",
    "StoreOperationError",
    "TimedOutError",
    "UnknownEntityError",
    "UnknownKeyError",
    "UnknownStoreError",
    "UnsupportedRequestError",
    "ValidationError",
    "WrongContextError",
    "WrongQueueError",
    "WrongStoreError",
    "WrongTypeError",
]

COCOA_DOMAIN = "NSCocoaErrorDomain"
PINVIEW_DOMAIN = "PinviewErrorDomain"
SQLITE_DOMAIN = "NSSQLiteErrorDomain"


@record(frozen=True)
class ConstraintConflict:
    """Objects that would have the same values in a uniqueness constraint.

    `entity_name` is the entity that declares the constraint, `constraint` the names of its properties, and `values` what the
    objects share, by property. `database_object` is the ID of the object that has the values in the store, and `database_snapshot`
    its values there; both are None when all objects are part of the same save. `objects` are the IDs of the context's objects in the
    order in which they were inserted or last changed, and `snapshots` the values that they were to be saved with. Rows of a batch
    insert have no IDs: `objects` is empty then.
    """

    entity_name: str
    constraint: tuple[str, ...]
    values: Mapping[str, Any]
    database_object: ObjectID | None
    database_snapshot: Mapping[str, Any] | None
    objects: tuple[ObjectID, ...]
    snapshots: tuple[Mapping[str, Any], ...]


@record(frozen=True)
class Conflict:
    """An object that others changed since the context read it.

    `base` holds the values both sides began with, `mine` those of the context, `theirs` those now in the store, or None when the
    row is gone. `is_deletion` says that the context wants to delete the object: `mine` is as `base` then. `old_version` and
    `new_version` count how often the row was written; 0 stands for a row that is gone.

    In the list that a merge function gets, `constraint` is the uniqueness constraint that the object would violate: `theirs` are then
    the values of the object that has the constraint's values already. It is None for a row that others changed.
    """

    object_id: ObjectID
    old_version: int
    new_version: int
    base: Mapping[str, Any] = field(default_factory=dict)
    mine: Mapping[str, Any] = field(default_factory=dict)
    theirs: Mapping[str, Any] | None = None
    is_deletion: bool = False
    constraint: ConstraintConflict | None = None

    @property
    def keys_changed_by_mine(self) -> set[str]:
        """The properties that the context changed."""
        return {key for key, value in self.mine.items() if value != self.base.get(key)}

    @property
    def keys_changed_by_theirs(self) -> set[str]:
        """The properties that others changed; all of them when the row is gone."""
        theirs = self.theirs
        return set(self.base) if theirs is None else {key for key, value in theirs.items() if value != self.base.get(key)}


class Error(Exception):
    """What every exception of the library is.

    Attributes:
        message: one line: what was wrong with which value, and what to do.
        domain: NSCocoaErrorDomain for codes that Core Data documents, PinviewErrorDomain for mistakes of the program, and
            NSSQLiteErrorDomain; None for an error that the binding found itself.
        code: the number in the domain; 0 where there is none.
        sqlite_code: SQLite's extended result code, or None.
        affected_objects: the IDs of the objects concerned.
        affected_stores: the stores concerned, by path or identifier.
        detailed_errors: the single errors under one that sums several up; among them what hooks raised.
        conflicts: what a save found changed by others.
        constraint_conflicts: the uniqueness constraints that a save would violate.
        key, value: property and value that did not pass a validation.
    """

    def __init__(
        self,
        message: str,
        *,
        domain: str | None = None,
        code: int = 0,
        sqlite_code: int | None = None,
        affected_objects: Sequence[ObjectID] = (),
        affected_stores: Sequence[str] = (),
        detailed_errors: Sequence[BaseException] = (),
        conflicts: Sequence[Conflict] = (),
        constraint_conflicts: Sequence[ConstraintConflict] = (),
        key: str | None = None,
        value: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.domain = domain
        self.code = code
        self.sqlite_code = sqlite_code
        self.affected_objects = tuple(affected_objects)
        self.affected_stores = tuple(affected_stores)
        self.detailed_errors = tuple(detailed_errors)
        self.conflicts = tuple(conflicts)
        self.constraint_conflicts = tuple(constraint_conflicts)
        self.key = key
        self.value = value

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        """For other processes, which get everything but what belongs to the memory of this one: IDs, and the conflicts that have them."""
        kept = {"affected_objects": (), "conflicts": (), "constraint_conflicts": ()} | (
            {"value": None} if hasattr(self.value, "handle") else {}
        )
        return type(self), (self.message,), {**self.__dict__, **kept}


# The branches of PEP 249


class InterfaceError(Error):
    """The library was used in a way that cannot work."""


class DatabaseError(Error):
    """Something about the stores or their data."""


class DataError(DatabaseError):
    """A value cannot be stored or represented."""


class OperationalError(DatabaseError):
    """The store could not do it now: file, disk, lock."""


class IntegrityError(DatabaseError):
    """The data would not have been consistent."""


class ProgrammingError(DatabaseError):
    """A mistake of the program: names, types, order of calls."""


class InternalError(DatabaseError):
    """The library or the store lost what it needs."""


class NotSupportedError(DatabaseError):
    """The store or this version of the library cannot do it."""


# Validation


class ValidationError(IntegrityError, ValueError):
    """A value, or an object as a whole, is not valid; `key` and `value` tell which."""


class MultipleValidationErrors(ValidationError):
    """Several validations failed; see `detailed_errors`."""


class MissingValueError(ValidationError):
    """A property that is not optional has no value."""


class RelationshipCountError(ValidationError):
    """A relationship has too few or too many objects."""


class DeleteDeniedError(ValidationError):
    """An object cannot be deleted while a relationship with the rule deny has objects."""


# Stores and their data


class ObjectNotFoundError(DatabaseError, LookupError):
    """There is no such row in the store."""


class ConflictError(IntegrityError):
    """Others changed the same objects; see `conflicts`."""


class ConstraintConflictError(ConflictError):
    """Objects would have the same values in a uniqueness constraint; see `constraint_conflicts`."""


class SaveError(OperationalError):
    """The store could not be saved to."""


class StoreOperationError(OperationalError):
    """The store is not there any more, or cannot do it now."""


class StoreOpenError(OperationalError):
    """The store cannot be opened."""


class NotADatabaseError(StoreOpenError):
    """The file is not an SQLite database."""


class StoreBusyError(OperationalError):
    """Another writer kept the store for too long."""


class UnsupportedRequestError(NotSupportedError):
    """The store cannot execute a request of this kind."""


class IncompatibleModelError(OperationalError):
    """The store was written with another model."""


class StoreError(OperationalError):
    """SQLite reported an error; see `sqlite_code`."""


class ExternalRelationshipError(IntegrityError):
    """A relationship would reach into another store."""


class CancelledError(OperationalError):
    """A fetch was cancelled or interrupted."""


class TimedOutError(OperationalError):
    """A fetch took longer than its timeout."""


class HistoryTokenExpiredError(OperationalError):
    """The history before this point was deleted."""


class GenerationLostError(InternalError):
    """An answer could not be proven to be from the pinned generation, so there is none. Pin again."""


class OutOfMemoryError(OperationalError, MemoryError):
    """There was not enough memory."""


# Query generations


class GenerationError(ProgrammingError):
    """A context cannot be pinned that way."""


class NestedPinError(GenerationError):
    """A child context reads through its parent; pin the root."""


class ForeignTokenError(GenerationError):
    """The token comes from another coordinator."""


class GenerationExpiredError(GenerationError):
    """No context uses the generation any more, so it is gone."""


class PinnedAutoMergeError(GenerationError):
    """Automatic merging and a generation that is not the newest exclude each other."""


# Contexts and queues


class WrongQueueError(ProgrammingError):
    """A main-queue context was used off the main thread, or a confined one off its own."""


class DeadlockError(OperationalError):
    """The thread is in a block of one context and would have waited for another one, whose thread waits for the first, maybe through
    others. Nothing was done; the contexts are as they were. Have one of the threads use `perform`, or all of them enter the contexts
    in one order."""


class WrongContextError(ProgrammingError):
    """Objects of two contexts were mixed."""


class WrongStoreError(ProgrammingError):
    """The store does not hold the object or its entity."""


class NoCoordinatorError(ProgrammingError):
    """The context has neither coordinator nor parent."""


class CoordinatorNilError(ProgrammingError):
    """Coordinator and parent of a context cannot be taken away."""


class ConfinementError(ProgrammingError):
    """A confinement context can neither be parent or child nor perform blocks."""


class ParentCycleError(ProgrammingError):
    """A context cannot be its own ancestor."""


class ContextGoneError(ProgrammingError, ReferenceError):
    """The context of the object has ended."""


class ObjectInvalidatedError(ProgrammingError, ReferenceError):
    """The object was forgotten by a reset, or its store was removed."""


class NoCurrentContextError(ProgrammingError):
    """A fetch request was executed outside every block."""


class NotLockedError(ProgrammingError):
    """A context was unlocked that is not locked."""


# Names, types, arguments


class UnknownEntityError(ProgrammingError, LookupError):
    """The model has no entity of this name."""


class UnknownKeyError(ProgrammingError, AttributeError, KeyError):
    """The entity has no property of this name."""


class WrongTypeError(ProgrammingError, TypeError):
    """A value of a wrong type."""


class OutOfRangeError(DataError, OverflowError, ValueError):
    """A value that the type of the other side cannot hold."""


class PredicateError(ProgrammingError, ValueError):
    """The predicate cannot be read, or makes no sense for the entity."""


class ModelError(ProgrammingError, ValueError):
    """The model is wrong; the message names entity and property."""


class InvalidArgumentError(ProgrammingError, ValueError):
    """An argument makes no sense."""


class InvalidTextError(InvalidArgumentError):
    """A text cannot be written as UTF-8."""


class UnknownStoreError(ProgrammingError, LookupError):
    """The coordinator has no such store."""


class InvalidHandleError(InterfaceError):
    """An object of the binding that was closed already."""


class ForkedError(InterfaceError):
    """Used after fork() in the child; start processes that use the library by spawn or forkserver."""


class StoppedError(InterfaceError):
    """A callback asked to stop."""


_COCOA: dict[int, type[Error]] = {
    1560: MultipleValidationErrors,
    1570: MissingValueError,
    1580: RelationshipCountError,
    1590: RelationshipCountError,
    1600: DeleteDeniedError,
    3072: CancelledError,
    133000: ObjectNotFoundError,
    133010: ExternalRelationshipError,
    133020: ConflictError,
    133021: ConstraintConflictError,
    134030: SaveError,
    134070: StoreOperationError,
    134080: StoreOpenError,
    134091: UnsupportedRequestError,
    134100: IncompatibleModelError,
    134180: StoreError,
    134301: HistoryTokenExpiredError,
}

_PINVIEW: dict[int, type[Error]] = {
    1: NestedPinError,
    2: ForeignTokenError,
    3: GenerationExpiredError,
    4: WrongQueueError,
    5: WrongContextError,
    6: WrongStoreError,
    7: NoCoordinatorError,
    8: CoordinatorNilError,
    9: ConfinementError,
    10: ConfinementError,
    11: ParentCycleError,
    12: ContextGoneError,
    13: ObjectInvalidatedError,
    14: NoCurrentContextError,
    15: PinnedAutoMergeError,
    16: UnknownEntityError,
    17: UnknownKeyError,
    18: WrongTypeError,
    19: PredicateError,
    20: ModelError,
    21: NotLockedError,
    101: InvalidHandleError,
    102: InvalidArgumentError,
    103: InvalidTextError,
    104: GenerationLostError,
    105: ForkedError,
    106: OutOfMemoryError,
    107: UnknownStoreError,
    108: StoppedError,
    109: TimedOutError,
    110: DeadlockError,
}

# SQLite's primary result codes that deserve a class whatever the library was doing.
_SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_NOTADB = 5, 6, 26


def error_class(domain: str, code: int, sqlite_code: int | None) -> type[Error]:
    """The class for an error of the library; a code of a newer library gets the class of its domain."""
    if sqlite_code is not None:
        if sqlite_code & 0xFF in (_SQLITE_BUSY, _SQLITE_LOCKED):
            return StoreBusyError
        if sqlite_code & 0xFF == _SQLITE_NOTADB and code == 134080:
            return NotADatabaseError
    if domain == PINVIEW_DOMAIN:
        return _PINVIEW.get(code, ProgrammingError if code < 100 else InterfaceError)
    if domain == COCOA_DOMAIN:
        return _COCOA.get(code, ValidationError if 1550 <= code < 1700 else DatabaseError)
    return StoreError if domain == SQLITE_DOMAIN else DatabaseError
