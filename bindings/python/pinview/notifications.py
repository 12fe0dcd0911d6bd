"""Notifications of contexts, and their observers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping

from ._ffi import registry
from ._ffi.callbacks import current_contexts, open_observers
from ._ffi.calls import call, call_for_handle, keep_for_caller, shielded, take_object_ids
from ._ffi.factories import factories
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
    pinview_notification_callback,
    pinview_string,
)
from ._ffi.values import handles, string, text
from ._objects.entities import NO_ENTITIES
from ._objects.results import take_objects
from ._support import lazy
from ._support.annotating import Any
from ._support.forward import Context
from .errors import InvalidArgumentError
from .managed_object import ManagedObject
from .object_id import ObjectID
from .tokens import QueryGenerationToken

WILL_SAVE = PINVIEW_WILL_SAVE_NOTIFICATION
DID_SAVE = PINVIEW_DID_SAVE_NOTIFICATION
OBJECTS_DID_CHANGE = PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION


class Notification(Managed, release="pinview_notification_release"):
    """A notification of a context. Use its objects inside the callback only, and its IDs
    anywhere.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Notifications are created by contexts; see pinview.observe().")

    @property
    def name(self) -> str:
        """WILL_SAVE, DID_SAVE or OBJECTS_DID_CHANGE."""
        return text(functions.pinview_notification_name(self.handle)) or ""

    @property
    def context(self) -> Context | None:
        """The context that posted the notification."""
        return factories.owned_context(
            call_for_handle(functions.pinview_context_release, functions.pinview_notification_context, self.handle)
        )

    def _objects(self, key: str) -> set[ManagedObject]:
        result = call_for_handle(functions.pinview_result_release, functions.pinview_notification_objects, self.handle, string(key))
        context = self.context
        return set(take_objects(result, NO_ENTITIES if context is None else context._entities))

    def object_ids(self, key: str) -> list[ObjectID]:
        """The IDs of the objects of a key ("inserted", "updated", "deleted"), for other threads and
        later use.
        """
        return take_object_ids(
            call_for_handle(functions.pinview_result_release, functions.pinview_notification_object_ids, self.handle, string(key))
        )

    @property
    def inserted_objects(self) -> set[ManagedObject]:
        """Objects that were inserted."""
        return self._objects(PINVIEW_INSERTED_OBJECTS_KEY)

    @property
    def updated_objects(self) -> set[ManagedObject]:
        """Objects that were changed."""
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
        """The IDs of the objects that were invalidated by a reset."""
        return self.object_ids(PINVIEW_INVALIDATED_ALL_OBJECTS_KEY)

    @property
    def query_generation(self) -> QueryGenerationToken | None:
        """For DID_SAVE of a pinned context: a generation that includes the save, to pin others to
        during the callback.
        """
        return QueryGenerationToken._owned_or_none(
            call_for_handle(functions.pinview_token_release, functions.pinview_notification_token, self.handle)
        )

    def _described(self) -> str:
        return self.name


def _notify(notification: int, userdata: int) -> None:
    callback = registry.registered(userdata)
    if callback is None:
        return
    received = Notification._borrowed(notification)
    # Only a context that is gone has none; a block then belongs to nobody.
    current_contexts.stack.append(received.context)  # type: ignore[arg-type]
    try:
        callback(received)
    except BaseException as error:
        keep_for_caller(error)
    finally:
        current_contexts.stack.pop()


# Passed to the library; it lives as long as the module.
_notification_callback = pinview_notification_callback(shielded(_notify))


class Observer(Managed, release="pinview_observer_release"):
    """The registration of an observer. It lasts until close() or the end of its `with` block, even
    if nothing refers to it.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Observers are created by pinview.observe(…).")

    def close(self) -> None:
        """Ends the registration. The callback is not called any more when this returns."""
        open_observers.pop(id(self), None)
        if not self.closed:
            call(functions.pinview_observer_remove, self.handle)
        super().close()


def observe(name: str | None, callback: Callable[[Notification], Any], *, context: Context | None = None) -> Observer:
    """Calls back on notifications of one context or of all contexts, with a certain name or (None)
    with any name.

    The callback runs synchronously on the context's queue, before the call that posts the
    notification returns. An exception is raised by that call, which has done its work nevertheless.
    If there is no such call in Python, the exception goes to sys.unraisablehook.
    """
    require_callable(callback, "The callback")
    if name is not None and name not in (WILL_SAVE, DID_SAVE, OBJECTS_DID_CHANGE):
        raise InvalidArgumentError(
            f"Unknown notification {name!r}; expected pinview.OBJECTS_DID_CHANGE, pinview.WILL_SAVE, pinview.DID_SAVE, or None for all."
        )
    watched = optional_handle_of(context, "Context")
    number = registry.register(callback)
    release, function = functions.pinview_observer_release, functions.pinview_observe
    try:
        handle = call_for_handle(release, function, string(name), watched, _notification_callback, number, registry.free)
    except BaseException:
        registry.unregister(number)
        raise
    observer = Observer._owned(handle or 0)
    open_observers[id(observer)] = observer
    return observer


class NotificationStream:
    """Notifications as an asynchronous iterator: of one context or of all, with a certain name or
    (None) any name.

    It has to be created in a coroutine of the event loop that reads it. Notifications are queued
    from then on, until close() or the end of its `with` block. The posting context does not wait
    for the reader, so use IDs instead of objects.

        with context.notifications(pinview.DID_SAVE) as saves:
            async for save in saves:
                view.merge_changes(save)
    """

    def __init__(self, name: str | None = None, *, context: Context | None = None) -> None:
        self._loop = lazy.asyncio.get_running_loop()
        self._waiting: lazy.asyncio.Queue[Notification | None] = lazy.asyncio.Queue()
        self._observer = observe(name, self._put, context=context)

    def _put(self, notification: Notification) -> None:
        # The library releases its notification after the callback, so keep a reference.
        kept = Notification._borrowed(notification.handle)
        with contextlib.suppress(RuntimeError):  # the loop has been closed, so nobody is reading any more
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
        """Ends the iteration after the notifications that are queued already."""
        if not self._observer.closed:
            self._observer.close()
            self._loop.call_soon_threadsafe(self._waiting.put_nowait, None)

    def __enter__(self) -> NotificationStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def merge_remote_changes(changes: Mapping[str, Iterable[ObjectID | str]], contexts: Iterable[Context]) -> None:
    """Merges changes into contexts, given as IDs or URIs under the keys "inserted", "updated" and
    "deleted".

    As with Context.merge_changes(), the changes are merged immediately or, in some cases, later.
    """
    if not isinstance(changes, Mapping):
        raise TypeError(f"Changes must be a mapping of inserted, updated and deleted to IDs, got {value_text(changes)}.")
    contexts = list(contexts)
    for context in contexts:
        require(context, "Context")
    unknown = changes.keys() - {PINVIEW_INSERTED_OBJECTS_KEY, PINVIEW_UPDATED_OBJECTS_KEY, PINVIEW_DELETED_OBJECTS_KEY}
    if unknown:
        raise InvalidArgumentError(f"The keys of changes must be inserted, updated or deleted, got {sorted(map(str, unknown))}.")
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
    """The ID of an ID or URI; None for an object of a store that the context does not have."""
    if not isinstance(named, str):
        return named
    coordinator = context.coordinator
    return None if coordinator is None else coordinator.object_id(named)
