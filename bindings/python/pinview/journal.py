"""Who holds the journal of a store: reports for programs; `python -m pinview STORE` shows them to people."""

from __future__ import annotations

import os
from ctypes import byref, sizeof
from typing import Any, TypeVar

from ._ffi.calls import call, call_for_handle
from ._ffi.choices import Concurrency
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_JOURNAL_BUDGET_EXCEEDED,
    PINVIEW_JOURNAL_DETACH_FAILED,
    PINVIEW_JOURNAL_DETACHED,
    pinview_journal_context,
    pinview_journal_generation,
    pinview_journal_process,
    pinview_journal_store,
)
from ._ffi.values import string, text
from ._support.journal_picture import picture, style
from ._support.records import record

Struct = TypeVar("Struct")

_MARKS = 5


_EVENTS = {
    PINVIEW_JOURNAL_BUDGET_EXCEEDED: "budgetExceeded",
    PINVIEW_JOURNAL_DETACHED: "detached",
    PINVIEW_JOURNAL_DETACH_FAILED: "detachFailed",
}


@record(frozen=True)
class JournalEvent:
    """News of a journal that generations other than the newest have made too long, or have held back for too long."""

    kind: str
    """`budgetExceeded` (the policy is to warn), `detached` (they were copied aside), or `detachFailed` (it will be tried again)."""
    path: str
    """Of the store."""
    journal_bytes: int
    """Of the journal's frames when it was found too long."""
    budget_bytes: int
    generations: int
    """How many held the journal, or were copied aside."""
    copy_bytes: int
    """Of the copy's files; 0 without one."""
    reason: str | None
    """Why a copy failed, or which programs hold the journal as well."""

    @classmethod
    def _of(cls, event: Any) -> JournalEvent:
        return cls(
            kind=_EVENTS.get(event.kind, str(event.kind)),
            path=text(event.path) or "",
            journal_bytes=event.journal_bytes,
            budget_bytes=event.budget_bytes,
            generations=event.generations,
            copy_bytes=event.copy_bytes,
            reason=text(event.reason),
        )


@record(frozen=True)
class ReadMark:
    """One of the five numbers behind which SQLite's readers stand, held by somebody."""

    number: int
    """0 to 4. Readers of number 0 take nothing from the journal."""
    frame: int
    """The last frame that its readers may see; 0 for number 0."""


@record(frozen=True)
class JournalContext:
    """A context of this process."""

    name: str | None
    transaction_author: str | None
    concurrency: Concurrency
    thread: str
    """Where its work is done: private queue, main thread, or the thread that owns it."""
    is_pinned: bool
    """Whether it is on a generation; if not, its next read pins the newest one."""


@record(frozen=True)
class JournalGeneration:
    """A generation that lives in this process."""

    ordinal: int
    """Rises with each newer generation of the file in this process."""
    age: float
    """Seconds since it was taken."""
    frame: int
    """The last frame of the journal that belongs to it."""
    is_newest: bool
    is_detached: bool
    """Whether it was copied aside, so that it does not hold the journal any more."""
    read_mark: int | None
    """The number of the read mark that it holds."""
    frames_held_back: int
    """Frames that cannot be copied into the store's file as long as it lives."""
    bytes_held_back: int
    readers_open: int
    """Connections that show it, at work or idle."""
    contexts: tuple[JournalContext, ...]
    """The contexts that are pinned to it. Empty while only a running read keeps it."""


@record(frozen=True)
class JournalProcess:
    """A process that has the store's file open."""

    pid: int | None
    """None for a process that cannot be seen from here."""
    command: str | None
    read_marks: tuple[ReadMark, ...]
    is_this_process: bool
    is_writing: bool
    is_checkpointing: bool


@record(frozen=True)
class JournalCounters:
    """What has happened since this process opened the file."""

    pins: int
    shared_pins: int
    adoptions: int
    advances: int
    reads: int
    reader_waits: int
    checkpoints: int
    busy_checkpoints: int
    detaches: int
    lost: int


