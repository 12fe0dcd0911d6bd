"""The settings of a context."""

from __future__ import annotations

import warnings
from ctypes import c_int32
from typing import Any

from .._ffi import callbacks as _callbacks
from .._ffi.calls import call, call_for
from .._ffi.choices import Concurrency, MergePolicy
from .._ffi.handles import Managed
from .._ffi.library import functions
from .._ffi.prototypes import (
    PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES,
    PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT,
    PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS,
    PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS,
)
from .._ffi.values import string, text
from .merging import MergeFunction, set_merge_function


class ContextSettings(Managed, release="pinview_context_release"):
    """What can be set on a context, at any time and from any thread."""

    __slots__ = ("_merge_function",)

    _merge_function: MergeFunction | None

    def close(self) -> None:
        """Gives the reference back. A second call does nothing."""
        self._merge_function = None  # it may hold objects
        super().close()

    @property
    def concurrency(self) -> Concurrency:
        """On which thread the work runs."""
        return Concurrency(functions.pinview_context_concurrency_type(self.handle))

    @property
    def name(self) -> str | None:
        """For logs and the history of a store."""
        return text(functions.pinview_context_name(self.handle))

    @name.setter
    def name(self, value: str | None) -> None:
        call(functions.pinview_context_set_name, self.handle, string(value))

    @property
    def user_info(self) -> dict[str, Any]:
        """A dictionary for the program's own values; it lives as long as the context.

        A context that is in its own user_info is kept alive by it.
        """
        number = functions.pinview_context_userdata(self.handle)
        if number is None:
            number = _callbacks.register({})
            try:
                call(functions.pinview_context_set_userdata, self.handle, number, _callbacks.free)
            except BaseException:
                _callbacks.unregister(number)
                raise
        info: dict[str, Any] = _callbacks.registered(number)
        return info

    def lock(self) -> None:
        """Deprecated: takes the context's recursive lock, waiting while another thread has it. It does not stop blocks from running."""
        warnings.warn("Use perform_and_wait.", DeprecationWarning, stacklevel=2)
        call(functions.pinview_context_lock, self.handle)

    def unlock(self) -> None:
        """Deprecated: gives back one level of the lock; a NotLockedError when the calling thread does not hold it."""
        warnings.warn("Use perform_and_wait.", DeprecationWarning, stacklevel=2)
        call(functions.pinview_context_unlock, self.handle)

    def try_lock(self) -> bool:
        """Deprecated: takes the lock where that needs no waiting, and says whether it has it."""
        warnings.warn("Use perform_and_wait.", DeprecationWarning, stacklevel=2)
        return bool(call_for(c_int32, functions.pinview_context_try_lock, self.handle).value)

    @property
    def transaction_author(self) -> str | None:
        """Who writes, for the history of a store."""
        return text(functions.pinview_context_transaction_author(self.handle))

    @transaction_author.setter
    def transaction_author(self, value: str | None) -> None:
        call(functions.pinview_context_set_transaction_author, self.handle, string(value))

    @property
    def merge_policy(self) -> MergePolicy | MergeFunction:
        """What a save does about rows that others changed, and about uniqueness. ERROR at first.

        Under ERROR a save that would violate a uniqueness constraint raises ConstraintConflictError. Under the others a new
        object becomes the row that has its values already: with MERGE_BY_PROPERTY_OBJECT_TRUMP the values set on the object
        replace the row's, with MERGE_BY_PROPERTY_STORE_TRUMP those that are None in the row are filled, with OVERWRITE the row
        takes all values, with ROLLBACK none. docs/objects.md says more.

        It may be a function. It is called with all Conflicts of a save at once and gives for each a MergePolicy, or the values to
        write by property; properties without a value keep what the store has, and where the row is gone, what the context has.
        It is called again for conflicts of uniqueness, which have a constraint: values that differ in that keep the object
        apart, others are those of the one row. What it
        raises comes out of the save. It runs inside the save's write transaction: it must be quick, must not call the
        context that is being saved (an error) nor wait for threads that save.
        """
        number = functions.pinview_context_merge_policy(self.handle)
        if number == MergePolicy.CALLBACK and self._merge_function is not None:
            return self._merge_function
        return MergePolicy(number)

    @merge_policy.setter
    def merge_policy(self, value: MergePolicy | str | MergeFunction) -> None:
        if callable(value):
            set_merge_function(self.handle, value)
            self._merge_function = value
        else:
            call(functions.pinview_context_set_merge_policy, self.handle, MergePolicy.of(value))
            self._merge_function = None

    @property
    def retains_registered_objects(self) -> bool:
        """Whether the context keeps all its objects, not only changed ones. False at first."""
        return self._flag(PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS)

    @retains_registered_objects.setter
    def retains_registered_objects(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS, value)

    @property
    def should_delete_inaccessible_faults(self) -> bool:
        """Whether a fault whose row is gone becomes an empty deleted object instead of an error. True at first."""
        return self._flag(PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS)

    @should_delete_inaccessible_faults.setter
    def should_delete_inaccessible_faults(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS, value)

    @property
    def propagates_deletes_at_end_of_event(self) -> bool:
        """Whether delete rules apply at the end of the event, or only in the save. True at first."""
        return self._flag(PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT)

    @propagates_deletes_at_end_of_event.setter
    def propagates_deletes_at_end_of_event(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT, value)

    @property
    def automatically_merges_changes_from_parent(self) -> bool:
        """Whether saves of others on the coordinator (for a child: of its parent) are merged without being asked."""
        return self._flag(PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES)

    @automatically_merges_changes_from_parent.setter
    def automatically_merges_changes_from_parent(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES, value)

    @property
    def staleness_interval(self) -> float:
        """How old, in seconds, a cached row may be that fills a fault. Negative: any age; 0: always from the store."""
        return functions.pinview_context_staleness_interval(self.handle)

    @staleness_interval.setter
    def staleness_interval(self, value: float) -> None:
        call(functions.pinview_context_set_staleness_interval, self.handle, float(value))

    def _flag(self, flag: int) -> bool:
        return functions.pinview_context_flag(self.handle, flag) == 1

    def _set_flag(self, flag: int, value: bool) -> None:
        call(functions.pinview_context_set_flag, self.handle, flag, bool(value))
