"""Models: which entities there are, with which attributes and relationships."""

from __future__ import annotations

import datetime
import os
import stat
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, sizeof
from typing import TYPE_CHECKING, Any, TypeVar

from ._ffi import prototypes as _prototypes
from ._ffi.calls import call, call_for_handle, call_for_text
from ._ffi.convert import plain_bytes, seconds_since_reference_date
from ._ffi.handles import Managed, value_text
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_PROPERTY_OPTIONAL,
    PINVIEW_PROPERTY_ORDERED,
    PINVIEW_PROPERTY_RELATIONSHIP,
    PINVIEW_PROPERTY_TO_MANY,
    PINVIEW_PROPERTY_TRANSIENT,
    pinview_property,
    pinview_string,
)
from ._ffi.values import string, text
from ._objects.hooks import FALLIBLE, NOTICES, EntityHooks, classes_of, set_hooks
from ._support.records import field, record
from .errors import InvalidArgumentError, ModelError, UnknownEntityError, UnknownKeyError

if TYPE_CHECKING:
    from .fetching import FetchRequest
    from .managed_object import ManagedObject

_Class = TypeVar("_Class", bound="ManagedObject")

_COMMON = {"renaming_identifier": "renamingIdentifier", "version_hash_modifier": "versionHashModifier", "user_info": "userInfo"}


