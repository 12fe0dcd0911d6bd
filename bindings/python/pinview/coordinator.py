"""Coordinators, which connect a model with its stores."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from ctypes import c_int32

from ._ffi import registry
from ._ffi.calls import call, call_for, call_for_handle
from ._ffi.factories import factories
from ._ffi.handles import Managed, handle_of, require, require_callable
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_STORE_OPTION_ALLOW_MISSING,
    PINVIEW_STORE_OPTION_BUSY_TIMEOUT,
    PINVIEW_STORE_OPTION_CACHE_SIZE,
    PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS,
    PINVIEW_STORE_OPTION_CONSTRAINT_POLICY,
    PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET,
    PINVIEW_STORE_OPTION_HISTORY_TRACKING,
    PINVIEW_STORE_OPTION_IMMUTABLE,
    PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES,
    PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY,
    PINVIEW_STORE_OPTION_JOURNAL_BUDGET_SHARE,
    PINVIEW_STORE_OPTION_JOURNAL_MODE,
    PINVIEW_STORE_OPTION_MIGRATE,
    PINVIEW_STORE_OPTION_READ_ONLY,
    PINVIEW_STORE_OPTION_REMOTE_CHANGES,
    PINVIEW_STORE_OPTION_SYNCHRONOUS,
    PINVIEW_STORE_OPTION_TRUSTED_SCHEMA,
    PINVIEW_STORE_TYPE_IN_MEMORY,
    PINVIEW_STORE_TYPE_SQLITE,
)
from ._ffi.values import named, string, text
from ._objects.entities import EntityTable, registrations
from ._support import lazy, process
from ._support.annotating import Any
from ._support.forward import (
    GenerationDifference,
    HistoryToken,
    JournalCommit,
    JournalEvent,
    JournalReport,
    MigrationProgress,
    MissingElement,
    Observer,
    PageLeases,
    Parameters,
    Path,
    Progress,
    RemoteChange,
    SQLCursor,
    StagedMigration,
)
from .errors import InvalidArgumentError
from .model import Model
from .object_id import ObjectID
from .tokens import QueryGenerationToken


def store_path(path: Path) -> str:
    """The path of a store's file as a string."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"The path of a store must be a str or a path object, got {type(text).__name__}.")
    if "\0" in text:
        raise InvalidArgumentError(f"The path {text!r} contains a NUL character.")
    return text


