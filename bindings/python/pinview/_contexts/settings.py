"""The settings of a context, and merge policies that are functions of the program."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from ctypes import c_int32

from .._ffi import registry
from .._ffi.calls import call, call_for, conflicts_of, leave_error, shielded
from .._ffi.choices import Concurrency, MergePolicy, given_policy
from .._ffi.handles import Managed
from .._ffi.library import functions
from .._ffi.prototypes import (
    PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES,
    PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT,
    PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS,
    PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS,
    PINVIEW_OK,
    pinview_merge_callback,
    pinview_value,
)
from .._ffi.values import encode, string, text
from .._objects.lookups import ContextBase
from .._support.annotating import Any
from .._support.forward import MergeFunction, Resolution
from ..errors import Conflict, InvalidArgumentError


def set_merge_function(context: int, function: MergeFunction) -> None:
    """Has a function resolve the conflicts of a context's saves."""
    number = registry.register(function)
    try:
        call(functions.pinview_context_set_merge_callback, context, _merge_callback, number, registry.free)
    except BaseException:
        registry.unregister(number)
        raise


def _merge(merge: int, userdata: int) -> int:
    try:
        function = registry.registered(userdata)
        if function is not None:
            conflicts = conflicts_of(functions.pinview_merge_conflicts(merge) or 0)
            resolutions = list(function(conflicts))
            if len(resolutions) != len(conflicts):
                raise InvalidArgumentError(
                    f"The merge policy must return one resolution for each conflict; it returned {len(resolutions)} for {len(conflicts)}."
                )
            for index, (conflict, resolution) in enumerate(zip(conflicts, resolutions)):
                _resolve(merge, index, conflict, resolution)
    except BaseException as error:
        return leave_error(error)
    return PINVIEW_OK


def _resolve(merge: int, index: int, conflict: Conflict, resolution: Resolution) -> None:
    if isinstance(resolution, Mapping):
        for key, value in resolution.items():
            target = pinview_value()
            kept = encode(value, target)
            call(functions.pinview_merge_set_value, merge, index, string(key), target)
            del kept
        if resolution:
            return
        # No values: keep the row as it is, or restore it if it was deleted.
        resolution = MergePolicy.ROLLBACK if conflict.theirs is not None else MergePolicy.OVERWRITE
    call(functions.pinview_merge_set_policy, merge, index, MergePolicy.of(resolution))


# Passed to the library; it lives as long as the module.
_merge_callback = pinview_merge_callback(shielded(_merge, flushes=False))


