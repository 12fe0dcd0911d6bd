import PinviewGenerations
import PinviewModel
import PinviewStore

/// A relationship whose destinations a fetch prefetches, with the relationships to prefetch from
/// those.
struct PrefetchedRelationship {
    var property: Property
    var further: [PrefetchedRelationship] = []

    /// - Throws: `unknownKey`; `invalidArgument` for a key path through an attribute.
    static func resolve(_ keyPaths: [String], _ entity: Entity, _ model: ManagedObjectModel) throws(PinviewError) -> [Self] {
        var resolved: [Self] = []
        for keyPath in keyPaths {
            let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try add(names[...], keyPath, entity, model, to: &resolved)
        }
        return resolved
    }

    private static func add(
        _ names: ArraySlice<String>, _ keyPath: String, _ entity: Entity, _ model: ManagedObjectModel, to resolved: inout [Self]
    ) throws(PinviewError) {
        guard let name = names.first else { return }
        guard let property = entity.property(named: name) else {
            throw PinviewError(.unknownKey, "The key path '\(keyPath)' cannot be prefetched: \(entity.name) has no property '\(name)'.")
        }
        guard property.isRelationship else {
            throw PinviewError(
                .invalidArgument, "The key path '\(keyPath)' cannot be prefetched: \(entity.name).\(name) is not a relationship.")
        }
        let index = resolved.firstIndex { $0.property.index == property.index } ?? resolved.count
        if index == resolved.count { resolved.append(Self(property: property)) }
        try add(names.dropFirst(), keyPath, model.entities[property.destinationIndex], model, to: &resolved[index].further)
    }
}

/// Loading the rows of many faults in one statement.
extension ContextState {
    /// How many siblings are loaded along with a fault at most: as many keys as one statement
    /// takes.
    private static let siblingLimit = 1000

    /// Makes firing one of these faults load the others too.
    func noteSiblings(_ objects: [ManagedObject]) {
        guard objects.count > 1, !hasParent else { return }
        // Objects fetched with their rows have siblings in their block.
        let faults = objects.filter { $0.flags.contains(.fault) && $0.companions == nil }
        for members in inGroups(faults) where members.count > 1 {
            let siblings = FaultBatch(members)
            for object in members { object.siblings = siblings }
        }
    }

    /// Groups objects by store and hierarchy, which one statement can read.
    func inGroups(_ objects: [ManagedObject]) -> [[ManagedObject]] {
        if objects.shareBinding { return objects.isEmpty ? [] : [objects] }
        return objects.groups { $0.key.storeNumber == $1.key.storeNumber && $0.key.rootEntity == $1.key.rootEntity }
    }

    /// The objects that were fetched together with an object.
    func siblings(of object: ManagedObject) -> FaultBatch? {
        if let siblings = object.siblings { return siblings }
        guard let (block, row) = object.companions, block.rowCount > 1, block.wasReadTogether else { return nil }
        return FaultBatch(block, of: object.key, row: row)
    }

    /// Loads the rows of a fault and of its siblings that are still faults into the row cache.
    ///
    /// - Returns: the fault's own row; nil if it has no siblings, or no row.
    func loadSiblings(
        _ siblings: FaultBatch, of own: ManagedObject, store: any IncrementalStore, generation: Generation?,
        coordinator: PersistentStoreCoordinator
    ) throws(PinviewError) -> RowSnapshot? {
        // With an interval of 0, every fault reads its own row.
        guard settings.stalenessInterval != 0, let position = siblings.index(of: own.key) else { return nil }
        var faults = [own]
        func add(_ range: Range<Int>) {
            for index in range where faults.count < Self.siblingLimit {
                let key = siblings.key(index)
                siblings.position = index
                guard let sibling = registry.object(key),
                    sibling.flags.contains(.fault),
                    cachedRow(of: key, generation: generation, store: store, coordinator: coordinator) == nil
                else { continue }
                faults.append(sibling)
            }
        }
        // Those after it first: they are likely to be read next.
        add(position + 1..<siblings.count)
        add(0..<position)
        guard faults.count > 1 else { return nil }
        let rows = try cacheRows(of: faults, entity: own.entity, store: store, generation: generation, coordinator: coordinator)
        return (0..<rows.count).first { rows.primaryKey($0) == own.primaryKey }.map(rows.snapshot)
    }

    // MARK: Relationships

