import PinviewGenerations
import PinviewModel
import PinviewStore

/// Loading what objects do not have in memory.
extension ContextState {
    /// Throws if an object has been invalidated.
    func requireUsable(_ object: ManagedObject) throws(PinviewError) {
        guard !object.flags.contains(.invalidated) else {
            throw PinviewError(
                .objectInvalidated,
                "The object \(object.objectID) is invalid: its context was reset or its store was removed. Fetch it again."
            ).with(affectedObjectIDs: [object.objectID])
        }
    }

    /// Fires a fault: loads its values (FLT-03).
    ///
    /// - Throws: 133000 if the row is gone, unless the context marks such objects as deleted.
    func fire(_ object: ManagedObject) throws(PinviewError) {
        guard object.flags.contains(.fault) else { return }
        try requireUsable(object)
        if let row = usablePrefetchedRow(of: object) { return try realise(object, .stored(row)) }
        if let row = try loadCommitted(object, mayUseCache: true) {
            return try realise(object, row)
        }
        try markInaccessible(object)
    }

    /// The row of an object one store up; nil if it is gone.
    func loadCommitted(_ object: ManagedObject, mayUseCache: Bool) throws(PinviewError) -> CommittedRow? {
        if let parent {
            return try parent.providedRow(for: object.key, entity: object.entity).map { .provided($0) }
        }
        guard !object.key.isTemporary else { return nil }
        return try committedRow(of: object, mayUseCache: mayUseCache).map { .stored($0) }
    }

    /// A fault's prefetched row, if it is of the generation that the context reads: the row cache
    /// would return the same. During a consistent read, also a row that the read itself got from a
    /// store without generations.
    func usablePrefetchedRow(of object: ManagedObject) -> RowSnapshot? {
        guard let row = object.prefetchedRow, isUsable(row.block, object.binding) else { return nil }
        return row
    }

    private func isUsable(_ block: RowBlock, _ binding: EntityBinding) -> Bool {
        let rank = block.origin.rank
        if rank == 0 { return hasReadLive(block) }
        return rank == readRank(ofStore: binding.storeNumber) && stalenessInterval < 0
    }

    /// Realises faults that can use their prefetched rows.
    /// - Returns: whether others are left.
    func realiseFromPrefetchedRows(_ objects: [ManagedObject]) -> Bool {
        let mayTake = hookTable == nil
        var usable: UnsafeMutableRawPointer?
        var othersRemain = false
        objects.forEachUncounted { object in
            guard object.flags.contains(.fault) else { return }
            guard mayTake, let block = object.prefetchedBlock else {
                othersRemain = true
                return
            }
            // Neighbours share their block.
            if block.toOpaque() != usable {
                guard block._withUnsafeGuaranteedRef({ isUsable($0, object.binding) }) else {
                    othersRemain = true
                    return
                }
                usable = block.toOpaque()
            }
            object.flags.remove(.fault)
            noteRealised(object)
        }
        return othersRemain
    }

    /// Realises a fault from its prefetched row if no hook must be called.
    ///
    /// - Returns: false if it remains a fault.
    func realiseFromPrefetchedRow(_ object: ManagedObject, _ block: RowBlock, _ binding: EntityBinding) -> Bool {
        guard hookTable == nil, isUsable(block, binding) else { return false }
        object.flags.remove(.fault)
        noteRealised(object)
        return true
    }

    /// Marks an object as inaccessible because its row does not exist (FLT-08, FLT-10).
    func markInaccessible(_ object: ManagedObject) throws(PinviewError) {
        guard setting(\.shouldDeleteInaccessibleFaults) else { throw PinviewError.noSuchRow(object.objectID) }
        object.flags.formUnion([.inaccessible, .deleted, .deletePropagated])
        object.flags.subtract([.fault, .updated])
        object.committed = .none
        object.dropSlots()
        object.changed.removeAll()
        updatedObjects[ObjectIdentifier(object)] = nil
        deletedObjects[ObjectIdentifier(object)] = object
        event.deleted[ObjectIdentifier(object)] = object
        dropPendingReferences(to: object)
    }

    // MARK: Values

