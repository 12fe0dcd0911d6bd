"""Forward declarations: classes that annotations name without importing their modules.

A context makes objects, and an object names its context; so their types refer to each other, while
their modules are imported in one order. Type checkers read `forward.pyi`, which imports the
classes. At run time the names stand for nothing and may only be used in annotations, which are
never evaluated; tests/package/test_imports.py checks that.
"""

# Standard classes whose modules are loaded at their first use.
AbstractEventLoop = Decimal = Future = Logger = Self = UUID = None
# Classes of the package.
Accelerator = Block = Context = Coordinator = EntityLayout = JournalProcess = JournalReport = Lookups = ManagedObject = Model = None
ObjectID = Page = PageLeases = Predicate = Snapshot = Store = View = None
