"""What programs usually do with a fetch: take one object, find or create it, go through many, or
await it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import byref
from types import TracebackType

from .._ffi.calls import call_for_handle
from .._ffi.convert import count_of
from .._ffi.library import functions
from .._objects.entities import entity_name
from .._support import lazy
from .._support.annotating import Any, overload
from .._support.forward import Filter, ObjectT, Order, Page, Self
from ..errors import InvalidArgumentError, MultipleObjectsError, ObjectNotFoundError
from ..fetching import FetchRequest, FetchResult, Rows
from ..managed_object import ManagedObject
from ..object_id import ObjectID
from ..predicates import Predicate
from .settings import ContextSettings


class Finding(ContextSettings):
    """The part of Context that is made of its other methods."""

    __slots__ = ()

    # Methods of Context.
    fetch: Any
    count: Any
    values: Any
    insert: Any
    save: Any
    objects: Any
    coordinator: Any
    _request: Any

    @overload
    def first(
        self, entity: type[ObjectT], predicate: Filter = ..., arguments: Iterable[Any] = ..., *, sort: Order = ..., **options: Any
    ) -> ObjectT | None: ...

    @overload
    def first(
        self, entity: str, predicate: Filter = ..., arguments: Iterable[Any] = ..., *, sort: Order = ..., **options: Any
    ) -> ManagedObject | None: ...

    def first(self, entity: Any, predicate: Filter = None, arguments: Iterable[Any] = (), *, sort: Order = (), **options: Any) -> Any:
        """The first object that fetch() would return; None if there is none."""
        found = self.fetch(entity, predicate, arguments, sort=sort, limit=1, **options)
        return found[0] if found else None

    @overload
    def one(self, entity: type[ObjectT], predicate: Filter = ..., arguments: Iterable[Any] = ..., **options: Any) -> ObjectT: ...

    @overload
    def one(self, entity: str, predicate: Filter = ..., arguments: Iterable[Any] = ..., **options: Any) -> ManagedObject: ...

    def one(self, entity: Any, predicate: Filter = None, arguments: Iterable[Any] = (), **options: Any) -> Any:
        """The only object that matches. Raises ObjectNotFoundError if there is none, and
        MultipleObjectsError if there are several.
        """
        found = self.fetch(entity, predicate, arguments, limit=2, **options)
        if len(found) == 1:
            return found[0]
        name = entity_name(entity)
        if not found:
            raise ObjectNotFoundError(f"No object of {name} matches{_described(predicate)}.")
        raise MultipleObjectsError(
            f"Several objects of {name} match{_described(predicate)}; use first() for any of them, or fetch() for all.",
            affected_objects=found.object_ids,
        )

    @overload
    def get(self, entity: type[ObjectT], key: ObjectID | str | None = ..., /, **values: Any) -> ObjectT | None: ...

    @overload
    def get(self, entity: str, key: ObjectID | str | None = ..., /, **values: Any) -> ManagedObject | None: ...

    def get(self, entity: Any, key: ObjectID | str | None = None, /, **values: Any) -> Any:
        """The object with an ID, or its URI, or the only one with the given values of properties;
        None if there is none: `context.get(Person, email="ada@example.org")`.

        Raises MultipleObjectsError if several objects have the values.
        """
        name = entity_name(entity)
        if key is not None:
            return self._with_id(name, key, values)
        if not values:
            raise InvalidArgumentError("get() needs an ID, its URI, or values of properties: context.get(Person, email=…).")
        found = self.fetch(entity, _equal(entity, values), limit=2)
        if len(found) > 1:
            raise MultipleObjectsError(
                f"Several objects of {name} have the values {_shown(values)}; use fetch().", affected_objects=found.object_ids
            )
        return found[0] if found else None

    def _with_id(self, name: str, key: ObjectID | str, values: Mapping[str, Any]) -> ManagedObject | None:
        if values:
            raise InvalidArgumentError("get() takes either an ID or values of properties, not both.")
        object_id = self.coordinator.object_id(key) if isinstance(key, str) else key
        if object_id is None:
            return None
        try:
            found: ManagedObject = self.existing_object(object_id)
        except ObjectNotFoundError:
            return None
        entity: Any = found.entity
        while entity is not None and entity.name != name:
            entity = entity.model.get(entity.parent or "")
        return None if entity is None else found

    @overload
    def get_or_create(self, entity: type[ObjectT], defaults: Mapping[str, Any] = ..., /, **values: Any) -> tuple[ObjectT, bool]: ...

    @overload
    def get_or_create(self, entity: str, defaults: Mapping[str, Any] = ..., /, **values: Any) -> tuple[ManagedObject, bool]: ...

    def get_or_create(self, entity: Any, defaults: Mapping[str, Any] = {}, /, **values: Any) -> tuple[Any, bool]:
        """The object with the given values of properties, and whether it was inserted because there
        was none; then it has the `defaults`, too.

            person, is_new = context.get_or_create(Person, {"name": "Ada"}, email="ada@example.org")

        Another context can insert an object with the same values at the same time. If that matters,
        declare a uniqueness constraint: then the save resolves it by the merge policy. For many
        objects use upsert().
        """
        found = self.get(entity, **values)
        return (self.insert(entity, **{**defaults, **values}), True) if found is None else (found, False)

    def exists(self, entity: Any, predicate: Filter = None, arguments: Iterable[Any] = (), **options: Any) -> bool:
        """Whether any object matches."""
        return bool(self.count(entity, predicate, arguments, limit=1, **options))

    @overload
    def iterate(
        self,
        entity: type[ObjectT],
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        sort: Order = ...,
        batch_size: int = ...,
        **options: Any,
    ) -> Iterator[ObjectT]: ...

    @overload
    def iterate(
        self,
        entity: str,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
        *,
        sort: Order = ...,
        batch_size: int = ...,
        **options: Any,
    ) -> Iterator[ManagedObject]: ...

    def iterate(
        self,
        entity: Any,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        batch_size: int = 500,
        **options: Any,
    ) -> Iterator[Any]:
        """Goes through the objects that match without having all of them in memory.

        Their IDs are fetched at once, and kept in at most four bytes each as long as keys are below
        2³¹. Rows and objects are read `batch_size` at a time, and released when the program does
        not refer to them any more. Pin the context to read all of
        them from one state; otherwise rows are read as they are then, and a row that is gone raises
        ObjectNotFoundError.
        """
        if count_of(batch_size, "The batch size") == 0:
            raise InvalidArgumentError("The batch size must be at least 1.")
        name = entity_name(entity)
        request = FetchRequest(name, predicate, tuple(arguments), sort, batch_size=batch_size, **options)
        with request._filled() as filled:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_context_fetch, self.handle, byref(filled))
        return self._in_batches(FetchResult._of(result, name, self), batch_size)  # type: ignore[arg-type]

    @staticmethod
    def _in_batches(found: FetchResult[Any], batch_size: int) -> Iterator[Any]:
        with found:
            for first in range(0, len(found), batch_size):
                objects = found[first : first + batch_size]
                objects.reverse()
                while objects:
                    yield objects.pop()

    # asyncio

    @overload
    def page(self, request: type[ObjectT], cursor: bytes | None = ..., *, size: int = ..., **options: Any) -> Page[ObjectT]: ...

    @overload
    def page(self, request: str | FetchRequest, cursor: bytes | None = ..., *, size: int = ..., **options: Any) -> Page[ManagedObject]: ...

    def page(self, request: Any, cursor: bytes | None = None, *, size: int = 50, **options: Any) -> Page[Any]:
        """One page of what a request finds, and the cursor of the next. All pages show the state of
        the first, whatever is committed between them, even if another context or process of the
        machine asks for them.

            page = context.page("Person", size=20, sort="name")
            …  # a request later, perhaps in another process
            page = context.page("Person", cursor, size=20, sort="name")

        The first page reads the context's generation, and pins the context if it is not pinned. A
        cursor pins the context to its generation. `Coordinator.page_leases` keeps the generations
        of cursors, and says for how long and how many; afterwards a cursor raises
        CursorExpiredError. Unsaved changes do not move the pages: what the store has decides.

        Args:
            request: A FetchRequest, or the name or class of an entity; the same for all pages. Sort
                it. Its `limit` and `offset` apply to all pages together.
            cursor: The cursor of the page before; None for the first page.
            size: How many objects a page has at most. May differ between pages.
            options: Attributes of FetchRequest, if `request` is an entity.

        Returns:
            The page: a sequence of objects with an attribute `cursor`, None on the last page.
        """
        context: Any = self
        return lazy.paging.page(context, self._request(request, options), cursor, size)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    async def save_async(self, *, progress: Callable[[float], Any] | None = None) -> None:
        """Saves without blocking asyncio's event loop.

        Cancelling the awaiting task stops the save, unless it is committing: then nothing has been
        written, and the changes are still pending. `has_changes` tells which.

        Args:
            progress: Called in the event loop about 20 times a second with the seconds that the
                writing has taken so far.
        """
        context: Any = self
        await lazy.stopping.stoppable(context, context.save, progress)

    async def count_async(
        self,
        entity: Any,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        progress: Callable[[float], Any] | None = None,
        **options: Any,
    ) -> int:
        """Like count(), without blocking asyncio's event loop, in which `progress` is called.
        Cancelling the awaiting task stops SQLite's statement.
        """
        context: Any = self
        counted: int = await lazy.stopping.stoppable(context, lambda: context.count(entity, predicate, arguments, **options), progress)
        return counted

    async def values_async(
        self,
        entity: Any,
        names: Sequence[Any],
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        *,
        sort: Order = (),
        progress: Callable[[float], Any] | None = None,
        **options: Any,
    ) -> list[tuple[Any, ...]]:
        """Like values(), as a list, without blocking asyncio's event loop, in which `progress` is
        called with the seconds so far. Cancelling the awaiting task stops SQLite's statement.
        """
        context: Any = self

        def read() -> list[tuple[Any, ...]]:
            rows: Rows = self.values(entity, names, predicate, arguments, sort=sort, **options)
            return list(rows)

        found: list[tuple[Any, ...]] = await lazy.stopping.stoppable(context, read, progress)
        return found

    async def wait_for_newer_generation_async(self, timeout: float | None = None) -> bool:
        """Like wait_for_newer_generation(), without blocking asyncio's event loop. The context can
        be used meanwhile.
        """
        context: Any = self
        return await lazy.commits.wait_async(context, timeout)


def _equal(entity: Any, values: Mapping[str, Any]) -> Predicate:
    """The predicate for objects that have the values of properties."""
    if isinstance(entity, type):
        return Predicate.all_of([entity._declaration.path_to(name) == value for name, value in values.items()])  # type: ignore[attr-defined]
    return Predicate.all_of([Predicate.compare(name, "==", value) for name, value in values.items()])


def _shown(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r:.40}" for name, value in values.items())


def _described(predicate: Filter) -> str:
    return "" if predicate is None else f" the condition {predicate!s:.200}"
