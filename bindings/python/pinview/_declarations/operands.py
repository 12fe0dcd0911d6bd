"""What can be compared in a condition: attributes of classes, and values computed from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, NoReturn, TypeVar

from .._ffi.handles import value_text
from ..errors import InvalidArgumentError, WrongTypeError
from ..expressions import Expression
from ..fetching import Sort
from ..predicates import Predicate
from .conditions import Condition
from .converters import Converter

T_co = TypeVar("T_co", covariant=True)
Number = TypeVar("Number")


class Operand(Generic[T_co]):
    """The value of an attribute, or one computed from attributes, in conditions and sort orders.

    Comparisons take values, other operands and None. `-Person.age` sorts in descending order.
    """

    __slots__ = ()

    # For subclasses

    # Whether it is an attribute at the end of a key path, rather than something computed.
    _is_key_path: bool = False

    def _expression(self, variable: str | None = None) -> Expression:
        """The expression, for the object itself or for what a variable stands for."""
        raise NotImplementedError

    @property
    def _converter(self) -> Converter | None:
        """What converts values into stored ones."""
        return None

    # Comparisons

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return compared(self, "==", other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return compared(self, "!=", other)

    def __lt__(self, other: T_co | Operand[T_co] | Operand[T_co | None]) -> Condition:
        return compared(self, "<", other)

    def __le__(self, other: T_co | Operand[T_co] | Operand[T_co | None]) -> Condition:
        return compared(self, "<=", other)

    def __gt__(self, other: T_co | Operand[T_co] | Operand[T_co | None]) -> Condition:
        return compared(self, ">", other)

    def __ge__(self, other: T_co | Operand[T_co] | Operand[T_co | None]) -> Condition:
        return compared(self, ">=", other)

    __hash__ = object.__hash__

    def in_(self, values: Iterable[T_co]) -> Condition:
        """Whether the value is one of several."""
        return compared_with_all(self, "IN", values)

    def between(self, low: T_co, high: T_co) -> Condition:  # type: ignore[misc]
        """Whether the value is between two others, or equal to one of them."""
        return compared_with_all(self, "BETWEEN", (low, high))

    def is_none(self) -> Condition:
        """Whether there is no value; the same as `== None`."""
        return compared(self, "==", None)

    # Texts

    def contains(self: Operand[str] | Operand[str | None], text: str, options: str = "") -> Condition:
        """Whether a text contains another one.

        Args:
            text: The other text.
            options: Any of the letters c (ignore case), d (ignore diacritics), n and l, as in
                format strings.
        """
        return compared(self, "CONTAINS", text, options=options)

    def startswith(self: Operand[str] | Operand[str | None], text: str, options: str = "") -> Condition:
        """Whether a text begins with another one; see contains()."""
        return compared(self, "BEGINSWITH", text, options=options)

    def endswith(self: Operand[str] | Operand[str | None], text: str, options: str = "") -> Condition:
        """Whether a text ends with another one; see contains()."""
        return compared(self, "ENDSWITH", text, options=options)

    def like(self: Operand[str] | Operand[str | None], pattern: str, options: str = "") -> Condition:
        """Whether a text matches a pattern in which ? stands for one character and * for any number
        of them; see contains().
        """
        return compared(self, "LIKE", pattern, options=options)

    def matches(self: Operand[str] | Operand[str | None], pattern: str, options: str = "") -> Condition:
        """Whether a whole text matches a regular expression; see contains()."""
        return compared(self, "MATCHES", pattern, options=options)

    def equals(self: Operand[str] | Operand[str | None], text: str | Operand[Any], options: str = "c") -> Condition:
        """Whether a text is equal to another one, by default ignoring case; see contains()."""
        return compared(self, "==", text, options=options)

    def lower(self: Operand[str] | Operand[str | None]) -> Operand[str]:
        """The text in lower case."""
        return computed("lowercase:", self)

    def upper(self: Operand[str] | Operand[str | None]) -> Operand[str]:
        """The text in upper case."""
        return computed("uppercase:", self)

    # Arithmetic

    def __add__(self: Operand[Number], other: Number | Operand[Number]) -> Operand[Number]:
        return computed("add:to:", self, other)

    def __radd__(self: Operand[Number], other: Number) -> Operand[Number]:
        return computed("add:to:", other, self)

    def __sub__(self: Operand[Number], other: Number | Operand[Number]) -> Operand[Number]:
        return computed("from:subtract:", self, other)

    def __rsub__(self: Operand[Number], other: Number) -> Operand[Number]:
        return computed("from:subtract:", other, self)

    def __mul__(self: Operand[Number], other: Number | Operand[Number]) -> Operand[Number]:
        return computed("multiply:by:", self, other)

    def __rmul__(self: Operand[Number], other: Number) -> Operand[Number]:
        return computed("multiply:by:", other, self)

    def __truediv__(self: Operand[Number], other: Number | Operand[Number]) -> Operand[Number]:
        return computed("divide:by:", self, other)

    def __rtruediv__(self: Operand[Number], other: Number) -> Operand[Number]:
        return computed("divide:by:", other, self)

    # Sort orders

    @property
    def _path(self) -> str:
        """The key path, for requests that take one."""
        raise InvalidArgumentError(f"A request cannot sort or name its values by the computed value {self}; use an attribute.")

    def _as_sort(self) -> Sort:
        return Sort(self._path)

    def __neg__(self) -> Sort:
        return Sort(self._path, ascending=False)

    def ascending(self, comparator: str = "binary") -> Sort:
        """A criterion of a sort order, with a comparator; see Sort."""
        return Sort(self._path, comparator=comparator)

    def descending(self, comparator: str = "binary") -> Sort:
        """Like ascending(), in descending order."""
        return Sort(self._path, ascending=False, comparator=comparator)

    def __str__(self) -> str:
        return str(self._expression())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __bool__(self) -> bool:
        raise TypeError(f"{self} has no truth value, because a store evaluates it; compare it with a value.")


def _not_joined(self: Operand[Any], other: Any) -> NoReturn:
    raise TypeError(f"{self} is not a condition, so & and | cannot join it; compare it with a value, in brackets: (a == 1) & (b == 2).")


def _not_negated(self: Operand[Any]) -> NoReturn:
    raise TypeError(f"{self} is not a condition, so ~ cannot negate it; compare it with a value.")


# Not in the class, because type checkers report these operators as long as they do not find them.
for _operator in ("and", "rand", "or", "ror"):
    setattr(Operand, f"__{_operator}__", _not_joined)
setattr(Operand, "__invert__", _not_negated)  # noqa: B010


class KeyPath(Operand[T_co]):
    """An attribute at the end of a path of relationships."""

    __slots__ = ("_of_values", "_text")

    def __init__(self, path: str, converter: Converter | None = None) -> None:
        self._text = path
        self._of_values = converter

    def _expression(self, variable: str | None = None) -> Expression:
        return Expression.key_path(self._text) if variable is None else Expression.variable(variable, self._text)

    @property
    def _converter(self) -> Converter | None:
        return self._of_values

    @property
    def _is_key_path(self) -> bool:  # type: ignore[override]
        return "@" not in self._text

    @property
    def _path(self) -> str:
        return self._text


class Computed(Operand[T_co]):
    """The value of a function."""

    __slots__ = ("_function", "_operands")

    def __init__(self, function: str, operands: tuple[Any, ...]) -> None:
        self._function = function
        self._operands = operands

    def _expression(self, variable: str | None = None) -> Expression:
        return Expression.function(self._function, *(expressed(each, variable) for each in self._operands))


def computed(function: str, *operands: Any) -> Operand[Any]:
    """The value of a function of operands and values."""
    return Computed(function, operands)


def expressed(value: Any, variable: str | None) -> Any:
    """The expression of an operand; any other value unchanged."""
    make = getattr(type(value), "_expression", None)
    return value if make is None else make(value, variable)


def stored(operand: Any, value: Any) -> Any:
    """A value as the store keeps those that it is compared with."""
    converter = operand._converter
    return value if converter is None or hasattr(type(value), "_expression") else converter.stored_value(value)


def compared(left: Any, operator: str, right: Any, modifier: str = "", options: str = "") -> Condition:
    """The condition that compares an operand with a value or another operand."""
    second = stored(left, right)

    def build(variable: str | None) -> Predicate:
        return Predicate.compare(left._expression(variable), operator, expressed(second, variable), modifier=modifier, options=options)

    made = Condition._of(build)
    if not modifier and left._is_key_path and not hasattr(type(second), "_expression"):
        made._kind, made._parts = _SIMPLE, (left, operator, second, options)  # type: ignore[assignment]
    return made


# The kind of a condition that compares one attribute with a value.
_SIMPLE = "simple"


def simple_parts(condition: Predicate) -> tuple[KeyPath[Any], str, Any, str] | None:
    """The attribute, the operator, the value and the options of a condition that compares one
    attribute with a value; None for others.
    """
    return condition._parts if isinstance(condition, Condition) and condition._kind == _SIMPLE else None  # type: ignore[return-value]


def compared_with_all(left: Any, operator: str, values: Iterable[Any]) -> Condition:
    """The condition that compares an operand with a list of values and operands."""
    if isinstance(values, (str, bytes)) or not hasattr(type(values), "__iter__"):
        raise WrongTypeError(f"{left} is compared with several values here, in a list or another collection, got {value_text(values)}.")
    items = [stored(left, each) for each in values]

    def build(variable: str | None) -> Predicate:
        parts = [expressed(each, variable) for each in items]
        right = Expression.aggregate(parts) if any(isinstance(each, Expression) for each in parts) else Expression.constant(parts)
        return Predicate.compare(left._expression(variable), operator, right)

    return Condition._of(build)
