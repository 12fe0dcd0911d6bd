"""Snapshots: the values of an object at one moment, independent of any context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ._support.annotating import Any
from ._support.near_misses import near_miss
from ._support.showing import short
from .errors import UnknownKeyError


class Snapshot(Mapping[str, Any]):
    """The values of an object at one moment. Immutable, comparable, and independent of contexts,
    threads and processes: it can be pickled and kept as long as you like.

    A mapping from names to values, which are attributes, too. Attributes have their values, to-one
    relationships the URIs of the destinations.
    """

    __slots__ = ("_entity", "_uri", "_values")

    def __init__(self, entity_name: str, uri: str, values: Mapping[str, Any]) -> None:
        for name, value in (("_entity", entity_name), ("_uri", uri), ("_values", MappingProxyType(dict(values)))):
            object.__setattr__(self, name, value)

    @property
    def entity_name(self) -> str:
        """The name of the object's entity."""
        entity: str = self._entity
        return entity

    @property
    def uri(self) -> str:
        """The URI of the object's ID, for Context.get() and Coordinator.object_id()."""
        uri: str = self._uri
        return uri

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            hint = "" if name.startswith("_") else near_miss(name, self._values)
            raise UnknownKeyError(f"The snapshot has no value {name!r}{hint}.", key=name)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError("A snapshot cannot be changed; change the object.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return (self._entity, self._uri, self._values) == (other._entity, other._uri, other._values)

    def __hash__(self) -> int:
        return hash((self._entity, self._uri))

    def __reduce__(self) -> Any:
        return Snapshot, (self._entity, self._uri, dict(self._values))

    def __repr__(self) -> str:
        return f"<Snapshot of {self._entity} {' '.join(f'{name}={short(value)}' for name, value in self._values.items())}>"
