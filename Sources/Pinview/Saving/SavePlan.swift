import PinviewGenerations
import PinviewModel
import PinviewStore

/// What a save did in one store. Applied to the objects after the commit.
///
/// A class, since copying so many lists costs a small save more than making them.
final class SaveOutcome {
    let storeNumber: Int32
    @exclusivity(unchecked) var permanentKeys: [(ManagedObject, ObjectKey)] = []
    /// New objects of one entity, and the first of their consecutive keys.
    @exclusivity(unchecked) var permanentRun: (objects: [ManagedObject], first: Int64) = ([], 0)
    /// Objects whose rows were written together.
    @exclusivity(unchecked) var writtenTogether: [(objects: [ManagedObject], rows: FetchedRows)] = []
    /// Objects without changes in their own row, which have transient changes or are the other side
    /// of a relationship.
    @exclusivity(unchecked) var unwritten: [ManagedObject] = []
    @exclusivity(unchecked) var generationRank: UInt64 = 0
    /// The keys of the new objects.
    @exclusivity(unchecked) var newKeys = AssignedKeys()
    @exclusivity(unchecked) private(set) var furtherIfAny: FurtherOutcome?

    init(storeNumber: Int32) { self.storeNumber = storeNumber }

    /// Whatever else the save did, made at the first use.
    var further: FurtherOutcome {
        if let furtherIfAny { return furtherIfAny }
        let further = FurtherOutcome()
        furtherIfAny = further
        return further
    }
}

/// What a save did in one store besides inserting and updating rows: it deleted some, met conflicts
/// and constraints, or changed rows of other objects. Most saves do nothing of the kind.
final class FurtherOutcome {
    /// Objects whose row was not written together with others.
    @exclusivity(unchecked) var written: [(ManagedObject, RowSnapshot)] = []
    /// Objects to which a merge policy gave the store's values.
    @exclusivity(unchecked) var takenFromStore: [(ManagedObject, RowSnapshot)] = []
    @exclusivity(unchecked) var removed: [ManagedObject] = []
    /// Objects whose deletion a merge policy reverted.
    @exclusivity(unchecked) var revived: [(ManagedObject, RowSnapshot)] = []
    /// Changed objects whose row is gone and stays gone.
    @exclusivity(unchecked) var vanished: [ManagedObject] = []
    /// Rows now in the store, besides those written together.
    @exclusivity(unchecked) var rows: [(ObjectKey, RowSnapshot)] = []
    /// Objects whose rows were merged into others because of a uniqueness constraint.
    @exclusivity(unchecked) var absorbed: [Absorption] = []
    /// Other rows that changed because of that.
    @exclusivity(unchecked) var touched: [(ObjectKey, Entity, RowSnapshot)] = []
    /// Rows that lost a reference, since others had changed the other side of the relationship.
    @exclusivity(unchecked) var reconciled: [(key: ObjectKey, entityIndex: Int, row: RowSnapshot)] = []
    /// Rows of other objects whose derived attributes changed.
    @exclusivity(unchecked) var derived: [(key: ObjectKey, entityIndex: Int, row: RowSnapshot)] = []
    /// Objects without changes of their own, written as partners of changed ones.
    @exclusivity(unchecked) var partners: [ManagedObject] = []
}

/// What a save has to write to one store.
final class SavedPart {
    let store: any IncrementalStore
    @exclusivity(unchecked) fileprivate(set) var inserted: [ManagedObject] = []
    @exclusivity(unchecked) fileprivate(set) var updated: [ManagedObject] = []
    @exclusivity(unchecked) fileprivate(set) var deleted: [ManagedObject] = []
    /// Objects that are not written, but whose conflicts the program wants detected.
    @exclusivity(unchecked) fileprivate(set) var marked: [ManagedObject] = []

    var written: [ManagedObject] { inserted.isEmpty ? updated : updated.isEmpty ? inserted : inserted + updated }

    fileprivate init(store: any IncrementalStore) { self.store = store }
}

/// The pending changes of a root context, grouped by store and ready to be written.
struct SavePlan {
    private let state: ContextState
    private let coordinator: PersistentStoreCoordinator
    private var parts: [SavedPart] = []
    private var isWorthWriting = false

