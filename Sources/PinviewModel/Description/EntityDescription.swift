/// An index that the store maintains to speed up fetches.
public struct FetchIndexDescription: Hashable, Sendable {
    /// One column of the index.
    public struct Element: Hashable, Sendable {
        /// An attribute or a to-one relationship; empty for an expression.
        public var attributeName: String
        /// Whether the column is sorted in ascending order.
        public var isAscending: Bool
        /// An expression in the format language that is indexed instead of an attribute. Stores
        /// make an index of a sum, difference, product or quotient of attributes, and none of
        /// another expression, for which SQLite alone would not do.
        public var expressionFormat: String?

        /// Creates an element for an attribute or a to-one relationship.
        public init(attributeName: String, isAscending: Bool = true) {
            self.attributeName = attributeName
            self.isAscending = isAscending
        }

        /// Creates an element for an expression, such as `lowercase:(name)`.
        public init(expressionFormat: String, isAscending: Bool = true) {
            attributeName = ""
            self.isAscending = isAscending
            self.expressionFormat = expressionFormat
        }
    }

    /// Unique within the entity. Any text without control characters.
    public var name: String
    /// The columns in index order; at least one.
    public var elements: [Element]
    /// The objects that the index covers, in the format language; nil for all of them. In stores
    /// an index covers all of them, too, if SQLite alone cannot evaluate the predicate: if it does
    /// more than compare attributes of the entity with constants and nil.
    public var partialIndexPredicateFormat: String?

    /// Creates the description of an index.
    public init(name: String, elements: [Element], partialIndexPredicateFormat: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicateFormat = partialIndexPredicateFormat
    }
}

/// An entity as written in a model, before the model is resolved and checked.
public struct EntityDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter or `_`.
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
    /// The version hash that Core Data computed for the entity, 32 bytes, from a compiled model;
    /// nil to use the library's own.
    public var versionHash: [UInt8]?
    /// The class of the entity's objects in the program that the model was made for.
    public var managedObjectClassName: String?
    /// Text of the application's own, by key. It is not part of the version hash.
    public var userInfo: [String: String]

    /// Creates the description of an entity. It is checked when a model is made from it.
    public init(
        name: String, superentityName: String? = nil, isAbstract: Bool = false, attributes: [AttributeDescription] = [],
        relationships: [RelationshipDescription] = [], fetchedProperties: [FetchedPropertyDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, versionHash: [UInt8]? = nil,
        managedObjectClassName: String? = nil, userInfo: [String: String] = [:]
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
        self.versionHash = versionHash
        self.managedObjectClassName = managedObjectClassName
        self.userInfo = userInfo
    }
}
