"""Values of other packages, and dates without a time, as values that the library has."""

from __future__ import annotations

import datetime

from .._support import lazy
from .._support.annotating import Any
from .._support.forward import UUID
from ..errors import WrongTypeError


def plain_value(value: Any) -> Any:
    """The value that stands for one of a type that the library does not have: a numpy scalar,
    pandas' NA, or a date, which is the beginning of the day in UTC. Other values unchanged.
    """
    kind = type(value)
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc)
    module = kind.__module__.partition(".")[0]
    if module == "pandas" and kind.__name__ == "NAType":
        return None
    if module != "numpy" or getattr(value, "ndim", 1) != 0:
        return value
    if value.dtype.kind != "M":
        return value.item()
    moment = value.astype("datetime64[us]").item()  # None for NaT
    return None if moment is None else moment.replace(tzinfo=datetime.timezone.utc)


def python_value(value: Any) -> Any:
    """The value of Python's own that a converter takes in place of one of numpy or pandas: None for
    a missing one, a date for a day, a timedelta for a duration. Other values unchanged.
    """
    kind = type(value)
    module = kind.__module__.partition(".")[0]
    if module == "pandas" and kind.__name__ in ("NAType", "NaTType"):
        return None
    if module != "numpy" or getattr(value, "ndim", 1) != 0:
        return value
    if value.dtype.kind == "m":
        return value.astype("timedelta64[us]").item()
    return value.item()  # a date if the unit is the day


def values_of_column(column: Any) -> list[Any]:
    """The values of a column of pandas; None where one is missing, which pandas says with NaN in
    columns of any type.
    """
    return [None if is_missing else value for value, is_missing in zip(column, column.isna())]


def uuid_of_text(text: str, name: str) -> UUID:
    """The UUID that a text is."""
    try:
        return lazy.uuid.UUID(text)
    except ValueError:
        raise WrongTypeError(f"{name} is of type uuid; it cannot take the string {text!r:.100}, which is not a UUID.") from None