    /// Prefetches the destinations of relationships.
    /// - Parameter realises: whether the destinations get their values too.
    func prefetch(_ relationships: [PrefetchedRelationship], of objects: [ManagedObject], realises: Bool) throws(PinviewError) {
        // A parent gives its children's objects the rows of its own, which must stay until then.
        if let parent { keepForConsistentRead(try parent.prefetchForChild(relationships, of: objects, realises: realises)) }
        for relationship in relationships {
            let property = relationship.property
            let owners = objects.filter { $0.flags.isDisjoint(with: [.deleted, .invalidated, .inaccessible]) }
            if property.isToMany, parent == nil { try loadMembersTogether(of: owners, property) }
            // Members have come with their rows: nothing is left to be done with those that stay
            // faults.
            if property.isToMany, parent == nil, !realises, relationship.further.isEmpty { continue }
            let destinations = try destinations(of: owners, property, leavesOutRealised: relationship.further.isEmpty)
            if realises {
                if parent != nil || realiseFromPrefetchedRows(destinations) { try realiseTogether(destinations) }
            } else if !property.isToMany, parent == nil {
                try loadRowsTogether(destinations)
            }
            if !relationship.further.isEmpty { try prefetch(relationship.further, of: destinations, realises: realises) }
        }
    }

    /// The destinations of a relationship.
    private func destinations(
        of owners: [ManagedObject], _ property: Property, leavesOutRealised: Bool
    ) throws(PinviewError) -> [ManagedObject] {
        if property.isToMany, inverse(of: property)?.isToMany == false {
            // Each member has one owner, so none comes twice.
            var members: [ManagedObject] = []
            for owner in owners { members += try toMany(owner, property).members }
            return members
        }
        var found = ObjectSet()
        for owner in owners {
            if property.isToMany {
                try toMany(owner, property).members.forEachUncounted { found.insert($0) }
            } else if let object = try toOne(owner, property), object.flags.contains(.fault) || !leavesOutRealised {
                found.insert(object)
            }
        }
        return found.list
    }

    /// Prefetches for a child. Returns this context's own objects, for the child to keep alive.
    private func prefetchForChild(
        _ relationships: [PrefetchedRelationship], of objects: [ManagedObject], realises: Bool
    ) throws(PinviewError) -> [ManagedObject] {
        try enterForChild()
        defer { leave() }
        var own: [ManagedObject] = []
        for object in objects where object.flags.isDisjoint(with: [.inserted, .deleted, .invalidated, .inaccessible]) {
            own.append(try self.object(for: PermanentKeys.shared.permanentKey(for: object.key), entityIndex: object.entity.index))
        }
        try prefetch(relationships, of: own, realises: realises)
        return own
    }

    /// Loads the rows of faults without one, with one statement per store and hierarchy.
    func loadRowsTogether(_ objects: [ManagedObject]) throws(PinviewError) {
        let coordinator = try requireCoordinator()
        let faults = objects.filter { $0.flags.contains(.fault) && !$0.key.isTemporary }
        for faults in inGroups(faults) {
            guard let first = faults.first, let (store, generation) = try source(of: first.key, in: try beginRead()) else { continue }
            let missing = faults.filter {
                cachedRow(of: $0.key, generation: generation, store: store, coordinator: coordinator) == nil
            }
            if !missing.isEmpty {
                _ = try cacheRows(of: missing, entity: first.entity, store: store, generation: generation, coordinator: coordinator)
            }
        }
    }

    /// Loads what the delete rules of several objects are about to lead to, with a statement for
    /// each relationship instead of one for each object.
    ///
    /// What cannot be loaded is left to the rules: they report the error for the object that it
    /// concerns.
    ///
    /// - Throws: only if it is interrupted or the time is up.
    func loadDestinations(ofDeleted objects: ArraySlice<ManagedObject>) throws(PinviewError) {
        guard objects.count > 1, !hasParent, settings.stalenessInterval < 0 else { return }
        let deleted = objects.filter { $0.flags.intersection([.fault, .deleted, .deletePropagated, .inaccessible]) == .deleted }
        let isWatched = watchRead()
        defer { endWatchingRead(isWatched) }
        for alike in deleted.groups({ $0.hasBinding($1.binding) }) where alike.count > 1 {
            for property in alike[0].entity.relationships where property.deleteRule.changesDestinations && !property.isTransient {
                do throws(PinviewError) {
                    try loadDestinations(ofDeleted: alike, property)
                } catch {
                    if ReadMonitor.current?.isStopped == true { throw error }
                }
            }
        }
    }

    private func loadDestinations(ofDeleted objects: [ManagedObject], _ property: Property) throws(PinviewError) {
        if property.isToMany { return try loadMembersTogether(of: objects, property) }
        // The set of an owner to many is told of a member that leaves without being loaded.
        guard property.deleteRule == .cascade || inverse(of: property)?.isToMany == false else { return }
        var destinations = ObjectSet()
        for object in objects {
            if let destination = try toOne(object, property), destination.flags.contains(.fault) { destinations.insert(destination) }
        }
        try loadRowsTogether(destinations.list)
    }
}
