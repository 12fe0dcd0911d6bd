"""Data classes as JSON, and back, by the types of their fields."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import sys
import typing
import uuid
from typing import Any

from ..errors import DataError


def encode(value: Any) -> str:
    """A data class as JSON."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value) if each.init}
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(each) for each in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    return value


def decode(kind: type[Any], text: str) -> Any:
    """The data class of JSON."""
    try:
        return _value(kind, json.loads(text))
    except (ValueError, TypeError, AttributeError, decimal.InvalidOperation) as error:
        raise DataError(f"The stored text {text!r:.100} is not a {kind.__name__}: {error}.") from error


def _value(kind: Any, plain: Any) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if plain is None or kind is Any:
        return plain
    if origin is typing.Annotated:
        return _value(arguments[0], plain)
    if origin is not None and type(None) in arguments:
        rest = [each for each in arguments if each is not type(None)]
        return _value(rest[0], plain) if len(rest) == 1 else plain
    if origin in (list, set, frozenset) and arguments:
        return origin(_value(arguments[0], each) for each in plain)
    if origin is tuple and arguments:
        kinds = [arguments[0]] * len(plain) if arguments[-1] is ... else arguments
        return tuple(_value(each, item) for each, item in zip(kinds, plain))
    if origin is dict and len(arguments) == 2:
        return {_value(arguments[0], key): _value(arguments[1], each) for key, each in plain.items()}
    if not isinstance(kind, type):
        return plain
    if dataclasses.is_dataclass(kind):
        types = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]), include_extras=True)
        return kind(**{name: _value(types.get(name, Any), each) for name, each in plain.items()})
    if issubclass(kind, (datetime.date, datetime.time)):
        return kind.fromisoformat(plain)
    if issubclass(kind, (enum.Enum, decimal.Decimal, uuid.UUID, float)):
        return kind(plain)
    return plain
