"""Batch requests: straight to the stores, past the objects of all contexts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ctypes import byref, sizeof
from typing import TYPE_CHECKING, Any

from ._failure import call_for_handle
from ._library import functions
from ._prototypes import PINVIEW_RESULT_COUNT, PINVIEW_RESULT_NONE, PINVIEW_RESULT_OBJECT_IDS, pinview_batch_update
from ._results import take_object_ids
from ._settings import BatchResult
from ._values import named, string
from .predicates import Predicate, parsed

if TYPE_CHECKING:
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
    predicate: str | Predicate | None,
    arguments: Iterable[Any],
    result_type: BatchResult,
    includes_subentities: bool,
) -> int | list[ObjectID] | None:
    """Executes a batch update and gives what its result type says."""
    request = pinview_batch_update(struct_size=sizeof(pinview_batch_update), result_type=_RESULT_TYPES[result_type])
    request.entity = string(entity)
    request.properties, request.property_count, kept = named(values)
    request.excludes_subentities = not includes_subentities
    with parsed(predicate, arguments) as handle:
        request.predicate = handle
        result = call_for_handle(functions.pinview_result_release, functions.pinview_context_batch_update, context, byref(request))
    del kept
    if result_type is BatchResult.OBJECT_IDS:
        return take_object_ids(result)
    try:
        return functions.pinview_result_count(result) if result_type is BatchResult.COUNT else None
    finally:
        functions.pinview_result_release(result)
