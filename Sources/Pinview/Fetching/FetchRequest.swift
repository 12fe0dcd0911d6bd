import PinviewModel
import PinviewPredicates
import PinviewStore

/// Something that `ManagedObjectContext.execute(_:)` carries out (`NSPersistentStoreRequest`).
public protocol PersistentStoreRequest: Sendable {}

/// Describes which objects to fetch (`NSFetchRequest`).
public struct FetchRequest: PersistentStoreRequest, Sendable {
    /// The entity to fetch, by name.
    public var entityName: String
    /// What the objects must satisfy; nil for all.
    public var predicate: Predicate?
    /// The order; without any it is that of the stores.
    public var sortDescriptors: [SortDescriptor] = []
    /// How many objects at the most; 0 for no limit.
    public var fetchLimit = 0
    /// How many objects to skip first.
    public var fetchOffset = 0
    /// Above 0, the fetch finds only the IDs, and rows are loaded in pages of this size as elements
    /// are accessed. With columns: the most rows of a batch.
    public var fetchBatchSize = 0
    /// What `execute(_:)` gives.
    public var resultType = FetchRequestResultType.managedObject
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// Whether the context's unsaved changes count.
    public var includesPendingChanges = true
    /// Whether rows come along; without them each object's first access reads the store.
    public var includesPropertyValues = true
    /// Whether the objects come as faults. Their rows are at hand either way.
    public var returnsObjectsAsFaults = true
    /// Whether objects that have values already get the store's; pending changes are kept.
    public var shouldRefreshRefetchedObjects = false
    /// Whether the contexts that a child reads through refresh theirs, too: what they show is as
    /// new as the store then.
    var refreshesParents = false
    /// Relationships whose destinations come along, as key paths such as `cars` or `cars.maker`:
    /// one statement for each relationship, however many objects the fetch finds. To-many
    /// relationships are loaded then; of objects whose to-one relationships come along the values
    /// are loaded too. Not for batched results, whose pages come later.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The stores to ask; nil for all.
    public var affectedStores: [PersistentStore]?
    /// With the result type ``FetchRequestResultType/dictionary``: the values of each row; without
    /// any all stored attributes.
    public var propertiesToFetch: [PropertyToFetch] = []
    /// With dictionaries: whether equal rows are given once.
    public var returnsDistinctResults = false
    /// With dictionaries: key paths, or names in the result; there is one row for each combination
    /// of their values. Other values of the row have to be computed of the group, such as
    /// `count:(SELF)`. Without properties the rows hold the values grouped by.
    public var propertiesToGroupBy: [String] = []
    /// With dictionaries: which groups are given, such as `sum:(price) > 100`. Names of computed
    /// values stand for these, also where an attribute has the same name; other key paths have to
    /// be grouped by.
    public var havingPredicate: Predicate?
    /// How many seconds the stores may take; nil for as many as they need. Then SQLite's statement
    /// is stopped, and the fetch fails with `timedOut`. Of columns each batch has that time. What
    /// is read later, as pages and faults, has no limit.
    public var timeout: Double?

    public init(entityName: String) {
        self.entityName = entityName
    }

    /// Runs the fetch in the context whose block the calling thread is in.
    ///
    /// - Throws: `noCurrentContext` outside every block; else as `ManagedObjectContext.fetch(_:)`.
    public func execute() throws(PinviewError) -> FetchResult {
        try Self.currentContext().fetch(self)
    }

    static func check(timeout: Double?) throws(PinviewError) {
        guard let timeout, !(timeout >= 0) else { return }
        throw PinviewError(.invalidArgument, "The timeout of a fetch cannot be \(timeout) seconds; give 0 or more, or none.")
    }

    /// The context whose block the calling thread is in.
    package static func currentContext() throws(PinviewError) -> ManagedObjectContext {
        guard let context = CurrentThread.contextStack.innermost else {
            throw PinviewError(
                .noCurrentContext,
                "A fetch request was executed outside every perform block, so there is no context to run it in. Use the context's fetch(_:)."
            )
        }
        return context
    }
}

/// What a request gave (`NSPersistentStoreResult`).
public enum PersistentStoreResult {
    case objects(FetchResult)
    case objectIDs([ManagedObjectID])
    case dictionaries(DictionaryResult)
    case count(Int)
    /// Of the history.
    case transactions([PersistentHistoryTransaction])
    case changes([PersistentHistoryChange])
    /// A fetch that is under way.
    case asynchronous(AsynchronousFetchResult)
    case success
}
