"""Batch requests, which work directly on the stores without loading objects, and inserting and
upserting many objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from ctypes import POINTER, byref, c_int32, c_uint64, pointer, sizeof

from .._ffi.calls import call, call_for_handle, leave_error, shielded, take_object_ids
from .._ffi.capsules import stream_of
from .._ffi.choices import BatchResult, MergePolicy, UpsertOutcome
from .._ffi.library import functions
from .._ffi.prototypes import (
    PINVIEW_OK,
    PINVIEW_RESULT_COUNT,
    PINVIEW_RESULT_NONE,
    PINVIEW_RESULT_OBJECT_IDS,
    PINVIEW_UPSERT_LEAVES_EXISTING,
    pinview_batch_insert,
    pinview_batch_update,
    pinview_next_row_callback,
    pinview_string,
    pinview_upsert,
    pinview_value,
)
from .._ffi.registry import register, registered, unregister
from .._ffi.values import arguments as encoded
from .._ffi.values import column as encoded_column
from .._ffi.values import encode, handles, named, string
from .._objects.entities import EntityInfo
from .._support.annotating import Any
from .._support.forward import Context, Filter, Store
from ..errors import InvalidArgumentError
from ..expressions import Expression
from ..fetching import FetchRequest, FetchResult, named_expressions
from ..inserting import BatchInsertCounts, UpsertResult
from ..object_id import ObjectID
from ..predicates import parsed
from .list_stream import stream_of_lists

_RESULT_TYPES = {
    BatchResult.STATUS: PINVIEW_RESULT_NONE,
    BatchResult.OBJECT_IDS: PINVIEW_RESULT_OBJECT_IDS,
    BatchResult.COUNT: PINVIEW_RESULT_COUNT,
}


def _result_type(result_type: BatchResult) -> int:
    if result_type is BatchResult.COUNTS:
        raise InvalidArgumentError("COUNTS is only for batch inserts; batch updates and deletes can return STATUS, OBJECT_IDS or COUNT.")
    return _RESULT_TYPES[result_type]


def update_batch(
    context: int,
    entity: str,
    values: Mapping[str, Any],
    expressions: Mapping[str, str | Expression],
    predicate: Filter,
    arguments: Iterable[Any],
    result_type: BatchResult,
    includes_subentities: bool,
    stores: Sequence[Store] | None,
) -> int | list[ObjectID] | None:
    """Executes a batch update."""
    request = pinview_batch_update(struct_size=sizeof(pinview_batch_update), result_type=_result_type(result_type))
    request.entity = string(entity)
    request.properties, request.property_count, kept = named(values)
    items, computed = named_expressions(expressions)
    request.expressions, request.expression_count = items, len(items)
    request.excludes_subentities = not includes_subentities
    _fill_stores(request, stores)
    with parsed(predicate, arguments) as handle:
        request.predicate = handle
        result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_update, context, byref(request))
    del kept, computed
    return _taken(result, result_type)


def _fill_stores(request: pinview_batch_update | pinview_batch_insert, stores: Sequence[Store] | None) -> None:
    if stores is not None:
        request.stores, request.store_count = handles(stores, "Store"), len(stores)


_END = object()


def _require_mapping(row: Any, number: int, what: str = "a batch insert") -> None:
    if not isinstance(row, Mapping):
        rest = ", or pass names= with sequences of values" if what == "a batch insert" else ""
        raise TypeError(f"Row {number} of {what} must be a mapping of names to values{rest}; got {row!r}.")


def _require_columns(columns: Any, is_for_objects: bool = False) -> None:
    if not hasattr(columns, "items"):
        rest = "" if is_for_objects else ", or an object with __arrow_c_stream__ such as a pyarrow table"
        raise TypeError(f"Columns must be a mapping of names to sequences of values{rest}; got {type(columns).__name__}.")


class _Rows:
    """The rows of an insert as lists of values, in the order of the names. Without names those of
    the first row are used.
    """

    def __init__(self, rows: Iterable[Any], names: Iterable[str] | None, what: str = "a batch insert") -> None:
        self._rows = iter(rows)
        self._what = what
        self._number = 0
        self._first: Any = _END
        self._keys: set[str] | None = None
        if names is None:
            self._first = next(self._rows, _END)
            if self._first is not _END:
                _require_mapping(self._first, 0, what)
            names = () if self._first is _END else self._first
            self._keys = set(names)
        self.names = list(names)
        # What must stay alive while the library uses the last row.
        self.kept: list[Any] = []

    def next(self) -> list[Any] | None:
        row, self._first = (next(self._rows, _END), _END) if self._first is _END else (self._first, _END)
        if row is _END:
            return None
        number, self._number = self._number, self._number + 1
        if self._keys is None:
            if row is None:
                raise TypeError(f"Row {number} of a batch insert must be a sequence of values, got None.")
            values = list(row)
            if len(values) != len(self.names):
                raise ValueError(
                    f"Row {number} of a batch insert must have {len(self.names)} values, one for each name; got {len(values)}."
                )
            return values
        _require_mapping(row, number, self._what)
        if row.keys() != self._keys:
            raise ValueError(f"Row {number} of {self._what} must have the same keys as the first row; got {sorted(row)}.")
        return [row[name] for name in self.names]


def _next_row(values: Any, count: int, has_row: Any, userdata: int) -> int:
    rows: _Rows = registered(userdata)
    try:
        row = rows.next()
        has_row[0] = row is not None
        rows.kept = [encode(value, values[place]) for place, value in enumerate(row or ())]
        return PINVIEW_OK
    except BaseException as error:
        return leave_error(error)


_next_row_callback = pinview_next_row_callback(shielded(_next_row, flushes=False))


def insert_batch(
    context: int,
    entity: str,
    names: Iterable[str] | None,
    rows: Iterable[Any],
    columns: Mapping[str, Sequence[Any]] | Any | None,
    result_type: BatchResult,
    stores: Sequence[Store] | None,
    known: EntityInfo | None,
    merge_policy: MergePolicy,
) -> int | list[ObjectID] | BatchInsertCounts | None:
    """Executes a batch insert of rows, of an iterator, or of columns."""
    kind = PINVIEW_RESULT_NONE if result_type is BatchResult.COUNTS else _result_type(result_type)
    request = pinview_batch_insert(struct_size=sizeof(pinview_batch_insert), result_type=kind)
    request.entity = string(entity)
    request.merge_policy = merge_policy
    _fill_stores(request, stores)
    if columns is not None and not (isinstance(rows, tuple) and rows == ()):
        raise InvalidArgumentError("A batch insert takes either rows or columns, not both.")
    for given in (rows, columns):
        if hasattr(given, "__arrow_c_stream__"):
            return _insert_stream(context, request, given, result_type)
    if columns is not None:
        _require_columns(columns)
    stream = stream_of_lists(columns, known) if columns else None
    if stream is not None:
        request.columns_stream = pointer(stream.stream)
        result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_insert, context, byref(request))
        del stream
        return _inserted(result, result_type)
    number: int | None = None
    iterated: _Rows | None = None
    kept: list[Any] = []
    if columns is not None:
        keys = list(columns)
        request.row_count, request.names, request.columns, arrays = _columns(columns)
        kept.append(arrays)
    else:
        source = _Rows(rows, names)
        keys = source.names
        if isinstance(rows, Iterator):
            iterated = source
        else:
            flat: list[Any] = []
            while (row := source.next()) is not None:
                flat += row
                request.row_count += 1
            request.values, _, values = encoded(flat)
            kept.append(values)
    if columns is None:
        request.names = (pinview_string * len(keys))(*map(string, keys))
    request.name_count = len(keys)
    try:
        if iterated is not None:
            number = register(iterated)
            request.next_row, request.userdata = _next_row_callback, number
        result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_insert, context, byref(request))
    finally:
        unregister(number)
    del kept
    return _inserted(result, result_type)


def insert_objects(context: Context, entity: str, columns: Mapping[str, Sequence[Any]]) -> FetchResult:
    """Inserts an object for each row of the columns."""
    _require_columns(columns, is_for_objects=True)
    count, names, pointers, kept = _columns(columns)
    function = functions.pinview_context_insert_objects
    result = call_for_handle(functions.pinview_result_release, function, context.handle, string(entity), names, len(names), pointers, count)
    del kept
    return FetchResult._of(result, entity, context)


def _columns(columns: Mapping[str, Sequence[Any]]) -> tuple[int, Any, Any, Any]:
    """The number of rows, the names, the columns, and what must stay alive while these are used."""
    counts = {name: len(column) for name, column in columns.items()}
    count = next(iter(counts.values()), 0)
    for name, own in counts.items():
        if own != count:
            raise ValueError(f"All columns must have the same length; {name!r} has {own} values, others have {count}.")
    cells = [encoded_column(column) for _, column in columns.items()]  # pandas' frames have no method values()
    pointers = (POINTER(pinview_value) * len(cells))(*(pointer for pointer, _ in cells))
    return count, (pinview_string * len(cells))(*map(string, columns)), pointers, cells


def _insert_stream(
    context: int, request: pinview_batch_insert, source: Any, result_type: BatchResult
) -> int | list[ObjectID] | BatchInsertCounts | None:
    """Inserts the rows of an object that speaks Arrow's PyCapsule protocol."""
    stream, capsule = stream_of(source)
    request.columns_stream = stream
    result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_insert, context, byref(request))
    del capsule
    return _inserted(result, result_type)


