"""Finds and loads libpinview, and sets the prototype of every function at its first use."""

from __future__ import annotations

import ctypes
import os

from .._support.annotating import Any, Callable
from ..errors import NotSupportedError
from .prototypes import FUNCTIONS, PINVIEW_VERSION_STRING, Functions, prototype

FILE_NAME = "libpinview.so.0"
VARIABLE = "PINVIEW_LIBRARY"
SQLITE_NAME = "libsqlite3.so.0"
SQLITE_VARIABLE = "PINVIEW_SQLITE"


def _candidates() -> list[str]:
    """Where to look for the library, in order. If the environment names a path, only that one is
    tried.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return [named]
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(package)))
    places = [os.path.join(package, FILE_NAME)]
    if os.path.isfile(os.path.join(checkout, "include", "pinview.h")):  # the package runs from a checkout
        places.append(os.path.join(checkout, ".build", "dist", "lib", FILE_NAME))
    return [*places, FILE_NAME]


def sqlite_of_package() -> str:
    """The copy of SQLite in the package, which need not be there."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "_sqlite", SQLITE_NAME)


def _open(place: str) -> ctypes.CDLL:
    """Loads libpinview. The linker finds SQLite by its name, and what is loaded under that name is
    taken: the system's or, where there is none, the package's own.
    """
    chosen = os.environ.get(SQLITE_VARIABLE, "")
    if chosen not in ("", "system", "package"):
        raise ImportError(f"{SQLITE_VARIABLE} is {chosen!r}; expected system or package.")
    if chosen == "package":
        ctypes.CDLL(sqlite_of_package())
    try:
        return ctypes.CDLL(place)
    except OSError as error:
        if chosen or SQLITE_NAME not in str(error) or not os.path.exists(sqlite_of_package()):
            raise
        ctypes.CDLL(sqlite_of_package())
        return ctypes.CDLL(place)


def _load() -> ctypes.CDLL:
    failures = []
    for place in _candidates():
        if os.path.isabs(place) and not os.environ.get(VARIABLE) and not os.path.exists(place):
            failures.append(f"{place}: no such file")
            continue
        try:
            return _open(place)
        except OSError as error:
            failures.append(f"{place}: {error}")
    advice = (
        f"Correct {VARIABLE}, or unset it to use the library that comes with the package."
        if os.environ.get(VARIABLE)
        else f"Install the pinview wheel, build the library with `make`, or set {VARIABLE} to its path."
    )
    raise ImportError("Cannot load libpinview (" + "; ".join(failures) + "). " + advice)


def _missing(name: str, path: str) -> Callable[..., Any]:
    """A substitute for a function that an older library lacks; raises NotSupportedError when it is
    called.
    """

    def stand_in(*_: Any) -> Any:
        raise NotSupportedError(
            f"{path} does not have the function {name}. "
            f"This package needs libpinview {PINVIEW_VERSION_STRING} or newer; update the library."
        )

    return stand_in


# Evaluated prototypes by their text. All release functions, for example, have the same one.
_prototypes: dict[str, tuple[Any, tuple[Any, ...]]] = {}


def _prototype(name: str) -> tuple[Any, tuple[Any, ...]]:
    text = FUNCTIONS[name]
    if text not in _prototypes:
        _prototypes[text] = prototype(name)
    return _prototypes[text]


class _Bound(Functions):
    """The functions of the library. Each gets its prototype at its first use."""

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        try:
            function: Any = getattr(_library, name)
        except AttributeError:
            function = _missing(name, path)
        else:
            function.restype, function.argtypes = _prototype(name)
        setattr(self, name, function)
        return function


_library = _load()
path: str = _library._name
functions: Functions = _Bound()


def address_of(name: str) -> int:
    """The address of a function of the library, for the accelerator, which calls it directly."""
    return ctypes.cast(getattr(_library, name), ctypes.c_void_p).value or 0
