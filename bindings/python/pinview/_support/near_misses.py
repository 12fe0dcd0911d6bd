"""What messages suggest for a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from . import lazy


def near_miss(name: object, choices: Iterable[str]) -> str:
    """The end of a message about an unknown name: the one that was probably meant, or all of them;
    empty if there are none, or too many to list.
    """
    known = list(choices)
    near = lazy.difflib.get_close_matches(str(name), known, 1)
    if near:
        return f" (did you mean {near[0]!r}?)"
    return f"; it has {', '.join(known)}" if 0 < len(known) <= _SHOWN else ""


# More names than these would hide the message.
_SHOWN = 12
