"""The model of declared classes, and declared classes for an existing model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._ffi.handles import value_text
from .._objects.hook_callbacks import set_hooks
from .._objects.hooks import FALLIBLE, NOTICES, EntityHooks
from .._support.forward import Model
from .._support.near_misses import near_miss
from ..errors import ModelError, WrongTypeError
from .declaring import Declaration
from .fields import Stored, ToManyField, ToOneField
from .options import MISSING


def declarations_of(classes: Iterable[Any]) -> list[Declaration]:
    """The declarations of classes, of their parents, and of the destinations of their
    relationships.
    """
    given = list(classes)
    found: dict[str, Declaration] = {}
    waiting: list[Declaration] = []
    for each in given:
        if not isinstance(each, type):
            raise WrongTypeError(f"Expected a class derived from pinview.Object, got {value_text(each)}.")
        declaration = vars(each).get("_declaration")
        if declaration is None or declaration.options.mixin:
            raise ModelError(f"{each.__name__} declares no entity; the classes of a model derive from pinview.Object and are not mixins.")
        waiting.append(declaration)
    while waiting:
        declaration = waiting.pop(0)
        known = found.get(declaration.entity)
        if known is declaration:
            continue
        if known is not None:
            raise ModelError(f"Two classes declare the entity {declaration.entity}: {_place(known)} and {_place(declaration)}.")
        found[declaration.entity] = declaration
        for each in declaration.lineage():
            each.complete(given)
        if declaration.parent is not None:
            waiting.append(declaration.parent)
        waiting += [field.destination() for field in declaration.own_fields().values() if isinstance(field, ToOneField)]
    return list(found.values())


def _place(declaration: Declaration) -> str:
    return f"{declaration.kind.__module__}.{declaration.kind.__qualname__}"


def describe(declarations: Sequence[Declaration]) -> list[dict[str, Any]]:
    """The arguments of pinview.Entity for declarations, with those of pinview.Attribute,
    pinview.Relationship and pinview.Index.
    """
    inverses = _inverses(declarations)
    return [_entity(each, inverses) for each in declarations]


def _entity(declaration: Declaration, inverses: dict[tuple[str, str], str]) -> dict[str, Any]:
    options, fields = declaration.options, declaration.own_fields()
    stored = [field for field in fields.values() if isinstance(field, Stored)]
    for names in [*options.unique, *options.indexes]:
        for name in names:
            if name.lstrip("-") not in declaration.all_fields():
                hint = near_miss(name.lstrip("-"), list(declaration.all_fields()))
                raise ModelError(f"{declaration.kind.__name__} has no property {name!r} for a uniqueness constraint or an index{hint}.")
    indexed = [[field.name] for field in stored if field.options.index]
    return {
        "name": declaration.entity,
        "parent": None if declaration.parent is None else declaration.parent.entity,
        "abstract": options.abstract,
        "attributes": [_attribute(field) for field in stored],
        "relationships": [
            _relationship(field, inverses.get((declaration.entity, field.name)))
            for field in fields.values()
            if isinstance(field, ToOneField)
        ],
        "uniqueness_constraints": [[field.name] for field in stored if field.options.unique] + [list(names) for names in options.unique],
        "indexes": [
            {"name": "by_" + "_".join(names).replace("-", ""), "attributes": list(names)} for names in [*indexed, *options.indexes]
        ],
        "renaming_identifier": options.renamed_from,
    }


def _attribute(field: Stored) -> dict[str, Any]:
    options, convert = field.options, field.converter
    described = {**options.model, "name": field.name, "type": field.stored, "optional": field.optional}
    for name in ("minimum_value", "maximum_value"):
        if convert is not None and name in described:
            described[name] = convert.encode(described[name])
    if options.default is not MISSING and options.default is not None:
        described["default"] = options.default if convert is None else convert.encode(options.default)
    return described


def _relationship(field: ToOneField, inverse: str | None) -> dict[str, Any]:
    to_many = isinstance(field, ToManyField)
    described = {"name": field.name, "destination": field.destination().entity, "inverse": inverse, "optional": field.optional}
    return {**described, "to_many": to_many, "ordered": isinstance(field, ToManyField) and field.ordered, **field.options.model}


def _inverses(declarations: Sequence[Declaration]) -> dict[tuple[str, str], str]:
    """The inverse of each relationship that has one, by entity and name. It is enough if one of the
    two names the other.
    """
    found: dict[tuple[str, str], str] = {}
    for declaration in declarations:
        for field in declaration.own_fields().values():
            if not isinstance(field, ToOneField) or field.options.inverse is None:
                continue
            destination, name = field.destination(), field.options.inverse
            where = f"{declaration.kind.__name__}.{field.name}"
            other = destination.all_fields().get(name)
            if not isinstance(other, ToOneField):
                relationships = [each.name for each in destination.all_fields().values() if isinstance(each, ToOneField)]
                hint = near_miss(name, relationships)
                raise ModelError(f"The inverse of {where} is {name!r}, but {destination.kind.__name__} has no such relationship{hint}.")
            if other.options.inverse not in (None, field.name):
                raise ModelError(
                    f"The inverse of {where} is {destination.kind.__name__}.{name}, whose own inverse is declared to be "
                    f"{other.options.inverse!r}."
                )
            if other.destination() is not declaration and not issubclass(declaration.kind, other.destination().kind):
                raise ModelError(
                    f"The inverse of {where} is {destination.kind.__name__}.{name}, whose destination is "
                    f"{other.destination().kind.__name__}, not {declaration.kind.__name__}."
                )
            found[declaration.entity, field.name] = name
            owner = _owner(destination, name)
            former = found.setdefault((owner.entity, name), field.name)
            if former != field.name:
                raise ModelError(f"{owner.kind.__name__}.{name} is the inverse of both {former!r} and {field.name!r}.")
    return found


def _owner(declaration: Declaration, name: str) -> Declaration:
    """The declaration, itself or an ancestor, whose entity has a property of its own."""
    while name not in declaration.own_fields() and declaration.parent is not None:
        declaration = declaration.parent
    return declaration


def register(model: Model, declarations: Iterable[Declaration]) -> None:
    """Has a model make objects of declared classes, with their methods as hooks."""
    for declaration in declarations:
        kind = declaration.kind
        own = {name: getattr(kind, name) for name in (*FALLIBLE, *NOTICES)}
        hooks = {name: function for name, function in own.items() if function is not getattr(EntityHooks, name)}
        fields = declaration.all_fields()
        factories = {
            name: field.options.default_factory
            for name, field in fields.items()
            if isinstance(field, Stored) and field.options.default_factory
        }
        if factories:
            hooks["awake_from_insert"] = _filling(factories, hooks.get("awake_from_insert"))
        checks = {name: _check(field, getattr(kind, f"validate_{name}", None)) for name, field in fields.items()}
        set_hooks(model, declaration.entity, hooks, {name: check for name, check in checks.items() if check is not None}, kind)


def _filling(factories: dict[str, Callable[[], Any]], hook: Callable[[Any], Any] | None) -> Callable[[Any], None]:
    """The hook that sets values from factories, and then calls the hook of the class."""

    def awake_from_insert(target: Any) -> None:
        for name, factory in factories.items():
            setattr(target, name, factory())
        if hook is not None:
            hook(target)

    return awake_from_insert


def _check(field: Any, function: Callable[[Any, Any], Any] | None) -> Callable[[Any, Any], Any] | None:
    """A method that checks a property. It gets the value as the class has it."""
    converter = field.converter if isinstance(field, Stored) else None
    if function is None or converter is None:
        return function
    given = function
    return lambda target, value: given(target, None if value is None else converter.decode(value))


def bind(model: Model, classes: Iterable[Any]) -> None:
    """Has an existing model make objects of declared classes, if they agree with it."""
    chosen = declarations_of(classes)
    inverses = _inverses(chosen)
    differences = [line for each in chosen for line in _differences(model, each, inverses)]
    if differences:
        raise ModelError("The classes do not agree with the model:\n  " + "\n  ".join(differences))
    register(model, chosen)


def _differences(model: Model, declaration: Declaration, inverses: dict[tuple[str, str], str]) -> list[str]:
    """How a declaration differs from an entity of a model. Properties that are not declared do not
    count.
    """
    name = declaration.kind.__name__
    if declaration.entity not in model:
        return [f"{name}: the model has no entity {declaration.entity!r}{near_miss(declaration.entity, [e.name for e in model.entities])}"]
    entity = model.entity(declaration.entity)
    found: list[str] = []
    for key, field in declaration.all_fields().items():
        prop = entity.properties.get(key)
        if prop is None:
            found.append(f"{name}.{key}: the entity has no such property{near_miss(key, list(entity.properties))}")
            continue
        if isinstance(field, Stored):
            expected: dict[str, Any] = {"type": field.stored, "optional": field.optional}
            actual: dict[str, Any] = {"type": prop.type, "optional": prop.optional}
            if prop.type in _WIDTHS.get(field.stored, ()):
                expected["type"] = prop.type
            if prop.type == field.stored == "transformable":
                expected["transformer"], actual["transformer"] = field.transformer, prop.value_transformer
        elif isinstance(field, ToOneField):
            expected = {"destination": field.destination().entity, "to_many": isinstance(field, ToManyField)}
            expected["ordered"] = isinstance(field, ToManyField) and field.ordered
            actual = {"destination": prop.destination, "to_many": prop.to_many, "ordered": prop.ordered}
            declared = inverses.get((declaration.entity, key))
            if declared is not None:
                expected["inverse"], actual["inverse"] = declared, prop.inverse
        found += [
            f"{name}.{key}: {what} is {expected[what]!r} in the class, {actual[what]!r} in the model"
            for what in expected
            if expected[what] != actual[what]
        ]
    return found


# A Python type stands for these types of a model, too.
_WIDTHS = {"integer64": ("integer16", "integer32"), "double": ("float",), "string": ("uri",)}
