"""Rows as numpy's arrays."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from . import lazy
from .annotating import Any

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)


def array_of(names: Sequence[str], rows: Sequence[Sequence[Any]], dtype: Any) -> Any:
    """A structured array of rows, with a field for each name; a plain one, if a type is given."""
    numpy = lazy.numpy
    if dtype is not None:
        return numpy.array([list(row) for row in rows], dtype=dtype).reshape(len(rows), len(names))
    columns = [_column(numpy, [row[place] for row in rows]) for place in range(len(names))]
    made = numpy.empty(len(rows), dtype=[(name, column.dtype) for name, column in zip(names, columns)])
    for name, column in zip(names, columns):
        made[name] = column
    return made


def _column(numpy: Any, values: list[Any]) -> Any:
    kinds = set(map(type, values))
    missing = type(None) in kinds
    kinds.discard(type(None))
    if kinds == {float}:
        return numpy.array([numpy.nan if value is None else value for value in values], dtype="float64")
    if kinds == {datetime.datetime}:
        moments = [numpy.iinfo("int64").min if value is None else (value - _EPOCH) // _MICROSECOND for value in values]
        return numpy.array(moments, dtype="int64").view("datetime64[us]")
    if not missing and kinds in ({int}, {bool}):
        return numpy.array(values, dtype="int64" if kinds == {int} else "bool")
    made = numpy.empty(len(values), dtype=object)
    made[:] = values
    return made
