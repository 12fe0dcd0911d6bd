import PinviewModel
import PinviewStore

/// Merging the changes of other contexts (MRG).
extension ContextState {
    /// Merges a save: refreshes updated objects, keeping local changes, registers inserted ones as
    /// faults, and deletes deleted ones. Not a read: a pinned context moves at its next read
    /// (QG-22).
    func merge(_ records: MergedRecords) throws(PinviewError) {
        guard position.hasOwnCoordinator || coordinator != nil else { throw Self.noCoordinatorError }
        if pending.hasDeferredRemovals { applyDeferredRemovals() }
        if hasNotes { takeNewKeys() }
        let hasMoved = advancePinIfPinned()
        markGenerationChange(since: records.stamp)
        if records.mayMoveMembers { unloadMembers(leadingTo: hierarchies(touchedBy: records)) }
        let isWatched = objectsDidChangeIsWatched
        let quiet = isWatched || position.hasFollowers ? 0 : mergeQuietly(records.updated)
        if quiet == records.updated.count, records.inserted.isEmpty, records.deleted.isEmpty {
            endMerge(of: records, hasMoved: hasMoved)
        } else {
            try mergeThoroughly(records, records.updated[quiet...], isWatched: isWatched, hasMoved: hasMoved)
        }
    }

    private func endMerge(of records: MergedRecords, hasMoved: Bool) {
        // Results controllers follow a context that has moved, even if nothing registered or
        // followed has changed.
        if hasMoved, pending.event.isEmpty { tellFollowers() } else { postObjectsDidChange() }
        if position.mayHaveChildren { passOn(records, to: childStates) }
    }

    /// Merges updates of which nobody has to be told, into objects without changes.
    /// - Returns: how many of them have been merged; the next one takes more.
    private func mergeQuietly(_ updated: [MergedRecord]) -> Int {
        for position in updated.indices {
            // Usually found by its key alone. Passing on the record counts a reference to its entity.
            let key = updated[position].key
            // Others save objects one after another, mostly in the order in which they came.
            let known = key.isTemporary ? nil : registry.object(key, prefetchesNext: true)
            guard let object = known ?? registeredObject(for: updated[position]), object.hasAnythingLoaded else { continue }
            if object.flags.contains(.inserted) || !turnIntoFaultQuietly(object) { return position }
        }
        return updated.count
    }

    private func mergeThoroughly(
        _ records: MergedRecords, _ updated: ArraySlice<MergedRecord>, isWatched: Bool, hasMoved: Bool
    ) throws(PinviewError) {
        var kept: [ManagedObject] = []
        var failure: PinviewError?
        var merged: [ManagedObject] = []
        var updated = updated
        for record in records.inserted where isKnownStore(of: record) {
            // One that has been read by now was read before what the records tell of it last.
            if let known = registeredObject(for: record), known.hasAnythingLoaded { updated.append(record) }
            let object = try object(of: record)
            pending.event.noteInserted(object)
            kept.append(object)
        }
        let followed = position.hasFollowers ? followedEntities : []
        for record in updated {
            guard let object = registeredObject(for: record) else {
                // Even an object without a registered counterpart may belong to a results
                // controller by now.
                if followed.contains(record.entity.name), isKnownStore(of: record) {
                    let object = try object(of: record)
                    pending.event.refreshed[ObjectIdentifier(object)] = object
                }
                continue
            }
            guard !object.flags.contains(.inserted) else { continue }
            if object.flags.contains(.updated) {
                guard let row = try newestCommitted(of: object) else { continue }
                // Others may have written the row again since the save being merged.
                if row.version != object.committed.version { pin.isMixed = true }
                // The object has its new values even if its hook fails, and the others are merged
                // all the same.
                do throws(PinviewError) { try mergeCommitted(row, into: object) } catch { failure = failure ?? error }
                merged.append(object)
            } else if object.flags.contains(.deleted) {
                // The deletion stays, and now applies to the current row.
                guard object.flags.isDisjoint(with: [.fault, .inaccessible]), let row = try newestCommitted(of: object) else {
                    continue
                }
                do throws(PinviewError) { try takeCommitted(row, object) } catch { failure = failure ?? error }
                // What others related it to may be deleted here: an undo has to compare both sides.
                pin.isMixed = true
            } else if object.hasAnythingLoaded {
                turnIntoFault(object, noting: isWatched)
            }
            if isWatched, !object.isNotedAsInserted { pending.event.refreshed.insert(object) }
        }
        // Only once all other objects are up to date.
        reconcileFormerPartners(of: merged)
        if !records.deleted.isEmpty { mergeDeletions(records.deleted) }
        endMerge(of: records, hasMoved: hasMoved)
        withExtendedLifetime(kept) {}
        if let failure { throw failure }
    }

