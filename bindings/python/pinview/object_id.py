"""Object IDs."""

from __future__ import annotations

from ._ffi.factories import factories
from ._ffi.handles import Managed
from ._ffi.library import functions
from ._ffi.values import add_object_id_class, text
from ._objects.lookups import ObjectIDBase
from ._support.annotating import Any
from .errors import UnknownStoreError


class ObjectID(ObjectIDBase, Managed, release="pinview_object_id_release"):
    """Identifies an object in the stores of a coordinator, for all contexts and threads.

    IDs of the same object are equal. A new object has a temporary ID. The `uri` of a saved object's
    ID is also valid in other processes, and can be kept. IDs can be pickled, and unpickled in a
    process that has the store open.
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("IDs are obtained from an object, or from a URI with coordinator.object_id(uri).")

    def close(self) -> None:
        """Releases the reference. A second call does nothing."""
        self._forget_objects()
        super().close()

    @property
    def uri(self) -> str:
        """The ID as a string, for Coordinator.object_id()."""
        return text(functions.pinview_object_id_uri(self.handle)) or ""

    @property
    def entity_name(self) -> str:
        """The name of the object's entity."""
        return text(functions.pinview_object_id_entity_name(self.handle)) or ""

    @property
    def store_identifier(self) -> str | None:
        """The identifier of the store that holds the object; None for a temporary ID."""
        return text(functions.pinview_object_id_store_identifier(self.handle))

    @property
    def is_temporary(self) -> bool:
        """Whether the object has not been saved yet."""
        return bool(functions.pinview_object_id_is_temporary(self.handle))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectID):
            return NotImplemented
        return bool(functions.pinview_object_id_is_equal(self.handle, other.handle))

    def __hash__(self) -> int:
        handle = self.handle
        try:
            return self._hash
        except AttributeError:
            self._hash = functions.pinview_object_id_hash(handle)
            return self._hash

    def __copy__(self) -> ObjectID:
        return self

    def __deepcopy__(self, memo: object) -> ObjectID:
        return self

    def __reduce__(self) -> Any:
        if self.is_temporary:
            raise TypeError("A temporary ObjectID cannot be pickled; save the object first, or use obtain_permanent_ids().")
        return _with_uri, (self.uri,)

    def _described(self) -> str:
        return self.uri


def _with_uri(uri: str) -> ObjectID:
    """The ID that was pickled, in a process that has its store open."""
    found = factories.object_id_of_uri(uri)
    if found is None:
        raise UnknownStoreError(f"The ID {uri} was pickled, but no coordinator of this process has its store; open the store first.")
    return found


add_object_id_class(ObjectID, ObjectID._borrowed)
factories.object_id_class = ObjectID
factories.retained_object_id = ObjectID._borrowed
