"""Conditions: predicates made from the attributes of declared classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Union

from ..errors import PredicateError
from ..predicates import Predicate

Build = Callable[[Union[str, None]], Predicate]


class Condition(Predicate):
    """A predicate made from the attributes of classes: `Person.age > 3`.

    Conditions are combined with &, | and ~, also with other predicates, and equal the predicates of
    the corresponding format strings: `(Person.age > 3) == Predicate("age > 3")`.
    """

    __slots__ = ("_build", "_kind", "_parts")

    # Makes the predicate for the members of a relationship, which a variable stands for, or for the
    # object itself (None).
    _build: Build
    # Of a condition made with & or |: "all_of" or "any_of", and what it joins.
    _kind: str
    _parts: Sequence[Predicate]

    def __init__(self) -> None:
        raise TypeError("Conditions are made by comparing attributes of a class: Person.age > 3.")

    @classmethod
    def _of(cls, build: Build, kind: str = "", parts: Sequence[Predicate] = ()) -> Condition:
        predicate = build(None)
        made = cls._borrowed(predicate.handle)
        made._build, made._kind, made._parts = build, kind, parts
        return made

    @classmethod
    def _combined(cls, kind: str, *operands: Any) -> Condition:
        parts: list[Predicate] = []
        for each in operands:
            # `a & b & c` is one conjunction of three, as in a format string.
            parts += each._parts if isinstance(each, Condition) and each._kind == kind else [each]
        join = getattr(Predicate, kind)
        return cls._of(lambda variable: join([at(each, variable) for each in parts]), kind, parts)

    def __and__(self, other: Predicate | bool) -> Condition:
        return self._combined("all_of", self, other)

    def __or__(self, other: Predicate | bool) -> Condition:
        return self._combined("any_of", self, other)

    def __rand__(self, other: Predicate | bool) -> Condition:
        return self._combined("all_of", other, self)

    def __ror__(self, other: Predicate | bool) -> Condition:
        return self._combined("any_of", other, self)

    def __invert__(self) -> Condition:
        return self._of(lambda variable: Predicate.__invert__(at(self, variable)))

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"The condition {self} has no truth value, because a store evaluates it. Combine conditions with &, | and ~ instead of "
            "and, or and not, and use between() instead of a chain of comparisons."
        )


def at(condition: Predicate, variable: str | None) -> Predicate:
    """The predicate of a condition for what a variable stands for."""
    if variable is None:
        return condition
    if not isinstance(condition, Condition):
        raise PredicateError(
            f"The predicate {condition} cannot be used inside any(), all() or none(), because its key paths begin at the object. "
            "Use conditions made from the attributes of the members' class."
        )
    return condition._build(variable)
