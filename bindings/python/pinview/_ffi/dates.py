"""Conversions of dates between Python and the library. Loaded with the first model that has dates,
because importing `datetime` takes longer than importing any module of this package.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from itertools import repeat

from ..errors import DataError, WrongTypeError
from .implementation import connect
from .values import add_date_class

UTC = datetime.timezone.utc
REFERENCE_DATE: datetime.datetime = datetime.datetime(2001, 1, 1, tzinfo=UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
# The last double before the year 10000. The double nearest to datetime.max is already in that year
# and could not be read back.
_LAST_SECONDS = 252_423_993_599.999_97


def seconds_since_reference_date(value: datetime.datetime) -> float:
    """A date as stores keep it: seconds since 2001-01-01 00:00 UTC."""
    if value != value:  # pandas' NaT is a datetime
        raise WrongTypeError(f"{value!r} is not a date; use None for a missing value.")
    # Subclasses may override utcoffset() and subtraction.
    if datetime.datetime.utcoffset(value) is None:
        raise WrongTypeError(
            f"The datetime {datetime.datetime.isoformat(value)} has no time zone, so it does not identify a moment; "
            "add one, for example value.replace(tzinfo=datetime.timezone.utc)."
        )
    return min((datetime.datetime.__sub__(value, REFERENCE_DATE) // _MICROSECOND) / 1_000_000, _LAST_SECONDS)


def date_of_seconds(seconds: float) -> datetime.datetime:
    """The datetime in UTC, to the microsecond, for seconds since 2001-01-01 00:00 UTC."""
    try:
        return REFERENCE_DATE + datetime.timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        raise DataError(f"A date {seconds!r} seconds after 2001-01-01 UTC is out of range for datetime (years 1 to 9999).") from None


def dates_of_seconds(values: Sequence[float]) -> list[datetime.datetime]:
    """Like date_of_seconds(), for several dates."""
    try:
        return list(map(REFERENCE_DATE.__add__, map(datetime.timedelta, repeat(0), values)))
    except (OverflowError, ValueError):
        return list(map(date_of_seconds, values))


def prepare() -> None:
    """Has values recognize dates, and passes the accelerator what it makes them with."""
    add_date_class(datetime.datetime)
    connect(datetime=datetime.datetime, utc=UTC, date_of_seconds=date_of_seconds)
