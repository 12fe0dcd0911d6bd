"""What contexts tell about themselves."""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable

from ._ffi import callbacks as _callbacks
from ._ffi.calls import call, call_for_handle
from ._ffi.handles import Managed, optional_handle_of, require, require_callable, value_text
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_DELETED_OBJECTS_KEY,
    PINVIEW_DID_SAVE_NOTIFICATION,
    PINVIEW_INSERTED_OBJECTS_KEY,
    PINVIEW_INVALIDATED_ALL_OBJECTS_KEY,
    PINVIEW_INVALIDATED_OBJECTS_KEY,
    PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION,
    PINVIEW_REFRESHED_OBJECTS_KEY,
    PINVIEW_UPDATED_OBJECTS_KEY,
    PINVIEW_WILL_SAVE_NOTIFICATION,
    pinview_string,
)
from ._ffi.values import handles, string, text
from ._objects.results import take_object_ids, take_objects
from .errors import InvalidArgumentError
from .tokens import QueryGenerationToken

if TYPE_CHECKING:
    from .context import Context
    from .managed_object import ManagedObject
    from .object_id import ObjectID

WILL_SAVE = PINVIEW_WILL_SAVE_NOTIFICATION
DID_SAVE = PINVIEW_DID_SAVE_NOTIFICATION
OBJECTS_DID_CHANGE = PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION


class Notification(Managed, release="pinview_notification_release"):
    """What happened in a context. Its objects are for use inside of the callback, IDs for anywhere."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Notifications are made by contexts; see pinview.observe.")

    @property
    def name(self) -> str:
        """WILL_SAVE, DID_SAVE or OBJECTS_DID_CHANGE."""
        return text(functions.pinview_notification_name(self.handle)) or ""

    @property
    def context(self) -> Context | None:
        """The context that tells."""
        from .context import Context

        return Context._of(call_for_handle(functions.pinview_context_release, functions.pinview_notification_context, self.handle))

    def _objects(self, key: str) -> set[ManagedObject]:
        result = call_for_handle(functions.pinview_result_release, functions.pinview_notification_objects, self.handle, string(key))
        context = self.context
        return set(take_objects(result, {} if context is None else context._entities))

    def object_ids(self, key: str) -> list[ObjectID]:
        """The IDs of the objects under a key ("inserted", "updated", "deleted"), for other threads and later."""
        return take_object_ids(
            call_for_handle(functions.pinview_result_release, functions.pinview_notification_object_ids, self.handle, string(key))
        )

    @property
    def inserted_objects(self) -> set[ManagedObject]:
        """Objects that are new."""
        return self._objects(PINVIEW_INSERTED_OBJECTS_KEY)

    @property
    def updated_objects(self) -> set[ManagedObject]:
        """Objects that changed."""
        return self._objects(PINVIEW_UPDATED_OBJECTS_KEY)

    @property
    def deleted_objects(self) -> set[ManagedObject]:
        """Objects that were deleted."""
        return self._objects(PINVIEW_DELETED_OBJECTS_KEY)

    @property
    def refreshed_objects(self) -> set[ManagedObject]:
        """Objects that were refreshed and have no local changes."""
        return self._objects(PINVIEW_REFRESHED_OBJECTS_KEY)

    @property
    def invalidated_objects(self) -> set[ManagedObject]:
        """Objects whose store was removed."""
        return self._objects(PINVIEW_INVALIDATED_OBJECTS_KEY)

    @property
    def invalidated_all_object_ids(self) -> list[ObjectID]:
        """The IDs of the objects that a reset forgot."""
        return self.object_ids(PINVIEW_INVALIDATED_ALL_OBJECTS_KEY)

    @property
    def query_generation(self) -> QueryGenerationToken | None:
        """In did-save of a pinned context: a generation that holds the save. Others can be pinned to it during the callback."""
        return QueryGenerationToken._owned_or_none(
            call_for_handle(functions.pinview_token_release, functions.pinview_notification_token, self.handle)
        )

    def _described(self) -> str:
        return self.name


class Observer(Managed, release="pinview_observer_release"):
    """A registration. close(), or the end of its `with` block, ends it; until then it stays, also when nothing refers to it."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Observers are made by pinview.observe(…).")

    def close(self) -> None:
        """Ends the registration: the callback is not called any more when this returns."""
        _registered.pop(id(self), None)
        if not self.closed:
            call(functions.pinview_observer_remove, self.handle)
        super().close()


# Observers that are registered: they stay when the program forgets them.
_registered: dict[int, Observer] = {}


