/// An index that the store maintains to speed up fetches.
public struct FetchIndexDescription: Hashable, Sendable {
    /// One column of the index.
    public struct Element: Hashable, Sendable {
        /// An attribute or a to-one relationship.
        public var attributeName: String
        /// Whether the column is sorted in ascending order.
        public var isAscending: Bool

        /// Creates an element for an attribute or a to-one relationship.
        public init(attributeName: String, isAscending: Bool = true) {
            self.attributeName = attributeName
            self.isAscending = isAscending
        }
    }

    /// Unique within the entity. Any text without control characters.
    public var name: String
    /// The columns in index order; at least one.
    public var elements: [Element]

    /// Creates the description of an index.
    public init(name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }
}

/// An entity as written in a model, before the model is resolved and checked.
public struct EntityDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter.
    public var name: String
    /// The parent entity, whose properties this one inherits; nil for a root entity.
    public var superentityName: String?
    /// Whether only sub-entities have objects.
    public var isAbstract: Bool
    /// The entity's own attributes, without the inherited ones.
    public var attributes: [AttributeDescription]
    /// The entity's own relationships, without the inherited ones.
    public var relationships: [RelationshipDescription]
    /// The entity's own fetched properties, without the inherited ones.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// Lists of properties whose combined values must be unique.
    public var uniquenessConstraints: [[String]]
    /// The entity's own indexes.
    public var indexes: [FetchIndexDescription]
    /// The entity's name in the model version to migrate from, if it was renamed.
    public var renamingIdentifier: String?
    /// Changes the version hash although nothing that the hash covers has changed.
    public var versionHashModifier: String?
    /// Text of the application's own, by key. It is not part of the version hash.
    public var userInfo: [String: String]

    /// Creates the description of an entity. It is checked when a model is made from it.
    public init(
        name: String, superentityName: String? = nil, isAbstract: Bool = false, attributes: [AttributeDescription] = [],
        relationships: [RelationshipDescription] = [], fetchedProperties: [FetchedPropertyDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.superentityName = superentityName
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}
