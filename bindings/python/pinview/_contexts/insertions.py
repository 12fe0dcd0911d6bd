"""Which values the call that inserts an object sets at once."""

from __future__ import annotations

from ctypes import addressof
from functools import lru_cache

from .._ffi.values import string
from .._objects.descriptors import Attribute
from .._objects.entities import EntityInfo
from .._support.annotating import Any
from ..managed_object import ManagedObject

# Values of attributes of other types may have to be converted first.
_TYPES = frozenset({"integer16", "integer32", "integer64", "boolean", "double", "float", "string", "date", "uri"})


class Insertion:
    """How objects of an entity and a class are inserted.

    Attributes:
        key: The address of the entity's name, for LookupsBase.insert.
        places: The indexes, by name, of the attributes that can be set in that call. Those that
            the class sets in a way of its own are not among them. Setters that are assigned to the
            class after its first insertion are not noticed.
    """

    __slots__ = ("_name", "key", "places")

    def __init__(self, entity: EntityInfo, kind: type[ManagedObject]) -> None:
        self._name = string(entity.name)
        self.key = addressof(self._name)
        self.places: dict[str, int] = {
            name: prop.index
            for name, prop in entity.properties.items()
            if prop.type in _TYPES and _sets_as_usual(kind) and isinstance(getattr(kind, name, None), Attribute)
        }


def _sets_as_usual(kind: type[ManagedObject]) -> bool:
    return (
        kind.update is kind._usual_update
        and kind.__setitem__ is ManagedObject.__setitem__
        and kind.__setattr__ is ManagedObject.__setattr__
    )


_insertion = lru_cache(512)(Insertion)


def insertion_of(entity: EntityInfo) -> Insertion:
    """How objects of an entity are inserted, with the class that they have now."""
    kind: Any = entity.object_class
    return _insertion(entity, kind)


def awakes(entity: EntityInfo) -> bool:
    """Whether the program has registered a hook for insertions of objects of an entity."""
    awaking = entity.model.awaking
    ancestor: EntityInfo | None = entity if awaking else None
    while ancestor is not None and ancestor.name not in awaking:
        ancestor = entity.model.get(ancestor.parent or "")
    return ancestor is not None
