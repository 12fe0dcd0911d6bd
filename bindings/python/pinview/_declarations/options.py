"""What a declaration says about a property besides its type: the functions on the right of `=`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._ffi.handles import value_text
from ..errors import InvalidArgumentError, WrongTypeError

MISSING: Any = object()


class AttributeOptions:
    """The options of an attribute, from attribute()."""

    def __init__(self, default: Any, default_factory: Callable[[], Any] | None, unique: bool, index: bool, model: dict[str, Any]) -> None:
        self.default, self.default_factory, self.unique, self.index = default, default_factory, unique, index
        # Further arguments of pinview.Attribute.
        self.model = model


class RelationshipOptions:
    """The options of a relationship, from inverse() and relationship()."""

    def __init__(self, inverse: str | None, model: dict[str, Any]) -> None:
        self.inverse = inverse
        # Further arguments of pinview.Relationship.
        self.model = model


def attribute(
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | None = None,
    type: str | None = None,
    transformer: str | None = None,
    unique: bool = False,
    index: bool = False,
    transient: bool = False,
    minimum: Any = None,
    maximum: Any = None,
    minimum_length: int | None = None,
    maximum_length: int | None = None,
    regular_expression: str | None = None,
    external_storage: bool = False,
    preserved_in_history: bool = False,
    renamed_from: str | None = None,
    user_info: Mapping[str, str] | None = None,
) -> Any:
    """Describes an attribute of a declared class: `age: Attr[int] = attribute(default=0,
    minimum=0)`.

    Args:
        default: The value of new objects, which is part of the model.
        default_factory: Called for the value of each new object.
        type: The type in the model, if it is not the usual one of the annotation: "integer16",
            "integer32", "float", "uri", "transformable" (with the bytes as values).
        transformer: The name of the value transformer of a transformable attribute, whose values
            can be of any type then: `position: Attr[complex] = attribute(transformer="Positions")`.
            See set_value_transformer().
        unique: Whether no two objects may have the same value.
        index: Whether the store has an index for the attribute.
        transient: Whether the attribute is kept in memory only.
        minimum: The smallest valid number or date.
        maximum: The largest valid number or date.
        minimum_length: The minimum length of a string.
        maximum_length: The maximum length of a string.
        regular_expression: A regular expression, in ICU's syntax, that a string must match.
        external_storage: Whether large binary data may be stored in files beside the store.
        preserved_in_history: Whether the history keeps the value of a deleted object.
        renamed_from: The name in the model before, for migrations.
        user_info: Strings of the program.
    """
    if transformer is not None and not isinstance(transformer, str):
        raise WrongTypeError(
            f"The name of a transformer must be a str, got {value_text(transformer)}; see pinview.set_value_transformer()."
        )
    if transformer and type not in (None, "transformable"):
        raise InvalidArgumentError(f"Only transformable attributes have a transformer; the type is {type!r}.")
    model = {
        "type": "transformable" if transformer else type,
        "value_transformer": transformer,
        "transient": transient,
        "minimum_value": minimum,
        "maximum_value": maximum,
        "minimum_length": minimum_length,
        "maximum_length": maximum_length,
        "regular_expression": regular_expression,
        "allows_external_binary_data_storage": external_storage,
        "preserves_value_in_history_on_deletion": preserved_in_history,
        "renaming_identifier": renamed_from,
        "user_info": user_info,
    }
    return AttributeOptions(default, default_factory, unique, index, {name: value for name, value in model.items() if value})


def relationship(
    *,
    inverse: str | None = None,
    delete_rule: str = "nullify",
    optional: bool | None = None,
    minimum_count: int = 0,
    maximum_count: int = 0,
    transient: bool = False,
    renamed_from: str | None = None,
    user_info: Mapping[str, str] | None = None,
) -> Any:
    """Describes a relationship of a declared class: `cars: Related[Car] =
    relationship(inverse="owner", delete_rule="cascade")`.

    Args:
        inverse: The name of the inverse relationship in the destination. It is enough if one of the
            two names the other.
        delete_rule: nullify, cascade, deny or noAction.
        optional: Whether it can be empty. By default a to-one relationship can if None is part of
            its type, and a to-many relationship always can.
        minimum_count: The minimum number of members.
        maximum_count: The maximum number of members; 0 for no limit.
        transient: Whether the relationship is kept in memory only.
        renamed_from: The name in the model before, for migrations.
        user_info: Strings of the program.
    """
    model = {
        "delete_rule": delete_rule,
        "minimum_count": minimum_count,
        "maximum_count": maximum_count,
        "transient": transient,
        "renaming_identifier": renamed_from,
        "user_info": user_info,
    }
    chosen = {name: value for name, value in model.items() if value}
    return RelationshipOptions(inverse, chosen if optional is None else {**chosen, "optional": optional})


def inverse(name: str, **options: Any) -> Any:
    """Describes a relationship of a declared class by the name of its inverse: `employer: Company |
    None = inverse("staff")`. The options are those of relationship().
    """
    return relationship(inverse=name, **options)
