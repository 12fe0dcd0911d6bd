"""The entities of a model and their properties, as the library describes them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import byref, sizeof

from .._ffi import prototypes
from .._ffi.calls import call, call_for_handle, call_for_text
from .._ffi.library import functions
from .._ffi.prototypes import (
    PINVIEW_PROPERTY_OPTIONAL,
    PINVIEW_PROPERTY_ORDERED,
    PINVIEW_PROPERTY_RELATIONSHIP,
    PINVIEW_PROPERTY_TO_MANY,
    PINVIEW_PROPERTY_TRANSIENT,
    pinview_composite,
    pinview_property,
    pinview_string,
)
from .._ffi.values import string, text
from .._support import lazy, process
from .._support.annotating import Any
from .._support.forward import ManagedObject
from .._support.records import field, record
from ..errors import UnknownKeyError

_TYPES = {
    prototypes.PINVIEW_ATTRIBUTE_UNDEFINED: "undefined",
    prototypes.PINVIEW_ATTRIBUTE_INTEGER_16: "integer16",
    prototypes.PINVIEW_ATTRIBUTE_INTEGER_32: "integer32",
    prototypes.PINVIEW_ATTRIBUTE_INTEGER_64: "integer64",
    prototypes.PINVIEW_ATTRIBUTE_DECIMAL: "decimal",
    prototypes.PINVIEW_ATTRIBUTE_DOUBLE: "double",
    prototypes.PINVIEW_ATTRIBUTE_FLOAT: "float",
    prototypes.PINVIEW_ATTRIBUTE_STRING: "string",
    prototypes.PINVIEW_ATTRIBUTE_BOOLEAN: "boolean",
    prototypes.PINVIEW_ATTRIBUTE_DATE: "date",
    prototypes.PINVIEW_ATTRIBUTE_BINARY: "binaryData",
    prototypes.PINVIEW_ATTRIBUTE_UUID: "uuid",
    prototypes.PINVIEW_ATTRIBUTE_URI: "uri",
    prototypes.PINVIEW_ATTRIBUTE_TRANSFORMABLE: "transformable",
    prototypes.PINVIEW_ATTRIBUTE_COMPOSITE: "composite",
}
_DELETE_RULES = {
    prototypes.PINVIEW_DELETE_NO_ACTION: "noAction",
    prototypes.PINVIEW_DELETE_NULLIFY: "nullify",
    prototypes.PINVIEW_DELETE_CASCADE: "cascade",
    prototypes.PINVIEW_DELETE_DENY: "deny",
}


@record(frozen=True)
class Property:
    """An attribute or relationship of an entity, as the library describes it."""

    name: str
    """The name. For an element of a composite attribute a key path: "location.latitude"."""
    index: int
    """The index among the properties of the entity. Sub-entities have the same index for it."""
    optional: bool
    """Whether the value can be None, or the relationship empty."""
    transient: bool
    """Whether it is kept in memory only."""
    type: str | None = None
    """The type of an attribute, as in Attribute; None for a relationship."""
    destination: str | None = None
    """The name of a relationship's destination entity."""
    inverse: str | None = None
    """The name of a relationship's inverse."""
    to_many: bool = False
    """Whether it is a to-many relationship."""
    ordered: bool = False
    """Whether it is an ordered relationship."""
    delete_rule: str | None = None
    """The delete rule of a relationship."""
    minimum_count: int = 0
    """The minimum number of members of a relationship."""
    maximum_count: int = 0
    """The maximum number of members of a relationship; 0 for no limit."""
    is_attribute: bool = True
    """Whether it is an attribute rather than a relationship."""
    value_transformer: str | None = None
    """The name of a transformable attribute's transformer; see set_value_transformer()."""
    key: pinview_string = field(default_factory=pinview_string, repr=False, compare=False)
    """The name as a string of the library."""


@record(frozen=True)
class CompositeAttribute:
    """A composite attribute of an entity: a name for several attributes, its elements, which are
    properties of the entity with key paths as names.
    """

    name: str
    """The name. For one inside another a key path: "place.location"."""
    optional: bool
    """Whether a saved object may be without a value here."""
    leaves: tuple[str, ...]
    """The names of the elements, including those of composite attributes inside it."""


