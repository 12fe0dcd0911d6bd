"""Composite attributes as wholes: dictionaries of their elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._ffi.calls import call
from .._ffi.library import functions
from .._ffi.values import named, string
from .._support import lazy
from .._support.annotating import Any
from ..errors import WrongTypeError
from .entities import CompositeAttribute, EntityInfo
from .transforming import encoded


def composite_value(composite: CompositeAttribute, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The elements of a composite attribute by name, from the values of the entity's properties;
    None if all of them are None.
    """
    if all(values[leaf] is None for leaf in composite.leaves):
        return None
    return _nested({leaf[len(composite.name) + 1 :]: values[leaf] for leaf in composite.leaves})


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        key, _, rest = name.partition(".")
        if rest:
            inner.setdefault(key, {})[rest] = value
        result.setdefault(key, value)
    for key, each in inner.items():
        result[key] = None if all(value is None for value in each.values()) else _nested(each)
    return result


def set_composite(target: int, entity: EntityInfo, composite: CompositeAttribute, value: Any) -> None:
    """Sets all elements of a composite attribute; those that are missing in the mapping get their
    defaults.
    """
    if value is None:
        call(functions.pinview_object_set_composite, target, string(composite.name), None, 0)
        return
    elements = {name: _stored(entity, composite, name, each) for name, each in _flat(entity, composite, value)}
    items, count, kept = named(elements)
    # An empty array is not NULL, which would mean None.
    call(functions.pinview_object_set_composite, target, string(composite.name), items, count)
    del kept


def _flat(entity: EntityInfo, composite: CompositeAttribute, value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The elements of a mapping with those of composite elements, by key path."""
    if not isinstance(value, Mapping):
        names = dict.fromkeys(leaf[len(composite.name) + 1 :].partition(".")[0] for leaf in composite.leaves)
        raise WrongTypeError(
            f"{entity.name}.{composite.name} is a composite attribute: it must be set to a mapping of its elements "
            f"{', '.join(names)}, or None, got {type(value).__name__}."
        )
    for key, each in value.items():
        inner = entity.composites.get(f"{composite.name}.{key}")
        if inner is None:
            yield f"{prefix}{key}", each
        elif each is None:
            yield from ((prefix + leaf[len(composite.name) + 1 :], None) for leaf in inner.leaves)
        else:
            # Elements of the inner one that are missing get their defaults, too.
            yield from _flat(entity, inner, each, f"{prefix}{key}.")


def _stored(entity: EntityInfo, composite: CompositeAttribute, name: str, value: Any) -> Any:
    """What the library takes for the value of an element."""
    prop = entity.properties.get(f"{composite.name}.{name}")
    if prop is None:
        return value  # the library names what is wrong
    if prop.value_transformer is not None:
        return encoded(prop, value)
    if prop.type == "uuid" and isinstance(value, str):
        return lazy.foreign.uuid_of_text(value, f"{entity.name}.{prop.name}")
    return value
