/// An entity of a resolved model. Immutable; any thread may use it.
///
/// It names other entities by their index in the model, so that a model has no reference cycles.
public final class Entity: Sendable {
    public let name: String
    public let isAbstract: Bool
    public let superentityName: String?
    /// The direct sub-entities, in index order.
    public let subentityNames: [String]
    /// The position in `ManagedObjectModel.entities`; `Z_ENT` of a store made from this model is one more.
    package let index: Int
    /// The index of the topmost entity of the hierarchy, which has the table.
    package let rootIndex: Int
    package let rootName: String
    package let superentityIndex: Int?
    /// The entity itself and all of its descendants.
    package let familyIndexes: [Int]
    /// Inherited ones first, at the same positions as in the parent; then attributes, then relationships, as declared.
    public let properties: [Property]
    public let attributes: [Property]
    public let relationships: [Property]
    /// The properties of whose values the model demands something.
    package let restrictedProperties: [Property]
    /// Attributes with default values, and to-many relationships: what a new object has something of.
    package let propertiesOfNewObjects: [Property]
    /// Inherited ones first. They are no part of ``properties``, for no store has them.
    public let fetchedProperties: [FetchedPropertyDescription]
    /// The entity's own constraints; `allUniquenessConstraints` has those of its ancestors too.
    public let uniquenessConstraints: [[String]]
    /// The constraints of all ancestors, topmost first, then the entity's own.
    package let allUniquenessConstraints: [[String]]
    /// The entity's own indexes.
    public let indexes: [FetchIndexDescription]
    public let renamingIdentifier: String?
    public let versionHashModifier: String?
    public let userInfo: [String: String]
    /// 32 bytes over everything that decides how rows of the entity look in a store: two models with equal hashes can use
    /// one store. It covers names, types, optionality, constraints and the parent, not defaults, limits, delete rules, indexes, user info.
    public let versionHash: [UInt8]

    /// From the entity itself up to the root.
    private let lineage: [Int]
    private let lineageNames: [String]
    private let propertyTable: NameTable
    let rootNameHash: UInt64

    init(
        description: EntityDescription, subentityNames: [String], index: Int, superentity: Entity?, familyIndexes: [Int],
        properties: [Property], versionHash: [UInt8]
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
        restrictedProperties = properties.filter(\.isRestricted)
        propertiesOfNewObjects = properties.filter { $0.isAttribute ? !$0.defaultValue.isNull : $0.isToMany }
        fetchedProperties = (superentity?.fetchedProperties ?? []) + description.fetchedProperties
        uniquenessConstraints = description.uniquenessConstraints
        allUniquenessConstraints = (superentity?.allUniquenessConstraints ?? []) + description.uniquenessConstraints
        indexes = description.indexes
        renamingIdentifier = description.renamingIdentifier
        versionHashModifier = description.versionHashModifier
        userInfo = description.userInfo
        self.versionHash = versionHash
        lineage = [index] + (superentity?.lineage ?? [])
        lineageNames = [description.name] + (superentity?.lineageNames ?? [])
        propertyTable = NameTable(properties.map(\.name))
        rootNameHash = superentity?.rootNameHash ?? NameTable.hash(of: description.name)
    }

    public func property(named name: String) -> Property? {
        propertyTable.index(of: name).map { properties[$0] }
    }

    package func fetchedPropertyIndex(named name: String) -> Int? {
        fetchedProperties.firstIndex { $0.name == name }
    }

    package func propertyIndex(named name: String) -> Int? {
        propertyTable.index(of: name)
    }

    /// The same for a key that comes as bytes: no string is made.
    package func propertyIndex(namedUTF8 bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        propertyTable.index(of: bytes)
    }

    /// Whether this is that entity of the same model, or a descendant of it.
    package func isKind(ofIndex other: Int) -> Bool {
        index == other || lineage.contains(other)
    }

    /// Whether this entity or an ancestor of it has that name; for entities of different model instances.
    package func isKind(ofEntityNamed other: String) -> Bool {
        lineageNames.contains(other)
    }

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
