"""Tokens of query generations."""

from __future__ import annotations

import os
from ctypes import string_at

from ._ffi.calls import call_for, call_for_handle
from ._ffi.convert import plain_bytes
from ._ffi.handles import Managed
from ._ffi.library import functions
from ._ffi.prototypes import pinview_binary
from ._ffi.values import _TEXT, text


class QueryGenerationToken(Managed, release="pinview_token_release"):
    """Names a generation: one state of the stores of a coordinator.

    Tokens are compared and hashed by their generation, and turned into bytes and back with bytes() and from_bytes(), or by pickle. A
    token does not keep its generation alive, only contexts do; pinning to one that is gone is a GenerationExpiredError.

    Tokens travel: a process that has the same stores open pins a context to a token from another process, as long as the generation
    lives anywhere, and then holds it by itself.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Tokens come from context.query_generation; the token for the newest generation is CURRENT.")

    @classmethod
    def current(cls) -> QueryGenerationToken:
        """The token that stands for whatever is newest at a context's next read."""
        return cls._borrowed(functions.pinview_token_current())

    @classmethod
    def from_bytes(cls, data: bytes) -> QueryGenerationToken:
        """The token that bytes() was made from."""
        content = plain_bytes(data)
        view = pinview_binary(content, len(content))
        handle = call_for_handle(functions.pinview_token_release, functions.pinview_token_create_from_data, view)
        return cls._owned(handle or 0)

    @property
    def is_current(self) -> bool:
        """Whether it is the token of current(), not that of a generation."""
        return bool(functions.pinview_token_is_current(self.handle))

    def __bytes__(self) -> bytes:
        """The token for other processes: it lets them pin to the generation for as long as it lives here."""
        address, size = _TEXT.unpack_from(call_for(pinview_binary, functions.pinview_token_data, self.handle))
        return string_at(address, size)

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return QueryGenerationToken.from_bytes, (bytes(self),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QueryGenerationToken):
            return NotImplemented
        return bool(functions.pinview_token_is_equal(self.handle, other.handle))

    def __hash__(self) -> int:
        return functions.pinview_token_hash(self.handle)

    def _described(self) -> str:
        # The library's description names the type as well.
        return (text(functions.pinview_token_description(self.handle)) or "").removeprefix("<QueryGenerationToken ").removesuffix(">")


CURRENT = QueryGenerationToken.current()


def _renew_after_fork() -> None:
    """A handle belongs to the process that made it. A child that may use the library gets its own for the same object."""
    handle = functions.pinview_token_current()
    if handle is not None:
        CURRENT._handle, CURRENT._pid = handle, os.getpid()


os.register_at_fork(after_in_child=_renew_after_fork)
