"""Type variables of the package. Type checkers read `type_variables.pyi`, which uses features of
typing that older versions of Python lack.
"""

from __future__ import annotations

from typing import TypeVar

ObjectT = TypeVar("ObjectT")
ObjectT_co = TypeVar("ObjectT_co", covariant=True)
# Only for annotations, which are never evaluated.
Given = None
