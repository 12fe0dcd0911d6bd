"""How lower modules make objects of public classes, whose modules import them.

Each public module fills in its own factories when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable

from .._support.forward import Context, ObjectID


class Factories:
    """The factories of the package; there is one instance."""

    owned_object_id: Callable[[int], ObjectID]
    """An ID that takes over the caller's reference to a handle."""
    retained_object_id: Callable[[int | None], ObjectID]
    """An ID with a reference of its own to a handle."""
    object_id_of_uri: Callable[[str], ObjectID | None]
    """The ID of a URI; None if no coordinator of the process has its store."""
    owned_context: Callable[[int | None], Context | None]
    """The context of a handle, whose reference it takes over; None for NULL."""
    retained_context: Callable[[int], Context]
    """The context of a handle, with a reference of its own."""


factories: Factories = Factories()
