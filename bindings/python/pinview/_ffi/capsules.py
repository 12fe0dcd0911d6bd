"""PyCapsules around structs of the Arrow C data interface, for Arrow's PyCapsule protocol."""

from __future__ import annotations

import sys
from ctypes import POINTER, PYFUNCTYPE, Structure, addressof, byref, c_char_p, c_void_p, cast, create_string_buffer, py_object, pythonapi

from .._support.annotating import Any
from .prototypes import ArrowArrayStream, ArrowSchema

_new = PYFUNCTYPE(py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", pythonapi))
_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_names = {ArrowSchema: create_string_buffer(b"arrow_schema"), ArrowArrayStream: create_string_buffer(b"arrow_array_stream")}
# Capsules refer to their names until the process ends, so the names are never freed.
for _name in _names.values():
    pythonapi.Py_IncRef(py_object(_name))

# Capsules and the structs in them. A destructor written in Python would lose an exception that is
# being raised while the capsule is freed, which happens in pyarrow. So sweep() looks for capsules
# that nobody refers to any more.
_capsules: list[tuple[Any, Any]] = []


def release(struct: Any, _byref: Any = byref) -> None:
    """Releases a struct, unless a consumer has moved its contents out."""
    if struct.release:
        struct.release(_byref(struct))


def sweep() -> None:
    """Releases the structs of capsules that nobody refers to any more."""
    gone = []
    for place in range(len(_capsules) - 1, -1, -1):
        # Two references: the list's own, and the argument of getrefcount().
        if sys.getrefcount(_capsules[place][0]) <= 2:
            gone.append(_capsules.pop(place)[1])
    for struct in gone:
        release(struct)


def capsule(struct: Structure) -> Any:
    """A capsule that owns a struct."""
    sweep()
    made = _new(addressof(struct), addressof(_names[type(struct)]), None)
    _capsules.append((made, struct))
    return made


def stream_of(source: Any) -> tuple[Any, Any]:
    """A pointer to the Arrow stream of an object, and what must stay alive while it is used."""
    given = source.__arrow_c_stream__()
    return cast(_pointer(given, _names[ArrowArrayStream].value), POINTER(ArrowArrayStream)), given
