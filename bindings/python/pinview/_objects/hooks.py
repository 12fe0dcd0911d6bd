"""Hooks: what a program does at turning points in the life of an entity's objects."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Mapping
from ctypes import byref, sizeof
from typing import TYPE_CHECKING, Any

from .._ffi import callbacks as _callbacks
from .._ffi.calls import apart, call, call_for_handle, keep_for_caller, leave_error
from .._ffi.handles import value_text
from .._ffi.library import functions
from .._ffi.prototypes import (
    PINVIEW_OK,
    pinview_entity_hooks,
    pinview_object_callback,
    pinview_object_notice_callback,
    pinview_property_check_callback,
    pinview_string,
)
from .._ffi.values import decode, string, text
from ..errors import InvalidArgumentError
from .results import wrap

if TYPE_CHECKING:
    from ..managed_object import ManagedObject
    from ..model import EntityInfo, Model

EMPTY: Mapping[str, EntityInfo] = {}

FALLIBLE = (
    "awake_from_insert",
    "awake_from_fetch",
    "prepare_for_deletion",
    "will_save",
    "validate_for_insert",
    "validate_for_update",
    "validate_for_delete",
)
NOTICES = ("did_save", "will_turn_into_fault", "did_turn_into_fault")


class EntityHooks:
    """The methods that a class of an entity's objects may have; see Model.entity_class. As they stand here they do nothing.

    They run synchronously on the context's queue, on the thread of the call that brings them about, and may read and change the object,
    other objects and the context. Inside a save they cannot save, undo, redo, roll back or reset that context. An exception comes out
    of the call that brought the hook about.
    """

    __slots__ = ()

    def awake_from_insert(self) -> None:
        """After the program inserted the object, its defaults set, before context.insert() sets the values it was given."""

    def awake_from_fetch(self) -> None:
        """After a fault was filled, and after a refresh with merge_changes.

        Attributes that it sets do not count as changed; it cannot change relationships, insert, delete, refresh or save. After a
        refresh, transient attributes and local changes are put back to what they were before. An exception leaves a fault.
        """

    def prepare_for_deletion(self) -> None:
        """Before the object is marked as deleted, its relationships still in place. An exception keeps the object."""

    def will_save(self) -> None:
        """Before a save. What it changes is saved, and it is called again for what was changed; after 1000 rounds the save fails."""

    def did_save(self) -> None:
        """After the object was saved. What it changes is for the next save. An exception comes out of the save, which is done."""

    def will_turn_into_fault(self) -> None:
        """Before the object's values are dropped. They can still be read; what is set is dropped too."""

    def did_turn_into_fault(self) -> None:
        """After the object became a fault. Reading a property would fire it again."""

    def validate_for_insert(self) -> None:
        """In a save, for a new object, after the rules of the model. All that checks raise comes in one MultipleValidationErrors."""

    def validate_for_update(self) -> None:
        """As validate_for_insert, for a stored object with changes. A method validate_<property>(self, value) checks one property."""

    def validate_for_delete(self) -> None:
        """As validate_for_insert, for an object that the save would remove."""


class _Registration:
    """What was registered for the entities of one model."""

    def __init__(self) -> None:
        self.classes: dict[str, type[ManagedObject]] = {}
        self.hooked: set[str] = set()


# By the identity of the model, as long as it has hooks.
_registrations: dict[int, _Registration] = {}


def classes_of(model: int) -> dict[str, type[ManagedObject]]:
    """The classes of a model's entities, by its identity."""
    registration = _registrations.get(model)
    return {} if registration is None else registration.classes


class _HookSet:
    """The hooks of one entity, as the callbacks find them."""

    def __init__(self, model: int, hooks: Mapping[str, Callable[..., Any]], checks: Mapping[str, Callable[..., Any]]) -> None:
        self._model = model
        self.hooks = hooks
        self.checks = checks

    def object_of(self, handle: int) -> ManagedObject:
        from ..context import Context
        from ..model import known_table

        table: Mapping[str, EntityInfo] | None = known_table(self._model)
        if table is None:
            context = Context._of(call_for_handle(functions.pinview_context_release, functions.pinview_object_context, handle))
            table = EMPTY if context is None else context._entities
        functions.pinview_object_retain(handle)
        return wrap(handle, table)

    def _freed(self) -> None:
        _registrations.pop(self._model, None)


