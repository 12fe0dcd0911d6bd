"""Forward declarations: classes that annotations name without importing their modules, types that
stand for several, and type variables.

A context makes objects, and an object names its context; so their types refer to each other, while
their modules are imported in one order. Type checkers read `forward.pyi`, which imports the
classes. At run time the names may only be used in annotations, which the package never evaluates,
and for what a generic base class is given; tests/package/test_imports.py checks that. Programs can
evaluate annotations (typing.get_type_hints), so that the names are `object` and not None: `None |
None` is an error.
"""

# Standard classes whose modules are loaded at their first use, and such a module.
AbstractEventLoop = Decimal = Future = Logger = Self = UUID = datetime = object
# Classes and types of the package.
Accelerator = ArrowColumns = AsynchronousFetch = BatchInsertCounts = Block = Columns = object
Context = Coordinator = Criterion = EntityLayout = Executable = ExaminedValue = Expression = GenerationDifference = object
History = HistoryToken = JournalCommit = JournalEvent = JournalProcess = JournalReport = object
Lookups = ManagedObject = MigrationProgress = MissingElement = Model = Notification = object
NotificationStream = ObjectID = Observer = Page = PageLeases = Parameters = Predicate = object
Progress = RemoteChange = RowProgress = SQLCursor = Snapshot = StagedMigration = Store = object
UndoManager = UpsertResult = View = object
# Type variables. Classes that inherit from typing.Generic, which demands a real one, have it from
# `generic`.
Class = Given = Implementation = ObjectT = ObjectT_co = Result = object
# Types that stand for several.
Filter = MergeFunction = Order = Path = Properties = Resolution = Source = object
