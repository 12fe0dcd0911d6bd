"""Contexts: the spaces in which objects live."""

from __future__ import annotations

import contextlib
import datetime
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import byref, c_int32, c_int64, c_uint64, c_void_p
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Literal, Protocol, TypeVar, Union, overload

from . import asynchronous
from ._contexts import commits as _news
from ._contexts import interrupts as _interrupts
from ._contexts.main_queue import main_queue
from ._contexts.merging import MergeFunction
from ._contexts.settings import ContextSettings
from ._contexts.workers import Worker
from ._ffi import callbacks as _callbacks
from ._ffi.callbacks import Block, LaterBlock
from ._ffi.calls import call, call_for, call_for_handle, call_keeping, depth, raise_pending, settle
from ._ffi.choices import BatchResult, Concurrency, MergePolicy, QueryGenerationState
from ._ffi.convert import count_of
from ._ffi.handles import handle_of, optional_handle_of, require, require_callable, value_text
from ._ffi.implementation import accelerated
from ._ffi.library import functions
from ._ffi.pending_releases import settle as settle_owed
from ._ffi.prototypes import (
    PINVIEW_FETCH_RETURNS_FAULTS,
    PINVIEW_RESULT_DICTIONARIES,
    PINVIEW_RESULT_OBJECT_IDS,
    PINVIEW_RESULT_OBJECTS,
)
from ._ffi.values import handles, handles_of_ids, string
from ._objects import blocks as _blocks
from ._objects.blocks import block_of, name_of, place_of
from ._objects.context_lookups import LookUps, look_ups_of
from ._objects.lookups import Found
from ._objects.results import take_object_ids, take_objects, wrap
from ._requests.batch import delete_batch, insert_batch, insert_objects, update_batch, upsert_objects
from .asynchronous import AsynchronousFetch
from .columns import Columns
from .errors import InvalidArgumentError, NoCurrentContextError
from .expressions import Expression
from .fetching import FetchExplanation, FetchRequest, FetchResult, Filled, Rows, Sort, explanations, take_rows
from .history import History, HistoryToken, delete_history, fetch_history
from .inserting import BatchInsertCounts, UpsertResult
from .managed_object import ManagedObject
from .predicates import Predicate
from .tokens import CURRENT, QueryGenerationToken
from .undo import UndoManager

if TYPE_CHECKING:
    from concurrent.futures import Future

    from .coordinator import Coordinator, Store
    from .model import EntityInfo
    from .notifications import Notification, NotificationStream, Observer
    from .object_id import ObjectID

Result = TypeVar("Result")
Given = TypeVar("Given", covariant=True)
Order = Union[str, Sort, Sequence[Union[str, Sort]]]


class Executable(Protocol[Given]):
    """A request that Context.execute carries out."""

    def _execute(self, context: Context) -> Given: ...


