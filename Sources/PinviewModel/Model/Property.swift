/// An attribute or a relationship of a resolved model. Immutable; any thread may use it.
///
/// Sub-entities share the property objects of their parent. Members that do not apply have neutral
/// values: an attribute has an empty destination, a relationship the type `undefined`.
public final class Property: Sendable {
    /// Unique in the entity, ignoring case. For an element of a composite attribute a key path:
    /// `location.latitude`.
    public let name: String
    /// The position in `Entity.properties`, the same in the declaring entity and all of its
    /// sub-entities.
    package let index: Int
    /// Whether a saved object may have no value here.
    public let isOptional: Bool
    /// Whether the property is never saved.
    public let isTransient: Bool
    /// Whether this is a relationship.
    public let isRelationship: Bool
    /// Whether this is an attribute.
    public var isAttribute: Bool { !isRelationship }
    /// What its cells hold, if it has any; see ``isStored``.
    package let cellKind: CellKind
    /// Whether it has a column in its entity's table.
    package var isStored: Bool { !isTransient && !isToMany }
    /// The entity that declares the property; its sub-entities inherit it.
    public let declaringEntityName: String
    package let declaringEntityIndex: Int

    // Attributes
    /// `undefined` for relationships.
    public let attributeType: AttributeType
    /// The value of a new object, converted to the attribute's type.
    public let defaultValue: Value
    /// Whether large values may be stored in files beside the store.
    public let allowsExternalBinaryDataStorage: Bool
    /// Whether the persistent history keeps the value of a deleted object.
    public let preservesValueInHistoryOnDeletion: Bool
    /// The smallest valid value, converted to the attribute's type.
    public let minimumValue: Value?
    /// The largest valid value, converted to the attribute's type.
    public let maximumValue: Value?
    /// The smallest valid length in Unicode code points.
    public let minimumLength: Int?
    /// The largest valid length in Unicode code points.
    public let maximumLength: Int?
    /// The regular expression, in ICU syntax, that the whole text must match.
    public var regularExpression: String? { pattern?.text }
    let pattern: TextPattern?
    /// The transformer that turns the bytes of a transformable attribute into a program's value.
    public let valueTransformerName: String?
    /// The class of the values, as Xcode's model editor names it.
    public let valueClassName: String?
    /// How the value follows from other properties; nil for an attribute that the program sets.
    public let derivationExpression: String?
    /// Whether the store computes the value when something is saved.
    package let isDerived: Bool
    /// The indexes of all elements of the outermost composite attribute that has this one; empty
    /// for other properties.
    package let siblings: Range<Int>
    /// Whether a composite attribute that has this one may be without a value.
    private let isExcusable: Bool

    // Relationships
    /// The entity of the related objects; empty for attributes.
    public let destinationEntityName: String
    package let destinationIndex: Int
    /// The relationship of the destination that points back; nil for a one-way relationship.
    public let inverseName: String?
    /// The index of the inverse in the destination entity's properties.
    package let inverseIndex: Int?
    /// Whether an object can be related to more than one other.
    public let isToMany: Bool
    /// Whether the related objects keep their order.
    public let isOrdered: Bool
    /// What happens to the related objects when an object is deleted.
    public let deleteRule: DeleteRule
    /// The smallest valid number of related objects.
    public let minimumCount: Int
    /// The largest valid number of related objects; 0 for no limit.
    public let maximumCount: Int

    /// The property's name in the model version to migrate from, if it was renamed.
    public let renamingIdentifier: String?
    /// Changes the version hash although nothing that the hash covers has changed.
    public let versionHashModifier: String?
    /// Text of the application's own, by key.
    public let userInfo: [String: String]

    /// - Parameter attribute: with values that have been converted to the attribute's type.
    init(
        attribute: AttributeDescription, pattern: TextPattern?, index: Int, declaringEntityName: String, declaringEntityIndex: Int,
        place: ElementPlace = ElementPlace()
    ) {
        name = attribute.name
        self.index = index
        isOptional = attribute.isOptional
        isTransient = attribute.isTransient
        isRelationship = false
        cellKind = CellKind(attribute)
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
        valueTransformerName = attribute.valueTransformerName
        valueClassName = attribute.valueClassName
        derivationExpression = attribute.derivationExpression
        isDerived = attribute.derivationExpression != nil && !attribute.isTransient
        siblings = place.siblings
        isExcusable = place.isExcusable
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
        cellKind = relationship.isToMany ? .none : .reference
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
        valueTransformerName = nil
        valueClassName = nil
        derivationExpression = nil
        isDerived = false
        siblings = 0..<0
        isExcusable = false
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

    /// Whether the model demands a value of the program, whatever the values of other properties.
    package var isRequired: Bool { !isOptional && !isDerived && !isExcusable }

    /// Whether the model restricts the property's values beyond their type.
    var isRestricted: Bool {
        if isDerived { return false }
        if isToMany { return !isOptional || minimumCount > 0 || maximumCount > 0 }
        return !isOptional || !isOnlyMandatory
    }

    /// Whether a value may be required, but nothing is demanded of it.
    package var isOnlyMandatory: Bool {
        guard isAttribute else { return !isToMany }
        switch attributeType {
        case .uri, .date, .undefined: return false
        default: break
        }
        return minimumValue == nil && maximumValue == nil && minimumLength == nil && maximumLength == nil && pattern == nil
    }

    /// Whether this is an element of a composite attribute.
    package var isElement: Bool { !siblings.isEmpty }

    /// The last key of the name: `latitude` of `location.latitude`.
    package var lastKey: Substring {
        guard isElement, let dot = name.lastIndex(of: ".") else { return Substring(name) }
        return name[name.index(after: dot)...]
    }

    /// - Throws: `invalidArgument` for a derived attribute.
    package func requireSettable() throws(PinviewError) {
        guard isDerived else { return }
        throw PinviewError(
            .invalidArgument,
            "\(qualifiedName) is derived by \((derivationExpression ?? "").quotedForPeople): it cannot be set, but what it is derived from can."
        ).with(validationKey: name)
    }

    /// The property's name in error messages, such as `Person.age`.
    package var qualifiedName: String { "\(declaringEntityName).\(name)" }
}

/// Where an attribute is in a composite one.
struct ElementPlace {
    var siblings: Range<Int> = 0..<0
    var isExcusable = false
}

/// A property is only equal to itself: in another model instance, the same name may be another
/// column.
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
