"""Converters: how values of a type are kept in an attribute of a store."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import uuid
from collections.abc import Callable
from typing import Any, TypeVar

from .._objects.transforming import transformers
from .._support import lazy
from ..errors import InvalidArgumentError, WrongTypeError
from . import json_values

Value = TypeVar("Value")

# The types that stores keep as they are.
PLAIN: dict[type[Any], str] = {
    str: "string",
    bool: "boolean",
    int: "integer64",
    float: "double",
    bytes: "binaryData",
    datetime.datetime: "date",
    decimal.Decimal: "decimal",
    uuid.UUID: "uuid",
}


class Converter:
    """How values of a type are kept in an attribute.

    Args:
        kind: The type.
        stored: The type of the attribute, as in Attribute.
        encode: Makes the stored value.
        decode: Makes a value from the stored one.
    """

    __slots__ = ("decode", "encode", "kind", "stored")

    def __init__(self, kind: type[Any], stored: str, encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> None:
        self.kind, self.stored, self.encode, self.decode = kind, stored, encode, decode

    def stored_value(self, value: Any) -> Any:
        """The stored value of a value, of None, or of what numpy and pandas have in their place."""
        if value is None:
            return None
        try:
            return self.encode(value)
        except WrongTypeError:
            plain = lazy.foreign.python_value(value)
            if plain is value:
                raise
        return None if plain is None else self.encode(plain)


_registered: dict[type[Any], Converter] = {}


def add_converter(kind: type[Value], stored: str, encode: Callable[[Value], Any], decode: Callable[[Any], Value]) -> None:
    """Has attributes of declared classes keep values of a type of the program.

        pinview.add_converter(Point, "string", lambda point: f"{point.x},{point.y}", Point.parse)

    To be called before a class is declared that uses the type.

    Args:
        kind: The type.
        stored: The type of the attribute in the model, as in Attribute: "string", "integer64", …
        encode: Makes the stored value from a value: a str, int, float, bool, bytes, Decimal, UUID
            or datetime.
        decode: Makes the value from a stored one.
    """
    if not isinstance(kind, type):
        raise WrongTypeError(f"The type that a converter is for must be a class, got {kind!r}.")
    if stored not in {*PLAIN.values(), "integer16", "integer32", "float", "uri"}:
        raise InvalidArgumentError(f"No attribute has the type {stored!r}; expected one of {', '.join(sorted(set(PLAIN.values())))}.")
    _registered[kind] = Converter(kind, stored, encode, decode)


def converter_of(kind: Any) -> Converter | None:
    """What converts values of a type; None for a type that no attribute can have."""
    if not isinstance(kind, type):
        return None
    for each in kind.__mro__:
        if each in _registered:
            return _registered[each]
    if kind is datetime.date:
        return Converter(kind, "date", _moment_of_day, _day_of_moment)
    if kind is datetime.timedelta:
        return Converter(kind, "double", _seconds_of_duration, lambda seconds: datetime.timedelta(seconds=seconds))
    if issubclass(kind, enum.Enum):
        return _enum_converter(kind)
    if hasattr(kind, "model_validate_json"):  # Pydantic's models
        return _checked(kind, "string", lambda value: value.model_dump_json(), kind.model_validate_json)
    if dataclasses.is_dataclass(kind):
        return _checked(kind, "string", json_values.encode, lambda text: json_values.decode(kind, text))
    return None


def converter_of_transformer(name: str) -> Converter:
    """What converts the values of a transformable attribute: the transformer that is registered
    under a name when it is needed.
    """

    return Converter(
        object,
        "transformable",
        lambda value: registered_transformer(name)[1](value),
        lambda data: registered_transformer(name)[0](data),
    )


def registered_transformer(name: str) -> tuple[Callable[[bytes], Any], Callable[[Any], bytes]]:
    """The functions that are registered under a name: from bytes, and to bytes."""
    try:
        return transformers[name]
    except KeyError:
        raise InvalidArgumentError(
            f"No value transformer is registered under the name {name!r}; register one with pinview.set_value_transformer()."
        ) from None


def _checked(kind: type[Any], stored: str, encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> Converter:
    def convert(value: Any) -> Any:
        if not isinstance(value, kind):
            raise WrongTypeError(f"Expected {kind.__name__} or None, got {value!r:.100} ({type(value).__name__}).")
        return encode(value)

    return Converter(kind, stored, convert, decode)


def _seconds_of_duration(value: Any) -> float:
    if not isinstance(value, datetime.timedelta) or value != value:  # pandas' NaT
        raise WrongTypeError(f"Expected a datetime.timedelta or None, got {value!r:.100} ({type(value).__name__}).")
    return value.total_seconds()


def _moment_of_day(value: Any) -> datetime.datetime:
    is_moment = isinstance(value, datetime.datetime)
    if is_moment or not isinstance(value, datetime.date):
        rest = "; pass its date()" if is_moment else ""
        raise WrongTypeError(f"Expected a datetime.date or None, got {value!r:.100} ({type(value).__name__}){rest}.")
    return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc)


def _day_of_moment(value: datetime.datetime) -> datetime.date:
    return value.astimezone(datetime.timezone.utc).date()


def _enum_converter(kind: type[enum.Enum]) -> Converter:
    values = {type(member.value) for member in kind}
    stored = PLAIN.get(values.pop()) if len(values) == 1 else None
    if stored is None:
        raise WrongTypeError(f"The values of {kind.__qualname__} must all be of one type that an attribute can hold, such as str or int.")

    def encode(value: Any) -> Any:
        try:
            return kind(value).value  # also for a plain value of the enumeration
        except ValueError:
            choices = ", ".join(repr(member.value) for member in kind)
            raise WrongTypeError(f"{value!r:.100} is not a {kind.__name__}; expected one of {choices}.") from None

    return Converter(kind, stored, encode, kind)
