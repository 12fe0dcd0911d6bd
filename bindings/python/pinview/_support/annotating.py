"""Names of `typing`, for modules that need no more of it. Importing `typing` would take longer than
importing any module of the package.

Type checkers read `annotating.pyi`, which has the real ones. At run time the names may only be used
in annotations, as those of `forward`, and as decorators.
"""

TYPE_CHECKING = False

Any = Literal = object


def overload(function):
    """Leaves out the registration of typing.overload, which typing.get_overloads reads."""
    return function
