"""Conversions of single values between Python and the library: numbers, text, bytes, UUIDs and
decimals. Those of dates are in `dates`.
"""

from __future__ import annotations

from .._support import lazy
from .._support.annotating import Any
from .._support.forward import UUID, Decimal, datetime
from ..errors import InvalidTextError, OutOfRangeError, WrongTypeError
from .implementation import connect


def uuid_of_bytes(data: bytes) -> UUID:
    """The UUID of 16 bytes."""
    return lazy.uuid.UUID(bytes=data)


def _first_date(fields: bytes, _: None) -> datetime.datetime:
    """A date that the accelerator makes before anything with dates is known."""
    lazy.dates.prepare()
    make: Any = lazy.datetime.datetime
    made: datetime.datetime = make(fields, lazy.dates.UTC)
    return made


def _date_of_seconds(seconds: float) -> datetime.datetime:
    return lazy.dates.date_of_seconds(seconds)


connect(datetime=_first_date, utc=None, date_of_seconds=_date_of_seconds, uuid_of_bytes=uuid_of_bytes)


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
