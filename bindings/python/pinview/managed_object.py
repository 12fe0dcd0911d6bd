"""Objects: one record in one context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_int32, c_size_t, c_uint32, c_uint64
from typing import TYPE_CHECKING, Any

from ._ffi import callbacks as _callbacks
from ._ffi.buffers import read_row
from ._ffi.calls import call, call_for, call_for_handle
from ._ffi.implementation import accelerator, connect
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_OBJECT_DELETED,
    PINVIEW_OBJECT_FAULT,
    PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES,
    PINVIEW_OBJECT_INSERTED,
    PINVIEW_OBJECT_UPDATED,
    pinview_value,
)
from ._ffi.values import decode, handles, string
from ._objects import blocks as _blocks
from ._objects.blocks import CLOSED, block_of, place_of
from ._objects.descriptors import attribute, to_many, to_one
from ._objects.hooks import EntityHooks
from ._objects.results import take_objects
from ._objects.views import ObjectBase, ViewOfOne, later, set_plainly, set_view
from .errors import Error, WrongTypeError
from .model import EntityInfo, Property
from .object_id import ObjectID
from .relationships import RelatedList, RelatedSet, members_of

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from .context import Context


class ManagedObject(EntityHooks, ObjectBase):
    """One record in one context, with its properties as attributes: `person.name`, `person.cars`.

    `person["name"]` does the same and reaches properties whose name is that of a method here. A to-one relationship gives an
    object or None, a to-many relationship a live set, or a live list when it is ordered, a fetched property a list.

    An object is a fault until one of its properties is read: it has an ID but no values. There is one object for one
    record in a context, so `is` compares. Objects do not keep their context alive; once that is closed, properties
    raise ContextGoneError, while `object_id` and `entity` stay.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("Objects are made by a context: context.insert(entity, name=value, …).")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"A {type(self).__name__} belongs to its context and cannot be copied or pickled; keep its object_id.uri and look that up."
        )

    # The reference that the object is of the library's

    @property
    def handle(self) -> int:
        """A handle, for a call that borrows it."""
        return block_of(self).handle_of(place_of(self))

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._view is CLOSED

    def close(self) -> None:
        """Gives the reference back. A second call does nothing."""
        view = self._view
        if view is not CLOSED:
            place = place_of(self)
            set_view(self, CLOSED)
            view.block.forget_object(place)
            _blocks.later.forget_found()

    def __enter__(self) -> Self:
        block_of(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    @property
    def _entity(self) -> EntityInfo:
        entity: EntityInfo = block_of(self).entity
        return entity

    # Identity and state; none of these fires a fault.

    @property
    def object_id(self) -> ObjectID:
        """The identity: temporary until the first save, then permanent."""
        return ObjectID._owned(call_for_handle(functions.pinview_object_id_release, functions.pinview_object_object_id, self.handle) or 0)

    @property
    def entity(self) -> EntityInfo:
        """What kind of object it is."""
        return self._entity

    @property
    def context(self) -> Context | None:
        """The context, or None once it has ended."""
        from .context import Context

        return Context._of(call_for_handle(functions.pinview_context_release, functions.pinview_object_context, self.handle))

    def _state(self) -> int:
        return int(call_for(c_uint32, functions.pinview_object_state, self.handle).value)

    @property
    def is_fault(self) -> bool:
        """Whether the values are not loaded."""
        return bool(self._state() & PINVIEW_OBJECT_FAULT)

    @property
    def is_inserted(self) -> bool:
        """Whether the object is new and not saved yet."""
        return bool(self._state() & PINVIEW_OBJECT_INSERTED)

    @property
    def is_updated(self) -> bool:
        """Whether the object is stored and has uncommitted changes."""
        return bool(self._state() & PINVIEW_OBJECT_UPDATED)

    @property
    def is_deleted(self) -> bool:
        """Whether the next save will remove the object."""
        return bool(self._state() & PINVIEW_OBJECT_DELETED)

    @property
    def has_changes(self) -> bool:
        """Whether the object is inserted, updated or deleted."""
        return bool(self._state() & (PINVIEW_OBJECT_INSERTED | PINVIEW_OBJECT_UPDATED | PINVIEW_OBJECT_DELETED))

    @property
    def has_persistent_changed_values(self) -> bool:
        """Whether a save would write something for it; transient properties do not count."""
        return bool(self._state() & PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES)

    def has_fault(self, relationship: str) -> bool:
        """Whether a relationship is not loaded."""
        return bool(call_for(c_int32, functions.pinview_object_has_fault, self.handle, self._property(relationship).key).value)

    # Properties

    def _property(self, name: str) -> Property:
        return self._entity.property_named(name)

    def __getitem__(self, name: str) -> Any:
        entity = block_of(self).entity
        fetched = entity.fetched_properties
        if fetched and name in fetched:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_object_fetched_objects, self.handle, string(name))
            return take_objects(result, self._entity.model)
        prop = entity.property_named(name)
        if prop.to_many:
            return RelatedList(self, prop) if prop.ordered else RelatedSet(self, prop)
        return read(self, prop)

    def __setitem__(self, name: str, value: Any) -> None:
        prop = self._property(name)
        if prop.to_many:
            if isinstance(value, RelatedSet) and value._owner is self and value._property is prop:
                return  # what an augmented assignment such as person.cars |= {car} ends with
            self._replace(prop, members_of(prop, value))
            return
        if not prop.is_attribute and not (value is None or isinstance(value, ManagedObject)):
            raise WrongTypeError(
                f"{self._entity.name}.{name} is a relationship; it cannot be set to a {type(value).__name__}, "
                f"but to an object of {prop.destination}."
            )
        block_of(self).write(self, prop, value)

    def __contains__(self, name: object) -> bool:
        return name in self._entity.properties or name in self._entity.fetched_properties

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._entity.properties, *self._entity.fetched_properties]

    def values(self, *names: str) -> tuple[Any, ...]:
        """Several attributes in one call; of to-one relationships the ID of their object."""
        known = _values_at_hand(self, names)
        if known is not None:
            return known
        return read_row(functions.pinview_object_values, self.handle, [self._property(name).index for name in names])

    def update(self, values: Mapping[str, Any] = {}, /, **more: Any) -> None:
        """Sets several properties."""
        for name, value in {**values, **more}.items():
            self[name] = value

    def changed_values(self) -> dict[str, Any]:
        """The properties with uncommitted changes, by name, and their values in memory; relationships and transient ones included."""
        names = {prop.index: name for name, prop in self._entity.properties.items()}
        indexes = (c_int32 * len(names))()
        count = call_for(c_size_t, functions.pinview_object_changed_properties, self.handle, indexes, len(names)).value
        return {names[index]: self[names[index]] for index in indexes[:count]}

    def committed_values(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """The values of attributes as they were last read or saved; of all attributes when none are named."""
        chosen = list(self._entity.attributes) if names is None else names
        return {
            name: decode(call_for(pinview_value, functions.pinview_object_committed_value, self.handle, self._property(name).key))
            for name in chosen
        }

    def validate(self) -> None:
        """Checks all properties and the object as a whole, as a save would; raises a ValidationError, or what a hook raises."""
        call(functions.pinview_object_validate, self.handle)

    def validate_deletion(self) -> None:
        """Checks whether a save could remove the object; raises a DeleteDeniedError, or what its validate_for_delete raises."""
        call(functions.pinview_object_validate_for_delete, self.handle)

    @property
    def user_data(self) -> Any:
        """Whatever the program wants to keep with the object, None at first. Refreshing leaves it alone; it goes with the object.

        An object that is in its own user_data is kept alive by it.
        """
        return _callbacks.registered(functions.pinview_object_userdata(self.handle))

    @user_data.setter
    def user_data(self, value: Any) -> None:
        number = None if value is None else _callbacks.register(value)
        try:
            call(functions.pinview_object_set_userdata, self.handle, number, _callbacks.free)
        except BaseException:
            _callbacks.unregister(number)
            raise

    # What the views of to-many relationships need.

    def _count(self, prop: Property) -> int:
        return int(call_for(c_uint64, functions.pinview_object_related_object_count, self.handle, prop.key).value)

    def _contains(self, prop: Property, item: ManagedObject) -> bool:
        return bool(call_for(c_int32, functions.pinview_object_contains_related_object, self.handle, prop.key, item.handle).value)

    def _members(self, prop: Property) -> list[ManagedObject]:
        result = call_for_handle(functions.pinview_result_release, functions.pinview_object_related_objects, self.handle, prop.key)
        return take_objects(result, self._entity.model)

    def _add(self, prop: Property, item: ManagedObject) -> None:
        call(functions.pinview_object_add_related_object, self.handle, prop.key, _checked(self, prop, item).handle)

    def _remove(self, prop: Property, item: ManagedObject) -> None:
        call(functions.pinview_object_remove_related_object, self.handle, prop.key, _checked(self, prop, item).handle)

    def _insert(self, prop: Property, item: ManagedObject, index: int) -> None:
        _checked(self, prop, item)
        members = self._members(prop)
        place = max(0, min(index if index >= 0 else len(members) + index, len(members) - (item in members)))
        call(functions.pinview_object_insert_related_object, self.handle, prop.key, item.handle, place)

    def _replace(self, prop: Property, items: Sequence[ManagedObject]) -> None:
        row = handles([_checked(self, prop, item) for item in items], "ManagedObject")
        call(functions.pinview_object_set_related_objects, self.handle, prop.key, row, len(row))

    def __repr__(self) -> str:
        try:
            state = " fault" if self.is_fault else ""
            return f"<{self._entity.name} {self.object_id.uri}{state}>"
        except Error as error:
            return f"<{self._entity.name} ({type(error).__name__})>"


_OWN_NAMES = frozenset(name for kind in ManagedObject.__mro__ for name in vars(kind))


def _missing(target: ManagedObject, name: str) -> Any:
    """What the class does not have: a property by name."""
    if name.startswith("_"):
        raise AttributeError(f"{type(target).__name__} has no attribute {name!r}")
    return target[name]


def _set(target: ManagedObject, name: str, value: Any) -> None:
    block = target._view.block
    if block is not None and name not in _OWN_NAMES:
        prop = block.entity.properties.get(name)
        if prop is not None and prop.is_attribute:
            block.write(target, prop, value)
            return
    if name in _OWN_NAMES or (name not in target._entity.properties and hasattr(type(target), name)):
        set_plainly(target, name, value)
    else:
        target[name] = value


def _write(target: ManagedObject, name: str, value: Any) -> None:
    """Sets an attribute that the accelerator leaves alone."""
    block = block_of(target)
    block.write(target, block.entity.properties[name], value)


def _values_in_view(target: ManagedObject, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Several attributes, when all of them are at hand."""
    view = target._view
    is_alone = isinstance(view, ViewOfOne)
    clock = view.own if isinstance(view, ViewOfOne) else view.clock
    if clock.version != clock.value or (view.keys_of and not view.keys_of.keys().isdisjoint(names)):
        return None
    try:
        return tuple([view[name] if is_alone else view[name][target._place] for name in names])
    except KeyError:
        return None


_values_at_hand = _values_in_view if accelerator is None else accelerator.values_at_hand
later.update(missing=_missing, set=_set)
connect(missing=_missing, set=_set, write=_write)


# Properties as attributes. What the class of an entity's objects has itself goes first.


def read(target: ManagedObject, prop: Property) -> Any:
    """An attribute or a to-one relationship, by a look into the columns of the object's block where they hold."""
    view = target._view
    clock = view.clock
    if view.at >= 0:
        return block_of(target).read(target, prop)
    if clock.version != clock.value:
        following = view.next
        if following is None or following.clock.version != following.clock.value:
            return block_of(target).read(target, prop)
        place = target._place
        if place in following.unknown or (
            following.cache_version and following.faults[place] and following.cache_version != view.block.cache_changes.value
        ):
            return block_of(target).read(target, prop)
        following.show(place)
        set_view(target, following)
        view = following
    try:
        value = view[prop.name][target._place]
    except KeyError:
        return block_of(target).read(target, prop)
    return value if prop.is_attribute else view.block.destination(view, prop.name, target._place)


def add_properties(kind: type[ManagedObject], entity: EntityInfo) -> None:
    """Gives the class of an entity's objects what reads and sets their properties."""
    for name, prop in entity.properties.items():
        if not hasattr(kind, name):
            setattr(kind, name, (attribute if prop.is_attribute else to_many if prop.to_many else to_one)(name))


def class_for(entity: EntityInfo) -> type[ManagedObject]:
    """The class of objects for which the program has none."""
    made = type(entity.name, (ManagedObject,), {"__slots__": (), "__doc__": ManagedObject.__doc__, "__module__": ManagedObject.__module__})
    add_properties(made, entity)
    return made


def _checked(owner: ManagedObject, prop: Property, item: Any) -> ManagedObject:
    if not isinstance(item, ManagedObject):
        raise WrongTypeError(
            f"{owner.entity.name}.{prop.name} holds objects of {prop.destination}; a {type(item).__name__} cannot be one of them."
        )
    return item
