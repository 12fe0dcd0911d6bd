import Synchronization

/// An entity of a resolved model. Immutable; any thread may use it.
///
/// It refers to other entities by their index in the model, so that models have no reference
/// cycles.
public final class Entity: Sendable {
    /// Unique in the model, ignoring case.
    public let name: String
    /// Whether only sub-entities have objects.
    public let isAbstract: Bool
    /// The parent entity; nil for a root entity.
    public let superentityName: String?
    /// The direct sub-entities, in index order.
    public let subentityNames: [String]
    /// The position in `ManagedObjectModel.entities`; `Z_ENT` of a store made from this model is
    /// one more.
    package let index: Int
    /// The index of the root of the hierarchy, which has the table.
    package let rootIndex: Int
    package let rootName: String
    package let superentityIndex: Int?
    /// The entity itself and all of its descendants.
    package let familyIndexes: [Int]
    /// Inherited properties first, at the same positions as in the parent; then attributes, then
    /// relationships, in the order of the model.
    public let properties: [Property]
    /// The attributes among ``properties``, in the same order.
    public let attributes: [Property]
    /// The relationships among ``properties``, in the same order.
    public let relationships: [Property]
    /// The indexes of the to-many relationships.
    package let toManyIndexes: [Int]
    /// The composite attributes, inherited ones first, each before those inside it. Their elements
    /// are among ``properties``; they themselves are not, because stores do not have them.
    public let composites: [CompositeAttribute]
    /// The composite attributes that must have a value.
    package let requiredComposites: [CompositeAttribute]
    /// The properties whose values the model restricts beyond their type.
    package let restrictedProperties: [Property]
    /// The properties that are not empty in a new object: attributes with default values, and
    /// to-many relationships.
    package let propertiesOfNewObjects: [Property]
    /// Inherited ones first. They are not among ``properties``, because stores do not have them.
    public let fetchedProperties: [FetchedPropertyDescription]
    /// The entity's own constraints; `allUniquenessConstraints` includes those of its ancestors.
    public let uniquenessConstraints: [[String]]
    /// The constraints of the ancestors, the root's first, then the entity's own.
    package let allUniquenessConstraints: [[String]]
    /// The entity's own indexes.
    public let indexes: [FetchIndexDescription]
    /// The entity's name in the model version to migrate from, if it was renamed.
    public let renamingIdentifier: String?
    /// Changes the version hash although nothing that the hash covers has changed.
    public let versionHashModifier: String?
    /// Text of the application's own, by key.
    public let userInfo: [String: String]
    /// The class of the entity's objects in the program that the model was made for.
    public let managedObjectClassName: String?
    /// A hash of 32 bytes of everything that decides how rows of the entity are stored: models with
    /// equal hashes can use the same store. It is ``givenVersionHash`` if there is one. Else it is
    /// the library's own, which covers names, types, optionality, constraints and the parent, but
    /// not defaults, limits, delete rules, indexes or user info.
    public let versionHash: [UInt8]
    /// The version hash that Core Data computed, if the model was read from a compiled model, a
    /// store's model cache, or JSON with such hashes. Only such hashes can be compared with those
    /// in the metadata of a store of Core Data's.
    public let givenVersionHash: [UInt8]?

    /// The indexes from the entity itself up to the root.
    private let lineage: [Int]
    /// The library's own hash, which the hashes of sub-entities include.
    package let ownVersionHash: [UInt8]
    private let lineageNames: [String]
    /// Unique in the process and never reused, unlike the entity's address.
    package let number: UInt64
    private let propertyTable: NameTable
    let rootNameHash: UInt64

