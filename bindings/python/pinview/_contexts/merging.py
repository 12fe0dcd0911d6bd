"""Merge policies that are functions of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from .._ffi import registry
from .._ffi.calls import call, conflicts_of, leave_error, shielded
from .._ffi.choices import MergePolicy
from .._ffi.library import functions
from .._ffi.prototypes import PINVIEW_OK, pinview_merge_callback, pinview_value
from .._ffi.values import encode, string
from ..errors import Conflict, InvalidArgumentError

Resolution = Union[MergePolicy, str, Mapping[str, Any]]
MergeFunction = Callable[[Sequence[Conflict]], Sequence[Resolution]]


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
