"""Calling the library: how a failed call becomes an exception, and how an exception of a Python
callback comes out of the call that ran the callback.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Sequence
from ctypes import ArgumentError, addressof, byref, c_void_p, sizeof

from .._support import process
from .._support.annotating import Any
from .._support.forward import ObjectID
from ..errors import Conflict, ConstraintConflict, Error, ForkedError, InternalError, WrongTypeError, error_class
from . import handles, prototypes
from .factories import factories
from .handles import FORKED, owned_objects, value_text
from .implementation import accelerated, accelerator, connect
from .library import address_of, functions
from .pending_releases import flush, flush_fires, pending_fires, pending_releases
from .registry import RAISED, Raised, free, register, registered, report_unraisable, unregister
from .values import decode, string, text

# The domain of an error of the library that stands for a Python exception.
PYTHON_DOMAIN = "PythonExceptionDomain"

# Exceptions of callbacks, by thread, until the call that ran the callback returns.
pending_exceptions: dict[int, BaseException] = {}


# How many callbacks a thread is in, nested, by thread.
callbacks: dict[int, int] = {}


def is_in_callback() -> bool:
    """Whether the thread is in a callback, where more may be about to change than the change
    counter says.
    """
    return bool(callbacks) and threading.get_ident() in callbacks


def _forget_other_threads() -> None:
    """In a child made by fork(), which only has the thread that made it."""
    thread = threading.get_ident()
    for each in callbacks.keys() - {thread}:
        del callbacks[each]


process.in_child(_forget_other_threads)


def shielded(callback: Any, *, flushes: bool = True) -> Any:
    """Wraps a function that the library calls.

    An exception that another callback has left for the call below stays there: calls inside this
    callback do not raise it. When the callback returns, the library is told which objects it has
    read and let go of, unless `flushes` is False because it must not use the library.
    """

    @functools.wraps(callback)
    def called(*arguments: Any) -> Any:
        thread = threading.get_ident()
        left = pending_exceptions.pop(thread, None) if pending_exceptions else None
        depth = callbacks.get(thread, 0)
        callbacks[thread] = depth + 1
        try:
            return callback(*arguments)
        finally:
            if depth:
                callbacks[thread] = depth
            else:
                callbacks.pop(thread, None)
            if flushes and (pending_fires or pending_releases):
                flush()
            if left is not None:
                pending_exceptions[thread] = left

    return called


def keep_for_caller(error: BaseException, frames: int = 1) -> None:
    """Keeps what a callback raised for the Python call below it. Without one nobody could catch it:
    it is reported.

    `frames` is the number of functions from the one passed to shielded() to the caller of this one.
    """
    try:
        sys._getframe(frames + 2)
    except ValueError:
        report_unraisable(error)
    else:
        pending_exceptions.setdefault(threading.get_ident(), error)


def keep_interrupt(error: BaseException) -> None:
    """Keeps what a signal handler raised during a fetch of this thread."""
    pending_exceptions.setdefault(threading.get_ident(), error)


def leave_error(error: BaseException) -> int:
    """Passes an exception of a callback to the library, which hands it to the call that ran the
    callback.

    Returns the status that the callback has to return.
    """
    is_known = isinstance(error, Error) and error.domain and error.code > 0
    domain, code = (error.domain, error.code) if isinstance(error, Error) and is_known else (PYTHON_DOMAIN, RAISED)
    number = register(Raised(error))
    message = string(f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode("utf-8"))
    out = c_void_p()
    status = functions.pinview_error_create(string(domain), code, message, number, free, byref(out), None)
    if status:
        unregister(number)
        report_unraisable(error)
        return RAISED
    status = functions.pinview_error_status(out.value)
    functions.pinview_error_release(out.value)
    return int(status)


class ErrorSlot(c_void_p):
    """Where a call stores its error. Slots are reused."""

    __slots__ = ("pointer",)

    pointer: Any

    def take(self) -> c_void_p:
        """Moves the error out of the slot."""
        error = c_void_p(self.value)
        self.value = None
        return error


def take_error_slot() -> ErrorSlot:
    """A slot for the caller alone."""
    try:
        return _free_slots.pop()
    except IndexError:
        slot = ErrorSlot()
        slot.pointer = byref(slot)
        return slot


# Each call takes one out, so threads and callbacks never share a slot.
_free_slots: list[ErrorSlot] = []
return_error_slot = _free_slots.append


def wrong_argument(function: Any, arguments: Sequence[Any], error: ArgumentError) -> WrongTypeError:
    """The exception for an argument that ctypes refused because no check had caught it before."""
    number = str(error).partition(":")[0].rpartition(" ")[2]  # argument 2: TypeError: wrong type
    place = int(number) - 1 if number.isdigit() else -1
    given = value_text(arguments[place]) if 0 <= place < len(arguments) else "one of its arguments"
    return WrongTypeError(f"{getattr(function, '__name__', 'The library')} does not accept {given}.")


def call(function: Any, *arguments: Any) -> None:
    """Calls a function that returns a status and takes the error last. Raises what went wrong."""
    if pending_fires or pending_releases:
        flush()
    slot = take_error_slot()
    try:
        status = function(*arguments, slot.pointer)
    except ArgumentError as refusal:
        return_error_slot(slot)
        raise wrong_argument(function, arguments, refusal) from None
    error = slot.take() if status or pending_exceptions else None
    return_error_slot(slot)
    if error is not None:
        finish_call(status, error)


def call_keeping(function: Any, *arguments: Any) -> None:
    """Like call(), for functions to which pending releases make no difference."""
    if pending_fires:
        flush_fires()
    slot = take_error_slot()
    try:
        status = function(*arguments, slot.pointer)
    except ArgumentError as refusal:
        return_error_slot(slot)
        raise wrong_argument(function, arguments, refusal) from None
    error = slot.take() if status or pending_exceptions else None
    return_error_slot(slot)
    if error is not None:
        finish_call(status, error)


def call_for(kind: Any, function: Any, *arguments: Any) -> Any:
    """Like call(), for functions that return a number or a struct through the parameter before the
    error.
    """
    if pending_fires or pending_releases:
        flush()
    out = kind()
    slot = take_error_slot()
    try:
        status = function(*arguments, byref(out), slot.pointer)
    except ArgumentError as refusal:
        return_error_slot(slot)
        raise wrong_argument(function, arguments, refusal) from None
    error = slot.take() if status or pending_exceptions else None
    return_error_slot(slot)
    if error is not None:
        finish_call(status, error)
    return out


def call_for_handle(release: Any, function: Any, *arguments: Any) -> int | None:
    """Like call(), for functions that return a handle or NULL through the parameter before the
    error.
    """
    if pending_fires or pending_releases:
        flush()
    out = c_void_p()
    slot = take_error_slot()
    try:
        status = function(*arguments, byref(out), slot.pointer)
    except ArgumentError as refusal:
        return_error_slot(slot)
        raise wrong_argument(function, arguments, refusal) from None
    error = slot.take() if status or pending_exceptions else None
    return_error_slot(slot)
    if error is not None:
        try:
            finish_call(status, error)
        except BaseException:
            release(out.value)
            raise
    return out.value


def call_for_text(function: Any, *arguments: Any) -> str | None:
    """Like call(), for functions that return a string."""
    return text(call_for(prototypes.pinview_string, function, *arguments))


def finish_call(status: int, error: c_void_p) -> None:
    """Raises what a callback raised during the call, or else the error of the call itself."""
    raised = pending_exceptions.pop(threading.get_ident(), None)
    if raised is not None:
        functions.pinview_error_release(error.value)
        raise raised
    if status:
        raise taken_exception(error.value, status)


def _failed(status: int, error: int) -> None:
    """Raises what went wrong in a call of the accelerator."""
    finish_call(status, c_void_p(error or None))


connect(pending_exceptions=pending_exceptions, failed=_failed, callbacks=callbacks)


@accelerated
def Function(name: str, address: int, has_flag: bool) -> Callable[..., None]:
    """A function of the library that takes two handles and perhaps a flag, and to which pending
    releases make no difference.
    """
    return functools.partial(call_keeping, getattr(functions, name))


def bound_function(name: str, has_flag: bool = False) -> Callable[..., None]:
    """The Function of a name."""
    address = None if accelerator is None else address_of(name)
    return Function(name, address or 0, has_flag)


def raise_pending() -> None:
    """Raises what a callback has raised, after a call that returns no status."""
    if pending_exceptions:
        finish_call(0, c_void_p())


# How many IDs are returned in one call.
_IDS = 1024


def object_ids_of(result: int, first: int, count: int) -> list[ObjectID]:
    """The IDs of some rows of a result."""
    kind = factories.object_id_class
    found: list[ObjectID] = []
    for begin in range(first, first + count, _IDS):
        size = min(_IDS, first + count - begin)
        row = (c_void_p * size)()
        call(functions.pinview_result_object_ids, result, begin, size, row)
        found += owned_objects(kind, addressof(row), size, handles._process)
    return found


def take_object_ids(result: int | None) -> list[ObjectID]:
    """All IDs of a result; releases the result."""
    if result is None:
        return []
    try:
        return object_ids_of(result, 0, functions.pinview_result_count(result))
    finally:
        functions.pinview_result_release(result)


def taken_exception(handle: int | None, status: int = 0) -> BaseException:
    """The exception for an error of the library, which is released. For what a callback raised:
    that very exception.
    """
    if status == prototypes.PINVIEW_ERROR_FORKED:  # the library answers no further questions then
        return ForkedError(FORKED, domain="PinviewErrorDomain", code=-prototypes.PINVIEW_ERROR_FORKED)
    if handle is None:
        return InternalError(f"A call failed with status {status}, but without an error.", code=-status)
    try:
        return _exception(handle)
    finally:
        functions.pinview_error_release(handle)


def _exception(handle: int) -> BaseException:
    userdata = functions.pinview_error_userdata(handle)
    raised = registered(userdata) if userdata else None
    if isinstance(raised, Raised):
        original = raised.take()
        if original is not None:
            return original
    domain = text(functions.pinview_error_domain(handle)) or ""
    code = functions.pinview_error_code(handle)
    sqlite_code = functions.pinview_error_sqlite_code(handle) or None
    ids = call_for_handle(functions.pinview_result_release, functions.pinview_error_affected_object_ids, handle)
    error = error_class(domain, code, sqlite_code)(
        text(functions.pinview_error_message(handle)) or "",
        domain=domain,
        code=code,
        sqlite_code=sqlite_code,
        affected_objects=take_object_ids(ids),
        affected_stores=[
            call_for_text(functions.pinview_error_affected_store, handle, index) or ""
            for index in range(functions.pinview_error_affected_store_count(handle))
        ],
        detailed_errors=[
            taken_exception(call_for_handle(functions.pinview_error_release, functions.pinview_error_detailed_error, handle, index))
            for index in range(functions.pinview_error_detailed_error_count(handle))
        ],
        conflicts=conflicts_of(handle),
        constraint_conflicts=constraint_conflicts_of(handle),
        key=text(functions.pinview_error_validation_key(handle)),
        value=decode(call_for(prototypes.pinview_value, functions.pinview_error_validation_value, handle)),
    )
    below = call_for_handle(functions.pinview_error_release, functions.pinview_error_underlying_error, handle)
    if below is not None:
        error.__cause__ = taken_exception(below)
    return error


def conflicts_of(error: int) -> list[Conflict]:
    """The conflicts of an error of the library."""
    count = functions.pinview_error_conflict_count(error)
    if not count:
        return []
    constraints = constraint_conflicts_of(error)
    return [_conflict(error, index, constraints) for index in range(count)]


def constraint_conflicts_of(error: int) -> list[ConstraintConflict]:
    """The uniqueness conflicts of an error of the library."""
    return [_constraint_conflict(error, index) for index in range(functions.pinview_error_constraint_conflict_count(error))]


def _constraint_conflict(handle: int, index: int) -> ConstraintConflict:
    conflict = prototypes.pinview_constraint_conflict(struct_size=sizeof(prototypes.pinview_constraint_conflict))
    call(functions.pinview_error_constraint_conflict, handle, index, byref(conflict))

    def pair(function: Any, *places: int) -> tuple[str, Any]:
        prop = prototypes.pinview_constraint_property(struct_size=sizeof(prototypes.pinview_constraint_property))
        call(function, handle, index, *places, byref(prop))
        return text(prop.name) or "", decode(prop.value)

    def snapshot(place: int) -> dict[str, Any]:
        function = functions.pinview_error_constraint_conflict_value
        return dict(pair(function, place, number) for number in range(conflict.snapshot_property_count))

    def object_id(place: int) -> ObjectID | None:
        found = c_void_p()
        call(functions.pinview_error_constraint_conflict_object, handle, index, place, byref(found))
        return factories.retained_object_id(found.value) if found.value else None

    values = [pair(functions.pinview_error_constraint_conflict_property, place) for place in range(conflict.constraint_property_count)]
    is_stored = bool(conflict.database_object_id)
    return ConstraintConflict(
        entity_name=text(conflict.entity_name) or "",
        constraint=tuple(name for name, _ in values),
        values=dict(values),
        database_object=factories.retained_object_id(conflict.database_object_id) if is_stored else None,
        database_snapshot=snapshot(conflict.object_count) if is_stored else None,
        objects=tuple(each for each in map(object_id, range(conflict.object_count)) if each is not None),
        snapshots=tuple(snapshot(place) for place in range(conflict.object_count)),
    )


def _conflict(handle: int, index: int, constraints: Sequence[ConstraintConflict]) -> Conflict:
    conflict = prototypes.pinview_conflict(struct_size=sizeof(prototypes.pinview_conflict))
    call(functions.pinview_error_conflict, handle, index, byref(conflict))
    base: dict[str, Any] = {}
    mine: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for place in range(conflict.property_count):
        prop = prototypes.pinview_conflict_property(struct_size=sizeof(prototypes.pinview_conflict_property))
        call(functions.pinview_error_conflict_property, handle, index, place, byref(prop))
        name = text(prop.name) or ""
        base[name], mine[name], theirs[name] = decode(prop.base), decode(prop.mine), decode(prop.theirs)
    return Conflict(
        object_id=factories.retained_object_id(conflict.object_id),
        old_version=conflict.old_version,
        new_version=conflict.new_version,
        base=base,
        mine=mine,
        theirs=theirs if conflict.row_exists else None,
        is_deletion=bool(conflict.is_deletion),
        constraint=constraints[conflict.constraint_number - 1] if conflict.constraint_number else None,
    )
