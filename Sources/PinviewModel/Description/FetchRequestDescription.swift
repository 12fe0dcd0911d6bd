/// The kind of result a fetch returns (`NSFetchRequestResultType`).
public enum FetchRequestResultType: Int, Hashable, Sendable {
    case managedObject = 0
    case managedObjectID = 1
    /// Rows of named values: attributes, computed values and aggregates of groups.
    case dictionary = 2
    case count = 4
}

/// A fetch request as written in a model, for a template or a fetched property.
///
/// Predicates and expressions are text in the predicate format language. `FetchRequest`, which is
/// made from this when it is needed, has the same members and documents them.
public struct FetchRequestDescription: Hashable, Sendable {
    /// One sort criterion.
    public struct Sort: Hashable, Sendable {
        /// The attribute to sort by, possibly through to-one relationships.
        public var keyPath: String
        /// Whether smaller values come first.
        public var isAscending: Bool
        /// `binary`, `caseInsensitive`, `numeric`, `localized`, `localizedCaseInsensitive` or
        /// `localizedStandard`.
        public var comparator: String

        /// Creates a sort criterion. An unknown comparator is reported when the request is used.
        public init(keyPath: String, isAscending: Bool = true, comparator: String = "binary") {
            self.keyPath = keyPath
            self.isAscending = isAscending
            self.comparator = comparator
        }
    }

    /// One value of each row of a dictionary fetch.
    public struct PropertyToFetch: Hashable, Sendable {
        /// A key path; with an expression, the name of the computed value.
        public var name: String
        /// An expression in the format language; nil for a plain key path.
        public var expressionFormat: String?

        /// Creates a value to fetch. The texts are parsed when the request is used.
        public init(name: String, expressionFormat: String? = nil) {
            self.name = name
            self.expressionFormat = expressionFormat
        }
    }

    /// The entity whose objects are fetched.
    public var entityName: String
    /// May contain variables such as `$NAME`, and in a fetched property `$FETCH_SOURCE` and
    /// `$FETCHED_PROPERTY`; nil fetches all objects.
    public var predicateFormat: String?
    /// The order of the results; empty for no particular order.
    public var sortDescriptors: [Sort] = []
    /// The largest number of results; 0 for no limit.
    public var fetchLimit = 0
    /// The number of matching objects to skip.
    public var fetchOffset = 0
    /// The number of rows to load at a time; 0 loads all at once.
    public var fetchBatchSize = 0
    /// What the fetch returns.
    public var resultType = FetchRequestResultType.managedObject
    /// Whether objects of sub-entities match too.
    public var includesSubentities = true
    /// Whether the context's unsaved changes are taken into account.
    public var includesPendingChanges = true
    /// Whether values are read along with the IDs.
    public var includesPropertyValues = true
    /// Whether objects are returned as faults, even if their values have been read.
    public var returnsObjectsAsFaults = true
    /// Whether objects already registered take the values that the fetch reads.
    public var shouldRefreshRefetchedObjects = false
    /// Relationships whose destinations are read along with the objects.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The values of each row, for a fetch of dictionaries; empty for all attributes.
    public var propertiesToFetch: [PropertyToFetch] = []
    /// Whether equal dictionaries are returned once only.
    public var returnsDistinctResults = false
    /// The key paths by which a fetch of dictionaries groups its rows.
    public var propertiesToGroupBy: [String] = []
    /// A predicate that groups must match, in the format language.
    public var havingFormat: String?

    /// Creates a request with the default value for every other member.
    public init(entityName: String, predicateFormat: String? = nil, sortDescriptors: [Sort] = []) {
        self.entityName = entityName
        self.predicateFormat = predicateFormat
        self.sortDescriptors = sortDescriptors
    }
}

/// A property whose value is the result of a fetch request (`NSFetchedPropertyDescription`), as
/// written in a model.
///
/// It is read-only and not part of the store: neither the tables nor the version hash of its entity
/// depend on it. In the request's predicate, `$FETCH_SOURCE` is the object that has the property
/// and can begin a key path (`$FETCH_SOURCE.name`); `$FETCHED_PROPERTY.name` and
/// `$FETCHED_PROPERTY.userInfo.KEY` refer to the property itself.
public struct FetchedPropertyDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter or `_`.
    public var name: String
    /// Its result type must be `managedObject`.
    public var fetchRequest: FetchRequestDescription
    /// The property's name in the model version to migrate from, if it was renamed.
    public var renamingIdentifier: String?
    /// Text of the application's own, by key.
    public var userInfo: [String: String]

    /// Creates the description of a fetched property. It is checked when a model is made from it.
    public init(
        name: String, fetchRequest: FetchRequestDescription, renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.fetchRequest = fetchRequest
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}
