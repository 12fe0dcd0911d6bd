"""Reports on what holds the journal of a store. `python -m pinview STORE` prints them."""

from __future__ import annotations

import os
from ctypes import byref, sizeof
from typing import Any, TypeVar

from ._ffi import registry
from ._ffi.callbacks import call_observer
from ._ffi.calls import call, call_for_handle
from ._ffi.choices import Concurrency
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_JOURNAL_BUDGET_EXCEEDED,
    PINVIEW_JOURNAL_DETACH_FAILED,
    PINVIEW_JOURNAL_DETACHED,
    pinview_free_callback,
    pinview_journal_callback,
    pinview_journal_commit,
    pinview_journal_context,
    pinview_journal_generation,
    pinview_journal_process,
    pinview_journal_store,
)
from ._ffi.values import string, text
from ._support import lazy
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
    """An event of a journal that old generations have made too long, or have held for too long."""

    kind: str
    """`budgetExceeded` (with the policy "warn", or if copies and history alone exceed it),
    `detached` (the generations were copied into a file of their own), or `detachFailed` (that will
    be retried).
    """
    path: str
    """The path of the store."""
    journal_bytes: int
    """The size of the journal's frames when the budget was exceeded."""
    budget_bytes: int
    """The budget."""
    generations: int
    """The number of generations that held the journal or were detached."""
    copy_bytes: int
    """The size of the copy's files, or of all copies that exceed the budget; 0 if there is none."""
    reason: str | None
    """Why detaching failed, which programs hold the journal too, or what exceeds the budget."""

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
class JournalCommit:
    """A commit that the journal of an immutable store still holds, of whatever program."""

    number: int
    """From 1, the oldest; 0 is the file without its journal."""
    frame_count: int
    """The frames of the journal that the state needs."""
    size: int
    """The size of the whole database in bytes."""
    is_readable: bool
    """False if a checkpoint has copied later pages over those of the state."""


@record(frozen=True)
class ReadMark:
    """A read mark of SQLite that readers hold: the last frame of the journal that they may see."""

    number: int
    """0 to 4. Readers that hold read mark 0 read nothing from the journal."""
    frame: int
    """The last frame that its readers may see; 0 for read mark 0."""


@record(frozen=True)
class JournalContext:
    """A context of this process."""

    name: str | None
    """The context's name."""
    transaction_author: str | None
    """The context's transaction author."""
    concurrency: Concurrency
    """The context's concurrency."""
    thread: str
    """Where the context's work runs: private queue, main thread, or the thread that owns it."""
    is_pinned: bool
    """Whether it is pinned to a generation already; if not, its next read pins the newest one."""


@record(frozen=True)
class JournalGeneration:
    """A generation that is alive in this process."""

    ordinal: int
    """A number that increases with each newer generation of the file in this process."""
    age: float
    """Seconds since the generation was taken."""
    frame: int
    """The last frame of the journal that belongs to it."""
    is_newest: bool
    """Whether no newer generation is known."""
    is_detached: bool
    """Whether it was copied into a file of its own and does not hold the journal any more."""
    read_mark: int | None
    """The number of the read mark that it holds."""
    frames_held_back: int
    """The number of frames that cannot be copied into the store's file as long as it is alive."""
    bytes_held_back: int
    """The size of these frames."""
    readers_open: int
    """The number of connections that read it, active or idle."""
    contexts: tuple[JournalContext, ...]
    """The contexts that are pinned to it. Empty if only a running read keeps it alive."""


@record(frozen=True)
class JournalProcess:
    """A process that has the store's file open."""

    pid: int | None
    """The process ID; None for a process that is not visible, such as one in another container."""
    command: str | None
    """The name of the program."""
    read_marks: tuple[ReadMark, ...]
    """The read marks that it holds."""
    is_this_process: bool
    """Whether it is the calling process."""
    is_writing: bool
    """Whether it holds the write lock."""
    is_checkpointing: bool
    """Whether it is doing a checkpoint."""


@record(frozen=True)
class JournalCounters:
    """Counts of events since this process opened the file."""

    pins: int
    """Generations that were taken."""
    shared_pins: int
    """Requests for a generation that was alive already."""
    adoptions: int
    """Generations of other processes that were adopted."""
    advances: int
    """Pins that were advanced."""
    reads: int
    """Reads of generations."""
    reader_waits: int
    """Reads that had to wait for a connection."""
    checkpoints: int
    """Checkpoints."""
    busy_checkpoints: int
    """Checkpoints that others kept from finishing."""
    detaches: int
    """Generations that were detached."""
    lost: int
    """Generations that were lost."""


