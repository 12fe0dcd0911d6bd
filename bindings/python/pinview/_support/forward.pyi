import datetime as datetime
import os
from asyncio import AbstractEventLoop as AbstractEventLoop
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future as Future
from decimal import Decimal as Decimal
from logging import Logger as Logger
from typing import Any, Protocol
from uuid import UUID as UUID

from typing_extensions import ParamSpec, TypeAlias, TypeVar
from typing_extensions import Self as Self

from .._ffi.choices import MergePolicy
from .._objects.blocks import Block as Block
from .._objects.context_lookups import Lookups as Lookups
from .._objects.hot_paths import Accelerator as Accelerator
from .._objects.hot_paths import EntityLayout as EntityLayout
from .._objects.views import View as View
from .._stores.exporting import Progress as Progress
from ..asynchronous import AsynchronousFetch as AsynchronousFetch
from ..asynchronous import RowProgress as RowProgress
from ..columns import ArrowColumns as ArrowColumns
from ..columns import Columns as Columns
from ..context import Context as Context
from ..coordinator import Coordinator as Coordinator
from ..coordinator import Store as Store
from ..difference import GenerationDifference as GenerationDifference
from ..errors import Conflict
from ..examining import ExaminedValue as ExaminedValue
from ..examining import MissingElement as MissingElement
from ..expressions import Expression as Expression
from ..fetching import FetchRequest, Sort
from ..history import History as History
from ..history import HistoryToken as HistoryToken
from ..history import RemoteChange as RemoteChange
from ..inserting import BatchInsertCounts as BatchInsertCounts
from ..inserting import UpsertResult as UpsertResult
from ..journal import JournalCommit as JournalCommit
from ..journal import JournalEvent as JournalEvent
from ..journal import JournalProcess as JournalProcess
from ..journal import JournalReport as JournalReport
from ..managed_object import ManagedObject as ManagedObject
from ..model import Model as Model
from ..notifications import Notification as Notification
from ..notifications import NotificationStream as NotificationStream
from ..notifications import Observer as Observer
from ..object_id import ObjectID as ObjectID
from ..paging import Page as Page
from ..paging import PageLeases as PageLeases
from ..predicates import Predicate as Predicate
from ..requests import Executable as Executable
from ..snapshots import Snapshot as Snapshot
from ..sql import Parameters as Parameters
from ..sql import SQLCursor as SQLCursor
from ..stages import MigrationProgress as MigrationProgress
from ..stages import StagedMigration as StagedMigration
from ..undo import UndoManager as UndoManager

Class = TypeVar("Class", bound=ManagedObject)
Given = ParamSpec("Given")
Implementation = TypeVar("Implementation")
ObjectT = TypeVar("ObjectT", bound=ManagedObject, default=ManagedObject)
ObjectT_co = TypeVar("ObjectT_co", bound=ManagedObject, default=ManagedObject, covariant=True)
Result = TypeVar("Result")

# What to fetch: the name of an entity, the class that declares it, or a request.
Source: TypeAlias = str | FetchRequest | type[ManagedObject]
# What requests take as a condition. For a type checker a comparison of an attribute that is
# annotated with its plain type, such as `age: int`, is a bool; when the program runs, it is a
# Predicate.
Filter: TypeAlias = str | Predicate | bool | None
# A criterion of a sort order (a name, a Sort or an attribute of a class), or several. For a type
# checker an attribute that is annotated with its plain type has that type on the class, too.
Order: TypeAlias = Any
# What the rows of a fetch consist of: names, attributes of declared classes, or names with what to
# compute.
Properties: TypeAlias = Sequence[Any] | Mapping[str, Any]
# How a conflict of a save is resolved: by a policy, or with the values to write.
Resolution: TypeAlias = MergePolicy | str | Mapping[str, Any]
MergeFunction: TypeAlias = Callable[[Sequence[Conflict]], Sequence[Resolution]]
# The path of a file.
Path: TypeAlias = str | os.PathLike[str]

class Criterion(Protocol):
    """What a sort order can contain besides names and Sort objects: an attribute of a declared
    class.
    """

    def _as_sort(self) -> Sort: ...
