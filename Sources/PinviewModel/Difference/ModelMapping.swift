/// What a program says about the origins of entities and properties; it overrides what their names
/// say.
package struct MappingHints: Sendable {
    /// By the name of a new entity: that of the old one.
    package var entities: [String: String] = [:]
    /// By the name of a new entity: its properties with the names of the old ones; nil for a
    /// property that gets its values in another way.
    package var properties: [String: [String: String?]] = [:]

    package init() {}

    fileprivate func entities(from source: ManagedObjectModel, to destination: ManagedObjectModel) -> [Int: Int?] {
        var given: [Int: Int?] = [:]
        for (new, old) in entities {
            guard let new = destination.entity(named: new), let old = source.entity(named: old) else { continue }
            given[new.index] = old.index
        }
        return given
    }

    /// Those of the entity and of its ancestors.
    fileprivate func properties(from old: Entity, to new: Entity, in model: ManagedObjectModel) -> [Int: Int?] {
        guard !properties.isEmpty else { return [:] }
        var given: [Int: Int?] = [:]
        var next: Entity? = new
        while let entity = next {
            for (name, origin) in properties[entity.name] ?? [:] {
                guard let index = new.propertyIndex(named: name), given[index] == nil else { continue }
                given.updateValue(origin.flatMap { old.propertyIndex(named: $0) }, forKey: index)
            }
            next = entity.superentityIndex.map { model.entities[$0] }
        }
        return given
    }
}

/// Which entities and properties of a model are those of an earlier version of it.
package struct ModelMapping: Sendable {
    package let source: ManagedObjectModel
    package let destination: ManagedObjectModel
    /// By index of the destination's entity: the index of the source's; nil for a new entity.
    package let sourceOfEntity: [Int?]
    /// By index of the source's entity: the index of the destination's; nil for one that is gone.
    package let destinationOfEntity: [Int?]
    /// By index of the destination's entity, then of its property: the index of the property in the
    /// source's entity.
    private let sourcesOfProperties: [[Int?]]
    /// By index of the destination's entity: the properties whose origin the program has given.
    private let given: [Set<Int>]
    /// Renaming identifiers that contradict one another, for people.
    package let mistakes: [String]

    package init(from source: ManagedObjectModel, to destination: ManagedObjectModel, hints: MappingHints = MappingHints()) {
        self.source = source
        self.destination = destination
        let entities = NameMatching(
            destination.entities.map(Self.part), from: source.entities.map(Self.part), given: hints.entities(from: source, to: destination))
        var mistakes = entities.mistakes.map { "Entities: \($0)." }
        var inverse = [Int?](repeating: nil, count: source.entities.count)
        for (index, origin) in entities.sources.enumerated() { if let origin { inverse[origin] = index } }
        var properties: [[Int?]] = []
        var given: [Set<Int>] = []
        for entity in destination.entities {
            guard let origin = entities.sources[entity.index] else {
                properties.append(entity.properties.map { _ in nil })
                given.append([])
                continue
            }
            let known = hints.properties(from: source.entities[origin], to: entity, in: destination)
            given.append(Set(known.keys))
            let matching = NameMatching(
                entity.properties.map(Self.part), from: source.entities[origin].properties.map(Self.part), given: known)
            for mistake in matching.mistakes where !mistakes.contains("\(entity.name): \(mistake).") {
                mistakes.append("\(entity.name): \(mistake).")
            }
            properties.append(matching.sources)
        }
        sourceOfEntity = entities.sources
        destinationOfEntity = inverse
        sourcesOfProperties = properties
        self.given = given
        self.mistakes = mistakes
    }

    private static func part(_ entity: Entity) -> NameMatching.Part {
        NameMatching.Part(name: entity.name, renamingIdentifier: entity.renamingIdentifier, kind: 0)
    }

    private static func part(_ property: Property) -> NameMatching.Part {
        NameMatching.Part(name: property.name, renamingIdentifier: property.renamingIdentifier, kind: property.isRelationship ? 1 : 0)
    }

    /// The entity of the source that a destination's entity was.
    package func origin(of entity: Entity) -> Entity? { sourceOfEntity[entity.index].map { source.entities[$0] } }

    /// The entity of the destination that a source's entity becomes.
    package func successor(of entity: Entity) -> Entity? { destinationOfEntity[entity.index].map { destination.entities[$0] } }

    /// The property that a property was in the source's entity of an entity of the destination; nil
    /// for a new one.
    package func origin(of property: Property, in entity: Entity) -> Property? {
        guard let origin = origin(of: entity), property.index < sourcesOfProperties[entity.index].count else { return nil }
        return sourcesOfProperties[entity.index][property.index].map { origin.properties[$0] }
    }

    /// Whether the program has said where the values of a property come from.
    package func isGiven(_ property: Property, in entity: Entity) -> Bool { given[entity.index].contains(property.index) }

    /// The properties of a source's entity that its successor does not have.
    package func lostProperties(of entity: Entity) -> [Property] {
        guard let successor = successor(of: entity) else { return [] }
        let kept = Set(sourcesOfProperties[successor.index].compactMap { $0 })
        return entity.properties.filter { !kept.contains($0.index) }
    }

    /// The properties of a destination's entity that its origin does not have.
    package func newProperties(of entity: Entity) -> [Property] {
        entity.properties.filter { sourcesOfProperties[entity.index][$0.index] == nil }
    }
}
