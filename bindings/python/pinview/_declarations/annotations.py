"""Annotations of declared classes: what kind of property one describes.

Annotations may be texts (`from __future__ import annotations`, forward references), name classes
that are declared later, and use `X | Y` in versions of Python that cannot evaluate it. So they are
evaluated here, and names that stand for nothing yet are kept as `Reference`.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, ClassVar, ForwardRef, Union

from ..errors import ModelError
from .markers import Attr, One, Related, RelatedInOrder

_UNIONS = {Union, getattr(types, "UnionType", Union)}
MARKERS = (Attr, One, Related, RelatedInOrder)


class Reference:
    """A name that stands for nothing yet."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Either:
    """A union."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts


class Marked:
    """One of the MARKERS, and what it is subscripted with."""

    __slots__ = ("argument", "marker")

    def __init__(self, marker: Any, argument: Any) -> None:
        self.marker, self.argument = marker, argument


def own_annotations(kind: type[Any]) -> dict[str, Any]:
    """The annotations of a class, without those it inherits."""
    if sys.version_info >= (3, 14):
        annotationlib: Any = __import__("annotationlib")
        return dict(annotationlib.get_annotations(kind, format=annotationlib.Format.FORWARDREF))
    return dict(vars(kind).get("__annotations__", {}))


def evaluated(annotation: Any, names: Mapping[str, Any]) -> Any:
    """An annotation as a type, Reference, Either or Marked.

    Args:
        annotation: The annotation: a type, a text or a forward reference.
        names: The names that it can use, besides builtins.
    """
    if annotation is None:
        return type(None)
    if isinstance(annotation, str):
        return _of_text(annotation, names)
    if isinstance(annotation, ForwardRef):
        return _of_text(annotation.__forward_arg__, names)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _UNIONS:
        return Either([evaluated(each, names) for each in arguments])
    if origin in MARKERS:
        return Marked(origin, evaluated(arguments[0], names))
    if origin is typing.Annotated:
        return evaluated(arguments[0], names)
    return annotation


def _of_text(text: str, names: Mapping[str, Any]) -> Any:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ModelError(f"The annotation {text!r} cannot be read: {error}.") from None
    return _of_node(tree.body, names)


def _of_node(node: ast.AST, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return evaluated(node.value, names)
    if isinstance(node, ast.Name):
        if node.id in names:
            return evaluated(names[node.id], names) if not isinstance(names[node.id], str) else names[node.id]
        return getattr(builtins, node.id, None) or Reference(node.id)
    if isinstance(node, ast.Attribute):
        owner = _of_node(node.value, names)
        found = None if isinstance(owner, Reference) else getattr(owner, node.attr, None)
        return Reference(node.attr) if found is None else found
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return Either([_of_node(node.left, names), _of_node(node.right, names)])
    if isinstance(node, ast.Subscript):
        base = _of_node(node.value, names)
        if isinstance(base, Reference) or typing.get_origin(base) is not None or (isinstance(base, type) and base not in MARKERS):
            return base  # such as list[str]
        inner = node.slice
        parts = [_of_node(each, names) for each in (inner.elts if isinstance(inner, ast.Tuple) else [inner])]
        if base is typing.Optional:
            return Either([*parts, type(None)])
        if base is Union:
            return Either(parts)
        if base in MARKERS:
            return Marked(base, parts[0])
        if base is typing.Annotated:
            return parts[0]
        if base is ClassVar:
            return ClassVar
    raise ModelError(f"The annotation {ast.unparse(node)!r} is not a type that a property can have.")


def is_class_variable(annotation: Any) -> bool:
    """Whether an evaluated annotation is ClassVar, so that no property is declared."""
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def parts_of(annotation: Any) -> tuple[list[Any], bool]:
    """The parts of an evaluated annotation other than None, and whether None is one of them."""
    flat: list[Any] = []

    def visit(node: Any) -> None:
        for each in node.parts if isinstance(node, Either) else [node]:
            visit(each) if isinstance(each, Either) else flat.append(each)

    visit(annotation)
    rest = [each for each in flat if each is not type(None)]
    return rest, len(rest) < len(flat)