    /// - Parameter deleted: the deleted objects that have a row.
    init(state: ContextState, deleted: [ManagedObject], coordinator: PersistentStoreCoordinator) throws(PinviewError) {
        self.state = state
        self.coordinator = coordinator
        // Most of them are empty in most saves.
        if !state.pending.inserted.isEmpty { try addInserted(state.changedInOrder(state.pending.inserted)) }
        if !state.pending.updated.isEmpty { try add(state.changedInOrder(state.pending.updated), areDeleted: false) }
        if !deleted.isEmpty { try add(deleted, areDeleted: true) }
        if !state.pending.conflictMarks.isEmpty { try addMarked(state.pending.conflictMarks.list) }
        isWorthWriting = parts.containsUncounted { part in
            !part.inserted.isEmpty || !part.deleted.isEmpty || !part.marked.isEmpty
                || part.updated.containsUncounted { Self.hasStoredChanges($0, state) }
        }
        // A fixed order, so that two coordinators, in any processes, that save to the same stores
        // never deadlock.
        if parts.count > 1 { parts.sort { LockingOrder.isBefore($0.store, $1.store) } }
        try checkStoresOfRelationships()
    }

    private mutating func addInserted(_ objects: [ManagedObject]) throws(PinviewError) {
        if let first = objects.first, first.key.isTemporary, objects.shareBinding, !objects.containsUncounted({ $0.assignedStore != nil }) {
            // All new objects of an entity go to the same store.
            try part(of: try Self.store(for: first, coordinator: coordinator), first).inserted = objects
            return
        }
        var newStores: [(entity: Entity, store: any IncrementalStore)] = []
        for object in objects {
            if object.assignedStore == nil, object.key.isTemporary {
                if let known = newStores.first(where: { $0.entity === object.entity }) {
                    try part(of: known.store, object).inserted.append(object)
                    continue
                }
                newStores.append((object.entity, try Self.store(for: object, coordinator: coordinator)))
            }
            try part(of: try Self.store(for: object, coordinator: coordinator), object).inserted.append(object)
        }
    }

    private mutating func add(_ objects: [ManagedObject], areDeleted: Bool) throws(PinviewError) {
        if let first = objects.first, objects.shareBinding {
            let part = try partOfSaved(first)
            if areDeleted { part.deleted = objects } else { part.updated = objects }
            return
        }
        for object in objects {
            let part = try partOfSaved(object)
            if areDeleted { part.deleted.append(object) } else { part.updated.append(object) }
        }
    }

