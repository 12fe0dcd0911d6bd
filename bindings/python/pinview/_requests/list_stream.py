"""Lists of values as an Arrow stream, which the library inserts fastest."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_char_p, c_void_p, cast, pointer
from itertools import accumulate

from .._ffi.prototypes import ArrowArray, ArrowArrayStream, ArrowSchema
from .._objects.entities import EntityInfo
from .._support.annotating import Any

# By type of the attribute: the Python type whose values need no conversion.
_KINDS: dict[str | None, type] = {"integer16": int, "integer32": int, "integer64": int, "double": float, "string": str}
_NULLABLE = 2


class ListStream:
    """A stream of one batch, for one call. This object owns its memory and has to stay alive during
    the call.
    """

    def __init__(self, names: Sequence[str], columns: Sequence[tuple[bytes, list[Any]]], count: int) -> None:
        self._kept: list[Any] = [columns]
        self._is_given = False
        schemas, arrays = [], []
        for name, (kind, buffers) in zip(names, columns):
            schemas.append(self._schema(name.encode("utf-8"), kind, []))
            arrays.append(self._array(count, buffers, []))
        self._all_schemas, self._all_arrays = self._schema(b"", b"+s", schemas), self._array(count, [None], arrays)
        self.stream = ArrowArrayStream()
        for field, function in (
            ("get_schema", self._get_schema),
            ("get_next", self._get_next),
            ("get_last_error", lambda _: None),
            ("release", _forget),
        ):
            setattr(self.stream, field, type(getattr(self.stream, field))(function))
        self._kept += [schemas, arrays]

    def _schema(self, name: bytes, kind: bytes, children: list[ArrowSchema]) -> ArrowSchema:
        schema = ArrowSchema(format=kind, name=name, flags=_NULLABLE, n_children=len(children))
        schema.children = self._pointers(ArrowSchema, children)
        schema.release = _releases[ArrowSchema]
        return schema

    def _array(self, count: int, buffers: list[Any], children: list[ArrowArray]) -> ArrowArray:
        filled = ArrowArray(length=count, null_count=-1 if buffers[0] else 0, n_buffers=len(buffers), n_children=len(children))
        addresses = (c_void_p * len(buffers))(*map(_address, buffers))
        filled.buffers = addresses
        filled.children = self._pointers(ArrowArray, children)
        self._kept.append(addresses)
        filled.release = _releases[ArrowArray]
        return filled

    def _pointers(self, kind: Any, children: list[Any]) -> Any:
        row = (POINTER(kind) * len(children))(*map(pointer, children))
        self._kept.append(row)
        return row

    def _get_schema(self, _: Any, out: Any) -> int:
        out[0] = self._all_schemas
        return 0

    def _get_next(self, _: Any, out: Any) -> int:
        out[0] = ArrowArray() if self._is_given else self._all_arrays
        self._is_given = True
        return 0


def _forget(struct: Any) -> None:
    """Marks a struct as released. Its memory belongs to the ListStream."""
    struct[0].release = type(struct[0].release)()


_releases: dict[type[Structure], Any] = {kind: dict(kind._fields_)["release"](_forget) for kind in (ArrowSchema, ArrowArray)}  # type: ignore[arg-type]


def _address(buffer: Any) -> int | None:
    if isinstance(buffer, array):
        return buffer.buffer_info()[0]
    return cast(c_char_p(buffer), c_void_p).value if buffer is not None else None


def stream_of_lists(columns: Mapping[str, Sequence[Any]], entity: EntityInfo | None) -> ListStream | None:
    """The stream; None if a value would need a conversion or an error message, which the slower
    paths have.
    """
    # Unlike rows and lists, a stream must have all mandatory attributes.
    if entity and any(
        prop.is_attribute and not prop.optional and not prop.transient and name not in columns for name, prop in entity.properties.items()
    ):
        return None
    made = []
    count = -1
    for name, values in columns.items():
        prop = entity.properties.get(name) if entity else None
        kind = _KINDS.get(prop.type) if prop else None
        present = set(map(type, values))
        if prop is None or kind is None or not len(values) or count not in (-1, len(values)):
            return None
        count = len(values)
        if present != {kind} and not (prop.optional and present == {kind, type(None)}):
            return None
        packed = _packed(kind, values, len(present) > 1)
        if packed is None:
            return None
        made.append(packed)
    return ListStream(list(columns), made, count) if made else None


def _packed(kind: type, values: Sequence[Any], is_missing: bool) -> tuple[bytes, list[Any]] | None:
    validity: bytes | None = None
    if is_missing:
        bits = "".join(["0" if value is None else "1" for value in values])[::-1]
        validity = int(bits, 2).to_bytes((len(bits) + 7) // 8, "little")
        nothing = kind()
        values = [nothing if value is None else value for value in values]
    try:
        if kind is str:
            data = "".join(values).encode("utf-8")
            sizes: Any = map(len, values)
            if not data.isascii():
                sizes = [len(each.encode("utf-8")) for each in values]
            return b"U", [validity, array("q", accumulate(sizes, initial=0)), data]
        return (b"l", [validity, array("q", values)]) if kind is int else (b"g", [validity, array("d", values)])
    except (OverflowError, UnicodeEncodeError):
        return None  # the slower path says what is wrong
