"""The registered value transformers, and what they do to the values of attributes."""

from __future__ import annotations

from collections.abc import Callable

from .._support.annotating import Any
from .entities import Property

# By name: how bytes become a value, and back.
transformers: dict[str, tuple[Callable[[bytes], Any], Callable[[Any], bytes]]] = {}


def decoded(prop: Property, value: Any) -> Any:
    """The program's value for what an attribute stores."""
    if value is None or prop.value_transformer is None:
        return value
    found = transformers.get(prop.value_transformer)
    return value if found is None else found[0](value)


def encoded(prop: Property, value: Any) -> Any:
    """What an attribute stores for the program's value."""
    if value is None or prop.value_transformer is None:
        return value
    found = transformers.get(prop.value_transformer)
    return value if found is None else found[1](value)
