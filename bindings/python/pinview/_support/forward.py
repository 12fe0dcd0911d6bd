"""Forward declarations: classes that annotations name without importing their modules.

A context makes objects, and an object names its context; so their types refer to each other, while
their modules are imported in one order. Type checkers read `forward.pyi`, which imports the
classes. At run time the names stand for nothing and may only be used in annotations, which are
never evaluated; tests/package/test_imports.py checks that.
"""

# Standard classes whose modules are loaded at their first use, and such a module.
AbstractEventLoop = Decimal = Future = Logger = Self = UUID = datetime = None
# Classes and types of the package.
Accelerator = ArrowColumns = AsynchronousFetch = BatchInsertCounts = Block = Columns = None
Context = Coordinator = EntityLayout = Executable = ExaminedValue = Expression = GenerationDifference = None
History = HistoryToken = JournalCommit = JournalEvent = JournalProcess = JournalReport = None
Lookups = ManagedObject = MigrationProgress = MissingElement = Model = Notification = None
NotificationStream = ObjectID = Observer = Page = PageLeases = Parameters = Predicate = None
Progress = RemoteChange = RowProgress = SQLCursor = Snapshot = StagedMigration = Store = None
UndoManager = UpsertResult = View = None
