"""Models: entities with their attributes, relationships and fetched properties."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, c_size_t

from ._ffi import prototypes
from ._ffi.calls import call, call_for_handle, call_for_text
from ._ffi.convert import plain_bytes
from ._ffi.handles import Managed, article, value_text
from ._ffi.library import functions
from ._ffi.prototypes import pinview_binary, pinview_string
from ._ffi.values import string, text
from ._objects.entities import EntityInfo, EntityTable, table_of
from ._objects.hooks import FALLIBLE, NOTICES, EntityHooks
from ._support import lazy
from ._support.annotating import Any
from ._support.forward import Class
from ._support.records import field, record
from .errors import InvalidArgumentError, ModelError, UnknownEntityError, WrongTypeError
from .fetching import FetchRequest
from .managed_object import ManagedObject

_COMMON = {"renaming_identifier": "renamingIdentifier", "version_hash_modifier": "versionHashModifier", "user_info": "userInfo"}


def _json_value(value: Any, what: str) -> Any:
    """A default value or a bound in the notation of a model's JSON."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
        return value
    datetime, decimal, uuid = lazy.datetime, lazy.decimal, lazy.uuid
    if isinstance(value, datetime.datetime):
        return lazy.dates.seconds_since_reference_date(value)
    if isinstance(value, decimal.Decimal):
        return decimal.Decimal.__str__(value)
    if isinstance(value, uuid.UUID):
        return uuid.UUID.__str__(value).upper()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return lazy.base64.b64encode(plain_bytes(value)).decode("ascii")
    raise ModelError(f"{what} has type {type(value).__name__}, which no attribute can hold.")


@record(frozen=True)
class Attribute:
    """An attribute of an entity.

    Attributes:
        name: The name.
        type: integer16, integer32, integer64, decimal, double, float, string, boolean, date,
            binaryData, uuid, uri, transformable or composite; undefined for transient attributes
            only.
        optional: Whether the value can be None.
        default: The value of new objects.
        transient: Whether the attribute is kept in memory only.
        minimum_value: The smallest valid number or date.
        maximum_value: The largest valid number or date.
        minimum_length: The minimum length of a string.
        maximum_length: The maximum length of a string.
        regular_expression: A regular expression, in ICU's syntax, that a string must match.
        allows_external_binary_data_storage: Whether large binary data may be stored in files beside
            the store.
        preserves_value_in_history_on_deletion: Whether the history keeps the value of a deleted
            object, for HistoryChange.tombstone().
        renaming_identifier: The name in the model before, for migrations.
        version_hash_modifier: A string that makes the version hash differ.
        user_info: Strings of the program.
        derivation_expression: How the store computes the value ("canonical:(name)",
            "items.@count"), which cannot be set then.
        elements: The attributes that make up a composite one. Each has a column of its own, and a
            key path as its name: "location.latitude".
        value_transformer: The name of a transformable attribute's transformer; see
            set_value_transformer().
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
    derivation_expression: str | None = None
    elements: Sequence[Attribute] = ()
    value_transformer: str | None = None

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
            ("derivationExpression", self.derivation_expression),
            ("valueTransformerName", self.value_transformer),
        )
        description.update({key: value for key, value in optional if value is not None})
        if self.elements:
            description["elements"] = _descriptions(self.elements, Attribute)
        return _with_common(self, description)


@record(frozen=True)
class Relationship:
    """A relationship of an entity to another entity.

    Attributes:
        name: The name.
        destination: The name of the destination entity.
        inverse: The name of the inverse relationship in the destination.
        to_many: Whether it is a to-many relationship.
        ordered: Whether a to-many relationship is ordered.
        delete_rule: nullify, cascade, deny or noAction.
        optional: Whether the relationship can be empty.
        minimum_count: The minimum number of members.
        maximum_count: The maximum number of members; 0 for no limit.
        transient: Whether the relationship is kept in memory only.
        renaming_identifier: The name in the model before, for migrations.
        version_hash_modifier: A string that makes the version hash differ.
        user_info: Strings of the program.
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
    """A read-only property whose value is the list of objects that a request finds.

    The list is fetched at its first use and kept until the object is refreshed. It is not part of
    the store. In the predicate, `$FETCH_SOURCE` stands for the object that has the property, as in
    `"city == $FETCH_SOURCE.city"`, and `$FETCHED_PROPERTY` for the property itself:
    `$FETCHED_PROPERTY.name`, `$FETCHED_PROPERTY.userInfo.KEY`.

    Attributes:
        name: The name.
        request: The request. It must fetch objects and cannot name stores.
        renaming_identifier: The name in the model before, for migrations.
        user_info: Strings of the program.
    """

    name: str
    request: FetchRequest
    renaming_identifier: str | None = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> dict[str, Any]:
        description: dict[str, Any] = {"name": self.name, "fetchRequest": lazy.templates.request_description(self.request)}
        if self.renaming_identifier is not None:
            description["renamingIdentifier"] = self.renaming_identifier
        if self.user_info:
            description["userInfo"] = dict(self.user_info)
        return description


