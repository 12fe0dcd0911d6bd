from typing_extensions import ParamSpec, TypeVar

from ..managed_object import ManagedObject

Class = TypeVar("Class", bound=ManagedObject)
Given = ParamSpec("Given")
Implementation = TypeVar("Implementation")
ObjectT = TypeVar("ObjectT", bound=ManagedObject, default=ManagedObject)
ObjectT_co = TypeVar("ObjectT_co", bound=ManagedObject, default=ManagedObject, covariant=True)
Result = TypeVar("Result")
