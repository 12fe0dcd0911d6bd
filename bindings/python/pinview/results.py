"""Fetched results controllers: what a request finds, in sections, and what changes in it."""

from __future__ import annotations

import atexit
import operator
import os
import weakref
from collections.abc import Iterator, Sequence
from ctypes import byref, c_uint64, sizeof
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, overload

from ._ffi import callbacks as _callbacks
from ._ffi.calls import apart, call, call_for, call_for_handle, keep_for_caller, taken_exception
from ._ffi.choices import Choice
from ._ffi.handles import Managed, handle_of, require
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_RESULTS_DELETE,
    PINVIEW_RESULTS_INSERT,
    PINVIEW_RESULTS_MOVE,
    PINVIEW_RESULTS_UPDATE,
    pinview_index_path,
    pinview_results_callback,
    pinview_results_callbacks,
    pinview_results_error_callback,
    pinview_results_object_callback,
    pinview_results_section,
    pinview_results_section_callback,
)
from ._ffi.values import string, text
from ._objects.results import take_objects, wrap
from ._support.records import record
from .fetching import FetchRequest

if TYPE_CHECKING:
    from .context import Context
    from .managed_object import ManagedObject


class ResultsChange(Choice):
    """What happened to an object or a section."""

    INSERT = PINVIEW_RESULTS_INSERT
    DELETE = PINVIEW_RESULTS_DELETE
    MOVE = PINVIEW_RESULTS_MOVE
    """Of objects only: it stands elsewhere now, and may have changed in other ways, too."""
    UPDATE = PINVIEW_RESULTS_UPDATE
    """Of objects only: it has changed, and stands where it stood among the others."""


class IndexPath(NamedTuple):
    """Where an object stands: its section, and its place in that, both from 0."""

    section: int
    item: int


@record(frozen=True)
class ResultsSection:
    """A section, as it was when it was asked for.

    Attributes:
        name: the value of the section key path as a text; empty for None, and for the only section without a key path.
        index_title: the first letter of the name as a capital; None for an empty name.
        objects: in order.
    """

    name: str
    index_title: str | None
    objects: list[ManagedObject]

    def __len__(self) -> int:
        return len(self.objects)

    def __iter__(self) -> Iterator[ManagedObject]:
        return iter(self.objects)


