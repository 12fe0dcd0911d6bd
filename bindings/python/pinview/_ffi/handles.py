"""Handles of the library: the base class of everything that owns one, and checks of arguments."""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import c_void_p
from types import TracebackType

from .._support import process
from .._support.annotating import Any
from .._support.forward import Self
from ..errors import Error, ForkedError, InvalidHandleError, WrongTypeError
from .implementation import accelerated
from .library import functions
from .pending_releases import flush, pending_fires, pending_releases

FORKED = (
    "This object was created before fork() and belongs to the parent process. "
    "Start processes that use Pinview with spawn or forkserver, or import pinview in the child only."
)

_process = os.getpid()


def _note_fork() -> None:
    global _process
    _process = os.getpid()


process.in_child(_note_fork)


def require(value: Any, kind: str) -> None:
    """Checks that a value is an instance of a class of the package, named so that this module need
    not import it.
    """
    for each in type(value).__mro__:
        if each.__name__ == kind and each.__module__.startswith("pinview."):
            return
    raise WrongTypeError(f"Expected {article(kind)} {kind}, got {value_text(value)}.")


def article(noun: str) -> str:
    """The indefinite article of a class name."""
    return "an" if noun[:1] in "AEIO" else "a"


def handle_of(value: Any, kind: str) -> int:
    """The handle of an instance of a class of the package; raises WrongTypeError for anything
    else.
    """
    require(value, kind)
    handle: int = value.handle
    return handle


def optional_handle_of(value: Any, kind: str) -> int | None:
    """Like handle_of(), for arguments that may be None."""
    return None if value is None else handle_of(value, kind)


def value_text(value: Any) -> str:
    """Describes a value and its class for an error message."""
    try:
        shown = f"{value!r:.100}"
    except Exception:  # raised by the program's own __repr__
        shown = "a value"
    return f"{shown} ({type(value).__name__})"


def require_callable(value: Any, what: str) -> None:
    """Checks a callback when it is passed, not when it is first called."""
    if not callable(value):
        raise WrongTypeError(f"{what} must be callable, got {value_text(value)}.")


@accelerated
class HandleOwner:
    """A handle, and the process that it belongs to. The base class of Managed."""

    __slots__ = ("__weakref__", "_handle", "_pid")

    _handle: int | None
    _pid: int


class Managed(HandleOwner):
    """Owns one reference to a handle of the library.

    close(), the end of a `with` block or the garbage collector releases the reference, whichever
    comes first. In a child made by fork() nothing is released, because the handle belongs to the
    parent.
    """

    __slots__ = ()

    _release: Any
    _retain: str

    def __init_subclass__(cls, release: str | None = None, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if release is not None:
            cls._release = staticmethod(getattr(functions, release))
            # Looked up at its first use: few programs use it for all classes.
            cls._retain = release.replace("_release", "_retain")

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        self._pid = _process

    @classmethod
    def _owned(cls, handle: int) -> Self:
        """An owner that takes over a reference returned by a call."""
        owner = cls.__new__(cls)
        Managed.__init__(owner, handle)
        return owner

    @classmethod
    def _owned_or_none(cls, handle: int | None) -> Self | None:
        """Like _owned(), for a call that may return NULL."""
        return None if handle is None else cls._owned(handle)

    @classmethod
    def _borrowed(cls, handle: int | None) -> Self:
        """An owner with a reference of its own to a borrowed handle."""
        getattr(functions, cls._retain)(handle)
        return cls._owned(handle or 0)

    @property
    def handle(self) -> int:
        """The handle, to be passed to a call that borrows it."""
        handle = self._handle
        if handle is None:
            raise InvalidHandleError(f"This {type(self).__name__} has been closed; create a new one.")
        if self._pid != _process:
            raise ForkedError(FORKED, domain="PinviewErrorDomain", code=105)
        return handle

    @property
    def closed(self) -> bool:
        """Whether close() has been called."""
        return self._handle is None

    def close(self) -> None:
        """Releases the reference. A second call does nothing."""
        if pending_fires or pending_releases:
            flush()
        handle, self._handle = self._handle, None
        if handle is not None and self._pid == _process:
            self._release(handle)

    # A plain copy would release the handle twice. Classes that can be copied or pickled override
    # this.
    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} objects cannot be copied or pickled: they refer to memory of this process.")

    def __enter__(self) -> Self:
        self.handle  # noqa: B018 (raises if it has been closed)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def _described(self) -> str:
        """What repr() shows between the class name and the end; may fail."""
        return ""

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._handle is None:
            return f"<{kind} closed>"
        try:
            return f"<{kind} {self._described()}>".replace(" >", ">")
        except Error as error:
            return f"<{kind} ({type(error).__name__})>"

    # os.getpid is bound as a default argument: when the interpreter ends, the module's globals may
    # be gone.
    def __del__(self, _getpid: Callable[[], int] = os.getpid) -> None:
        try:
            handle, self._handle = self._handle, None
        except AttributeError:  # it was never made
            return
        if handle is not None and self._pid == _getpid():
            self._release(handle)


@accelerated
def owned_objects(kind: Any, address: int, count: int, process: int) -> list[Any]:
    """Owners that take over the references of an array of handles: their class, the address of the
    array, and the process.
    """
    del process
    return [kind._owned(handle) for handle in (c_void_p * count).from_address(address)]
