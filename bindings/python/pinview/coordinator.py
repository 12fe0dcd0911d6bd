"""Coordinators join a model with stores; containers make the whole stack."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import AsyncIterator, Iterable, Mapping
from ctypes import c_int32
from typing import TYPE_CHECKING, Any, Callable, TypeVar, Union

from ._contexts import commits as _news
from ._ffi import callbacks as _callbacks
from ._ffi.calls import call, call_for, call_for_handle
from ._ffi.handles import Managed, handle_of, require, require_callable
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_STORE_OPTION_BUSY_TIMEOUT,
    PINVIEW_STORE_OPTION_CACHE_SIZE,
    PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET,
    PINVIEW_STORE_OPTION_HISTORY_TRACKING,
    PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES,
    PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY,
    PINVIEW_STORE_OPTION_JOURNAL_BUDGET_SHARE,
    PINVIEW_STORE_OPTION_JOURNAL_MODE,
    PINVIEW_STORE_OPTION_READ_ONLY,
    PINVIEW_STORE_OPTION_REMOTE_CHANGES,
    PINVIEW_STORE_OPTION_SYNCHRONOUS,
    PINVIEW_STORE_OPTION_TRUSTED_SCHEMA,
    PINVIEW_STORE_TYPE_IN_MEMORY,
    PINVIEW_STORE_TYPE_SQLITE,
    pinview_free_callback,
    pinview_journal_callback,
)
from ._ffi.values import named, string, text
from .context import Context
from .difference import GenerationDifference, difference
from .errors import InvalidArgumentError
from .history import HistoryToken, RemoteChange
from .journal import JournalEvent, JournalReport, reports
from .model import EntityInfo, Model
from .notifications import Observer
from .object_id import ObjectID
from .tokens import QueryGenerationToken

if TYPE_CHECKING:
    from concurrent.futures import Future

Path = Union[str, "os.PathLike[str]"]
Result = TypeVar("Result")


def _path(path: Path) -> str:
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"The path of a store is a str or a path object, not {type(text).__name__}.")
    if "\0" in text:
        raise InvalidArgumentError(f"The path {text!r} has a NUL character in it.")
    return text


class Store(Managed, release="pinview_store_release"):
    """One store of a coordinator. May be used from any thread."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Stores are made by coordinator.add_store(…).")

    @property
    def identifier(self) -> str:
        """The UUID that is part of the URIs of the store's objects; kept in the file."""
        return text(functions.pinview_store_identifier(self.handle)) or ""

    @property
    def type(self) -> str:
        """SQLite or InMemory."""
        return text(functions.pinview_store_type(self.handle)) or ""

    @property
    def path(self) -> str | None:
        """The file, or None for a store in memory."""
        return text(functions.pinview_store_path(self.handle))

    @property
    def configuration(self) -> str | None:
        """The configuration of the model whose entities the store holds; None for all."""
        return text(functions.pinview_store_configuration(self.handle))

    @property
    def journal_mode(self) -> str:
        """As SQLite names it: wal, delete, memory…"""
        return text(functions.pinview_store_journal_mode(self.handle)) or ""

    @property
    def is_read_only(self) -> bool:
        """Whether saves to it are refused."""
        return bool(functions.pinview_store_is_read_only(self.handle))

    @property
    def supports_query_generations(self) -> bool:
        """Whether contexts can be pinned to it: it is an SQLite file in WAL mode."""
        return bool(functions.pinview_store_supports_query_generations(self.handle))

    @property
    def journal_size(self) -> int:
        """The size of the write-ahead journal in bytes; 0 where there is none."""
        return functions.pinview_store_journal_size(self.handle)

    def checkpoint(self) -> bool:
        """Empties the journal as far as all pins allow; returns whether it is empty now. Nobody needs to: it happens by itself."""
        return bool(call_for(c_int32, functions.pinview_store_checkpoint, self.handle).value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Store):
            return NotImplemented
        return self is other or bool(functions.pinview_store_is_equal(self._handle, other._handle))

    def __hash__(self) -> int:
        return hash(self.identifier)

    def _described(self) -> str:
        return self.path or "in memory"