    private mutating func addMarked(_ objects: [ManagedObject]) throws(PinviewError) {
        for object in objects where object.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
            try partOfSaved(object, writes: false).marked.append(object)
        }
    }

    /// Whether there is nothing to write or check.
    var isEmpty: Bool { !isWorthWriting }

    private mutating func part(
        of store: any IncrementalStore, _ object: ManagedObject, writes: Bool = true
    ) throws(PinviewError) -> SavedPart {
        if writes, store.isReadOnly {
            throw PinviewError(
                .persistentStoreSave,
                "The object \(object.objectID) cannot be saved: its store '\(store.path ?? store.identifier)' is read-only."
            ).with(affectedStores: [store.identifier]).with(affectedObjectIDs: [object.objectID])
        }
        if let part = parts.first(where: { $0.store === store }) { return part }
        let part = SavedPart(store: store)
        parts.appendToFew(part)
        return part
    }

    private mutating func partOfSaved(_ object: ManagedObject, writes: Bool = true) throws(PinviewError) -> SavedPart {
        let number = object.binding.storeNumber
        if let first = parts.first, first.store.number == number, !first.store.isReadOnly { return first }
        // The store that the coordinator's other parts use for this number.
        if let known = parts.first(where: { $0.store.number == number }) { return try part(of: known.store, object, writes: writes) }
        guard let store = coordinator.store(number: number) else { throw state.storeRemovedError(number, coordinator) }
        return try part(of: store, object, writes: writes)
    }

    /// The store for a new object (STO-09).
    static func store(for object: ManagedObject, coordinator: PersistentStoreCoordinator) throws(PinviewError) -> any IncrementalStore {
        if let assigned = object.assignedStore {
            // The same file may have been added again since.
            if let store = coordinator.store(number: assigned.number) { return store }
            throw PinviewError(
                .persistentStoreSave,
                "The object \(object.objectID) is assigned to the store '\(assigned.path ?? assigned.identifier)', which is not on the "
                    + "coordinator any more. Add the store again, assign the object to another one, or delete it."
            ).with(affectedObjectIDs: [object.objectID], affectedStores: [assigned.identifier])
        }
        if !object.key.isTemporary, let store = coordinator.store(number: object.key.storeNumber) { return store }
        let stores = coordinator.stores(holding: object.entity)
        if let store = stores.first(where: { !$0.isReadOnly }) { return store }
        throw PinviewError(
            .persistentStoreSave,
            stores.isEmpty
                ? "The coordinator has no store that holds the entity \(object.entity.name). Add one, or load the container's "
                    + "stores, before saving."
                : "All stores that hold the entity \(object.entity.name) are read-only."
        ).with(affectedObjectIDs: [object.objectID]).with(affectedStores: stores.map(\.identifier))
    }

    /// Whether an updated object has something to write: a column, or members of a relationship
    /// with its own table.
    private static func hasStoredChanges(_ object: ManagedObject, _ state: ContextState) -> Bool {
        let changed = object.changed
        return object.unmanagedBinding._withUnsafeGuaranteedRef { binding in
            (0..<binding.propertyCount).contains { index in
                guard changed.contains(index) else { return false }
                return binding.property(at: index)?._withUnsafeGuaranteedRef { property in
                    guard !property.isTransient else { return false }
                    return property.isAttribute || !property.isToMany || property.isOrdered || !state.isForeignKey(property)
                } ?? false
            }
        }
    }

    // MARK: Relationships across stores

    private func checkStoresOfRelationships() throws(PinviewError) {
        guard coordinator.hasSeveralStores else { return }
        for part in parts {
            for object in part.written {
                for property in object.entity.relationships
                where object.changed.contains(property.index) || object.flags.contains(.inserted) {
                    let destinations =
                        property.isToMany ? object.toManyContents(property).inserted : try state.toOne(object, property).map { [$0] } ?? []
                    for destination in destinations {
                        let store =
                            destination.key.isTemporary
                            ? try Self.store(for: destination, coordinator: coordinator).number : destination.key.storeNumber
                        guard store != part.store.number else { continue }
                        throw PinviewError(
                            .externalRelationship,
                            "\(object.entity.name).\(property.name) of \(object.objectID) refers to \(destination.objectID), which is or would be "
                                + "saved in another store. Assign both to one store."
                        ).with(affectedObjectIDs: [object.objectID, destination.objectID])
                    }
                }
            }
        }
    }

    // MARK: Writing

    /// Writes everything, with one transaction per store, and commits once all have been written.
    ///
    /// - Returns: the writers of the stores that committed, with their outcomes, and the error that
    ///   kept later ones from committing.
    func run(policy: MergePolicy) throws(PinviewError) -> (writers: [StoreWriter], failure: PinviewError?) {
        do throws(PinviewError) {
            return try run(policy: policy, resolvesUniqueness: false)
        } catch {
            // An ordinary save pays nothing for its constraints. If SQLite refuses a row, the save
            // starts over and checks them.
            guard error.isUniquenessViolation else { throw error }
            return try run(policy: policy, resolvesUniqueness: true)
        }
    }

    private func run(
        policy: MergePolicy, resolvesUniqueness: Bool
    ) throws(PinviewError) -> (writers: [StoreWriter], failure: PinviewError?) {
        var writers: [StoreWriter] = []
        do throws(PinviewError) {
            let model = coordinator.managedObjectModel
            try parts.forEachUncounted { (part) throws(PinviewError) in
                let transaction = try part.store.beginSave(origin: state.historyOrigin)
                writers.appendToFew(StoreWriter(state: state, part: part, transaction: transaction, policy: policy, model: model))
            }
            state.noteStateBeforeWriting(to: coordinator.hasSeveralStores ? nil : parts.first?.store, coordinator)
            try writers.forEachUncounted { (writer) throws(PinviewError) in try writer.allocateKeys() }
            let resolvers = resolvesUniqueness ? try writeUnique(writers, by: policy) : []
            if !resolvesUniqueness { try writers.forEachUncounted { (writer) throws(PinviewError) in try writer.writePart() } }
            try writers.forEachUncounted { (writer) throws(PinviewError) in try writer.checkPartners() }
            try resolve(writers, by: policy)
            try writers.forEachUncounted { (writer) throws(PinviewError) in
                try writer.reconcileInverses(inAllRelationships: resolvesUniqueness)
            }
            if writers.containsUncounted({ !$0.conflicts.isEmpty }) { throw PinviewError.conflict(writers.flatMap(\.conflicts)) }
            try writers.forEachUncounted { (writer) throws(PinviewError) in try writer.updateDerivedAttributes() }
            for resolver in resolvers { try resolver.noteMergedRows() }
            try writers.forEachUncounted { (writer) throws(PinviewError) in try writer.transaction.prepareCommit() }
        } catch {
            for writer in writers { writer.transaction.rollback() }
            throw error
        }
        return try coordinator.committing(toSeveralStores: writers.count > 1) { () throws(PinviewError) in
            var committed = 0
            do throws(PinviewError) {
                try writers.forEachUncounted { (writer) throws(PinviewError) in
                    try writer.commit()
                    committed += 1
                }
            } catch {
                for writer in writers[committed...] { writer.transaction.rollback() }
                if committed == 0 { throw error }
                return (Array(writers[..<committed]), error)
            }
            return (writers, nil)
        }
    }

    /// Writes everything after the policy has resolved all collisions, so that no row gets in the
    /// way of another.
    private func writeUnique(_ writers: [StoreWriter], by policy: MergePolicy) throws(PinviewError) -> [UniquenessResolver] {
        let resolvers = writers.map { UniquenessResolver(writer: $0) }
        #if DEBUG
            let policy = ContextFault.current == .uniquenessConflictsLeft ? MergePolicy.error : policy
        #endif
        for writer in writers { try writer.delete(writer.part.deleted) }
        try resolve(writers, by: policy)
        for writer in writers { writer.disputes = [] }
        for (writer, resolver) in zip(writers, resolvers) {
            try resolver.prepare(inserted: writer.part.inserted, updated: writer.part.updated)
            try resolver.resolve(by: policy) { (conflicts) throws(PinviewError) in try resolutions(of: conflicts, by: policy) }
        }
        let unresolved = resolvers.flatMap { resolver in resolver.unresolved.map { resolver.conflict(of: $0) } }
        if !unresolved.isEmpty {
            throw PinviewError.constraintConflict(unresolved, mergeConflicts: writers.flatMap(\.conflicts))
        }
        for (writer, resolver) in zip(writers, resolvers) {
            let part = writer.part
            let kept = Set(resolver.rows.filter { !$0.isLive }.compactMap { $0.object.map(ObjectIdentifier.init) })
            writer.keepKeys(of: part.inserted.filter { !kept.contains(ObjectIdentifier($0)) })
            try resolver.writeRows()
            try writer.update(resolver.otherUpdates)
            try writer.insert(resolver.otherInsertions)
            try writer.writeMembers()
            try resolver.finish()
            try writer.check(part.marked)
        }
        return resolvers
    }

    /// Makes the program's own policy resolve all conflicts that the writers found.
    private func resolve(_ writers: [StoreWriter], by policy: MergePolicy) throws(PinviewError) {
        guard writers.containsUncounted({ !$0.disputes.isEmpty }) else { return }
        let conflicts = writers.flatMap { writer in writer.disputes.map { writer.conflict(of: $0) } }
        let resolutions = try resolutions(of: conflicts, by: policy)
        var next = resolutions.startIndex
        for writer in writers {
            for dispute in writer.disputes {
                try writer.resolve(dispute, as: resolutions[next])
                next += 1
            }
        }
    }

    /// The resolutions of the program's own policy, one for each conflict.
    private func resolutions(of conflicts: [MergeConflict], by policy: MergePolicy) throws(PinviewError) -> [MergeResolution] {
        guard case .custom(let resolver) = policy.kind else { return [] }
        let resolutions = try state.resolving { () throws(PinviewError) in
            do { return try resolver.resolve(conflicts) } catch { throw PinviewError(thrownByProgram: error) }
        }
        guard resolutions.count == conflicts.count else {
            throw PinviewError(
                .invalidArgument,
                "The merge policy returned \(resolutions.count) resolutions for \(conflicts.count) conflicts; it must return one for each."
            ).with(affectedObjectIDs: conflicts.map(\.objectID), conflicts: conflicts)
        }
        return resolutions
    }
}

extension PinviewError {
    /// Whether SQLite refused a row because a unique index already contains its values
    /// (SQLITE_CONSTRAINT_UNIQUE).
    fileprivate var isUniquenessViolation: Bool { hasCode(.managedObjectConstraintMerge) && sqliteCode == 2067 }
}