def _remove_all() -> None:
    """At the end of the program, while there is still an interpreter to call back."""
    for observer in list(_registered.values()):
        observer.close()


atexit.register(_remove_all)
os.register_at_fork(after_in_child=_registered.clear)


def observe(name: str | None, callback: Callable[[Notification], Any], *, context: Context | None = None) -> Observer:
    """Calls back on notifications: of one context or of all, with one name or (None) with any.

    The callback runs synchronously on the context's queue, before the posting call returns. An exception it raises comes out of that
    call, which has done its work nevertheless; where no Python call is to be seen on the thread, it goes to sys.unraisablehook.
    """
    require_callable(callback, "The callback")
    watched = optional_handle_of(context, "Context")
    number = _callbacks.register(callback)
    release, function = functions.pinview_observer_release, functions.pinview_observe
    try:
        handle = call_for_handle(release, function, string(name), watched, _callbacks.notify, number, _callbacks.free)
    except BaseException:
        _callbacks.unregister(number)
        raise
    observer = Observer._owned(handle or 0)
    _registered[id(observer)] = observer
    return observer


class NotificationStream:
    """Notifications as they come, for `async for` in asyncio: of one context or of all, with one name or (None) with any.

    It begins when it is made, so nothing is missed, in a coroutine of the loop that reads it, and ends with close() or its `with` block.
    What comes meanwhile waits, in order. The posting context does not wait: read objects by their IDs.

        with context.notifications(pinview.DID_SAVE) as saves:
            async for save in saves:
                view.merge_changes(save)
    """

    def __init__(self, name: str | None = None, *, context: Context | None = None) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Queue[Notification | None] = asyncio.Queue()
        self._observer = observe(name, self._put, context=context)

    def _put(self, notification: Notification) -> None:
        # The library takes its notification back after the callback; this one has a reference of its own.
        kept = Notification._borrowed(notification.handle)
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody reads any more
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, kept)

    def __aiter__(self) -> NotificationStream:
        return self

    async def __anext__(self) -> Notification:
        notification = await self._waiting.get()
        if notification is None:
            self._waiting.put_nowait(None)
            raise StopAsyncIteration
        return notification

    def close(self) -> None:
        """Ends it after what waits already."""
        if not self._observer.closed:
            self._observer.close()
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, None)

    def __enter__(self) -> NotificationStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def merge_remote_changes(changes: Mapping[str, Iterable[ObjectID | str]], contexts: Iterable[Context]) -> None:
    """Merges changes that became known by ID, or by URI, into contexts. Keys: "inserted", "updated", "deleted".

    Into each at once or later, as `Context.merge_changes`.
    """
    if not isinstance(changes, Mapping):
        raise TypeError(f"Changes come as a mapping of inserted, updated and deleted to IDs, not as {value_text(changes)}.")
    contexts = list(contexts)
    for context in contexts:
        require(context, "Context")
    unknown = changes.keys() - {PINVIEW_INSERTED_OBJECTS_KEY, PINVIEW_UPDATED_OBJECTS_KEY, PINVIEW_DELETED_OBJECTS_KEY}
    if unknown:
        raise InvalidArgumentError(f"Changes come under the keys inserted, updated and deleted, not under {sorted(map(str, unknown))}.")
    lists = {key: list(each) for key, each in changes.items()}
    keys = (PINVIEW_INSERTED_OBJECTS_KEY, PINVIEW_UPDATED_OBJECTS_KEY, PINVIEW_DELETED_OBJECTS_KEY)
    texts = {key: [each for each in named if isinstance(each, str)] for key, named in lists.items()}
    if texts == lists:
        uris = [[string(each) for each in texts.get(key, [])] for key in keys]
        rows = [part for each in uris for part in ((pinview_string * len(each))(*each), len(each))]
        for context in contexts:
            call(functions.pinview_context_merge_uris, context.handle, *rows)
        return
    for context in contexts:
        arguments: list[Any] = []
        kept = []
        for key in keys:
            ids = [each for each in (_object_id(context, each) for each in lists.get(key, [])) if each is not None]
            kept.append(ids)
            arguments += [handles(ids, "ObjectID"), len(ids)]
        call(functions.pinview_context_merge_object_ids, context.handle, *arguments)


def _object_id(context: Context, named: ObjectID | str) -> ObjectID | None:
    """The ID itself, or that of a URI; None for an object of a store that the context does not have."""
    if not isinstance(named, str):
        return named
    coordinator = context.coordinator
    return None if coordinator is None else coordinator.object_id(named)