def _callback_for(name: str) -> Any:
    def run(handle: int, userdata: int) -> int:
        hooks = _callbacks.registered(userdata)
        try:
            if hooks is not None:
                hooks.hooks[name](hooks.object_of(handle))
        except BaseException as error:
            return leave_error(error)
        return PINVIEW_OK

    return pinview_object_callback(apart(run))


def _notice_for(name: str) -> Any:
    def run(handle: int, userdata: int) -> None:
        hooks = _callbacks.registered(userdata)
        try:
            if hooks is not None:
                hooks.hooks[name](hooks.object_of(handle))
        except BaseException as error:
            keep_for_caller(error)

    return pinview_object_notice_callback(apart(run))


def _check(handle: int, key: Any, value: Any, userdata: int) -> int:
    hooks = _callbacks.registered(userdata)
    try:
        if hooks is not None:
            hooks.checks[text(key) or ""](hooks.object_of(handle), decode(value.contents))
    except BaseException as error:
        return leave_error(error)
    return PINVIEW_OK


# What the library gets. They live as long as the module.
_CALLBACKS: dict[str, Any] = {name: _callback_for(name) for name in FALLIBLE} | {name: _notice_for(name) for name in NOTICES}
_check_callback = pinview_property_check_callback(apart(_check))


def set_hooks(
    model: Model,
    entity: str,
    hooks: Mapping[str, Callable[..., Any]],
    checks: Mapping[str, Callable[..., Any]],
    kind: type[ManagedObject] | None = None,
) -> None:
    """Gives an entity its hooks, and its class."""
    if not isinstance(checks, Mapping):
        raise TypeError(f"validate_property is a mapping of keys to functions, not {value_text(checks)}.")
    unknown = hooks.keys() - _CALLBACKS.keys()
    if unknown:
        raise InvalidArgumentError(f"There is no hook {sorted(unknown)[0]!r}; there are {', '.join(_CALLBACKS)}.")
    for name, function in [*hooks.items(), *checks.items()]:
        if not callable(function):
            raise InvalidArgumentError(f"The hook {name} of {entity} is a {type(function).__name__}, which cannot be called.")
    given = pinview_entity_hooks(struct_size=sizeof(pinview_entity_hooks), **{name: _CALLBACKS[name] for name in hooks})
    names = [string(name) for name in checks]
    keys = (pinview_string * max(1, len(names)))(*names)
    if checks:
        given.validate_property = _check_callback
        given.checked_keys = keys
        given.checked_key_count = len(names)
    identity = functions.pinview_model_identity(model.handle)
    number = _callbacks.register(_HookSet(identity, dict(hooks), dict(checks)))
    registration = _registrations.get(identity) or _Registration()
    try:
        call(functions.pinview_model_set_entity_hooks, model.handle, string(entity), byref(given), number, _callbacks.free)
    except BaseException:
        _callbacks.unregister(number)
        raise
    _registrations[identity] = registration
    registration.hooked.add(entity)
    registration.classes.pop(entity, None)
    if kind is not None:
        registration.classes[entity] = kind
    model._entities.classes = registration.classes
    model._entities.resolved.clear()


def _switch_off() -> None:
    """At the end of the program, while there is still an interpreter to call back."""
    from ..coordinator import _coordinators

    for coordinator in tuple(_coordinators):
        if coordinator.closed:
            continue
        model = coordinator.model
        registration = _registrations.get(functions.pinview_model_identity(model.handle))
        for entity in () if registration is None else registration.hooked:
            call(functions.pinview_model_set_entity_hooks, model.handle, string(entity), None, None, _callbacks.free)


os.register_at_fork(after_in_child=_registrations.clear)
atexit.register(_switch_off)
