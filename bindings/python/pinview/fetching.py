"""Fetch requests and their results: objects, or values as tuples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import byref, sizeof
from functools import lru_cache
from itertools import chain

from ._ffi.buffers import read_rows
from ._ffi.callbacks import current_context
from ._ffi.calls import call, call_for_handle, object_ids_of
from ._ffi.choices import Comparator
from ._ffi.convert import count_of
from ._ffi.handles import Managed, require
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_FETCH_INCLUDES_PENDING_CHANGES,
    PINVIEW_FETCH_INCLUDES_SUBENTITIES,
    PINVIEW_FETCH_OMITS_VALUES,
    PINVIEW_FETCH_REFRESHES_OBJECTS,
    PINVIEW_FETCH_RETURNS_DISTINCT,
    PINVIEW_FETCH_RETURNS_FAULTS,
    PINVIEW_RESULT_OBJECTS,
    pinview_fetch_request,
    pinview_named_expression,
    pinview_sort_descriptor,
    pinview_string,
)
from ._ffi.values import handles, string, text
from ._objects.entities import EntityInfo, EntityTable, entity_name
from ._objects.results import BLOCK, fetched
from ._support import lazy
from ._support.annotating import Any, overload
from ._support.forward import Context, Criterion, Expression, Filter, ObjectT_co, Order, Snapshot, Store
from ._support.records import record
from .errors import InvalidArgumentError
from .managed_object import ManagedObject
from .object_id import ObjectID
from .predicates import predicate_handle


@record(frozen=True)
class Sort:
    """A criterion of a sort order. In requests `"name"` stands for Sort("name"), `"-name"` for
    descending order.

    Attributes:
        key: A key path.
        ascending: Whether to sort in ascending order.
        comparator: How to compare values: a Comparator or its name.
    """

    key: str
    ascending: bool = True
    comparator: Comparator | str = Comparator.BINARY

    @classmethod
    def of(cls, criterion: str | Sort | Criterion) -> Sort:
        """The Sort for a string, a Sort, or an attribute of a declared class."""
        if isinstance(criterion, str):
            if criterion.endswith((" DESC", " desc", " ASC", " asc")):
                key = criterion.rsplit(" ", 1)[0]
                raise InvalidArgumentError(f"A sort order has no words: write {key!r} for ascending and '-{key}' for descending order.")
            return cls(criterion[1:], ascending=False) if criterion.startswith("-") else cls(criterion)
        if isinstance(criterion, cls):
            return criterion
        made: Sort | None = _sort_of(criterion)
        if made is None:
            raise TypeError(
                f"A sort criterion must be the name of a property, an attribute of a class or a Sort, got {type(criterion).__name__}."
            )
        return made


def _sort_of(criterion: Any) -> Any:
    make = getattr(type(criterion), "_as_sort", None)
    return None if make is None else make(criterion)


def criteria_of(sort: Order) -> tuple[Sort, ...]:
    """The Sort objects of a sort order."""
    alone = isinstance(sort, (str, Sort)) or not hasattr(type(sort), "__iter__")
    return tuple(Sort.of(each) for each in ([sort] if alone else sort))


def name_of(item: Any) -> Any:
    """The key path of an attribute of a declared class; anything else unchanged."""
    return item if type(item) is str else getattr(item, "_path", item)


@record(frozen=True)
class FetchRequest:
    """Describes which objects to fetch, and in which order.

    Attributes:
        entity: The name of the entity, or the class that declares it.
        predicate: A condition that the objects must satisfy: a Predicate or its format string, for
            example `"name BEGINSWITH %@ AND age > %@"`. None for all objects.
        arguments: The values for the format string's %@ placeholders, in order. Values never need
            quoting.
        sort: Names of properties, prefixed by a minus sign for descending order, or Sort objects.
        limit: The maximum number of objects; 0 for all.
        offset: The number of objects to skip.
        batch_size: If greater than 0, rows are loaded in pages of this size as the objects are
            used.
        includes_subentities: Whether to include objects of sub-entities.
        includes_pending_changes: Whether to take the context's unsaved changes into account.
            Objects with changes are judged by their values in memory, all others by the store: a
            condition over a relationship of an object without changes uses the destination's stored
            values.
        includes_property_values: Whether to load the rows; otherwise the first use of each object
            reads the store.
        returns_objects_as_faults: Whether to return objects as faults, whose rows are cached.
        refresh_refetched: Whether objects that are already loaded are updated from the store. They
            keep pending changes.
        stores: The stores to fetch from; None for all.
        prefetch: Relationships whose destinations to load as well, with one statement each, as key
            paths such as "cars" or "cars.maker". Cannot be combined with batch_size.
        timeout: How many seconds the stores may take before the fetch raises TimedOutError; None
            for no limit. When fetching columns the limit applies to each batch. It does not apply
            to pages and faults that are read later.

    For fetch_dictionaries():
        properties: The values of each row: key paths, or names with expressions to compute, such as
            {"total": "price * 2", "n": "count:(SELF)"}. By default all stored attributes.
        distinct: Whether to return equal rows only once.
        group_by: Key paths or names of values; one row is returned for each combination of them.
            The other values of a row must be computed from the group, such as `"count:(SELF)"`. By
            default rows contain the values grouped by.
        having: A condition that groups must satisfy, such as `"sum:(price) > %@"`. Names of
            computed values stand for those values, even if an attribute has the same name; other
            key paths must be grouped by.
        having_arguments: The arguments of that condition.
    """

    entity: str | type[ManagedObject]
    predicate: Filter = None
    arguments: Sequence[Any] = ()
    sort: Order = ()
    limit: int = 0
    offset: int = 0
    batch_size: int = 0
    includes_subentities: bool = True
    includes_pending_changes: bool = True
    includes_property_values: bool = True
    returns_objects_as_faults: bool = True
    refresh_refetched: bool = False
    stores: Sequence[Store] | None = None
    prefetch: Sequence[str] = ()
    properties: Sequence[str] | Mapping[str, str | Expression] = ()
    distinct: bool = False
    group_by: str | Sequence[str] = ()
    having: Filter = None
    having_arguments: Sequence[Any] = ()
    timeout: float | None = None

    def _execute(self, context: Context) -> FetchResult[Any]:
        return context.fetch(self)

    def execute(self) -> FetchResult[Any]:
        """Executes the request in the context whose block this thread is running; raises
        NoCurrentContextError if none.
        """
        with self._filled() as request:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_fetch_request_execute, byref(request))
        return FetchResult._of(result, entity_name(self.entity), current_context())

    @property
    def criteria(self) -> tuple[Sort, ...]:
        """The sort order as Sort objects."""
        return criteria_of(self.sort)

    def _filled(self, result_type: int = PINVIEW_RESULT_OBJECTS) -> Filled:
        """The request as a struct of the library, for the duration of a `with` block."""
        return Filled(
            entity_name(self.entity), self.predicate, self.arguments, self.sort, self.limit, self.offset, self.batch_size, result_type, self
        )


@lru_cache(maxsize=256)
def _begun(entity: str) -> tuple[bytes, pinview_string]:
    """The library's default request for an entity, and the name that it refers to."""
    request = pinview_fetch_request()
    name = string(entity)
    call(functions.pinview_fetch_request_init, byref(request), sizeof(request), name)
    return bytes(request), name


