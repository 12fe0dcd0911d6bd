"""Which implementation of the hot paths is in use: the accelerator, a module in C, or the Python
one.

Both behave alike; `_objects.hot_paths` describes what they have in common. The accelerator is part
of the wheels and serves Python 3.10 and newer. Without it (in a checkout, in Python 3.9, and in
every interpreter of a process but the first that imports it) the Python implementation is used. The
environment variable PINVIEW_IMPLEMENTATION, `c` or `python`, demands one of the two.
"""

from __future__ import annotations

import os

from .._support import lazy, process
from .._support.forward import Accelerator, Implementation
from .library import address_of

VARIABLE = "PINVIEW_IMPLEMENTATION"
# Functions of the library that the accelerator calls directly.
_CALLED = (
    "pinview_object_block_set_value",
    "pinview_context_object_row",
    "pinview_result_object_row",
    "pinview_object_block_related_row",
    "pinview_object_block_row",
    "pinview_object_block_fire",
    "pinview_object_id_release",
    "pinview_context_insert_row",
)


def _load(wanted: str | None) -> Accelerator | None:
    if wanted not in (None, "", "c", "python"):
        raise ImportError(f"{VARIABLE} is {wanted!r}; expected c or python, or leave it unset.")
    if wanted == "python":
        return None
    try:
        loaded: Accelerator = lazy.module("pinview._accelerator")
        # An older library lacks some of these; the Python implementation reports that when they are
        # needed.
        loaded.connect({name: address_of(name) for name in _CALLED})
        loaded.set_process(os.getpid())
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        if wanted == "c":
            raise ImportError(f"{VARIABLE} is c, but the accelerator cannot be used: {error}. Install a wheel that has it.") from error
        return None
    process.in_child(lambda: loaded.set_process(os.getpid()))
    return loaded


accelerator: Accelerator | None = _load(os.environ.get(VARIABLE))
implementation = "python" if accelerator is None else "c"
"""The implementation in use: "c" or "python"."""

# The Python implementation by name, also where the accelerator is in use.
python_implementation: dict[str, object] = {}


def connect(**given: object) -> None:
    """Passes objects of the package that the accelerator needs."""
    if accelerator is not None:
        accelerator.connect(given)


def chosen(name: str, python: Implementation) -> Implementation:
    """The accelerator's implementation of a name, or the Python one where the accelerator is not in
    use.
    """
    python_implementation[name] = python
    return python if accelerator is None else getattr(accelerator, name)


def accelerated(python: Implementation) -> Implementation:
    """Decorates a class or function that the accelerator implements too: replaces it where the
    accelerator is in use.
    """
    return chosen(python.__name__, python)  # type: ignore[attr-defined]
