"""The declaration of a class: its entity's name, options and properties."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._support.near_misses import near_miss
from ..errors import ModelError, WrongTypeError
from ..managed_object import ManagedObject
from .annotations import Marked, Reference, evaluated, is_class_variable, own_annotations, parts_of
from .converters import PLAIN, converter_of, converter_of_transformer
from .fields import Field, PendingField, Stored, ToManyField, ToOneField
from .markers import Attr, One, RelatedInOrder
from .options import MISSING, AttributeOptions, RelationshipOptions
from .paths import unknown

# The declared classes by name.
_classes: dict[str, list[weakref.ref[type[Any]]]] = {}
_TAKEN = frozenset(name for each in ManagedObject.__mro__ for name in vars(each))


class ClassOptions:
    """The arguments of a class statement; see `pinview.Object`."""

    def __init__(
        self,
        entity: str | None,
        abstract: bool,
        mixin: bool,
        unique: Sequence[Sequence[str]],
        indexes: Sequence[Sequence[str]],
        renamed_from: str | None,
    ) -> None:
        self.entity, self.abstract, self.mixin = entity, abstract, mixin
        self.unique, self.indexes, self.renamed_from = unique, indexes, renamed_from


class Declaration:
    """What a class declares.

    Attributes:
        kind: The class.
        entity: The name of the entity.
        options: The arguments of the class statement.
        parent: The declaration of the class that it derives from; None for one that derives from
            Object.
        fields: Its own properties by name, as far as they are complete.
    """

    def __init__(self, kind: type[Any], options: ClassOptions, names: Mapping[str, Any]) -> None:
        self.kind, self.options = kind, options
        self.entity = options.entity or kind.__name__
        self.parent = _parent_of(kind)
        self.fields: dict[str, Field] = {}
        self._names = names
        # Annotations that name something that is not defined yet, and what is on the right of `=`.
        self._pending: dict[str, tuple[Any, Any]] = {}
        self._order: list[str] = []
        annotations = own_annotations(kind)
        for name, annotation in annotations.items():
            self._declare(name, annotation)
        for name, given in list(vars(kind).items()):
            if isinstance(given, (AttributeOptions, RelationshipOptions)) and name not in annotations:
                raise ModelError(f"{kind.__name__}.{name} has no annotation, which a property needs: {name}: Attr[str] = attribute(…).")

    def _declare(self, name: str, annotation: Any) -> None:
        if name.startswith("_"):
            return
        found = evaluated(annotation, self._namespace())
        if is_class_variable(found):
            return
        if name in _TAKEN:
            raise ModelError(
                f"{self.kind.__name__}.{name} cannot be a property, because objects have a method or attribute of that name; rename it."
            )
        given = vars(self.kind).get(name, MISSING)
        self._order.append(name)
        field = self._field(name, found, given)
        if field is None:
            self._pending[name] = annotation, given
            setattr(self.kind, name, PendingField(name, self.complete))
        else:
            self._put(field)

    def _put(self, field: Field) -> None:
        self.fields[field.name] = field
        setattr(self.kind, field.name, field.descriptor())

    def _namespace(self) -> dict[str, Any]:
        module = sys.modules.get(self.kind.__module__)
        return {**({} if module is None else vars(module)), **self._names}

    def complete(self, classes: Sequence[type[Any]] = ()) -> None:
        """Completes the properties whose types were not defined when the class was declared.

        Args:
            classes: Classes that names can stand for, before all others.
        """
        for name, (annotation, given) in list(self._pending.items()):
            names = {**self._namespace(), **{each.__name__: each for each in classes}}
            field = self._field(name, evaluated(annotation, names), given)
            if field is None:
                # What is still unknown names a declared class, or nothing.
                found = evaluated(annotation, names)
                (reference,), optional = parts_of(found.argument if isinstance(found, Marked) else found)
                if isinstance(found, Marked):
                    raise ModelError(f"{self.kind.__name__}.{name} has the type {reference.name!r}, but nothing of that name is defined.")
                destination = self._destination(reference, classes)
                destination()
                field = ToOneField(name, optional, _relationship_options(self, name, given), destination)
            self._put(field)
            del self._pending[name]

    def _field(self, name: str, annotation: Any, given: Any) -> Field | None:
        """The property of an evaluated annotation; None if its type is not defined yet."""
        if isinstance(annotation, Marked) and annotation.marker is not Attr:
            (target, *others), optional = parts_of(annotation.argument)
            self._require_one(name, others)
            options, destination = _relationship_options(self, name, given), self._destination(target)
            if annotation.marker is One:
                return ToOneField(name, optional, options, destination)
            return ToManyField(name, options, destination, annotation.marker is RelatedInOrder)
        is_marked = isinstance(annotation, Marked)
        if isinstance(given, AttributeOptions) and given.model.get("type") == "transformable":
            return self._transformable(name, *parts_of(annotation.argument if is_marked else annotation), given)
        (kind, *others), optional = parts_of(annotation.argument if is_marked else annotation)
        self._require_one(name, others)
        if isinstance(kind, Marked):
            raise ModelError(f"{self.kind.__name__}.{name}: {kind.marker.__name__}[…] cannot be part of a union; write the union inside.")
        if isinstance(kind, Reference):
            return None
        if isinstance(kind, type) and issubclass(kind, ManagedObject) and not is_marked:
            return ToOneField(name, optional, _relationship_options(self, name, given), self._destination(kind))
        return self._attribute(name, kind, optional, given)

    def _require_one(self, name: str, others: Sequence[Any]) -> None:
        if others:
            raise ModelError(f"{self.kind.__name__}.{name} must have one type, or one type and None, not a union of several.")

    def _attribute(self, name: str, kind: Any, optional: bool, given: Any) -> Stored:
        if isinstance(given, RelationshipOptions):
            raise ModelError(f"{self.kind.__name__}.{name} is an attribute, so inverse() and relationship() cannot describe it.")
        options = given if isinstance(given, AttributeOptions) else AttributeOptions(given, None, False, False, {})
        stored = PLAIN.get(kind)
        converter = None if stored is not None else converter_of(kind)
        if stored is None and converter is None:
            raise WrongTypeError(
                f"{self.kind.__name__}.{name} has the type {getattr(kind, '__name__', kind)}, which no attribute can hold. Attributes hold "
                "str, int, float, bool, bytes, Decimal, UUID, datetime, date, timedelta, enumerations, data classes, Pydantic models and "
                "types with a converter (see pinview.add_converter), and others with attribute(transformer=…)."
            )
        return Stored(name, optional, options, options.model.get("type") or stored or converter.stored, converter)  # type: ignore[union-attr]

    def _transformable(self, name: str, kinds: Sequence[Any], optional: bool, options: AttributeOptions) -> Stored:
        """A transformable attribute, whose values are of any type with a transformer, and otherwise
        bytes.
        """
        transformer = options.model.get("value_transformer")
        if transformer is None and list(kinds) != [bytes]:
            raise ModelError(
                f"{self.kind.__name__}.{name} is transformable without a transformer, so its values are bytes; name a transformer: "
                'attribute(transformer="…").'
            )
        if options.default is not MISSING and options.default is not None:
            raise ModelError(f"{self.kind.__name__}.{name} is transformable and has no default in the model; use default_factory.")
        return Stored(name, optional, options, "transformable", None if transformer is None else converter_of_transformer(transformer))

    def _destination(self, target: Any, classes: Sequence[type[Any]] = ()) -> Callable[[], Declaration]:
        """What finds the declaration of a destination's class when it is needed."""

        def find() -> Declaration:
            kind = self._named(target.name, classes) if isinstance(target, Reference) else target
            found = vars(kind).get("_declaration") if isinstance(kind, type) else None
            if found is None:
                raise ModelError(f"{self.kind.__name__} has a relationship to {kind!r}, which is not a subclass of pinview.Object.")
            declaration: Declaration = found
            return declaration

        return find

    def _named(self, name: str, classes: Sequence[type[Any]]) -> type[Any]:
        """The class of a name: in the given classes, in the module, or anywhere."""
        for known in (classes, self._namespace().values()):
            for each in known:
                if isinstance(each, type) and each.__name__ == name and "_declaration" in vars(each):
                    return each
        everywhere = [kind for kind in (each() for each in _classes.get(name, ())) if kind is not None]
        # The same name may be declared again, in another module or test: the nearest one counts.
        near = [each for each in everywhere if each.__module__ == self.kind.__module__]
        same = [each for each in near if _scope(each) == _scope(self.kind)]
        for found in (same, near, everywhere):
            if found:
                return found[-1]
        choices = [each.__name__ for each in classes] or list(_classes)
        raise ModelError(
            f"{self.kind.__name__} refers to {name!r}, but no class of that name is declared{near_miss(name, choices)}. Import the module "
            "that declares it before making the model."
        )

    # Everything, including what is inherited

    def lineage(self) -> Iterator[Declaration]:
        """The declarations whose properties the entity itself has: those of mixins, then its
        own.
        """
        for each in reversed(self.kind.__mro__):
            found = vars(each).get("_declaration")
            if found is not None and (found is self or (found.options.mixin and not self._inherits(found))):
                yield found

    def _inherits(self, mixin: Declaration) -> bool:
        return self.parent is not None and issubclass(self.parent.kind, mixin.kind)

    def own_fields(self) -> dict[str, Field]:
        """The properties that the entity has and its parent has not, in order."""
        return {name: each.fields[name] for each in self.lineage() for name in each._order}

    def all_fields(self) -> dict[str, Field]:
        """All properties of the entity."""
        return {**({} if self.parent is None else self.parent.all_fields()), **self.own_fields()}

    def path_to(self, name: str, prefix: str = "") -> Any:
        """What stands for a property of the class at the end of a path."""
        for each in self.kind.__mro__:
            found = vars(each).get("_declaration")
            if found is not None and name in found._order:
                found.complete()
                return found.fields[name].path(prefix)
        raise unknown(self.kind.__name__, name, near_miss(name, self.names()))

    def names(self) -> list[str]:
        """The names of all properties."""
        return [name for each in self.kind.__mro__ for name in getattr(vars(each).get("_declaration"), "_order", ())]