class Filled:
    """A request as a struct of the library, for the duration of a `with` block.

    It is filled directly from the arguments of a call, because creating a FetchRequest takes as
    long as a small fetch. A FetchRequest is passed as the source of less common options only.
    """

    __slots__ = ("_kept", "_owned", "request")

    def __init__(
        self,
        entity: str,
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
        sort: Order = (),
        limit: int = 0,
        offset: int = 0,
        batch_size: int = 0,
        result_type: int = PINVIEW_RESULT_OBJECTS,
        source: FetchRequest | None = None,
    ) -> None:
        self._owned: list[int] = []
        begun, name = _begun(entity) if type(entity) is str else _begun.__wrapped__(entity)
        self.request = request = pinview_fetch_request.from_buffer_copy(begun)
        self._kept: list[Any] = [name]
        if limit != 0 or limit is False:
            request.limit = count_of(limit, "The limit")
        if offset != 0 or offset is False:
            request.offset = count_of(offset, "The offset")
        if batch_size != 0 or batch_size is False:
            request.batch_size = count_of(batch_size, "The batch size")
        if result_type != PINVIEW_RESULT_OBJECTS:
            request.result_type = result_type
        criteria = () if type(sort) is tuple and not sort else criteria_of(sort)
        if criteria:
            order = (pinview_sort_descriptor * len(criteria))()
            for place, criterion in enumerate(criteria):
                order[place].key_path = string(criterion.key)
                order[place].is_descending = not criterion.ascending
                order[place].comparator = Comparator.of(criterion.comparator)
            request.sort_descriptors = order
            request.sort_descriptor_count = len(criteria)
        try:
            if source is not None:
                self._fill_rest(source)
            if predicate is not None or type(arguments) is not tuple or arguments:
                request.predicate = self._predicate(predicate, arguments)
        except BaseException:
            self._release()
            raise

    def _fill_rest(self, source: FetchRequest) -> None:
        request = self.request
        flags = {
            PINVIEW_FETCH_INCLUDES_SUBENTITIES: source.includes_subentities,
            PINVIEW_FETCH_INCLUDES_PENDING_CHANGES: source.includes_pending_changes,
            PINVIEW_FETCH_RETURNS_FAULTS: source.returns_objects_as_faults,
            PINVIEW_FETCH_REFRESHES_OBJECTS: source.refresh_refetched,
            PINVIEW_FETCH_OMITS_VALUES: not source.includes_property_values,
            PINVIEW_FETCH_RETURNS_DISTINCT: source.distinct,
        }
        request.flags = sum(flag for flag, is_on in flags.items() if is_on)
        if source.timeout is not None:
            # To the library 0 means no limit.
            request.timeout_seconds = source.timeout or 1e-9
        if isinstance(source.prefetch, str):
            raise TypeError("prefetch must be a list of key paths, not a single string.")
        key_paths = (pinview_string * len(source.prefetch))(*(string(name_of(each)) for each in source.prefetch))
        request.prefetched_key_paths = key_paths
        request.prefetched_key_path_count = len(source.prefetch)
        if source.stores is not None:
            request.stores = handles(source.stores, "Store")
            request.store_count = len(source.stores)
        properties, kept = named_expressions(source.properties)
        self._kept.append(kept)
        request.properties = properties
        request.property_count = len(properties)
        groups = [source.group_by] if not isinstance(source.group_by, Sequence) or isinstance(source.group_by, str) else source.group_by
        names = (pinview_string * len(groups))(*(string(name_of(each)) for each in groups))
        request.group_by = names
        request.group_by_count = len(groups)
        request.having = self._predicate(source.having, source.having_arguments)

    def _predicate(self, predicate: Filter, arguments: Iterable[Any]) -> int | None:
        handle, is_owned = predicate_handle(predicate, arguments)
        if is_owned and handle is not None:
            self._owned.append(handle)
        return handle

    def _release(self) -> None:
        for handle in self._owned:
            functions.pinview_predicate_release(handle)

    def __enter__(self) -> pinview_fetch_request:
        return self.request

    def __exit__(self, *_: object) -> None:
        self._release()


