"""Hooks: methods that the library calls when objects of an entity are inserted, fetched, saved,
faulted or deleted.
"""

from __future__ import annotations

FALLIBLE = (
    "awake_from_insert",
    "awake_from_fetch",
    "prepare_for_deletion",
    "will_save",
    "validate_for_insert",
    "validate_for_update",
    "validate_for_delete",
)
NOTICES = ("did_save", "will_turn_into_fault", "did_turn_into_fault")


class EntityHooks:
    """Methods that a class registered with Model.entity_class can override. The base
    implementations do nothing.

    Hooks run synchronously on the context's queue, in the thread of the call that triggers them,
    and may read and change the object, other objects and the context. During a save they cannot
    save, undo, redo, roll back or reset that context. An exception is raised by the call that
    triggered the hook.
    """

    __slots__ = ()

    def awake_from_insert(self) -> None:
        """Called after an insert, when the defaults are set, but before context.insert() sets the
        given values.
        """

    def awake_from_fetch(self) -> None:
        """Called after a fault has been fired, and after a refresh with merge_changes.

        Attributes set here do not count as changed. Relationships cannot be changed, and the
        context cannot insert, delete, refresh or save. After a refresh, transient attributes and
        local changes are restored. If it raises an exception, the object stays a fault.
        """

    def prepare_for_deletion(self) -> None:
        """Called before the object is marked as deleted, with its relationships still set. An
        exception keeps the object.
        """

    def will_save(self) -> None:
        """Called before a save. Changes made here are saved, and make it be called again; after
        1000 rounds the save fails.
        """

    def did_save(self) -> None:
        """Called after the object was saved. Changes made here belong to the next save.

        An exception is raised by save(), which has committed nevertheless.
        """

    def will_turn_into_fault(self) -> None:
        """Called before the object's values are dropped. They can still be read; values set here
        are dropped too.
        """

    def did_turn_into_fault(self) -> None:
        """Called after the object became a fault. Reading a property here would fire it again."""

    def validate_for_insert(self) -> None:
        """Called in a save for a new object, after the model's own rules were checked.

        If several checks of a save raise, their exceptions come in one MultipleValidationErrors.
        """

    def validate_for_update(self) -> None:
        """Like validate_for_insert, for a stored object with changes. A method
        validate_<property>(self, value) checks one property.
        """

    def validate_for_delete(self) -> None:
        """Like validate_for_insert, for an object that the save is to delete."""