class Store(Managed, release="pinview_store_release"):
    """A store of a coordinator. It can be used from any thread."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Stores are created by coordinator.add_store(…).")

    @property
    def identifier(self) -> str:
        """The store's UUID, which is part of the URIs of its objects. It is kept in the file."""
        return text(functions.pinview_store_identifier(self.handle)) or ""

    @property
    def type(self) -> str:
        """ "SQLite" or "InMemory"."""
        return text(functions.pinview_store_type(self.handle)) or ""

    @property
    def path(self) -> str | None:
        """The path of the file; None for a store in memory."""
        return text(functions.pinview_store_path(self.handle))

    @property
    def configuration(self) -> str | None:
        """The model's configuration whose entities the store holds; None for all entities."""
        return text(functions.pinview_store_configuration(self.handle))

    @property
    def journal_mode(self) -> str:
        """SQLite's journal mode: wal, delete, memory and so on."""
        return text(functions.pinview_store_journal_mode(self.handle)) or ""

    @property
    def is_read_only(self) -> bool:
        """Whether the store rejects saves."""
        return bool(functions.pinview_store_is_read_only(self.handle))

    @property
    def supports_query_generations(self) -> bool:
        """Whether contexts can be pinned to its generations: whether it is an SQLite file in WAL
        mode.
        """
        return bool(functions.pinview_store_supports_query_generations(self.handle))

    @property
    def journal_size(self) -> int:
        """The size of the write-ahead journal in bytes; 0 if there is none."""
        return functions.pinview_store_journal_size(self.handle)

    @property
    def is_immutable(self) -> bool:
        """Whether nobody changes the file while it is open: it was added with immutable=True, or
        read-only in a folder that cannot be written to.
        """
        return bool(functions.pinview_store_is_immutable(self.handle))

    @property
    def missing(self) -> list[MissingElement]:
        """What the model asks for and the store lacks, in the model's order: entities, and
        properties with the entity that declares them. Empty unless the store was added with
        allow_missing=True.
        """
        return lazy.examining.missing_elements(self.handle)

    def lacks(self, entity: str, property: str | None = None) -> bool:
        """Whether the store lacks an entity of the model, or a property of it: whether "no objects"
        or None means that it has none, or that it could not have any.
        """
        return lazy.examining.lacks(self.handle, entity, property)

    @property
    def metadata(self) -> dict[str, Any]:
        """What the file says about itself: Core Data's entries, such as NSStoreModelVersionHashes,
        and the program's own. A copy; see set_metadata().
        """
        return lazy.metadata.store_metadata(self.handle)

    def set_metadata(self, entries: Mapping[str, Any]) -> None:
        """Sets entries of the program's own: texts, numbers, Booleans, dates, bytes, lists and
        dicts; None removes an entry. All others stay, including those of Core Data, which
        cannot be set.
        """
        lazy.metadata.set_store_metadata(self.handle, entries)

    @property
    def journal_commits(self) -> list[JournalCommit]:
        """The states that the journal of an immutable store still holds, the oldest first, with the
        file alone before them; empty for other stores.

        Coordinator.journal_commit_token() gives the token of each, for pinning and comparing.
        """
        return lazy.journal.commits(self.handle)

    def checkpoint(self) -> bool:
        """Copies the journal into the store's file as far as pins allow; returns whether the
        journal is empty now.

        Checkpoints happen automatically; there is no need to call this.
        """
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
    """Connects a model with stores, and serves any number of contexts. It can be used from any
    thread.

    Contexts keep their coordinator alive, so closing it takes effect when they are closed too.
    """

    __slots__ = ("_entities", "_journal_callback", "_page_leases")

    _entities: EntityTable
    _journal_callback: int | None
    _page_leases: PageLeases | None

    def __init__(self, model: Model) -> None:
        super().__init__(
            call_for_handle(functions.pinview_coordinator_release, functions.pinview_coordinator_create, handle_of(model, "Model"))
        )
        self._entities = model._entities
        self._journal_callback = self._page_leases = None
        _coordinators.add(self)

    def close(self) -> None:
        """Releases the reference, and the generations that are held for pages. A second call does
        nothing.
        """
        leases, self._page_leases = self._page_leases, None
        if leases is not None:
            leases.release()
        super().close()

    @property
    def page_leases(self) -> PageLeases:
        """The generations that are kept for the cursors of Context.page(): for how long, and how
        many.
        """
        self.handle  # noqa: B018 (raises if it has been closed)
        if self._page_leases is None:
            self._page_leases = lazy.paging.PageLeases(self)
        return self._page_leases

    # History

    def difference(
        self, old: QueryGenerationToken, new: QueryGenerationToken | None = None, *, entities: Iterable[str] | None = None
    ) -> GenerationDifference:
        """The difference between two generations: inserted, updated (with their properties) and
        deleted objects.

        A property counts as updated if reading it gives another value; for relationships both sides
        do. Changes that were reverted in between are not included. Swapping the tokens swaps
        inserted and deleted objects.

        Args:
            old: A token of this coordinator or of another process. Its generation must be alive.
            new: Another such token; None or CURRENT for the newest generation.
            entities: Restricts the difference to objects of these entities and their sub-entities.
        """
        return lazy.difference.difference(self.handle, old, new, entities)

    def history_token(self) -> HistoryToken:
        """The present end of the stores' history."""
        handle = call_for_handle(functions.pinview_history_token_release, functions.pinview_coordinator_history_token, self.handle)
        return lazy.history.HistoryToken._owned(handle or 0)

    def set_history_consumer(self, name: str, token: HistoryToken) -> None:
        """Records how far a named consumer has read the history.

        Deleting history keeps, in all processes, what the slowest consumer has not read.
        """
        call(functions.pinview_coordinator_set_history_consumer, self.handle, string(name), handle_of(token, "HistoryToken"))

    def history_consumer(self, name: str) -> HistoryToken | None:
        """How far a named consumer has read the history; None if there is no consumer of that
        name.
        """
        release = functions.pinview_history_token_release
        handle = call_for_handle(release, functions.pinview_coordinator_history_consumer, self.handle, string(name))
        return None if handle is None else lazy.history.HistoryToken._owned(handle)

    def history_consumers(self) -> dict[str, HistoryToken]:
        """How far each named consumer has read the history."""
        return lazy.history.consumers(self.handle)

    def add_remote_change_observer(self, callback: Callable[[RemoteChange], Any]) -> Observer:
        """Calls back when another coordinator or another process, such as the sqlite3 tool, commits
        to a store.

        Only stores added with `remote_changes` are observed, and only in WAL mode. Commits of this
        coordinator's own contexts are not reported; commits in quick succession are reported as
        one.

        The callback runs on a thread of the library, shared by all observers, until the observer is
        closed. An exception goes to sys.unraisablehook.
        """
        return lazy.commits.observe_remote_changes(self, callback)

    def remove_history_consumer(self, name: str) -> None:
        """Removes a named consumer of the history."""
        call(functions.pinview_coordinator_remove_history_consumer, self.handle, string(name))

    @classmethod
    def _of(cls, handle: int | None) -> Coordinator | None:
        """The coordinator of a handle, whose reference is taken over: the existing Python object,
        or a new one.
        """
        if handle is None:
            return None
        for known in tuple(_coordinators):
            if functions.pinview_coordinator_is_equal(known._handle, handle):
                functions.pinview_coordinator_release(handle)
                return known
        coordinator = cls._owned(handle)
        coordinator._entities = coordinator.model._entities
        coordinator._journal_callback = coordinator._page_leases = None
        _coordinators.add(coordinator)
        return coordinator

    @property
    def name(self) -> str | None:
        """A name for logs and diagnostics."""
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
        immutable: bool = False,
        allow_missing: bool = False,
        migrate: bool | None = None,
        constraint_policy: str | None = None,
        confirmed_removals: Iterable[str] = (),
        migration: StagedMigration | None = None,
        progress: MigrationProgress | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Store:
        """Opens a store and adds it. A missing file is created.

        Args:
            path: The file, in an existing folder; None for a store in memory.
            configuration: The model's configuration whose entities the store holds.
            read_only: Whether the store rejects saves.
            history_tracking: Whether the store records its history.
            remote_changes: Whether observers of remote changes are notified of commits to it.
            journal_mode: A journal mode of SQLite other than wal. Contexts cannot be pinned to such
                a store.
            synchronous: How SQLite ensures that a commit survives a power failure: off, normal (the
                default), full or extra.
            cache_size: The number of pages each connection caches or, if negative, of KiB. Default:
                -2000.
            busy_timeout: How many seconds to wait for another writer. Default: 5.
            journal_budget_policy: What to do when old generations make the journal too long: off;
                warn, which calls the journal_callback and writes to the log; or detach, the
                default, which copies them in the background into a file beside the store, so that
                they no longer hold the journal.
            journal_budget_bytes: The size that is too long. By default the share decides; if both
                are given, the smaller one does.
            journal_budget_share: The size that is too long, as a share of the store's size, but at
                least 32 MiB.
                Default: 1.0.
            generation_age_budget: For how many seconds an old generation may hold the journal.
                Default: no limit.
            trusted_schema: Whether triggers, views and generated columns that others have added to
                the file may run. Otherwise a file that has any on the store's tables is rejected
                with a StoreOpenError.
            immutable: Whether nobody changes the file while it is open. It is then read without
                locks and without anything left beside it, and each commit that its journal still
                holds can be pinned; see journal_commits().
            allow_missing: Whether the store, which is opened read-only or as an immutable one, may
                lack entities and properties of the model. Such an entity has no objects, such a
                property is None or has no members; see Store.missing.
            migrate: Whether a store of another version of the model is migrated in place. Default:
                False; a Container does it.
            constraint_policy: What happens to rows with equal values when a migration adds a
                uniqueness constraint: error (the default), keepNewest or keepOldest.
            confirmed_removals: What is gone from the model and not renamed although something like
                it is new: "Person.name", "Car".
            migration: Versions of the model and stages between them. Switches migrating on.
            progress: Called during a migration with how far it is, from 0 to 1, and what was done
                last. If it returns False, the migration is cancelled and raises MigrationError: the
                store is as it was before the stage.
            options: Further options of the library, by name.
        """
        chosen: dict[str, Any] = dict(options or {})
        for option, chooses in (
            (PINVIEW_STORE_OPTION_READ_ONLY, read_only),
            (PINVIEW_STORE_OPTION_HISTORY_TRACKING, history_tracking),
            (PINVIEW_STORE_OPTION_REMOTE_CHANGES, remote_changes),
            (PINVIEW_STORE_OPTION_TRUSTED_SCHEMA, trusted_schema),
            (PINVIEW_STORE_OPTION_IMMUTABLE, immutable),
            (PINVIEW_STORE_OPTION_ALLOW_MISSING, allow_missing),
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
            (PINVIEW_STORE_OPTION_MIGRATE, migrate),
            (PINVIEW_STORE_OPTION_CONSTRAINT_POLICY, constraint_policy),
            (PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS, ", ".join(confirmed_removals) or None),
        ):
            if value is not None:
                chosen[option] = value
        row, count, kept = named(chosen)
        kind = PINVIEW_STORE_TYPE_IN_MEMORY if path is None else PINVIEW_STORE_TYPE_SQLITE
        target = string(None if path is None else store_path(path))
        arguments = (string(kind), string(configuration), target, row, count)
        release = functions.pinview_store_release
        if migration is None and progress is None:
            handle = call_for_handle(release, functions.pinview_coordinator_add_store, self.handle, *arguments)
        else:
            with lazy.stages.migration_argument(migration, progress) as argument:
                handle = call_for_handle(release, functions.pinview_coordinator_add_migrated_store, self.handle, *arguments, argument)
        del kept
        return Store._owned(handle or 0)

    def remove_store(self, store: Store) -> None:
        """Removes a store and closes it. Its objects become invalid.

        In the middle of a save to the store, in a merge policy or an iterator that supplies rows,
        it makes the save fail, of which nothing is written.
        """
        call(functions.pinview_coordinator_remove_store, self.handle, handle_of(store, "Store"))

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores in the order in which they were added."""
        release, get = functions.pinview_store_release, functions.pinview_coordinator_store
        count = functions.pinview_coordinator_store_count(self.handle)
        return tuple(Store._owned(call_for_handle(release, get, self.handle, index) or 0) for index in range(count))

    def journal_report(self) -> tuple[JournalReport, ...]:
        """Reports what holds the stores' journals: generations with their contexts, and processes.

        Returns a report for each store in WAL mode. Executes no SQL and changes nothing. For a
        readable table: `print(*coordinator.journal_report())`.
        """
        return lazy.journal.reports(functions.pinview_coordinator_journal_report, self.handle)

    def export(
        self,
        path: Path,
        token: QueryGenerationToken | None = None,
        *,
        store: Store | None = None,
        replace: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Writes one generation of a store to a database file of its own, while other threads and
        processes go on writing.

            coordinator.export("backup.sqlite", context.query_generation)

        The file has exactly the pages of the generation, and the store's identifier. It needs no
        journal beside it, and can be opened by any program that uses SQLite. It appears under its
        name only when it is complete and safely on the disk; nothing is left behind if the process
        is killed. Values that Core Data keeps in files outside the store are not part of it.

        Args:
            path: The new file, in an existing folder.
            token: The generation, which must be alive; None or CURRENT for the newest one.
            store: The store; None for the only one. Of a store without generations, as in memory,
                the newest state is written.
            replace: Whether an existing file is replaced. It must not be open.
            progress: Called about once per megabyte with the numbers of bytes written and to be
                written. If it returns False, the export is cancelled and raises CancelledError.
        """
        lazy.exporting.export_generation(self.handle, token, store, path, replace, progress)

    def sql(
        self, statement: str, parameters: Parameters = (), *, token: QueryGenerationToken | None = None, store: Store | None = None
    ) -> SQLCursor:
        """Runs an SQL statement that reads a generation of a store's file.

            with coordinator.sql("SELECT ZNAME FROM ZPERSON WHERE ZAGE > ?", [30]) as rows:
                for (name,) in rows: print(name)

        The tables are those of the file. Only a single statement that reads can be run; one that
        would change anything, attach a file or begin a transaction raises an SQLiteError before it
        runs. The statement has a connection of its own: neither writers nor other readers wait.

        Args:
            statement: A SELECT, VALUES or EXPLAIN statement, or a pragma that returns something.
            parameters: Values for `?`, or a mapping for `:name`.
            token: The generation, which must be alive; None or CURRENT for the newest one.
            store: The store; None for the only one. It cannot be one in memory.
        """
        return lazy.sql.coordinator_cursor(self.handle, token, store, statement, parameters)

    @property
    def holds_writers_while_pinning(self) -> bool:
        """Whether writers of all processes are blocked while a generation of several stores is
        taken. Default: False.

        If set, a generation contains all or nothing of every transaction that acquires the write
        locks of all its stores before it commits: saves of this library in any process, and SQLite
        transactions over attached databases. A program that commits to one store before it begins
        to write to another can still be seen in between. Stores that are read-only here or not in
        WAL mode are not blocked.

        Each new generation then costs a write lock on each store. A read that would have to wait
        for a writer longer than the busy timeout raises an error.
        """
        return bool(functions.pinview_coordinator_holds_writers_while_pinning(self.handle))

    @holds_writers_while_pinning.setter
    def holds_writers_while_pinning(self, holds: bool) -> None:
        call(functions.pinview_coordinator_set_holds_writers_while_pinning, self.handle, int(holds))

    def add_generation_observer(self, callback: Callable[[], Any]) -> Observer:
        """Calls back after commits to the stores, by any process. Commits in quick succession are
        reported as one.

        Only stores in WAL mode are observed. The callback runs on a thread of the library, shared
        by all observers, until the observer is closed. An exception goes to sys.unraisablehook.
        """
        return lazy.commits.observe(self, callback)

    def remove_generation_observer(self, observer: Observer) -> None:
        """Closes an observer. Its callback is not called any more when this returns."""
        require(observer, "Observer")
        if not observer.closed:
            call(functions.pinview_coordinator_remove_generation_observer, self.handle, observer.handle)
        observer.close()

    def newer_generations(self) -> AsyncIterator[None]:
        """Yields each time that a newer generation is noticed: `async for _ in
        coordinator.newer_generations()`.

        Several commits between two iterations count as one.
        """
        return lazy.commits.newer_generations(self)

    @property
    def journal_callback(self) -> Callable[[JournalEvent], Any] | None:
        """Called with a JournalEvent when old generations exceed a journal budget (see
        add_store()).

        The event says that they were detached, that detaching failed or, with the policy "warn",
        only that the budget is exceeded. Neither a warning nor a failure is repeated before the
        journal has doubled in size.

        The callback runs on a thread of the library, which does no checkpoints meanwhile. An
        exception goes to sys.unraisablehook. Set it to None to remove it.
        """
        return registry.registered(self._journal_callback)  # type: ignore[no-any-return]

    @journal_callback.setter
    def journal_callback(self, callback: Callable[[JournalEvent], Any] | None) -> None:
        if callback is None:
            lazy.journal.set_callback(self.handle, None)
            self._journal_callback = None
            return
        require_callable(callback, "The journal callback")
        number = registry.register(callback)
        try:
            lazy.journal.set_callback(self.handle, number)
        except BaseException:
            registry.unregister(number)
            raise
        self._journal_callback = number
        atexit.unregister(_end_journal_callbacks)
        atexit.register(_end_journal_callbacks)  # while there is still an interpreter that can run it

    def object_id(self, uri: str) -> ObjectID | None:
        """The ID of a URI; None if it belongs to a store that this coordinator does not have."""
        return ObjectID._owned_or_none(
            call_for_handle(functions.pinview_object_id_release, functions.pinview_coordinator_object_id, self.handle, string(uri))
        )

    @staticmethod
    def model_of_store(path: Path) -> Model:
        """The model with which a store's file was written."""
        return Model._of(
            call_for_handle(functions.pinview_model_release, functions.pinview_model_create_from_store, string(store_path(path)))
        )

    @staticmethod
    def model_of_tables(path: Path) -> Model:
        """A model derived from a store's tables alone, for stores whose model is not known.

        Names of properties are in lower case, attributes of sub-entities belong to their parent,
        and relationships are those that columns and join tables name. A store opens read-only with
        it, unless options={"readOnly": False} is given.
        """
        return Model._of(
            call_for_handle(functions.pinview_model_release, functions.pinview_model_create_from_tables, string(store_path(path)))
        )

    @staticmethod
    def metadata_of_store(path: Path) -> dict[str, Any]:
        """The metadata of a store file, which needs no model; see Store.metadata."""
        return lazy.metadata.file_metadata(store_path(path))

    @staticmethod
    def set_metadata_of_store(path: Path, entries: Mapping[str, Any]) -> None:
        """Sets entries of a store file that need not be open; see Store.set_metadata()."""
        lazy.metadata.set_file_metadata(store_path(path), entries)

    def journal_commit_token(self, store: Store, number: int) -> QueryGenerationToken:
        """The token of a state that the journal of an immutable store still holds.

        Args:
            store: A store added with immutable=True.
            number: As in Store.journal_commits; 0 for the file without its journal.
        """
        return QueryGenerationToken._owned(
            call_for_handle(
                functions.pinview_token_release,
                functions.pinview_coordinator_journal_commit_token,
                self.handle,
                handle_of(store, "Store"),
                number,
            )
            or 0
        )

    def _described(self) -> str:
        return ", ".join(store.path or "in memory" for store in self.stores)


_coordinators: weakref.WeakSet[Coordinator] = weakref.WeakSet()


def _remove_hooks() -> None:
    """At the end of the program, while there is still an interpreter that could run hooks."""
    if registrations:
        lazy.hook_callbacks.remove_hooks(tuple(_coordinators))


process.at_end(_remove_hooks)


def _object_id_of_uri(uri: str) -> ObjectID | None:
    """The ID of a URI, of whichever coordinator has its store."""
    for coordinator in tuple(_coordinators):
        found = None if coordinator.closed else coordinator.object_id(uri)
        if found is not None:
            return found
    return None


factories.object_id_of_uri = _object_id_of_uri
_process = os.getpid()


def _end_journal_callbacks() -> None:
    if os.getpid() != _process:
        return
    for coordinator in tuple(_coordinators):
        if coordinator._handle is not None and coordinator._journal_callback is not None:
            coordinator.journal_callback = None
