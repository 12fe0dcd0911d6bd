/// A relationship as written in a model, before the model is resolved and checked.
public struct RelationshipDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter or `_`.
    public var name: String
    /// The entity of the related objects; objects of its sub-entities may be related too.
    public var destinationEntityName: String
    /// The relationship of the destination that points back; nil for a one-way relationship.
    public var inverseRelationshipName: String?
    /// Whether an object can be related to more than one other.
    public var isToMany: Bool
    /// Whether the related objects keep their order (to-many only).
    public var isOrdered: Bool
    /// What happens to the related objects when an object is deleted.
    public var deleteRule: DeleteRule
    /// Whether a saved object may be related to none.
    public var isOptional: Bool
    /// The smallest valid number of related objects (to-many only).
    public var minimumCount: Int
    /// The largest valid number of related objects. 0 means no limit (to-many) or one (to-one).
    public var maximumCount: Int
    /// Transient relationships are never saved.
    public var isTransient: Bool
    /// The relationship's name in the model version to migrate from, if it was renamed.
    public var renamingIdentifier: String?
    /// Changes the version hash although nothing that the hash covers has changed.
    public var versionHashModifier: String?
    /// Text of the application's own, by key. It is not part of the version hash.
    public var userInfo: [String: String]

    /// Creates the description of a relationship. It is checked when a model is made from it.
    public init(
        name: String, destinationEntityName: String, inverseRelationshipName: String? = nil, isToMany: Bool = false,
        isOrdered: Bool = false, deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minimumCount: Int = 0,
        maximumCount: Int = 0, isTransient: Bool = false, renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destinationEntityName = destinationEntityName
        self.inverseRelationshipName = inverseRelationshipName
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.deleteRule = deleteRule
        self.isOptional = isOptional
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.isTransient = isTransient
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}
