"""PyCapsules around the structs of the Arrow C data interface, as Arrow's PyCapsule protocol asks for."""

from __future__ import annotations

import sys
from ctypes import POINTER, PYFUNCTYPE, Structure, addressof, byref, c_char_p, c_void_p, cast, create_string_buffer, py_object, pythonapi
from typing import Any

from .prototypes import ArrowArrayStream, ArrowSchema

_new = PYFUNCTYPE(py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", pythonapi))
_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_names = {ArrowSchema: create_string_buffer(b"arrow_schema"), ArrowArrayStream: create_string_buffer(b"arrow_array_stream")}
# Capsules refer to their names until the process ends.
for _name in _names.values():
    pythonapi.Py_IncRef(py_object(_name))

# Capsules and the structs in them. A capsule could have a destructor, but one that is written in Python would lose the exception that is
# on its way when the capsule goes, as pyarrow lets it. So what nobody else refers to any more is looked for now and then.
_capsules: list[tuple[Any, Any]] = []


def released(struct: Any, _byref: Any = byref) -> None:
    """Lets go of a struct, if nobody has taken its contents."""
    if struct.release:
        struct.release(_byref(struct))


def sweep() -> None:
    """Lets go of what is in capsules that nobody has any more."""
    gone = []
    for place in range(len(_capsules) - 1, -1, -1):
        # The list's own reference, and the argument.
        if sys.getrefcount(_capsules[place][0]) <= 2:
            gone.append(_capsules.pop(place)[1])
    for struct in gone:
        released(struct)


def capsule(struct: Structure) -> Any:
    """A capsule that owns a struct."""
    sweep()
    made = _new(addressof(struct), addressof(_names[type(struct)]), None)
    _capsules.append((made, struct))
    return made


def stream_of(source: Any) -> tuple[Any, Any]:
    """A pointer to the stream of anything that has one, and what keeps it."""
    given = source.__arrow_c_stream__()
    return cast(_pointer(given, _names[ArrowArrayStream].value), POINTER(ArrowArrayStream)), given
