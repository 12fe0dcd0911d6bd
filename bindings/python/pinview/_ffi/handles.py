"""Handles: one base class for everything that owns one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, ClassVar

from ..errors import Error, ForkedError, InvalidHandleError, WrongTypeError
from .library import functions
from .pending_releases import gone, settle, shown

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


FORKED = (
    "This was made before fork(), by the parent of this process, and belongs to the parent. "
    "Start processes that use Pinview by spawn or forkserver, or import and use it in the child only."
)

_process = os.getpid()


def _note_fork() -> None:
    global _process
    _process = os.getpid()


os.register_at_fork(after_in_child=_note_fork)


def require(value: Any, kind: str) -> None:
    """Refuses what is not of a class of the package, which is given by its name so that this module need not know it."""
    for each in type(value).__mro__:
        if each.__name__ == kind and each.__module__.startswith("pinview."):
            return
    raise WrongTypeError(f"A {kind} is needed, not {value_text(value)}.")


def handle_of(value: Any, kind: str) -> int:
    """The handle of a thing of a class; a TypeError for anything else that a program passes."""
    require(value, kind)
    handle: int = value.handle
    return handle


def optional_handle_of(value: Any, kind: str) -> int | None:
    """The same where None is allowed."""
    return None if value is None else handle_of(value, kind)


def value_text(value: Any) -> str:
    """A value and its class, for an error."""
    try:
        shown = f"{value!r:.100}"
    except Exception:  # a repr of the program's own
        shown = "a value"
    return f"{shown}, which is a {type(value).__name__}"


def require_callable(value: Any, what: str) -> None:
    """Refuses a callback that cannot be called, when it is given and not when it would run."""
    if not callable(value):
        raise WrongTypeError(f"{what} has to be callable, not {value_text(value)}.")


class Managed:
    """Owns one reference of a handle of the library.

    The reference is given back by close(), at the end of a `with` block, or by the garbage collector; once, whichever comes first.
    In a child made by fork() nothing is given back: the handle belongs to the parent.
    """

    __slots__ = ("__weakref__", "_handle", "_pid")

    _release: ClassVar[Any]
    _retain: ClassVar[Any]

    def __init_subclass__(cls, release: str | None = None, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if release is not None:
            cls._release = staticmethod(getattr(functions, release))
            cls._retain = staticmethod(getattr(functions, release.replace("_release", "_retain")))

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        self._pid = _process

    @classmethod
    def _owned(cls, handle: int) -> Self:
        """An owner for a reference that a call gave."""
        owner = cls.__new__(cls)
        Managed.__init__(owner, handle)
        return owner

    @classmethod
    def _owned_or_none(cls, handle: int | None) -> Self | None:
        """The same for a call that may give NULL."""
        return None if handle is None else cls._owned(handle)

    @classmethod
    def _borrowed(cls, handle: int | None) -> Self:
        """An owner for a further reference to a handle that belongs to somebody else."""
        cls._retain(handle)
        return cls._owned(handle or 0)

    @property
    def handle(self) -> int:
        """The handle, for a call that borrows it."""
        handle = self._handle
        if handle is None:
            raise InvalidHandleError(f"This {type(self).__name__} was closed; make a new one.")
        if self._pid != _process:
            raise ForkedError(FORKED, domain="PinviewErrorDomain", code=105)
        return handle

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle is None

    def close(self) -> None:
        """Gives the reference back. A second call does nothing."""
        if shown or gone:
            settle()
        handle, self._handle = self._handle, None
        if handle is not None and self._pid == _process:
            self._release(handle)

    # Copied as it stands, a handle would be given back twice. Who has another form to travel in says so.
    def __reduce__(self) -> Any:
        raise TypeError(f"A {type(self).__name__} cannot be copied or pickled: it stands for something in the memory of this process.")

    def __enter__(self) -> Self:
        self.handle  # noqa: B018 (an error for what was closed)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def _described(self) -> str:
        """What repr() shows of it; may fail."""
        return ""

    def __repr__(self) -> str:
        kind = type(self).__name__
        if self._handle is None:
            return f"<{kind} closed>"
        try:
            return f"<{kind} {self._described()}>".replace(" >", ">")
        except Error as error:
            return f"<{kind} ({type(error).__name__})>"

    # What it needs is bound here, because the module may be gone when the interpreter ends.
    def __del__(self, _getpid: Callable[[], int] = os.getpid) -> None:
        try:
            handle, self._handle = self._handle, None
        except AttributeError:  # it was never made
            return
        if handle is not None and self._pid == _getpid():
            self._release(handle)
