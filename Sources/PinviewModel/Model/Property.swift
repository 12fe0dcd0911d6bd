/// An attribute or a relationship of a resolved model. Immutable; any thread may use it.
///
/// A sub-entity shares the property objects of its parent. Members of the other kind have neutral values: an attribute has an
/// empty destination, a relationship the type `undefined`.
public final class Property: Sendable {
    public let name: String
    /// The position in `Entity.properties`, the same in the declaring entity and all of its sub-entities.
    package let index: Int
    public let isOptional: Bool
    public let isTransient: Bool
    public let isRelationship: Bool
    public var isAttribute: Bool { !isRelationship }
    /// The entity that introduced the property; its sub-entities inherit it.
    public let declaringEntityName: String
    package let declaringEntityIndex: Int

    // Attribute side.
    public let attributeType: AttributeType
    /// The value of a new object, of the attribute's type.
    public let defaultValue: Value
    public let allowsExternalBinaryDataStorage: Bool
    /// Whether the persistent history keeps the value of a deleted object.
    public let preservesValueInHistoryOnDeletion: Bool
    public let minimumValue: Value?
    public let maximumValue: Value?
    public let minimumLength: Int?
    public let maximumLength: Int?
    public var regularExpression: String? { pattern?.text }
    let pattern: TextPattern?

    // Relationship side.
    public let destinationEntityName: String
    package let destinationIndex: Int
    /// The relationship of the destination that leads back; nil for a relationship of one direction.
    public let inverseName: String?
    /// The position of the inverse in the destination entity's properties.
    package let inverseIndex: Int?
    public let isToMany: Bool
    public let isOrdered: Bool
    public let deleteRule: DeleteRule
    public let minimumCount: Int
    /// 0: no limit.
    public let maximumCount: Int

    public let renamingIdentifier: String?
    public let versionHashModifier: String?
    public let userInfo: [String: String]

    /// What stands in the model, with values of the attribute's type.
    init(attribute: AttributeDescription, pattern: TextPattern?, index: Int, declaringEntityName: String, declaringEntityIndex: Int) {
        name = attribute.name
        self.index = index
        isOptional = attribute.isOptional
        isTransient = attribute.isTransient
        isRelationship = false
        self.declaringEntityName = declaringEntityName
        self.declaringEntityIndex = declaringEntityIndex
        attributeType = attribute.attributeType
        defaultValue = attribute.defaultValue
        allowsExternalBinaryDataStorage = attribute.allowsExternalBinaryDataStorage
        preservesValueInHistoryOnDeletion = attribute.preservesValueInHistoryOnDeletion
        minimumValue = attribute.minimumValue
        maximumValue = attribute.maximumValue
        minimumLength = attribute.minimumLength
        maximumLength = attribute.maximumLength
        self.pattern = pattern
        destinationEntityName = ""
        destinationIndex = -1
        inverseName = nil
        inverseIndex = nil
        isToMany = false
        isOrdered = false
        deleteRule = .noAction
        minimumCount = 0
        maximumCount = 0
        renamingIdentifier = attribute.renamingIdentifier
        versionHashModifier = attribute.versionHashModifier
        userInfo = attribute.userInfo
    }

    init(
        relationship: RelationshipDescription, index: Int, declaringEntityName: String, declaringEntityIndex: Int,
        destinationIndex: Int, inverseIndex: Int?
    ) {
        name = relationship.name
        self.index = index
        isOptional = relationship.isOptional
        isTransient = relationship.isTransient
        isRelationship = true
        self.declaringEntityName = declaringEntityName
        self.declaringEntityIndex = declaringEntityIndex
        attributeType = .undefined
        defaultValue = .null
        allowsExternalBinaryDataStorage = false
        preservesValueInHistoryOnDeletion = false
        minimumValue = nil
        maximumValue = nil
        minimumLength = nil
        maximumLength = nil
        pattern = nil
        destinationEntityName = relationship.destinationEntityName
        self.destinationIndex = destinationIndex
        inverseName = relationship.inverseRelationshipName
        self.inverseIndex = inverseIndex
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        deleteRule = relationship.deleteRule
        minimumCount = relationship.minimumCount
        maximumCount = relationship.maximumCount
        renamingIdentifier = relationship.renamingIdentifier
        versionHashModifier = relationship.versionHashModifier
        userInfo = relationship.userInfo
    }

    /// `Person.age`, as error messages name it.
    package var qualifiedName: String { "\(declaringEntityName).\(name)" }
}

/// A property equals itself only: the same name in two model instances may mean two columns.
extension Property: Hashable {
    public static func == (left: Property, right: Property) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Property: CustomStringConvertible {
    public var description: String {
        isRelationship
            ? "\(qualifiedName): \(isToMany ? "to many" : "to one") \(destinationEntityName)"
            : "\(qualifiedName): \(attributeType.name)"
    }
}
