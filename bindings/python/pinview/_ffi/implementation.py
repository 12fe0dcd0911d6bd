"""Which implementation of the hot paths is used: a module in C, the accelerator, or their twins in Python.

Both do the same. The accelerator is part of the wheels and serves CPython from 3.10 on; where it is missing, as in a checkout or in other
kinds of Python, and in all interpreters of a process but the first one that imports it, the twins are used. PINVIEW_IMPLEMENTATION says
which one has to be: `c` or `python`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import c_void_p, cast
from typing import Any

from .library import functions

VARIABLE = "PINVIEW_IMPLEMENTATION"
# What the accelerator calls by itself.
_CALLED = (
    "pinview_object_block_set_value",
    "pinview_context_object_row",
    "pinview_object_block_related_row",
    "pinview_object_block_row",
)


def _load(wanted: str | None) -> Any:
    if wanted not in (None, "", "c", "python"):
        raise ImportError(f"{VARIABLE} is {wanted!r}; it can be c or python, or be left out.")
    if wanted == "python":
        return None
    try:
        from .. import _accelerator  # type: ignore[attr-defined]

        # An older library lacks some of them; the twins say so when they are needed.
        _accelerator.connect({name: cast(getattr(functions, name), c_void_p).value for name in _CALLED})
        _accelerator.set_process(os.getpid())
    except (ImportError, TypeError, ValueError) as error:
        if wanted == "c":
            raise ImportError(f"{VARIABLE} is c, but the accelerator cannot be used: {error}. Install a wheel that has it.") from error
        return None
    os.register_at_fork(after_in_child=lambda: _accelerator.set_process(os.getpid()))
    return _accelerator


accelerator: Any = _load(os.environ.get(VARIABLE))
implementation = "python" if accelerator is None else "c"
"""Which one it is: "c" or "python"."""


def connect(**given: Any) -> None:
    """Gives the accelerator what it needs of the package."""
    if accelerator is not None:
        accelerator.connect(given)


def accelerated(function: str, twin: Callable[..., None], *, has_flag: bool = False) -> Callable[..., None]:
    """What calls a function of the library that takes two handles, maybe a flag, and returns a status; it need not know what is owed."""
    address = None if accelerator is None else cast(getattr(functions, function), c_void_p).value
    return twin if address is None else accelerator.Function(function, address, has_flag)
