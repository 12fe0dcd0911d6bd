"""Merge policies of the program's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from .._ffi import callbacks as _callbacks
from .._ffi.calls import apart, call, conflicts_of, leave_error
from .._ffi.choices import MergePolicy
from .._ffi.library import functions
from .._ffi.prototypes import PINVIEW_OK, pinview_merge_callback, pinview_value
from .._ffi.values import encode, string
from ..errors import Conflict, InvalidArgumentError

Resolution = Union[MergePolicy, str, Mapping[str, Any]]
MergeFunction = Callable[[Sequence[Conflict]], Sequence[Resolution]]


def set_merge_function(context: int, function: MergeFunction) -> None:
    """Has a function decide about a context's conflicts."""
    number = _callbacks.register(function)
    try:
        call(functions.pinview_context_set_merge_callback, context, _merge_callback, number, _callbacks.free)
    except BaseException:
        _callbacks.unregister(number)
        raise


def _merge(merge: int, userdata: int) -> int:
    try:
        function = _callbacks.registered(userdata)
        if function is not None:
            conflicts = conflicts_of(functions.pinview_merge_conflicts(merge) or 0)
            resolutions = list(function(conflicts))
            if len(resolutions) != len(conflicts):
                raise InvalidArgumentError(
                    f"The merge policy gave {len(resolutions)} resolutions for {len(conflicts)} conflicts; it has to give one for each."
                )
            for index, (conflict, resolution) in enumerate(zip(conflicts, resolutions)):
                _settle(merge, index, conflict, resolution)
    except BaseException as error:
        return leave_error(error)
    return PINVIEW_OK


def _settle(merge: int, index: int, conflict: Conflict, resolution: Resolution) -> None:
    if isinstance(resolution, Mapping):
        for key, value in resolution.items():
            target = pinview_value()
            kept = encode(value, target)
            call(functions.pinview_merge_set_value, merge, index, string(key), target)
            del kept
        if resolution:
            return
        # No value at all: the row as it is, or as it was.
        resolution = MergePolicy.ROLLBACK if conflict.theirs is not None else MergePolicy.OVERWRITE
    call(functions.pinview_merge_set_policy, merge, index, MergePolicy.of(resolution))


# What the library gets. It lives as long as the module.
_merge_callback = pinview_merge_callback(apart(_merge, settles=False))
