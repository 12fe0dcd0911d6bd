"""Values and tables as text for people."""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import unicodedata
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._support import lazy
from .._support.records import record
from ..examining import readable


@record(frozen=True)
class Look:
    """The characters of trees and pictures, and whether they are coloured."""

    branch: str
    last: str
    bar: str
    line: str
    many: str
    many_left: str
    levels: str
    dot: str
    ellipsis: str
    colour: bool = False

    def painted(self, text: str, code: str) -> str:
        """The text with an ANSI attribute, if this look is coloured."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def strong(self, text: str) -> str:
        """A heading."""
        return self.painted(text, "1")

    def faint(self, text: str) -> str:
        """Something of less interest."""
        return self.painted(text, "2")


UNICODE = Look("├─ ", "└─ ", "│  ", "─", "─<", ">─", "▁▂▃▄▅▆▇█", "·", "…")
ASCII = Look("|- ", "`- ", "|  ", "-", "-<", ">-", "_.:-=+*#", "-", "...")


def look(unicode: bool, colour: bool) -> Look:
    """The look for a terminal with these abilities."""
    return lazy.dataclasses.replace(UNICODE if unicode else ASCII, colour=colour)


def width(text: str) -> int:
    """The number of columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def shortened(text: str, columns: int, ellipsis: str = "…") -> str:
    """A text of at most so many columns."""
    if width(text) <= columns:
        return text
    room = columns - len(ellipsis)
    kept, used = [], 0
    for each in text:
        used += width(each)
        if used > room:
            break
        kept.append(each)
    return "".join(kept) + ellipsis


def padded(text: str, columns: int, right: bool = False) -> str:
    """A text filled up with blanks."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def one_line(text: str) -> str:
    """A text without line ends and other control characters, which would spoil a table or a
    terminal.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def plain(value: Any) -> str:
    """A value as text, without loss, for CSV; empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return iso(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def json_value(value: Any) -> Any:
    """A value that JSON knows: numbers, booleans and texts stay, the rest is text as in CSV."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict):
        return {str(key): json_value(member) for key, member in value.items()}
    if isinstance(value, list):
        return [json_value(member) for member in value]
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) else str(value)
    return plain(value)


def iso(moment: datetime.datetime) -> str:
    """A date in ISO 8601, in UTC."""
    return moment.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def shown(value: Any, columns: int, look: Look) -> str:
    """A value for people: shortened; data as what they contain, if they are a property list or an
    archive, else as their size.
    """
    if value is None:
        return ""
    if isinstance(value, (bytes, bytearray, memoryview)):
        content = archived(bytes(value))
        return f"{number(len(value))} byte{'' if len(value) == 1 else 's'}" if content is None else shown(content, columns, look)
    if isinstance(value, (dict, list)):
        return shortened(one_line(plain(json_value(value))), columns, look.ellipsis)
    if isinstance(value, bool):
        return plain(value)
    if isinstance(value, datetime.datetime):
        return iso(value.replace(microsecond=0) if value.microsecond == 0 else value).replace("T", " ")
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e15 and value != int(value) else repr(value)
    if isinstance(value, (uuid.UUID, decimal.Decimal, int)):
        return str(value)
    return shortened(one_line(str(value)), columns, look.ellipsis)


def archived(data: bytes) -> Any:
    """What a property list or keyed archive contains; None for other data."""
    if not data.startswith((b"bplist0", b"<")):
        return None
    content = readable(data)
    return None if isinstance(content, dict) and "$bytes" in content else content


def number(value: int) -> str:
    """A count with separators: 12,345."""
    return f"{value:,}"


def size(value: int) -> str:
    """A number of bytes."""
    if value < 1000:
        return f"{value} bytes"
    amount = float(value)
    for unit in ("kB", "MB", "GB", "TB"):
        amount /= 1000
        if amount < 999.5 or unit == "TB":
            return f"{amount:.3g} {unit}"
    return f"{value} bytes"


def counted(count: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun: 1 object, 2 objects."""
    return f"{number(count)} {noun if count == 1 else nouns or noun + 's'}"


def table(rows: Iterable[Sequence[str]], right: Sequence[bool] = (), gap: str = "  ") -> Iterator[str]:
    """Rows as lines with aligned columns."""
    cells = [list(row) for row in rows]
    if not cells:
        return
    widths = [max(width(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        parts = [padded(cell, columns, column < len(right) and right[column]) for column, (cell, columns) in enumerate(zip(row, widths))]
        yield gap.join(parts).rstrip()
