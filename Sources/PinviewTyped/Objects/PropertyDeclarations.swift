import Pinview

/// A property of a typed object: one of ``AttributeKey``, ``ToOneKey``, ``ToManyKey`` and
/// ``OrderedToManyKey``.
public protocol PropertyDeclaration: Sendable {
    /// The property's name in the model.
    var name: String { get }
    /// What the declaration and an entity's property disagree about; empty if they fit.
    func mismatches(with property: Property) -> [String]
    /// Adds the property to the description of an entity.
    func describe(in entity: inout EntityDescription)
}

/// An attribute: its name, its Swift type, and the value that is read where there is none.
public struct AttributeKey<V: AttributeValue>: PropertyDeclaration {
    /// The property's name with what it remembers.
    public let key: PropertyKey
    /// What reading gives for null, if null is no value of the type, and if reading fails.
    public let placeholder: V
    /// The attribute's default value in a model that is made of the types.
    let hasDefault: Bool

    public var name: String { key.name }

    /// An attribute with a default value.
    public init(_ name: String, default value: V) {
        key = PropertyKey(name)
        placeholder = value
        hasDefault = true
    }

    /// A required attribute without a default value in the model.
    ///
    /// - Parameter placeholder: what reading gives before the attribute has been set.
    public init(_ name: String, placeholder: V) {
        key = PropertyKey(name)
        self.placeholder = placeholder
        hasDefault = false
    }

    /// An optional attribute, whose default value is nil.
    public init<W: AttributeValue>(_ name: String) where V == W? {
        key = PropertyKey(name)
        placeholder = nil
        hasDefault = false
    }

    public func mismatches(with property: Property) -> [String] {
        guard property.isAttribute else { return ["is a relationship in the model, not an attribute"] }
        var found: [String] = []
        if !V.attributeTypes.contains(property.attributeType) {
            let types = V.attributeTypes.map { "\($0)" }.joined(separator: " or ")
            found.append("is of type \(property.attributeType) in the model, but \(V.self) needs \(types)")
        }
        if property.isOptional, !V.includesNull { found.append("is optional in the model, but \(V.self) is not") }
        return found
    }

    public func describe(in entity: inout EntityDescription) {
        let attribute = AttributeDescription(
            name: name, attributeType: V.attributeTypes.first ?? .undefined, isOptional: V.includesNull,
            defaultValue: hasDefault ? placeholder.pinviewValue : .null)
        // A key path declares an element of a composite attribute. Where that cannot be, the
        // model's own check says what is wrong with the name.
        if entity.attributes.add(attribute, makingComposites: true) != nil { entity.attributes.append(attribute) }
    }
}

/// What the declarations of relationships have in common.
public protocol RelationshipDeclaration: PropertyDeclaration {
    associatedtype Destination: TypedObject
    var key: PropertyKey { get }
    var inverse: String? { get }
    var deleteRule: DeleteRule { get }
    var isOptional: Bool { get }
    static var isToMany: Bool { get }
    static var isOrdered: Bool { get }
}

extension RelationshipDeclaration {
    public var name: String { key.name }

    public func mismatches(with property: Property) -> [String] {
        guard property.isRelationship else { return ["is an attribute in the model, not a relationship"] }
        var found: [String] = []
        if property.isToMany != Self.isToMany { found.append("is a to-\(property.isToMany ? "many" : "one") relationship in the model") }
        if property.isOrdered != Self.isOrdered { found.append("is \(property.isOrdered ? "" : "not ")ordered in the model") }
        if property.destinationEntityName != Destination.entityName {
            found.append("leads to \(property.destinationEntityName) in the model, not to \(Destination.entityName)")
        }
        return found
    }

    public func describe(in entity: inout EntityDescription) {
        entity.relationships.append(
            RelationshipDescription(
                name: name, destinationEntityName: Destination.entityName, inverseRelationshipName: inverse, isToMany: Self.isToMany,
                isOrdered: Self.isOrdered, deleteRule: deleteRule, isOptional: isOptional))
    }
}

/// How many destinations a relationship leads to; see ``RelationshipKey``.
public protocol RelationshipCardinality: Sendable {
    /// Whether there may be several.
    static var isToMany: Bool { get }
    /// Whether they have an order.
    static var isOrdered: Bool { get }
}

/// One destination at most.
public enum ToOneCardinality: RelationshipCardinality {
    public static var isToMany: Bool { false }
    public static var isOrdered: Bool { false }
}

/// Any number of destinations, without an order.
public enum ToManyCardinality: RelationshipCardinality {
    public static var isToMany: Bool { true }
    public static var isOrdered: Bool { false }
}

/// Any number of destinations, in an order.
public enum OrderedToManyCardinality: RelationshipCardinality {
    public static var isToMany: Bool { true }
    public static var isOrdered: Bool { true }
}

/// A relationship: ``ToOneKey``, ``ToManyKey`` or ``OrderedToManyKey``.
public struct RelationshipKey<Destination: TypedObject, Cardinality: RelationshipCardinality>: RelationshipDeclaration {
    public static var isToMany: Bool { Cardinality.isToMany }
    public static var isOrdered: Bool { Cardinality.isOrdered }
    /// The property's name with what it remembers.
    public let key: PropertyKey
    /// The name of the inverse relationship, for a model that is made of the types.
    public let inverse: String?
    /// What deleting the object does to its destinations, for a model that is made of the types.
    public let deleteRule: DeleteRule
    /// Whether there may be no destination, for a model that is made of the types.
    public let isOptional: Bool

    /// The parameters besides the name matter for models that are made of the types.
    public init(_ name: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify, isOptional: Bool = true) {
        key = PropertyKey(name)
        (self.inverse, self.deleteRule, self.isOptional) = (inverse, deleteRule, isOptional)
    }
}

/// A to-one relationship.
public typealias ToOneKey<Destination: TypedObject> = RelationshipKey<Destination, ToOneCardinality>

/// A to-many relationship without an order.
public typealias ToManyKey<Destination: TypedObject> = RelationshipKey<Destination, ToManyCardinality>

/// A to-many relationship with an order.
public typealias OrderedToManyKey<Destination: TypedObject> = RelationshipKey<Destination, OrderedToManyCardinality>
