"""Models: which entities there are, with which attributes and relationships."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import os
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._convert import seconds_since_reference_date
from .errors import ModelError

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
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, uuid.UUID):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return seconds_since_reference_date(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    raise ModelError(f"{what} is a {type(value).__name__}, which no attribute can hold.")


@dataclass(frozen=True)
class Attribute:
    """An attribute of an entity.

    Types: integer16, integer32, integer64, decimal, double, float, string, boolean, date, binaryData, uuid, uri, transformable, and
    undefined for transient ones. `minimum_value` and `maximum_value` bound numbers and dates, the lengths and the regular expression
    (POSIX extended) strings.
    """

    name: str
    type: str
    optional: bool = True
    default: Any = None
    transient: bool = False
    minimum_value: Any = None
    maximum_value: Any = None
    minimum_length: Optional[int] = None
    maximum_length: Optional[int] = None
    regular_expression: Optional[str] = None
    allows_external_binary_data_storage: bool = False
    renaming_identifier: Optional[str] = None
    version_hash_modifier: Optional[str] = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> Dict[str, Any]:
        description: Dict[str, Any] = {"name": self.name, "type": self.type, "optional": self.optional, "transient": self.transient}
        for key, value in (("default", self.default), ("minimumValue", self.minimum_value), ("maximumValue", self.maximum_value)):
            if value is not None:
                description[key] = _json_value(value, f"{key} of the attribute {self.name}")
        optional = (
            ("minimumLength", self.minimum_length),
            ("maximumLength", self.maximum_length),
            ("regularExpression", self.regular_expression),
            ("allowsExternalBinaryDataStorage", self.allows_external_binary_data_storage or None),
        )
        description.update({key: value for key, value in optional if value is not None})
        return _with_common(self, description)


@dataclass(frozen=True)
class Relationship:
    """A relationship of an entity to another one, with its inverse there.

    Delete rules: nullify, cascade, deny, noAction. A maximum count of 0 stands for no bound.
    """

    name: str
    destination: str
    inverse: Optional[str] = None
    to_many: bool = False
    ordered: bool = False
    delete_rule: str = "nullify"
    optional: bool = True
    minimum_count: int = 0
    maximum_count: int = 0
    transient: bool = False
    renaming_identifier: Optional[str] = None
    version_hash_modifier: Optional[str] = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> Dict[str, Any]:
        description: Dict[str, Any] = {
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


@dataclass(frozen=True)
class Index:
    """An index over attributes; a name with a minus sign in front is indexed in descending order."""

    name: str
    attributes: Sequence[str]

    def _description(self) -> Dict[str, Any]:
        elements = [{"property": name.lstrip("-"), "ascending": not name.startswith("-")} for name in self.attributes]
        return {"name": self.name, "elements": elements}


@dataclass(frozen=True)
class Entity:
    """An entity: a kind of object. A sub-entity, one with a parent, has the parent's properties as well."""

    name: str
    attributes: Sequence[Attribute] = ()
    relationships: Sequence[Relationship] = ()
    parent: Optional[str] = None
    abstract: bool = False
    uniqueness_constraints: Sequence[Sequence[str]] = ()
    indexes: Sequence[Index] = ()
    renaming_identifier: Optional[str] = None
    version_hash_modifier: Optional[str] = None
    user_info: Mapping[str, str] = field(default_factory=dict)

    def _description(self) -> Dict[str, Any]:
        description: Dict[str, Any] = {
            "name": self.name,
            "abstract": self.abstract,
            "attributes": [attribute._description() for attribute in self.attributes],
            "relationships": [relationship._description() for relationship in self.relationships],
        }
        if self.parent is not None:
            description["parent"] = self.parent
        if self.uniqueness_constraints:
            description["uniquenessConstraints"] = [list(names) for names in self.uniqueness_constraints]
        if self.indexes:
            description["indexes"] = [index._description() for index in self.indexes]
        return _with_common(self, description)


def _with_common(source: Union[Attribute, Relationship, Entity], description: Dict[str, Any]) -> Dict[str, Any]:
    for name, key in _COMMON.items():
        value = getattr(source, name)
        if value:
            description[key] = dict(value) if isinstance(value, Mapping) else value
    return description
