"""How a failed call becomes an exception, and how an exception of a Python callback comes out of the call that ran it."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Sequence
from ctypes import ArgumentError, byref, c_void_p, sizeof
from typing import Any

from ..errors import Conflict, ConstraintConflict, Error, ForkedError, InternalError, WrongTypeError, error_class
from .handles import FORKED, value_text
from .implementation import connect
from .library import functions
from .pending_releases import gone, settle_shown, shown
from .pending_releases import settle as settle_owed
from .prototypes import (
    PINVIEW_ERROR_FORKED,
    pinview_conflict,
    pinview_conflict_property,
    pinview_constraint_conflict,
    pinview_constraint_property,
    pinview_string,
    pinview_value,
)
from .values import decode, string, text

# The domain that an exception of Python has as an error of the library.
PYTHON_DOMAIN = "PythonExceptionDomain"

# Exceptions of callbacks, by thread, until the call that ran them returns.
_pending: dict[int, BaseException] = {}


class _Depth(threading.local):
    """How many callbacks the thread is in, one inside the other."""

    value = 0


depth = _Depth()


def apart(callback: Any, *, settles: bool = True) -> Any:
    """For what the library calls: an exception that another callback has left stays for the call below, and is not raised in this one.

    What the callback has read the library knows when it returns, unless it must not use the library.
    """

    @functools.wraps(callback)
    def called(*arguments: Any) -> Any:
        left = _pending.pop(threading.get_ident(), None) if _pending else None
        depth.value += 1
        try:
            return callback(*arguments)
        finally:
            depth.value -= 1
            if settles and (shown or gone):
                settle_owed()
            if left is not None:
                _pending[threading.get_ident()] = left

    return called


def keep_for_caller(error: BaseException, frames: int = 1) -> None:
    """Notes what a callback raised. Without a Python call below it on the thread nobody could catch it: it is reported then.

    `frames` counts the functions up to and with the one that was given to apart().
    """
    try:
        sys._getframe(frames + 2)
    except ValueError:
        report_unraisable(error)
    else:
        _pending.setdefault(threading.get_ident(), error)


def keep_interrupt(error: BaseException) -> None:
    """Notes what a signal handler raised in the middle of a fetch of the thread."""
    _pending.setdefault(threading.get_ident(), error)


def report_unraisable(error: BaseException) -> None:
    """For an exception that no call can give to anybody."""
    sys.unraisablehook(_Unraisable(error))


def leave_error(error: BaseException) -> int:
    """In a callback: leaves an exception to the library, which gives it to the call that brought the callback about.

    Gives the status that the callback has to return.
    """
    from . import callbacks as _callbacks

    known = isinstance(error, Error) and error.domain and error.code > 0
    domain, code = (error.domain, error.code) if isinstance(error, Error) and known else (PYTHON_DOMAIN, _callbacks.RAISED)
    number = _callbacks.register(_callbacks.Raised(error))
    message = string(f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode("utf-8"))
    out = c_void_p()
    status = functions.pinview_error_create(string(domain), code, message, number, _callbacks.free, byref(out), None)
    if status:
        _callbacks.unregister(number)
        report_unraisable(error)
        return _callbacks.RAISED
    status = functions.pinview_error_status(out.value)
    functions.pinview_error_release(out.value)
    return int(status)


class _Unraisable:
    """What sys.unraisablehook takes."""

    def __init__(self, error: BaseException) -> None:
        self.exc_type = type(error)
        self.exc_value: BaseException | None = error
        self.exc_traceback = error.__traceback__
        self.err_msg: str | None = "Exception in a callback of pinview"
        self.object: object = None


class ErrorPlace(c_void_p):
    """Where a call leaves its error, used again and again."""

    __slots__ = ("pointer",)

    pointer: Any

    def taken(self) -> c_void_p:
        """The error that a call has left, which leaves the place."""
        error = c_void_p(self.value)
        self.value = None
        return error


def error_place() -> ErrorPlace:
    """One for the caller alone."""
    try:
        return _free_places.pop()
    except IndexError:
        place = ErrorPlace()
        place.pointer = byref(place)
        return place


# Not in use. Each call takes one out, so threads and callbacks never share one.
_free_places: list[ErrorPlace] = []
give_place_back = _free_places.append


def wrong_argument(function: Any, arguments: Sequence[Any], error: ArgumentError) -> WrongTypeError:
    """What to say when ctypes refuses an argument that nothing has checked before."""
    number = str(error).partition(":")[0].rpartition(" ")[2]  # argument 2: TypeError: wrong type
    place = int(number) - 1 if number.isdigit() else -1
    given = value_text(arguments[place]) if 0 <= place < len(arguments) else "one of its arguments"
    return WrongTypeError(f"{getattr(function, '__name__', 'The library')} does not take {given}.")


def call(function: Any, *arguments: Any) -> None:
    """Calls a function that returns a status and takes the error last; raises what went wrong."""
    if shown or gone:
        settle_owed()
    place = error_place()
    try:
        status = function(*arguments, place.pointer)
    except ArgumentError as error:
        give_place_back(place)
        raise wrong_argument(function, arguments, error) from None
    if status or _pending:
        settle(status, place.taken())
    give_place_back(place)


def call_keeping(function: Any, *arguments: Any) -> None:
    """As call, for what it makes no difference to that objects are not used any more."""
    if shown:
        settle_shown()
    place = error_place()
    try:
        status = function(*arguments, place.pointer)
    except ArgumentError as error:
        give_place_back(place)
        raise wrong_argument(function, arguments, error) from None
    if status or _pending:
        settle(status, place.taken())
    give_place_back(place)


def call_for(kind: Any, function: Any, *arguments: Any) -> Any:
    """As call, for a function that gives a number or a struct through its last parameter but one."""
    if shown or gone:
        settle_owed()
    out = kind()
    place = error_place()
    try:
        status = function(*arguments, byref(out), place.pointer)
    except ArgumentError as error:
        give_place_back(place)
        raise wrong_argument(function, arguments, error) from None
    if status or _pending:
        settle(status, place.taken())
    give_place_back(place)
    return out


def call_for_handle(release: Any, function: Any, *arguments: Any) -> int | None:
    """As call, for a function that gives a handle, or NULL, through its last parameter but one."""
    if shown or gone:
        settle_owed()
    out = c_void_p()
    place = error_place()
    try:
        status = function(*arguments, byref(out), place.pointer)
    except ArgumentError as error:
        give_place_back(place)
        raise wrong_argument(function, arguments, error) from None
    if status or _pending:
        try:
            settle(status, place.taken())
        except BaseException:
            release(out.value)
            raise
    give_place_back(place)
    return out.value


def call_for_text(function: Any, *arguments: Any) -> str | None:
    """As call, for a function that gives a text."""
    return text(call_for(pinview_string, function, *arguments))


def settle(status: int, error: c_void_p) -> None:
    """Raises what a callback raised during the call, else what the call itself reports."""
    raised = _pending.pop(threading.get_ident(), None)
    if raised is not None:
        functions.pinview_error_release(error.value)
        raise raised
    if status:
        raise taken_exception(error.value, status)


def _failed(status: int, error: int) -> None:
    """Raises what went wrong in a call of the accelerator."""
    settle(status, c_void_p(error or None))


connect(pending=_pending, failed=_failed)


def raise_pending() -> None:
    """For calls without a status that may run callbacks."""
    if _pending:
        settle(0, c_void_p())


def taken_exception(handle: int | None, status: int = 0) -> BaseException:
    """The exception for an error of the library, which is released; for what a callback raised, that."""
    if status == PINVIEW_ERROR_FORKED:  # nothing more can be asked then
        return ForkedError(FORKED, domain="PinviewErrorDomain", code=-PINVIEW_ERROR_FORKED)
    if handle is None:
        return InternalError(f"A call failed with the status {status} and without an error.", code=-status)
    try:
        return _exception(handle)
    finally:
        functions.pinview_error_release(handle)


def _exception(handle: int) -> BaseException:
    from .._objects.results import take_object_ids
    from . import callbacks as _callbacks

    userdata = functions.pinview_error_userdata(handle)
    raised = _callbacks.registered(userdata) if userdata else None
    if isinstance(raised, _callbacks.Raised):
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
        value=decode(call_for(pinview_value, functions.pinview_error_validation_value, handle)),
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
    from ..object_id import ObjectID

    conflict = pinview_constraint_conflict(struct_size=sizeof(pinview_constraint_conflict))
    call(functions.pinview_error_constraint_conflict, handle, index, byref(conflict))

    def pair(function: Any, *places: int) -> tuple[str, Any]:
        prop = pinview_constraint_property(struct_size=sizeof(pinview_constraint_property))
        call(function, handle, index, *places, byref(prop))
        return text(prop.name) or "", decode(prop.value)

    def snapshot(place: int) -> dict[str, Any]:
        function = functions.pinview_error_constraint_conflict_value
        return dict(pair(function, place, number) for number in range(conflict.snapshot_property_count))

    def object_id(place: int) -> ObjectID | None:
        found = c_void_p()
        call(functions.pinview_error_constraint_conflict_object, handle, index, place, byref(found))
        return ObjectID._borrowed(found.value) if found.value else None

    values = [pair(functions.pinview_error_constraint_conflict_property, place) for place in range(conflict.constraint_property_count)]
    is_stored = bool(conflict.database_object_id)
    return ConstraintConflict(
        entity_name=text(conflict.entity_name) or "",
        constraint=tuple(name for name, _ in values),
        values=dict(values),
        database_object=ObjectID._borrowed(conflict.database_object_id) if is_stored else None,
        database_snapshot=snapshot(conflict.object_count) if is_stored else None,
        objects=tuple(each for each in map(object_id, range(conflict.object_count)) if each is not None),
        snapshots=tuple(snapshot(place) for place in range(conflict.object_count)),
    )


def _conflict(handle: int, index: int, constraints: Sequence[ConstraintConflict]) -> Conflict:
    from ..object_id import ObjectID

    conflict = pinview_conflict(struct_size=sizeof(pinview_conflict))
    call(functions.pinview_error_conflict, handle, index, byref(conflict))
    base: dict[str, Any] = {}
    mine: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for place in range(conflict.property_count):
        prop = pinview_conflict_property(struct_size=sizeof(pinview_conflict_property))
        call(functions.pinview_error_conflict_property, handle, index, place, byref(prop))
        name = text(prop.name) or ""
        base[name], mine[name], theirs[name] = decode(prop.base), decode(prop.mine), decode(prop.theirs)
    return Conflict(
        object_id=ObjectID._borrowed(conflict.object_id),
        old_version=conflict.old_version,
        new_version=conflict.new_version,
        base=base,
        mine=mine,
        theirs=theirs if conflict.row_exists else None,
        is_deletion=bool(conflict.is_deletion),
        constraint=constraints[conflict.constraint_number - 1] if conflict.constraint_number else None,
    )
