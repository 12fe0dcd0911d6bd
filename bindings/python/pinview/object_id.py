"""The identities of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._ffi.handles import Managed
from ._ffi.library import functions
from ._ffi.values import add_packer, pack_ids, text

if TYPE_CHECKING:
    from typing_extensions import Self


class ObjectID(Managed, release="pinview_object_id_release"):
    """Names an object in the stores of a coordinator, in every context and thread.

    IDs are compared and hashed by what they name. The one of a new object is temporary; the one of a saved object stays the same in
    later processes too, as `uri`.
    """

    __slots__ = ("_findings", "_hash")

    _findings: Any  # where contexts have found its object; see Found
    _hash: int

    def __init__(self) -> None:
        raise TypeError("IDs come from an object, or from the coordinator: coordinator.object_id(uri).")

    @classmethod
    def _owned(cls, handle: int) -> Self:
        owner = super()._owned(handle)
        owner._findings = None
        return owner

    def close(self) -> None:
        """Gives the reference back. A second call does nothing."""
        self._findings = None
        super().close()

    @property
    def uri(self) -> str:
        """The ID as text, which the coordinator turns back into it."""
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
        raise TypeError("An ObjectID cannot be pickled; keep its uri, of which coordinator.object_id(uri) makes the ID again.")

    def _described(self) -> str:
        return self.uri


add_packer(ObjectID, pack_ids)
