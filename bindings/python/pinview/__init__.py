"""Pinview: a graph of managed objects over SQLite, whose contexts can be pinned to one generation
of the store.

    person = pinview.Entity("Person", attributes=[pinview.Attribute("name", "string")])
    model = pinview.Model([person])
    coordinator = pinview.Coordinator(model)
    coordinator.add_store("people.sqlite")
    with pinview.Context(coordinator) as context:
        context.pin()
        for person in context.fetch("Person", "name BEGINSWITH %@", ["d"], sort=["name"]):
            print(person.name)

Values are str, int (64 bits), float, bool, decimal.Decimal, uuid.UUID, bytes, datetime.datetime
(with a time zone; read back in UTC), and None for a missing value. All exceptions derive from
`pinview.Error`; see `pinview.errors`.

`pinview.implementation` is "c" if the accelerator is in use, a module in C for the hot paths of
reading and writing objects that is part of the wheels for CPython 3.10 and newer; otherwise it is
"python". Both behave alike. Setting the environment variable PINVIEW_IMPLEMENTATION to c or python
demands one of them.

Private-queue contexts can be used from any thread, main-queue contexts from the main thread only.
Importing the package loads the library and the exceptions, and everything else at its first use,
modules of the standard library among it. `from pinview import *` loads what all public names need:
for programs that give up their access to the package's files.

In a child made by fork() the library cannot be used if the parent has used it: calls raise
ForkedError. Start processes with spawn or forkserver.
"""

from ._ffi.implementation import implementation
from ._ffi.prototypes import PINVIEW_VERSION_STRING
from ._support import lazy as _lazy
from ._support.annotating import TYPE_CHECKING as _TYPE_CHECKING
from .errors import *  # noqa: F403
from .errors import __all__ as _errors

if _TYPE_CHECKING:
    from ._contexts.main_queue import MainQueue, main_queue
    from ._declarations.conditions import Condition
    from ._declarations.converters import add_converter
    from ._declarations.markers import Attr, One, Related, RelatedInOrder
    from ._declarations.objects import Object
    from ._declarations.operands import Operand
    from ._declarations.options import attribute, inverse, relationship
    from ._ffi.choices import BatchResult, Comparator, Concurrency, MergePolicy, QueryGenerationState, UpsertOutcome
    from ._objects.entities import CompositeAttribute, EntityInfo, Property
    from ._objects.hooks import EntityHooks
    from ._stores.exporting import export_database
    from .asynchronous import AsynchronousFetch
    from .columns import Column, ColumnBatch, Columns
    from .container import Container
    from .context import Context
    from .coordinator import Coordinator, Store
    from .diagnostics import (
        SQLiteLibrary,
        has_feature,
        is_sql_log_enabled,
        library_version,
        live_handles,
        log_sql,
        set_concurrency_debug,
        set_sql_log,
        sql_log,
        sqlite_library,
        sqlite_version,
    )
    from .difference import GenerationChange, GenerationDifference
    from .examining import ExaminedValue, MissingElement, readable
    from .expressions import Expression
    from .fetching import FetchExplanation, FetchRequest, FetchResult, Rows, Sort
    from .history import History, HistoryChange, HistoryChangeType, HistoryToken, HistoryTransaction, RemoteChange
    from .inserting import BatchInsertCounts, UpsertResult
    from .journal import (
        JournalCommit,
        JournalContext,
        JournalCounters,
        JournalEvent,
        JournalGeneration,
        JournalProcess,
        JournalReport,
        ReadMark,
    )
    from .managed_object import ManagedObject
    from .migration import (
        MigrationPlan,
        MigrationStep,
        ModelChange,
        ModelDifference,
        ModelObstacle,
        migration_plan,
        model_difference,
        rehearse_migration,
    )
    from .model import Attribute, Entity, FetchedProperty, Index, Model, ModelVersions, Relationship
    from .notifications import (
        DID_SAVE,
        OBJECTS_DID_CHANGE,
        WILL_SAVE,
        Notification,
        NotificationStream,
        Observer,
        merge_remote_changes,
        observe,
    )
    from .object_id import ObjectID
    from .paging import Page, PageLeases
    from .predicates import Predicate
    from .relationships import RelatedList, RelatedSet
    from .requests import BatchDeleteRequest, BatchInsertRequest, BatchUpdateRequest
    from .results import FetchedResultsController, IndexPath, ResultsChange, ResultsSection
    from .snapshots import Snapshot
    from .sql import SQLCursor
    from .stages import EntityMapping, MigrationManager, MigrationStage, StagedMigration
    from .tokens import CURRENT, QueryGenerationToken
    from .transformers import KEYED_ARCHIVE, ValueTransformer, set_value_transformer, value_transformer
    from .undo import UndoManager