@record(frozen=True)
class Index:
    """An index of an entity.

    Attributes:
        name: The name.
        attributes: The names of the attributes. A leading minus sign means descending order.
    """

    name: str
    attributes: Sequence[str]

    def _description(self) -> dict[str, Any]:
        for name in self.attributes:
            if not isinstance(name, str):
                raise TypeError(f"The attributes of an index must be names, got {value_text(name)}.")
        elements = [{"property": name.lstrip("-"), "ascending": not name.startswith("-")} for name in self.attributes]
        return {"name": self.name, "elements": elements}


@record(frozen=True)
class Entity:
    """An entity.

    Attributes:
        name: The name.
        attributes: The attributes.
        relationships: The relationships.
        parent: The name of the parent entity, whose properties this entity inherits.
        abstract: Whether the entity has no objects of its own.
        uniqueness_constraints: Lists of property names whose values must be unique in combination.
        indexes: The indexes.
        renaming_identifier: The name in the model before, for migrations.
        version_hash_modifier: A string that makes the version hash differ.
        user_info: Strings of the program.
        fetched_properties: The fetched properties.
    """

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


def _declared_entity(given: Mapping[str, Any]) -> Entity:
    """The entity of a declared class."""
    parts = {
        "attributes": [Attribute(**each) for each in given["attributes"]],
        "relationships": [Relationship(**each) for each in given["relationships"]],
        "indexes": [Index(**each) for each in given["indexes"]],
    }
    return Entity(**{**given, **parts})


def _descriptions(parts: Iterable[Any], kind: type[Any]) -> list[dict[str, Any]]:
    """The JSON descriptions of parts of a model, which must be instances of a class."""
    for each in parts:
        if not isinstance(each, kind):
            raise TypeError(f"Expected {article(kind.__name__)} {kind.__name__}, got {value_text(each)}.")
    return [each._description() for each in parts]


def _with_common(source: Attribute | Relationship | Entity, description: dict[str, Any]) -> dict[str, Any]:
    for name, key in _COMMON.items():
        value = getattr(source, name)
        if value:
            description[key] = dict(value) if isinstance(value, Mapping) else value
    return description


@record(frozen=True)
class ModelVersions:
    """The versions in a model folder."""

    names: tuple[str, ...]
    """The names, sorted; numbers in them by their values."""
    current: str | None
    """The version that is read if none is named; None if the folder does not say."""


