import PinviewModel
import PinviewPredicates
import PinviewStore

/// Describes which objects to fetch (`NSFetchRequest`).
public struct FetchRequest: PersistentStoreRequest, Sendable {
    /// The entity to fetch, by name.
    public var entityName: String
    /// The condition that objects must satisfy; nil for all objects.
    public var predicate: PinviewPredicate?
    /// The sort order; by default, the order of the stores.
    public var sortDescriptors: [PinviewSortDescriptor] = []
    /// The maximum number of objects; 0 for no limit.
    public var fetchLimit = 0
    /// How many objects to skip first.
    public var fetchOffset = 0
    /// Above 0, the fetch only finds the IDs, and rows are loaded in pages of this size as elements
    /// are accessed. For column fetches, the maximum number of rows of a batch.
    public var fetchBatchSize = 0
    /// What `execute(_:)` returns.
    public var resultType = FetchRequestResultType.managedObject
    /// Whether objects of sub-entities are included.
    public var includesSubentities = true
    /// Whether the context's unsaved changes are included. Objects with changes are judged by their
    /// values in memory, all others by the store, as in Core Data: a condition or an order over a
    /// relationship of an object without changes uses the stored values of its destination.
    public var includesPendingChanges = true
    /// Whether rows are fetched too; otherwise the first access to each object reads the store.
    public var includesPropertyValues = true
    /// Whether objects are returned as faults. Their rows have been read either way.
    public var returnsObjectsAsFaults = true
    /// Whether objects that already have values are refreshed from the store. Pending changes are
    /// kept.
    public var shouldRefreshRefetchedObjects = false
    /// Whether the contexts that a child reads through refresh their objects too, so that all show
    /// the state of the store.
    var refreshesParents = false
    /// Relationships to prefetch, as key paths such as `cars` or `cars.maker`: one statement for
    /// each relationship, however many objects the fetch finds. To-many relationships are loaded;
    /// the destinations of to-one relationships get their rows. Ignored for batched results, whose
    /// pages come later.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The stores to read; nil for all.
    public var affectedStores: [PersistentStore]?
    /// For the result type ``FetchRequestResultType/dictionary``: the values of each row; by
    /// default, all stored attributes.
    public var propertiesToFetch: [PropertyToFetch] = []
    /// For dictionaries: whether duplicate rows are removed.
    public var returnsDistinctResults = false
    /// For dictionaries: key paths, or names of values in the result. There is one row for each
    /// combination of their values; other values of the row must be computed over the group, such
    /// as `count:(SELF)`. Without properties, rows hold the values grouped by.
    public var propertiesToGroupBy: [String] = []
    /// For dictionaries: which groups are returned, such as `sum:(price) > 100`. Names of computed
    /// values take precedence over attributes; all other key paths must be grouped by.
    public var havingPredicate: PinviewPredicate?
    /// How many seconds the stores may take; nil for no limit. After that, SQLite's statement is
    /// stopped, and the fetch fails with `timedOut`. For column fetches, the limit applies to each
    /// batch. Pages and faults read later have no limit.
    public var timeout: Double?

    /// Makes a request for all objects of an entity.
    public init(entityName: String) {
        self.entityName = entityName
    }

    /// Executes the fetch in the context whose block the calling thread is running.
    ///
    /// - Throws: `noCurrentContext` outside blocks; otherwise as `ManagedObjectContext.fetch(_:)`.
    public func execute() throws(PinviewError) -> FetchResult {
        try Self.currentContext().fetch(self)
    }

    static func check(timeout: Double?) throws(PinviewError) {
        guard let timeout, !(timeout >= 0) else { return }
        throw PinviewError(.invalidArgument, "The timeout of a fetch must be at least 0 seconds, got \(timeout).")
    }

    /// The context whose block the calling thread is running.
    package static func currentContext() throws(PinviewError) -> ManagedObjectContext {
        guard let context = CurrentThread.contextStack.innermost else {
            throw PinviewError(
                .noCurrentContext,
                "A fetch request was executed outside a block of a context, so there is no context to run it in. Fetch with a context."
            )
        }
        return context
    }
}
