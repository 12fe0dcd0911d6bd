"""Pages that fit together: each shows the generation of the first, however much later it is asked
for.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Generic, overload

from ._ffi.choices import QueryGenerationState
from ._ffi.convert import plain_bytes
from ._support.forward import Coordinator
from ._support.generic import ObjectT
from .context import Context
from .errors import CursorExpiredError, GenerationExpiredError, InvalidArgumentError
from .fetching import FetchRequest
from .predicates import Predicate
from .tokens import QueryGenerationToken

# A cursor: a mark, a checksum of the rest, a digest of the request, the place, and the token.
_MARK = b"PvC1"
_LAYOUT = struct.Struct(">4s8s16sQ")


class Page(Sequence[ObjectT], Generic[ObjectT]):
    """A sequence of objects, and the cursor of the page after it.

    Attributes:
        objects: The objects of the page, in order, with their values.
        cursor: What Context.page() needs for the next page, in this or another process of the
            machine; None on the last page. For a URL encode it with base64.urlsafe_b64encode().
    """

    __slots__ = ("cursor", "objects")

    objects: list[ObjectT]
    cursor: bytes | None

    def __init__(self, objects: list[ObjectT], cursor: bytes | None) -> None:
        self.objects, self.cursor = objects, cursor

    def __len__(self) -> int:
        return len(self.objects)

    @overload
    def __getitem__(self, index: int) -> ObjectT: ...

    @overload
    def __getitem__(self, index: slice) -> list[ObjectT]: ...

    def __getitem__(self, index: int | slice) -> ObjectT | list[ObjectT]:
        return self.objects[index]

    def __iter__(self) -> Iterator[ObjectT]:
        return iter(self.objects)

    def __repr__(self) -> str:
        return f"<Page of {len(self.objects)}, {'the last' if self.cursor is None else 'more follow'}>"


class PageLeases:
    """Keeps the generations of cursors for a while: `coordinator.page_leases`.

    Each page holds the generation of its cursor for `seconds` more. Generations held longer than
    that, and the ones next to expire if there are more than `limit`, are released; their cursors
    then raise CursorExpiredError, unless a context still reads the generation. Closing the
    coordinator, or the end of the process, releases all of them.

    Attributes:
        seconds: How long a cursor can be used at least, counted from its page.
        limit: How many generations are held at most. Cursors of one generation share it.
    """

    __slots__ = ("_changed", "_coordinator", "_held", "_thread", "limit", "seconds")

    seconds: float
    limit: int

    def __init__(self, coordinator: Coordinator) -> None:
        self.seconds, self.limit = 60.0, 64
        self._coordinator = coordinator
        self._held: dict[QueryGenerationToken, tuple[float, Context]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def __len__(self) -> int:
        """How many generations are held."""
        with self._changed:
            return len(self._held)

    def hold(self, cursor: bytes, seconds: float | None = None) -> None:
        """Holds the generation of a cursor in this process, for `seconds` from now or, by default,
        for the usual time; longer if it is held longer already.

        For a process that outlives the one that made the cursor, such as the parent of a pool of
        workers. Raises CursorExpiredError if nobody holds the generation any more.
        """
        self._hold(_parts_of(cursor)[2], self.seconds if seconds is None else seconds)

    def _hold(self, token: QueryGenerationToken, seconds: float) -> None:
        if not seconds > 0:
            raise InvalidArgumentError(f"seconds must be more than 0, got {seconds!r}.")
        if self.limit < 1:
            raise InvalidArgumentError(f"limit must be at least 1, got {self.limit!r}.")
        deadline = time.monotonic() + seconds
        with self._changed:
            known = self._held.get(token)
            if known is None:
                context = Context(self._coordinator, name="page lease")
                _pin(context, token)
            else:
                deadline, context = max(deadline, known[0]), known[1]
            self._held[token] = (deadline, context)
            ended = sorted(self._held, key=lambda each: self._held[each][0])[: -self.limit]
            released = [self._held.pop(each)[1] for each in ended]
            if self._thread is None and self._held:
                self._thread = threading.Thread(target=self._release_expired, name="pinview page leases", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        for context in released:
            context.close()

    def release(self) -> None:
        """Releases all generations now."""
        with self._changed:
            released = [context for _, context in self._held.values()]
            self._held.clear()
            self._changed.notify_all()
        for context in released:
            context.close()

    def _release_expired(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                expired = [token for token, (deadline, _) in self._held.items() if deadline <= now]
                released = [self._held.pop(token)[1] for token in expired]
                if not self._held:
                    self._thread = None
                elif not released:
                    self._changed.wait(min(deadline for deadline, _ in self._held.values()) - now)
                done = self._thread is None
            for context in released:
                context.close()
            if done:
                return

    def __repr__(self) -> str:
        return f"<PageLeases {len(self)} of at most {self.limit}, each for {self.seconds:g} s>"


def page(context: Context, request: FetchRequest, cursor: bytes | None, size: int) -> Page[Any]:
    """See Context.page()."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise InvalidArgumentError(f"size must be at least 1, got {size!r}.")
    digest, place = _digest_of(request), 0
    if cursor is not None:
        of, place, token = _parts_of(cursor)
        if of != digest:
            raise InvalidArgumentError(
                f"The cursor belongs to another request than this one for {request.entity}; pass the same for all pages."
            )
        _pin(context, token)
    elif context.query_generation_state == QueryGenerationState.UNPINNED:
        context.pin()
    rest = size if not request.limit else min(size, max(0, request.limit - place))
    more_allowed = not request.limit or place + rest < request.limit
    found = [] if rest == 0 else list(_slice(context, request, request.offset + place, rest + more_allowed))
    if len(found) <= rest:
        return Page(found, None)
    reads = context.query_generation
    leases, coordinator = None, context.coordinator
    if coordinator is not None and reads is not None and not reads.is_current:
        leases = coordinator.page_leases
        leases._hold(reads, leases.seconds)
    content = digest + struct.pack(">Q", place + rest) + (b"" if reads is None else bytes(reads))
    return Page(found[:rest], _MARK + _checksum(content) + content)