    private func mergeDeletions(_ records: [MergedRecord]) {
        var deleted: [ManagedObject] = []
        settings.undoManager?.disableUndoRegistration()
        for record in records {
            guard let object = registeredObject(for: record), !object.flags.contains(.inserted) else { continue }
            // If the object was deleted here too, the deletion cannot be undone any more.
            pending.mergedDeletions.insert(object)
            if object.flags.contains(.deleted) { continue }
            primitiveDelete(object)
            // The context that deleted it has applied the delete rules.
            object.flags.insert(.deletePropagated)
            deleted.append(object)
        }
        detach(deleted)
        settings.undoManager?.enableUndoRegistration()
    }

    /// The hierarchies whose objects may have joined or left relationships by what is merged, as
    /// `Entity.rootIndex`.
    private func hierarchies(touchedBy records: MergedRecords) -> EntityFlags {
        guard let coordinator else { return EntityFlags() }
        var roots = EntityFlags(), entities = EntityFlags()
        addHierarchies(touchedBy: records.inserted, to: &roots, &entities, coordinator)
        addHierarchies(touchedBy: records.updated, to: &roots, &entities, coordinator)
        addHierarchies(touchedBy: records.deleted, to: &roots, &entities, coordinator)
        return roots
    }

    /// Whether objects may have joined or left relationships by a save of this context.
    private func mayMoveMembers(_ records: MergedRecords) -> Bool {
        guard let model, !model.toManyRelationships.isEmpty else { return false }
        let mayMoveMembers: (MergedRecord) -> Bool = { record in
            guard let entity = model.entity(like: record.entity) else { return true }
            return model.canBeMembers(entity) || model.ownsMembersAlone(entity)
        }
        return records.updated.contains(where: mayMoveMembers) || records.inserted.contains(where: mayMoveMembers)
            || records.deleted.contains(where: mayMoveMembers)
    }

    private func addHierarchies(
        touchedBy records: [MergedRecord], to roots: inout EntityFlags, _ entities: inout EntityFlags,
        _ coordinator: PersistentStoreCoordinator
    ) {
        let model = coordinator.managedObjectModel
        for record in records {
            guard let entity = model.entity(like: record.entity) else { continue }
            if model.ownsMembersAlone(entity), !entities.contains(entity.index) {
                entities.insert(entity.index)
                // The rows of the members hold such a relationship, and no save names them.
                for property in entity.relationships where property.isToMany && property.inverseIndex == nil {
                    roots.insert(model.entities[property.destinationIndex].rootIndex)
                }
            }
            guard model.canBeMembers(entity), !roots.contains(entity.rootIndex) else { continue }
            if let object = registeredObject(for: record), staysWhereItIs(object, coordinator) { continue }
            roots.insert(entity.rootIndex)
        }
    }

    /// Whether an object's relationships are the same in the row written last, as far as this
    /// coordinator knows.
    private func staysWhereItIs(_ object: ManagedObject, _ coordinator: PersistentStoreCoordinator) -> Bool {
        guard !hasParent, object.flags.isDisjoint(with: [.fault, .inserted, .deleted]), case .stored(let row) = object.committed,
            let newest = coordinator.rowCache.newestRow(for: object.key, notBefore: 0, earliestTime: -.infinity),
            newest.version > row.version
        else { return false }
        return object.entity.relationships.allSatisfy { property in
            property.isToMany ? isForeignKey(property) : newest.reference(of: property) == row.reference(of: property)
        }
    }