    func attributeValue(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Value {
        try requireUsable(object)
        if object.flags.contains(.fault) { try fire(object) }
        if case .value(let value) = object.slot(property.index) { return value }
        if property.isTransient { return object.transientBaseline[property.index] ?? .null }
        return object.committedValue(of: property)
    }

    func toOne(_ object: ManagedObject, _ property: Property) throws(PinviewError) -> ManagedObject? {
        try requireUsable(object)
        if object.flags.contains(.fault) { try fire(object) }
        if case .toOne(let destination) = object.slot(property.index) { return destination }
        guard let reference = try committedReference(of: object, property) else { return nil }
        let destination = try self.object(for: reference.key, entityIndex: reference.entityIndex)
        object.setDestination(property.index, destination)
        return destination
    }

    func committedReference(of object: ManagedObject, _ property: Property) throws(PinviewError) -> ObjectReference? {
        switch object.committed {
        case .none: return nil
        case .provided(let row):
            guard let reference = row.references[property.index], reference.key.isTemporary else { return row.references[property.index] }
            // The row was provided before the destination was saved.
            return ObjectReference(key: PermanentKeys.shared.permanentKey(for: reference.key), entityIndex: reference.entityIndex)
        case .stored(let row):
            guard let reference = row.reference(of: property) else { return nil }
            return try objectReference(reference, from: object.binding)
        }
    }

    /// The members of a to-many relationship, loaded at the first access (FLT-05).
    func toMany(_ object: ManagedObject, _ property: Property) throws(PinviewError) -> ToManyContents {
        try requireUsable(object)
        let contents = object.toManyContents(property)
        if contents.isLoaded { return contents }
        if object.flags.contains(.inaccessible) || (object.flags.contains(.inserted) && parent == nil) {
            contents.load([])
            return contents
        }
        let references = try committedMembers(of: object, property)
        try load(contents, of: object, property, references)
        return contents
    }

    /// Fills a to-many relationship with its members one store up.
    func load(
        _ contents: ToManyContents, of object: ManagedObject, _ property: Property, _ references: [ObjectReference]
    ) throws(PinviewError) {
        load(contents, of: object, property, members: try members(references, of: contents))
        // Others may have made the same changes meanwhile, which are none any more then.
        if object.changed.contains(property.index) != contents.hasChanges, !object.flags.contains(.inserted) {
            object.setChanged(property.index, contents.hasChanges)
            noteChange(of: object)
        }
    }

    /// The members one store up.
    private func committedMembers(of object: ManagedObject, _ property: Property) throws(PinviewError) -> [ObjectReference] {
        if let parent { return try parent.providedMembers(for: object.key, entity: object.entity, property) }
        guard !object.key.isTemporary else { return [] }
        let owner = Reference(entityIndex: Int32(object.entity.index), isTemporary: false, primaryKey: object.key.primaryKey)
        let references = try rereading { () throws(PinviewError) -> [Reference] in
            guard let (store, generation) = try source(of: object.key, in: try beginRead()) else { return [] }
            return try store.destinations(of: owner, relationship: property, at: generation)
        }
        var found: [ObjectReference] = []
        for reference in references { found.append(try objectReference(reference, from: object.binding)) }
        return found
    }

    /// The objects of members, including those that the context removed.
    private func members(_ references: [ObjectReference], of contents: ToManyContents) throws(PinviewError) -> [ManagedObject] {
        var members: [ManagedObject] = []
        members.reserveCapacity(references.count)
        for reference in references {
            let member = try self.object(for: reference.key, entityIndex: reference.entityIndex)
            // A member whose deletion has been propagated is none any more. If that removed it from
            // this relationship, the change is known and relative to the committed members.
            if member.flags.contains(.deletePropagated), !member.flags.contains(.inaccessible), !contents.isRemoved(member) { continue }
            members.append(member)
        }
        noteSiblings(members)
        return members
    }
}

extension CommittedRow {
    func value(of property: Property) -> Value {
        switch self {
        case .none: .null
        case .stored(let row): row.value(of: property)
        case .provided(let row): row.values[property.index]
        }
    }
}
