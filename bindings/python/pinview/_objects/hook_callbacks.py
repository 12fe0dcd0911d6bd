"""How the library calls hooks. Loaded when a model gets its first ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, sizeof

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
from .._support.annotating import Any
from .._support.forward import Coordinator, ManagedObject, Model
from ..errors import InvalidArgumentError
from .entities import NO_ENTITIES, EntityTable, Registration, known_table, registrations
from .hooks import FALLIBLE, NOTICES
from .results import wrap


class _HookSet:
    """The hooks of one entity, registered for the callbacks."""

    def __init__(self, model: int, hooks: Mapping[str, Callable[..., Any]], checks: Mapping[str, Callable[..., Any]]) -> None:
        self._model = model
        self.hooks = hooks
        self.checks = checks

    def object_of(self, handle: int) -> ManagedObject:
        table: EntityTable | None = known_table(self._model)
        if table is None:
            context = factories.owned_context(call_for_handle(functions.pinview_context_release, functions.pinview_object_context, handle))
            table = NO_ENTITIES if context is None else context._entities
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
