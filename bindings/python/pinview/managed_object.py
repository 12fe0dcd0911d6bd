"""Objects: one record in one context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_int32, c_uint32, c_uint64
from typing import TYPE_CHECKING, Any

from . import _callbacks
from ._failure import call, call_for, call_for_handle
from ._handles import Managed
from ._hooks import EntityHooks
from ._library import functions
from ._prototypes import (
    PINVIEW_OBJECT_DELETED,
    PINVIEW_OBJECT_FAULT,
    PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES,
    PINVIEW_OBJECT_INSERTED,
    PINVIEW_OBJECT_UPDATED,
    pinview_value,
)
from ._results import take_objects, wrap
from ._scratch import read_row, read_value
from ._values import decode, encode, handles, string
from .errors import Error, WrongTypeError
from .model import EntityInfo, Property
from .object_id import ObjectID
from .relationships import RelatedList, RelatedSet, members_of

if TYPE_CHECKING:
    from .context import Context


class ManagedObject(EntityHooks, Managed, release="pinview_object_release"):
    """One record in one context, with its properties as attributes: `person.name`, `person.cars`.

    `person["name"]` does the same and reaches properties whose name is that of a method here. A to-one relationship gives an
    object or None, a to-many relationship a live set, or a live list when it is ordered, a fetched property a list.

    An object is a fault until one of its properties is read: it has an ID but no values. There is one object for one
    record in a context, so `is` compares. Objects do not keep their context alive; once that is closed, properties
    raise ContextGoneError, while `object_id` and `entity` stay.
    """

    __slots__ = ("_entity",)

    _entity: EntityInfo

    def __init__(self) -> None:
        raise TypeError("Objects are made by a context: context.insert(entity, name=value, …).")

    @classmethod
    def _make(cls, handle: int, entity: EntityInfo) -> ManagedObject:
        classes = entity.model.classes
        made = (entity.object_class if classes else cls)._owned(handle)
        made._entity = entity
        return made

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
        fetched = self._entity.fetched_properties
        if fetched and name in fetched:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_object_fetched_objects, self.handle, string(name))
            return take_objects(result, self._entity.model, self._entity.model.get(fetched[name]))
        prop = self._property(name)
        if prop.is_attribute:
            return read_value(functions.pinview_object_values, self.handle, prop.index)
        if prop.to_many:
            return RelatedList(self, prop) if prop.ordered else RelatedSet(self, prop)
        related = call_for_handle(functions.pinview_object_release, functions.pinview_object_related_object, self.handle, prop.key)
        return None if related is None else wrap(related, self._entity.model, self._destination(prop))

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
        target = pinview_value()
        kept = encode(value, target)
        call(functions.pinview_object_set_value_at, self.handle, prop.index, target)
        del kept

    def _destination(self, prop: Property) -> EntityInfo | None:
        return self._entity.model.get(prop.destination or "")

    def __contains__(self, name: object) -> bool:
        return name in self._entity.properties or name in self._entity.fetched_properties

    # Called for what is no member of the class only.
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN_NAMES or (name not in self._entity.properties and hasattr(type(self), name)):
            object.__setattr__(self, name, value)
        else:
            self[name] = value

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._entity.properties, *self._entity.fetched_properties]

    def values(self, *names: str) -> tuple[Any, ...]:
        """Several attributes in one call; of to-one relationships the ID of their object."""
        return read_row(functions.pinview_object_values, self.handle, [self._property(name).index for name in names])

    def update(self, values: Mapping[str, Any] = {}, /, **more: Any) -> None:
        """Sets several properties."""
        for name, value in {**values, **more}.items():
            self[name] = value

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
        return take_objects(result, self._entity.model, self._destination(prop))

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
        row = handles([_checked(self, prop, item) for item in items])
        call(functions.pinview_object_set_related_objects, self.handle, prop.key, row, len(row))

    def __repr__(self) -> str:
        try:
            state = " fault" if self.is_fault else ""
            return f"<{self._entity.name} {self.object_id.uri}{state}>"
        except Error as error:
            return f"<{self._entity.name} ({type(error).__name__})>"


_OWN_NAMES = frozenset(name for kind in ManagedObject.__mro__ for name in vars(kind))


def _checked(owner: ManagedObject, prop: Property, item: Any) -> ManagedObject:
    if not isinstance(item, ManagedObject):
        raise WrongTypeError(
            f"{owner.entity.name}.{prop.name} holds objects of {prop.destination}; a {type(item).__name__} cannot be one of them."
        )
    return item
