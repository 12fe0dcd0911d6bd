"""Expressions: the values that predicates compare, dictionary fetches return, and batch updates
set.
"""

from __future__ import annotations

from collections.abc import Iterable

from ._ffi.buffers import read_result
from ._ffi.calls import call_for_handle
from ._ffi.handles import Managed, handle_of
from ._ffi.library import functions
from ._ffi.values import arguments, handles, string, text
from ._support.annotating import Any
from ._support.forward import ManagedObject, Predicate


class Expression(Managed, release="pinview_expression_release"):
    """An expression of Core Data's format language, evaluated by a store or for an object.
    Immutable.

        double = Expression("price * %@", [2])
        same = Expression.key_path("price") * 2
        assert str(double) == "price * 2" and double == same

    Expressions are parsed from a string, or built by the class methods and by +, -, *, / and **,
    whose operands can also be plain values.
    """

    __slots__ = ()

    def __init__(self, format: str, arguments: Iterable[Any] = ()) -> None:
        super().__init__(_parse(format, arguments))

    @classmethod
    def _made(cls, function: Any, *given: Any) -> Expression:
        return cls._owned(call_for_handle(functions.pinview_expression_release, function, *given) or 0)

    @classmethod
    def constant(cls, value: Any) -> Expression:
        """A constant; a list becomes an aggregate."""
        row, _, kept = arguments([value])
        made = cls._made(functions.pinview_expression_create_constant, row)
        del kept
        return made

    @classmethod
    def key_path(cls, path: str) -> Expression:
        """A key path such as owner.name or cars.@count. An empty one is SELF, the object being
        evaluated.
        """
        return cls._made(functions.pinview_expression_create_key_path, string(path))

    @classmethod
    def variable(cls, name: str, key_path: str | None = None) -> Expression:
        """The variable $name: to be substituted, or the variable of a SUBQUERY, which can be
        followed by a key path.
        """
        return cls._made(functions.pinview_expression_create_variable, string(name), string(key_path))

    @classmethod
    def aggregate(cls, elements: Iterable[Any]) -> Expression:
        """A list of expressions and values, for IN, BETWEEN and functions of lists."""
        return cls._made_of(functions.pinview_expression_create_aggregate, elements)

    @classmethod
    def function(cls, name: str, *operands: Any) -> Expression:
        """A function of expressions and values: Expression.function("lowercase:",
        Expression.key_path("name")).
        """
        return cls._made_of(functions.pinview_expression_create_function, operands, string(name))

    @classmethod
    def _made_of(cls, function: Any, operands: Iterable[Any], *given: Any) -> Expression:
        parts = [Expression.of(operand) for operand in operands]
        return cls._made(function, *given, handles(parts, "Expression"), len(parts))

    @classmethod
    def subquery(cls, collection: Expression | str, variable: str, predicate: Predicate) -> Expression:
        """The members of a to-many key path that satisfy a predicate. Use function("count:", …) to
        count them.
        """
        if isinstance(collection, str):
            collection = cls.key_path(collection)
        function = functions.pinview_expression_create_subquery
        return cls._made(function, handle_of(collection, "Expression"), string(variable), handle_of(predicate, "Predicate"))

    @classmethod
    def conditional(cls, predicate: Predicate, then: Any, otherwise: Any) -> Expression:
        """One value if a predicate is true, another one if it is false (TERNARY)."""
        first, second = cls.of(then), cls.of(otherwise)
        return cls._made(functions.pinview_expression_create_conditional, handle_of(predicate, "Predicate"), first.handle, second.handle)

    def cast(self, type: str) -> Expression:
        """The value converted to another type: "NSNumber", "NSString" or "NSDate"."""
        return self._made(functions.pinview_expression_create_cast, self.handle, string(type))

    @classmethod
    def of(cls, value: Any) -> Expression:
        """Returns an expression unchanged, the expression of an attribute of a declared class, and
        any other value as a constant.
        """
        if isinstance(value, Expression):
            return value
        make = getattr(type(value), "_expression", None)
        return cls.constant(value) if make is None else make(value)

    def evaluate(self, target: ManagedObject) -> Any:
        """Evaluates the expression for an object, using its values in memory, unsaved ones
        included.
        """
        return read_result(functions.pinview_expression_evaluate, self.handle, handle_of(target, "ManagedObject"))

    def __add__(self, other: Any) -> Expression:
        return Expression.function("add:to:", self, other)

    def __sub__(self, other: Any) -> Expression:
        return Expression.function("from:subtract:", self, other)

    def __mul__(self, other: Any) -> Expression:
        return Expression.function("multiply:by:", self, other)

    def __truediv__(self, other: Any) -> Expression:
        return Expression.function("divide:by:", self, other)

    def __pow__(self, other: Any) -> Expression:
        return Expression.function("raise:toPower:", self, other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        return bool(functions.pinview_expression_is_equal(self.handle, other.handle))

    def __hash__(self) -> int:
        return hash(str(self))

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: object) -> Expression:
        return self

    def __reduce__(self) -> tuple[type[Expression], tuple[str]]:
        return Expression, (str(self),)

    def __str__(self) -> str:
        return text(functions.pinview_expression_description(self.handle)) or ""

    def _described(self) -> str:
        return str(self)


def _parse(format: str, values: Iterable[Any]) -> int:
    row, count, kept = arguments(values)
    handle = call_for_handle(functions.pinview_expression_release, functions.pinview_expression_create, string(format), row, count)
    del kept
    return handle or 0
