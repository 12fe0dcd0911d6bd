"""Names of `typing` and `collections.abc`, for modules that need no more of them and are loaded
with the package. Importing either takes longer than importing any module of the package.

Type checkers read `annotating.pyi`, which has the real ones. At run time the names may only be used
in annotations, as those of `forward`, and as decorators.
"""

TYPE_CHECKING = False

Any = Literal = object


class _Generic:
    """Stands for a generic class, and for any of its forms."""

    def __class_getitem__(cls, _):
        return object


Callable = Mapping = Sequence = _Generic


def overload(function):
    """Leaves out the registration of typing.overload, which typing.get_overloads reads."""
    return function
