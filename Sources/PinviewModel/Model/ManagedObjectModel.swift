/// A resolved and checked model: entities with their properties, relationships and inheritance. Immutable but for the hooks of its
/// entities and its fetch request templates, which can be set until a coordinator uses it; any thread may use it.
public final class ManagedObjectModel: Sendable {
    /// Depth first over the inheritance tree, siblings by name without regard to case: the order of Core Data's `Z_ENT`.
    public let entities: [Entity]
    /// Configuration name → names of its entities.
    public let configurations: [String: [String]]
    public let versionIdentifiers: [String]
    /// What the model was made from, in the order given, default and limit values brought to their attributes' types.
    public let entityDescriptions: [EntityDescription]
    private let table: NameTable
    /// What the layer above keeps with the entities, such as their hooks.
    package let attachments = EntityAttachments()

    /// Checks the descriptions and resolves them against each other.
    /// - Parameters:
    ///   - configurations: named subsets of the entities, for stores that hold some of them only.
    ///   - fetchRequestTemplates: fetch requests by name. What their texts say is checked when they are used; a model that is read from a
    ///     document checks them at once.
    /// - Throws: `badModel` for the first mistake found, naming entity and property.
    public init(
        entities descriptions: [EntityDescription], configurations: [String: [String]] = [:], versionIdentifiers: [String] = [],
        fetchRequestTemplates: [String: FetchRequestDescription] = [:]
    ) throws(PinviewError) {
        var resolution = try ModelResolution(descriptions)
        entities = try resolution.resolve()
        entityDescriptions = resolution.descriptions
        table = NameTable(entities.map(\.name))
        for (configuration, names) in configurations.sorted(by: { $0.key < $1.key }) {
            for name in names where table.index(of: name) == nil {
                throw PinviewError(
                    .badModel,
                    "Configuration \(configuration.quotedForPeople) names the entity \(name.quotedForPeople), which the model does not have."
                )
            }
        }
        self.configurations = configurations
        self.versionIdentifiers = versionIdentifiers
        for entity in entityDescriptions {
            for property in entity.fetchedProperties {
                let what = "The fetched property \(entity.name).\(property.name)"
                try check(property.fetchRequest, of: what)
                guard property.fetchRequest.resultType == .managedObject else {
                    throw .badModel("\(what) has a fetch request that gives something else than objects.")
                }
            }
        }
        for (name, template) in fetchRequestTemplates.sorted(by: { $0.key < $1.key }) {
            try setFetchRequestTemplateDescription(template, forName: name)
        }
    }

    /// The fetch requests that the model keeps, as they are written down, by name.
    public var fetchRequestTemplateDescriptions: [String: FetchRequestDescription] { attachments.fetchRequestTemplates }

    /// Keeps a fetch request under a name; nil takes it away.
    ///
    /// - Throws: `badModel` for an empty name or an entity that the model lacks, `invalidArgument` when a coordinator uses the model already.
    package func setFetchRequestTemplateDescription(_ template: FetchRequestDescription?, forName name: String) throws(PinviewError) {
        guard !name.isEmpty else { throw .badModel("A fetch request template has an empty name.") }
        if let template { try check(template, of: "The fetch request template \(name.quotedForPeople)") }
        guard attachments.set(template, forTemplateName: name) else {
            throw PinviewError(
                .invalidArgument,
                "The fetch request template \(name.quotedForPeople) cannot be set: a coordinator uses the model already. Set it before that is made."
            )
        }
    }

    private func check(_ request: FetchRequestDescription, of what: String) throws(PinviewError) {
        guard entity(named: request.entityName) != nil else {
            throw .badModel("\(what) fetches the entity \(request.entityName.quotedForPeople), which the model does not have.")
        }
        guard request.fetchLimit >= 0, request.fetchOffset >= 0, request.fetchBatchSize >= 0 else {
            throw .badModel("\(what) has a limit, offset or batch size that is negative.")
        }
    }

    public var entitiesByName: [String: Entity] {
        Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    public func entity(named name: String) -> Entity? {
        table.index(of: name).map { entities[$0] }
    }

    /// The same for a name as UTF-8.
    package func entity(named name: UnsafeBufferPointer<UInt8>) -> Entity? {
        name.baseAddress == nil ? nil : table.index(of: name).map { entities[$0] }
    }

    /// The entity with that name.
    /// - Throws: `unknownEntity`.
    package func requireEntity(named name: String) throws(PinviewError) -> Entity {
        if let entity = entity(named: name) { return entity }
        throw .unknownEntity(name, in: self)
    }

    /// The entities of a configuration, in index order; all of them for nil. Returns nil if there is no such configuration.
    public func entities(forConfiguration name: String?) -> [Entity]? {
        guard let name else { return entities }
        guard let names = configurations[name] else { return nil }
        let wanted = Set(names)
        return entities.filter { wanted.contains($0.name) }
    }

    public var entityVersionHashesByName: [String: [UInt8]] {
        Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }

    var entityNamesForPeople: String {
        entities.map(\.name).joined(separator: ", ")
    }
}

/// Models are equal if they have the same entities with the same version hashes: a store of the one can be used with the other.
extension ManagedObjectModel: Hashable {
    public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
        left === right || left.entities == right.entities
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(entities)
    }
}
