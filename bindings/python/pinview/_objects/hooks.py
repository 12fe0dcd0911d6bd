"""Hooks: methods that the library calls when objects of an entity are inserted, fetched, saved,
faulted or deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, sizeof
from typing import Any

from .._ffi.calls import call, call_for_handle, keep_for_caller, leave_error, shielded
from .._ffi.factories import factories
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
from .._ffi.registry import free, register, registered, unregister
from .._ffi.values import decode, string, text
from .._support.forward import Coordinator, ManagedObject, Model
from ..errors import InvalidArgumentError
from .entities import EntityInfo, Registration, known_table, registrations
from .results import wrap

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
    """Methods that a class registered with Model.entity_class can override. The base
    implementations do nothing.

    Hooks run synchronously on the context's queue, in the thread of the call that triggers them,
    and may read and change the object, other objects and the context. During a save they cannot
    save, undo, redo, roll back or reset that context. An exception is raised by the call that
    triggered the hook.
    """

    __slots__ = ()

    def awake_from_insert(self) -> None:
        """Called after an insert, when the defaults are set, but before context.insert() sets the
        given values.
        """

    def awake_from_fetch(self) -> None:
        """Called after a fault has been fired, and after a refresh with merge_changes.

        Attributes set here do not count as changed. Relationships cannot be changed, and the
        context cannot insert, delete, refresh or save. After a refresh, transient attributes and
        local changes are restored. If it raises an exception, the object stays a fault.
        """

    def prepare_for_deletion(self) -> None:
        """Called before the object is marked as deleted, with its relationships still set. An
        exception keeps the object.
        """

    def will_save(self) -> None:
        """Called before a save. Changes made here are saved, and make it be called again; after
        1000 rounds the save fails.
        """

    def did_save(self) -> None:
        """Called after the object was saved. Changes made here belong to the next save.

        An exception is raised by save(), which has committed nevertheless.
        """

    def will_turn_into_fault(self) -> None:
        """Called before the object's values are dropped. They can still be read; values set here
        are dropped too.
        """

    def did_turn_into_fault(self) -> None:
        """Called after the object became a fault. Reading a property here would fire it again."""

    def validate_for_insert(self) -> None:
        """Called in a save for a new object, after the model's own rules were checked.

        If several checks of a save raise, their exceptions come in one MultipleValidationErrors.
        """

    def validate_for_update(self) -> None:
        """Like validate_for_insert, for a stored object with changes. A method
        validate_<property>(self, value) checks one property.
        """

    def validate_for_delete(self) -> None:
        """Like validate_for_insert, for an object that the save is to delete."""


class _HookSet:
    """The hooks of one entity, registered for the callbacks."""

    def __init__(self, model: int, hooks: Mapping[str, Callable[..., Any]], checks: Mapping[str, Callable[..., Any]]) -> None:
        self._model = model
        self.hooks = hooks
        self.checks = checks

    def object_of(self, handle: int) -> ManagedObject:
        table: Mapping[str, EntityInfo] | None = known_table(self._model)
        if table is None:
            context = factories.owned_context(call_for_handle(functions.pinview_context_release, functions.pinview_object_context, handle))
            table = EMPTY if context is None else context._entities
        functions.pinview_object_retain(handle)
        return wrap(handle, table)

    def _freed(self) -> None:
        registrations.pop(self._model, None)


def _callback_for(name: str) -> Any:
    def run(handle: int, userdata: int) -> int:
        hooks = registered(userdata)
        try:
            if hooks is not None:
                hooks.hooks[name](hooks.object_of(handle))
        except BaseException as error:
            return leave_error(error)
        return PINVIEW_OK

    return pinview_object_callback(shielded(run))


def _notice_for(name: str) -> Any:
    def run(handle: int, userdata: int) -> None:
        hooks = registered(userdata)
        try:
            if hooks is not None:
                hooks.hooks[name](hooks.object_of(handle))
        except BaseException as error:
            keep_for_caller(error)

    return pinview_object_notice_callback(shielded(run))


def _check(handle: int, key: Any, value: Any, userdata: int) -> int:
    hooks = registered(userdata)
    try:
        if hooks is not None:
            hooks.checks[text(key) or ""](hooks.object_of(handle), decode(value.contents))
    except BaseException as error:
        return leave_error(error)
    return PINVIEW_OK


# Passed to the library; they live as long as the module.
_CALLBACKS: dict[str, Any] = {name: _callback_for(name) for name in FALLIBLE} | {name: _notice_for(name) for name in NOTICES}
_check_callback = pinview_property_check_callback(shielded(_check))


def set_hooks(
    model: Model,
    entity: str,
    hooks: Mapping[str, Callable[..., Any]],
    checks: Mapping[str, Callable[..., Any]],
    kind: type[ManagedObject] | None = None,
) -> None:
    """Sets the hooks of an entity, and the class of its objects."""
    if not isinstance(checks, Mapping):
        raise TypeError(f"validate_property must be a mapping of property names to functions, got {value_text(checks)}.")
    unknown = hooks.keys() - _CALLBACKS.keys()
    if unknown:
        raise InvalidArgumentError(f"Unknown hook {sorted(unknown)[0]!r}; expected one of {', '.join(_CALLBACKS)}.")
    for name, function in [*hooks.items(), *checks.items()]:
        if not callable(function):
            raise InvalidArgumentError(f"The hook {name} of {entity} must be callable, got {type(function).__name__}.")
    given = pinview_entity_hooks(struct_size=sizeof(pinview_entity_hooks), **{name: _CALLBACKS[name] for name in hooks})
    names = [string(name) for name in checks]
    keys = (pinview_string * max(1, len(names)))(*names)
    if checks:
        given.validate_property = _check_callback
        given.checked_keys = keys
        given.checked_key_count = len(names)
    identity = functions.pinview_model_identity(model.handle)
    number = register(_HookSet(identity, dict(hooks), dict(checks)))
    registration = registrations.get(identity) or Registration()
    try:
        call(functions.pinview_model_set_entity_hooks, model.handle, string(entity), byref(given), number, free)
    except BaseException:
        unregister(number)
        raise
    registrations[identity] = registration
    registration.hooked.add(entity)
    registration.awaking.discard(entity)
    if "awake_from_insert" in hooks:
        registration.awaking.add(entity)
    registration.classes.pop(entity, None)
    if kind is not None:
        registration.classes[entity] = kind
    model._entities.classes = registration.classes
    model._entities.awaking = registration.awaking
    model._entities.resolved.clear()


def remove_hooks(coordinators: Iterable[Coordinator]) -> None:
    """Removes all hooks, at the end of the program, while there is still an interpreter that could
    run them.
    """
    for coordinator in coordinators:
        if coordinator.closed:
            continue
        model = coordinator.model
        registration = registrations.get(functions.pinview_model_identity(model.handle))
        for entity in () if registration is None else registration.hooked:
            call(functions.pinview_model_set_entity_hooks, model.handle, string(entity), None, None, free)
