from typing_extensions import ParamSpec, TypeVar

from ..managed_object import ManagedObject

ObjectT = TypeVar("ObjectT", bound=ManagedObject, default=ManagedObject)
ObjectT_co = TypeVar("ObjectT_co", bound=ManagedObject, default=ManagedObject, covariant=True)
Given = ParamSpec("Given")
