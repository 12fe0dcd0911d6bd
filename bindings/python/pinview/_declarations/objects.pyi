from abc import ABCMeta
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import dataclass_transform

from ..managed_object import ManagedObject
from ..object_id import ObjectID
from .conditions import Condition
from .options import attribute

# On a class a to-one relationship is typed as the class of its destination, so that its attributes
# can follow, and can be compared. At run time it is a ToOnePath, and Object has no metaclass.
class _DeclaredType(ABCMeta):
    def __eq__(cls, other: object) -> Condition: ...  # type: ignore[override]
    def __ne__(cls, other: object) -> Condition: ...  # type: ignore[override]
    def in_(cls, objects: Iterable[ManagedObject | ObjectID]) -> Condition: ...
    def is_none(cls) -> Condition: ...

@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(attribute,))
class Object(ManagedObject, metaclass=_DeclaredType):
    # Objects of declared classes have the attributes that the class declares, and no others.
    __getattr__: None  # type: ignore[assignment, misc]
    __setattr__: None  # type: ignore[assignment, misc]

    def __init_subclass__(
        cls,
        *,
        entity: str | None = ...,
        abstract: bool = ...,
        mixin: bool = ...,
        unique: Sequence[Sequence[str]] = ...,
        indexes: Sequence[Sequence[str]] = ...,
        renamed_from: str | None = ...,
        **more: Any,
    ) -> None: ...
    def update(self, values: Mapping[str, Any] = ..., /, **more: Any) -> None: ...
