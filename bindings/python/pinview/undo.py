"""Taking changes back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ._ffi.calls import call, call_for_handle
from ._ffi.convert import count_of
from ._ffi.handles import Managed
from ._ffi.library import functions
from ._ffi.values import string, text


class UndoManager(Managed, release="pinview_undo_manager_release"):
    """Records the changes of a context, in groups that can be taken back and applied again.

    Every context has one from the beginning: `context.undo_manager`. All changes of one event form a group; group() makes smaller ones.
    A manager serves one context, where the context may be used, and refers to the objects whose changes it has recorded.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(call_for_handle(functions.pinview_undo_manager_release, functions.pinview_undo_manager_create))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UndoManager):
            return NotImplemented
        return bool(functions.pinview_undo_manager_is_equal(self.handle, other.handle))

    def undo(self) -> None:
        """Takes the latest group of changes back; does nothing without one. Not while a group() is open."""
        call(functions.pinview_undo_manager_undo, self.handle)

    def redo(self) -> None:
        """Applies the latest undone group again; does nothing without one. Not while a group() is open."""
        call(functions.pinview_undo_manager_redo, self.handle)

    @property
    def can_undo(self) -> bool:
        """Whether there is a group to take back."""
        return bool(functions.pinview_undo_manager_can_undo(self.handle))

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone group."""
        return bool(functions.pinview_undo_manager_can_redo(self.handle))

    @property
    def undo_action_name(self) -> str:
        """The name of the group that undo() would take back; empty without a name."""
        return text(functions.pinview_undo_manager_undo_action_name(self.handle)) or ""

    @property
    def redo_action_name(self) -> str:
        """The name of the group that redo() would apply; empty without a name."""
        return text(functions.pinview_undo_manager_redo_action_name(self.handle)) or ""

    def set_action_name(self, name: str) -> None:
        """Names the open group, or the latest one when none is open."""
        call(functions.pinview_undo_manager_set_action_name, self.handle, string(name))

    @property
    def levels(self) -> int:
        """How many groups can be taken back; older ones are dropped. 0, at first, is no limit."""
        return functions.pinview_undo_manager_levels(self.handle)

    @levels.setter
    def levels(self, value: int) -> None:
        call(functions.pinview_undo_manager_set_levels, self.handle, count_of(value, "The number of undo levels"))

    @property
    def grouping_level(self) -> int:
        """How many groups are open."""
        return functions.pinview_undo_manager_grouping_level(self.handle)

    @contextlib.contextmanager
    def group(self, name: str | None = None) -> Iterator[None]:
        """What is changed in a `with` block is taken back in one step of its own, by this name, whatever happens in the block: saves,
        blocks of the context, merges. A group inside another one is part of it.
        """
        call(functions.pinview_undo_manager_begin_grouping, self.handle)
        try:
            if name is not None:
                self.set_action_name(name)
            yield
        finally:
            call(functions.pinview_undo_manager_end_grouping, self.handle)

    @contextlib.contextmanager
    def unrecorded(self) -> Iterator[None]:
        """What is changed in a `with` block is not recorded. Such blocks nest."""
        call(functions.pinview_undo_manager_set_registration_enabled, self.handle, 0)
        try:
            yield
        finally:
            call(functions.pinview_undo_manager_set_registration_enabled, self.handle, 1)

    @property
    def is_recording(self) -> bool:
        """Whether changes are recorded."""
        return bool(functions.pinview_undo_manager_is_registration_enabled(self.handle))

    def remove_all_actions(self) -> None:
        """Forgets all that can be undone and redone, and lets go of the objects in it."""
        call(functions.pinview_undo_manager_remove_all_actions, self.handle)
