"""How values and tables are shown: shortened in repr(), and as HTML in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .annotating import Any

_LENGTH = 40
# How many rows a table shows.
ROWS = 20


def short(value: Any) -> str:
    """A value in one line that is not too long."""
    if isinstance(value, (bytes, bytearray)):
        return f"<{len(value)} bytes>"
    if isinstance(value, str) and len(value) > _LENGTH:
        return repr(value[: _LENGTH - 1]) + "…"
    try:
        shown = repr(value)
    except Exception:  # raised by the program's own __repr__
        shown = f"<{type(value).__name__}>"
    return shown if len(shown) <= _LENGTH else shown[: _LENGTH - 1] + "…"


def escaped(text: object) -> str:
    """Text as HTML shows it."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def table(names: Sequence[str], rows: Iterable[Sequence[Any]], count: int, what: str) -> str:
    """An HTML table of the first rows.

    Args:
        names: The names of the columns.
        rows: The rows that are shown.
        count: How many rows there are.
        what: What the rows are, for the line below the table.
    """
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{escaped(_cell(value))}</td>' for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{count} {escaped(what)}</p>"


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) and len(value) <= _LENGTH else short(value)
