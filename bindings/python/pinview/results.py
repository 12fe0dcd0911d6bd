"""Fetched results controllers, which keep the results of a request up to date and report the
changes.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_uint64, sizeof
from typing import Any, Callable, Generic, NamedTuple, overload

from ._ffi import registry
from ._ffi.callbacks import current_contexts
from ._ffi.calls import call, call_for, call_for_handle, keep_for_caller, shielded, taken_exception
from ._ffi.choices import Choice
from ._ffi.handles import Managed, handle_of, require
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_RESULTS_CHANGE_DELETE,
    PINVIEW_RESULTS_CHANGE_INSERT,
    PINVIEW_RESULTS_CHANGE_MOVE,
    PINVIEW_RESULTS_CHANGE_UPDATE,
    pinview_index_path,
    pinview_results_callback,
    pinview_results_callbacks,
    pinview_results_error_callback,
    pinview_results_object_callback,
    pinview_results_section,
    pinview_results_section_callback,
)
from ._ffi.values import string, text
from ._objects.entities import entity_name
from ._objects.results import take_objects, wrap
from ._support import process
from ._support.forward import Context, Filter, Order
from ._support.generic import ObjectT
from ._support.records import record
from .fetching import FetchRequest, name_of
from .managed_object import ManagedObject


class ResultsChange(Choice):
    """What happened to an object or a section."""

    INSERT = PINVIEW_RESULTS_CHANGE_INSERT
    DELETE = PINVIEW_RESULTS_CHANGE_DELETE
    MOVE = PINVIEW_RESULTS_CHANGE_MOVE
    """Objects only: the object has another index path, and may have changed too."""
    UPDATE = PINVIEW_RESULTS_CHANGE_UPDATE
    """Objects only: the object has changed, and kept its position among the others."""


class IndexPath(NamedTuple):
    """The position of an object: the index of its section, and its index in the section."""

    section: int
    item: int


@record(frozen=True)
class ResultsSection(Generic[ObjectT]):
    """A snapshot of a section.

    Attributes:
        name: The value of the section key path as a string; empty for None, and if there is no
            section key path.
        index_title: The first letter of the name, capitalised; None for an empty name.
        objects: The objects, in order.
    """

    name: str
    index_title: str | None
    objects: list[ObjectT]

    def __len__(self) -> int:
        return len(self.objects)

    def __iter__(self) -> Iterator[ObjectT]:
        return iter(self.objects)


class FetchedResultsController(Managed, Sequence[ObjectT], Generic[ObjectT], release="pinview_results_controller_release"):
    """Keeps the results of a request up to date, in sections, and reports changes. A sequence of
    its objects.

        request = FetchRequest("Person", sort=["city", "name"])
        controller = FetchedResultsController(request, context, section_name_key_path="city")
        controller.did_change_object = lambda person, change, old, new: print(change, person.name)
        controller.perform_fetch()

    With a declared class it is a controller of that class's objects, for a type checker, too:

        order = [Person.city, Person.name]
        controller = FetchedResultsController(Person, context, Person.city, sort=order)

    The controller follows unsaved changes, merges, refreshes, rollbacks and resets of its context.
    In a pinned context the results stay as they are until the context is pinned to another
    generation, merges or saves. Then the controller reads what has changed in between, or fetches
    again, refreshes the objects whose rows have changed, and reports exactly the differences. An
    object is re-evaluated when it changes itself, but not when an object that it is related to
    changes.

    The callbacks will_change_content(), did_change_section(…), did_change_object(…),
    did_change_content() and did_fail(error) are called on the context's queue. Override them in a
    subclass, or set them to functions. Changes are reported between will_change_content and
    did_change_content in this order: deleted sections (from last to first), inserted sections (from
    first to last), deleted objects (from last to first), inserted objects (from first to last),
    moved objects, updated objects. Old index paths refer to the content before the change, new ones
    to the content after it. An exception is raised by the call that caused the change.

    Args:
        request: A FetchRequest with a sort order, or the name or the class of an entity.
        context: The context, which is kept alive.
        section_name_key_path: An attribute, possibly of a to-one relationship's destination, that
            is the first sort criterion; None for a single section.
        sort: The sort order, if the request is an entity.
        predicate: Which objects, if the request is an entity.
        arguments: The arguments of the predicate's format string.
    """

    __slots__ = ("__dict__", "_context", "_entity_name")

    will_change_content: Callable[[], Any]
    """Called before a change, while the controller still has its old content."""
    did_change_section: Callable[[str, int, ResultsChange], Any]
    """Called with the name and the index of a section that was inserted or deleted."""
    did_change_object: Callable[[ObjectT, ResultsChange, IndexPath | None, IndexPath | None], Any]
    """Called with an object, the change, its old index path (None if inserted) and its new one
    (None if deleted).
    """
    did_change_content: Callable[[], Any]
    """Called after a change."""
    did_fail: Callable[[BaseException], Any]
    """Called with the error if the results could not be updated. The controller keeps its content,
    and fetches again at the next change.
    """

    @overload
    def __init__(
        self,
        request: type[ObjectT],
        context: Context,
        section_name_key_path: Any = ...,
        *,
        sort: Order = ...,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
    ) -> None: ...

    @overload
    def __init__(
        self,
        request: FetchRequest | str,
        context: Context,
        section_name_key_path: Any = ...,
        *,
        sort: Order = ...,
        predicate: Filter = ...,
        arguments: Iterable[Any] = ...,
    ) -> None: ...

    def __init__(
        self,
        request: FetchRequest | str | type[ObjectT],
        context: Context,
        section_name_key_path: Any = None,
        *,
        sort: Order = (),
        predicate: Filter = None,
        arguments: Iterable[Any] = (),
    ) -> None:
        require(context, "Context")
        # By identity: comparing an attribute of a class makes a condition.
        given = (("sort", sort, ()), ("predicate", predicate, None), ("arguments", arguments, ()))
        request = context._request(request, {name: value for name, value, default in given if value is not default})
        self._context = context
        self._entity_name: str = entity_name(request.entity)
        release, function = functions.pinview_results_controller_release, functions.pinview_results_controller_create
        with request._filled() as filled:
            handle = call_for_handle(release, function, context.handle, byref(filled), string(name_of(section_name_key_path)))
        super().__init__(handle)
        number = registry.register(weakref.ref(self))
        try:
            call(functions.pinview_results_controller_set_callbacks, self.handle, byref(_CALLBACKS), number, registry.free)
        except BaseException:
            registry.unregister(number)
            raise
        _living.add(self)

    @property
    def context(self) -> Context:
        """The context."""
        return self._context

    def perform_fetch(self) -> None:
        """Fetches the results and keeps them up to date from now on. Can be called again; no
        callbacks are called.
        """
        call(functions.pinview_results_controller_perform_fetch, self.handle)

    def _objects(self, result: int | None) -> list[ObjectT]:
        objects: list[Any] = take_objects(result, self._context._entities)
        return objects

    @property
    def fetched_objects(self) -> list[ObjectT]:
        """The objects in order."""
        release, function = functions.pinview_result_release, functions.pinview_results_controller_objects
        return self._objects(call_for_handle(release, function, self.handle))

    @property
    def sections(self) -> list[ResultsSection[ObjectT]]:
        """The sections, in order. Without a section key path there is one, which can be empty."""
        release, function = functions.pinview_result_release, functions.pinview_results_controller_section_objects
        return [
            ResultsSection(name, title, self._objects(call_for_handle(release, function, self.handle, index)))
            for index, (name, title, _) in enumerate(self._described_sections())
        ]

    def _described_sections(self) -> Iterator[tuple[str, str | None, int]]:
        """The name, index title and number of objects of each section."""
        described = pinview_results_section(struct_size=sizeof(pinview_results_section))
        for index in range(call_for(c_uint64, functions.pinview_results_controller_section_count, self.handle).value):
            call(functions.pinview_results_controller_section, self.handle, index, byref(described))
            yield text(described.name) or "", text(described.index_title), described.count

    @property
    def section_index_titles(self) -> list[str]:
        """The index titles of the sections, in order and without duplicates."""
        return list(dict.fromkeys(title for _, title, _ in self._described_sections() if title is not None))

    def section_for_index_title(self, title: str) -> int:
        """The index of the first section with an index title."""
        return int(call_for(c_uint64, functions.pinview_results_controller_section_for_index_title, self.handle, string(title)).value)

    def object_at(self, section: int, item: int) -> ObjectT:
        """The object at an index path: `controller.object_at(*index_path)`. Raises IndexError if
        there is none.
        """
        sections = call_for(c_uint64, functions.pinview_results_controller_section_count, self.handle).value
        described = pinview_results_section(struct_size=sizeof(pinview_results_section))
        if 0 <= section < sections:
            call(functions.pinview_results_controller_section, self.handle, section, byref(described))
        if not (0 <= section < sections and 0 <= item < described.count):
            raise IndexError(f"The controller has no object with the index {item} in section {section}.")
        return self._object_at(section, item)

    def _object_at(self, section: int, item: int) -> ObjectT:
        release, function = functions.pinview_object_release, functions.pinview_results_controller_object
        return self._wrapped(call_for_handle(release, function, self.handle, section, item) or 0)

    def _wrapped(self, handle: int) -> ObjectT:
        wrapped: Any = wrap(handle, self._context._entities)
        return wrapped  # type: ignore[no-any-return]

    def index_path(self, item: ManagedObject) -> IndexPath | None:
        """The index path of an object; None if it is not among the results."""
        place = call_for(pinview_index_path, functions.pinview_results_controller_index_path, self.handle, handle_of(item, "ManagedObject"))
        return None if place.section == _NOWHERE else IndexPath(place.section, place.item)

    # A sequence

    def __len__(self) -> int:
        return int(call_for(c_uint64, functions.pinview_results_controller_count, self.handle).value)

    @overload
    def __getitem__(self, index: int) -> ObjectT: ...

    @overload
    def __getitem__(self, index: slice) -> list[ObjectT]: ...

    def __getitem__(self, index: int | slice) -> ObjectT | list[ObjectT]:
        if isinstance(index, slice):
            return self.fetched_objects[index]
        count, place = len(self), operator.index(index)
        item = place if place >= 0 else place + count
        if 0 <= item < count:
            for section, (_, _, size) in enumerate(self._described_sections()):
                if item < size:
                    return self._object_at(section, item)
                item -= size
        raise IndexError(f"Index {place} is out of range for a controller of {count} objects.")

    def __iter__(self) -> Iterator[ObjectT]:
        return iter(self.fetched_objects)

    def __contains__(self, item: object) -> bool:
        return isinstance(item, ManagedObject) and self.index_path(item) is not None

    def close(self) -> None:
        """Ends the callbacks, and releases the objects and the context."""
        if not self.closed:
            call(functions.pinview_results_controller_set_callbacks, self.handle, None, None, registry.free)
        super().close()

    def _described(self) -> str:
        return self._entity_name


_NOWHERE = 2**64 - 1


def _call_back(name: str, userdata: int, arguments: Callable[[FetchedResultsController[Any]], tuple[Any, ...]]) -> None:
    """Calls a callback of a controller, if the controller exists and has one."""
    reference = registry.registered(userdata)
    controller = None if reference is None else reference()
    callback = None if controller is None else getattr(controller, name, None)
    if controller is None or callback is None:
        return
    current_contexts.stack.append(controller._context)
    try:
        callback(*arguments(controller))
    except BaseException as error:
        keep_for_caller(error, frames=2)
    finally:
        current_contexts.stack.pop()


def _place(pointer: Any) -> IndexPath | None:
    return IndexPath(pointer.contents.section, pointer.contents.item) if pointer else None


def _object(controller: FetchedResultsController[Any], handle: int) -> Any:
    functions.pinview_object_retain(handle)
    return controller._wrapped(handle)


def _section_changed(_: int, name: Any, section: int, change: int, userdata: int) -> None:
    _call_back("did_change_section", userdata, lambda _: (text(name) or "", section, ResultsChange(change)))


def _object_changed(_: int, handle: int, old: Any, new: Any, change: int, userdata: int) -> None:
    _call_back(
        "did_change_object",
        userdata,
        lambda controller: (_object(controller, handle), ResultsChange(change), _place(old), _place(new)),
    )


def _failed(_: int, failure: int, userdata: int) -> None:
    functions.pinview_error_retain(failure)
    error = taken_exception(failure)
    _call_back("did_fail", userdata, lambda _: (error,))


# Passed to the library; they live as long as the module.
_CALLBACKS = pinview_results_callbacks(
    struct_size=sizeof(pinview_results_callbacks),
    will_change_content=pinview_results_callback(shielded(lambda _, userdata: _call_back("will_change_content", userdata, lambda _: ()))),
    did_change_section=pinview_results_section_callback(shielded(_section_changed)),
    did_change_object=pinview_results_object_callback(shielded(_object_changed)),
    did_change_content=pinview_results_callback(shielded(lambda _, userdata: _call_back("did_change_content", userdata, lambda _: ()))),
    did_fail=pinview_results_error_callback(shielded(_failed)),
)

# Open controllers, which are closed before the interpreter ends.
_living: weakref.WeakSet[FetchedResultsController[Any]] = weakref.WeakSet()


def _close_all() -> None:
    for controller in list(_living):
        controller.close()


process.at_end(_close_all)
process.in_child(_living.clear)