class FetchedResultsController(Managed, Sequence["ManagedObject"], release="pinview_results_controller_release"):
    """Keeps what a request finds in a context, in sections, and tells what changes. A sequence of its objects.

        controller = FetchedResultsController(context, FetchRequest("Person", sort=["city", "name"]), section_name_key_path="city")
        controller.did_change_object = lambda person, change, old, new: print(change.name, person.name, old, new)
        controller.perform_fetch()

    It follows unsaved changes, merges, refreshes, rollbacks and resets of its context. On a pinned context nothing moves until the
    context does: once that is pinned to another generation, or has merged or saved, the controller fetches there, refreshes the
    objects whose rows have changed, and tells exactly what is different. An object is judged again when it changes itself, not when
    an object behind one of its relationships does.

    The members will_change_content(), did_change_section(…), did_change_object(…), did_change_content() and did_fail(error) are called on
    the context's queue: override them in a subclass, or set them to functions. Between will_change_content and did_change_content the
    changes come in this order: deleted sections (the last first), inserted sections (the first first), deleted objects (the last first),
    inserted objects (the first first), moved objects, updated objects. Old places are those at will_change_content, new ones those
    at did_change_content. What a callback raises comes out of the call that brought the change about.

    Args:
        context: the context; kept alive.
        request: the request, or the name of an entity; it needs an order.
        section_name_key_path: an attribute, maybe behind to-one relationships, by which the request is sorted first; None for one section.
        sort: the order, where the request is only the name of an entity.
    """

    __slots__ = ("__dict__", "_context", "_entity_name")

    will_change_content: Callable[[], Any]
    """Called before a change; the controller has its old content still."""
    did_change_section: Callable[[str, int, ResultsChange], Any]
    """Called with the name and the index of a section that was inserted or deleted."""
    did_change_object: Callable[[ManagedObject, ResultsChange, IndexPath | None, IndexPath | None], Any]
    """Called with an object, what happened to it, its old place (None when inserted) and its new one (None when deleted)."""
    did_change_content: Callable[[], Any]
    """Called after a change."""
    did_fail: Callable[[BaseException], Any]
    """Called when a change could not be followed; the controller keeps its content, and fetches anew at the next change."""

    def __init__(
        self,
        context: Context,
        request: FetchRequest | str,
        section_name_key_path: str | None = None,
        *,
        sort: Any = (),
    ) -> None:
        if isinstance(request, str):
            request = FetchRequest(request, sort=sort)
        require(request, "FetchRequest")
        require(context, "Context")
        self._context = context
        self._entity_name = request.entity
        release, function = functions.pinview_results_controller_release, functions.pinview_results_controller_create
        with request._filled() as filled:
            handle = call_for_handle(release, function, context.handle, byref(filled), string(section_name_key_path))
        super().__init__(handle)
        number = _callbacks.register(weakref.ref(self))
        try:
            call(functions.pinview_results_controller_set_callbacks, self.handle, byref(_CALLBACKS), number, _callbacks.free)
        except BaseException:
            _callbacks.unregister(number)
            raise
        _living.add(self)

    @property
    def context(self) -> Context:
        """The context."""
        return self._context

    def perform_fetch(self) -> None:
        """Fetches, and follows the context from now on. It may be called again; the callbacks are not."""
        call(functions.pinview_results_controller_perform_fetch, self.handle)

    def _objects(self, result: int | None) -> list[ManagedObject]:
        entities = self._context._entities
        return take_objects(result, entities)

    @property
    def fetched_objects(self) -> list[ManagedObject]:
        """The objects in order."""
        release, function = functions.pinview_result_release, functions.pinview_results_controller_objects
        return self._objects(call_for_handle(release, function, self.handle))

    @property
    def sections(self) -> list[ResultsSection]:
        """The sections in order; without a section key path one, which may be empty."""
        release, function = functions.pinview_result_release, functions.pinview_results_controller_section_objects
        return [
            ResultsSection(name, title, self._objects(call_for_handle(release, function, self.handle, index)))
            for index, (name, title, _) in enumerate(self._described_sections())
        ]

    def _described_sections(self) -> Iterator[tuple[str, str | None, int]]:
        """Name, title and number of objects of each section, without the objects."""
        described = pinview_results_section(struct_size=sizeof(pinview_results_section))
        for index in range(call_for(c_uint64, functions.pinview_results_controller_section_count, self.handle).value):
            call(functions.pinview_results_controller_section, self.handle, index, byref(described))
            yield text(described.name) or "", text(described.index_title), described.count

    @property
    def section_index_titles(self) -> list[str]:
        """The titles of the sections, each once, in order."""
        return list(dict.fromkeys(title for _, title, _ in self._described_sections() if title is not None))

    def section_for_index_title(self, title: str) -> int:
        """The first section with a title."""
        return int(call_for(c_uint64, functions.pinview_results_controller_section_for_index_title, self.handle, string(title)).value)

    def object_at(self, section: int, item: int) -> ManagedObject:
        """The object at a place, such as `controller.object_at(*index_path)`; an IndexError for one that does not exist."""
        sections = call_for(c_uint64, functions.pinview_results_controller_section_count, self.handle).value
        described = pinview_results_section(struct_size=sizeof(pinview_results_section))
        if 0 <= section < sections:
            call(functions.pinview_results_controller_section, self.handle, section, byref(described))
        if not (0 <= section < sections and 0 <= item < described.count):
            raise IndexError(f"The controller has no place {item} in a section {section}.")
        return self._object_at(section, item)

    def _object_at(self, section: int, item: int) -> ManagedObject:
        release, function = functions.pinview_object_release, functions.pinview_results_controller_object
        return self._wrapped(call_for_handle(release, function, self.handle, section, item) or 0)

    def _wrapped(self, handle: int) -> ManagedObject:
        entities = self._context._entities
        return wrap(handle, entities)

    def index_path(self, item: ManagedObject) -> IndexPath | None:
        """Where an object stands; None for one that is not among the objects."""
        place = call_for(pinview_index_path, functions.pinview_results_controller_index_path, self.handle, handle_of(item, "ManagedObject"))
        return None if place.section == _NOWHERE else IndexPath(place.section, place.item)

    # A sequence

    def __len__(self) -> int:
        return int(call_for(c_uint64, functions.pinview_results_controller_count, self.handle).value)

    @overload
    def __getitem__(self, index: int) -> ManagedObject: ...

    @overload
    def __getitem__(self, index: slice) -> list[ManagedObject]: ...

    def __getitem__(self, index: int | slice) -> ManagedObject | list[ManagedObject]:
        if isinstance(index, slice):
            return self.fetched_objects[index]
        count, place = len(self), operator.index(index)
        item = place if place >= 0 else place + count
        if 0 <= item < count:
            for section, (_, _, size) in enumerate(self._described_sections()):
                if item < size:
                    return self._object_at(section, item)
                item -= size
        raise IndexError(f"The controller has {count} objects; there is none at index {place}.")

    def __iter__(self) -> Iterator[ManagedObject]:
        return iter(self.fetched_objects)

    def __contains__(self, item: object) -> bool:
        from .managed_object import ManagedObject

        return isinstance(item, ManagedObject) and self.index_path(item) is not None

    def close(self) -> None:
        """Ends the callbacks, and lets the objects and the context go."""
        if not self.closed:
            call(functions.pinview_results_controller_set_callbacks, self.handle, None, None, _callbacks.free)
        super().close()

    def _described(self) -> str:
        return self._entity_name


