"""The properties of declared classes, and the descriptors that stand for them in the class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .._objects.descriptors import Attribute, ToMany, ToOne
from ..errors import WrongTypeError
from ..expressions import Expression
from .converters import Converter, registered_transformer
from .operands import KeyPath, Operand
from .options import AttributeOptions, RelationshipOptions
from .paths import Members, ToOnePath

T_co = TypeVar("T_co", covariant=True)


class AttributeField(Attribute, Operand[T_co]):
    """An attribute whose values the store keeps as they are. On an instance the descriptor of the
    hot path reads and sets it; on the class it is an operand.
    """

    _is_key_path = True

    def __new__(cls, name: str) -> AttributeField[T_co]:
        made: AttributeField[T_co] = Attribute.__new__(cls, name)
        return made

    def __init__(self, name: str) -> None:
        self._key = name

    def _expression(self, variable: str | None = None) -> Expression:
        return Expression.key_path(self._key) if variable is None else Expression.variable(variable, self._key)

    @property
    def _path(self) -> str:
        return self._key


class ConvertedField(KeyPath[T_co]):
    """An attribute whose values are converted."""

    __slots__ = ("_plain",)

    def __init__(self, name: str, converter: Converter) -> None:
        super().__init__(name, converter)
        self._plain: Any = Attribute(name)

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if instance is None:
            return self
        value = self._plain.__get__(instance, owner)
        return None if value is None else self._of_values.decode(value)  # type: ignore[union-attr]

    def __set__(self, instance: Any, value: Any) -> None:
        try:
            stored = self._of_values.stored_value(value)  # type: ignore[union-attr]
        except WrongTypeError as error:
            raise WrongTypeError(f"{type(instance).__name__}.{self._text}: {error}") from None
        self._plain.__set__(instance, stored)


class TransformedField(KeyPath[T_co]):
    """A transformable attribute. Reading and setting by name transform its values."""

    __slots__ = ("_transformer",)

    def __init__(self, name: str, converter: Converter, transformer: str) -> None:
        super().__init__(name, converter)
        self._transformer = transformer

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        if instance is None:
            return self
        value = instance[self._text]
        if value is not None:
            registered_transformer(self._transformer)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        if value is not None:
            registered_transformer(self._transformer)
        instance[self._text] = value


class MembersField:
    """A to-many relationship: a live view on an instance, `Members` on the class."""

    __slots__ = ("_members", "_plain")

    def __init__(self, name: str, members: Members[Any]) -> None:
        self._members = members
        self._plain: Any = ToMany(name)

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        return self._members if instance is None else self._plain.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        self._plain.__set__(instance, value)


class PendingField:
    """A property whose type names something that is not defined yet. Completed when it is
    needed.
    """

    __slots__ = ("_complete", "_name")

    def __init__(self, name: str, complete: Callable[[], None]) -> None:
        self._name, self._complete = name, complete

    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        self._complete()
        return getattr(owner if instance is None else instance, self._name)

    def __set__(self, instance: Any, value: Any) -> None:
        self._complete()
        setattr(instance, self._name, value)


class Field:
    """A property of a declared class.

    Attributes:
        name: The name.
        optional: Whether None is part of its type.
        options: From attribute() or relationship(); None if there are none.
    """

    def __init__(self, name: str, optional: bool, options: Any) -> None:
        self.name, self.optional, self.options = name, optional, options

    def path(self, prefix: str) -> Any:
        """What stands for the property on a class, at the end of a path."""
        raise NotImplementedError

    def descriptor(self) -> Any:
        """What stands for the property in the class that declares it."""
        raise NotImplementedError


class Stored(Field):
    """An attribute."""

    def __init__(self, name: str, optional: bool, options: AttributeOptions, stored: str, converter: Converter | None) -> None:
        super().__init__(name, optional, options)
        self.stored, self.converter = stored, converter

    def path(self, prefix: str) -> KeyPath[Any]:
        return KeyPath(prefix + self.name, self.converter)

    def descriptor(self) -> Any:
        if self.converter is None:
            return AttributeField(self.name)
        if self.transformer is not None:
            return TransformedField(self.name, self.converter, self.transformer)
        return ConvertedField(self.name, self.converter)

    @property
    def transformer(self) -> str | None:
        """The name of a transformable attribute's transformer."""
        name: str | None = self.options.model.get("value_transformer")
        return name


class ToOneField(Field):
    """A to-one relationship. `destination` returns the declaration of the destination's class."""

    def __init__(self, name: str, optional: bool, options: RelationshipOptions, destination: Callable[[], Any]) -> None:
        super().__init__(name, optional, options)
        self.destination = destination

    def path(self, prefix: str) -> ToOnePath:
        return ToOnePath(prefix + self.name, self.destination)

    def descriptor(self) -> Any:
        return ToOne(self.name, self.path(""))


class ToManyField(ToOneField):
    """A to-many relationship."""

    def __init__(self, name: str, options: RelationshipOptions, destination: Callable[[], Any], ordered: bool) -> None:
        super().__init__(name, True, options, destination)
        self.ordered = ordered

    def path(self, prefix: str) -> Any:
        return Members[Any](prefix + self.name, self.destination)

    def descriptor(self) -> Any:
        return MembersField(self.name, self.path(""))
