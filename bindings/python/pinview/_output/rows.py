"""Writes rows as CSV, JSON, JSON lines, Parquet, Arrow, or as a table for people."""

from __future__ import annotations

import contextlib
import csv
import importlib
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, TextIO

from ..errors import Error, InvalidArgumentError, NotSupportedError, StoreOperationError
from .text import UNICODE, Look, json_value, padded, plain, shortened, shown, width

FORMATS = ("csv", "json", "jsonl", "parquet", "arrow")
_ENDINGS = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_LOOKED_AT = 500
Progress = Callable[[int, int], Any]


def format_of(path: str, given: str | None) -> str:
    """The format to write: the given one, or what a file's name ends with."""
    if given is not None:
        if given not in FORMATS:
            raise InvalidArgumentError(f"Unknown format {given!r}; expected one of {', '.join(FORMATS)}.")
        return given
    ending = os.path.splitext(path)[1].lower()
    if ending not in _ENDINGS:
        raise InvalidArgumentError(f"The name {path!r} does not show the format; give one of {', '.join(FORMATS)}.")
    return _ENDINGS[ending]


def limited(count: int, limit: int) -> int:
    """A number of rows, under a limit; 0 for none."""
    return min(count, limit) if limit else count


@contextlib.contextmanager
def target_file(path: str, replace: bool) -> Iterator[BinaryIO]:
    """A file that appears under its name only when all has been written."""
    if os.path.isdir(path):
        raise StoreOperationError(f"{path!r} is a folder; give the name of a file.")
    if not replace and os.path.lexists(path):
        raise StoreOperationError(f"The file {path!r} exists already; choose another name, or ask for it to be replaced.")
    folder = os.path.dirname(path) or "."
    try:
        descriptor, name = tempfile.mkstemp(prefix=os.path.basename(path) + "-", suffix=".part", dir=folder)
    except OSError as error:
        raise StoreOperationError(f"{path!r} cannot be written: {error.strerror}.") from None
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        if replace:
            os.replace(name, path)
        else:
            os.link(name, path)
            os.unlink(name)
    except Error:  # some are an OSError, too: the rows cannot be read
        raise
    except FileExistsError:
        raise StoreOperationError(f"The file {path!r} exists already; choose another name, or ask for it to be replaced.") from None
    except OSError as error:
        raise StoreOperationError(f"{path!r} cannot be written: {error.strerror or error}.") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise NotSupportedError("Parquet and Arrow files need pyarrow: python -m pip install 'pinview[parquet]'.") from None


def write_columns(columns: Any, kind: str, file: BinaryIO, progress: Progress | None = None, total: int = 0) -> int:
    """Writes the columns of a fetch; returns the number of rows."""
    if kind in ("parquet", "arrow"):
        return _write_arrow(columns, kind, file, progress, total)
    with text_of(file) as text:
        return write_rows(tuple(columns.types), columns.rows(), kind, text, progress, total)


@contextlib.contextmanager
def text_of(file: BinaryIO) -> Iterator[TextIO]:
    """A binary file as one of text."""
    io = importlib.import_module("io")
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
        text.flush()
    finally:
        with contextlib.suppress(Exception):
            text.detach()


def _write_arrow(columns: Any, kind: str, file: BinaryIO, progress: Progress | None, total: int) -> int:
    arrow = _arrow()
    reader = arrow.RecordBatchReader.from_stream(columns)
    if kind == "parquet":
        # Parquet has no type for UUIDs in all versions of pyarrow; their bytes are kept.
        parquet: Any = importlib.import_module("pyarrow.parquet")
        schema = _plain_schema(arrow, reader.schema)
        writer = parquet.ParquetWriter(file, schema)
    else:
        schema = reader.schema
        writer = arrow.ipc.new_file(file, schema)
    count = 0
    with writer:
        for batch in reader:
            writer.write_batch(batch if schema is reader.schema else arrow.RecordBatch.from_arrays(_storage(batch), schema=schema))
            count += batch.num_rows
            if progress is not None:
                progress(count, total)
    return count


def _plain_schema(arrow: Any, schema: Any) -> Any:
    fields = [
        arrow.field(field.name, field.type.storage_type, field.nullable) if isinstance(field.type, arrow.BaseExtensionType) else field
        for field in schema
    ]
    return arrow.schema(fields)


def _storage(batch: Any) -> list[Any]:
    return [column.storage if hasattr(column, "storage") else column for column in batch.columns]


def write_rows(
    names: Sequence[str], rows: Iterable[Sequence[Any]], kind: str, file: TextIO, progress: Progress | None = None, total: int = 0
) -> int:
    """Writes rows as CSV, JSON or JSON lines; returns their number."""
    counted = _Counted(rows, progress, total)
    if kind == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([plain(value) for value in row] for row in counted)
    elif kind in ("json", "jsonl"):
        encode = json.JSONEncoder(ensure_ascii=False).encode
        lines = (encode(dict(zip(names, map(json_value, row)))) for row in counted)
        if kind == "jsonl":
            file.writelines(line + "\n" for line in lines)
        else:
            file.write("[")
            for place, line in enumerate(lines):
                file.write(("," if place else "") + "\n" + line)
            file.write("\n]\n" if counted.count else "]\n")
    else:
        raise InvalidArgumentError(f"Rows of SQL, and readable or raw values, cannot be written as {kind}; use csv, json or jsonl.")
    return counted.count


class _Counted:
    """Rows, counted as they pass."""

    def __init__(self, rows: Iterable[Sequence[Any]], progress: Progress | None, total: int) -> None:
        self.count = 0
        self._rows, self._progress, self._total = rows, progress, total

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for row in self._rows:
            yield row
            self.count += 1
            if self._progress is not None and self.count % 1000 == 0:
                self._progress(self.count, self._total)


def write_table(names: Sequence[str], rows: Iterable[Sequence[Any]], file: TextIO, columns: int, look: Look = UNICODE) -> int:
    """Writes rows as a table for people. The widths are those of the first rows, so that the
    others need no memory; longer values are shortened. Returns the number of rows.
    """
    rest = iter(rows)
    first = list(itertools.islice(rest, _LOOKED_AT))
    right = [
        any(isinstance(row[place], (int, float)) and not isinstance(row[place], bool) for row in first)
        and all(row[place] is None or isinstance(row[place], (int, float)) for row in first)
        for place in range(len(names))
    ]
    texts = [[shown(value, 60, look) for value in row] for row in first]
    widths = [max([width(name), *(width(row[place]) for row in texts)]) for place, name in enumerate(names)]
    widths = _fitted(widths, columns)

    def line(cells: Iterable[str]) -> str:
        parts = [padded(shortened(cell, size, look.ellipsis), size, flush) for cell, size, flush in zip(cells, widths, right)]
        return "  ".join(parts).rstrip()

    if names:
        file.write(look.strong(line(names)) + "\n" + look.faint("  ".join(look.line * size for size in widths)) + "\n")
    count = 0
    for cells in texts:
        file.write(line(cells) + "\n")
        count += 1
    for row in rest:
        file.write(line(shown(value, 60, look) for value in row) + "\n")
        count += 1
    return count


def _fitted(widths: list[int], columns: int) -> list[int]:
    """Widths that fit on a line, taken from the widest columns; no column becomes tiny."""
    widths = list(widths)
    while sum(widths) + 2 * (len(widths) - 1) > columns:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= 8:
            break
        widths[widest] -= 1
    return widths
