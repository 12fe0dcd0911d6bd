import PinviewModel
import PinviewStore

/// What differs in one object between two generations.
public struct GenerationChange: Hashable, Sendable {
    /// Whether only the second generation has the object, only the first one, or both.
    public let changeType: PersistentHistoryChangeType
    public let changedObjectID: ManagedObjectID
    /// Of updates: the names of the properties that have another value, in the order of the
    /// entity's properties.
    public let updatedProperties: [String]
}

/// What differs between two generations; see
/// ``PersistentStoreCoordinator/difference(from:to:entityNames:affectedStores:)``.
///
/// It keeps both generations alive, so that a context can be pinned to either of its tokens.
/// Immutable, for all threads.
public struct GenerationDifference: Sendable {
    /// Names the first generation.
    public let oldGeneration: QueryGenerationToken
    /// Names the second one.
    public let newGeneration: QueryGenerationToken
    /// By store in the order of the coordinator, within it by entity and primary key; each object
    /// at most once.
    public let changes: [GenerationChange]
    /// The identifiers of the stores that could be told from their history, without reading both
    /// generations whole.
    public let storesToldFromHistory: [String]
    private let generations: (GenerationSet, GenerationSet)

    fileprivate init(
        old: (QueryGenerationToken, GenerationSet), new: (QueryGenerationToken, GenerationSet), changes: [GenerationChange],
        storesToldFromHistory: [String]
    ) {
        (oldGeneration, newGeneration) = (old.0, new.0)
        generations = (old.1, new.1)
        self.changes = changes
        self.storesToldFromHistory = storesToldFromHistory
    }

    /// Nothing differs.
    public var isEmpty: Bool { changes.isEmpty }
    /// The objects that only the second generation has.
    public var insertedObjectIDs: [ManagedObjectID] { objectIDs(.insert) }
    /// The objects that both generations have, with other values.
    public var updatedObjectIDs: [ManagedObjectID] { objectIDs(.update) }
    /// The objects that only the first generation has.
    public var deletedObjectIDs: [ManagedObjectID] { objectIDs(.delete) }

    private func objectIDs(_ type: PersistentHistoryChangeType) -> [ManagedObjectID] {
        changes.filter { $0.changeType == type }.map(\.changedObjectID)
    }
}

extension PersistentStoreCoordinator {
    /// What differs between two generations: the objects that the second one has and the first one
    /// lacks (inserted), the other way round (deleted), and those that both have with other values
    /// (updated), with the properties that differ.
    ///
    /// A view that is pinned to the first generation can advance to the second one and touch
    /// exactly what has changed.
    ///
    /// **By value.** A property is named when reading it gives something else: an attribute its
    /// value, a to-one relationship its destination, a to-many relationship its set of members, an
    /// ordered one their order too. Both sides of a relationship are named. What was changed and
    /// changed back is not there. With the tokens the other way round, inserted and deleted change
    /// places.
    ///
    /// **Cost.** Where a store keeps a history that has every transaction between the two, only the
    /// rows that it names are read, in both generations. Else both generations are read side by
    /// side, all rows of the store, in the order of their keys, once; memory is needed for what
    /// differs only. The result is the same. Any thread; no context waits.
    ///
    /// Stores that only one of the generations covers are left out, and so are stores without
    /// generations, which have but one state.
    /// - Parameters:
    ///   - old: a token of this coordinator, or of another process, whose generation is alive: a
    ///     context is pinned to it.
    ///   - new: the same; nil or ``QueryGenerationToken/current`` for the newest generation.
    ///   - entityNames: objects of these entities and their sub-entities only; nil for all.
    ///   - affectedStores: nil for all.
    /// - Throws: `foreignToken` for a token of another coordinator, `generationExpired`,
    ///   `unknownEntity`.
    public func difference(
        from old: QueryGenerationToken, to new: QueryGenerationToken? = nil, entityNames: [String]? = nil,
        affectedStores: [PersistentStore]? = nil
    ) throws(PinviewError) -> GenerationDifference {
        try difference(from: old, to: new, entityNames: entityNames, affectedStores: affectedStores, usesHistory: true)
    }

    package func difference(
        from old: QueryGenerationToken, to new: QueryGenerationToken?, entityNames: [String]?, affectedStores: [PersistentStore]?,
        usesHistory: Bool
    ) throws(PinviewError) -> GenerationDifference {
        for _ in 1..<5 {
            do throws(PinviewError) {
                return try readDifference(
                    from: old, to: new, entityNames: entityNames, affectedStores: affectedStores, usesHistory: usesHistory)
            } catch {
                // Nobody has asked for the newest generation in particular: when it is lost, there
                // is another one.
                guard error.hasCode(.generationLost), new?.isCurrent ?? true, try !set(of: old).isLost else { throw error }
            }
        }
        return try readDifference(from: old, to: new, entityNames: entityNames, affectedStores: affectedStores, usesHistory: usesHistory)
    }

    private func readDifference(
        from old: QueryGenerationToken, to new: QueryGenerationToken?, entityNames: [String]?, affectedStores: [PersistentStore]?,
        usesHistory: Bool
    ) throws(PinviewError) -> GenerationDifference {
        try ContextState.checkProcess()
        let oldSet = try set(of: old), newSet = try set(of: new ?? .current)
        var entities: [Entity]?
        if let entityNames {
            entities = try entityNames.map { (name) throws(PinviewError) in try managedObjectModel.requireEntity(named: name) }
        }
        var changes: [GenerationChange] = []
        var told: [String] = []
        for store in persistentStores where affectedStores?.contains(store) ?? true {
            guard case .generation(let one) = oldSet.reading(ofStore: store.store.number),
                case .generation(let other) = newSet.reading(ofStore: store.store.number)
            else { continue }
            if one === other { continue }
            let difference = try store.store.difference(from: one, to: other, usesHistory: usesHistory)
            if difference.isFromHistory { told.append(store.identifier) }
            for row in difference.changes {
                let objectID = store.store.objectID(row.reference)
                if let entities, !entities.contains(where: { objectID.entity.isKind(ofIndex: $0.index) }) { continue }
                changes.append(
                    GenerationChange(
                        changeType: PersistentHistoryChangeType(rawValue: row.kind.rawValue) ?? .update, changedObjectID: objectID,
                        updatedProperties: row.properties.map { objectID.entity.properties[$0].name }))
            }
        }
        return GenerationDifference(
            old: (old.isCurrent ? token(for: oldSet) : old, oldSet),
            new: (new.flatMap { $0.isCurrent ? nil : $0 } ?? token(for: newSet), newSet),
            changes: changes, storesToldFromHistory: told)
    }

    private func set(of token: QueryGenerationToken) throws(PinviewError) -> GenerationSet {
        token.isCurrent ? try currentGenerationSet() : try generationSet(for: token)
    }
}
