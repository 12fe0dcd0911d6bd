/// What a fetch gives (`NSFetchRequestResultType`).
public enum FetchRequestResultType: Int, Hashable, Sendable {
    case managedObject = 0
    case managedObjectID = 1
    /// Rows of named values: attributes, computed values, and what functions make of groups.
    case dictionary = 2
    case count = 4
}

/// A fetch request as a model's author writes it down, for a template or a fetched property: predicates and expressions are texts in the
/// format language. See `FetchRequest` for what the members mean, which has the same ones; it is made from this when it is needed.
public struct FetchRequestDescription: Hashable, Sendable {
    /// One criterion of the order.
    public struct Sort: Hashable, Sendable {
        public var keyPath: String
        public var isAscending: Bool
        /// `binary`, `caseInsensitive`, `numeric`, `localized`, `localizedCaseInsensitive` or `localizedStandard`.
        public var comparator: String

        public init(keyPath: String, isAscending: Bool = true, comparator: String = "binary") {
            self.keyPath = keyPath
            self.isAscending = isAscending
            self.comparator = comparator
        }
    }

    /// One of the values that a fetch of dictionaries gives.
    public struct PropertyToFetch: Hashable, Sendable {
        /// A key path; with an expression, the name of its value.
        public var name: String
        public var expressionFormat: String?

        public init(name: String, expressionFormat: String? = nil) {
            self.name = name
            self.expressionFormat = expressionFormat
        }
    }

    public var entityName: String
    /// May have variables such as `$NAME`, and in a fetched property `$FETCH_SOURCE` and `$FETCHED_PROPERTY`; nil for all objects.
    public var predicateFormat: String?
    public var sortDescriptors: [Sort] = []
    public var fetchLimit = 0
    public var fetchOffset = 0
    public var fetchBatchSize = 0
    public var resultType = FetchRequestResultType.managedObject
    public var includesSubentities = true
    public var includesPendingChanges = true
    public var includesPropertyValues = true
    public var returnsObjectsAsFaults = true
    public var shouldRefreshRefetchedObjects = false
    public var relationshipKeyPathsForPrefetching: [String] = []
    public var propertiesToFetch: [PropertyToFetch] = []
    public var returnsDistinctResults = false
    public var propertiesToGroupBy: [String] = []
    public var havingFormat: String?

    public init(entityName: String, predicateFormat: String? = nil, sortDescriptors: [Sort] = []) {
        self.entityName = entityName
        self.predicateFormat = predicateFormat
        self.sortDescriptors = sortDescriptors
    }
}

/// A property whose value is what a fetch request finds (`NSFetchedPropertyDescription`), as a model's author writes it down.
///
/// It is read-only and no part of the store: neither the tables nor the version hash of its entity depend on it. In the request's predicate
/// `$FETCH_SOURCE` is the object that has the property, from which key paths lead on (`$FETCH_SOURCE.name`), and
/// `$FETCHED_PROPERTY.name` and `$FETCHED_PROPERTY.userInfo.KEY` are of the property itself.
public struct FetchedPropertyDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter.
    public var name: String
    /// Of objects: other result types are none for a property.
    public var fetchRequest: FetchRequestDescription
    public var renamingIdentifier: String?
    public var userInfo: [String: String]

    public init(
        name: String, fetchRequest: FetchRequestDescription, renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.fetchRequest = fetchRequest
        self.renamingIdentifier = renamingIdentifier
        self.userInfo = userInfo
    }
}