__version__ = PINVIEW_VERSION_STRING

__all__ = [
    "CURRENT",
    "DID_SAVE",
    "KEYED_ARCHIVE",
    "OBJECTS_DID_CHANGE",
    "WILL_SAVE",
    "AsynchronousFetch",
    "Attr",
    "Attribute",
    "BatchInsertCounts",
    "BatchDeleteRequest",
    "BatchInsertRequest",
    "BatchResult",
    "BatchUpdateRequest",
    "Column",
    "ColumnBatch",
    "Columns",
    "Comparator",
    "CompositeAttribute",
    "Concurrency",
    "Condition",
    "Container",
    "Context",
    "Coordinator",
    "Entity",
    "EntityHooks",
    "EntityInfo",
    "EntityMapping",
    "ExaminedValue",
    "Expression",
    "FetchExplanation",
    "FetchRequest",
    "FetchResult",
    "FetchedProperty",
    "FetchedResultsController",
    "GenerationChange",
    "GenerationDifference",
    "Index",
    "IndexPath",
    "JournalCommit",
    "JournalContext",
    "JournalCounters",
    "JournalEvent",
    "JournalGeneration",
    "JournalProcess",
    "JournalReport",
    "MainQueue",
    "ManagedObject",
    "MergePolicy",
    "MigrationManager",
    "MigrationPlan",
    "MigrationStage",
    "MigrationStep",
    "MissingElement",
    "Model",
    "ModelChange",
    "ModelDifference",
    "ModelObstacle",
    "ModelVersions",
    "Notification",
    "NotificationStream",
    "Object",
    "ObjectID",
    "Observer",
    "One",
    "Operand",
    "Page",
    "PageLeases",
    "Predicate",
    "Property",
    "History",
    "HistoryChange",
    "HistoryChangeType",
    "HistoryToken",
    "HistoryTransaction",
    "QueryGenerationState",
    "QueryGenerationToken",
    "ReadMark",
    "RemoteChange",
    "Related",
    "RelatedInOrder",
    "RelatedList",
    "RelatedSet",
    "Relationship",
    "ResultsChange",
    "ResultsSection",
    "Rows",
    "SQLCursor",
    "SQLiteLibrary",
    "Snapshot",
    "Sort",
    "StagedMigration",
    "Store",
    "UndoManager",
    "UpsertOutcome",
    "UpsertResult",
    "ValueTransformer",
    "add_converter",
    "attribute",
    "export_database",
    "has_feature",
    "implementation",
    "inverse",
    "is_sql_log_enabled",
    "library_version",
    "live_handles",
    "log_sql",
    "main_queue",
    "merge_remote_changes",
    "migration_plan",
    "model_difference",
    "observe",
    "readable",
    "rehearse_migration",
    "relationship",
    "set_concurrency_debug",
    "set_sql_log",
    "set_value_transformer",
    "sql_log",
    "sqlite_library",
    "sqlite_version",
    "value_transformer",
    *_errors,
]