class ArrowColumns(Protocol):
    """What speaks Arrow's PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Context(ContextSettings):
    """Fetches, registers, changes and saves objects.

    A new context is unpinned: each fetch sees the newest commit. After pin() it reads one generation, whatever others commit, until it
    is told to move on. A save, a reset and merging changes move a pinned context to the newest generation.

    A private-queue context may be used from any thread: its calls are serialised. A main-queue context belongs to the main thread.
    The context ends with close(), with the `with` block, or when nothing refers to it any more; pending changes are dropped then.

    Args:
        coordinator: where it reads and writes; or
        parent: the context whose child it is.
        concurrency: a Concurrency or its name: "private_queue", "main_queue".
        name: for logs and the history of a store.
        merge_policy: a MergePolicy or its name, or a function; see the property.
    """

    __slots__ = ("_entity_table", "_found", "_look_ups", "_worker")

    _entity_table: Mapping[str, EntityInfo] | None
    _found: Found
    _look_ups: LookUps | None
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
            raise InvalidArgumentError("A context has either a coordinator or a parent, not both.")
        kind = Concurrency.of(concurrency)
        policy = merge_policy if callable(merge_policy) else MergePolicy.of(merge_policy)
        # An error before anything is made, for what was closed, and for what is something else.
        optional_handle_of(coordinator, "Coordinator")
        optional_handle_of(parent, "Context")
        super().__init__(call_for_handle(functions.pinview_context_release, functions.pinview_context_create, kind))
        self._begin()
        if coordinator is not None:
            call(functions.pinview_context_set_coordinator, self.handle, coordinator.handle)
            self._entity_table = coordinator._entities
        elif parent is not None:
            call(functions.pinview_context_set_parent, self.handle, parent.handle)
            self._entity_table = parent._entity_table
        if policy is not MergePolicy.ERROR:
            self.merge_policy = policy
        if name is not None:
            self.name = name

    @classmethod
    def _of(cls, handle: int | None) -> Context | None:
        """The context of a handle, whose reference is taken over: the one there is in Python, or a new one."""
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
        """The same for a handle that belongs to the library."""
        known = _known(handle)
        if known is None:
            known = cls._borrowed(handle)
            known._begin()
        return known

    def _begin(self) -> None:
        _interrupts.arm()
        self._entity_table = None
        self._found = Found()
        self._look_ups = None
        self._merge_function = None
        self._worker = Worker()
        _note(self)

    @classmethod
    def _current(cls) -> Context:
        """The context whose block the thread is in."""
        contexts = _callbacks.blocks.contexts
        if not contexts:
            raise NoCurrentContextError("The thread is in no block of a context that was begun from Python.", code=14)
        current: Context = contexts[-1]
        return current

    @property
    def _entities(self) -> Mapping[str, EntityInfo]:
        """The entities of the model, by name."""
        if self._entity_table is None:
            coordinator = self.coordinator
            self._entity_table = {} if coordinator is None else coordinator._entities
        return self._entity_table

    @property
    def coordinator(self) -> Coordinator | None:
        """The coordinator; for a child that of its root."""
        from .coordinator import Coordinator

        return Coordinator._of(call_for_handle(functions.pinview_coordinator_release, functions.pinview_context_coordinator, self.handle))

    @property
    def parent(self) -> Context | None:
        """The parent context, or None for a root."""
        return Context._of(call_for_handle(functions.pinview_context_release, functions.pinview_context_parent, self.handle))

    # Query generations

    @property
    def query_generation(self) -> QueryGenerationToken | None:
        """The generation the context reads: CURRENT from pin() to the first read, then a token of its own.

        None does not mean unpinned: it is also what a pinned context has between a save, a reset or a merge and its next read, which
        takes the newest generation. `query_generation_state` tells the two apart.
        """
        return QueryGenerationToken._owned_or_none(
            call_for_handle(functions.pinview_token_release, functions.pinview_context_query_generation, self.handle)
        )

    @property
    def query_generation_state(self) -> QueryGenerationState:
        """Whether the context is pinned, and whether it has taken its generation yet. No read.

        A child answers for the root of its chain.
        """
        return QueryGenerationState(functions.pinview_context_query_generation_state(self.handle))

    def set_query_generation(self, token: QueryGenerationToken | None) -> None:
        """Pins the context to a generation, advances it (CURRENT), or unpins it (None).

        Objects that are loaded already keep their values until they are refreshed; pending changes stay.
        """
        if token is not None and token.__class__ is not QueryGenerationToken:
            require(token, "QueryGenerationToken")
        # What has no handle any more says so itself.
        _set_query_generation(self._handle or self.handle, None if token is None else token._handle or token.handle)

    @property
    def has_newer_generation(self) -> bool:
        """Whether anybody has committed since the generation that the context is pinned to. Costs no statement, next to nothing.

        False for a context that is not pinned or has not read yet: its next read sees the newest state anyway.
        """
        return bool(functions.pinview_context_has_newer_generation(self.handle))

    def wait_for_newer_generation(self, timeout: float | None = None) -> bool:
        """Waits until there is a generation newer than the context's own; for a context that is not pinned, newer than at the call.

        The thread sleeps, and the context may be used by others meanwhile. The context is not moved: pin() it to read the news.

        Args:
            timeout: for how many seconds; None for no end. 0 only looks.

        Returns:
            whether there is one; False when the time was over.
        """
        return _news.wait(self, timeout)

    def pin(self, token: QueryGenerationToken | None = CURRENT) -> None:
        """Pins the context: to the newest generation at its next read, or to that of a token. Also advances a pinned one."""
        self.set_query_generation(token)

    def unpin(self) -> None:
        """Lets the generation go; the next fetch sees the newest data."""
        self.set_query_generation(None)

    @contextlib.contextmanager
    def pinned(self, token: QueryGenerationToken | None = CURRENT) -> Iterator[Context]:
        """Pins the context for a `with` block, and unpins it at the end."""
        self.pin(token)
        try:
            yield self
        finally:
            if not self.closed:
                self.unpin()

    # Fetching

    def _request(self, entity: str | FetchRequest, options: dict[str, Any]) -> FetchRequest:
        if isinstance(entity, FetchRequest):
            if options:
                raise TypeError(f"The request says everything already; {', '.join(sorted(options))} cannot be given besides.")
            return entity
        if not isinstance(entity, str):
            raise TypeError(f"A fetch needs the name of an entity or a FetchRequest, not a {type(entity).__name__}.")
        return FetchRequest(entity, **options)

    def fetch(
        self,
        entity: str | FetchRequest,
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        batch_size: int = 0,
        **options: Any,
    ) -> FetchResult:
        """The objects that match, registered and in order. For the arguments see FetchRequest, which may be given instead."""
        if isinstance(entity, str) and not options:
            return self._fetch(entity, Filled(entity, predicate, arguments, sort, limit, offset, batch_size))
        request = self._request(entity, _given(predicate, arguments, sort, limit, offset, batch_size, options))
        return self._fetch(request.entity, request._filled())

    def _fetch(self, entity: str, filled: Filled) -> FetchResult:
        with filled as request:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(request))
        return FetchResult._of(result, entity, self)

    def begin_fetch(
        self,
        entity: str | FetchRequest,
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        counts_first: bool = False,
        completion: Callable[[AsynchronousFetch], Any] | None = None,
        **options: Any,
    ) -> AsynchronousFetch:
        """Begins a fetch and returns at once. For the arguments see FetchRequest, which may be given instead.

        The stores are read in the background, at the generation that the context has now; the context answers other calls meanwhile.
        Unsaved changes count as they are at the end, when the objects are made.

        With `counts_first` the matching rows are counted first, as the total of the progress; not for dictionaries. The `completion` is
        called with the fetch on the context's queue, as a block of perform(), however it ended; not after the context has been closed, and
        a program that ends does not wait for it: wait for the fetch.
        """
        request = self._request(entity, _given(predicate, arguments, sort, 0, 0, 0, options))
        return asynchronous.begin(self, request, counts_first, completion)

    async def fetch_async(
        self,
        entity: str | FetchRequest,
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        **options: Any,
    ) -> FetchResult:
        """Fetches without blocking the event loop of asyncio. Cancelling the task that waits stops SQLite's statement."""
        return await asynchronous.fetch(self, self._request(entity, _given(predicate, arguments, sort, 0, 0, 0, options)))

    def interrupt_fetch(self) -> None:
        """Stops the fetch that the context carries out, from another thread: it raises a CancelledError. Without one, it does nothing."""
        call(functions.pinview_context_interrupt_fetch, self.handle)

    def fetch_ids(
        self,
        entity: str | FetchRequest,
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> list[ObjectID]:
        """The IDs of the objects that match, in order."""
        request = self._request(entity, _given(predicate, arguments, sort, limit, offset, 0, options))
        with request._filled(PINVIEW_RESULT_OBJECT_IDS) as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(filled))
        return take_object_ids(result)

    def count(
        self,
        entity: str | FetchRequest,
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> int:
        """How many objects fetch() would give."""
        if isinstance(entity, str) and not options:
            request = Filled(entity, predicate, arguments, (), limit, offset)
        else:
            request = self._request(entity, _given(predicate, arguments, (), limit, offset, 0, options))._filled()
        with request as filled:
            return int(call_for(c_int64, functions.pinview_context_count, self.handle, byref(filled)).value)

    def values(
        self,
        entity: str | FetchRequest,
        names: Sequence[str],
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> Rows:
        """The named properties of the objects that match, as tuples, read in blocks.

        All of them are of the state in which the objects are found, also in a context that is not pinned while others save. Objects that
        have values in the context already keep them.
        """
        if isinstance(entity, str) and not options:
            name, filled = entity, Filled(entity, predicate, arguments, sort, limit, offset)
        else:
            request = self._request(entity, _given(predicate, arguments, sort, limit, offset, 0, options))
            name, filled = request.entity, request._filled()
        filled.request.flags &= ~PINVIEW_FETCH_RETURNS_FAULTS
        return Rows(self._fetch(name, filled), names)

    def fetch_dictionaries(
        self,
        entity: str | FetchRequest,
        properties: Sequence[str] | Mapping[str, str | Expression] = (),
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        **options: Any,
    ) -> list[dict[str, Any]]:
        """Rows of named values instead of objects, as the stores have them at the context's generation.

            context.fetch_dictionaries("Player", {"team": "team.name", "best": "max:(points)"}, group_by="team", sort="team")

        Unsaved changes do not count. For the arguments see FetchRequest, which may be given instead.
        """
        given = _given(predicate, arguments, sort, limit, offset, 0, options)
        request = self._request(entity, {**given, "properties": properties} if properties else given)
        with request._filled(PINVIEW_RESULT_DICTIONARIES) as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(filled))
        names, rows = take_rows(result)
        return [dict(zip(names, row)) for row in rows]

    def fetch_columns(
        self,
        entity: str | FetchRequest,
        properties: Sequence[str] | Mapping[str, str | Expression] = (),
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        batch_size: int = 0,
        object_uris: bool = False,
        **options: Any,
    ) -> Columns:
        """Columns of values instead of objects, for programs that calculate; the fastest way to read much.

            table = pyarrow.table(context.fetch_columns("Flight", ["carrier", "distance", "plane.manufacturer"], "distance > %@", [1000]))

        The columns are those of the stores at the context's generation; unsaved changes do not count. They are given in batches of
        batch_size rows (65,536 where it is 0). Objects come as their primary keys, with object_uris as the URIs of their IDs. The
        properties and the other arguments are those of fetch_dictionaries.
        """
        given = _given(predicate, arguments, sort, limit, offset, batch_size, options)
        request = self._request(entity, {**given, "properties": properties} if properties else given)
        return Columns._of(self, request, object_uris)

    def explain(self, entity: str | FetchRequest, predicate: str | Predicate | None = None, **options: Any) -> list[FetchExplanation]:
        """How each store would carry out a fetch: the statement, its values, and SQLite's query plan. Nothing is fetched.

        The arguments are those of FetchRequest; with `properties` it is that of fetch_dictionaries.
        """
        request = self._request(entity, {**options, "predicate": predicate} if predicate is not None else options)
        kind = PINVIEW_RESULT_DICTIONARIES if request.properties or request.group_by else PINVIEW_RESULT_OBJECTS
        with request._filled(kind) as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_explain, self.handle, byref(filled))
        return explanations(result)

    def object(self, object_id: ObjectID) -> ManagedObject:
        """The object of an ID: the registered one, or a new fault. Neither reads the store nor looks whether the row exists."""
        # As long as nothing has changed an ID stands for the same object.
        try:
            target = self._found.get(object_id._findings)
        except AttributeError:
            raise _no_id(object_id) from None
        return self._look_up(object_id, 0) if target is None else target

    def existing_object(self, object_id: ObjectID) -> ManagedObject:
        """The object of an ID with its values loaded; an ObjectNotFoundError when there is no such row."""
        try:
            target = self._found.loaded(object_id._findings)
        except AttributeError:
            raise _no_id(object_id) from None
        return self._look_up(object_id, 1) if target is None else target

    def objects(self, object_ids: Iterable[ObjectID]) -> list[ManagedObject]:
        """The objects of many IDs, in their order: for each what object() gives. Never reads the store.

        Reading one of those that are faults reads the rows of the others along with it, as with the objects of one fetch.
        """
        return self._look_up_many(functions.pinview_context_objects, object_ids)

    def existing_objects(self, object_ids: Iterable[ObjectID]) -> list[ManagedObject]:
        """The objects of many IDs with their values loaded, in their order: for each what existing_object() gives.

        What is not in memory is read at once, with one statement for every 1,000 objects of an entity.

        Raises ObjectNotFoundError when there is no row of one of them; its affected_objects tells which.
        """
        return self._look_up_many(functions.pinview_context_existing_objects, object_ids)

    def _look_up_many(self, function: Callable[..., int], object_ids: Iterable[ObjectID]) -> list[ManagedObject]:
        chosen = list(object_ids)
        row = handles_of_ids(chosen)
        return take_objects(call_for_handle(functions.pinview_result_release, function, self.handle, row, len(chosen)), self._entities)

    def _look_up(self, object_id: ObjectID, loads: int) -> ManagedObject:
        """The object of an ID, which is kept where it may be used again without a call."""
        context, identity = self._handle, object_id._handle
        if context is None or identity is None:
            context, identity = self.handle, object_id.handle
        if self._look_ups is None:
            self._look_ups = LookUps(self._entities)
        target: ManagedObject
        target, changes = self._look_ups.object(context, identity, loads)
        found = self._found
        if found.version == -1:
            self._look_ups = look_ups_of(block_of(target), self._look_ups)
        # In a callback more may be about to change than the count says.
        if changes and not depth.value:
            object_id._findings = found.note(object_id._findings, target, changes)
        return target

    def close(self) -> None:
        """Ends the context; pending changes are dropped. A second call does nothing."""
        # The count of changes goes with it.
        self._found = Found()
        self._look_ups = None
        super().close()

    def registered_object(self, object_id: ObjectID) -> ManagedObject | None:
        """The object of an ID if it is registered. Never reads the store."""
        if not hasattr(object_id, "_handle"):
            raise _no_id(object_id)
        handle = self._object_handle(functions.pinview_context_registered_object, object_id)
        return None if handle is None else wrap(handle, self._entities)

    def _object_handle(self, function: Any, object_id: ObjectID) -> int | None:
        return call_for_handle(functions.pinview_object_release, function, self.handle, object_id.handle)

    @overload
    def batch_update(
        self,
        entity: str,
        values: Mapping[str, Any] = ...,
        predicate: str | Predicate | None = ...,
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
        entity: str,
        values: Mapping[str, Any] = ...,
        predicate: str | Predicate | None = ...,
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
        entity: str,
        values: Mapping[str, Any] = ...,
        predicate: str | Predicate | None = ...,
        arguments: Iterable[Any] = ...,
        *,
        result: Literal[BatchResult.OBJECT_IDS],
        includes_subentities: bool = ...,
        expressions: Mapping[str, str | Expression] | None = ...,
        stores: Sequence[Store] | None = ...,
    ) -> list[ObjectID]: ...

    def batch_update(
        self,
        entity: str,
        values: Mapping[str, Any] = {},
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        result: BatchResult | str = BatchResult.STATUS,
        includes_subentities: bool = True,
        expressions: Mapping[str, str | Expression] | None = None,
        stores: Sequence[Store] | None = None,
    ) -> int | list[ObjectID] | None:
        """Sets attributes in all matching rows, in the store and at once, without loading objects or moving a pinned context.

        `expressions` gives attributes what is computed from the row's own values: {"score": "score + 1"}.
        Returns nothing, the number of rows, or their IDs, as `result` says; merge_remote_changes({"updated": ids}, contexts) shows them
        to contexts.
        """
        return update_batch(
            self.handle, entity, values, expressions or {}, predicate, arguments, BatchResult.of(result), includes_subentities, stores
        )

    def batch_insert(
        self,
        entity: str,
        rows: Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]] = (),
        names: Sequence[str] | None = None,
        *,
        columns: Mapping[str, Sequence[Any]] | ArrowColumns | None = None,
        result: BatchResult | str = BatchResult.COUNT,
        stores: Sequence[Store] | None = None,
        merge_policy: MergePolicy | str = MergePolicy.ERROR,
    ) -> int | list[ObjectID] | BatchInsertCounts | None:
        """Inserts rows into the store at once, without objects, in one transaction.

        Rows are mappings, all with the keys of the first, or, with `names`, sequences of values in that order. An iterator, such as a
        generator, is asked for one row after the other within the write transaction, and must not save to the store; what it raises
        takes the whole insert back. Instead of rows, `columns` has the values of each property: a mapping of sequences, or anything that
        speaks Arrow's PyCapsule protocol, such as a table of pyarrow, a data frame of polars or pandas, or Columns of another context;
        then a mandatory attribute must have a value in each row. Attributes that are not named get their
        defaults; to-one relationships take object IDs, in Arrow primary keys or URIs. The first of the `stores` that holds the entity is
        inserted into. No validation, no hooks. Returns what `result` says: COUNTS tells how many rows were inserted, updated and left.

        `merge_policy` says what becomes of a row that has the unique values of a row of the store, or of an earlier one of the batch;
        the context's own policy does not count. ERROR fails with a ConstraintConflictError that names the row;
        MERGE_BY_PROPERTY_OBJECT_TRUMP inserts or updates (the row there takes the values given, None included), OVERWRITE also gives it
        the defaults of properties that are not named; MERGE_BY_PROPERTY_STORE_TRUMP and ROLLBACK insert or ignore.

            counts = context.batch_insert("Person", feed, merge_policy="merge_by_property_object_trump", result="counts")
        """
        known = self._entities.get(entity) if isinstance(entity, str) else None
        policy = MergePolicy.of(merge_policy)
        return insert_batch(self.handle, entity, names, rows, columns, BatchResult.of(result), stores, known, policy)

    def batch_delete(
        self,
        entity: str | FetchRequest | None = None,
        predicate: str | Predicate | None = None,
        arguments: Iterable[Any] = (),
        *,
        object_ids: Iterable[ObjectID] = (),
        result: BatchResult | str = BatchResult.COUNT,
        **options: Any,
    ) -> int | list[ObjectID] | None:
        """Deletes the rows that a fetch would find, or those of some IDs, in the store and at once, without objects.

        The delete rules are followed; deny stops all of it with a ValidationError. Returns what `result` says.
        """
        request = None
        if entity is not None:
            request = self._request(entity, _given(predicate, arguments, (), 0, 0, 0, options))
        return delete_batch(self.handle, request, object_ids, BatchResult.of(result))

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
        """What write transactions of all processes did, in order, after a token or a moment; all of it without one.

        With `before` only what came before that: the transaction of the token, or the moment, is left out.
        The stores keep it when they are added with the option historyTracking=True. It sees the newest state and pins nothing.
        Raises HistoryTokenExpiredError when what comes after the token was deleted in part.
        """
        return fetch_history(self.handle, after, before, authors, excluded_authors, entities, changes)

    def delete_history(self, before: HistoryToken | datetime.datetime, *, passing_consumers: bool = False, refusing: bool = False) -> int:
        """Deletes the transactions before a token (its own one stays) or a moment, and returns how many.

        What a consumer known by name has still to read stays, unless `passing_consumers` is set; with `refusing` that is an error instead,
        which names the slowest consumer, and nothing is deleted. Both at once are an InvalidArgumentError.
        """
        return delete_history(self.handle, before, passing_consumers, refusing)

    def merge_history(self, history: History) -> None:
        """Merges the changes of transactions, as a save of another context is merged (merge_changes): a pinned context moves on at its
        next read.
        """
        call(functions.pinview_context_merge_history, self.handle, handle_of(history, "History"), 0, len(history))

    def execute(self, request: Executable[Result]) -> Result:
        """Carries out a request and gives what it is for.

        A request is a FetchRequest, a BatchInsertRequest, a BatchUpdateRequest or a BatchDeleteRequest.
        """
        execute = getattr(request, "_execute", None)
        if execute is None:
            raise TypeError(f"A request is needed, such as a FetchRequest, not {value_text(request)}.")
        result: Result = execute(self)
        return result

    # Changing and saving

    def insert(self, entity: str, /, **values: Any) -> ManagedObject:
        """Makes a new object, with values for its properties."""
        handle = call_for_handle(functions.pinview_object_release, functions.pinview_context_insert_new_object, self.handle, string(entity))
        made = wrap(handle or 0, self._entities)
        try:
            made.update(values)
        except BaseException:
            # An object that could not be filled would come as a surprise in the next save.
            self.delete(made)
            raise
        return made

    def insert_many(self, entity: str, columns: Mapping[str, Sequence[Any]]) -> FetchResult:
        """Makes as many new objects as the columns have values, in one call, and gives them in that order.

            context.insert_many("Person", {"name": ["Dave", "Ada"], "age": [41, 36]})

        A relationship's column has objects, or None. When a value is refused none of them stays.
        """
        return insert_objects(self, entity, columns)

    def upsert(
        self,
        entity: str,
        rows: Iterable[Mapping[str, Any]] = (),
        *,
        constraint: Sequence[str],
        columns: Mapping[str, Sequence[Any]] | None = None,
        on_insert: Iterable[str] | None = None,
        on_update: Iterable[str] | None = None,
    ) -> UpsertResult:
        """Inserts objects, or updates those that have the same values of a uniqueness constraint already.

            result = context.upsert("Person", feed, constraint=["email"], on_update=["name", "last_seen"])
            for person in result.created:
                welcome(person)
            context.save()

        `constraint` names the properties of one of the entity's uniqueness constraints. Rows are mappings, all with the keys of the
        first and the constraint's among them; `columns` instead have the values of each property. Relationships take objects or their
        IDs. A new object gets the values of `on_insert` and of the constraint, one that is there those of `on_update`; None stands for
        all, an empty `on_update` leaves what is there.

        It makes pending changes, which the program saves together with its others. Objects are looked for among the pending changes,
        then at the generation that the context reads, many by one statement; what is found is refreshed, its changes merged. A row
        with None in the constraint is always new; rows with equal values are one object. The context's merge policy decides in the
        save about what others have written meanwhile.

        A refused row fails the call with an error that names it, and the context is as it was: a ConstraintConflictError where it would
        get the values of another object under another constraint, a ValidationError, a WrongTypeError.
        """
        return upsert_objects(self, entity, rows, columns, constraint, on_insert, on_update)

    def delete_many(self, targets: Iterable[ManagedObject]) -> None:
        """Marks objects for removal at the next save, in one call; delete rules apply."""
        objects = list(targets)
        names = (c_uint64 * len(objects))(*map(_name_of, objects))
        call(functions.pinview_context_delete_named, self.handle, names, len(objects))

    def delete(self, target: ManagedObject) -> None:
        """Marks an object for removal at the next save; delete rules apply."""
        if not isinstance(target, ManagedObject):
            raise _no_object(target)
        block = block_of(target)
        block.check()
        call(functions.pinview_object_block_delete, block.handle, place_of(target), self.handle)

    def reinsert(self, target: ManagedObject) -> None:
        """Registers an object that was taken out of the context for the next save; one that is in it stays as it is."""
        call(functions.pinview_context_insert, self.handle, _handle_of(target))

    def assign(self, target: ManagedObject, store: Store) -> None:
        """Says in which store a new object is to be saved."""
        call(functions.pinview_context_assign, self.handle, _handle_of(target), handle_of(store, "Store"))

    def save(self) -> None:
        """Commits the pending changes, all or nothing; after an error they are still there."""
        call(functions.pinview_context_save, self.handle)

    def rollback(self) -> None:
        """Drops the pending changes."""
        call(functions.pinview_context_rollback, self.handle)

    def reset(self) -> None:
        """Forgets all objects and pending changes."""
        call(functions.pinview_context_reset, self.handle)

    def refresh(self, target: ManagedObject, *, merge_changes: bool = True) -> None:
        """Brings an object up to date at the context's generation.

        With `merge_changes` properties with a local change keep it; without, the object becomes a fault and local changes are lost.
        """
        _refresh(self._handle or self.handle, _handle_of(target), bool(merge_changes))

    def refresh_all(self) -> None:
        """Makes clean objects faults again, so that their next use reads; changed ones are refreshed and keep their changes."""
        call(functions.pinview_context_refresh_all_objects, self.handle)

    def obtain_permanent_ids(self, objects: Iterable[ManagedObject]) -> None:
        """Gives new objects the IDs they will have once saved."""
        chosen = list(objects)
        for each in chosen:
            _handle_of(each)
        call(functions.pinview_context_obtain_permanent_ids, self.handle, handles(chosen, "ManagedObject"), len(chosen))

    def detect_conflicts(self, target: ManagedObject) -> None:
        """Makes the next save check an object that is not changed, too."""
        call(functions.pinview_context_detect_conflicts, self.handle, _handle_of(target))

    def process_pending_changes(self) -> None:
        """Applies delete rules, records undo and tells observers now, not at the end of the event."""
        call(functions.pinview_context_process_pending_changes, self.handle)

    @property
    def has_changes(self) -> bool:
        """Whether there is an uncommitted insert, update or delete."""
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
        """Objects that the next save will remove."""
        return self._objects(functions.pinview_context_deleted_objects)

    @property
    def registered_objects(self) -> set[ManagedObject]:
        """The objects that are alive in the context, faults too."""
        return self._objects(functions.pinview_context_registered_objects)

    # Undo

    @property
    def undo_manager(self) -> UndoManager | None:
        """Records changes so that they can be taken back. There is one at first; None records nothing.

        A manager that another context had is taken from it, and forgets what it has recorded.
        """
        return UndoManager._owned_or_none(
            call_for_handle(functions.pinview_undo_manager_release, functions.pinview_context_undo_manager, self.handle)
        )

    @undo_manager.setter
    def undo_manager(self, manager: UndoManager | None) -> None:
        call(functions.pinview_context_set_undo_manager, self.handle, optional_handle_of(manager, "UndoManager"))

    def undo(self) -> None:
        """Takes back the changes of the last event, or of the last group. Not while a group is open."""
        call(functions.pinview_context_undo, self.handle)

    def redo(self) -> None:
        """Makes the change again that undo() took back. Not while a group is open."""
        call(functions.pinview_context_redo, self.handle)

    def set_undo_enabled(self, enabled: bool) -> None:
        """Gives the context a new undo manager, or none. A new context has one; work in the background does better without."""
        call(functions.pinview_context_set_undo_enabled, self.handle, bool(enabled))

    def set_undo_levels(self, levels: int) -> None:
        """How many groups of changes can be taken back; 0, the default, is no limit."""
        call(functions.pinview_context_set_undo_levels, self.handle, count_of(levels, "The number of undo levels"))

    def remove_all_undo_actions(self) -> None:
        """Empties the undo and redo stacks and lets go of the objects in them."""
        call(functions.pinview_context_remove_all_undo_actions, self.handle)

    @contextlib.contextmanager
    def undo_group(self) -> Iterator[None]:
        """What is changed in a `with` block is taken back in one step of its own, whatever happens in it: saves, blocks, merges.

        A group inside another one is part of it.
        """
        call(functions.pinview_context_begin_undo_grouping, self.handle)
        try:
            yield
        finally:
            call(functions.pinview_context_end_undo_grouping, self.handle)

    # Queues

    def perform(self, block: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Runs a block later, on the context's queue: on another thread, for a main-queue context on the main thread when it drains the
        queue. The future has its result, or the exception it raised.
        """
        require_callable(block, "The block")
        if self.concurrency is Concurrency.PRIVATE_QUEUE:
            # The context lives until the block has run, whatever becomes of this reference.
            kept = Context._borrowed(self.handle)

            def run() -> Result:
                with kept:
                    return self._run(kept.handle, block, arguments)

            return self._worker.submit(run)
        later = LaterBlock(block, arguments)
        number = _callbacks.register(later)
        try:
            call(functions.pinview_context_perform, self.handle, _callbacks.run_block, number, _callbacks.free)
        except BaseException:
            _callbacks.unregister(number)
            later.future.cancel()
            raise
        return later.future

    async def perform_async(self, block: Callable[..., Result], *arguments: Any) -> Result:
        """Runs a block on the context's queue and gives its result, without blocking the event loop of asyncio.

        A main-queue context's block runs on the main thread: there the loop drains the main queue meanwhile. Cancelling the task that
        waits takes a block back that has not begun.
        """
        import asyncio

        if self.concurrency is Concurrency.MAIN_QUEUE and threading.current_thread() is threading.main_thread():
            with main_queue.attached():
                return await asyncio.wrap_future(self.perform(block, *arguments))
        return await asyncio.wrap_future(self.perform(block, *arguments))

    def perform_and_wait(self, block: Callable[..., Result], *arguments: Any) -> Result:
        """Runs a block on the context's queue and returns its result. An exception of the block comes back as itself.

        Where it would wait for ever, because the thread that uses the context waits, maybe through others, for a context that this
        thread is using, it raises a DeadlockError, and the block does not run. Direct calls do so, too.
        """
        require_callable(block, "The block")
        return self._run(self.handle, block, arguments)

    def _run(self, handle: int, block: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        waiting = Block(self, block, arguments)
        number = _callbacks.register(waiting)
        error = c_void_p()
        settle_owed()
        try:
            status = functions.pinview_context_perform_and_wait(handle, _callbacks.run_block, number, byref(error))
        finally:
            _callbacks.unregister(number)
        if waiting.error is not None:
            functions.pinview_error_release(error.value)
            raise waiting.error
        if status:
            settle(status, error)
        raise_pending()
        result: Result = waiting.result
        return result

    # Notifications

    def merge_changes(self, notification: Notification) -> None:
        """Merges what another context saved, from its did-save notification. Moves a pinned context to the newest generation.

        For any thread, and for observers in any pattern between contexts. When it returns the changes are merged, except where waiting
        for the context would never end, because the thread that uses it waits for a context that this thread is using, and for a
        main-queue context off the main thread. Then they are merged later on the context's queue, a main-queue context's when the main
        thread drains it; an error comes out of the next save() or process_pending_changes(), once.
        """
        call(functions.pinview_context_merge_changes, self.handle, handle_of(notification, "Notification"))

    def observe(self, name: str, callback: Callable[[Notification], Any]) -> Observer:
        """Calls back on notifications of this context; see `pinview.observe`."""
        from .notifications import observe

        return observe(name, callback, context=self)

    def notifications(self, name: str | None = None) -> NotificationStream:
        """The notifications of this context from now on, for `async for`; see `pinview.notifications`."""
        from .notifications import NotificationStream

        return NotificationStream(name, context=self)

    def _described(self) -> str:
        return self.name or "unnamed"


_refresh = accelerated("pinview_context_refresh", partial(call_keeping, functions.pinview_context_refresh), has_flag=True)
_set_query_generation = accelerated(
    "pinview_context_set_query_generation", partial(call_keeping, functions.pinview_context_set_query_generation)
)

# The contexts there are in Python, so that one context is one object.
_contexts: list[weakref.ref[Context]] = []
_contexts_lock = threading.RLock()


def _forget_all() -> None:
    """In a child made by fork() nothing is found without a call."""
    for each in _contexts:
        context = each()
        if context is not None:
            context._found.forget()
            context._look_ups = None


def _forget_found() -> None:
    """An object was closed, or calls are checked from now on: nothing is found without a call."""
    for each in tuple(_contexts):
        context = each()
        if context is not None:
            context._found.forget()


_blocks.later.forget_found = _forget_found
os.register_at_fork(after_in_child=_forget_all)


def _note(context: Context) -> None:
    with _contexts_lock:
        _contexts[:] = [each for each in _contexts if each() is not None]
        _contexts.append(weakref.ref(context))


def _known(handle: int) -> Context | None:
    for each in tuple(_contexts):
        context = each()
        if context is not None and functions.pinview_context_is_equal(context._handle, handle):
            return context
    return None


def _given(
    predicate: str | Predicate | None,
    arguments: Iterable[Any],
    sort: Order,
    limit: int,
    offset: int,
    batch_size: int,
    options: dict[str, Any],
) -> dict[str, Any]:
    """What differs from the defaults, so that nothing is lost when a request is given that says everything itself."""
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
    return TypeError(f"An ObjectID is needed, not a {type(target).__name__}.")


def _no_object(target: Any) -> TypeError:
    return TypeError(f"An object of the context is needed, not a {type(target).__name__}.")
