"""Values between Python and the library: numbers, text, bytes, dates, UUIDs, decimals, object IDs."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING

from ..errors import DataError, InvalidTextError, OutOfRangeError, WrongTypeError
from .implementation import connect

if TYPE_CHECKING:
    import decimal
    import uuid

UTC = datetime.timezone.utc
REFERENCE_DATE = datetime.datetime(2001, 1, 1, tzinfo=UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
# The last double before the year 10000. The one next to datetime.max is the beginning of that year, which could not be read again.
_LAST_SECONDS = 252_423_993_599.999_97


def seconds_since_reference_date(value: datetime.datetime) -> float:
    """A date as the store keeps it: seconds since 2001-01-01 00:00 UTC."""
    if value != value:  # pandas' NaT is a datetime
        raise WrongTypeError(f"{value!r} is not a moment; give None where there is none.")
    # A subclass may compute differences of its own kind.
    if datetime.datetime.utcoffset(value) is None:
        raise WrongTypeError(
            f"The datetime {datetime.datetime.isoformat(value)} has no time zone, so it does not say which moment it means; "
            "give it one, for example value.replace(tzinfo=datetime.timezone.utc)."
        )
    return min((datetime.datetime.__sub__(value, REFERENCE_DATE) // _MICROSECOND) / 1_000_000, _LAST_SECONDS)


def date_of_seconds(seconds: float) -> datetime.datetime:
    """The moment, in UTC and to the microsecond."""
    try:
        return REFERENCE_DATE + datetime.timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        raise DataError(
            f"A date {seconds!r} seconds after 2001-01-01 UTC is outside of what datetime can represent (years 1 to 9999)."
        ) from None


def dates_of_seconds(values: Sequence[float]) -> list[datetime.datetime]:
    """Several moments."""
    try:
        return list(map(REFERENCE_DATE.__add__, map(datetime.timedelta, repeat(0), values)))
    except (OverflowError, ValueError):
        return list(map(date_of_seconds, values))


def uuid_of_bytes(data: bytes) -> uuid.UUID:
    import uuid  # Not every program needs it.

    return uuid.UUID(bytes=data)


connect(datetime=datetime.datetime, utc=UTC, date_of_seconds=date_of_seconds, uuid_of_bytes=uuid_of_bytes)


def utf8(value: str) -> bytes:
    """A text for the library."""
    try:
        return str.encode(value, "utf-8")  # what a subclass says of itself is not what it holds
    except UnicodeEncodeError as error:
        raise InvalidTextError(f"The text {value!r} cannot be written as UTF-8: {error.reason} at position {error.start}.") from None


def int64(value: int) -> int:
    """An integer that fits, as a plain int."""
    value = int.__int__(value)
    if not -(2**63) <= value < 2**63:
        raise OutOfRangeError(f"{value if abs(value) < 10**40 else 'The number'} needs more than 64 bits, more than an attribute can hold.")
    return value


def count_of(value: int, what: str) -> int:
    """A limit, an offset, a number of rows."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongTypeError(f"{what} is a {type(value).__name__}; it must be an int.")
    if not 0 <= value < 2**63:
        raise OutOfRangeError(f"{what} is {value}; it must be 0 or more, and fit into 64 bits.")
    return value


def decimal_text(value: decimal.Decimal) -> str:
    """A decimal as the library reads it."""
    import decimal

    if decimal.Decimal.is_nan(value):
        return "NaN"
    if decimal.Decimal.is_infinite(value):
        raise OutOfRangeError("An infinite Decimal cannot be stored.")
    return decimal.Decimal.__str__(value)


def plain_bytes(value: bytes | bytearray | memoryview) -> bytes:
    """The bytes that a value holds."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise WrongTypeError(f"Bytes are needed, not a {type(value).__name__}.")
    return memoryview(value).tobytes()


def uuid_bytes(value: uuid.UUID) -> bytes:
    """The 16 bytes of a UUID."""
    return value.int.to_bytes(16, "big")


def is_nan(value: float) -> bool:
    return math.isnan(value)
