/// An index that the store keeps to make fetches faster.
public struct FetchIndexDescription: Hashable, Sendable {
    /// One column of the index.
    public struct Element: Hashable, Sendable {
        /// An attribute or a to-one relationship.
        public var attributeName: String
        public var isAscending: Bool

        public init(attributeName: String, isAscending: Bool = true) {
            self.attributeName = attributeName
            self.isAscending = isAscending
        }
    }

    public var name: String
    public var elements: [Element]

    public init(name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }
}

/// An entity as a model's author writes it down.
public struct EntityDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter.
    public var name: String
    public var superentityName: String?
    /// There are no objects of this very entity, only of its sub-entities.
    public var isAbstract: Bool
    /// The entity's own attributes, without the inherited ones.
    public var attributes: [AttributeDescription]
    /// The entity's own relationships, without the inherited ones.
    public var relationships: [RelationshipDescription]
    /// The entity's own fetched properties, without the inherited ones.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// Lists of properties whose values together occur once only.
    public var uniquenessConstraints: [[String]]
    public var indexes: [FetchIndexDescription]
    /// The name in the version of the model from which to migrate, if it was another.
    public var renamingIdentifier: String?
    /// Makes the version hash differ although nothing that it covers has changed.
    public var versionHashModifier: String?
    public var userInfo: [String: String]

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