def declare(kind: type[Any], options: ClassOptions, frame: Any) -> None:
    """Makes the declaration of a new class.

    Args:
        kind: The class.
        options: The arguments of the class statement.
        frame: The frame of the class statement, whose local names annotations can use.
    """
    # The names of a module are looked up when they are needed, for classes that are defined later.
    names = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)
    if kind.__module__ not in sys.modules:
        names = {**frame.f_globals, **names}
    kind._declaration = Declaration(kind, options, names)
    _classes.setdefault(kind.__name__, []).append(weakref.ref(kind))


def _parent_of(kind: type[Any]) -> Declaration | None:
    parents = []
    for base in kind.__bases__:
        found: Declaration | None = getattr(base, "_declaration", None)
        while found is not None and found.options.mixin:
            found = found.parent
        if found is not None and found not in parents:
            parents.append(found)
    if len(parents) > 1:
        raise ModelError(
            f"{kind.__name__} derives from several entities: {', '.join(each.entity for each in parents)}. An entity has one parent; "
            "declare the others with mixin=True."
        )
    return parents[0] if parents else None


def _relationship_options(owner: Declaration, name: str, given: Any) -> RelationshipOptions:
    if given is MISSING or given is None:
        return RelationshipOptions(None, {})
    if not isinstance(given, RelationshipOptions):
        raise ModelError(
            f"{owner.kind.__name__}.{name} is a relationship, so only inverse() or relationship() can follow the =, not {given!r:.100}."
        )
    return given


def _scope(kind: type[Any]) -> str:
    return kind.__qualname__.rpartition(".")[0]
