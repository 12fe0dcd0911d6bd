"""The type variable of generic classes. Type checkers read `generic.pyi`."""

from typing import TypeVar

ObjectT = TypeVar("ObjectT")
