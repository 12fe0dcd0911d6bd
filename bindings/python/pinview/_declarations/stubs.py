"""Writes declared classes for an existing model, as Python source."""

from __future__ import annotations

import base64
import json
import keyword
from typing import Any

from .._ffi.dates import date_of_seconds
from .._support.forward import Model
from ..managed_object import ManagedObject

_TYPES = {
    "string": "str",
    "uri": "str",
    "boolean": "bool",
    "integer16": "int",
    "integer32": "int",
    "integer64": "int",
    "float": "float",
    "double": "float",
    "decimal": "decimal.Decimal",
    "date": "datetime.datetime",
    "uuid": "uuid.UUID",
    "binaryData": "bytes",
    "transformable": "bytes",
}
# The types whose name has to be given, because another one is usual for the Python type.
_GIVEN = ("integer16", "integer32", "float", "uri", "transformable")
# Arguments of attribute() and relationship() by key of the model's JSON.
_ATTRIBUTE_OPTIONS = {
    "transient": "transient",
    "minimumValue": "minimum",
    "maximumValue": "maximum",
    "minimumLength": "minimum_length",
    "maximumLength": "maximum_length",
    "regularExpression": "regular_expression",
    "allowsExternalBinaryDataStorage": "external_storage",
    "preservesValueInHistoryOnDeletion": "preserved_in_history",
    "renamingIdentifier": "renamed_from",
    "userInfo": "user_info",
}
_RELATIONSHIP_OPTIONS = {
    "deleteRule": "delete_rule",
    "minimumCount": "minimum_count",
    "maximumCount": "maximum_count",
    "transient": "transient",
    "renamingIdentifier": "renamed_from",
    "userInfo": "user_info",
}
_TAKEN = frozenset(name for each in ManagedObject.__mro__ for name in vars(each))


def source(model: Model, comment: str = "") -> str:
    """The source of classes that declare the entities of a model."""
    entities = {entity["name"]: entity for entity in json.loads(model.to_json())["entities"]}
    written: dict[str, list[str]] = {}

    def write(name: str) -> None:
        entity = entities[name]
        if name not in written:
            if entity.get("parent"):
                write(entity["parent"])  # a base class comes first
            written[name] = _class(entity)

    for name in entities:
        write(name)
    body = "\n\n\n".join("\n".join(lines) for lines in written.values())
    names = [name for name in ("Attr", "One", "Related", "RelatedInOrder") if f": {name}[" in body]
    names += [name for name in ("attribute", "inverse", "relationship") if f"= {name}(" in body]
    modules = [name for name in ("datetime", "decimal", "uuid") if f"{name}." in body]
    imports = [f"import {name}" for name in modules]
    imports += ["from typing import Any"] if ": Attr[Any" in body else []
    imports += ([""] if imports else []) + ["import pinview", *([f"from pinview import {', '.join(names)}"] if names else [])]
    head = [f'"""{comment}"""', ""] if comment else []
    return "\n".join([*head, "from __future__ import annotations", "", *imports, "", "", body, ""])


def _class(entity: dict[str, Any]) -> list[str]:
    name, parent = entity["name"], entity.get("parent")
    arguments = [f"{_identifier(parent)}" if parent else "pinview.Object"]
    if _identifier(name) != name:
        arguments.append(f"entity={name!r}")
    if entity.get("abstract"):
        arguments.append("abstract=True")
    if entity.get("uniquenessConstraints"):
        arguments.append(f"unique={entity['uniquenessConstraints']!r}")
    indexes = [
        [element["property"] if element.get("ascending", True) else f"-{element['property']}" for element in index["elements"]]
        for index in entity.get("indexes", ())
        if all("property" in element for element in index.get("elements", ()))
    ]
    if indexes:
        arguments.append(f"indexes={indexes!r}")
    if entity.get("renamingIdentifier"):
        arguments.append(f"renamed_from={entity['renamingIdentifier']!r}")
    lines = [f"class {_identifier(name)}({', '.join(arguments)}):"]
    for described, write in ((entity.get("attributes", ()), _attribute), (entity.get("relationships", ()), _relationship)):
        for each in described:
            key = each["name"]
            if key != _identifier(key) or key in _TAKEN or key.startswith("_"):
                lines.append(f"    # {key}: not an attribute in Python; use object[{key!r}]")
            elif each.get("type") in ("undefined", "composite"):
                lines.append(f"    # {key}: of type {each['type']}; use object[{key!r}]")
            else:
                lines.append("    " + write(each))
    return lines if len(lines) > 1 else [*lines, "    pass"]


def _attribute(described: dict[str, Any]) -> str:
    kind, optional = described["type"], described.get("optional", True)
    arguments = []
    if described.get("default") is not None:
        arguments.append(f"default={_value(kind, described['default'])}")
    elif optional:
        arguments.append("default=None")
    transformer = described.get("valueTransformerName") if kind == "transformable" else None
    if transformer:
        arguments.append(f"transformer={transformer!r}")
    elif kind in _GIVEN:
        arguments.append(f"type={kind!r}")
    for key, name in _ATTRIBUTE_OPTIONS.items():
        if described.get(key):
            value = described[key]
            arguments.append(f"{name}={_value(kind, value) if key in ('minimumValue', 'maximumValue') else repr(value)}")
    # What the values of a transformer are is known to the program only.
    value_type = "Any" if transformer else _TYPES[kind]
    annotation = f"{value_type} | None" if optional else value_type
    return f"{described['name']}: Attr[{annotation}]" + (f" = attribute({', '.join(arguments)})" if arguments else "")


def _relationship(described: dict[str, Any]) -> str:
    to_many, optional = described.get("toMany", False), described.get("optional", True)
    arguments = []
    for key, name in _RELATIONSHIP_OPTIONS.items():
        value = described.get(key)
        usual = {"deleteRule": "nullify", "maximumCount": 0 if to_many else 1}.get(key)
        if value and value != usual:
            arguments.append(f"{name}={value!r}")
    if to_many and not optional:
        arguments.append("optional=False")
    destination = _identifier(described["destination"])
    marker = "One" if not to_many else "RelatedInOrder" if described.get("ordered") else "Related"
    annotation = f"{destination} | None" if not to_many and optional else destination
    other = described.get("inverse")
    made = f"inverse({', '.join([repr(other), *arguments])})" if other else f"relationship({', '.join(arguments)})"
    return f"{described['name']}: {marker}[{annotation}] = {made}"


def _identifier(name: str) -> str:
    """A name as Python can spell it."""
    return (
        name if name.isidentifier() and not keyword.iskeyword(name) else "".join(c if f"_{c}".isidentifier() else "_" for c in name) + "_"
    )


def _value(kind: str, value: Any) -> str:
    """A value of a model's JSON as Python source."""
    if kind == "date":
        return repr(date_of_seconds(float(value)))
    if kind == "decimal":
        return f"decimal.Decimal({str(value)!r})"
    if kind == "uuid":
        return f"uuid.UUID({str(value)!r})"
    if kind == "binaryData":
        return repr(base64.b64decode(value))
    if kind in ("float", "double"):
        return f"float({value!r})" if isinstance(value, str) else repr(float(value))
    return repr(value)
