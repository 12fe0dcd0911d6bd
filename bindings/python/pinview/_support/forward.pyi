from asyncio import AbstractEventLoop as AbstractEventLoop
from concurrent.futures import Future as Future
from decimal import Decimal as Decimal
from logging import Logger as Logger
from uuid import UUID as UUID

from typing_extensions import Self as Self

from .._objects.blocks import Block as Block
from .._objects.context_lookups import Lookups as Lookups
from .._objects.hot_paths import Accelerator as Accelerator
from .._objects.hot_paths import EntityLayout as EntityLayout
from .._objects.views import View as View
from ..context import Context as Context
from ..coordinator import Coordinator as Coordinator
from ..coordinator import Store as Store
from ..journal import JournalProcess as JournalProcess
from ..journal import JournalReport as JournalReport
from ..managed_object import ManagedObject as ManagedObject
from ..model import Model as Model
from ..object_id import ObjectID as ObjectID
from ..paging import Page as Page
from ..paging import PageLeases as PageLeases
from ..predicates import Predicate as Predicate
from ..snapshots import Snapshot as Snapshot