# What is loaded at its first use, by module: everything but the exceptions and the library itself,
# whose absence shows at the import.
_LATER_NAMES = {
    "_contexts.main_queue": ("MainQueue", "main_queue"),
    "_declarations.conditions": ("Condition",),
    "_declarations.converters": ("add_converter",),
    "_declarations.markers": ("Attr", "One", "Related", "RelatedInOrder"),
    "_declarations.objects": ("Object",),
    "_declarations.operands": ("Operand",),
    "_declarations.options": ("attribute", "inverse", "relationship"),
    "_ffi.choices": ("BatchResult", "Comparator", "Concurrency", "MergePolicy", "QueryGenerationState", "UpsertOutcome"),
    "_objects.entities": ("CompositeAttribute", "EntityInfo", "Property"),
    "_objects.hooks": ("EntityHooks",),
    "_stores.exporting": ("export_database",),
    "asynchronous": ("AsynchronousFetch",),
    "columns": ("Column", "ColumnBatch", "Columns"),
    "container": ("Container",),
    "context": ("Context",),
    "coordinator": ("Coordinator", "Store"),
    "diagnostics": (
        "SQLiteLibrary",
        "has_feature",
        "is_sql_log_enabled",
        "library_version",
        "live_handles",
        "log_sql",
        "set_concurrency_debug",
        "set_sql_log",
        "sql_log",
        "sqlite_library",
        "sqlite_version",
    ),
    "difference": ("GenerationChange", "GenerationDifference"),
    "examining": ("ExaminedValue", "MissingElement", "readable"),
    "expressions": ("Expression",),
    "fetching": ("FetchExplanation", "FetchRequest", "FetchResult", "Rows", "Sort"),
    "history": ("History", "HistoryChange", "HistoryChangeType", "HistoryToken", "HistoryTransaction", "RemoteChange"),
    "inserting": ("BatchInsertCounts", "UpsertResult"),
    "journal": (
        "JournalCommit",
        "JournalContext",
        "JournalCounters",
        "JournalEvent",
        "JournalGeneration",
        "JournalProcess",
        "JournalReport",
        "ReadMark",
    ),
    "managed_object": ("ManagedObject",),
    "migration": (
        "MigrationPlan",
        "MigrationStep",
        "ModelChange",
        "ModelDifference",
        "ModelObstacle",
        "migration_plan",
        "model_difference",
        "rehearse_migration",
    ),
    "model": ("Attribute", "Entity", "FetchedProperty", "Index", "Model", "ModelVersions", "Relationship"),
    "notifications": (
        "DID_SAVE",
        "OBJECTS_DID_CHANGE",
        "WILL_SAVE",
        "Notification",
        "NotificationStream",
        "Observer",
        "merge_remote_changes",
        "observe",
    ),
    "object_id": ("ObjectID",),
    "paging": ("Page", "PageLeases"),
    "predicates": ("Predicate",),
    "relationships": ("RelatedList", "RelatedSet"),
    "requests": ("BatchDeleteRequest", "BatchInsertRequest", "BatchUpdateRequest"),
    "results": ("FetchedResultsController", "IndexPath", "ResultsChange", "ResultsSection"),
    "snapshots": ("Snapshot",),
    "sql": ("SQLCursor",),
    "stages": ("EntityMapping", "MigrationManager", "MigrationStage", "StagedMigration"),
    "tokens": ("CURRENT", "QueryGenerationToken"),
    "transformers": ("KEYED_ARCHIVE", "ValueTransformer", "set_value_transformer", "value_transformer"),
    "undo": ("UndoManager",),
}
_LATER = {name: module for module, names in _LATER_NAMES.items() for name in names}

# Modules that are attributes of the package although they are imported at first use.
_LATER_MODULES = frozenset({*(module for module in _LATER_NAMES if "." not in module), "inspection"})


def __getattr__(name: str) -> object:
    if name in _LATER_MODULES:
        return _lazy.module(f"{__name__}.{name}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_lazy.module(f"{__name__}.{_LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_LATER_MODULES})
