"""Predicates: what objects must satisfy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from ._failure import call_for_handle
from ._handles import Managed
from ._library import functions
from ._values import arguments, named, string, text
from .errors import PredicateError


class Predicate(Managed, release="pinview_predicate_release"):
    """A condition in Core Data's format language. A fetch takes its text as well; this is for those that are used more than once.

        young = Predicate("age < %@ AND name BEGINSWITH[c] %@", [18, "d"])
        named = Predicate("name == $NAME")
        context.fetch("Person", named.substitute(NAME="dave"))

    It knows comparisons (==, !=, <, <=, >, >=, BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE; [c] and [d] for case and marks), AND,
    OR, NOT, nil, TRUE, FALSE, lists in braces, key paths such as owner.name, ANY, ALL, NONE and @count over to-many relationships, and
    SELF. Each %@ stands for one of the arguments, which never change the meaning of the text; %K stands for a key path.
    """

    __slots__ = ()

    def __init__(self, format: str, arguments: Iterable[Any] = ()) -> None:
        super().__init__(parse(format, arguments))

    def substitute(self, **variables: Any) -> Predicate:
        """The predicate with values for its $VARIABLES."""
        row, count, kept = named(variables)
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

    def __str__(self) -> str:
        return text(functions.pinview_predicate_description(self.handle)) or ""

    def _described(self) -> str:
        return str(self)


def parse(format: str, values: Iterable[Any]) -> int:
    """A predicate of the library, owned by the caller."""
    row, count, kept = arguments(values)
    release, function = functions.pinview_predicate_release, functions.pinview_predicate_create
    handle = call_for_handle(release, function, string(format), row, count)
    del kept
    return handle or 0


@contextlib.contextmanager
def parsed(predicate: str | Predicate | None, values: Iterable[Any]) -> Iterator[int | None]:
    """The handle of a predicate, for the time of a call; None for all objects."""
    if isinstance(predicate, str):
        handle = parse(predicate, values)
        try:
            yield handle
        finally:
            functions.pinview_predicate_release(handle)
        return
    if any(True for _ in values):
        raise PredicateError(
            "There are arguments, but no predicate that could use them."
            if predicate is None
            else "A Predicate has its arguments already; none can be given besides."
        )
    yield None if predicate is None else predicate.handle
