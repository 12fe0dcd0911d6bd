import PinviewModel
import PinviewStore

/// How one object differs between two generations.
public struct GenerationChange: Hashable, Sendable {
    /// Whether only the second generation has the object (insert), only the first (delete), or both
    /// (update).
    public let changeType: PersistentHistoryChangeType
    /// The ID of the object.
    public let changedObjectID: ManagedObjectID
    /// For updates, the names of the properties with different values, in the order of the entity's
    /// properties.
    public let updatedProperties: [String]
}

/// The differences between two generations; see
/// ``PersistentStoreCoordinator/difference(from:to:entityNames:affectedStores:)``.
///
/// Keeps both generations alive, so that contexts can be pinned to them with its tokens. Immutable,
/// and usable on any thread.
public struct GenerationDifference: Sendable {
    /// The token of the first generation.
    public let oldGeneration: QueryGenerationToken
    /// The token of the second generation.
    public let newGeneration: QueryGenerationToken
    /// By store in the order of the coordinator, then by entity and primary key. Each object occurs
    /// once at most.
    public let changes: [GenerationChange]
    /// The identifiers of the stores that were compared by their history, without reading both
    /// generations completely.
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

    /// Whether the generations do not differ.
    public var isEmpty: Bool { changes.isEmpty }
    /// The objects that exist only in the second generation.
    public var insertedObjectIDs: [ManagedObjectID] { objectIDs(.insert) }
    /// The objects that exist in both generations with different values.
    public var updatedObjectIDs: [ManagedObjectID] { objectIDs(.update) }
    /// The objects that exist only in the first generation.
    public var deletedObjectIDs: [ManagedObjectID] { objectIDs(.delete) }

    private func objectIDs(_ type: PersistentHistoryChangeType) -> [ManagedObjectID] {
        changes.filter { $0.changeType == type }.map(\.changedObjectID)
    }
}

extension PersistentStoreCoordinator {
    /// Compares two generations: objects that only the second has (inserted), that only the first
    /// has (deleted), and that both have with different values (updated), with the properties that
    /// differ.
    ///
    /// With it, a view pinned to the first generation can advance to the second and update exactly
    /// what has changed.
    ///
    /// **By value.** A property is listed if reading it gives something different: the value of an
    /// attribute, the destination of a to-one relationship, the members of a to-many relationship,
    /// and for an ordered one their order too. Both sides of a relationship are listed. What was
    /// changed and changed back is not. Swapping the tokens swaps inserted and deleted objects.
    ///
    /// **Cost.** If a store's history has every transaction between the two, only the rows that it
    /// names are read, in both generations. Otherwise all rows of the store are read once in both
    /// generations, side by side in the order of their keys; memory is needed only for the
    /// differences. The result is the same. Any thread; contexts do not wait.
    ///
    /// Stores covered by only one of the generations are left out, and so are stores without
    /// generations.
    /// - Parameters:
    ///   - old: a token of this coordinator or of another process whose generation is alive because
    ///     a context is pinned to it.
    ///   - new: another such token; nil or ``QueryGenerationToken/current`` for the newest
    ///     generation.
    ///   - entityNames: compares objects of these entities and their sub-entities only; nil for
    ///     all.
    ///   - affectedStores: the stores to compare; nil for all.
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
                // If the newest generation is lost, take another one: nobody asked for that one in
                // particular.
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
