"""To-many relationships as live views: what is read is what the object has now, what is changed is changed in the object.

An unordered one behaves like a set, an ordered one like a list without duplicates. Inverses follow by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence, MutableSet, Set
from typing import TYPE_CHECKING, Any, overload

from .errors import Error, WrongTypeError

if TYPE_CHECKING:
    from .managed_object import ManagedObject
    from .model import Property


class _Related:
    """What both kinds of views share: the owner, and reading in blocks."""

    __slots__ = ("_owner", "_property")

    _owner: ManagedObject
    _property: Property

    def __init__(self, owner: ManagedObject, prop: Property) -> None:
        self._owner = owner
        self._property = prop

    def __len__(self) -> int:
        return self._owner._count(self._property)

    def __contains__(self, item: object) -> bool:
        from .managed_object import ManagedObject

        return isinstance(item, ManagedObject) and self._owner._contains(self._property, item)

    def __iter__(self) -> Iterator[ManagedObject]:
        """Goes through the members there are now; changing the relationship meanwhile is allowed."""
        return iter(self._owner._members(self._property))

    def clear(self) -> None:
        """Takes all members out."""
        self._owner._replace(self._property, [])

    def __repr__(self) -> str:
        try:
            loaded = not self._owner.has_fault(self._property.name)
            text = f"{len(self)} objects" if loaded else "not loaded"
        except Error as error:
            text = f"unreadable: {error}"
        return f"<{self._owner.entity.name}.{self._property.name}: {text}>"


class RelatedSet(_Related, MutableSet["ManagedObject"]):
    """A to-many relationship: a set of objects."""

    __slots__ = ()

    @classmethod
    def _from_iterable(cls, iterable: Iterable[Any]) -> Any:
        """The operators of sets give ordinary sets."""
        return set(iterable)

    def add(self, value: ManagedObject) -> None:
        """Adds an object and sets its inverse; one that is a member already stays."""
        self._owner._add(self._property, value)

    def discard(self, value: ManagedObject) -> None:
        """Takes an object out and clears its inverse; one that is no member is passed over."""
        if value in self:
            self._owner._remove(self._property, value)

    def update(self, objects: Iterable[ManagedObject]) -> None:
        """Adds several objects."""
        for each in objects:
            self.add(each)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and set(self) == set(other)

    __hash__ = None  # type: ignore[assignment]


class RelatedList(_Related, MutableSequence["ManagedObject"]):
    """An ordered to-many relationship: a list of objects, each of which is in it once."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> ManagedObject: ...

    @overload
    def __getitem__(self, index: slice) -> list[ManagedObject]: ...

    def __getitem__(self, index: int | slice) -> ManagedObject | list[ManagedObject]:
        return self._owner._members(self._property)[index]

    @overload
    def __setitem__(self, index: int, value: ManagedObject) -> None: ...

    @overload
    def __setitem__(self, index: slice, value: Iterable[ManagedObject]) -> None: ...

    def __setitem__(self, index: int | slice, value: ManagedObject | Iterable[ManagedObject]) -> None:
        members: list[Any] = self._owner._members(self._property)
        members[index] = value
        if isinstance(index, int):
            # The object may have stood elsewhere: it moves.
            place = index if index >= 0 else len(members) + index
            members = [each for position, each in enumerate(members) if position == place or each is not value]
        self._owner._replace(self._property, members)

    def __delitem__(self, index: int | slice) -> None:
        members = self._owner._members(self._property)
        del members[index]
        self._owner._replace(self._property, members)

    def insert(self, index: int, value: ManagedObject) -> None:
        """Adds an object at a place, or moves it there."""
        self._owner._insert(self._property, value, index)

    def append(self, value: ManagedObject) -> None:
        """Adds an object at the end, or moves it there."""
        self.insert(len(self), value)

    def remove(self, value: ManagedObject) -> None:
        """Takes an object out; a ValueError when it is not a member."""
        if value not in self:
            raise ValueError(f"{value!r} is not in {self!r}")
        self._owner._remove(self._property, value)

    def reverse(self) -> None:
        """Turns the order round."""
        self._owner._replace(self._property, self._owner._members(self._property)[::-1])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RelatedList):
            return list(self) == list(other)
        return isinstance(other, (list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def members_of(prop: Property, value: Any) -> list[ManagedObject]:
    """What a to-many relationship is to be set to: None, or any iterable of objects."""
    if value is None:
        return []
    try:
        return list(value)
    except TypeError:
        raise WrongTypeError(
            f"{prop.name} is a to-many relationship; it cannot be set to a {type(value).__name__}, but to a list of objects."
        ) from None