class Coordinator(Managed, release="pinview_coordinator_release"):
    """Joins a model with stores and serves any number of contexts. May be used from any thread.

    Contexts keep their coordinator, so closing it takes effect when they are closed, too.
    """

    __slots__ = ("_entities", "_journal_callback")

    _entities: Mapping[str, EntityInfo]
    _journal_callback: int | None

    def __init__(self, model: Model) -> None:
        super().__init__(
            call_for_handle(functions.pinview_coordinator_release, functions.pinview_coordinator_create, handle_of(model, "Model"))
        )
        self._entities = model._entities
        self._journal_callback = None
        _coordinators.add(self)

    # History

    def difference(
        self, old: QueryGenerationToken, new: QueryGenerationToken | None = None, *, entities: Iterable[str] | None = None
    ) -> GenerationDifference:
        """What differs between two generations: inserted, updated (with the properties) and deleted objects.

        A property is named when reading it gives something else; both sides of a relationship are. What was changed and changed back
        is not there. With the tokens the other way round, inserted and deleted change places.

        Args:
            old: A token of this coordinator, or of another process, whose generation is alive.
            new: The same; None or CURRENT for the newest generation.
            entities: Objects of these entities and their sub-entities only.
        """
        return difference(self.handle, old, new, entities)

    def history_token(self) -> HistoryToken:
        """The end of the history of the stores, as it is now."""
        handle = call_for_handle(functions.pinview_history_token_release, functions.pinview_coordinator_history_token, self.handle)
        return HistoryToken._owned(handle or 0)

    def set_history_consumer(self, name: str, token: HistoryToken) -> None:
        """Notes up to where a reader known by name has read; deleting history stops short of the slowest one, in all processes."""
        call(functions.pinview_coordinator_set_history_consumer, self.handle, string(name), handle_of(token, "HistoryToken"))

    def history_consumer(self, name: str) -> HistoryToken | None:
        """Up to where a reader known by name has read; None if there is none of that name."""
        release = functions.pinview_history_token_release
        handle = call_for_handle(release, functions.pinview_coordinator_history_consumer, self.handle, string(name))
        return None if handle is None else HistoryToken._owned(handle)

    def history_consumers(self) -> dict[str, HistoryToken]:
        """The readers known by name, and up to where each has read."""
        found: dict[str, HistoryToken] = {}
        number = _callbacks.register(found.__setitem__)
        try:
            call(functions.pinview_coordinator_each_history_consumer, self.handle, _callbacks.consumer, number)
        finally:
            _callbacks.unregister(number)
        return found

    def add_remote_change_observer(self, callback: Callable[[RemoteChange], Any]) -> Observer:
        """Calls back when somebody else has committed to a store that was added with remote_changes: another coordinator of this
        process, or another process, the sqlite3 tool included. What this coordinator's own contexts commit is not told.

        The callback runs on a thread of the library, shared by all observers, until the observer is closed. An exception goes to
        sys.unraisablehook. Commits in a quick row are told of as one. Stores in memory, and those that are not in WAL mode, give no news.
        """
        return _news.observe_remote_changes(self, callback)

    def remove_history_consumer(self, name: str) -> None:
        """Forgets a reader known by name."""
        call(functions.pinview_coordinator_remove_history_consumer, self.handle, string(name))

    @classmethod
    def _of(cls, handle: int | None) -> Coordinator | None:
        """The coordinator of a handle, whose reference is taken over: the one there is in Python, or a new one."""
        if handle is None:
            return None
        for known in tuple(_coordinators):
            if functions.pinview_coordinator_is_equal(known._handle, handle):
                functions.pinview_coordinator_release(handle)
                return known
        coordinator = cls._owned(handle)
        coordinator._entities = coordinator.model._entities
        coordinator._journal_callback = None
        _coordinators.add(coordinator)
        return coordinator

    @property
    def name(self) -> str | None:
        """For logs and diagnostics."""
        return text(functions.pinview_coordinator_name(self.handle))

    @name.setter
    def name(self, value: str | None) -> None:
        call(functions.pinview_coordinator_set_name, self.handle, string(value))

    @property
    def model(self) -> Model:
        """The model of the stores and contexts."""
        return Model._of(call_for_handle(functions.pinview_model_release, functions.pinview_coordinator_model, self.handle))

    def add_store(
        self,
        path: Path | None = None,
        *,
        configuration: str | None = None,
        read_only: bool = False,
        history_tracking: bool = False,
        remote_changes: bool = False,
        journal_mode: str | None = None,
        synchronous: str | None = None,
        cache_size: int | None = None,
        busy_timeout: float | None = None,
        journal_budget_policy: str | None = None,
        journal_budget_bytes: int | None = None,
        journal_budget_share: float | None = None,
        generation_age_budget: float | None = None,
        trusted_schema: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> Store:
        """Opens a store, making its file where there is none, and adds it.

        Args:
            path: the file, in a folder that exists; None for a store in memory.
            configuration: the configuration of the model whose entities it holds.
            read_only: whether saves are refused.
            history_tracking: whether the store keeps a persistent history.
            remote_changes: whether observers of remote changes are told what others commit to it.
            journal_mode: another mode than SQLite's wal; contexts cannot be pinned to it then.
            synchronous: how hard SQLite makes sure that a commit survives a power failure: off, normal (unless given), full, extra.
            cache_size: how many pages each connection keeps in memory, or how many KiB if negative; -2000 unless given.
            busy_timeout: for how many seconds to wait for another writer; 5 unless given.
            journal_budget_policy: what happens when generations that are not the newest make the journal too long: off, warn (the
                journal_callback and the log are told), or detach (unless given: they are copied aside in the background, beside the
                store, and hold the journal no more).
            journal_budget_bytes: how long is too long; the share decides unless given, and the smaller one if both are.
            journal_budget_share: the same as a share of the store's size, at least 32 MiB; 1.0 unless given.
            generation_age_budget: for how many seconds such a generation may hold the journal back; for ever unless given.
            trusted_schema: whether triggers, views and generated columns that somebody has put into the file may run. A file that has any
                on the store's tables is refused with a StoreOpenError unless it is set.
            options: more options of the library, by name.
        """
        chosen: dict[str, Any] = dict(options or {})
        for option, chooses in (
            (PINVIEW_STORE_OPTION_READ_ONLY, read_only),
            (PINVIEW_STORE_OPTION_HISTORY_TRACKING, history_tracking),
            (PINVIEW_STORE_OPTION_REMOTE_CHANGES, remote_changes),
            (PINVIEW_STORE_OPTION_TRUSTED_SCHEMA, trusted_schema),
        ):
            if chooses:
                chosen[option] = True
        for option, value in (
            (PINVIEW_STORE_OPTION_JOURNAL_MODE, journal_mode),
            (PINVIEW_STORE_OPTION_SYNCHRONOUS, synchronous),
            (PINVIEW_STORE_OPTION_CACHE_SIZE, cache_size),
            (PINVIEW_STORE_OPTION_BUSY_TIMEOUT, busy_timeout),
            (PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY, journal_budget_policy),
            (PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES, journal_budget_bytes),
            (PINVIEW_STORE_OPTION_JOURNAL_BUDGET_SHARE, journal_budget_share),
            (PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET, generation_age_budget),
        ):
            if value is not None:
                chosen[option] = value
        row, count, kept = named(chosen)
        kind = PINVIEW_STORE_TYPE_IN_MEMORY if path is None else PINVIEW_STORE_TYPE_SQLITE
        handle = call_for_handle(
            functions.pinview_store_release,
            functions.pinview_coordinator_add_store,
            self.handle,
            string(kind),
            string(configuration),
            string(None if path is None else _path(path)),
            row,
            count,
        )
        del kept
        return Store._owned(handle or 0)

    def remove_store(self, store: Store) -> None:
        """Takes a store off the coordinator and closes it; its objects become invalid."""
        call(functions.pinview_coordinator_remove_store, self.handle, handle_of(store, "Store"))

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores in the order in which they were added."""
        release, get = functions.pinview_store_release, functions.pinview_coordinator_store
        count = functions.pinview_coordinator_store_count(self.handle)
        return tuple(Store._owned(call_for_handle(release, get, self.handle, index) or 0) for index in range(count))

    def journal_report(self) -> tuple[JournalReport, ...]:
        """Who holds the journals of the stores: generations with their contexts, processes, counts. One report for each store in WAL mode.

        Runs no statement and changes nothing. `print(*coordinator.journal_report())` shows it to people.
        """
        return reports(functions.pinview_coordinator_journal_report, self.handle)

    @property
    def holds_writers_while_pinning(self) -> bool:
        """Whether the writers of all processes are held while a generation of several stores is taken; not, unless set.

        A generation then has all or nothing of each transaction that has the write locks of all its stores before it commits to the
        first of them: saves of this library in any process, and transactions of SQLite over attached databases. A program that commits
        to one store and only then begins to write to the other can be met in between. Stores that are read-only here or not in WAL mode
        are not held. It costs a write lock for each store and each new generation; a read that would have to wait longer than the busy
        time-out for a writer raises an error.
        """
        return bool(functions.pinview_coordinator_holds_writers_while_pinning(self.handle))

    @holds_writers_while_pinning.setter
    def holds_writers_while_pinning(self, holds: bool) -> None:
        call(functions.pinview_coordinator_set_holds_writers_while_pinning, self.handle, int(holds))

    def add_generation_observer(self, callback: Callable[[], Any]) -> Observer:
        """Calls back after commits to the stores, whoever makes them; commits in a quick row are told of as one.

        The callback runs on a thread of the library, shared by all observers, until the observer is closed. An exception goes to
        sys.unraisablehook. Stores in memory, and those that are not in WAL mode, give no news.
        """
        return _news.observe(self, callback)

    def remove_generation_observer(self, observer: Observer) -> None:
        """Ends an observer, as its close() does: it is not called any more when this returns."""
        require(observer, "Observer")
        if not observer.closed:
            call(functions.pinview_coordinator_remove_generation_observer, self.handle, observer.handle)
        observer.close()

    def newer_generations(self) -> AsyncIterator[None]:
        """For `async for _ in coordinator.newer_generations()`: an element for each time that a newer generation is noticed.

        Several of them between two looks are one.
        """
        return _news.newer_generations(self)

    @property
    def journal_callback(self) -> Callable[[JournalEvent], Any] | None:
        """Called with a JournalEvent when generations that are not the newest make the journal of a store too long, or hold it back for
        too long (see add_store): when they were copied aside, when that failed, or, with the policy "warn", that it is so.

        It runs on a thread of the library, whose checkpoints wait for it. What it raises goes to sys.unraisablehook. Neither a warning nor
        a failure is told again before the journal has doubled. None for nobody; the one before is not called any more then.
        """
        return _callbacks.registered(self._journal_callback)  # type: ignore[no-any-return]

    @journal_callback.setter
    def journal_callback(self, callback: Callable[[JournalEvent], Any] | None) -> None:
        if callback is None:
            call(functions.pinview_coordinator_set_journal_callback, self.handle, pinview_journal_callback(), None, pinview_free_callback())
            self._journal_callback = None
            return
        require_callable(callback, "The journal callback")
        number = _callbacks.register(callback)
        try:
            call(functions.pinview_coordinator_set_journal_callback, self.handle, _callbacks.journal, number, _callbacks.free)
        except BaseException:
            _callbacks.unregister(number)
            raise
        self._journal_callback = number
        atexit.unregister(_end_journal_callbacks)
        atexit.register(_end_journal_callbacks)  # while there is still an interpreter to call back

    def object_id(self, uri: str) -> ObjectID | None:
        """The ID that a URI names, or None when it belongs to a store that is not on this coordinator."""
        return ObjectID._owned_or_none(
            call_for_handle(functions.pinview_object_id_release, functions.pinview_coordinator_object_id, self.handle, string(uri))
        )

    @staticmethod
    def model_of_store(path: Path) -> Model:
        """The model that is kept in a store's file."""
        return Model._of(call_for_handle(functions.pinview_model_release, functions.pinview_model_create_from_store, string(_path(path))))

    def _described(self) -> str:
        return ", ".join(store.path or "in memory" for store in self.stores)


_coordinators: weakref.WeakSet[Coordinator] = weakref.WeakSet()
_process = os.getpid()


def _end_journal_callbacks() -> None:
    if os.getpid() != _process:
        return
    for coordinator in tuple(_coordinators):
        if coordinator._handle is not None and coordinator._journal_callback is not None:
            coordinator.journal_callback = None


class Container(Managed, release="pinview_container_release"):
    """The whole stack: a coordinator with its store, a main-queue view context, and contexts for work in the background.

    Args:
        name: names the coordinator.
        model: the model.
        path: the store's file; None for a store in memory.
        options: as for Coordinator.add_store.
    """

    __slots__ = ("_name",)

    _name: str

    def __init__(self, name: str, model: Model, path: Path | None = None, *, options: Mapping[str, Any] | None = None) -> None:
        row, count, kept = named(options or {})
        super().__init__(
            call_for_handle(
                functions.pinview_container_release,
                functions.pinview_container_create,
                string(name),
                handle_of(model, "Model"),
                string(None if path is None else _path(path)),
                row,
                count,
            )
        )
        del kept
        self._name = name

    @property
    def name(self) -> str:
        """The name given at the beginning."""
        return self._name

    def load_stores(self) -> None:
        """Opens the store. Loading again does nothing."""
        call(functions.pinview_container_load_stores, self.handle)

    @property
    def coordinator(self) -> Coordinator:
        """The coordinator."""
        handle = call_for_handle(functions.pinview_coordinator_release, functions.pinview_container_coordinator, self.handle)
        coordinator = Coordinator._of(handle)
        assert coordinator is not None
        return coordinator

    @property
    def view_context(self) -> Context:
        """The context of the main thread."""
        return self._context(functions.pinview_container_view_context)

    def new_background_context(self) -> Context:
        """A new private-queue context."""
        return self._context(functions.pinview_container_new_background_context)

    def _context(self, function: Any) -> Context:
        context = Context._of(call_for_handle(functions.pinview_context_release, function, self.handle))
        assert context is not None
        return context

    def perform_background_task(self, task: Callable[[Context], Result]) -> Future[Result]:
        """Runs a task later with a new private-queue context, which ends with it."""
        context = self.new_background_context()

        def run() -> Result:
            return task(context)

        return context.perform(run)

    def _described(self) -> str:
        return self._name
