"""Batch requests: straight to the stores, past the objects of all contexts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from ctypes import byref, sizeof
from typing import TYPE_CHECKING, Any

from ._failure import call_for_handle
from ._library import functions
from ._prototypes import (
    PINVIEW_RESULT_COUNT,
    PINVIEW_RESULT_NONE,
    PINVIEW_RESULT_OBJECT_IDS,
    pinview_batch_insert,
    pinview_batch_update,
    pinview_named_expression,
    pinview_string,
)
from ._results import take_object_ids
from ._settings import BatchResult
from ._values import arguments as encoded
from ._values import handles, named, string
from .predicates import Predicate, parsed

if TYPE_CHECKING:
    from .fetching import FetchRequest
    from .object_id import ObjectID

_RESULT_TYPES = {
    BatchResult.STATUS: PINVIEW_RESULT_NONE,
    BatchResult.OBJECT_IDS: PINVIEW_RESULT_OBJECT_IDS,
    BatchResult.COUNT: PINVIEW_RESULT_COUNT,
}


def update_batch(
    context: int,
    entity: str,
    values: Mapping[str, Any],
    expressions: Mapping[str, str],
    predicate: str | Predicate | None,
    arguments: Iterable[Any],
    result_type: BatchResult,
    includes_subentities: bool,
) -> int | list[ObjectID] | None:
    """Executes a batch update and gives what its result type says."""
    request = pinview_batch_update(struct_size=sizeof(pinview_batch_update), result_type=_RESULT_TYPES[result_type])
    request.entity = string(entity)
    request.properties, request.property_count, kept = named(values)
    items = (pinview_named_expression * len(expressions))()
    for item, (name, expression) in zip(items, expressions.items()):
        item.name, item.format = string(name), string(expression)
    request.expressions, request.expression_count = items, len(expressions)
    request.excludes_subentities = not includes_subentities
    with parsed(predicate, arguments) as handle:
        request.predicate = handle
        result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_update, context, byref(request))
    del kept
    return _taken(result, result_type)


def insert_batch(
    context: int, entity: str, names: Iterable[str], rows: Iterable[Iterable[Any]], result_type: BatchResult
) -> int | list[ObjectID] | None:
    """Executes a batch insert of rows that have one value for each name."""
    keys = list(names)
    flat: list[Any] = []
    count = 0
    for row in rows:
        values = list(row)
        if len(values) != len(keys):
            raise ValueError(f"Row {count} of a batch insert has {len(values)} values for {len(keys)} names.")
        flat += values
        count += 1
    request = pinview_batch_insert(struct_size=sizeof(pinview_batch_insert), result_type=_RESULT_TYPES[result_type])
    request.entity = string(entity)
    request.names, request.name_count = (pinview_string * len(keys))(*map(string, keys)), len(keys)
    request.values, _, kept = encoded(flat)
    request.row_count = count
    result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_insert, context, byref(request))
    del kept
    return _taken(result, result_type)


def delete_batch(
    context: int, request: FetchRequest | None, object_ids: Iterable[ObjectID], result_type: BatchResult
) -> int | list[ObjectID] | None:
    """Executes a batch delete of what a request finds, or of some IDs."""
    ids = list(object_ids)
    with nullcontext() if request is None else request._filled() as filled:
        result = call_for_handle(
            functions.pinview_result_release,
            functions.pinview_context_batch_delete,
            context,
            None if filled is None else byref(filled),
            handles(ids),
            len(ids),
            _RESULT_TYPES[result_type],
        )
    return _taken(result, result_type)


def _taken(result: int | None, result_type: BatchResult) -> int | list[ObjectID] | None:
    if result_type is BatchResult.OBJECT_IDS:
        return take_object_ids(result)
    try:
        return functions.pinview_result_count(result) if result_type is BatchResult.COUNT else None
    finally:
        functions.pinview_result_release(result)
