"""The types of properties in declared classes, for annotations.

For a type checker each is a descriptor: an expression on the class, a value on its instances. At
run time they only stand in annotations, and `fields` puts the actual descriptors into the class.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, NoReturn, TypeVar, Union, overload

from .._support.generic import ObjectT
from ..managed_object import ManagedObject
from ..relationships import RelatedList, RelatedSet
from .operands import Operand
from .paths import Members

Value = TypeVar("Value")
Destination = TypeVar("Destination", bound=Union[ManagedObject, None])


class Attr(Generic[Value]):
    """An attribute: `age: Attr[int] = attribute(default=0)`.

    On an instance it is the value, on the class an operand of conditions: `Person.age > 3`.
    """

    __slots__ = ()

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Operand[Value]: ...

    @overload
    def __get__(self, instance: ManagedObject, owner: type[Any]) -> Value: ...

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        raise _only_an_annotation()

    def __set__(self, instance: ManagedObject, value: Value) -> None:
        raise _only_an_annotation()


class One(Generic[Destination]):
    """A to-one relationship: `employer: One[Company | None] = inverse("staff")`.

    On an instance it is an object or None, on the class a path to the attributes of the
    destination: `Person.employer.name == "Acme"`.
    """

    __slots__ = ()

    @overload
    def __get__(self: One[ObjectT | None], instance: None, owner: type[Any]) -> type[ObjectT]: ...

    @overload
    def __get__(self: One[ObjectT], instance: None, owner: type[Any]) -> type[ObjectT]: ...

    @overload
    def __get__(self, instance: ManagedObject, owner: type[Any]) -> Destination: ...

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        raise _only_an_annotation()

    def __set__(self, instance: ManagedObject, value: Destination) -> None:
        raise _only_an_annotation()


class Related(Generic[ObjectT]):
    """A to-many relationship: `cars: Related["Car"] = inverse("owner")`.

    On an instance it is a live set of objects; on the class it has `any()`, `all()`, `none()`,
    `count` and others for conditions.
    """

    __slots__ = ()

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Members[ObjectT]: ...

    @overload
    def __get__(self, instance: ManagedObject, owner: type[Any]) -> RelatedSet[ObjectT]: ...

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        raise _only_an_annotation()

    def __set__(self, instance: ManagedObject, value: Iterable[ObjectT]) -> None:
        raise _only_an_annotation()


class RelatedInOrder(Generic[ObjectT]):
    """An ordered to-many relationship: `chapters: RelatedInOrder["Chapter"] = inverse("book")`.

    On an instance it is a live list of objects; on the class it is as with Related.
    """

    __slots__ = ()

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Members[ObjectT]: ...

    @overload
    def __get__(self, instance: ManagedObject, owner: type[Any]) -> RelatedList[ObjectT]: ...

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        raise _only_an_annotation()

    def __set__(self, instance: ManagedObject, value: Iterable[ObjectT]) -> None:
        raise _only_an_annotation()


def _only_an_annotation() -> NoReturn:
    raise TypeError("Attr, One, Related and RelatedInOrder are for annotations in subclasses of pinview.Object.")
