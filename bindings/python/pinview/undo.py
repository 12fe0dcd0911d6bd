"""Undo managers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ._ffi.calls import call, call_for_handle
from ._ffi.convert import count_of
from ._ffi.handles import Managed
from ._ffi.library import functions
from ._ffi.values import string, text


class UndoManager(Managed, release="pinview_undo_manager_release"):
    """Records the changes of a context in groups that can be undone and redone.

    Every context has one by default: `context.undo_manager`. All changes of an event form a group;
    group() makes smaller ones. A manager serves one context, can be used from the same threads, and
    keeps the objects alive whose changes it has recorded.
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
        """Undoes the latest group of changes, if any. Not allowed while a group() is open."""
        call(functions.pinview_undo_manager_undo, self.handle)

    def redo(self) -> None:
        """Redoes the latest undone group, if any. Not allowed while a group() is open."""
        call(functions.pinview_undo_manager_redo, self.handle)

    @property
    def can_undo(self) -> bool:
        """Whether there is a group to undo."""
        return bool(functions.pinview_undo_manager_can_undo(self.handle))

    @property
    def can_redo(self) -> bool:
        """Whether there is a group to redo."""
        return bool(functions.pinview_undo_manager_can_redo(self.handle))

    @property
    def undo_action_name(self) -> str:
        """The name of the group that undo() would undo; empty if it has none."""
        return text(functions.pinview_undo_manager_undo_action_name(self.handle)) or ""

    @property
    def redo_action_name(self) -> str:
        """The name of the group that redo() would redo; empty if it has none."""
        return text(functions.pinview_undo_manager_redo_action_name(self.handle)) or ""

    def set_action_name(self, name: str) -> None:
        """Sets the name of the open group, or of the latest one if none is open."""
        call(functions.pinview_undo_manager_set_action_name, self.handle, string(name))

    @property
    def levels(self) -> int:
        """How many groups can be undone; older ones are dropped. 0, the default, sets no limit."""
        return functions.pinview_undo_manager_levels(self.handle)

    @levels.setter
    def levels(self, value: int) -> None:
        call(functions.pinview_undo_manager_set_levels, self.handle, count_of(value, "The number of undo levels"))

    @property
    def grouping_level(self) -> int:
        """The number of open groups."""
        return functions.pinview_undo_manager_grouping_level(self.handle)

    @contextlib.contextmanager
    def group(self, name: str | None = None) -> Iterator[None]:
        """Groups the changes of a `with` block under a name, so that they are undone in one step.

        This also holds if the block saves, merges or runs blocks of the context. A group inside
        another one becomes part of it.
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
        """Disables recording for a `with` block. Blocks can be nested."""
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
        """Removes everything that can be undone or redone, and releases the objects."""
        call(functions.pinview_undo_manager_remove_all_actions, self.handle)