def _json_value(value: Any, what: str) -> Any:
    """A default or a bound in the form in which models write it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
        return value
    if isinstance(value, datetime.datetime):
        return seconds_since_reference_date(value)
    # Not every program needs these modules.
    import decimal
    import uuid

    if isinstance(value, decimal.Decimal):
        return decimal.Decimal.__str__(value)
    if isinstance(value, uuid.UUID):
        return uuid.UUID.__str__(value).upper()
    if isinstance(value, (bytes, bytearray, memoryview)):
        import base64

        return base64.b64encode(plain_bytes(value)).decode("ascii")
    raise ModelError(f"{what} is a {type(value).__name__}, which no attribute can hold.")


@record(frozen=True)
class Attribute:
    """An attribute of an entity.

    Types: integer16, integer32, integer64, decimal, double, float, string, boolean, date, binaryData, uuid, uri, transformable, and
    undefined for transient ones. `minimum_value` and `maximum_value` bound numbers and dates, the lengths and the regular expression
    (in ICU's syntax) strings. `preserves_value_in_history_on_deletion` has the history keep the value of a deleted object, where
    HistoryChange.tombstone() gives it.
    """

    name: str
    type: str
    optional: bool = True
    default: Any = None
    transient: bool = False
    minimum_value: Any = None
    maximum_value: Any = None
    minimum_length: int | None = None
    maximum_length: int | None = None
    regular_expression: str | None = None
    allows_external_binary_data_storage: bool = False
    preserves_value_in_history_on_deletion: bool = False
    renaming_identifier: str | None = None
    version_hash_modifier: str | None = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> dict[str, Any]:
        description: dict[str, Any] = {"name": self.name, "type": self.type, "optional": self.optional, "transient": self.transient}
        for key, value in (("default", self.default), ("minimumValue", self.minimum_value), ("maximumValue", self.maximum_value)):
            if value is not None:
                description[key] = _json_value(value, f"{key} of the attribute {self.name}")
        optional = (
            ("minimumLength", self.minimum_length),
            ("maximumLength", self.maximum_length),
            ("regularExpression", self.regular_expression),
            ("allowsExternalBinaryDataStorage", self.allows_external_binary_data_storage or None),
            ("preservesValueInHistoryOnDeletion", self.preserves_value_in_history_on_deletion or None),
        )
        description.update({key: value for key, value in optional if value is not None})
        return _with_common(self, description)


@record(frozen=True)
class Relationship:
    """A relationship of an entity to another one, with its inverse there.

    Delete rules: nullify, cascade, deny, noAction. A maximum count of 0 stands for no bound.
    """

    name: str
    destination: str
    inverse: str | None = None
    to_many: bool = False
    ordered: bool = False
    delete_rule: str = "nullify"
    optional: bool = True
    minimum_count: int = 0
    maximum_count: int = 0
    transient: bool = False
    renaming_identifier: str | None = None
    version_hash_modifier: str | None = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> dict[str, Any]:
        description: dict[str, Any] = {
            "name": self.name,
            "destination": self.destination,
            "toMany": self.to_many,
            "ordered": self.ordered,
            "deleteRule": self.delete_rule,
            "optional": self.optional,
            "minimumCount": self.minimum_count,
            "maximumCount": self.maximum_count,
            "transient": self.transient,
        }
        if self.inverse is not None:
            description["inverse"] = self.inverse
        return _with_common(self, description)


@record(frozen=True)
class FetchedProperty:
    """A property whose value is the list of objects that a request finds: fetched at its first use, kept until the object is refreshed.

    It cannot be set, and is no part of the store. In the predicate `$FETCH_SOURCE` is the object that has the property, as in
    `"city == $FETCH_SOURCE.city"`; `$FETCHED_PROPERTY.name` and `$FETCHED_PROPERTY.userInfo.KEY` are of the property itself.
    """

    name: str
    request: FetchRequest
    renaming_identifier: str | None = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> dict[str, Any]:
        from ._requests.templates import request_description

        description: dict[str, Any] = {"name": self.name, "fetchRequest": request_description(self.request)}
        if self.renaming_identifier is not None:
            description["renamingIdentifier"] = self.renaming_identifier
        if self.user_info:
            description["userInfo"] = dict(self.user_info)
        return description


@record(frozen=True)
class Index:
    """An index over attributes; a name with a minus sign in front is indexed in descending order."""

    name: str
    attributes: Sequence[str]

    def _description(self) -> dict[str, Any]:
        elements = [{"property": name.lstrip("-"), "ascending": not name.startswith("-")} for name in self.attributes]
        return {"name": self.name, "elements": elements}


@record(frozen=True)
class Entity:
    """An entity: a kind of object. A sub-entity, one with a parent, has the parent's properties as well."""

    name: str
    attributes: Sequence[Attribute] = ()
    relationships: Sequence[Relationship] = ()
    parent: str | None = None
    abstract: bool = False
    uniqueness_constraints: Sequence[Sequence[str]] = ()
    indexes: Sequence[Index] = ()
    renaming_identifier: str | None = None
    version_hash_modifier: str | None = None
    user_info: Mapping[str, str] = field(default_factory=dict)
    fetched_properties: Sequence[FetchedProperty] = ()

    def _description(self) -> dict[str, Any]:
        description: dict[str, Any] = {
            "name": self.name,
            "abstract": self.abstract,
            "attributes": _descriptions(self.attributes, Attribute),
            "relationships": _descriptions(self.relationships, Relationship),
        }
        if self.parent is not None:
            description["parent"] = self.parent
        if self.uniqueness_constraints:
            description["uniquenessConstraints"] = [list(names) for names in self.uniqueness_constraints]
        if self.indexes:
            description["indexes"] = _descriptions(self.indexes, Index)
        if self.fetched_properties:
            description["fetchedProperties"] = _descriptions(self.fetched_properties, FetchedProperty)
        return _with_common(self, description)


def _descriptions(parts: Iterable[Any], kind: type[Any]) -> list[dict[str, Any]]:
    """What models say of their parts, each of which has to be of a class."""
    for each in parts:
        if not isinstance(each, kind):
            raise TypeError(f"{kind.__name__}s are needed here, not {value_text(each)}.")
    return [each._description() for each in parts]


def _with_common(source: Attribute | Relationship | Entity, description: dict[str, Any]) -> dict[str, Any]:
    for name, key in _COMMON.items():
        value = getattr(source, name)
        if value:
            description[key] = dict(value) if isinstance(value, Mapping) else value
    return description


# What a model tells about itself

_TYPES = {
    _prototypes.PINVIEW_ATTRIBUTE_UNDEFINED: "undefined",
    _prototypes.PINVIEW_ATTRIBUTE_INTEGER_16: "integer16",
    _prototypes.PINVIEW_ATTRIBUTE_INTEGER_32: "integer32",
    _prototypes.PINVIEW_ATTRIBUTE_INTEGER_64: "integer64",
    _prototypes.PINVIEW_ATTRIBUTE_DECIMAL: "decimal",
    _prototypes.PINVIEW_ATTRIBUTE_DOUBLE: "double",
    _prototypes.PINVIEW_ATTRIBUTE_FLOAT: "float",
    _prototypes.PINVIEW_ATTRIBUTE_STRING: "string",
    _prototypes.PINVIEW_ATTRIBUTE_BOOLEAN: "boolean",
    _prototypes.PINVIEW_ATTRIBUTE_DATE: "date",
    _prototypes.PINVIEW_ATTRIBUTE_BINARY: "binaryData",
    _prototypes.PINVIEW_ATTRIBUTE_UUID: "uuid",
    _prototypes.PINVIEW_ATTRIBUTE_URI: "uri",
    _prototypes.PINVIEW_ATTRIBUTE_TRANSFORMABLE: "transformable",
}
_DELETE_RULES = {
    _prototypes.PINVIEW_DELETE_NO_ACTION: "noAction",
    _prototypes.PINVIEW_DELETE_NULLIFY: "nullify",
    _prototypes.PINVIEW_DELETE_CASCADE: "cascade",
    _prototypes.PINVIEW_DELETE_DENY: "deny",
}


@record(frozen=True)
class Property:
    """A property of an entity, as the library sees it."""

    name: str
    index: int
    """Its place among the properties of the entity; the same in sub-entities."""
    optional: bool
    transient: bool
    type: str | None = None
    """The type of an attribute, as in Attribute; None for a relationship."""
    destination: str | None = None
    inverse: str | None = None
    to_many: bool = False
    ordered: bool = False
    delete_rule: str | None = None
    minimum_count: int = 0
    maximum_count: int = 0
    is_attribute: bool = True
    """Whether it is an attribute, not a relationship."""
    key: pinview_string = field(default_factory=pinview_string, repr=False, compare=False)
    """The name as the library takes it."""


@record(frozen=True, eq=False)
class EntityInfo:
    """An entity of a model, as the library sees it, with the properties it has from its parents."""

    name: str
    parent: str | None
    abstract: bool
    properties: Mapping[str, Property]
    model: EntityTable = field(repr=False, compare=False)
    """All entities of the model by name."""
    has_subentities: bool = False
    fetched_properties: Mapping[str, str] = field(default_factory=dict)
    """The names of the entities that the fetched properties find, by the names of these; they are not among the properties."""

    @property
    def object_class(self) -> type[ManagedObject]:
        """The class of the entity's objects: its own, that of the nearest ancestor that has one, or ManagedObject."""
        known = self.model.resolved.get(self.name)
        return self.model.resolve(self) if known is None else known

    def property_named(self, name: str) -> Property:
        """A property by name; an UnknownKeyError when there is none."""
        try:
            return self.properties[name]
        except (KeyError, TypeError):
            known = isinstance(name, str) and name in self.fetched_properties
            raise UnknownKeyError(
                f"{self.name}.{name} is a fetched property: it can be read, and nothing else."
                if known
                else f"The entity {self.name} has no property {name!r}.",
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

    def __repr__(self) -> str:
        return f"<Entity {self.name}>"


class EntityTable(dict[str, EntityInfo]):
    """The entities of a model by name: one table for each model."""

    __slots__ = ("__weakref__", "classes", "resolved")

    def __init__(self, identity: int) -> None:
        super().__init__()
        # The classes of objects, for the entities that were given one.
        self.classes = classes_of(identity)
        # The class of each entity that has been asked for.
        self.resolved: dict[str, type[ManagedObject]] = {}

    def resolve(self, entity: EntityInfo) -> type[ManagedObject]:
        """The class of an entity's objects."""
        from .managed_object import add_properties, class_for

        ancestor: EntityInfo | None = entity
        while ancestor is not None and ancestor.name not in self.classes:
            ancestor = self.get(ancestor.parent or "")
        if ancestor is None:
            kind = class_for(entity)
        else:
            kind = self.classes[ancestor.name]
            add_properties(kind, entity)
        self.resolved[entity.name] = kind
        return kind


# By the identity of their model.
_tables: weakref.WeakValueDictionary[int, EntityTable] = weakref.WeakValueDictionary()

os.register_at_fork(after_in_child=_tables.clear)


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


class Model(Managed, release="pinview_model_release"):
    """Which entities there are, and the hooks of their objects. Immutable once in use; usable by several coordinators and threads.

    Args:
        entities: the entities; a relationship and its inverse name each other.
        configurations: names for groups of entities, for stores that hold only some.
        version_identifiers: names for this version of the model.
        fetch_requests: requests by name, with variables such as $NAME in their predicates; see fetch_request_from_template().
    """

    __slots__ = ("_entities",)

    _entities: EntityTable

    def __init__(
        self,
        entities: Sequence[Entity],
        *,
        configurations: Mapping[str, Sequence[str]] | None = None,
        version_identifiers: Sequence[str] = (),
        fetch_requests: Mapping[str, FetchRequest] | None = None,
    ) -> None:
        description: dict[str, Any] = {"entities": _descriptions(entities, Entity)}
        if configurations:
            description["configurations"] = {name: list(names) for name, names in configurations.items()}
        if version_identifiers:
            description["versionIdentifiers"] = list(version_identifiers)
        self._adopt(_model_of_json(_json(description)))
        for name, request in (fetch_requests or {}).items():
            self.set_fetch_request_template(name, request)

    def _adopt(self, handle: int) -> None:
        super().__init__(handle)
        self._entities = table_of(handle)

    @classmethod
    def _of(cls, handle: int | None) -> Model:
        """The model of a handle, whose reference is taken over."""
        model = cls.__new__(cls)
        model._adopt(handle or 0)
        return model

    @classmethod
    def from_json(cls, text: str | bytes) -> Model:
        """Reads a model from JSON text.

        The form: `{"entities": [{"name": "Person", "attributes": [{"name": "age", "type": "integer64", "default": 0}], "relationships":
        [{"name": "cars", "destination": "Car", "inverse": "owner", "toMany": true}]}, …]}`. The other keys are those of Entity,
        Attribute and Relationship in camel case.
        """
        return cls._of(_model_of_json(text))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a model from a JSON file, which has to be a regular file: a FIFO would keep the caller waiting for a writer."""
        with open(os.fspath(path), "rb", opener=_open_regular) as file:  # a number would be an open file, which is not ours to close
            return cls.from_json(file.read())

    def to_json(self) -> str:
        """The model as JSON, from which from_json() makes an equal model."""
        return call_for_text(functions.pinview_model_json, self.handle) or ""

    @property
    def entities(self) -> tuple[EntityInfo, ...]:
        """The entities in the order of their numbers in the store."""
        return tuple(self._entities.values())

    def entity(self, name: str) -> EntityInfo:
        """An entity by name."""
        try:
            return self._entities[name]
        except KeyError:
            raise UnknownEntityError(f"The model has no entity {name!r}.", domain="PinviewErrorDomain", code=16) from None

    def set_fetch_request_template(self, name: str, request: FetchRequest | None) -> None:
        """Keeps a request under a name; None takes it away. Its predicate may have variables such as $NAME.

        Templates are part of the model's JSON. Once a coordinator has been made with the model they stay.
        """
        from ._requests.templates import set_template

        set_template(self, name, request)

    def fetch_request_template(self, name: str) -> FetchRequest | None:
        """A template with its variables; None when there is none of the name."""
        from ._requests.templates import template

        return template(self, name)

    @property
    def fetch_request_templates(self) -> dict[str, FetchRequest]:
        """All templates by name."""
        from ._requests.templates import template, template_names

        found = {name: template(self, name) for name in template_names(self)}
        return {name: request for name, request in found.items() if request is not None}

    def fetch_request_from_template(self, name: str, variables: Mapping[str, Any] = {}, /, **more: Any) -> FetchRequest:
        """A request made from a template, with values for its variables: `model.fetch_request_from_template("older", AGE=30)`.

        An UnknownKeyError for a name that no template has, a PredicateError for a variable without a value.
        """
        from ._requests.templates import request_from_template

        return request_from_template(self, name, {**variables, **more})

    def set_hooks(
        self, entity: str, *, validate_property: Mapping[str, Callable[[Any, Any], Any]] | None = None, **hooks: Callable[[Any], Any]
    ) -> None:
        """Has functions called at turning points in the life of an entity's objects, with the object: `awake_from_fetch=…`.

        The names are those of the methods of EntityHooks; the checks in `validate_property` are called with the object and the
        property's value. Hooks belong to the model and are set before a coordinator is made with it. What an entity lacks it
        has from its parent.
        """
        set_hooks(self, entity, hooks, validate_property or {})

    def entity_class(self, entity: str) -> Callable[[type[_Class]], type[_Class]]:
        """Makes a class, derived from ManagedObject, that of an entity's objects, and of those of its sub-entities without one.

            @model.entity_class("Person")
            class Person(pinview.ManagedObject):
                def awake_from_fetch(self):
                    self.full_name = f"{self.first_name} {self.last_name}"

                def validate_age(self, age):
                    if age == 13: raise ValueError("unlucky")

        Its methods with the names of EntityHooks are the hooks of the entity; validate_<property> checks a property. It may have
        more methods, but no instance variables: `user_data` is the place for those.
        """

        def register(kind: type[_Class]) -> type[_Class]:
            from .managed_object import ManagedObject

            if not (isinstance(kind, type) and issubclass(kind, ManagedObject)):
                raise InvalidArgumentError(f"The class of {entity}, {kind!r}, does not derive from pinview.ManagedObject.")
            own = {name: getattr(kind, name) for name in (*FALLIBLE, *NOTICES)}
            checks = {name: getattr(kind, f"validate_{name}", None) for name in self.entity(entity).properties}
            set_hooks(
                self,
                entity,
                {name: function for name, function in own.items() if function is not getattr(EntityHooks, name)},
                {name: function for name, function in checks.items() if function is not None},
                kind,
            )
            return kind

        return register

    def __contains__(self, name: object) -> bool:
        return name in self._entities

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return bool(functions.pinview_model_is_equal(self.handle, other.handle))

    def __hash__(self) -> int:
        return hash(frozenset(self._entities))

    def _described(self) -> str:
        return ", ".join(self._entities)


def _open_regular(path: str, flags: int) -> int:
    """An opener for open() that waits for nobody. A folder is left to open(), which has an error for it."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return descriptor
    os.close(descriptor)
    what = "a FIFO" if stat.S_ISFIFO(mode) else "a device"
    raise InvalidArgumentError(f"The model file {path!r} is {what}, not a regular file.")


def _json(description: dict[str, Any]) -> str:
    try:
        import json

        return json.dumps(description, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The model has a part that cannot be written down: {error}.") from None


def _model_of_json(document: str | bytes) -> int:
    if isinstance(document, (bytes, bytearray)):
        content = pinview_string(bytes(document), len(document))
    else:
        content = string(document)
    return call_for_handle(functions.pinview_model_release, functions.pinview_model_create_from_json, content) or 0


def described_entities(model: int) -> EntityTable:
    """What a model tells about its entities."""
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
                }
            )
        finally:
            functions.pinview_entity_release(handle)
    parents = {entity["parent"] for entity in entities}
    for entity in entities:
        table[entity["name"]] = EntityInfo(**entity, model=table, has_subentities=entity["name"] in parents)
    return table


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
