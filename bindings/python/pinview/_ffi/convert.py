"""Conversions of single values between Python and the library: numbers, text, bytes, dates, UUIDs
and decimals.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from itertools import repeat

from .._support import lazy
from .._support.forward import UUID, Decimal
from ..errors import DataError, InvalidTextError, OutOfRangeError, WrongTypeError
from .implementation import connect

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


def uuid_of_bytes(data: bytes) -> UUID:
    """The UUID of 16 bytes."""
    return lazy.uuid.UUID(bytes=data)


connect(datetime=datetime.datetime, utc=UTC, date_of_seconds=date_of_seconds, uuid_of_bytes=uuid_of_bytes)


def utf8(value: str) -> bytes:
    """The UTF-8 bytes of a string."""
    try:
        return str.encode(value, "utf-8")  # subclasses may override encode()
    except UnicodeEncodeError as error:
        raise InvalidTextError(f"The string {value!r} cannot be encoded as UTF-8: {error.reason} at position {error.start}.") from None


def int64(value: int) -> int:
    """The integer as a plain int; raises OutOfRangeError if it does not fit into 64 bits."""
    value = int.__int__(value)
    if not -(2**63) <= value < 2**63:
        raise OutOfRangeError(
            f"{value if abs(value) < 10**40 else 'The number'} does not fit into 64 bits, the size of an integer attribute."
        )
    return value


def count_of(value: int, what: str) -> int:
    """Checks a limit, an offset or another count."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongTypeError(f"{what} must be an int, got {type(value).__name__}.")
    if not 0 <= value < 2**63:
        raise OutOfRangeError(f"{what} must be between 0 and 2**63 - 1, got {value}.")
    return value


def decimal_text(value: Decimal) -> str:
    """A decimal in the notation that the library reads."""
    kind = lazy.decimal.Decimal
    if kind.is_nan(value):
        return "NaN"
    if kind.is_infinite(value):
        raise OutOfRangeError("An infinite Decimal cannot be stored.")
    return kind.__str__(value)


def plain_bytes(value: bytes | bytearray | memoryview) -> bytes:
    """The contents of a bytes-like value as bytes."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise WrongTypeError(f"Expected bytes, bytearray or memoryview, got {type(value).__name__}.")
    return memoryview(value).tobytes()


def uuid_bytes(value: UUID) -> bytes:
    """The 16 bytes of a UUID."""
    return value.int.to_bytes(16, "big")


def is_nan(value: float) -> bool:
    """Whether a float is not a number."""
    return math.isnan(value)