@record(frozen=True)
class FetchExplanation:
    """How a store executes a fetch.

    Attributes:
        store: The UUID of the store.
        sql: The statement.
        values: The values of its parameters, in order, as SQL literals.
        plan: SQLite's query plan: one line for each step, indented below the step that it belongs
            to.
    """

    store: str
    sql: str
    values: list[str]
    plan: list[str]

    def __str__(self) -> str:
        return "\n".join([self.sql, *(f"  ?{place} = {value}" for place, value in enumerate(self.values, 1)), *self.plan])


def named_expressions(items: Sequence[str] | Mapping[str, str | Expression]) -> tuple[Any, list[Any]]:
    """An array of names with their expressions, and what must stay alive while it is used."""
    if isinstance(items, str):
        raise TypeError("properties must be a list of key paths or a mapping of names to expressions, not a single string.")
    row = (pinview_named_expression * len(items))()
    kept: list[Any] = []
    for item, name in zip(row, items):
        item.name = string(name_of(name))
        expression = items[name] if isinstance(items, Mapping) else None
        if hasattr(type(expression), "_expression"):
            expression = expression._expression()  # type: ignore[union-attr]
        if expression is not None and isinstance(expression, lazy.expressions.Expression):
            item.expression = expression.handle
            kept.append(expression)
        else:
            item.format = string(expression)
    return row, kept


