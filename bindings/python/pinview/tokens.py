"""Tokens of query generations."""

from __future__ import annotations

import os
from ctypes import string_at

from ._ffi.calls import call_for, call_for_handle
from ._ffi.convert import plain_bytes
from ._ffi.handles import Managed
from ._ffi.library import functions
from ._ffi.prototypes import pinview_binary
from ._ffi.values import STRING_LAYOUT, text
from ._support import process


class QueryGenerationToken(Managed, release="pinview_token_release"):
    """Names a generation: a state of the stores of a coordinator.

    Tokens of the same generation are equal. They can be converted with bytes() and from_bytes(),
    and pickled. A token does not keep its generation alive; only contexts do. Pinning to one that
    is gone raises GenerationExpiredError.

    A token can be sent to another process that has the same stores open. As long as the generation
    is alive anywhere, that process can pin contexts to it, and then holds it itself.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Tokens are obtained from context.query_generation; the token for the newest generation is CURRENT.")

    @classmethod
    def current(cls) -> QueryGenerationToken:
        """The token that stands for the newest generation at a context's next read."""
        return cls._borrowed(functions.pinview_token_current())

    @classmethod
    def from_bytes(cls, data: bytes) -> QueryGenerationToken:
        """The token for the result of bytes()."""
        content = plain_bytes(data)
        view = pinview_binary(content, len(content))
        handle = call_for_handle(functions.pinview_token_release, functions.pinview_token_create_from_data, view)
        return cls._owned(handle or 0)

    @property
    def is_current(self) -> bool:
        """Whether this is CURRENT rather than the token of a certain generation."""
        return bool(functions.pinview_token_is_current(self.handle))

    def __bytes__(self) -> bytes:
        """The token as bytes, for other processes. They can pin to the generation as long as it is
        alive here.
        """
        address, size = STRING_LAYOUT.unpack_from(call_for(pinview_binary, functions.pinview_token_data, self.handle))
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
        # The library's description includes the type.
        return (text(functions.pinview_token_description(self.handle)) or "").removeprefix("<QueryGenerationToken ").removesuffix(">")


CURRENT = QueryGenerationToken.current()


def _renew_after_fork() -> None:
    """Replaces the handle of CURRENT in a child made by fork(), because handles belong to the
    process that made them.
    """
    handle = functions.pinview_token_current()
    if handle is not None:
        CURRENT._handle, CURRENT._pid = handle, os.getpid()


process.in_child(_renew_after_fork)
