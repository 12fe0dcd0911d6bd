"""The choices that contexts, requests and results offer."""

from __future__ import annotations

import enum
from typing import Any


class _Choice(enum.IntEnum):
    """A choice that may also be given as its name in lower case."""

    @classmethod
    def of(cls, choice: Any) -> Any:
        """The choice that a member, its number or its name stands for; a ValueError for anything else."""
        return cls(choice)

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, str):
            return cls.__members__.get(value.upper())
        return None


class Concurrency(_Choice):
    """On which thread the work of a context runs."""

    CONFINEMENT = 0
    """On the thread that made it. Deprecated."""
    PRIVATE_QUEUE = 1
    """The context is its own serial queue; calls from any thread are serialised."""
    MAIN_QUEUE = 2
    """On the main thread of the process; see `main_queue`."""


class QueryGenerationState(_Choice):
    """How a context reads: at the newest state, or at a generation that it keeps."""

    UNPINNED = 0
    """Every fetch sees the newest transaction."""
    PINNED_AT_NEXT_READ = 1
    """Pinned; the next read takes the newest generation: after pin(), and after each save, reset or merge of a pinned context."""
    PINNED = 2
    """Pinned to the generation that `Context.query_generation` names."""


class MergePolicy(_Choice):
    """What a save does about rows that others changed since the context read them."""

    ERROR = 0
    """The save fails with a ConflictError."""
    MERGE_BY_PROPERTY_STORE_TRUMP = 1
    """A property changed on both sides takes the store's value."""
    MERGE_BY_PROPERTY_OBJECT_TRUMP = 2
    """A property changed on both sides takes the object's value."""
    OVERWRITE = 3
    """The object's whole state replaces the row."""
    ROLLBACK = 4
    """The row stays, and the object takes its values."""
    CALLBACK = 5
    """A function of the program that was not set through this object decides; cannot be set."""


class Comparator(_Choice):
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


class BatchResult(_Choice):
    """What a batch request gives."""

    STATUS = 0
    """Nothing."""
    OBJECT_IDS = 1
    """The IDs of the rows."""
    COUNT = 2
    """How many rows; of a batch insert those that were inserted or updated."""
    COUNTS = 3
    """Of a batch insert: how many rows were inserted, updated and left, as BatchInsertCounts."""


class UpsertOutcome(_Choice):
    """What an upsert did with a row."""

    CREATED = 0
    """A new object was inserted."""
    UPDATED = 1
    """An object that was there got other values."""
    UNCHANGED = 2
    """An object that was there has the values already."""