def delete_batch(
    context: int, request: FetchRequest | None, object_ids: Iterable[ObjectID], result_type: BatchResult
) -> int | list[ObjectID] | None:
    """Executes a batch delete of what a request finds, or of the rows of some IDs."""
    ids = list(object_ids)
    with nullcontext() if request is None else request._filled() as filled:
        result = call_for_handle(
            functions.pinview_result_release,
            functions.pinview_context_batch_delete,
            context,
            None if filled is None else byref(filled),
            handles(ids, "ObjectID"),
            len(ids),
            _result_type(result_type),
        )
    return _taken(result, result_type)


def _row_counts(result: int | None) -> BatchInsertCounts:
    inserted, updated, left = c_uint64(), c_uint64(), c_uint64()
    call(functions.pinview_result_row_counts, result, byref(inserted), byref(updated), byref(left))
    return BatchInsertCounts(inserted.value, updated.value, left.value)


def upsert_objects(
    context: Context,
    entity: str,
    rows: Iterable[Any],
    columns: Mapping[str, Sequence[Any]] | None,
    constraint: Sequence[str],
    on_insert: Iterable[str] | None,
    on_update: Iterable[str] | None,
) -> UpsertResult:
    """Upserts rows or columns."""
    if isinstance(constraint, str):
        raise TypeError(f"The constraint must be a list of property names; for a single one pass [{constraint!r}].")
    request = pinview_upsert(struct_size=sizeof(pinview_upsert))
    request.entity = string(entity)
    kept: list[Any] = []

    def texts(names: Iterable[str]) -> Any:
        listed = list(names)
        return (pinview_string * len(listed))(*map(string, listed)), len(listed)

    request.constraint, request.constraint_count = texts(constraint)
    if columns is not None:
        if not (isinstance(rows, tuple) and rows == ()):
            raise InvalidArgumentError("An upsert takes either rows or columns, not both.")
        _require_columns(columns, is_for_objects=True)
        request.row_count, request.names, request.columns, arrays = _columns(columns)
        request.name_count = len(columns)
        kept.append(arrays)
    else:
        source = _Rows(rows, None, "an upsert")
        # Without rows there are no names; the constraint's will do.
        names = source.names or list(constraint)
        flat: list[Any] = []
        while (row := source.next()) is not None:
            flat += row
            request.row_count += 1
        request.values, _, values = encoded(flat)
        kept.append(values)
        request.names, request.name_count = texts(names)
    if on_insert is not None:
        request.insert_names, request.insert_name_count = texts(on_insert)
    if on_update is not None:
        updated = list(on_update)
        if updated:
            request.update_names, request.update_name_count = texts(updated)
        else:
            request.flags = PINVIEW_UPSERT_LEAVES_EXISTING
    handle = call_for_handle(functions.pinview_result_release, functions.pinview_context_upsert, context.handle, byref(request))
    del kept
    result = FetchResult._of(handle, entity, context)
    outcomes = (c_int32 * len(result))()
    call(functions.pinview_result_upsert_outcomes, handle, 0, len(result), outcomes)
    return UpsertResult(list(result), [UpsertOutcome(number) for number in outcomes])


def _inserted(result: int | None, result_type: BatchResult) -> int | list[ObjectID] | BatchInsertCounts | None:
    """The result of a batch insert; releases the library's."""
    if result_type is not BatchResult.COUNTS:
        return _taken(result, result_type)
    try:
        return _row_counts(result)
    finally:
        functions.pinview_result_release(result)


def _taken(result: int | None, result_type: BatchResult) -> int | list[ObjectID] | None:
    if result_type is BatchResult.OBJECT_IDS:
        return take_object_ids(result)
    try:
        return functions.pinview_result_count(result) if result_type is BatchResult.COUNT else None
    finally:
        functions.pinview_result_release(result)