@record(frozen=True)
class JournalReport:
    """Who holds the journal of one store, at about one moment. `str` gives a table for people."""

    path: str
    store_bytes: int
    journal_bytes: int
    """The size of the journal file, which may have room left over from before."""
    page_size: int
    frames: int
    """Committed pages in the journal."""
    copied_frames: int
    """Those of them that are in the store's file already."""
    reclaimable_frames: int
    """Those that the next checkpoint can copy, given everybody's read marks."""
    read_marks: tuple[ReadMark, ...]
    """The read marks that somebody holds."""
    generations: tuple[JournalGeneration, ...]
    """Oldest first; empty for a file that this process does not have open."""
    waiting_contexts: tuple[JournalContext, ...]
    """Contexts that will pin the newest generation at their next read."""
    processes: tuple[JournalProcess, ...]
    counters: JournalCounters
    is_open_here: bool
    sqlite_version: str
    has_wal_reset_bug: bool
    text: str
    """The table for people; not stable."""

    def __str__(self) -> str:
        return self.text

    def picture(self, width: int = 80, *, unicode: bool = True, colour: bool = False) -> str:
        """The journal as a bar, with read marks and generations marked on it.

        Args:
            width: of the longest line, in characters.
            unicode: whether blocks may be used, or ASCII only.
            colour: whether the parts are coloured, for a terminal.
        """
        return picture(self, width, style(unicode, colour))

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> JournalReport:
        """Looks at any SQLite file in WAL mode, as from outside: it is not opened as a database, locked, changed or checkpointed.

        Raises StoreOpenError for a file that is missing, cannot be read or is no database, StoreOperationError when it is not in WAL mode.
        """
        name = os.fspath(path)
        if not isinstance(name, str):
            raise TypeError(f"The path of a store is a str or a path object, not {type(name).__name__}.")
        (report,) = reports(functions.pinview_journal_report_create_for_file, string(name))
        return report


def reports(function: Any, *arguments: Any) -> tuple[JournalReport, ...]:
    """The report that a function of the library makes, for each of its stores."""
    release = functions.pinview_journal_report_release
    handle = call_for_handle(release, function, *arguments)
    try:
        return tuple(_report(handle, index) for index in range(functions.pinview_journal_report_store_count(handle)))
    finally:
        release(handle)


def _filled(kind: type[Struct], function: Any, *arguments: Any) -> Struct:
    struct: Any = kind(struct_size=sizeof(kind))  # type: ignore[call-arg, arg-type]
    call(function, *arguments, byref(struct))
    filled: Struct = struct
    return filled


def _report(handle: int | None, index: int) -> JournalReport:
    store = _filled(pinview_journal_store, functions.pinview_journal_report_store, handle, index)

    def marks(bits: int) -> tuple[ReadMark, ...]:
        frame = functions.pinview_journal_report_read_mark_frame
        return tuple(ReadMark(number, frame(handle, index, number)) for number in range(_MARKS) if bits >> number & 1)

    def contexts(generation: int, count: int) -> tuple[JournalContext, ...]:
        return tuple(_context(handle, index, generation, number) for number in range(count))

    def generation(number: int) -> JournalGeneration:
        struct = _filled(pinview_journal_generation, functions.pinview_journal_report_generation, handle, index, number)
        return JournalGeneration(
            ordinal=struct.ordinal,
            age=struct.age,
            frame=struct.frame,
            is_newest=bool(struct.is_newest),
            is_detached=bool(struct.is_detached),
            read_mark=None if struct.read_mark < 0 else struct.read_mark,
            frames_held_back=struct.frames_held_back,
            bytes_held_back=struct.bytes_held_back,
            readers_open=struct.readers_open,
            contexts=contexts(number, struct.context_count),
        )

    def process(number: int) -> JournalProcess:
        struct = _filled(pinview_journal_process, functions.pinview_journal_report_process, handle, index, number)
        return JournalProcess(
            pid=None if struct.identifier < 0 else struct.identifier,
            command=text(struct.command),
            read_marks=marks(struct.read_marks),
            is_this_process=bool(struct.is_this_process),
            is_writing=bool(struct.is_writing),
            is_checkpointing=bool(struct.is_checkpointing),
        )

    return JournalReport(
        path=text(store.path) or "",
        store_bytes=store.store_bytes,
        journal_bytes=store.journal_bytes,
        page_size=store.page_size,
        frames=store.frames,
        copied_frames=store.copied_frames,
        reclaimable_frames=store.reclaimable_frames,
        read_marks=marks(store.read_marks),
        generations=tuple(generation(number) for number in range(store.generation_count)),
        waiting_contexts=contexts(store.generation_count, store.waiting_context_count),
        processes=tuple(process(number) for number in range(store.process_count)),
        counters=JournalCounters(**{name: getattr(store, name) for name in JournalCounters.__match_args__}),
        is_open_here=bool(store.is_open_here),
        sqlite_version=text(store.sqlite_version) or "",
        has_wal_reset_bug=bool(store.has_wal_reset_bug),
        text=text(store.text) or "",
    )


def _context(handle: int | None, store: int, generation: int, index: int) -> JournalContext:
    struct = _filled(pinview_journal_context, functions.pinview_journal_report_context, handle, store, generation, index)
    return JournalContext(
        name=text(struct.name),
        transaction_author=text(struct.transaction_author),
        concurrency=Concurrency(struct.concurrency_type),
        thread=text(struct.thread) or "",
        is_pinned=bool(struct.is_pinned),
    )
