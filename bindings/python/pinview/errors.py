"""The exceptions: a hierarchy below Error as in PEP 249, with a class for each code that a program
may want to catch.

Where Python has an exception of its own for a case, the class derives from that too:
UnknownKeyError is an AttributeError and a KeyError, WrongTypeError a TypeError, UnknownEntityError
a LookupError, and so on.
"""

from __future__ import annotations

from ._support.annotating import Any, Mapping, Sequence
from ._support.forward import ObjectID
from ._support.records import field, record

__all__ = [
    "CancelledError",
    "ConfinementError",
    "Conflict",
    "ConflictError",
    "ConstraintConflict",
    "ConstraintConflictError",
    "ContextGoneError",
    "CoordinatorNilError",
    "CursorExpiredError",
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
    "InferredMappingError",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidHandleError",
    "InvalidTextError",
    "LocksLostError",
    "MigrationConstraintError",
    "MigrationError",
    "MissingValueError",
    "ModelError",
    "MultipleObjectsError",
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
    "StoreMigratedError",
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
    """Objects that would have the same values for a uniqueness constraint.

    Attributes:
        entity_name: The entity that declares the constraint.
        constraint: The names of the constraint's properties.
        values: The values that the objects share, by property.
        database_object: The ID of the object that has the values in the store; None if all objects
            are part of the save.
        database_snapshot: The values of that object in the store.
        objects: The IDs of the context's objects, in the order in which they were inserted or last
            changed. Empty for a batch insert, whose rows have no IDs.
        snapshots: The values that were to be saved, one mapping for each object or row.
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
    """An object that others have changed since the context read it.

    Attributes:
        object_id: The object's ID.
        old_version: How often the row had been written when the context read it.
        new_version: How often the row has been written by now; 0 if it is gone.
        base: The values that the context read.
        mine: The values of the context; the same as `base` if the context deletes the object.
        theirs: The values now in the store; None if the row is gone.
        is_deletion: Whether the context deletes the object.
        constraint: For a merge function: the uniqueness constraint that the object would violate,
            in which case `theirs` are the values of the object that has the constraint's values.
            None for a row that others changed.
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
        """The properties that the context has changed."""
        return {key for key, value in self.mine.items() if value != self.base.get(key)}

    @property
    def keys_changed_by_theirs(self) -> set[str]:
        """The properties that others have changed; all properties if the row is gone."""
        theirs = self.theirs
        return set(self.base) if theirs is None else {key for key, value in theirs.items() if value != self.base.get(key)}


class Error(Exception):
    """The base class of all exceptions of the package.

    Attributes:
        message: One line: what was wrong, with which value, and what to do.
        domain: NSCocoaErrorDomain for codes that Core Data documents, PinviewErrorDomain for other
            errors of the library, or NSSQLiteErrorDomain; None for errors detected by this package.
        code: The error code in the domain; 0 if there is none.
        sqlite_code: SQLite's extended result code, or None.
        affected_objects: The IDs of the objects concerned.
        affected_stores: The paths or identifiers of the stores concerned.
        detailed_errors: The individual errors, if this one stands for several; exceptions of hooks
            among them.
        conflicts: Objects of a save that others have changed.
        constraint_conflicts: The uniqueness constraints that a save would violate.
        key: The property that failed validation.
        value: The value that failed validation.
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
        """Pickles everything except IDs, and the conflicts that contain them: they belong to this
        process.
        """
        kept = {"affected_objects": (), "conflicts": (), "constraint_conflicts": ()} | (
            {"value": None} if hasattr(self.value, "handle") else {}
        )
        return type(self), (self.message,), {**self.__dict__, **kept}


# The classes of PEP 249


class InterfaceError(Error):
    """The library was used incorrectly, regardless of any store."""


class DatabaseError(Error):
    """An error that concerns stores or their data."""


class DataError(DatabaseError):
    """A value that cannot be stored or represented."""


class OperationalError(DatabaseError):
    """The store could not do something because of its file, the disk, or a lock."""


class IntegrityError(DatabaseError):
    """The data would have become inconsistent."""


class ProgrammingError(DatabaseError):
    """An error of the program, such as wrong names, types, or order of calls."""


class InternalError(DatabaseError):
    """The library or the store is in a state that should not occur."""


class NotSupportedError(DatabaseError):
    """Something that the store or this version of the library does not support."""


# Validation


class ValidationError(IntegrityError, ValueError):
    """A value or an object is not valid; see `key` and `value`."""


class MultipleValidationErrors(ValidationError):
    """Several validations failed; see `detailed_errors`."""


class MissingValueError(ValidationError):
    """A property that is not optional has no value."""


class RelationshipCountError(ValidationError):
    """A relationship has too few or too many members."""


class DeleteDeniedError(ValidationError):
    """An object cannot be deleted while a relationship with the delete rule deny has members."""


# Stores and their data


class ObjectNotFoundError(DatabaseError, LookupError):
    """The store has no row for the object."""


class MultipleObjectsError(DatabaseError, LookupError):
    """Several objects match where one was asked for; `affected_objects` has the IDs of some."""


class ConflictError(IntegrityError):
    """Others have changed the same objects; see `conflicts`."""


class ConstraintConflictError(ConflictError):
    """Objects would have the same values for a uniqueness constraint; see
    `constraint_conflicts`.
    """


class SaveError(OperationalError):
    """Saving to the store failed."""


class LocksLostError(SaveError):
    """Other code of the process, such as a second copy of SQLite, has dropped the store's locks, or
    can do so at any time. Nothing was written. See the page "The files of a store".
    """


class StoreOperationError(OperationalError):
    """The store has been removed, or cannot perform the operation in its present state."""


class StoreOpenError(OperationalError):
    """The store cannot be opened."""


class NotADatabaseError(StoreOpenError):
    """The file is not an SQLite database."""


class StoreBusyError(OperationalError):
    """Another writer held the store's lock for too long."""


class UnsupportedRequestError(NotSupportedError):
    """The store cannot execute a request of this kind."""


class IncompatibleModelError(OperationalError):
    """The store was created with a different model."""


class MigrationError(OperationalError):
    """The store cannot be migrated to the model: its rows do not fit, or the migration was
    cancelled. The store is as it was.
    """


class MigrationConstraintError(MigrationError):
    """Values in the store are not unique although the new model demands it; see the option
    `constraint_policy`.
    """


class InferredMappingError(MigrationError):
    """How to migrate the store cannot be inferred. The message says what would resolve it."""


class StoreMigratedError(OperationalError):
    """Another program or coordinator has migrated the store to another model. Generations that were
    pinned before can still be read.
    """


class StoreError(OperationalError):
    """SQLite reported an error; see `sqlite_code`."""


class ExternalRelationshipError(IntegrityError):
    """A relationship would refer to an object in another store."""


class CancelledError(OperationalError):
    """A call was cancelled or interrupted."""


class TimedOutError(OperationalError):
    """A call took longer than its timeout."""


class HistoryTokenExpiredError(OperationalError):
    """The history after the token has been deleted, at least in part."""


class GenerationLostError(InternalError):
    """A read could not be verified to be from the pinned generation, so it returned nothing. Pin
    the context again.
    """


class OutOfMemoryError(OperationalError, MemoryError):
    """There was not enough memory."""


# Query generations


class GenerationError(ProgrammingError):
    """A context cannot be pinned in this way."""


class NestedPinError(GenerationError):
    """A child context cannot be pinned, because it reads through its parent. Pin the root
    context.
    """


class ForeignTokenError(GenerationError):
    """The token belongs to another coordinator."""


class GenerationExpiredError(GenerationError):
    """The generation no longer exists, because no context was using it."""


class CursorExpiredError(GenerationExpiredError):
    """The cursor of a page can no longer be used, because nobody holds its generation any more. See
    Coordinator.page_leases.
    """


class PinnedAutoMergeError(GenerationError):
    """A context that merges changes automatically cannot be pinned to an old generation."""


# Contexts and queues


class WrongQueueError(ProgrammingError):
    """A main-queue context was used off the main thread, or a confinement context off its own
    thread.
    """


class DeadlockError(OperationalError):
    """Threads that are in blocks of contexts would have waited for each other's contexts forever.

    Nothing was done, and the contexts are unchanged. Use perform() in one of the threads, or have
    all of them enter the contexts in the same order.
    """


class WrongContextError(ProgrammingError):
    """Objects of two contexts were mixed."""


class WrongStoreError(ProgrammingError):
    """The store does not hold the object or its entity."""


class NoCoordinatorError(ProgrammingError):
    """The context has neither a coordinator nor a parent."""


class CoordinatorNilError(ProgrammingError):
    """The coordinator or parent of a context cannot be set to None."""


class ConfinementError(ProgrammingError):
    """A confinement context cannot perform blocks, and cannot be a parent or child."""


class ParentCycleError(ProgrammingError):
    """A context cannot be its own ancestor."""


class ContextGoneError(ProgrammingError, ReferenceError):
    """The object's context no longer exists."""


class ObjectInvalidatedError(ProgrammingError, ReferenceError):
    """The object's context was reset, or its store was removed."""


class NoCurrentContextError(ProgrammingError):
    """FetchRequest.execute() was called outside of a block of a context."""


class NotLockedError(ProgrammingError):
    """A context was unlocked that this thread has not locked."""


# Names, types, arguments


class UnknownEntityError(ProgrammingError, LookupError):
    """The model has no entity of this name."""


class UnknownKeyError(ProgrammingError, AttributeError, KeyError):
    """The entity has no property of this name."""


class WrongTypeError(ProgrammingError, TypeError):
    """A value has the wrong type."""


class OutOfRangeError(DataError, OverflowError, ValueError):
    """A value is too large or too small for its type in the store."""


class PredicateError(ProgrammingError, ValueError):
    """The predicate cannot be parsed, or does not fit the entity."""


class ModelError(ProgrammingError, ValueError):
    """The model is invalid; the message names the entity and property."""


class InvalidArgumentError(ProgrammingError, ValueError):
    """An argument has an invalid value."""


class InvalidTextError(InvalidArgumentError):
    """A string cannot be encoded as UTF-8."""


class UnknownStoreError(ProgrammingError, LookupError):
    """The coordinator has no such store."""


class InvalidHandleError(InterfaceError):
    """An object was used after it had been closed."""


class ForkedError(InterfaceError):
    """The library was used in a child made by fork(). Start processes with spawn or forkserver."""


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
    134110: MigrationError,
    134111: MigrationConstraintError,
    134120: MigrationError,
    134130: MigrationError,
    134180: StoreError,
    134190: InferredMappingError,
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
    111: StoreMigratedError,
    112: LocksLostError,
}

# Primary result codes of SQLite that have a class of their own, whatever the library was doing.
_SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_NOTADB = 5, 6, 26


def error_class(domain: str, code: int, sqlite_code: int | None) -> type[Error]:
    """The class for an error of the library. Unknown codes, of a newer library, get the class of
    their domain.
    """
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