class ContextSettings(ContextBase, Managed, release="pinview_context_release"):
    """The settings of a context. They can be read and changed at any time and from any thread."""

    __slots__ = ("_merge_function",)

    _merge_function: MergeFunction | None

    def close(self) -> None:
        """Releases the reference. A second call does nothing."""
        self._merge_function = None  # it may refer to objects
        super().close()

    @property
    def concurrency(self) -> Concurrency:
        """Where the context's work runs."""
        return Concurrency(functions.pinview_context_concurrency_type(self.handle))

    @property
    def name(self) -> str | None:
        """A name for logs and for the history of stores."""
        return text(functions.pinview_context_name(self.handle))

    @name.setter
    def name(self, value: str | None) -> None:
        call(functions.pinview_context_set_name, self.handle, string(value))

    @property
    def user_info(self) -> dict[str, Any]:
        """A dictionary for the program's own values, which lives as long as the context.

        A reference to the context in its own user_info keeps it alive.
        """
        number = functions.pinview_context_userdata(self.handle)
        if number is None:
            number = registry.register({})
            try:
                call(functions.pinview_context_set_userdata, self.handle, number, registry.free)
            except BaseException:
                registry.unregister(number)
                raise
        info: dict[str, Any] = registry.registered(number)
        return info

    def lock(self) -> None:
        """Deprecated: acquires the context's recursive lock. It does not keep blocks from
        running.
        """
        warnings.warn("Use perform_and_wait() instead.", DeprecationWarning, stacklevel=2)
        call(functions.pinview_context_lock, self.handle)

    def unlock(self) -> None:
        """Deprecated: releases one level of the lock. Raises NotLockedError if this thread does not
        hold it.
        """
        warnings.warn("Use perform_and_wait() instead.", DeprecationWarning, stacklevel=2)
        call(functions.pinview_context_unlock, self.handle)

    def try_lock(self) -> bool:
        """Deprecated: acquires the lock if that is possible without waiting, and returns whether it
        did.
        """
        warnings.warn("Use perform_and_wait() instead.", DeprecationWarning, stacklevel=2)
        return bool(call_for(c_int32, functions.pinview_context_try_lock, self.handle).value)

    @property
    def transaction_author(self) -> str | None:
        """The author of the context's transactions in the history of stores."""
        return text(functions.pinview_context_transaction_author(self.handle))

    @transaction_author.setter
    def transaction_author(self, value: str | None) -> None:
        call(functions.pinview_context_set_transaction_author, self.handle, string(value))

    @property
    def merge_policy(self) -> MergePolicy | MergeFunction:
        """How a save resolves conflicts: with changes that others made, and with uniqueness
        constraints. Default: ERROR.

        With ERROR, a save that would violate a uniqueness constraint raises
        ConstraintConflictError. With the other policies, a new object is merged into the row that
        has the same values: with MERGE_BY_PROPERTY_OBJECT_TRUMP the values set on the object
        replace the row's, with MERGE_BY_PROPERTY_STORE_TRUMP they only fill properties that are
        None in the row, with OVERWRITE the row takes all values, with ROLLBACK none. See
        docs/objects.md.

        The policy can be a function. It is called with all Conflicts of a save at once, and returns
        for each a MergePolicy or the values to write, by property. Properties without a value keep
        the store's, or the context's if the row is gone. It is called again for uniqueness
        conflicts, whose `constraint` is set: if the values it returns differ in the constraint's
        properties, the object stays a row of its own, otherwise they are the values of the one row.
        An exception is raised by the save. The function runs inside the save's write transaction:
        it should be quick, and must neither call the context being saved (an error) nor wait for
        threads that save.
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
            call(functions.pinview_context_set_merge_policy, self.handle, given_policy(value))
            self._merge_function = None

    @property
    def retains_registered_objects(self) -> bool:
        """Whether the context keeps all its objects alive, not only changed ones. Default:
        False.
        """
        return self._flag(PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS)

    @retains_registered_objects.setter
    def retains_registered_objects(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS, value)

    @property
    def should_delete_inaccessible_faults(self) -> bool:
        """Whether a fault whose row is gone becomes an empty deleted object instead of raising an
        error. Default: True.
        """
        return self._flag(PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS)

    @should_delete_inaccessible_faults.setter
    def should_delete_inaccessible_faults(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS, value)

    @property
    def propagates_deletes_at_end_of_event(self) -> bool:
        """Whether delete rules apply at the end of the event, rather than only in the save.
        Default: True.
        """
        return self._flag(PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT)

    @propagates_deletes_at_end_of_event.setter
    def propagates_deletes_at_end_of_event(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT, value)

    @property
    def automatically_merges_changes_from_parent(self) -> bool:
        """Whether saves of other contexts of the coordinator (for a child: of its parent) are
        merged automatically.
        """
        return self._flag(PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES)

    @automatically_merges_changes_from_parent.setter
    def automatically_merges_changes_from_parent(self, value: bool) -> None:
        self._set_flag(PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES, value)

    @property
    def staleness_interval(self) -> float:
        """The maximum age, in seconds, of a cached row that may fill a fault. Negative: any age; 0:
        always read the store.
        """
        return functions.pinview_context_staleness_interval(self.handle)

    @staleness_interval.setter
    def staleness_interval(self, value: float) -> None:
        call(functions.pinview_context_set_staleness_interval, self.handle, float(value))

    @property
    def timeout(self) -> float | None:
        """How many seconds a call may read or write before it raises TimedOutError; None for no
        limit, the default.

        It applies to each save, each batch request, each firing of a fault and each fetch without a
        timeout of its own. A save that raised TimedOutError has written nothing, and its changes
        stay pending; a commit that has begun is finished.
        """
        return functions.pinview_context_timeout(self.handle) or None

    @timeout.setter
    def timeout(self, value: float | None) -> None:
        # For the library, 0 is no limit.
        call(functions.pinview_context_set_timeout, self.handle, 0.0 if value is None else float(value) or 1e-9)

    def _flag(self, flag: int) -> bool:
        return functions.pinview_context_get_option(self.handle, flag) == 1

    def _set_flag(self, flag: int, value: bool) -> None:
        call(functions.pinview_context_set_option, self.handle, flag, bool(value))
