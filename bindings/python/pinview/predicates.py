"""Predicates: conditions that objects can satisfy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from ctypes import c_int32

from ._ffi import prototypes as _prototypes
from ._ffi.calls import call_for, call_for_handle
from ._ffi.handles import Managed, handle_of, optional_handle_of, value_text
from ._ffi.library import functions
from ._ffi.prototypes import PINVIEW_COMPOUND_AND, PINVIEW_COMPOUND_NOT, PINVIEW_COMPOUND_OR
from ._ffi.values import arguments, handles, named_arguments, string, text
from ._support import lazy
from ._support.annotating import Any
from ._support.forward import Expression, Filter, ManagedObject
from .errors import PredicateError, WrongTypeError

_OPERATORS = {
    "==": _prototypes.PINVIEW_OPERATOR_EQUAL_TO,
    "=": _prototypes.PINVIEW_OPERATOR_EQUAL_TO,
    "!=": _prototypes.PINVIEW_OPERATOR_NOT_EQUAL_TO,
    "<>": _prototypes.PINVIEW_OPERATOR_NOT_EQUAL_TO,
    "<": _prototypes.PINVIEW_OPERATOR_LESS_THAN,
    "<=": _prototypes.PINVIEW_OPERATOR_LESS_THAN_OR_EQUAL_TO,
    ">": _prototypes.PINVIEW_OPERATOR_GREATER_THAN,
    ">=": _prototypes.PINVIEW_OPERATOR_GREATER_THAN_OR_EQUAL_TO,
    "BETWEEN": _prototypes.PINVIEW_OPERATOR_BETWEEN,
    "IN": _prototypes.PINVIEW_OPERATOR_IN,
    "CONTAINS": _prototypes.PINVIEW_OPERATOR_CONTAINS,
    "BEGINSWITH": _prototypes.PINVIEW_OPERATOR_BEGINS_WITH,
    "ENDSWITH": _prototypes.PINVIEW_OPERATOR_ENDS_WITH,
    "LIKE": _prototypes.PINVIEW_OPERATOR_LIKE,
    "MATCHES": _prototypes.PINVIEW_OPERATOR_MATCHES,
}
_MODIFIERS = {
    "": _prototypes.PINVIEW_MODIFIER_DIRECT,
    "ANY": _prototypes.PINVIEW_MODIFIER_ANY,
    "SOME": _prototypes.PINVIEW_MODIFIER_ANY,
    "ALL": _prototypes.PINVIEW_MODIFIER_ALL,
    "NONE": _prototypes.PINVIEW_MODIFIER_NONE,
}
_OPTIONS = {
    "c": _prototypes.PINVIEW_COMPARE_CASE_INSENSITIVE,
    "d": _prototypes.PINVIEW_COMPARE_DIACRITIC_INSENSITIVE,
    "n": _prototypes.PINVIEW_COMPARE_NORMALIZED,
    "l": _prototypes.PINVIEW_COMPARE_LOCALIZED,
}


class Predicate(Managed, release="pinview_predicate_release"):
    """A condition in Core Data's format language. Immutable.

    Fetches also accept a format string; a Predicate is for conditions that are used more than once.

        young = Predicate("age < %@ AND name BEGINSWITH[c] %@", [18, "d"])
        named = Predicate("name == $NAME")
        context.fetch("Person", named.substitute(NAME="dave"))

    Each %@ stands for an argument, whose value never changes the structure of the predicate; %K
    stands for a key path. docs/predicates.md shows each construct of the language. Predicates can
    also be built from parts, and combined with &, | and ~:

        young = Predicate.compare("age", "<", 18)
        found = young & Predicate.compare("name", "BEGINSWITH", "d", options="c")
    """

    __slots__ = ()

    def __init__(self, format: str, arguments: Iterable[Any] = ()) -> None:
        super().__init__(parse(format, arguments))

    @classmethod
    def compare(cls, left: Expression | str, operator: str, right: Any, *, modifier: str = "", options: str = "") -> Predicate:
        """A comparison.

        Args:
            left: An expression or a key path.
            operator: An operator of the format language, such as "==" or "BEGINSWITH".
            right: An expression or a value.
            modifier: For a to-many key path: ANY, ALL or NONE.
            options: For strings: any of the letters c, d, n and l.
        """
        for each in (operator, modifier, options):
            if not isinstance(each, str):
                raise TypeError(f"The operator, modifier and options of a comparison must be strings, got {value_text(each)}.")
        first = lazy.expressions.Expression.key_path(left) if isinstance(left, str) else left
        second = lazy.expressions.Expression.of(right)
        try:
            number, how = _OPERATORS[operator.upper()], _MODIFIERS[modifier.upper()]
            flags = sum(_OPTIONS[letter] for letter in set(options.lower()))
        except KeyError as error:
            raise PredicateError(f"Unknown operator, modifier or option of a comparison: {error.args[0]!r}.") from None
        function = functions.pinview_predicate_create_comparison
        return cls._made(function, handle_of(first, "Expression"), number, second.handle, how, flags)

    @classmethod
    def all_of(cls, predicates: Iterable[Predicate]) -> Predicate:
        """True if all of the predicates are true; also if there are none."""
        return cls._joined(PINVIEW_COMPOUND_AND, predicates)

    @classmethod
    def any_of(cls, predicates: Iterable[Predicate]) -> Predicate:
        """True if any of the predicates is true; false if there are none."""
        return cls._joined(PINVIEW_COMPOUND_OR, predicates)

    @classmethod
    def constant(cls, value: bool) -> Predicate:
        """TRUEPREDICATE or FALSEPREDICATE."""
        return cls._made(functions.pinview_predicate_create_constant, bool(value))

    @classmethod
    def _joined(cls, kind: int, predicates: Iterable[Predicate]) -> Predicate:
        parts = list(predicates)
        return cls._made(functions.pinview_predicate_create_compound, kind, handles(parts, "Predicate"), len(parts))

    @classmethod
    def _made(cls, function: Any, *given: Any) -> Predicate:
        return cls._owned(call_for_handle(functions.pinview_predicate_release, function, *given) or 0)

    def __and__(self, other: Predicate) -> Predicate:
        return self._joined(PINVIEW_COMPOUND_AND, [self, other])

    def __or__(self, other: Predicate) -> Predicate:
        return self._joined(PINVIEW_COMPOUND_OR, [self, other])

    def __invert__(self) -> Predicate:
        return self._joined(PINVIEW_COMPOUND_NOT, [self])

    def evaluate(self, target: ManagedObject) -> bool:
        """Whether an object satisfies the predicate, using its values in memory, unsaved ones
        included.
        """
        return bool(call_for(c_int32, functions.pinview_predicate_evaluate, self.handle, handle_of(target, "ManagedObject")).value)

    def filter(self, objects: Iterable[ManagedObject]) -> list[ManagedObject]:
        """The objects that satisfy the predicate, in their order."""
        return [each for each in objects if self.evaluate(each)]

    def substitute(self, **variables: Any) -> Predicate:
        """The predicate with values for its $VARIABLES. Variables on the right of IN and BETWEEN
        take iterables.
        """
        row, count, kept = named_arguments(variables)
        release, function = functions.pinview_predicate_release, functions.pinview_predicate_substitute
        handle = call_for_handle(release, function, self.handle, row, count)
        del kept
        return Predicate._owned(handle or 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Predicate):
            return NotImplemented
        return bool(functions.pinview_predicate_is_equal(self.handle, other.handle))

    def __hash__(self) -> int:
        return hash(str(self))

    def __copy__(self) -> Predicate:
        return self

    def __deepcopy__(self, memo: object) -> Predicate:
        return self

    def __reduce__(self) -> tuple[type[Predicate], tuple[str]]:
        return Predicate, (str(self),)

    def __str__(self) -> str:
        return text(functions.pinview_predicate_description(self.handle)) or ""

    def _described(self) -> str:
        return str(self)


# What SQL, its drivers and Python spell differently: a pattern, and what to write instead.
_OF_SQL = (
    (r"\bIS\s+NOT\s+NULL\b", "!= nil"),
    (r"\bIS\s+NULL\b", "== nil"),
    (r"\bILIKE\b", "LIKE[c]"),
    (r"\bIS\s+NOT\b", "!="),
    (r"\bIS\b", "=="),
    (r"\bNone\b", "nil"),
    (r"%[sr]\b", "%@"),
    (r"\?|(?<=\s)[:@]\w+", "%@"),
    (r"(?<=\bIN )\(", "{…}"),
)


def hint_for(format: str) -> str:
    """The end of a message about a format string that is written as in SQL; else empty."""
    bare = lazy.re.sub(r"'[^']*'|\"[^\"]*\"", "''", format)  # what is quoted is not to be written differently
    for pattern, better in _OF_SQL:
        found = lazy.re.search(pattern, bare, lazy.re.IGNORECASE)
        if found:
            return f" Write {better} instead of {found[0]}."
    return ""


def parse(format: str, values: Iterable[Any]) -> int:
    """Parses a format string. The caller owns the returned handle."""
    if isinstance(values, (str, bytes)):
        raise WrongTypeError(f"The arguments of a predicate are a list; for a single one pass [{values!r:.100}].")
    row, count, kept = arguments(values)
    release, function = functions.pinview_predicate_release, functions.pinview_predicate_create
    try:
        handle = call_for_handle(release, function, string(format), row, count)
    except PredicateError as error:
        hint = hint_for(format)
        if hint:
            error.message += hint
            error.args = (error.message,)
        raise
    del kept
    return handle or 0


def predicate_handle(predicate: Filter, values: Iterable[Any]) -> tuple[int | None, bool]:
    """The handle of a predicate, or None for all objects, and whether the caller has to release
    it.
    """
    if isinstance(predicate, str):
        return parse(predicate, values), True
    if any(True for _ in values):
        raise PredicateError(
            "Arguments need a predicate that uses them."
            if predicate is None
            else "Arguments cannot be combined with a Predicate; pass them when creating it."
        )
    if isinstance(predicate, bool):
        raise WrongTypeError(
            f"The condition is {predicate}, because values were compared instead of the attribute of a class; write Person.age > 3, or "
            "Predicate.constant() for all objects or none."
        )
    return optional_handle_of(predicate, "Predicate"), False


@contextlib.contextmanager
def parsed(predicate: Filter, values: Iterable[Any]) -> Iterator[int | None]:
    """The handle of a predicate for the duration of a call, or None for all objects."""
    handle, is_owned = predicate_handle(predicate, values)
    try:
        yield handle
    finally:
        if is_owned:
            functions.pinview_predicate_release(handle)
