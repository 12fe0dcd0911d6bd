"""Managed objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_int32, c_size_t, c_uint32, c_uint64
from types import TracebackType

from ._ffi import registry
from ._ffi.buffers import read_row
from ._ffi.calls import call, call_for, call_for_handle
from ._ffi.factories import factories
from ._ffi.implementation import connect
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_OBJECT_DELETED,
    PINVIEW_OBJECT_FAULT,
    PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES,
    PINVIEW_OBJECT_INSERTED,
    PINVIEW_OBJECT_UPDATED,
    pinview_value,
)
from ._ffi.values import add_object_class, decode, handles, string
from ._objects.blocks import CLOSED, block_of, closings, lookup_functions, name_of, place_of
from ._objects.descriptors import Attribute, ToMany, ToOne
from ._objects.entities import EntityInfo, Property, classes
from ._objects.hooks import EntityHooks
from ._objects.results import take_objects
from ._objects.views import ObjectBase, fallbacks, set_plainly, set_view
from ._support import lazy
from ._support.annotating import Any
from ._support.forward import Context, ExaminedValue, Self, Snapshot
from .errors import Error, UnknownKeyError, WrongTypeError
from .object_id import ObjectID


class ManagedObject(EntityHooks, ObjectBase):
    """One record in one context. Its properties are attributes: `person.name`, `person.cars`.

    `person["name"]` is equivalent, and also reaches properties that have the name of a method. A
    to-one relationship is an object or None, a to-many relationship a live set or, if ordered, a
    live list, and a fetched property a list.

    An object is a fault until one of its properties is read: it has an ID but no values. A context
    has one object for each record, so objects can be compared with `is`. Objects do not keep their
    context alive; after it is closed, properties raise ContextGoneError, while `object_id` and
    `entity` can still be read.
    """

    __slots__ = ()

    # What a subclass of pinview.Object declares; None for other classes.
    _declaration: Any = None

    def __init__(self, *_none: Any, **_values: Any) -> None:
        kind = type(self).__name__
        raise TypeError(f"Objects are created by a context: context.insert({kind}, name=value, …), not {kind}(…).")

    # It has values by name, so that Python would take it for a sequence.
    __iter__ = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"{type(self).__name__} objects belong to their context and cannot be copied or pickled; use object_id.uri to find "
            "the object again."
        )

    # The object's reference to the library's object

    @property
    def handle(self) -> int:
        """The object's handle, to be passed to a call that borrows it."""
        return block_of(self).handle_of(place_of(self))

    @property
    def closed(self) -> bool:
        """Whether close() has been called."""
        return self._view is CLOSED

    def close(self) -> None:
        """Releases the object. A second call does nothing."""
        view = self._view
        if view is not CLOSED:
            place = place_of(self)
            set_view(self, CLOSED)
            view.block.forget_object(place)
            closings.count += 1
            lookup_functions.forget_lookups()

    def __enter__(self) -> Self:
        block_of(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    @property
    def _entity(self) -> EntityInfo:
        entity: EntityInfo = block_of(self).entity
        return entity

    # Identity and state. None of these fires a fault.

    @property
    def object_id(self) -> ObjectID:
        """The object's ID: temporary until the first save, then permanent."""
        return ObjectID._owned(call_for_handle(functions.pinview_object_id_release, functions.pinview_object_get_id, self.handle) or 0)

    @property
    def entity(self) -> EntityInfo:
        """The object's entity."""
        return self._entity

    @property
    def context(self) -> Context | None:
        """The object's context; None after it has ended."""
        return factories.owned_context(call_for_handle(functions.pinview_context_release, functions.pinview_object_context, self.handle))

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
        """Whether the next save will delete the object."""
        return bool(self._state() & PINVIEW_OBJECT_DELETED)

    @property
    def has_changes(self) -> bool:
        """Whether the object is inserted, updated or deleted."""
        return bool(self._state() & (PINVIEW_OBJECT_INSERTED | PINVIEW_OBJECT_UPDATED | PINVIEW_OBJECT_DELETED))

    @property
    def has_persistent_changed_values(self) -> bool:
        """Whether a save would write the object; changes of transient properties do not count."""
        return bool(self._state() & PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES)

    def has_fault(self, relationship: str) -> bool:
        """Whether a relationship is not loaded."""
        return bool(call_for(c_int32, functions.pinview_object_has_fault, self.handle, self._property(relationship).key).value)

    # Properties

    def _property(self, name: str) -> Property:
        return self._entity.property_named(name)

    def __getitem__(self, name: str) -> Any:
        """The value of a property."""
        entity = block_of(self).entity
        fetched = entity.fetched_properties
        composites = entity.composites
        if composites and name in composites:
            return lazy.composites.composite_value(composites[name], {leaf: self[leaf] for leaf in composites[name].leaves})
        if fetched and name in fetched:
            result = call_for_handle(functions.pinview_result_release, functions.pinview_object_fetched_objects, self.handle, string(name))
            return take_objects(result, self._entity.model)
        prop = entity.property_named(name)
        if prop.to_many:
            views = lazy.relationships
            return views.RelatedList(self, prop) if prop.ordered else views.RelatedSet(self, prop)
        value = read(self, prop)
        return value if prop.value_transformer is None else lazy.transforming.decoded(prop, value)

    def __setitem__(self, name: str, value: Any) -> None:
        """Sets a property. A composite attribute is set as a whole, to a mapping or None."""
        composites = self._entity.composites
        if composites and name in composites:
            lazy.composites.set_composite(self.handle, self._entity, composites[name], value)
            return
        prop = self._property(name)
        if prop.to_many:
            if isinstance(value, lazy.relationships.RelatedSet) and value._owner is self and value._property is prop:
                return  # the end of an augmented assignment such as person.cars |= {car}
            self._replace(prop, lazy.relationships.members_of(prop, value))
            return
        if not prop.is_attribute and not (value is None or isinstance(value, ManagedObject)):
            raise WrongTypeError(
                f"The relationship {self._entity.name}.{name} must be set to an object of {prop.destination} or None, "
                f"got {type(value).__name__}."
            )
        block_of(self).write(self, prop, value)

    def __contains__(self, name: object) -> bool:
        entity = self._entity
        return name in entity.properties or name in entity.fetched_properties or name in entity.composites

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._entity._outer_names, *self._entity.fetched_properties]

    def examine(self, name: str) -> ExaminedValue:
        """What a property holds, readable and as it stands in the store, and whether the store has
        such a property at all. A value that has been changed and not saved is given as it would be
        stored.
        """
        return lazy.examining.examined(self.handle, name)

    def update(self, values: Mapping[str, Any] = {}, /, **more: Any) -> None:
        """Sets several properties."""
        for name, value in {**values, **more}.items():
            self[name] = value

    # Setting attributes with it is the same as setting their values in the library.
    _usual_update: Any = update

    def changed_values(self) -> dict[str, Any]:
        """The values of the properties with uncommitted changes, by name; includes relationships
        and transient properties.
        """
        names = {prop.index: name for name, prop in self._entity.properties.items()}
        indexes = (c_int32 * len(names))()
        count = call_for(c_size_t, functions.pinview_object_changed_properties, self.handle, indexes, len(names)).value
        return {names[index]: self[names[index]] for index in indexes[:count]}

    def committed_values(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """The values of attributes as they were last read or saved, by name; by default of all
        attributes.
        """
        chosen = list(self._entity.attributes) if names is None else names
        return {
            name: decode(call_for(pinview_value, functions.pinview_object_committed_value, self.handle, self._property(name).key))
            for name in chosen
        }

    def validate(self) -> None:
        """Validates the object as a save would. Raises ValidationError, or the exception of a
        hook.
        """
        call(functions.pinview_object_validate, self.handle)

    def validate_deletion(self) -> None:
        """Validates the deletion of the object as a save would. Raises DeleteDeniedError, or the
        exception of a hook.
        """
        call(functions.pinview_object_validate_for_delete, self.handle)

    @property
    def user_data(self) -> Any:
        """Any value that the program wants to keep with the object. Default: None. Refreshing does
        not affect it.

        A reference to the object in its own user_data keeps it alive.
        """
        return registry.registered(functions.pinview_object_userdata(self.handle))

    @user_data.setter
    def user_data(self, value: Any) -> None:
        number = None if value is None else registry.register(value)
        try:
            call(functions.pinview_object_set_userdata, self.handle, number, registry.free)
        except BaseException:
            registry.unregister(number)
            raise

    # Used by the live views of to-many relationships.

    def _count(self, prop: Property) -> int:
        return int(call_for(c_uint64, functions.pinview_object_related_object_count, self.handle, prop.key).value)

    def _contains(self, prop: Property, item: ManagedObject) -> bool:
        block, name = block_of(self), name_of(item)
        block.check()
        function = functions.pinview_object_block_contains_related_object
        return bool(call_for(c_int32, function, block.handle, prop.index, place_of(self), name).value)

    def _members(self, prop: Property) -> list[ManagedObject]:
        return lazy.members.members_at(block_of(self), prop, place_of(self))

    def _members_in(self, prop: Property, index: int | slice) -> Any:
        return lazy.members.members_in(self, prop, index)

    def _add(self, prop: Property, items: Sequence[ManagedObject]) -> None:
        self._change(functions.pinview_object_block_add_related_objects, prop, items)

    def _remove(self, prop: Property, items: Sequence[ManagedObject]) -> None:
        self._change(functions.pinview_object_block_remove_related_objects, prop, items)

    def _change(self, function: Any, prop: Property, items: Sequence[ManagedObject]) -> None:
        block = block_of(self)
        block.check()
        names = (c_uint64 * len(items))(*[name_of(_checked(self, prop, item)) for item in items])
        call(function, block.handle, prop.index, place_of(self), names, len(items))

    def _insert(self, prop: Property, item: ManagedObject, index: int) -> None:
        _checked(self, prop, item)
        count = self._count(prop)
        place = max(0, min(index if index >= 0 else count + index, count - self._contains(prop, item)))
        call(functions.pinview_object_insert_related_object, self.handle, prop.key, item.handle, place)

    def _replace(self, prop: Property, items: Sequence[ManagedObject]) -> None:
        row = handles([_checked(self, prop, item) for item in items], "ManagedObject")
        call(functions.pinview_object_set_related_objects, self.handle, prop.key, row, len(row))

    def to_dict(self, *names: str) -> dict[str, Any]:
        """The values of some properties by name; by default those of all attributes, composite ones
        as dictionaries.
        """
        return {name: self._shown(name) for name in names or self._entity.attribute_names}

    def snapshot(self) -> Snapshot:
        """The object's present values, independent of its context; see Snapshot."""
        entity = self._entity
        names = [name for name, prop in entity.properties.items() if not prop.to_many]
        values = dict(zip(names, self.values(*names)))
        for name in names:
            if not entity.properties[name].is_attribute:
                values[name] = None if values[name] is None else values[name].uri
        if self._declaration is not None:
            values.update({name: getattr(self, name) for name in entity.attributes if name not in _OWN_NAMES})
        values.update({name: lazy.composites.composite_value(each, values) for name, each in entity.composites.items() if "." not in name})
        return lazy.snapshots.Snapshot(entity.name, self.object_id.uri, values)

    def __repr__(self) -> str:
        """The object's URI and its first values, shortened. A fault stays a fault."""
        try:
            identity = f"{self._entity.name} {self.object_id.uri}"
            if self.is_fault:
                return f"<{identity} fault>"
            shown = self._stored_names()
            values = [f"{name}={lazy.showing.short(self._shown(name))}" for name in shown[:_SHOWN]]
            return f"<{' '.join([identity, *values, *(['…'] if len(shown) > _SHOWN else [])])}>"
        except Error as error:
            return f"<{self._entity.name} ({type(error).__name__})>"

    def _stored_names(self) -> list[str]:
        entity = self._entity
        return [name for name in entity.attribute_names if name in entity.composites or not entity.properties[name].transient]

    def _shown(self, name: str) -> Any:
        """The value of a property as the class has it; the methods of the class do not hide it."""
        return self[name] if name in _OWN_NAMES else getattr(self, name)

    def _repr_html_(self) -> str:
        """For notebooks: the object's values as a table. A fault is shown without values."""
        names = [] if self.is_fault else self._stored_names()
        identity = f"{self._entity.name} {self.object_id.uri}"
        return lazy.showing.table(["property", "value"], [(name, self._shown(name)) for name in names], len(names), f"values of {identity}")


# How many values repr() shows.
_SHOWN = 6
_OWN_NAMES = frozenset(name for kind in ManagedObject.__mro__ for name in vars(kind))


def _missing(target: ManagedObject, name: str) -> Any:
    """The value of an attribute that the class does not have: a property."""
    if name.startswith("_"):
        raise AttributeError(f"{type(target).__name__} has no attribute {name!r}")
    if name in _OF_CONTEXTS and name not in target:
        raise UnknownKeyError(
            f"{type(target).__name__} objects have no {name}(); their context does: {_OF_CONTEXTS[name]}.", code=17, key=name
        )
    return target[name]


# What other libraries have as methods of objects.
_OF_CONTEXTS = {"save": "context.save()", "delete": "context.delete(object)", "refresh": "context.refresh(object)"}


def _set(target: ManagedObject, name: str, value: Any) -> None:
    block = target._view.block
    if block is not None and name not in _OWN_NAMES:
        prop = block.entity.properties.get(name)
        if prop is not None and target._declaration is not None:
            set_plainly(target, name, value)  # by the descriptor, which may convert the value
            return
        if prop is not None and prop.is_attribute:
            block.write(target, prop, value)
            return
    if name in _OWN_NAMES or (name not in target._entity.properties and hasattr(type(target), name)):
        set_plainly(target, name, value)
    else:
        target[name] = value


def _write(target: ManagedObject, name: str, value: Any) -> None:
    """Sets an attribute to a value that the accelerator does not encode itself."""
    block = block_of(target)
    block.write(target, block.entity.properties[name], value)


def _read_values(target: ManagedObject, names: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of properties of which not all have been read."""
    return read_row(functions.pinview_object_values, target.handle, [target._property(name).index for name in names])


fallbacks.get_attribute, fallbacks.set_attribute, fallbacks.read_values = _missing, _set, _read_values
connect(get_attribute=_missing, set_attribute=_set, read_values=_read_values, write=_write)


# Properties as attributes. Members that the class defines itself take precedence.


def read(target: ManagedObject, prop: Property) -> Any:
    """The value of an attribute or to-one relationship, from the columns of the object's block if
    they are valid.
    """
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
        following.note_read(place)
        set_view(target, following)
        view = following
    try:
        value = view[prop.name][target._place]
    except KeyError:
        return block_of(target).read(target, prop)
    return value if prop.is_attribute else view.block.destination(view, prop.name, target._place)


def add_properties(kind: type[ManagedObject], entity: EntityInfo) -> None:
    """Adds descriptors for the properties of an entity to the class of its objects."""
    for name in entity.composites:
        if "." not in name and not hasattr(kind, name):
            setattr(kind, name, ToMany(name))
    for name, prop in entity.properties.items():
        if "." not in name and not hasattr(kind, name):
            general = prop.to_many or prop.value_transformer is not None
            setattr(kind, name, (ToMany if general else Attribute if prop.is_attribute else ToOne)(name))


def class_for(entity: EntityInfo) -> type[ManagedObject]:
    """Makes the class of an entity for which the program has none."""
    made = type(entity.name, (ManagedObject,), {"__slots__": (), "__doc__": ManagedObject.__doc__, "__module__": ManagedObject.__module__})
    add_properties(made, entity)
    return made


def _checked(owner: ManagedObject, prop: Property, item: Any) -> ManagedObject:
    if not isinstance(item, ManagedObject):
        raise WrongTypeError(
            f"Members of {owner.entity.name}.{prop.name} must be objects of {prop.destination}, got {type(item).__name__}."
        )
    return item


add_object_class(ManagedObject)
classes.make, classes.add_properties = class_for, add_properties