class Model(Managed, release="pinview_model_release"):
    """The entities of a program, and the hooks of their objects.

    A model is immutable once a coordinator uses it, and can be shared by coordinators and threads.

    Args:
        entities: The entities, or classes that declare them (see pinview.Object); classes bring
            along their parents and the classes that they refer to. A relationship and its inverse
            must name each other.
        configurations: Groups of entities by name, for stores that hold only some of the entities.
        version_identifiers: Names for this version of the model.
        fetch_requests: Fetch request templates by name; see fetch_request_from_template().
    """

    __slots__ = ("_entities",)

    _entities: EntityTable

    def __init__(
        self,
        entities: Sequence[Entity | type[ManagedObject]],
        *,
        configurations: Mapping[str, Sequence[str]] | None = None,
        version_identifiers: Sequence[str] = (),
        fetch_requests: Mapping[str, FetchRequest] | None = None,
    ) -> None:
        if isinstance(entities, (str, type, Entity)):
            raise WrongTypeError(f"A model is made of a list of entities or classes: Model([{getattr(entities, '__name__', '…')}, …]).")
        classes = [each for each in entities if isinstance(each, type)]
        declared = lazy.declarations.declarations_of(classes) if classes else []
        plain = [each for each in entities if not isinstance(each, type)]
        if declared:
            plain += map(_declared_entity, lazy.declarations.describe(declared))
        description: dict[str, Any] = {"entities": _descriptions(plain, Entity)}
        if configurations:
            description["configurations"] = {name: list(names) for name, names in configurations.items()}
        if version_identifiers:
            description["versionIdentifiers"] = list(version_identifiers)
        self._adopt(_model_of_data(_json(description).encode(), strict=True))
        for name, request in (fetch_requests or {}).items():
            self.set_fetch_request_template(name, request)
        if declared:
            lazy.declarations.register(self, declared)

    def _adopt(self, handle: int) -> None:
        super().__init__(handle)
        self._entities = table_of(handle)

    @classmethod
    def _of(cls, handle: int | None) -> Model:
        """The model of a handle; takes over the reference."""
        model = cls.__new__(cls)
        model._adopt(handle or 0)
        return model

    @classmethod
    def from_json(cls, text: str | bytes, *, strict: bool = False) -> Model:
        """Reads a model from JSON. With strict, unknown keys are errors and not only warnings.

        For example: `{"entities": [{"name": "Person", "attributes": [{"name": "age", "type":
        "integer64", "default": 0}], "relationships": [{"name": "cars", "destination": "Car",
        "inverse": "owner", "toMany": true}]}, …]}`. The other keys are the attributes of Entity,
        Attribute and Relationship in camel case.
        """
        if isinstance(text, (bytes, bytearray)):
            content = pinview_string(bytes(text), len(text))
        else:
            content = string(text)
        if not strict:
            return cls._of(call_for_handle(functions.pinview_model_release, functions.pinview_model_create_from_json, content))
        return cls._of(_model_of_data(text.encode() if isinstance(text, str) else bytes(text), strict=True))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, version: str | None = None, strict: bool = False) -> Model:
        """Reads a model of any kind: Xcode's `.xcdatamodel` and `.xcdatamodeld`, compiled `.mom`
        and `.momd`, or a JSON file. The contents decide, not the name of the path.

        Models in shipped applications contain things that are meaningless or contradictory: an
        index on a to-many relationship, an inverse that two relationships claim. Those are left out
        and listed in `warnings`; with strict, each is a ModelError.

        Args:
            path: A file, or a folder that holds a model or versions of one.
            version: The version of a `.xcdatamodeld` or `.momd`; None for the current one.
            strict: Whether such mistakes, and unknown keys of JSON, are errors.
        """
        location = os.fsdecode(path)  # rejects ints, which are open files of the caller
        os.stat(location)  # raises FileNotFoundError
        flags = prototypes.PINVIEW_MODEL_STRICT if strict else 0
        create = functions.pinview_model_create_from_file
        return cls._of(call_for_handle(functions.pinview_model_release, create, string(location), string(version), flags))

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, strict: bool = False) -> Model:
        """Reads a model from the bytes of a file: the `contents` of a `.xcdatamodel`, a `.mom`, or
        JSON. See from_file().
        """
        return cls._of(_model_of_data(plain_bytes(data), strict=strict))

    @staticmethod
    def versions(path: str | os.PathLike[str]) -> ModelVersions:
        """The versions in a folder `.xcdatamodeld` or `.momd`."""
        location = string(os.fsdecode(path))
        current, count = pinview_string(), c_size_t()
        buffer = call_for_handle(functions.pinview_buffer_release, functions.pinview_buffer_create)
        try:
            call(functions.pinview_model_versions, location, buffer, None, 0, byref(count), byref(current))
            names = (pinview_string * count.value)()
            call(functions.pinview_model_versions, location, buffer, names, len(names), byref(count), byref(current))
            return ModelVersions(tuple(text(name) or "" for name in names[: count.value]), text(current))
        finally:
            functions.pinview_buffer_release(buffer)

    @staticmethod
    def all_versions(path: str | os.PathLike[str]) -> list[Model]:
        """All versions in a folder `.xcdatamodeld` or `.momd`, in the order of their names."""
        return [Model.from_file(path, version=name) for name in Model.versions(path).names]

    @property
    def version_checksum(self) -> str:
        """Identifies the version of the model by the version hashes of its entities."""
        return text(functions.pinview_model_version_checksum(self.handle)) or ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was left out when the model was read: sentences that name the property."""
        count = functions.pinview_model_warning_count(self.handle)
        return tuple(call_for_text(functions.pinview_model_warning, self.handle, index) or "" for index in range(count))

    def to_json(self) -> str:
        """The model as JSON, for from_json()."""
        return call_for_text(functions.pinview_model_json, self.handle) or ""

    @property
    def entities(self) -> tuple[EntityInfo, ...]:
        """The entities, in the order of their numbers in stores."""
        return tuple(self._entities.values())

    def entity(self, name: str) -> EntityInfo:
        """The entity of a name; raises UnknownEntityError if there is none."""
        try:
            return self._entities[name]
        except KeyError:
            raise UnknownEntityError(
                f"The model has no entity {name!r}{lazy.near_misses.near_miss(name, self._entities)}.", domain="PinviewErrorDomain", code=16
            ) from None

    def set_fetch_request_template(self, name: str, request: FetchRequest | None) -> None:
        """Adds a fetch request template, or removes it (None). Its predicate can have variables
        such as $NAME.

        Templates are part of the model's JSON. They cannot be changed any more when a coordinator
        uses the model.
        """
        lazy.templates.set_template(self, name, request)

    def fetch_request_template(self, name: str) -> FetchRequest | None:
        """The template of a name, with its variables; None if there is none."""
        return lazy.templates.template(self, name)

    @property
    def fetch_request_templates(self) -> dict[str, FetchRequest]:
        """All templates by name."""
        found = {name: lazy.templates.template(self, name) for name in lazy.templates.template_names(self)}
        return {name: request for name, request in found.items() if request is not None}

    def fetch_request_from_template(self, name: str, variables: Mapping[str, Any] = {}, /, **more: Any) -> FetchRequest:
        """Makes a request from a template, with values for its variables.

            request = model.fetch_request_from_template("older", AGE=30)

        Raises UnknownKeyError if there is no such template, and PredicateError if a variable has no
        value.
        """
        return lazy.templates.request_from_template(self, name, {**variables, **more})

    def set_hooks(
        self, entity: str, *, validate_property: Mapping[str, Callable[[Any, Any], Any]] | None = None, **hooks: Callable[[Any], Any]
    ) -> None:
        """Registers functions as hooks of an entity: `awake_from_fetch=…`. They are called with the
        object.

        The names are those of the methods of EntityHooks. The functions in `validate_property`
        check single properties; they are called with the object and the value. Hooks belong to the
        model and must be set before a coordinator uses it. An entity inherits the hooks of its
        parent.
        """
        lazy.hook_callbacks.set_hooks(self, entity, hooks, validate_property or {})

    def entity_class(self, entity: str) -> Callable[[type[Class]], type[Class]]:
        """Registers a subclass of ManagedObject as the class of an entity's objects, and of its
        sub-entities' by default. The entity is given by its name, or by the class name that the
        model has for it, with or without the module: a model made in Xcode may say "PersonMO" or
        "Contacts.PersonMO". A class name that several entities share stands for all of them.

            @model.entity_class("Person")
            class Person(pinview.ManagedObject):
                def awake_from_fetch(self):
                    self.full_name = f"{self.first_name} {self.last_name}"

                def validate_age(self, age):
                    if age == 13: raise ValueError("unlucky")

        Methods named as in EntityHooks become hooks of the entity, and methods named
        validate_<property> check a property. The class can have other methods, but no instance
        variables: use `user_data` for those.
        """

        def register(kind: type[Class]) -> type[Class]:
            if not (isinstance(kind, type) and issubclass(kind, ManagedObject)):
                raise InvalidArgumentError(f"The class of {entity} must derive from pinview.ManagedObject, got {kind!r}.")
            own = {name: getattr(kind, name) for name in (*FALLIBLE, *NOTICES)}
            for each in self._entities_of(entity):
                checks = {name: getattr(kind, f"validate_{name}", None) for name in each.properties}
                lazy.hook_callbacks.set_hooks(
                    self,
                    each.name,
                    {name: function for name, function in own.items() if function is not getattr(EntityHooks, name)},
                    {name: function for name, function in checks.items() if function is not None},
                    kind,
                )
            return kind

        return register

    def _entities_of(self, name: str) -> list[EntityInfo]:
        """The entity of a name; else the entities for which the model has that class name."""
        if name not in self._entities:
            described = lazy.json.loads(self.to_json())["entities"]
            classes = {each["name"]: each.get("managedObjectClassName", "") for each in described}
            # Xcode writes "Module.Class", or ".Class" for the program's own module.
            found = [entity for entity, kind in classes.items() if kind and name in (kind, kind.rpartition(".")[2])]
            if found:
                return [self._entities[entity] for entity in found]
        return [self.entity(name)]

    def bind(self, *classes: type[ManagedObject]) -> None:
        """Has this model, which may come from a file, make objects of declared classes (see
        pinview.Object), those that they refer to included.

        To be called before a coordinator uses the model. Properties that a class does not declare
        can be read by name: `person["name"]`. Raises a ModelError that lists every difference if a
        class does not agree with the model.
        """
        lazy.declarations.bind(self, classes)

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


def _json(description: dict[str, Any]) -> str:
    try:
        return lazy.json.dumps(description, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The model cannot be written as JSON: {error}.") from None


def _model_of_data(data: bytes, *, strict: bool) -> int:
    flags = prototypes.PINVIEW_MODEL_STRICT if strict else 0
    view = pinview_binary(data, len(data))
    return call_for_handle(functions.pinview_model_release, functions.pinview_model_create_from_data, view, flags) or 0
