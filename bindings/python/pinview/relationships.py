"""To-many relationships as live views: they show the object's present members, and changes apply to
the object.

An unordered relationship behaves like a set, an ordered one like a list without duplicates. Inverse
relationships are updated automatically.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence, MutableSet, Set
from typing import Any, Generic, cast, overload

from ._objects.entities import Property
from ._objects.views import ObjectBase
from ._support.forward import ManagedObject
from ._support.generic import ObjectT
from .errors import Error, WrongTypeError


class _Related(Generic[ObjectT]):
    """The base class of both kinds of views."""

    __slots__ = ("_owner", "_property")

    _owner: ManagedObject
    _property: Property

    def __init__(self, owner: ManagedObject, prop: Property) -> None:
        self._owner = owner
        self._property = prop

    def __len__(self) -> int:
        return self._owner._count(self._property)

    def __contains__(self, item: object) -> bool:
        # Every ObjectBase is a ManagedObject, whose module imports this one.
        return isinstance(item, ObjectBase) and self._owner._contains(self._property, cast("ManagedObject", item))

    def __iter__(self) -> Iterator[ObjectT]:
        """Iterates over the members at the time of the call. The relationship can be changed
        meanwhile.
        """
        return iter(self._members())

    def _members(self) -> list[ObjectT]:
        return cast("list[ObjectT]", self._owner._members(self._property))

    def clear(self) -> None:
        """Removes all members."""
        self._owner._replace(self._property, [])

    def __repr__(self) -> str:
        try:
            loaded = not self._owner.has_fault(self._property.name)
            text = f"{len(self)} objects" if loaded else "not loaded"
        except Error as error:
            text = f"unreadable: {error}"
        return f"<{self._owner.entity.name}.{self._property.name}: {text}>"


class RelatedSet(_Related[ObjectT], MutableSet[ObjectT]):
    """An unordered to-many relationship: a set of objects."""

    __slots__ = ()

    @classmethod
    def _from_iterable(cls, iterable: Iterable[Any]) -> Any:
        """Has the operators of sets return ordinary sets."""
        return set(iterable)

    def add(self, value: ObjectT) -> None:
        """Adds an object and sets its inverse. Does nothing if it is a member already."""
        self._owner._add(self._property, [value])

    def discard(self, value: ObjectT) -> None:
        """Removes an object and clears its inverse. Does nothing if it is not a member."""
        if value in self:
            self._owner._remove(self._property, [value])

    def update(self, objects: Iterable[ObjectT]) -> None:
        """Adds several objects."""
        self._owner._add(self._property, list(objects))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and set(self) == set(other)

    __hash__ = None  # type: ignore[assignment]


class RelatedList(_Related[ObjectT], MutableSequence[ObjectT]):
    """An ordered to-many relationship: a list of objects without duplicates."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> ObjectT: ...

    @overload
    def __getitem__(self, index: slice) -> list[ObjectT]: ...

    def __getitem__(self, index: int | slice) -> ObjectT | list[ObjectT]:
        return cast("ObjectT | list[ObjectT]", self._owner._members_in(self._property, index))

    @overload
    def __setitem__(self, index: int, value: ObjectT) -> None: ...

    @overload
    def __setitem__(self, index: slice, value: Iterable[ObjectT]) -> None: ...

    def __setitem__(self, index: int | slice, value: ObjectT | Iterable[ObjectT]) -> None:
        if isinstance(index, int) and value not in self:
            former = self[index]
            # Before the former one is removed, in case that the new one is refused.
            self._owner._insert(self._property, cast("ObjectT", value), index if index >= 0 else len(self) + index)
            self._owner._remove(self._property, [former])
            return
        members: Any = self._owner._members(self._property)
        members[index] = value
        if isinstance(index, int):
            # If the object is in the list already, it moves.
            place = index if index >= 0 else len(members) + index
            members = [each for position, each in enumerate(members) if position == place or each is not value]
        self._owner._replace(self._property, members)

    def __delitem__(self, index: int | slice) -> None:
        if isinstance(index, slice):
            members = self._owner._members(self._property)
            del members[index]
            self._owner._replace(self._property, members)
        else:
            self._owner._remove(self._property, [self[index]])

    def __reversed__(self) -> Iterator[ObjectT]:
        return reversed(self._members())

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The position of an object; raises ValueError if it is not a member."""
        members = self._members()
        return members.index(value, start, len(members) if stop is None else stop)

    def count(self, value: Any) -> int:
        """1 if an object is a member, else 0."""
        return int(value in self)

    def insert(self, index: int, value: ObjectT) -> None:
        """Inserts an object at an index, or moves it there."""
        self._owner._insert(self._property, value, index)

    def append(self, value: ObjectT) -> None:
        """Appends an object, or moves it to the end."""
        if value in self:
            self.insert(len(self), value)
        else:
            self._owner._add(self._property, [value])

    def remove(self, value: ObjectT) -> None:
        """Removes an object; raises ValueError if it is not a member."""
        if value not in self:
            raise ValueError(f"{value!r} is not in {self!r}")
        self._owner._remove(self._property, [value])

    def reverse(self) -> None:
        """Reverses the order."""
        self._owner._replace(self._property, self._owner._members(self._property)[::-1])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RelatedList):
            return list(self) == list(other)
        return isinstance(other, (list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def members_of(prop: Property, value: Any) -> list[ManagedObject]:
    """The members for a value that a to-many relationship is set to: None or an iterable of
    objects.
    """
    if value is None:
        return []
    try:
        return list(value)
    except TypeError:
        raise WrongTypeError(
            f"The to-many relationship {prop.name} must be set to an iterable of objects, got {type(value).__name__}."
        ) from None
