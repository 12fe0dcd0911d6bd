/// A resolved and checked model: entities with their properties, relationships and inheritance.
///
/// Any thread may use it. It is immutable except for its entities' hooks and its fetch request
/// templates, which can be set until a coordinator uses the model.
public final class ManagedObjectModel: Sendable {
    /// Depth first over the inheritance tree, siblings by name ignoring case: the order of Core
    /// Data's `Z_ENT`.
    public let entities: [Entity]
    /// The names of the entities of each configuration.
    public let configurations: [String: [String]]
    /// Names that the application gives to this version of the model.
    public let versionIdentifiers: [String]
    /// The descriptions from which the model was made, in the given order; default and limit values
    /// have been converted to their attributes' types.
    public let entityDescriptions: [EntityDescription]
    /// What a model file says that means nothing or contradicts itself, and was left out: an index
    /// on a to-many relationship, a default value of another type. Each names entity and property.
    /// Empty for models made from descriptions, where all of these are errors.
    public let warnings: [String]
    /// All to-many relationships, each once, as the entity that declares it has it.
    package let toManyRelationships: [Property]
    /// Whether a to-many relationship leads to objects of an entity's hierarchy, by `Entity.index`.
    private let canBeMembers: [Bool]
    /// Whether an entity has a to-many relationship without an inverse, by `Entity.index`.
    private let ownMembersAlone: [Bool]
    private let table: NameTable
    /// What the layers above attach to the entities, such as their hooks.
    package let attachments: EntityAttachments
    /// The model that this one is a copy of, which lives as long as its copies.
    private let original: ManagedObjectModel?

    /// Checks the descriptions and resolves their references to each other.
    /// - Parameters:
    /// - configurations: named subsets of the entities, for stores that hold only some of them.
    ///   - fetchRequestTemplates: fetch requests by name. Their predicates and expressions are
    ///     checked when they are used; a model read from a JSON document checks them at once.
    /// - Throws: `badModel` for the first mistake found, naming the entity and property.
    public convenience init(
        entities descriptions: [EntityDescription], configurations: [String: [String]] = [:], versionIdentifiers: [String] = [],
        fetchRequestTemplates: [String: FetchRequestDescription] = [:]
    ) throws(PinviewError) {
        let contents = ModelContents(
            entities: descriptions, configurations: configurations, versionIdentifiers: versionIdentifiers,
            fetchRequestTemplates: fetchRequestTemplates)
        try self.init(checked: contents, allowsNone: false)
    }

    /// Makes a model from the contents of a file, as `checking` demands.
    /// - Parameter repairing: whether lenient checking leaves out mistakes.
    package convenience init(_ contents: ModelContents, checking: ModelChecking, repairing: Bool = true) throws(PinviewError) {
        switch checking {
        case .strict:
            if let warning = contents.warnings.first { throw .badModel(warning) }
            try self.init(checked: contents, allowsNone: false)
        case .lenient: try self.init(checked: repairing ? ModelRepair.repaired(contents) : contents, allowsNone: true)
        }
    }

