"""How lower modules make objects of public classes, whose modules import them.

Each public module fills in its own factories when it is imported, at the latest when one of them
is needed.
"""

from __future__ import annotations

from collections.abc import Callable

from .._support import lazy
from .._support.annotating import Any
from .._support.forward import Context, ObjectID

_HOMES = {
    "object_id_class": "pinview.object_id",
    "retained_object_id": "pinview.object_id",
    "object_id_of_uri": "pinview.coordinator",
    "owned_context": "pinview.context",
    "retained_context": "pinview.context",
}


class Factories:
    """The factories of the package; there is one instance."""

    object_id_class: type[ObjectID]
    """The class of IDs."""
    retained_object_id: Callable[[int | None], ObjectID]
    """An ID with a reference of its own to a handle."""
    object_id_of_uri: Callable[[str], ObjectID | None]
    """The ID of a URI; None if no coordinator of the process has its store."""
    owned_context: Callable[[int | None], Context | None]
    """The context of a handle, whose reference it takes over; None for NULL."""
    retained_context: Callable[[int], Context]
    """The context of a handle, with a reference of its own."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(name)
        lazy.module(_HOMES[name])
        return vars(self)[name]


factories: Factories = Factories()
