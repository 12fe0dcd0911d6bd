"""Fetch requests that belong to models: templates, and the requests of fetched properties."""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import byref

from .._ffi.calls import call, call_for, call_for_handle
from .._ffi.choices import Comparator
from .._ffi.handles import require
from .._ffi.library import functions
from .._ffi.prototypes import (
    PINVIEW_FETCH_INCLUDES_PENDING_CHANGES,
    PINVIEW_FETCH_INCLUDES_SUBENTITIES,
    PINVIEW_FETCH_OMITS_VALUES,
    PINVIEW_FETCH_REFRESHES_OBJECTS,
    PINVIEW_FETCH_RETURNS_DISTINCT,
    PINVIEW_FETCH_RETURNS_FAULTS,
    PINVIEW_RESULT_DICTIONARIES,
    PINVIEW_RESULT_OBJECTS,
    pinview_string,
)
from .._ffi.values import named_arguments, string, text
from .._support.annotating import Any
from .._support.forward import Model
from ..errors import InvalidArgumentError
from ..fetching import FetchRequest, Sort
from ..predicates import Predicate


def set_template(model: Model, name: str, request: FetchRequest | None) -> None:
    """Adds a template to a model; None removes it."""
    if request is None:
        call(functions.pinview_model_set_fetch_request_template, model.handle, string(name), None)
        return
    if not isinstance(request, FetchRequest):
        raise TypeError(f"A template must be a FetchRequest, got {type(request).__name__}.")
    result_type = PINVIEW_RESULT_DICTIONARIES if request.properties or request.group_by else PINVIEW_RESULT_OBJECTS
    with request._filled(result_type) as filled:
        call(functions.pinview_model_set_fetch_request_template, model.handle, string(name), byref(filled))


def template(model: Model, name: str) -> FetchRequest | None:
    """A template of a model, with its variables; None if there is none of that name."""
    release, function = functions.pinview_fetch_template_release, functions.pinview_model_fetch_request_template
    return _take(call_for_handle(release, function, model.handle, string(name)))


def template_names(model: Model) -> list[str]:
    """The names of a model's templates."""
    count, function = (
        functions.pinview_model_fetch_request_template_count(model.handle),
        functions.pinview_model_fetch_request_template_name,
    )
    return [text(call_for(pinview_string, function, model.handle, index)) or "" for index in range(count)]


def request_from_template(model: Model, name: str, variables: Mapping[str, Any]) -> FetchRequest:
    """A request made from a template, with values for its variables."""
    row, count, kept = named_arguments(variables)
    release, function = functions.pinview_fetch_template_release, functions.pinview_model_fetch_request_from_template
    request = _take(call_for_handle(release, function, model.handle, string(name), row, count))
    del kept
    if request is None:
        raise InvalidArgumentError(f"The model has no fetch request template {name!r}.")
    return request


def _take(handle: int | None) -> FetchRequest | None:
    """The request of a template; releases the template."""
    if handle is None:
        return None
    try:
        source = functions.pinview_fetch_template_request(handle).contents
        flags = source.flags
        properties = [source.properties[place] for place in range(source.property_count)]
        computed = any(text(each.format) is not None for each in properties)
        names = [text(each.name) or "" for each in properties]
        return FetchRequest(
            text(source.entity) or "",
            predicate=_predicate(source.predicate),
            sort=tuple(_sort(source.sort_descriptors[place]) for place in range(source.sort_descriptor_count)),
            limit=source.limit,
            offset=source.offset,
            batch_size=source.batch_size,
            includes_subentities=bool(flags & PINVIEW_FETCH_INCLUDES_SUBENTITIES),
            includes_pending_changes=bool(flags & PINVIEW_FETCH_INCLUDES_PENDING_CHANGES),
            includes_property_values=not flags & PINVIEW_FETCH_OMITS_VALUES,
            returns_objects_as_faults=bool(flags & PINVIEW_FETCH_RETURNS_FAULTS),
            refresh_refetched=bool(flags & PINVIEW_FETCH_REFRESHES_OBJECTS),
            prefetch=tuple(text(source.prefetched_key_paths[place]) or "" for place in range(source.prefetched_key_path_count)),
            properties={name: text(each.format) or name for name, each in zip(names, properties)} if computed else tuple(names),
            distinct=bool(flags & PINVIEW_FETCH_RETURNS_DISTINCT),
            group_by=tuple(text(source.group_by[place]) or "" for place in range(source.group_by_count)),
            having=_predicate(source.having),
            timeout=source.timeout_seconds or None,
        )
    finally:
        functions.pinview_fetch_template_release(handle)


def _predicate(handle: int | None) -> Predicate | None:
    if not handle:
        return None
    functions.pinview_predicate_retain(handle)
    return Predicate._owned(handle)


def _sort(descriptor: Any) -> Sort:
    return Sort(text(descriptor.key_path) or "", not descriptor.is_descending, Comparator(descriptor.comparator))


def request_description(request: FetchRequest) -> dict[str, Any]:
    """The description of a fetched property's request in a model's JSON."""
    require(request, "FetchRequest")
    if request.stores is not None or request.properties or request.group_by or request.having is not None:
        raise InvalidArgumentError("The request of a fetched property must fetch objects and cannot name stores.")
    predicate = request.predicate
    if isinstance(predicate, str):
        predicate = Predicate(predicate, request.arguments)
    description: dict[str, Any] = {
        "entity": request.entity,
        "limit": request.limit,
        "offset": request.offset,
        "includesSubentities": request.includes_subentities,
        "includesPendingChanges": request.includes_pending_changes,
        "includesPropertyValues": request.includes_property_values,
        "returnsObjectsAsFaults": request.returns_objects_as_faults,
        "refreshesRefetchedObjects": request.refresh_refetched,
        "prefetch": list(request.prefetch),
        "sort": [
            {"key": each.key, "ascending": bool(each.ascending), "comparator": _camel_case(Comparator(Comparator.of(each.comparator)).name)}
            for each in request.criteria
        ],
    }
    if predicate is not None:
        description["predicate"] = str(predicate)
    return description


def _camel_case(name: str) -> str:
    first, *others = name.lower().split("_")
    return first + "".join(other.capitalize() for other in others)