    private init(checked contents: ModelContents, allowsNone: Bool) throws(PinviewError) {
        let configurations = contents.configurations
        let fetchRequestTemplates = contents.fetchRequestTemplates
        warnings = contents.warnings
        versionIdentifiers = contents.versionIdentifiers
        attachments = EntityAttachments()
        original = nil
        var resolution = try ModelResolution(contents.entities, allowsNone: allowsNone)
        entities = try resolution.resolve()
        entityDescriptions = resolution.descriptions
        toManyRelationships = Self.toManyRelationships(of: entities)
        (canBeMembers, ownMembersAlone) = Self.members(of: toManyRelationships, entities)
        table = NameTable(entities.map(\.name))
        for (configuration, names) in configurations.sorted(by: { $0.key < $1.key }) {
            for name in names where table.index(of: name) == nil {
                throw PinviewError(
                    .badModel,
                    "Configuration \(configuration.quotedForPeople) names the entity \(name.quotedForPeople), which is not in the model."
                )
            }
        }
        self.configurations = configurations
        for entity in entityDescriptions {
            for property in entity.fetchedProperties {
                let what = "The fetched property \(entity.name).\(property.name)"
                try check(property.fetchRequest, of: what)
                guard property.fetchRequest.resultType == .managedObject else {
                    throw .badModel("\(what) has a fetch request with a result type other than managedObject.")
                }
            }
        }
        for (name, template) in fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
            try setFetchRequestTemplateDescription(template, forName: name)
        }
    }

    /// Makes a model with the entities and fetch request templates of another one, and no hooks.
    /// From then on the two are changed apart.
    package init(copying model: ManagedObjectModel) {
        entities = model.entities
        configurations = model.configurations
        versionIdentifiers = model.versionIdentifiers
        entityDescriptions = model.entityDescriptions
        warnings = model.warnings
        toManyRelationships = model.toManyRelationships
        canBeMembers = model.canBeMembers
        ownMembersAlone = model.ownMembersAlone
        table = model.table
        attachments = EntityAttachments(templates: model.fetchRequestTemplateDescriptions)
        original = model
    }

    /// The model's fetch request templates as they are written in the model, by name.
    public var fetchRequestTemplateDescriptions: [String: FetchRequestDescription] { attachments.fetchRequestTemplates }

    /// Sets a fetch request template; nil removes it.
    ///
    /// - Throws: `badModel` for an empty name or an entity that is not in the model,
    ///   `invalidArgument` if a coordinator already uses the model.
    package func setFetchRequestTemplateDescription(_ template: FetchRequestDescription?, forName name: String) throws(PinviewError) {
        guard !name.isEmpty else { throw .badModel("A fetch request template has an empty name.") }
        if let template { try check(template, of: "The fetch request template \(name.quotedForPeople)") }
        guard attachments.set(template, forTemplateName: name) else {
            throw PinviewError(
                .invalidArgument,
                "The fetch request template \(name.quotedForPeople) cannot be set: a coordinator already uses the model. Set it before creating the coordinator."
            )
        }
    }

    private func check(_ request: FetchRequestDescription, of what: String) throws(PinviewError) {
        guard entity(named: request.entityName) != nil else {
            throw .badModel("\(what) fetches the entity \(request.entityName.quotedForPeople), which is not in the model.")
        }
        guard request.fetchLimit >= 0, request.fetchOffset >= 0, request.fetchBatchSize >= 0 else {
            throw .badModel("\(what) has a negative limit, offset or batch size.")
        }
    }

    /// All entities by name.
    public var entitiesByName: [String: Entity] {
        Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity of that name; nil if there is none.
    public func entity(named name: String) -> Entity? {
        table.index(of: name).map { entities[$0] }
    }

    /// The entity with the name of another one, which may be of another model.
    package func entity(like other: Entity) -> Entity? {
        if other.index < entities.count, entities[other.index] === other { return other }
        return entity(named: other.name)
    }

    /// Like `entity(named:)`, for a name that comes as UTF-8.
    package func entity(named name: UnsafeBufferPointer<UInt8>) -> Entity? {
        name.baseAddress == nil ? nil : table.index(of: name).map { entities[$0] }
    }

    /// The entity of that name.
    /// - Throws: `unknownEntity` if there is none.
    package func requireEntity(named name: String) throws(PinviewError) -> Entity {
        if let entity = entity(named: name) { return entity }
        throw .unknownEntity(name, in: self)
    }

    /// The inverse of one of the model's relationships; nil if it has none.
    package func inverse(of relationship: Property) -> Property? {
        relationship.inverseIndex.map { entities[relationship.destinationIndex].properties[$0] }
    }

    private static func toManyRelationships(of entities: [Entity]) -> [Property] {
        entities.flatMap { entity in entity.relationships.filter { $0.isToMany && $0.declaringEntityIndex == entity.index } }
    }

    private static func members(of relationships: [Property], _ entities: [Entity]) -> (canBe: [Bool], ownAlone: [Bool]) {
        let roots = Set(relationships.map { entities[$0.destinationIndex].rootIndex })
        return (
            entities.map { roots.contains($0.rootIndex) },
            entities.map { $0.relationships.contains { $0.isToMany && $0.inverseIndex == nil } }
        )
    }

    /// Whether objects of an entity's hierarchy can be members of a to-many relationship.
    package func canBeMembers(_ entity: Entity) -> Bool { canBeMembers[entity.index] }

    /// Whether an entity has a to-many relationship without an inverse.
    package func ownsMembersAlone(_ entity: Entity) -> Bool { ownMembersAlone[entity.index] }

    /// The entities of a configuration, in index order; all of them for nil.
    /// - Returns: nil if there is no such configuration.
    public func entities(forConfiguration name: String?) -> [Entity]? {
        guard let name else { return entities }
        guard let names = configurations[name] else { return nil }
        let wanted = Set(names)
        return entities.filter { wanted.contains($0.name) }
    }

    /// Each entity's version hash, by entity name.
    public var entityVersionHashesByName: [String: [UInt8]] {
        Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }

    /// Tells one set of entities from another: a hash of their names and version hashes.
    package static func versionDigest(of entities: [Entity]) -> [UInt8] {
        let sorted = entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return SHA256.hash(sorted.flatMap { Array($0.name.utf8) + [0] + $0.versionHash })
    }

    var entityNamesForPeople: String {
        entities.map(\.name).joined(separator: ", ")
    }
}

/// Models are equal if they have the same entities with the same version hashes: a store made with
/// one can be used with the other.
extension ManagedObjectModel: Hashable {
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right || left.entities == right.entities
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(entities)
    }
}
