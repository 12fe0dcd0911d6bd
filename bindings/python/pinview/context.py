"""Contexts, in which objects live."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import byref, c_int32, c_int64, c_uint64, c_void_p

from ._contexts.finding import Finding
from ._contexts.insertions import awakes, insertion_of
from ._contexts.threads import Worker, install_interrupt_callback
from ._ffi import registry
from ._ffi.callbacks import Block, LaterBlock, run_block
from ._ffi.calls import bound_function, call, call_for, call_for_handle, finish_call, is_in_callback, raise_pending, take_object_ids
from ._ffi.choices import BatchResult, Concurrency, MergePolicy, QueryGenerationState, given_policy
from ._ffi.convert import count_of
from ._ffi.factories import factories
from ._ffi.handles import handle_of, optional_handle_of, require, require_callable, value_text
from ._ffi.library import functions
from ._ffi.pending_releases import flush
from ._ffi.prototypes import (
    PINVIEW_FETCH_RETURNS_FAULTS,
    PINVIEW_RESULT_DICTIONARIES,
    PINVIEW_RESULT_OBJECT_IDS,
    PINVIEW_RESULT_OBJECTS,
)
from ._ffi.values import handles, handles_of_ids, string
from ._objects.blocks import block_of, lookup_functions, name_of, place_of
from ._objects.context_lookups import Lookups, lookups_of
from ._objects.entities import NO_ENTITIES, EntityTable, entity_name
from ._objects.lookups import own_look_ups
from ._objects.results import take_objects, wrap
from ._support import lazy, process
from ._support.annotating import Any, Literal, overload
from ._support.forward import (
    ArrowColumns,
    AsynchronousFetch,
    BatchInsertCounts,
    Columns,
    Executable,
    Expression,
    Filter,
    Future,
    Given,
    History,
    HistoryToken,
    MergeFunction,
    Notification,
    NotificationStream,
    ObjectT,
    Observer,
    Order,
    Parameters,
    Properties,
    Result,
    RowProgress,
    Source,
    SQLCursor,
    UndoManager,
    UpsertResult,
    datetime,
)
from .coordinator import Coordinator, Store
from .errors import InvalidArgumentError
from .fetching import FetchExplanation, FetchRequest, FetchResult, Filled, Rows, explanations, take_rows
from .managed_object import ManagedObject
from .object_id import ObjectID
from .tokens import CURRENT, QueryGenerationToken

# Options of a fetch as other libraries call them.
_CALLED_OTHERWISE = {"where": "predicate", "filter": "predicate", "order_by": "sort", "skip": "offset", "columns": "properties"}


class Context(Finding):
    """Fetches, registers, changes and saves objects.

    A new context is unpinned: each fetch sees the newest commit. After pin() it reads one
    generation, whatever others commit, until it is pinned again or unpinned. A save, a reset or
    merging changes moves a pinned context to the newest generation.

    A private-queue context can be used from any thread; its calls are serialised. A main-queue
    context belongs to the main thread. A context ends with close(), at the end of its `with` block,
    or when nothing refers to it any more; pending changes are dropped then.

    Args:
        coordinator: The coordinator whose stores it reads and writes; or
        parent: The context whose child it is.
        concurrency: A Concurrency or its name: "private_queue" or "main_queue".
        name: A name for logs and for the history of stores.
        merge_policy: A MergePolicy, its name, or a function; see the property.
    """

    __slots__ = ("_coordinator", "_entity_table", "_worker")

    # Kept so that IDs are found by their URIs, as pickled ones are, while a context lives.
    _coordinator: Coordinator | None
    _entity_table: EntityTable | None
    _lookups: Lookups | None
    _worker: Worker

    def __init__(
        self,
        coordinator: Coordinator | None = None,
        *,
        parent: Context | None = None,
        concurrency: Concurrency | str = Concurrency.PRIVATE_QUEUE,
        name: str | None = None,
        merge_policy: MergePolicy | str | MergeFunction = MergePolicy.ERROR,
    ) -> None:
        if coordinator is not None and parent is not None:
            raise InvalidArgumentError("A context takes either a coordinator or a parent, not both.")
        kind = Concurrency.of(concurrency)
        policy = merge_policy if callable(merge_policy) else given_policy(merge_policy)
        # Check the arguments before creating anything.
        optional_handle_of(coordinator, "Coordinator")
        optional_handle_of(parent, "Context")
        super().__init__(call_for_handle(functions.pinview_context_release, functions.pinview_context_create, kind))
        self._begin()
        if coordinator is not None:
            call(functions.pinview_context_set_coordinator, self.handle, coordinator.handle)
            self._coordinator = coordinator
            self._entity_table = coordinator._entities
        elif parent is not None:
            call(functions.pinview_context_set_parent, self.handle, parent.handle)
            self._coordinator = parent._coordinator
            self._entity_table = parent._entity_table
        if policy is not MergePolicy.ERROR:
            self.merge_policy = policy
        if name is not None:
            self.name = name

    @classmethod
    def _of(cls, handle: int | None) -> Context | None:
        """The context of a handle, whose reference is taken over: the existing Python object, or a
        new one.
        """
        if handle is None:
            return None
        known = _known(handle)
        if known is not None:
            functions.pinview_context_release(handle)
            return known
        context = cls._owned(handle)
        context._begin()
        return context

    @classmethod
    def _of_borrowed(cls, handle: int) -> Context:
        """Like _of(), for a borrowed handle."""
        known = _known(handle)
        if known is None:
            known = cls._borrowed(handle)
            known._begin()
        return known

    def _begin(self) -> None:
        install_interrupt_callback()
        self._coordinator = None
        self._entity_table = None
        self._lookups = None
        self._merge_function = None
        self._worker = Worker()
        _note(self)

    @property
    def _entities(self) -> EntityTable:
        """The entities of the model, by name."""
        if self._entity_table is None:
            coordinator = self.coordinator
            self._entity_table = NO_ENTITIES if coordinator is None else coordinator._entities
        return self._entity_table

    @property
    def coordinator(self) -> Coordinator | None:
        """The coordinator; for a child context, that of its root."""
        return Coordinator._of(call_for_handle(functions.pinview_coordinator_release, functions.pinview_context_coordinator, self.handle))

    @property
    def parent(self) -> Context | None:
        """The parent context, or None for a root."""
        return Context._of(call_for_handle(functions.pinview_context_release, functions.pinview_context_parent, self.handle))

    # Query generations

    @property
    def query_generation(self) -> QueryGenerationToken | None:
        """The generation that the context reads: CURRENT between pin() and the first read, then a
        token.

        None does not always mean unpinned: a pinned context has no generation between a save, reset
        or merge and its next read, which takes the newest one. See `query_generation_state`.
        """
        return QueryGenerationToken._owned_or_none(
            call_for_handle(functions.pinview_token_release, functions.pinview_context_query_generation, self.handle)
        )

    @property
    def query_generation_state(self) -> QueryGenerationState:
        """Whether the context is pinned, and whether it has taken a generation yet. Reads nothing
        from the store.

        A child context returns the state of its root.
        """
        return QueryGenerationState(functions.pinview_context_query_generation_state(self.handle))

    def set_query_generation(self, token: QueryGenerationToken | None) -> None:
        """Pins the context to a generation, advances it to the newest (CURRENT), or unpins it
        (None).

        Loaded objects keep their values until they are refreshed. Pending changes stay.
        """
        if token is not None and token.__class__ is not QueryGenerationToken:
            require(token, "QueryGenerationToken")
        # A closed token or context raises from its `handle` property.
        _set_query_generation(self._handle or self.handle, None if token is None else token._handle or token.handle)

    @property
    def has_newer_generation(self) -> bool:
        """Whether anybody has committed since the generation that the context is pinned to.
        Executes no SQL.

        False for a context that is not pinned or has not read yet: its next read sees the newest
        state anyway.
        """
        return bool(functions.pinview_context_has_newer_generation(self.handle))

    def wait_for_newer_generation(self, timeout: float | None = None) -> bool:
        """Waits until there is a generation newer than the context's; if it is not pinned, newer
        than at the call.

        Other threads can use the context meanwhile. The context is not moved: call pin() to read
        the new generation.

        Args:
            timeout: The maximum time in seconds; None waits indefinitely, and 0 does not wait.

        Returns:
            Whether there is a newer generation; False if the timeout has passed. Also True if
            another thread has let go of the context's generation meanwhile.
        """
        return lazy.commits.wait(self, timeout)

    def pin(self, token: QueryGenerationToken | None = CURRENT) -> None:
        """Pins the context to the generation of a token or, by default, to the newest one at its
        next read.

        A context that is pinned already is advanced.
        """
        self.set_query_generation(token)

    def unpin(self) -> None:
        """Releases the generation. The next fetch sees the newest data."""
        self.set_query_generation(None)

    @contextlib.contextmanager
    def pinned(self, token: QueryGenerationToken | None = CURRENT) -> Iterator[Context]:
        """Pins the context for the duration of a `with` block."""
        self.pin(token)
        try:
            yield self
        finally:
            if not self.closed:
                self.unpin()

    # Fetching

    def _request(self, entity: Any, options: dict[str, Any]) -> FetchRequest:
        entity = entity_name(entity)
        if isinstance(entity, FetchRequest):
            if options:
                raise TypeError(f"Options cannot be combined with a FetchRequest; got {', '.join(sorted(options))}.")
            return entity
        if not isinstance(entity, str):
            raise TypeError(
                f"Expected the name of an entity, a class derived from pinview.Object or a FetchRequest, got {value_text(entity)}."
            )
        for name in options:
            if name in FetchRequest.__match_args__:
                continue
            if entity in self._entities and name in self._entities[entity].properties:
                raise TypeError(
                    f"A fetch has no option {name!r}; use a condition to find objects by their values, or get({entity}, {name}=…)."
                )
            if name in _CALLED_OTHERWISE:
                raise TypeError(f"A fetch has no option {name!r}; it is called {_CALLED_OTHERWISE[name]}.")
        return FetchRequest(entity, **options)

    @overload
    def fetch(
        self,
        entity: type[ObjectT],
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        sort: Order = ...,
        limit: int = ...,
        offset: int = ...,
        batch_size: int = ...,
        **options: Any,
    ) -> FetchResult[ObjectT]: ...

    @overload
    def fetch(
        self,
        entity: str | FetchRequest,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        sort: Order = ...,
        limit: int = ...,
        offset: int = ...,
        batch_size: int = ...,
        **options: Any,
    ) -> FetchResult: ...

    def fetch(
        self,
        entity: Source,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        batch_size: int = 0,
        **options: Any,
    ) -> FetchResult[Any]:
        """Fetches the objects that match, in order. See FetchRequest, which can be passed instead,
        for the arguments.

            context.fetch("Person", "age > %@", [30], sort="name")
            context.fetch(Person, Person.age > 30, sort=Person.name)
        """
        name = entity if type(entity) is str else entity_name(entity)
        if isinstance(name, str) and not options:
            return self._fetch(name, Filled(name, predicate, arguments, sort, limit, offset, batch_size))
        request = self._request(name, _given(predicate, arguments, sort, limit, offset, batch_size, options))
        return self._fetch(entity_name(request.entity), request._filled())

    def _fetch(self, entity: str, filled: Filled) -> FetchResult[Any]:
        with filled as request:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(request))
        return FetchResult._of(result, entity, self)

    def begin_fetch(
        self,
        entity: Source,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        counts_first: bool = False,
        completion: Callable[[AsynchronousFetch], Any] | None = None,
        **options: Any,
    ) -> AsynchronousFetch:
        """Starts a fetch and returns at once. See FetchRequest, which can be passed instead, for
        the arguments.

        The stores are read in the background, at the context's present generation; the context
        answers other calls meanwhile. Unsaved changes are taken into account as they are at the
        end, when the objects are created.

        Args:
            entity: The name of the entity, or a FetchRequest.
            predicate: A Predicate, or its format string.
            arguments: The arguments of the format string.
            sort: The sort order.
            counts_first: Whether to count the matching rows first, for
                AsynchronousFetch.rows_total. Not for dictionaries.
            completion: Called with the fetch on the context's queue, as a block of perform(),
                however it ended. It is not called once the context has been closed, and the program
                does not wait for it at its end; wait for the fetch if that matters.
            options: Further attributes of FetchRequest.
        """
        request = self._request(entity, _given(predicate, arguments, sort, 0, 0, 0, options))
        return lazy.asynchronous.begin(self, request, counts_first, completion)

    @overload
    async def fetch_async(
        self,
        entity: type[ObjectT],
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        sort: Order = ...,
        progress: RowProgress | None = ...,
        **options: Any,
    ) -> FetchResult[ObjectT]: ...

    @overload
    async def fetch_async(
        self,
        entity: str | FetchRequest,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        sort: Order = ...,
        progress: RowProgress | None = ...,
        **options: Any,
    ) -> FetchResult: ...

    async def fetch_async(
        self,
        entity: Source,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        progress: RowProgress | None = None,
        **options: Any,
    ) -> FetchResult[Any]:
        """Fetches without blocking asyncio's event loop. Cancelling the awaiting task stops
        SQLite's statement.

        Args:
            entity: The name or the class of the entity, or a FetchRequest.
            predicate: A Predicate, or its format string.
            arguments: The arguments of the format string.
            sort: The sort order.
            progress: Called in the event loop about 20 times a second with the number of rows read
                so far and the number to read, which are counted first; at the end once more.
            options: Further attributes of FetchRequest.
        """
        request = self._request(entity, _given(predicate, arguments, sort, 0, 0, 0, options))
        return await lazy.asynchronous.fetch(self, request, progress)

    def interrupt_fetch(self) -> None:
        """Stops the context's running fetch from another thread; the fetch raises CancelledError.

        Does nothing if no fetch is running.
        """
        call(functions.pinview_context_interrupt_fetch, self.handle)

    def interrupt(self) -> None:
        """Stops what the context is doing on another thread: a fetch, the firing of a fault, a save
        before its commit, or a batch request. The call raises CancelledError, and nothing is lost:
        the changes of a stopped save stay pending.

        Does nothing if the context is idle or has begun to commit.
        """
        call(functions.pinview_context_interrupt, self.handle)

    def fetch_ids(
        self,
        entity: Source,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> list[ObjectID]:
        """Fetches the IDs of the objects that match, in order."""
        request = self._request(entity, _given(predicate, arguments, sort, limit, offset, 0, options))
        with request._filled(PINVIEW_RESULT_OBJECT_IDS) as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(filled))
        return take_object_ids(result)

    def count(
        self,
        entity: Source,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        limit: int = 0,
        offset: int = 0,
        progress: Callable[[float], Any] | None = None,
        **options: Any,
    ) -> int:
        """The number of objects that fetch() would return.

        Args:
            entity: The name or the class of the entity, or a FetchRequest.
            predicate: A Predicate, or its format string.
            arguments: The arguments of the format string.
            limit: The maximum number of objects; 0 for all.
            offset: The number of objects to skip.
            progress: Called about 20 times a second with the seconds that the count has taken so
                far; returning False stops it, and CancelledError is raised. It cannot use the
                library.
            options: Further attributes of FetchRequest.
        """
        name = entity if type(entity) is str else entity_name(entity)
        if isinstance(name, str) and not options:
            request = Filled(name, predicate, arguments, (), limit, offset)
        else:
            request = self._request(name, _given(predicate, arguments, (), limit, offset, 0, options))._filled()
        with request as filled:
            if progress is None:
                return int(call_for(c_int64, functions.pinview_context_count, self.handle, byref(filled)).value)
            with lazy.stopping.reporting(progress):
                return int(call_for(c_int64, functions.pinview_context_count, self.handle, byref(filled)).value)

    def values(
        self,
        entity: Source,
        names: Sequence[Any],
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> Rows:
        """The values of some properties of the objects that match, as tuples.

        All values are from the state in which the objects were found, even in an unpinned context
        while others save. Objects that are loaded already keep their values. As long as the context
        has no objects of the entity, only the named columns are read.
        """
        name = entity if type(entity) is str else entity_name(entity)
        if isinstance(name, str) and not options:
            # For a few rows, finding the objects takes no longer.
            if not 0 < limit <= _FEW:
                info = self._entities.get(name)
                chosen = lazy.columns.exact_names(info, names)
                if info is not None and chosen is not None:
                    arguments = tuple(arguments)
                    given = _given(predicate, arguments, sort, limit, offset, 0, {"properties": chosen})
                    stored = lazy.columns.stored_rows(self, info, self._request(name, given))
                    if stored is not None:
                        return stored
            filled = Filled(name, predicate, arguments, sort, limit, offset)
        else:
            request = self._request(name, _given(predicate, arguments, sort, limit, offset, 0, options))
            name, filled = entity_name(request.entity), request._filled()
        filled.request.flags &= ~PINVIEW_FETCH_RETURNS_FAULTS
        return Rows(self._fetch(name, filled), names)

    def fetch_dictionaries(
        self,
        entity: Source,
        properties: Properties = (),
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Fetches rows of named values instead of objects, from the stores at the context's
        generation.

            context.fetch_dictionaries(
                "Player", {"team": "team.name", "best": "max:(points)"}, group_by="team"
            )

        Unsaved changes are ignored. See FetchRequest, which can be passed instead, for the
        arguments.
        """
        given = _given(predicate, arguments, sort, limit, offset, 0, options)
        request = self._request(entity, {**given, "properties": properties} if properties else given)
        with request._filled(PINVIEW_RESULT_DICTIONARIES) as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(filled))
        names, rows = take_rows(result)
        return [dict(zip(names, row)) for row in rows]

    def fetch_columns(
        self,
        entity: Source,
        properties: Properties = (),
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        batch_size: int = 0,
        object_uris: bool = False,
        **options: Any,
    ) -> Columns:
        """Fetches columns of values instead of objects: the fastest way to read large amounts of
        data.

            properties = ["carrier", "distance", "plane.manufacturer"]
            columns = context.fetch_columns("Flight", properties, "distance > %@", [1000])
            table = pyarrow.table(columns)

        The values are those of the stores at the context's generation; unsaved changes are ignored.
        They come in batches of `batch_size` rows (by default 65,536). Objects are represented by
        their primary keys or, with `object_uris`, by the URIs of their IDs. The other arguments are
        those of fetch_dictionaries().
        """
        given = _given(predicate, arguments, sort, limit, offset, batch_size, options)
        request = self._request(entity, {**given, "properties": properties} if properties else given)
        return lazy.columns.Columns._of(self, request, lazy.columns.object_uri_flag(object_uris))

    def sql(self, statement: str, parameters: Parameters = (), *, store: Store | None = None) -> SQLCursor:
        """Runs an SQL statement that reads the context's generation; see Coordinator.sql().

        It is a read, like a fetch, but does not see unsaved changes. A child reads at the
        generation of its root.
        """
        return lazy.sql.context_cursor(self.handle, store, statement, parameters)

    def explain(self, entity: Source, predicate: Filter = None, **options: Any) -> list[FetchExplanation]:
        """How each store would execute a fetch: the SQL statement, its values, and SQLite's query
        plan.

        Nothing is fetched. The arguments are those of FetchRequest; with `properties` the fetch is
        one of dictionaries.
        """
        request = self._request(entity, {**options, "predicate": predicate} if predicate is not None else options)
        kind = PINVIEW_RESULT_DICTIONARIES if request.properties or request.group_by else PINVIEW_RESULT_OBJECTS
        with request._filled(kind) as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_explain, self.handle, byref(filled))
        return explanations(result)

    def objects(self, object_ids: Iterable[ObjectID]) -> list[ManagedObject]:
        """The objects of several IDs, in order, as object() returns them. Never reads the store.

        Firing one of those that are faults reads the rows of the others too, as with the objects of
        one fetch.
        """
        return self._look_up_many(functions.pinview_context_objects, object_ids)

    def existing_objects(self, object_ids: Iterable[ObjectID]) -> list[ManagedObject]:
        """The objects of several IDs, in order, with their values loaded, as existing_object()
        returns them.

        Rows that are not in memory are read together, with one statement for every 1,000 objects of
        an entity.

        Raises ObjectNotFoundError if a row is missing; its affected_objects has the IDs.
        """
        return self._look_up_many(functions.pinview_context_existing_objects, object_ids)

    def _look_up_many(self, function: Callable[..., int], object_ids: Iterable[ObjectID]) -> list[ManagedObject]:
        chosen = list(object_ids)
        row = handles_of_ids(chosen)
        return take_objects(call_for_handle(functions.pinview_result_release, function, self.handle, row, len(chosen)), self._entities)

    def _look_up(self, object_id: ObjectID, loads: int) -> ManagedObject:
        """Looks up the object of an ID, and caches it if possible."""
        if not isinstance(object_id, ObjectID):
            raise _no_id(object_id)
        context, identity = self._handle, object_id._handle
        if context is None or identity is None:
            context, identity = self.handle, object_id.handle
        if self._lookups is None:
            self._lookups = Lookups(self._entities)
        target: ManagedObject
        target, changes = self._lookups.object(context, identity, loads)
        if self._lookup_version == -1:
            self._lookups = lookups_of(block_of(target), self._lookups)
        if changes and not is_in_callback():
            self._cache_object(object_id, target, changes)
        return target

    def close(self) -> None:
        """Ends the context; pending changes are dropped. A second call does nothing."""
        # The change counter may be freed with the context.
        self._forget_lookups()
        self._lookups = None
        super().close()
        self._coordinator = None

    def registered_object(self, object_id: ObjectID) -> ManagedObject | None:
        """The object of an ID if it is registered in the context, else None. Never reads the
        store.
        """
        if not hasattr(object_id, "_handle"):
            raise _no_id(object_id)
        handle = self._object_handle(functions.pinview_context_registered_object, object_id)
        return None if handle is None else wrap(handle, self._entities)

    def _object_handle(self, function: Any, object_id: ObjectID) -> int | None:
        return call_for_handle(functions.pinview_object_release, function, self.handle, object_id.handle)

    @overload
    def batch_update(
        self,
        entity: str | type[ManagedObject],
        values: Mapping[str, Any] = ...,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        result: Literal[BatchResult.STATUS] = ...,
        includes_subentities: bool = ...,
        expressions: Mapping[str, str | Expression] | None = ...,
        stores: Sequence[Store] | None = ...,
    ) -> None: ...

    @overload
    def batch_update(
        self,
        entity: str | type[ManagedObject],
        values: Mapping[str, Any] = ...,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        result: Literal[BatchResult.COUNT],
        includes_subentities: bool = ...,
        expressions: Mapping[str, str | Expression] | None = ...,
        stores: Sequence[Store] | None = ...,
    ) -> int: ...

    @overload
    def batch_update(
        self,
        entity: str | type[ManagedObject],
        values: Mapping[str, Any] = ...,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        result: Literal[BatchResult.OBJECT_IDS],
        includes_subentities: bool = ...,
        expressions: Mapping[str, str | Expression] | None = ...,
        stores: Sequence[Store] | None = ...,
    ) -> list[ObjectID]: ...

    def batch_update(
        self,
        entity: str | type[ManagedObject],
        values: Mapping[str, Any] = {},
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        result: BatchResult | str = BatchResult.STATUS,
        includes_subentities: bool = True,
        expressions: Mapping[str, str | Expression] | None = None,
        stores: Sequence[Store] | None = None,
    ) -> int | list[ObjectID] | None:
        """Sets attributes of all matching rows directly in the store, without loading objects or
        moving a pinned context.

        `expressions` computes attributes from the row's own values: {"score": "score + 1"}.
        Depending on `result`, returns None, the number of rows, or their IDs.
        merge_remote_changes({"updated": ids}, contexts) makes contexts aware of the changes.
        """
        return lazy.batch.update_batch(
            self.handle,
            entity_name(entity),
            values,
            expressions or {},
            predicate,
            arguments,
            BatchResult.of(result),
            includes_subentities,
            stores,
        )

    def batch_insert(
        self,
        entity: str | type[ManagedObject],
        rows: Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]] = (),
        names: Sequence[str] | None = None,
        *,
        columns: Mapping[str, Sequence[Any]] | ArrowColumns | None = None,
        result: BatchResult | str = BatchResult.COUNT,
        stores: Sequence[Store] | None = None,
        merge_policy: MergePolicy | str = MergePolicy.ERROR,
    ) -> int | list[ObjectID] | BatchInsertCounts | None:
        """Inserts rows directly into the store, without creating objects, in one transaction.

        No validation rules are checked and no hooks run. Attributes that are not given get their
        defaults.

        Args:
            entity: The name of the entity.
            rows: Mappings that all have the keys of the first, or, with `names`, sequences of
                values. An iterator is consumed inside the write transaction and must not save to
                the store; if it raises an exception, nothing is inserted.
            names: The names of the values of rows that are sequences.
            columns: Instead of rows: a mapping of property names to sequences of values, or
                anything that speaks Arrow's PyCapsule protocol, such as a pyarrow table, a polars
                or pandas data frame, or Columns of another context. From Arrow a mandatory
                attribute must have a value in each row. To-one relationships take object IDs or, in
                Arrow, primary keys or URIs.
            result: What to return; COUNTS returns how many rows were inserted, updated and left
                unchanged.
            stores: The rows are inserted into the first of these that holds the entity; None for
                all stores.
            merge_policy: What to do with a row that has the unique values of a row of the store, or
                of an earlier row of the batch; the context's own policy is not used. ERROR raises a
                ConstraintConflictError that names the row. MERGE_BY_PROPERTY_OBJECT_TRUMP updates
                the existing row with the given values, None included; OVERWRITE also resets the
                properties that are not given to their defaults. MERGE_BY_PROPERTY_STORE_TRUMP and
                ROLLBACK leave the existing row unchanged.

            counts = context.batch_insert("Person", feed, merge_policy="overwrite", result="counts")
        """
        name = entity_name(entity)
        known = self._entities.get(name) if isinstance(name, str) else None
        policy = given_policy(merge_policy)
        return lazy.batch.insert_batch(self.handle, name, names, rows, columns, BatchResult.of(result), stores, known, policy)

    def batch_delete(
        self,
        entity: Source | None = None,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        object_ids: Iterable[ObjectID] = (),
        result: BatchResult | str = BatchResult.COUNT,
        **options: Any,
    ) -> int | list[ObjectID] | None:
        """Deletes the rows that a fetch would find, or the rows of some IDs, directly in the store.

        Delete rules are applied; if one denies the deletion, nothing is deleted and a
        ValidationError is raised. `result` determines what is returned.
        """
        request = None
        if entity is not None:
            request = self._request(entity, _given(predicate, arguments, (), 0, 0, 0, options))
        return lazy.batch.delete_batch(self.handle, request, object_ids, BatchResult.of(result))

    # History

    def history(
        self,
        after: HistoryToken | datetime.datetime | None = None,
        *,
        before: HistoryToken | datetime.datetime | None = None,
        authors: Iterable[str | None] | None = None,
        excluded_authors: Iterable[str | None] = (),
        entities: Iterable[str] | None = None,
        changes: bool = True,
    ) -> History:
        """The write transactions of all processes, in order, after a token or date; without one,
        all transactions.

        With `before`, only transactions before that token or date, which is itself excluded. Stores
        record history if they are added with history_tracking=True. The newest history is read,
        whatever the context is pinned to.

        Raises HistoryTokenExpiredError if some of the history after the token has been deleted.
        """
        return lazy.history.fetch_history(self.handle, after, before, authors, excluded_authors, entities, changes)

    def delete_history(self, before: HistoryToken | datetime.datetime, *, passing_consumers: bool = False, refusing: bool = False) -> int:
        """Deletes the transactions before a token (excluding its own transaction) or a date;
        returns how many.

        Transactions that a named consumer has not read yet are kept, unless `passing_consumers` is
        True. With `refusing`, nothing is deleted in that case, and an error names the slowest
        consumer. Passing both raises InvalidArgumentError.
        """
        return lazy.history.delete_history(self.handle, before, passing_consumers, refusing)

    def merge_history(self, history: History) -> None:
        """Merges the changes of transactions, as merge_changes() merges a save: a pinned context
        advances at its next read.
        """
        call(functions.pinview_context_merge_history, self.handle, handle_of(history, "History"), 0, len(history))

    def execute(self, request: Executable[Result]) -> Result:
        """Executes a FetchRequest, BatchInsertRequest, BatchUpdateRequest or BatchDeleteRequest,
        and returns its result.
        """
        execute = getattr(request, "_execute", None)
        if execute is None:
            raise TypeError(f"Expected a request such as a FetchRequest, got {value_text(request)}.")
        result: Result = execute(self)
        return result

    # Changing and saving

    @overload
    def insert(self, entity: str, /, **values: Any) -> ManagedObject: ...

    @overload
    def insert(self, entity: Callable[Given, ObjectT], /, *none: Given.args, **values: Given.kwargs) -> ObjectT: ...

    def insert(self, entity: Any, /, **values: Any) -> Any:  # type: ignore[misc]
        """Inserts a new object with the given property values, of an entity or of the class that
        declares it: `context.insert(Person, name="Ada")`.
        """
        if type(entity) is not str:
            entity = entity_name(entity)
        info = self._entities.get(entity) if type(entity) is str else None
        rest: Mapping[str, Any] | None = values
        if info is None or awakes(info):
            # The hook can have a reference to the object before this method has.
            handle = call_for_handle(
                functions.pinview_object_release, functions.pinview_context_insert_new_object, self.handle, string(entity)
            )
            made = wrap(handle or 0, self._entities)
        else:
            lookups = self._lookups or Lookups(self._entities)
            insertion = insertion_of(info)
            made, rest = lookups.insert(self.handle, insertion.key, insertion.places, values)
            if self._lookups is None:
                self._lookups = lookups_of(block_of(made), lookups)
        if rest:
            try:
                made.update(rest)
            except BaseException:
                # Nobody has a reference to the object, and the next save should not store it half
                # filled.
                self.delete(made)
                raise
        return made

    @overload
    def insert_many(self, entity: type[ObjectT], columns: Mapping[str, Sequence[Any]]) -> FetchResult[ObjectT]: ...

    @overload
    def insert_many(self, entity: str, columns: Mapping[str, Sequence[Any]]) -> FetchResult: ...

    def insert_many(self, entity: Any, columns: Mapping[str, Sequence[Any]]) -> FetchResult[Any]:
        """Inserts one object for each row of the columns, in one call, and returns them in order.

            context.insert_many("Person", {"name": ["Dave", "Ada"], "age": [41, 36]})

        The column of a relationship has objects or None. If a value is rejected, nothing is
        inserted.
        """
        return lazy.batch.insert_objects(self, entity_name(entity), columns)

    def upsert(
        self,
        entity: str | type[ManagedObject],
        rows: Iterable[Mapping[str, Any]] = (),
        *,
        constraint: Sequence[str],
        columns: Mapping[str, Sequence[Any]] | None = None,
        on_insert: Iterable[str] | None = None,
        on_update: Iterable[str] | None = None,
    ) -> UpsertResult:
        """Inserts objects, or updates existing ones that have the same values of a uniqueness
        constraint.

            result = context.upsert("Person", feed, constraint=["email"], on_update=["last_seen"])
            for person in result.created:
                welcome(person)
            context.save()

        This makes pending changes, to be saved with the context's others. Existing objects are
        looked up among the pending changes and then at the context's generation, many with one
        statement; those found are refreshed, with their changes merged. When the changes are saved,
        the context's merge policy resolves conflicts with what others have written meanwhile.

        If a row is rejected, the call raises an error that names it, and the context is unchanged:
        for example a ConstraintConflictError if the row would violate another constraint, a
        ValidationError or a WrongTypeError.

        Args:
            entity: The name of the entity.
            rows: Mappings that all have the keys of the first, the constraint's among them.
                Relationships take objects or IDs. A row with None in the constraint is always
                inserted; rows with equal values of the constraint stand for the same object.
            constraint: The names of the properties of one of the entity's uniqueness constraints.
            columns: The values of each property, instead of rows.
            on_insert: The properties to set on new objects besides the constraint's; None for all.
            on_update: The properties to set on existing objects; None for all, empty to leave them
                unchanged.
        """
        return lazy.batch.upsert_objects(self, entity_name(entity), rows, columns, constraint, on_insert, on_update)

    def delete_many(self, targets: Iterable[ManagedObject]) -> None:
        """Marks several objects for deletion at the next save, in one call. Delete rules apply."""
        objects = list(targets)
        names = (c_uint64 * len(objects))(*map(_name_of, objects))
        call(functions.pinview_context_delete_named, self.handle, names, len(objects))

    def delete(self, target: ManagedObject) -> None:
        """Marks an object for deletion at the next save. Delete rules apply."""
        if not isinstance(target, ManagedObject):
            raise _no_object(target)
        block = block_of(target)
        block.check()
        call(functions.pinview_object_block_delete, block.handle, place_of(target), self.handle)

    def reinsert(self, target: ManagedObject) -> None:
        """Inserts an object again that was removed from the context. Does nothing for an object
        that is in it.
        """
        call(functions.pinview_context_insert, self.handle, _handle_of(target))

    def assign(self, target: ManagedObject, store: Store) -> None:
        """Chooses the store in which a new object will be saved."""
        call(functions.pinview_context_assign, self.handle, _handle_of(target), handle_of(store, "Store"))

    def save(self, *, progress: Callable[[float], Any] | None = None) -> None:
        """Commits the pending changes, all or nothing. If it fails, they are still pending.

        Args:
            progress: Called about 20 times a second with the seconds that the writing has taken so
                far; returning False stops the save, unless it is committing: nothing is written,
                and CancelledError is raised. It cannot use the library.
        """
        if progress is None:
            call(functions.pinview_context_save, self.handle)
        else:
            with lazy.stopping.reporting(progress):
                call(functions.pinview_context_save, self.handle)

    def rollback(self) -> None:
        """Drops the pending changes."""
        call(functions.pinview_context_rollback, self.handle)

    def reset(self) -> None:
        """Forgets all objects and pending changes."""
        call(functions.pinview_context_reset, self.handle)

    def refresh(self, target: ManagedObject, *, merge_changes: bool = True) -> None:
        """Refreshes an object from the context's generation.

        With `merge_changes`, properties with local changes keep them. Without, the object becomes a
        fault and local changes are lost.
        """
        _refresh(self._handle or self.handle, _handle_of(target), bool(merge_changes))

    def refresh_all(self) -> None:
        """Turns unchanged objects into faults, so that they are read again; changed objects are
        refreshed and keep their changes.
        """
        call(functions.pinview_context_refresh_all_objects, self.handle)

    def obtain_permanent_ids(self, objects: Iterable[ManagedObject]) -> None:
        """Gives new objects permanent IDs before they are saved."""
        chosen = list(objects)
        for each in chosen:
            _handle_of(each)
        call(functions.pinview_context_obtain_permanent_ids, self.handle, handles(chosen, "ManagedObject"), len(chosen))

    def detect_conflicts(self, target: ManagedObject) -> None:
        """Has the next save check an object for conflicts even if it is not changed."""
        call(functions.pinview_context_detect_conflicts, self.handle, _handle_of(target))

    def process_pending_changes(self) -> None:
        """Applies delete rules, records undo actions and notifies observers now instead of at the
        end of the event.
        """
        call(functions.pinview_context_process_pending_changes, self.handle)

    @property
    def has_changes(self) -> bool:
        """Whether there are uncommitted inserts, updates or deletes."""
        return bool(call_for(c_int32, functions.pinview_context_has_changes, self.handle).value)

    def _objects(self, function: Any) -> set[ManagedObject]:
        return set(take_objects(call_for_handle(functions.pinview_result_release, function, self.handle), self._entities))

    @property
    def inserted_objects(self) -> set[ManagedObject]:
        """New objects that are not saved yet."""
        return self._objects(functions.pinview_context_inserted_objects)

    @property
    def updated_objects(self) -> set[ManagedObject]:
        """Stored objects with uncommitted changes."""
        return self._objects(functions.pinview_context_updated_objects)

    @property
    def deleted_objects(self) -> set[ManagedObject]:
        """Objects that the next save will delete."""
        return self._objects(functions.pinview_context_deleted_objects)

    @property
    def registered_objects(self) -> set[ManagedObject]:
        """All objects that are alive in the context, including faults."""
        return self._objects(functions.pinview_context_registered_objects)

    # Undo

    @property
    def undo_manager(self) -> UndoManager | None:
        """Records changes so that they can be undone. A new context has one; with None nothing is
        recorded.

        Setting a manager that belongs to another context takes it away from there and clears what
        it has recorded.
        """
        return lazy.undo.UndoManager._owned_or_none(
            call_for_handle(functions.pinview_undo_manager_release, functions.pinview_context_undo_manager, self.handle)
        )

    @undo_manager.setter
    def undo_manager(self, manager: UndoManager | None) -> None:
        call(functions.pinview_context_set_undo_manager, self.handle, optional_handle_of(manager, "UndoManager"))

    def undo(self) -> None:
        """Undoes the changes of the last event or the last group. Not allowed while a group is
        open.
        """
        call(functions.pinview_context_undo, self.handle)

    def redo(self) -> None:
        """Redoes what undo() undid. Not allowed while a group is open."""
        call(functions.pinview_context_redo, self.handle)

    def set_undo_enabled(self, enabled: bool) -> None:
        """Gives the context a new undo manager, or none. Contexts for background work are faster
        without.
        """
        call(functions.pinview_context_set_undo_enabled, self.handle, bool(enabled))

    def set_undo_levels(self, levels: int) -> None:
        """Sets how many groups of changes can be undone; 0, the default, sets no limit."""
        call(functions.pinview_context_set_undo_levels, self.handle, count_of(levels, "The number of undo levels"))

    def remove_all_undo_actions(self) -> None:
        """Empties the undo and redo stacks, and releases the objects in them."""
        call(functions.pinview_context_remove_all_undo_actions, self.handle)

    @contextlib.contextmanager
    def undo_group(self) -> Iterator[None]:
        """Groups the changes of a `with` block, so that they are undone in one step, even if the
        block saves or merges.

        A group inside another one becomes part of it.
        """
        call(functions.pinview_context_begin_undo_grouping, self.handle)
        try:
            yield
        finally:
            call(functions.pinview_context_end_undo_grouping, self.handle)

    # Queues

    def perform(self, block: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Runs a block later on the context's queue, and returns a future for its result or
        exception.

        The block runs on another thread or, for a main-queue context, on the main thread when that
        drains the queue.
        """
        require_callable(block, "The block")
        if self.concurrency is Concurrency.PRIVATE_QUEUE:
            # Keeps the context alive until the block has run.
            kept = Context._borrowed(self.handle)

            def run() -> Result:
                with kept:
                    return self._run(kept.handle, block, arguments)

            return self._worker.submit(run)
        later = LaterBlock(block, arguments)
        number = registry.register(later)
        try:
            call(functions.pinview_context_perform, self.handle, run_block, number, registry.free)
        except BaseException:
            registry.unregister(number)
            later.future.cancel()
            raise
        return later.future

    async def perform_async(self, block: Callable[..., Result], *arguments: Any) -> Result:
        """Runs a block on the context's queue and returns its result, without blocking asyncio's
        event loop.

        For a main-queue context the event loop of the main thread drains the main queue meanwhile.
        Cancelling the awaiting task cancels a block that has not started.
        """
        if self.concurrency is Concurrency.MAIN_QUEUE and threading.current_thread() is threading.main_thread():
            with lazy.main_queue.main_queue.attached():
                return await lazy.asyncio.wrap_future(self.perform(block, *arguments))
        return await lazy.asyncio.wrap_future(self.perform(block, *arguments))

    def perform_and_wait(self, block: Callable[..., Result], *arguments: Any) -> Result:
        """Runs a block on the context's queue and returns its result, or raises its exception.

        If waiting would never end, because the thread that uses the context is waiting, directly or
        through others, for a context that this thread is using, it raises DeadlockError without
        running the block. So do direct calls.
        """
        require_callable(block, "The block")
        return self._run(self.handle, block, arguments)

    def _run(self, handle: int, block: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        waiting = Block(self, block, arguments)
        number = registry.register(waiting)
        error = c_void_p()
        flush()
        try:
            status = functions.pinview_context_perform_and_wait(handle, run_block, number, byref(error))
        finally:
            registry.unregister(number)
        if waiting.error is not None:
            functions.pinview_error_release(error.value)
            raise waiting.error
        if status:
            finish_call(status, error)
        raise_pending()
        result: Result = waiting.result
        return result

    # Notifications

    def merge_changes(self, notification: Notification) -> None:
        """Merges what another context has saved, from its did-save notification. A pinned context
        advances.

        It can be called from any thread. When it returns, the changes are merged, with two
        exceptions: if waiting for the context would be a deadlock, because its thread waits for a
        context that this thread is using, and for a main-queue context off the main thread. Then
        they are merged later on the context's queue, and an error is raised, once, by the next
        save() or process_pending_changes().
        """
        call(functions.pinview_context_merge_changes, self.handle, handle_of(notification, "Notification"))

    def observe(self, name: str, callback: Callable[[Notification], Any]) -> Observer:
        """Observes notifications of this context; see `pinview.observe`."""
        return lazy.notifications.observe(name, callback, context=self)

    def notifications(self, name: str | None = None) -> NotificationStream:
        """The notifications of this context from now on, for `async for`; see
        NotificationStream.
        """
        return lazy.notifications.NotificationStream(name, context=self)

    def _described(self) -> str:
        return self.name or "unnamed"


_refresh = bound_function("pinview_context_refresh", has_flag=True)
_set_query_generation = bound_function("pinview_context_set_query_generation")

# All contexts that exist in Python by pinview_context_hash(), so that each has a single Python
# object. An entry outlives its context until the next one of the same hash.
_contexts: weakref.WeakValueDictionary[int, Context] = weakref.WeakValueDictionary()


def _forget_all() -> None:
    """In a child made by fork(): empties the lookup caches."""
    for context in tuple(_contexts.values()):
        context._forget_lookups()
        context._lookups = None


def _forget_lookups() -> None:
    """Empties the lookup caches, because an object was closed or calls are checked from now on."""
    for context in tuple(_contexts.values()):
        context._forget_lookups()


own_look_ups(Context)
lookup_functions.forget_lookups = _forget_lookups
process.in_child(_forget_all)
factories.owned_context, factories.retained_context = Context._of, Context._of_borrowed


def _note(context: Context) -> None:
    _contexts[functions.pinview_context_hash(context.handle)] = context


def _known(handle: int) -> Context | None:
    context = _contexts.get(functions.pinview_context_hash(handle))
    # A context that was closed may have left its address to this one.
    if context is not None and functions.pinview_context_is_equal(context._handle, handle):
        return context
    return None


# Up to how many rows it takes no longer to find the objects than to begin a fetch of columns.
_FEW = 100


def _given(
    predicate: Filter,
    arguments: Iterable[Any],
    sort: Order,
    limit: int,
    offset: int,
    batch_size: int,
    options: dict[str, Any],
) -> dict[str, Any]:
    """The arguments that differ from the defaults, to detect those that are passed together with a
    FetchRequest.
    """
    if hasattr(type(sort), "_as_sort"):
        sort = [sort]
    given = {"predicate": predicate, "arguments": list(arguments), "sort": sort, "limit": limit, "offset": offset, "batch_size": batch_size}
    defaults: dict[str, Any] = {"predicate": None, "arguments": [], "sort": (), "limit": 0, "offset": 0, "batch_size": 0}
    return {**{name: value for name, value in given.items() if value != defaults[name] or value is False}, **options}


def _handle_of(target: Any) -> int:
    if not isinstance(target, ManagedObject):
        raise _no_object(target)
    return target.handle


def _name_of(target: Any) -> int:
    if not isinstance(target, ManagedObject):
        raise _no_object(target)
    return name_of(target)


def _no_id(target: Any) -> TypeError:
    return TypeError(f"Expected an ObjectID, got {type(target).__name__}.")


def _no_object(target: Any) -> TypeError:
    return TypeError(f"Expected a ManagedObject, got {type(target).__name__}.")
