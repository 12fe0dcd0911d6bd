"""The enumerations of the package."""

from __future__ import annotations

import enum

from .._support.annotating import Any
from ..errors import InvalidArgumentError


class Choice(enum.IntEnum):
    """An enumeration whose members can also be given by their names in lower case.

    As a string a member reads as its name; as an int it has the library's number.
    """

    @classmethod
    def of(cls, choice: Any) -> Any:
        """The member for a member, its number or its name; raises an InvalidArgumentError that
        lists them otherwise.
        """
        return cls(choice)

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, str):
            found = cls.__members__.get(value.upper())
            if found is not None:
                return found
        choices = ", ".join(name.lower() for name, member in cls.__members__.items() if cls._can_be_given(member))
        raise InvalidArgumentError(f"{value!r:.100} is not a {cls.__name__}; expected one of {choices}, or a member of {cls.__name__}.")

    @classmethod
    def _can_be_given(cls, member: Any) -> bool:
        return True

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, specification: str) -> str:
        # Format specifications of numbers format the number, all others the name.
        return int.__format__(self, specification) if specification[-1:] in tuple("bcdoxXneEfFgG%") else format(str(self), specification)


class Concurrency(Choice):
    """Where the work of a context runs."""

    CONFINEMENT = 0
    """On the thread that created the context. Deprecated."""
    PRIVATE_QUEUE = 1
    """On the context's own serial queue: calls from any thread are serialised."""
    MAIN_QUEUE = 2
    """On the main thread of the process; see `main_queue`."""


class QueryGenerationState(Choice):
    """Whether a context reads the newest state or a generation."""

    UNPINNED = 0
    """Every read sees the newest transaction."""
    PINNED_AT_NEXT_READ = 1
    """Pinned, but to no generation yet: the next read takes the newest. The state after pin(), and
    after a save, reset or merge of a pinned context.
    """
    PINNED = 2
    """Pinned to the generation that `Context.query_generation` names."""


class MergePolicy(Choice):
    """What a save does about rows that others changed since the context read them.

    Policies can be given by name: "merge_by_property_object_trump", or "object_trump" for short.
    """

    ERROR = 0
    """The save fails with a ConflictError."""
    MERGE_BY_PROPERTY_STORE_TRUMP = 1
    """Changes are merged by property; where both sides changed a property, the store's value wins.
    """
    MERGE_BY_PROPERTY_OBJECT_TRUMP = 2
    """Changes are merged by property; where both sides changed a property, the object's value wins.
    """
    STORE_TRUMP = 1
    """The short name of MERGE_BY_PROPERTY_STORE_TRUMP."""
    OBJECT_TRUMP = 2
    """The short name of MERGE_BY_PROPERTY_OBJECT_TRUMP."""
    OVERWRITE = 3
    """The whole object overwrites the row."""
    ROLLBACK = 4
    """The row stays as it is, and the object takes its values."""
    CALLBACK = 5
    """A function decides that was set on another Context object or from another language. Cannot be
    set.
    """

    @classmethod
    def _can_be_given(cls, member: Any) -> bool:
        return member is not cls.CALLBACK


def given_policy(choice: Any) -> MergePolicy:
    """The merge policy that a caller gives; raises an InvalidArgumentError for CALLBACK too."""
    policy: MergePolicy = MergePolicy.of(choice)
    if policy is MergePolicy.CALLBACK:
        raise InvalidArgumentError("MergePolicy.CALLBACK stands for a function; a context takes the function itself as its policy.")
    return policy


class Comparator(Choice):
    """How a Sort compares values. All but BINARY are for strings."""

    BINARY = 0
    """Numbers and dates by value, strings by their UTF-8 bytes."""
    CASE_INSENSITIVE = 1
    """Strings with their case folded, as Unicode defines it."""
    NUMERIC = 2
    """Numbers inside strings by value: file9 before file10."""
    LOCALIZED = 3
    """In the order of the user's language, which the environment sets (LC_ALL, LC_COLLATE, LANG).
    """
    LOCALIZED_CASE_INSENSITIVE = 4
    """Like LOCALIZED, ignoring case."""
    LOCALIZED_STANDARD = 5
    """Like LOCALIZED_CASE_INSENSITIVE, with numbers by value: the order in which lists are shown to
    users.
    """


class BatchResult(Choice):
    """What a batch request returns."""

    STATUS = 0
    """Nothing."""
    OBJECT_IDS = 1
    """The IDs of the rows."""
    COUNT = 2
    """The number of rows; for a batch insert those that were inserted or updated."""
    COUNTS = 3
    """For batch inserts: how many rows were inserted, updated and left unchanged, as
    BatchInsertCounts.
    """


class UpsertOutcome(Choice):
    """What an upsert did with a row."""

    CREATED = 0
    """A new object was inserted."""
    UPDATED = 1
    """An existing object got new values."""
    UNCHANGED = 2
    """An existing object had these values already."""
