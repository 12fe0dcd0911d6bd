/// A relationship as a model's author writes it down.
public struct RelationshipDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter.
    public var name: String
    public var destinationEntityName: String
    /// The relationship of the destination that leads back here; nil for a relationship of one direction.
    public var inverseRelationshipName: String?
    public var isToMany: Bool
    public var isOrdered: Bool
    public var deleteRule: DeleteRule
    public var isOptional: Bool
    public var minimumCount: Int
    /// 0: no limit (to-many), one (to-one).
    public var maximumCount: Int
    /// Never saved.
    public var isTransient: Bool
    /// The name in the version of the model from which to migrate, if it was another.
    public var renamingIdentifier: String?
    /// Makes the version hash differ although nothing that it covers has changed.
    public var versionHashModifier: String?
    public var userInfo: [String: String]

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