def take_rows(result: int | None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The column names and rows of a dictionary result; releases the result."""
    try:
        columns = range(functions.pinview_result_column_count(result))
        names = [text(functions.pinview_result_column_name(result, column)) or "" for column in columns]
        rows: list[tuple[Any, ...]] = []
        count = functions.pinview_result_count(result)
        for first in range(0, count, BLOCK):
            rows += read_rows(functions.pinview_result_values, result or 0, first, min(BLOCK, count - first), columns)
        return names, rows
    finally:
        functions.pinview_result_release(result)


def explanations(result: int | None) -> list[FetchExplanation]:
    """The explanations in a result of pinview_context_explain."""
    found: list[FetchExplanation] = []
    for store, part, line in take_rows(result)[1]:
        if part == "sql":
            found.append(FetchExplanation(store, line, [], []))
        else:
            (found[-1].values if part == "value" else found[-1].plan).append(line)
    return found


class FetchResult(Managed, Sequence[ObjectT_co], release="pinview_result_release"):
    """The objects that a fetch found: a sequence that loads its objects in blocks as they are used.

    The set of objects and their order stay as they were at the fetch. Values are read when they are
    used: in a pinned context all from its generation, in an unpinned context from the newest state
    at that moment, so that a loop may see what others commit meanwhile. To get all values from one
    state, use values(), or fetch with returns_objects_as_faults=False.

    A result keeps its context alive, and can be used from the same threads as the context.
    """

    __slots__ = ("_context", "_count", "_entity")

    _context: Context
    _count: int
    _entity: EntityInfo

    def __init__(self) -> None:
        raise TypeError("Results are created by context.fetch(…).")

    @classmethod
    def _of(cls, handle: int | None, entity: str, context: Context) -> FetchResult[Any]:
        result = cls._owned(handle or 0)
        result._context = context
        result._count = functions.pinview_result_count(handle)
        result._entity = context._entities[entity]
        return result

    @property
    def _entities(self) -> EntityTable:
        return self._entity.model

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> ObjectT_co: ...

    @overload
    def __getitem__(self, index: slice) -> list[ObjectT_co]: ...

    def __getitem__(self, index: int | slice) -> ObjectT_co | list[ObjectT_co]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._count)
            if step == 1:
                return self._objects(start, max(0, stop - start))
            return [self[position] for position in range(start, stop, step)]
        if not hasattr(index, "__index__"):
            raise TypeError(f"Indexes must be ints or slices, got {type(index).__name__}.")
        place = index.__index__()
        if place < 0:
            place += self._count
        if not 0 <= place < self._count:
            raise IndexError(f"Index {index} is out of range for a result of {self._count} objects.")
        return self._objects(place, 1)[0]

    def _objects(self, first: int, count: int) -> list[ObjectT_co]:
        objects: list[Any] = fetched(self._context, self.handle, first, count, self._entities)
        return objects

    def __iter__(self) -> Iterator[ObjectT_co]:
        return chain.from_iterable(self._objects(first, min(BLOCK, self._count - first)) for first in range(0, self._count, BLOCK))

    def __reversed__(self) -> Iterator[ObjectT_co]:
        for end in range(self._count, 0, -BLOCK):
            first = max(0, end - BLOCK)
            yield from reversed(self._objects(first, end - first))

    def values(self, *names: str) -> list[tuple[Any, ...]]:
        """The values of some properties of all objects, as tuples, without creating the objects.

        To-one relationships are returned as IDs. All values are from one state, even in an unpinned
        context while others save: the newest at the time of the call. Objects that are loaded
        already keep their values.
        """
        return list(Rows(self, names))

    def snapshots(self) -> list[Snapshot]:
        """The present values of all objects, independent of the context; see Snapshot. They are
        from one state, as with values().
        """
        call(functions.pinview_result_load, self.handle, 0, self._count)
        return [each.snapshot() for each in self]

    def _repr_html_(self) -> str:
        """For notebooks: the attributes of the first objects as a table."""
        names = list(self._entity.attributes)
        shown = [[each._shown(name) for name in names] for each in self[: min(lazy.showing.ROWS, self._count)]]
        return lazy.showing.table(names, shown, self._count, f"of {self._entity.name}")

    @property
    def object_ids(self) -> list[ObjectID]:
        """The IDs of the objects, in order."""
        return object_ids_of(self.handle, 0, self._count)

    def _described(self) -> str:
        return f"{self._count} of {self._entity.name}"


class Rows(Sequence[tuple[Any, ...]]):
    """Values of a fetch as tuples, a sequence that is read on demand. It can be iterated several
    times; each iteration reads the values again.

    `numpy.asarray(rows)` is a structured array, `pandas.DataFrame(rows, columns=rows.names)` a
    frame.

    An iteration first loads all objects, from one state, and keeps to that state unless the
    context's objects are refreshed, saved or merged in between.
    """

    def __init__(self, result: FetchResult[Any], names: Sequence[Any]) -> None:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise TypeError(f"Property names must be a list; for a single one pass [{names!r}].")
        require(result, "FetchResult")
        self._result = result
        self._entity = result._entity
        self._names = tuple(map(name_of, names))
        for name in self._names:
            if "." in name and name not in result._entity.properties:
                raise InvalidArgumentError(
                    "values() reads properties of the entity itself; "
                    f"for the key path {name!r} use fetch_dictionaries() or fetch_columns()."
                )
        self._indexes = [result._entity.property_named(name).index for name in self._names]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    def __len__(self) -> int:
        return len(self._result)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        count = len(self._result)
        call(functions.pinview_result_load, self._result.handle, 0, count)
        for first in range(0, count, BLOCK):
            yield from self._rows(first, min(BLOCK, count - first))

    def _rows(self, first: int, count: int) -> list[tuple[Any, ...]]:
        return read_rows(functions.pinview_result_values, self._result.handle, first, count, self._indexes)

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[Any, ...]]: ...

    def __getitem__(self, index: int | slice) -> tuple[Any, ...] | list[tuple[Any, ...]]:
        """A row, or the list of several. Only these are read."""
        places = range(len(self))[index]
        if isinstance(places, int):
            return self._rows(places, 1)[0]
        first, last = (min(places), max(places)) if places else (0, -1)
        rows: list[tuple[Any, ...]] = []
        for start in range(first, last + 1, BLOCK):
            rows += self._rows(start, min(BLOCK, last + 1 - start))
        return [rows[place - first] for place in places]

    def __reversed__(self) -> Iterator[tuple[Any, ...]]:
        yield from list(self)[::-1]

    def index(self, value: Any, *bounds: int) -> int:
        """The place of the first row that equals a tuple, as `list.index`."""
        return list(self).index(value, *bounds)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """For numpy: a structured array, with a field for each name: `numpy.asarray(rows)["age"]`.

        Fields of numbers, Booleans and dates have numpy's types; a missing number is NaN, a missing
        date NaT. All others, and whole numbers some of which are missing, have the type object.
        """
        if copy is False:
            raise ValueError("Rows cannot be made an array without copying the values.")
        return lazy.arrays.array_of(self._names, list(self), dtype)

    def _repr_html_(self) -> str:
        """For notebooks: the first rows as a table."""
        return lazy.showing.table(self._names, self[: lazy.showing.ROWS], len(self), f"rows of {self._entity.name}")

    def column(self, name: str) -> list[Any]:
        """The values of one property."""
        place = self._names.index(name)
        return [row[place] for row in self]

    def __repr__(self) -> str:
        return f"<Rows: {len(self)} of {self._entity.name} ({', '.join(self._names)})>"