    init(
        description: EntityDescription, subentityNames: [String], index: Int, superentity: Entity?, familyIndexes: [Int],
        properties: [Property], composites: [CompositeAttribute], versionHash: [UInt8]
    ) {
        name = description.name
        isAbstract = description.isAbstract
        superentityName = description.superentityName
        self.subentityNames = subentityNames
        self.index = index
        rootIndex = superentity?.rootIndex ?? index
        rootName = superentity?.rootName ?? description.name
        superentityIndex = superentity?.index
        self.familyIndexes = familyIndexes
        self.properties = properties
        attributes = properties.filter(\.isAttribute)
        relationships = properties.filter(\.isRelationship)
        toManyIndexes = relationships.filter(\.isToMany).map(\.index)
        self.composites = (superentity?.composites ?? []) + composites
        requiredComposites = self.composites.filter { !$0.isOptional }
        restrictedProperties = properties.filter(\.isRestricted)
        propertiesOfNewObjects = properties.filter { $0.isAttribute ? !$0.defaultValue.isNull : $0.isToMany }
        fetchedProperties = (superentity?.fetchedProperties ?? []) + description.fetchedProperties
        uniquenessConstraints = description.uniquenessConstraints
        allUniquenessConstraints = (superentity?.allUniquenessConstraints ?? []) + description.uniquenessConstraints
        indexes = description.indexes
        renamingIdentifier = description.renamingIdentifier
        versionHashModifier = description.versionHashModifier
        userInfo = description.userInfo
        managedObjectClassName = description.managedObjectClassName
        givenVersionHash = description.versionHash
        self.versionHash = description.versionHash ?? versionHash
        ownVersionHash = versionHash
        number = Self.numbers.add(1, ordering: .relaxed).newValue
        lineage = [index] + (superentity?.lineage ?? [])
        lineageNames = [description.name] + (superentity?.lineageNames ?? [])
        propertyTable = NameTable(properties.map(\.name))
        rootNameHash = superentity?.rootNameHash ?? NameTable.hash(of: description.name)
    }

    private static let numbers = Atomic<UInt64>(0)

    /// The attribute or relationship of that name, inherited ones included; nil if there is none.
    public func property(named name: String) -> Property? {
        propertyTable.index(of: name).map { properties[$0] }
    }

    /// The composite attribute of that name, inherited ones included; nil if there is none. The
    /// name of one inside another is a key path.
    public func composite(named name: String) -> CompositeAttribute? {
        composites.isEmpty ? nil : composites.first { $0.name == name }
    }

    /// The property that keys begin with, and how many of them it takes: several for an element of
    /// a composite attribute.
    package func property(along keys: ArraySlice<String>) -> (property: Property, keyCount: Int)? {
        guard var name = keys.first else { return nil }
        if let property = property(named: name) { return (property, 1) }
        for (position, key) in keys.dropFirst().enumerated() {
            guard composite(named: name) != nil else { return nil }
            name += "." + key
            if let property = property(named: name) { return (property, position + 2) }
        }
        return nil
    }

    package func fetchedPropertyIndex(named name: String) -> Int? {
        fetchedProperties.firstIndex { $0.name == name }
    }

    package func propertyIndex(named name: String) -> Int? {
        propertyTable.index(of: name)
    }

    /// Whether this is the given entity of the same model, or a descendant of it.
    package func isKind(ofIndex other: Int) -> Bool {
        index == other || lineage.contains(other)
    }

    /// Whether this entity or one of its ancestors has that name; for entities of other model
    /// instances.
    package func isKind(ofEntityNamed other: String) -> Bool {
        lineageNames.contains(other)
    }

    /// Whether a value, or the lack of one, can be invalid.
    package var hasRules: Bool { !restrictedProperties.isEmpty || !requiredComposites.isEmpty }

    func hasSameRoot(as other: Entity) -> Bool {
        rootNameHash == other.rootNameHash && rootName == other.rootName
    }

    var propertyNamesForPeople: String {
        properties.isEmpty ? "none" : properties.map(\.name).joined(separator: ", ")
    }
}

/// Entities are equal if they have the same name and version hash, also across model instances.
extension Entity: Hashable {
    public static func == (left: Entity, right: Entity) -> Bool {
        left === right || (left.name == right.name && left.versionHash == right.versionHash)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

extension Entity: CustomStringConvertible {
    public var description: String { name }
}
