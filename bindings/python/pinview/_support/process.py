"""What the package does when the process ends or forks.

Registered with Python when the package is imported, while the modules that take part are loaded
later: what the program registers after the import still comes before the package at the end, and
after it in a child.
"""

from __future__ import annotations

import atexit
import os

from .annotating import Any, Callable

_at_end: list[Callable[[], Any]] = []
_in_child: list[Callable[[], Any]] = []


def at_end(action: Callable[[], Any]) -> None:
    """Has an action done at the end of the program, before those of earlier calls."""
    _at_end.append(action)


def in_child(action: Callable[[], Any]) -> None:
    """Has an action done in each child made by fork(), after those of earlier calls."""
    _in_child.append(action)


def _end() -> None:
    if _at_end:
        try:
            _at_end.pop()()
        finally:
            _end()


def _begin_child() -> None:
    for action in _in_child:
        action()


atexit.register(_end)
os.register_at_fork(after_in_child=_begin_child)