@record(frozen=True)
class JournalReport:
    """What holds the journal of a store, at roughly one moment. str() returns a readable table."""

    path: str
    """The path of the store."""
    store_bytes: int
    """The size of the store's file."""
    journal_bytes: int
    """The size of the journal file, which can include unused space."""
    copy_count: int
    """The number of detached copies next to the store, of all processes."""
    copy_bytes: int
    """The disk blocks of their files."""
    history_bytes: int | None
    """The estimated size of the store's history; None if not measured yet, or not open here."""
    budget_bytes: int | None
    """What the journal, copies and history may use together; None without a budget."""
    page_size: int
    """The size of a page."""
    frames: int
    """The number of committed frames in the journal."""
    copied_frames: int
    """The number of frames that have been copied into the store's file."""
    reclaimable_frames: int
    """The number of further frames that the next checkpoint can copy, given all read marks."""
    read_marks: tuple[ReadMark, ...]
    """The read marks that are held."""
    generations: tuple[JournalGeneration, ...]
    """The generations, oldest first; empty for a file that this process has not opened."""
    waiting_contexts: tuple[JournalContext, ...]
    """Contexts that will pin the newest generation at their next read."""
    processes: tuple[JournalProcess, ...]
    """The processes that have the file open."""
    counters: JournalCounters
    """Counts of events in this process."""
    is_open_here: bool
    """Whether this process has opened the file."""
    sqlite_version: str
    """The version of SQLite in use."""
    has_wal_reset_bug: bool
    """Whether that version has SQLite's WAL-reset bug."""
    text: str
    """The readable table. Its format may change."""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """For notebooks: the readable table, and the journal as a bar."""
        return f"<pre>{lazy.showing.escaped(self.text)}\n\n{lazy.showing.escaped(self.picture())}</pre>"

    def picture(self, width: int = 80, *, unicode: bool = True, colour: bool = False) -> str:
        """Draws the journal as a bar, with read marks and generations marked on it.

        Args:
            width: The maximum length of a line, in characters.
            unicode: Whether to use block characters, or ASCII only.
            colour: Whether to colour the parts, for a terminal.
        """
        picture = lazy.journal_picture
        return picture.picture(self, width, picture.style(unicode, colour))

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> JournalReport:
        """Reports on any SQLite file in WAL mode without opening it as a database, locking or
        changing it.

        Raises StoreOpenError if the file is missing, cannot be read or is not a database, and
        StoreOperationError if it is not in WAL mode.
        """
        name = os.fspath(path)
        if not isinstance(name, str):
            raise TypeError(f"The path of a store must be a str or a path object, got {type(name).__name__}.")
        (report,) = reports(functions.pinview_journal_report_create_for_file, string(name))
        return report


class _Reports(tuple[JournalReport, ...]):
    """Journal reports, one below the other in notebooks."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self)


def reports(function: Any, *arguments: Any) -> tuple[JournalReport, ...]:
    """The reports on the stores that a function of the library returns."""
    release = functions.pinview_journal_report_release
    handle = call_for_handle(release, function, *arguments)
    try:
        return _Reports(_report(handle, index) for index in range(functions.pinview_journal_report_store_count(handle)))
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
        copy_count=store.copy_count,
        copy_bytes=store.copy_bytes,
        history_bytes=None if store.history_bytes < 0 else store.history_bytes,
        budget_bytes=None if store.budget_bytes < 0 else store.budget_bytes,
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


def commits(store: int) -> list[JournalCommit]:
    """See Store.journal_commits."""
    count = functions.pinview_store_journal_commit_count(store)
    found = (pinview_journal_commit * count)()
    call(functions.pinview_store_journal_commits, store, 0, count, found, sizeof(pinview_journal_commit))
    return [JournalCommit(each.number, each.frame_count, each.size, bool(each.is_readable)) for each in found]


def _event(event: Any, userdata: int) -> None:
    call_observer(userdata, lambda observer: observer(JournalEvent._of(event.contents)))


# Passed to the library; it lives as long as the module.
_event_callback = pinview_journal_callback(_event)


def set_callback(coordinator: int, number: int | None) -> None:
    """Has a coordinator call a registered function with its journals' events; None for none."""
    if number is None:
        call(functions.pinview_coordinator_set_journal_callback, coordinator, pinview_journal_callback(), None, pinview_free_callback())
    else:
        call(functions.pinview_coordinator_set_journal_callback, coordinator, _event_callback, number, registry.free)