def _slice(context: Context, request: FetchRequest, offset: int, limit: int) -> Any:
    changed = {"offset": offset, "limit": limit, "batch_size": 0, "includes_pending_changes": False, "returns_objects_as_faults": False}
    return context.fetch(FetchRequest(**{**{name: getattr(request, name) for name in FetchRequest.__annotations__}, **changed}))


def _pin(context: Context, token: QueryGenerationToken) -> None:
    if context.query_generation == token:
        return
    try:
        context.pin(token)
    except GenerationExpiredError as error:
        raise CursorExpiredError(
            "The cursor has expired: the generation of its page is no longer held (coordinator.page_leases). Start again at the first page."
        ) from error


def _digest_of(request: FetchRequest) -> bytes:
    """What two requests have in common that find the same objects in the same order."""
    predicate = request.predicate
    if isinstance(predicate, str):
        predicate = Predicate(predicate, request.arguments)
    entity = request.entity if isinstance(request.entity, str) else request.entity.__name__
    stores = None if request.stores is None else sorted(store.identifier for store in request.stores)
    criteria = [(each.key, each.ascending, str(each.comparator)) for each in request.criteria]
    told = (
        entity,
        None if predicate is None else str(predicate),
        criteria,
        request.limit,
        request.offset,
        request.includes_subentities,
        stores,
    )
    return hashlib.blake2b(repr(told).encode(), digest_size=16).digest()


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()


def _parts_of(cursor: bytes) -> tuple[bytes, int, QueryGenerationToken]:
    content = plain_bytes(cursor)
    if len(content) <= _LAYOUT.size or content[:4] != _MARK or _checksum(content[12:]) != content[4:12]:
        raise InvalidArgumentError("These bytes are not a cursor of Context.page(), or were altered or truncated.")
    _, _, digest, place = _LAYOUT.unpack_from(content)
    return digest, place, QueryGenerationToken.from_bytes(content[_LAYOUT.size :])
