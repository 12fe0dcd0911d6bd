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
        let rank = block.rank
        if rank == 0 { return hasReadLive(block) }
        return rank == readRank(ofStore: binding.storeNumber) && settings.stalenessInterval < 0
    }

    /// Realises faults that can use their prefetched rows.
    /// - Returns: whether others are left, or objects of other contexts.
    func realiseFromPrefetchedRows(_ objects: UncountedObjects) -> Bool {
        let mayTake = hookTable == nil
        var usable: UnsafeMutableRawPointer?
        var othersRemain = false
        objects.forEachObject { object in
            guard object.belongs(to: self) else {
                othersRemain = true
                return
            }
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

    func realiseFromPrefetchedRows(_ objects: [ManagedObject]) -> Bool {
        objects[...].withUncounted { realiseFromPrefetchedRows($0) }
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
        guard settings.shouldDeleteInaccessibleFaults else { throw PinviewError.noSuchRow(object.objectID) }
        object.flags.formUnion([.inaccessible, .deleted, .deletePropagated])
        object.flags.subtract([.fault, .updated])
        object.committed = .none
        object.dropSlots()
        object.changed.removeAll()
        pending.updated[ObjectIdentifier(object)] = nil
        // Undo can reach an object that has left the context with an earlier save.
        if registry.contains(object) {
            pending.deleted[ObjectIdentifier(object)] = object
            pending.event.deleted[ObjectIdentifier(object)] = object
        }
        dropPendingReferences(to: object)
    }

    // MARK: Values

    // Many functions call these two, whose copies would take much of the library's size.

    @inline(never)
    func attributeValue(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Value {
        try requireUsable(object)
        if object.flags.contains(.fault) { try fire(object) }
        if case .value(let value) = object.slot(property.index) { return value }
        if property.isTransient { return object.transientBaseline[property.index] ?? .null }
        return try committedAttribute(of: object, property)
    }

    /// The value of a stored attribute as last read or saved.
    /// - Throws: `sqlite` if the data of the attribute cannot be read.
    func committedAttribute(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Value {
        let value = object.committedValue(of: property)
        return value.isNull && property.cellKind == .externalBinary ? try newestData(of: object, property) : value
    }

    /// The data of a row that refers to a file which is gone.
    ///
    /// Files are kept as long as somebody is pinned to a generation that needs them. An unpinned
    /// context reads the newest state, and data in a file only when they are asked for (MDL-13).
    private func newestData(of object: ManagedObject, _ property: Property) throws(PinviewError) -> Value {
        switch object.committed {
        case .none: return .null
        case .provided: return try parent?.providedData(for: object.key, entity: object.entity, property) ?? .null
        case .stored(let row):
            guard row.lacksData(of: property), !object.key.isTemporary else { return .null }
            if let newest = try committedRow(of: object, mayUseCache: false) {
                return try newest.data(of: property, objectID: object.objectID)
            }
            guard settings.shouldDeleteInaccessibleFaults else { throw PinviewError.noSuchRow(object.objectID) }
            return .null
        }
    }

    /// Whether a value equals what an object's attribute already has. Null does not if the row has
    /// data that cannot be read.
    @inline(__always)
    func isCommitted(_ value: Value, _ object: ManagedObject, _ property: Unmanaged<Property>) -> Bool {
        value == object.committedValue(of: property) && !(value.isNull && lacksData(object, property))
    }

    @inline(never)
    private func lacksData(_ object: ManagedObject, _ property: Unmanaged<Property>) -> Bool {
        guard case .stored(let row) = object.committed else { return false }
        return property._withUnsafeGuaranteedRef { row.lacksData(of: $0) }
    }

    @inline(never)
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
            noteOwner(object, property)
            return contents
        }
        if try loadWithRows(contents, of: object, property) { return contents }
        let references = try committedMembers(of: object, property)
        try load(contents, of: object, property, references)
        return contents
    }

    /// Fills a to-many relationship with its members one store up.
    func load(
        _ contents: ToManyContents, of object: ManagedObject, _ property: Property, _ references: [ObjectReference]
    ) throws(PinviewError) {
        try finishLoading(contents, of: object, property, try members(references, of: contents))
    }

    /// Fills a to-many relationship.
    func finishLoading(
        _ contents: ToManyContents, of object: ManagedObject, _ property: Property, _ members: [ManagedObject]
    ) throws(PinviewError) {
        load(contents, of: object, property, members: members)
        // Others may have made the same changes meanwhile; then they are no longer changes.
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
            members.append(try self.object(for: reference.key, entityIndex: reference.entityIndex))
        }
        members = withoutDeleted(members, contents)
        noteSiblings(members)
        return members
    }

    /// Leaves out members whose deletion has been propagated, since they are no longer members. If
    /// that removed one from this relationship, the change is known and relative to the committed
    /// members.
    func withoutDeleted(_ members: [ManagedObject], _ contents: ToManyContents) -> [ManagedObject] {
        func isOut(_ member: ManagedObject) -> Bool {
            member.flags.intersection([.deletePropagated, .inaccessible]) == .deletePropagated && !contents.isRemoved(member)
        }
        return members.containsUncounted(isOut) ? members.filter { !isOut($0) } : members
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