@record(frozen=True, eq=False)
class EntityInfo:
    """An entity of a model, as the library describes it, including the properties that it
    inherits.
    """

    name: str
    """The name."""
    parent: str | None
    """The name of the parent entity."""
    abstract: bool
    """Whether the entity has no objects of its own."""
    properties: Mapping[str, Property]
    """The attributes and relationships by name."""
    model: EntityTable = field(repr=False, compare=False)
    """All entities of the model by name."""
    has_subentities: bool = False
    """Whether the entity has sub-entities."""
    fetched_properties: Mapping[str, str] = field(default_factory=dict)
    """The names of the entities that the fetched properties return, by name of the property."""
    composites: Mapping[str, CompositeAttribute] = field(default_factory=dict)
    """The composite attributes by name. Their elements are among the properties."""

    @property
    def object_class(self) -> type[ManagedObject]:
        """The class of the entity's objects: the one registered for it or its nearest ancestor, or
        else a generated one.
        """
        known = self.model.resolved.get(self.name)
        return self.model.resolve(self) if known is None else known

    def property_named(self, name: str) -> Property:
        """The property of a name; raises UnknownKeyError if there is none."""
        try:
            return self.properties[name]
        except (KeyError, TypeError):
            if isinstance(name, str) and name in self.composites:
                raise UnknownKeyError(
                    f"{self.name}.{name} is a composite attribute: its elements are stored, not itself. Name one of them: "
                    f"{', '.join(self.composites[name].leaves)}.",
                    domain="PinviewErrorDomain",
                    code=17,
                    key=name,
                ) from None
            known = isinstance(name, str) and name in self.fetched_properties
            hint = lazy.near_misses.near_miss(name, [*self.properties, *self.fetched_properties])
            raise UnknownKeyError(
                f"{self.name}.{name} is a fetched property, which can only be read."
                if known
                else f"The entity {self.name} has no property {name!r}{hint}.",
                domain="PinviewErrorDomain",
                code=17,
                key=str(name),
            ) from None

    @property
    def attributes(self) -> dict[str, Property]:
        """The attributes by name."""
        return {name: prop for name, prop in self.properties.items() if prop.is_attribute}

    @property
    def relationships(self) -> dict[str, Property]:
        """The relationships by name."""
        return {name: prop for name, prop in self.properties.items() if not prop.is_attribute}

    @property
    def attribute_names(self) -> list[str]:
        """The names of the attributes, with composite attributes in place of their elements."""
        return [name for name in self._outer_names if name in self.composites or self.properties[name].is_attribute]

    @property
    def _outer_names(self) -> list[str]:
        """The names of the properties, with composite attributes in place of their elements."""
        return list(dict.fromkeys(name.partition(".")[0] for name in self.properties))

    def __repr__(self) -> str:
        return f"<Entity {self.name}>"


def entity_name(entity: Any) -> Any:
    """The name of the entity that a declared class stands for; anything else unchanged."""
    declaration = getattr(entity, "_declaration", None)
    return entity if declaration is None or not isinstance(entity, type) else declaration.entity


class Classes:
    """How classes of objects are made. `managed_object` sets these."""

    make: Callable[[EntityInfo], type[ManagedObject]]
    """Makes the class of an entity for which the program has none."""
    add_properties: Callable[[type[ManagedObject], EntityInfo], None]
    """Adds to a class the attributes that read and set the properties of an entity."""


classes: Classes = Classes()


class Registration:
    """The hooks and classes that the program has registered for the entities of one model."""

    def __init__(self) -> None:
        self.classes: dict[str, type[ManagedObject]] = {}
        self.hooked: set[str] = set()
        # Entities with a hook for insertions.
        self.awaking: set[str] = set()


# By the identity of the model, for models with hooks or classes.
registrations: dict[int, Registration] = {}


class EntityTable(dict[str, EntityInfo]):
    """The entities of a model by name. Each model has a single table."""

    __slots__ = ("__weakref__", "awaking", "classes", "listed", "resolved")

    def __init__(self, identity: int) -> None:
        super().__init__()
        # In the library's order.
        self.listed: list[EntityInfo] = []
        # The registered classes, by entity.
        registration = registrations.get(identity)
        self.classes: dict[str, type[ManagedObject]] = {} if registration is None else registration.classes
        # The entities with a hook for insertions.
        self.awaking: set[str] = set() if registration is None else registration.awaking
        # The classes of the entities that have been asked for.
        self.resolved: dict[str, type[ManagedObject]] = {}

    def resolve(self, entity: EntityInfo) -> type[ManagedObject]:
        """The class of an entity's objects."""
        ancestor: EntityInfo | None = entity
        while ancestor is not None and ancestor.name not in self.classes:
            ancestor = self.get(ancestor.parent or "")
        if ancestor is None:
            kind = classes.make(entity)
        else:
            kind = self.classes[ancestor.name]
            classes.add_properties(kind, entity)
        self.resolved[entity.name] = kind
        return kind


# Of a context without a coordinator.
NO_ENTITIES = EntityTable(0)

# By the identity of the model.
_tables: weakref.WeakValueDictionary[int, EntityTable] = weakref.WeakValueDictionary()

process.in_child(_tables.clear)
process.in_child(registrations.clear)


def known_table(identity: int) -> EntityTable | None:
    """The table of a model by its identity, if there is one."""
    return _tables.get(identity)


def table_of(model: int) -> EntityTable:
    """The table of a model."""
    identity = functions.pinview_model_identity(model)
    table = _tables.get(identity)
    if table is None:
        table = _tables[identity] = described_entities(model)
    return table