    /// The object of a record, registered from now on.
    private func object(of record: MergedRecord) throws(PinviewError) -> ManagedObject {
        try object(with: objectID(for: record.key, entity: record.entity))
    }

    private func registeredObject(for record: MergedRecord) -> ManagedObject? { registeredObject(for: record.key, of: record.entity) }

    /// The registered object of an ID, which may come from another coordinator.
    func registeredObject(for given: ObjectKey, of entity: Entity) -> ManagedObject? {
        let key = given.isTemporary ? PermanentKeys.shared.permanentKey(for: given) : given
        if let object = registry.object(key) ?? (given.isTemporary ? registry.object(given) : nil) { return object }
        guard let entity = coordinator?.managedObjectModel.entity(like: entity) else { return nil }
        return registry.object(
            ObjectKey(storeNumber: key.storeNumber, rootEntity: Int32(entity.rootIndex), primaryKey: key.primaryKey))
    }

    private func isKnownStore(of record: MergedRecord) -> Bool {
        record.key.isTemporary ? parent != nil : coordinator?.store(number: record.key.storeNumber) != nil
    }

    /// The newest row of an object, read without fixing the context's generation (DEC-49).
    @inline(never)
    func newestCommitted(of object: ManagedObject) throws(PinviewError) -> CommittedRow? {
        if parent != nil { return try loadCommitted(object, mayUseCache: false) }
        guard let store = coordinator?.store(number: object.key.storeNumber) else { return nil }
        let generation = store.supportsGenerations ? try store.currentGeneration() : nil
        return try store.row(entity: object.entity, primaryKey: object.key.primaryKey, at: generation).map { .stored($0) }
    }
}

/// Merging automatically.
extension ContextState {
    /// Merges a save of this context into those that merge automatically: other contexts of the
    /// same parent store (MRG-07, MRG-08), and this context's own children.
    func mergeAutomatically(_ changes: SavedChanges) {
        let merging = AutomaticMergers.shared.states
        guard merging.containsUncounted(receivesSaves) else { return }
        let records = records(of: changes)
        merging.forEachUncounted { if receivesSaves($0) { $0.mergeSoon(records) } }
    }

    /// What those that merge a save of this context are told of it.
    private func records(of changes: SavedChanges) -> MergedRecords {
        var records = changes.records
        records.mayMoveMembers = mayMoveMembers(records)
        withCoordinator { records.stamp = $0.rowCache.advanceStamp() }
        return records
    }

    /// Whether any context merges what this one saves. Asks none of those that do not merge
    /// anything.
    var hasAutomaticReceivers: Bool { AutomaticMergers.shared.states.containsUncounted(receivesSaves) }

    /// Whether another context merges what this one saves.
    @inline(never)
    private func receivesSaves(_ other: ContextState) -> Bool {
        guard other !== self, other.settings.mergesAutomatically else { return false }
        if !hasParent, !other.hasParent { return other.position.hasSameCoordinator(as: position) }
        let above = other.parent
        return above === self || hasParent && above === parent
    }

    /// Merges what was merged into a context into its children too (MRG-08).
    private func passOn(_ records: MergedRecords, to children: [ContextState]) {
        for child in children where child.settings.mergesAutomatically { child.mergeSoon(records) }
    }

    /// Merges on the context's queue, now or as soon as it is free.
    @inline(never)
    private func mergeSoon(_ records: MergedRecords) {
        if queue.enterAtOnce() {
            mergeInTurn(records)
            queue.leave()
        } else if let context = publicContext {
            queue.perform { context.state.mergeInTurn(records) }
        }
    }

    private func mergeInTurn(_ records: MergedRecords) {
        guard !hasEnded else { return }
        // What cannot be read now is read when the object is used, which reports the error.
        do { try merge(records) } catch { markGenerationChange() }
    }
}
