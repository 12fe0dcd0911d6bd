"""Relationships of declared classes in conditions: `Person.employer.name`, `Person.cars.any(…)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, NoReturn

from .._support.forward import ManagedObject
from .._support.generic import ObjectT
from ..errors import UnknownKeyError
from ..expressions import Expression
from ..fetching import Sort
from ..object_id import ObjectID
from ..predicates import Predicate
from .conditions import Condition, at
from .operands import Computed, KeyPath, Operand, compared, compared_with_all, simple_parts


class ToOnePath:
    """A to-one relationship of a class. Its attributes are those of the destination's class."""

    __slots__ = ("_destination", "_path")

    def __init__(self, path: str, destination: Callable[[], Any]) -> None:
        self._path = path
        self._destination = destination

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._destination().path_to(name, f"{self._path}.")

    def _expression(self, variable: str | None = None) -> Expression:
        return Expression.key_path(self._path) if variable is None else Expression.variable(variable, self._path)

    _converter = None
    _is_key_path = True

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return compared(self, "==", other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return compared(self, "!=", other)

    __hash__ = object.__hash__

    def in_(self, objects: Iterable[ManagedObject | ObjectID]) -> Condition:
        """Whether the destination is one of several objects."""
        return compared_with_all(self, "IN", objects)

    def is_none(self) -> Condition:
        """Whether there is no destination; the same as `== None`."""
        return compared(self, "==", None)

    def _as_sort(self) -> Sort:
        return Sort(self._path)

    def __str__(self) -> str:
        return self._path

    def __repr__(self) -> str:
        return f"<Relationship {self._path}>"


class Members(Generic[ObjectT]):
    """A to-many relationship of a class, in conditions."""

    __slots__ = ("_destination", "_path")

    def __init__(self, path: str, destination: Callable[[], Any]) -> None:
        self._path = path
        self._destination = destination

    def any(self, condition: Predicate | bool | None = None) -> Condition:
        """Whether at least one member satisfies a condition, which is made from the attributes of
        the members' class; without one, whether there are members.
        """
        if condition is None:
            return self.count > 0
        return self._some("ANY", condition, lambda counted: counted > 0)

    def all(self, condition: Predicate | bool) -> Condition:
        """Whether all members satisfy a condition; also true if there are none."""
        return self._some("ALL", condition, lambda counted: counted == 0, negated=True)

    def none(self, condition: Predicate | bool) -> Condition:
        """Whether no member satisfies a condition."""
        return self._some("NONE", condition, lambda counted: counted == 0)

    def contains(self, member: ObjectT | ObjectID) -> Condition:
        """Whether an object is a member."""
        return compared(KeyPath(self._path), "CONTAINS", member)

    @property
    def count(self) -> Operand[int]:
        """The number of members."""
        return KeyPath(f"{self._path}.@count")

    def sum(self, attribute: Operand[Any]) -> Operand[Any]:
        """The sum of an attribute of the members."""
        return self._aggregate("sum", attribute)

    def average(self, attribute: Operand[Any]) -> Operand[Any]:
        """The average of an attribute of the members."""
        return self._aggregate("avg", attribute)

    def minimum(self, attribute: Operand[Any]) -> Operand[Any]:
        """The smallest value of an attribute of the members."""
        return self._aggregate("min", attribute)

    def maximum(self, attribute: Operand[Any]) -> Operand[Any]:
        """The largest value of an attribute of the members."""
        return self._aggregate("max", attribute)

    def _aggregate(self, function: str, attribute: Operand[Any]) -> Operand[Any]:
        return KeyPath(f"{self._path}.@{function}.{attribute._path}", attribute._converter)

    def _some(self, modifier: str, condition: Any, test: Callable[[Operand[int]], Condition], negated: bool = False) -> Condition:
        simple = simple_parts(condition)
        if simple is not None:
            attribute, operator, value, options = simple
            path: KeyPath[Any] = KeyPath(f"{self._path}.{attribute._path}")
            return compared(path, operator, value, modifier, options)
        chosen = ~condition if negated else condition
        return test(Computed("count:", (_Matching(self._path, chosen),)))

    def _expression(self, variable: str | None = None) -> Expression:
        return Expression.key_path(self._path) if variable is None else Expression.variable(variable, self._path)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError(f"{self._path} is a to-many relationship, which cannot be compared; use contains(object) or any(condition).")

    __ne__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self._path} has no truth value, because a store evaluates it; use any() for: has members.")

    def __str__(self) -> str:
        return self._path

    def __repr__(self) -> str:
        return f"<Relationship {self._path}>"


def _no_attribute(self: Members[Any], name: str) -> NoReturn:
    if name.startswith("_"):
        raise AttributeError(name)
    raise AttributeError(
        f"{self._path} is a to-many relationship, so {self._path}.{name} would be several values; use any({{class}}.{name} == …)."
    )


# Not in the class, because type checkers report unknown attributes as long as they do not find it.
setattr(Members, "__getattr__", _no_attribute)  # noqa: B010


class _Matching:
    """The members that satisfy a condition: a SUBQUERY."""

    __slots__ = ("_condition", "_path")

    def __init__(self, path: str, condition: Predicate) -> None:
        self._path = path
        self._condition = condition

    def _expression(self, variable: str | None = None) -> Expression:
        # Each level has a variable of its own: each, each2, …
        own = "each" if variable is None else f"each{int(variable[4:] or 1) + 1}"
        collection = Expression.key_path(self._path) if variable is None else Expression.variable(variable, self._path)
        return Expression.subquery(collection, own, at(self._condition, own))


def unknown(owner: str, name: str, suggestion: str) -> UnknownKeyError:
    """The error for an attribute that a class does not declare."""
    return UnknownKeyError(f"The class {owner} declares no property {name!r}{suggestion}.", domain="PinviewErrorDomain", code=17, key=name)