_NOWHERE = 2**64 - 1


def _told(name: str, userdata: int, arguments: Callable[[FetchedResultsController], tuple[Any, ...]]) -> None:
    """Calls a callback of a controller, if that has one and is still there."""
    reference = _callbacks.registered(userdata)
    controller = None if reference is None else reference()
    callback = None if controller is None else getattr(controller, name, None)
    if controller is None or callback is None:
        return
    _callbacks.blocks.contexts.append(controller._context)
    try:
        callback(*arguments(controller))
    except BaseException as error:
        keep_for_caller(error, frames=2)
    finally:
        _callbacks.blocks.contexts.pop()


def _place(pointer: Any) -> IndexPath | None:
    return IndexPath(pointer.contents.section, pointer.contents.item) if pointer else None


def _object(controller: FetchedResultsController, handle: int) -> ManagedObject:
    functions.pinview_object_retain(handle)
    return controller._wrapped(handle)


def _section_changed(_: int, name: Any, section: int, change: int, userdata: int) -> None:
    _told("did_change_section", userdata, lambda _: (text(name) or "", section, ResultsChange(change)))


def _object_changed(_: int, handle: int, old: Any, new: Any, change: int, userdata: int) -> None:
    _told(
        "did_change_object",
        userdata,
        lambda controller: (_object(controller, handle), ResultsChange(change), _place(old), _place(new)),
    )


def _failed(_: int, failure: int, userdata: int) -> None:
    functions.pinview_error_retain(failure)
    error = taken_exception(failure)
    _told("did_fail", userdata, lambda _: (error,))


# What the library gets. They live as long as the module.
_CALLBACKS = pinview_results_callbacks(
    struct_size=sizeof(pinview_results_callbacks),
    will_change_content=pinview_results_callback(apart(lambda _, userdata: _told("will_change_content", userdata, lambda _: ()))),
    did_change_section=pinview_results_section_callback(apart(_section_changed)),
    did_change_object=pinview_results_object_callback(apart(_object_changed)),
    did_change_content=pinview_results_callback(apart(lambda _, userdata: _told("did_change_content", userdata, lambda _: ()))),
    did_fail=pinview_results_error_callback(apart(_failed)),
)

# Controllers that have not been closed: none may call an interpreter that is gone.
_living: weakref.WeakSet[FetchedResultsController] = weakref.WeakSet()


def _close_all() -> None:
    for controller in list(_living):
        controller.close()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_living.clear)
