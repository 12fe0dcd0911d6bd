"""Finds and loads libpinview, and gives every function its prototype."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable

from . import prototypes as _prototypes
from .prototypes import FUNCTIONS, Functions, prototype

FILE_NAME = "libpinview.so.0"
VARIABLE = "PINVIEW_LIBRARY"


def _candidates() -> list[str]:
    """Where the library may be, in this order. A path that the program names is the only one looked at."""
    named = os.environ.get(VARIABLE)
    if named:
        return [named]
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(package)))
    places = [os.path.join(package, FILE_NAME)]
    if os.path.isfile(os.path.join(checkout, "include", "pinview.h")):  # the package is used from there
        places.append(os.path.join(checkout, ".build", "dist", "lib", FILE_NAME))
    return [*places, FILE_NAME]


def _load() -> ctypes.CDLL:
    failures = []
    for place in _candidates():
        if os.path.isabs(place) and not os.environ.get(VARIABLE) and not os.path.exists(place):
            failures.append(f"{place}: no such file")
            continue
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            failures.append(f"{place}: {error}")
    advice = (
        f"Correct {VARIABLE}, or unset it to use the library of the package."
        if os.environ.get(VARIABLE)
        else f"Install the wheel of pinview, or build the library with `make`, or name its file in {VARIABLE}."
    )
    raise ImportError("libpinview cannot be loaded (" + "; ".join(failures) + "). " + advice)


def _missing(name: str, path: str) -> Callable[..., Any]:
    """Stands in for a function that an older library lacks."""

    def stand_in(*_: Any) -> Any:
        from ..errors import NotSupportedError

        raise NotSupportedError(
            f"{name} is missing in {path}: this package needs libpinview {_prototypes.PINVIEW_VERSION_STRING} or newer. Update the library."
        )

    return stand_in


class _Bound(Functions):
    """The functions of the library. Each is given its prototype when it is asked for first."""

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        try:
            function: Any = getattr(_library, name)
        except AttributeError:
            function = _missing(name, path)
        else:
            function.restype, function.argtypes = prototype(name)
        setattr(self, name, function)
        return function


_library = _load()
path: str = _library._name
functions: Functions = _Bound()