def described_entities(model: int) -> EntityTable:
    """Asks the library for the entities of a model."""
    table = EntityTable(functions.pinview_model_identity(model))
    entities: list[dict[str, Any]] = []
    for index in range(functions.pinview_model_entity_count(model)):
        handle = call_for_handle(functions.pinview_entity_release, functions.pinview_model_entity, model, index) or 0
        try:
            entities.append(
                {
                    "name": text(functions.pinview_entity_name(handle)) or "",
                    "parent": text(functions.pinview_entity_parent_name(handle)),
                    "abstract": bool(functions.pinview_entity_is_abstract(handle)),
                    "properties": _described_properties(handle),
                    "fetched_properties": _described_fetched_properties(handle),
                    "composites": _described_composites(handle),
                }
            )
        finally:
            functions.pinview_entity_release(handle)
    if any(prop.type == "date" for entity in entities for prop in entity["properties"].values()):
        lazy.dates.prepare()
    _add_transformers(model, entities)
    parents = {entity["parent"] for entity in entities}
    for entity in entities:
        described = EntityInfo(**entity, model=table, has_subentities=entity["name"] in parents)
        table[described.name] = described
        table.listed.append(described)
    return table


def _add_transformers(model: int, entities: list[dict[str, Any]]) -> None:
    """Completes transformable attributes with the names of their transformers."""
    if not any(prop.type == "transformable" for entity in entities for prop in entity["properties"].values()):
        return
    described = lazy.json.loads(call_for_text(functions.pinview_model_json, model) or "{}")
    own = {entity["name"]: dict(_transformers(entity.get("attributes", ()))) for entity in described.get("entities", ())}
    by_name = {entity["name"]: entity for entity in entities}
    for entity in entities:
        for name, prop in entity["properties"].items():
            if prop.type != "transformable":
                continue
            declaring: dict[str, Any] | None = entity
            while declaring is not None and name not in own.get(declaring["name"], {}):
                declaring = by_name.get(declaring["parent"] or "")
            if declaring is not None:
                entity["properties"][name] = lazy.dataclasses.replace(prop, value_transformer=own[declaring["name"]][name])


def _transformers(attributes: Iterable[Mapping[str, Any]], prefix: str = "") -> Iterator[tuple[str, str | None]]:
    """The names of attributes in a model's JSON and of their transformers."""
    for each in attributes:
        name = prefix + each["name"]
        if each.get("elements"):
            yield from _transformers(each["elements"], name + ".")
        else:
            yield name, each.get("valueTransformerName")


def _described_composites(entity: int) -> dict[str, CompositeAttribute]:
    count = functions.pinview_entity_composite_count(entity)
    if not count:
        return {}
    described = pinview_composite(struct_size=sizeof(pinview_composite))
    names = list(_described_properties(entity))
    composites: dict[str, CompositeAttribute] = {}
    for index in range(count):
        call(functions.pinview_entity_composite, entity, index, byref(described))
        name, first = text(described.name) or "", described.first_index
        leaves = tuple(names[first : first + described.element_count])
        composites[name] = CompositeAttribute(name, bool(described.flags & PINVIEW_PROPERTY_OPTIONAL), leaves)
    return composites


def _described_fetched_properties(entity: int) -> dict[str, str]:
    name, destination = pinview_string(), pinview_string()
    properties: dict[str, str] = {}
    for index in range(functions.pinview_entity_fetched_property_count(entity)):
        call(functions.pinview_entity_fetched_property, entity, index, byref(name), byref(destination))
        properties[text(name) or ""] = text(destination) or ""
    return properties


def _described_properties(entity: int) -> dict[str, Property]:
    described = pinview_property(struct_size=sizeof(pinview_property))
    properties: dict[str, Property] = {}
    for index in range(functions.pinview_entity_property_count(entity)):
        call(functions.pinview_entity_property, entity, index, byref(described))
        name = text(described.name) or ""
        flags = described.flags
        is_attribute = not flags & PINVIEW_PROPERTY_RELATIONSHIP
        properties[name] = Property(
            name=name,
            index=described.index,
            optional=bool(flags & PINVIEW_PROPERTY_OPTIONAL),
            transient=bool(flags & PINVIEW_PROPERTY_TRANSIENT),
            type=_TYPES.get(described.type, "undefined") if is_attribute else None,
            destination=text(described.destination),
            inverse=text(described.inverse),
            to_many=bool(flags & PINVIEW_PROPERTY_TO_MANY),
            ordered=bool(flags & PINVIEW_PROPERTY_ORDERED),
            delete_rule=None if is_attribute else _DELETE_RULES.get(described.delete_rule),
            minimum_count=described.minimum_count,
            maximum_count=described.maximum_count,
            is_attribute=is_attribute,
            key=string(name),
        )
    return properties
