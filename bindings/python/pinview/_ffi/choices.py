"""The choices that contexts, requests and results offer."""

from __future__ import annotations

import enum
from typing import Any

from ..errors import InvalidArgumentError


class Choice(enum.IntEnum):
    """A choice that may also be given as its name in lower case. As a text it reads as its name, as a number it is the library's."""

    @classmethod
    def of(cls, choice: Any) -> Any:
        """The choice that a member, its number or its name stands for; a ValueError that lists them for anything else."""
        return cls(choice)

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, str):
            found = cls.__members__.get(value.upper())
            if found is not None:
                return found
        choices = ", ".join(name.lower() for name in cls.__members__)
        raise InvalidArgumentError(f"{value!r:.100} is not a {cls.__name__}; choose one of {choices}, or a member of {cls.__name__}.")

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, specification: str) -> str:
        # Numbers are formatted by specifications of numbers only.
        return int.__format__(self, specification) if specification[-1:] in tuple("bcdoxXneEfFgG%") else format(str(self), specification)


class Concurrency(Choice):
    """On which thread the work of a context runs."""

    CONFINEMENT = 0
    """On the thread that made it. Deprecated."""
    PRIVATE_QUEUE = 1
    """The context is its own serial queue; calls from any thread are serialised."""
    MAIN_QUEUE = 2
    """On the main thread of the process; see `main_queue`."""


class QueryGenerationState(Choice):
    """How a context reads: at the newest state, or at a generation that it keeps."""

    UNPINNED = 0
    """Every fetch sees the newest transaction."""
    PINNED_AT_NEXT_READ = 1
    """Pinned; the next read takes the newest generation: after pin(), and after each save, reset or merge of a pinned context."""
    PINNED = 2
    """Pinned to the generation that `Context.query_generation` names."""


class MergePolicy(Choice):
    """What a save does about rows that others changed since the context read them.

    A policy is also taken by its name as a text: "merge_by_property_object_trump", or "object_trump" for short.
    """

    ERROR = 0
    """The save fails with a ConflictError."""
    MERGE_BY_PROPERTY_STORE_TRUMP = 1
    """A property changed on both sides takes the store's value."""
    MERGE_BY_PROPERTY_OBJECT_TRUMP = 2
    """A property changed on both sides takes the object's value."""
    STORE_TRUMP = 1
    """The short name of MERGE_BY_PROPERTY_STORE_TRUMP."""
    OBJECT_TRUMP = 2
    """The short name of MERGE_BY_PROPERTY_OBJECT_TRUMP."""
    OVERWRITE = 3
    """The object's whole state replaces the row."""
    ROLLBACK = 4
    """The row stays, and the object takes its values."""
    CALLBACK = 5
    """A function of the program that was not set through this object decides; cannot be set."""


class Comparator(Choice):
    """By what a Sort orders. All but the first are for texts."""

    BINARY = 0
    """Numbers and dates by value, texts by their UTF-8 bytes."""
    CASE_INSENSITIVE = 1
    """By Unicode's case folding."""
    NUMERIC = 2
    """Numbers in texts by value: file9 before file10."""
    LOCALIZED = 3
    """In the order of the user's language, which the environment names (LC_ALL, LC_COLLATE, LANG)."""
    LOCALIZED_CASE_INSENSITIVE = 4
    LOCALIZED_STANDARD = 5
    """The same, and numbers by value: the order in which people are shown lists."""


class BatchResult(Choice):
    """What a batch request gives."""

    STATUS = 0
    """Nothing."""
    OBJECT_IDS = 1
    """The IDs of the rows."""
    COUNT = 2
    """How many rows; of a batch insert those that were inserted or updated."""
    COUNTS = 3
    """Of a batch insert: how many rows were inserted, updated and left, as BatchInsertCounts."""


class UpsertOutcome(Choice):
    """What an upsert did with a row."""

    CREATED = 0
    """A new object was inserted."""
    UPDATED = 1
    """An object that was there got other values."""
    UNCHANGED = 2
    """An object that was there has the values already."""
