import PinviewGenerations
import PinviewModel
import PinviewStore

/// Saving one store up.
extension ContextState {
    func save() throws(PinviewError) {
        try requireNoSave("A save")
        guard parent != nil || coordinator != nil else {
            if !hasChanges { return }
            throw Self.noCoordinatorError
        }
        pending.isSaving = true
        pending.isPreparingSave = true
        defer {
            pending.isSaving = false
            pending.isPreparingSave = false
        }
        try processPendingChanges(mayDeferRemovals: true)
        guard hasChanges || !pending.conflictMarks.isEmpty else { return }
        if hasChanges {
            postWillSave()
            // Changes by observers are part of this save (DEC-33).
            try processPendingChanges(mayDeferRemovals: true)
            try callWillSave()
            if !pending.event.isEmpty || !pending.unpropagatedDeletions.isEmpty { try processPendingChanges() }
        }
        settings.undoManager?.closeEventGroup()
        try readPartnersOfUpdated()
        try validatePendingChanges()
        if pending.hasDeferredRemovals, savesAreWatched { applyDeferredRemovals() }
        let wasPinned = !pin.isUnpinned
        var changes = SavedChanges(
            inserted: pending.inserted, updated: pending.updated, deleted: accessible(pending.deleted.list))
        // A save into a parent takes all of these out of the change sets.
        let inaccessible =
            changes.deleted.count < pending.deleted.count ? pending.deleted.values.filter { $0.flags.contains(.inaccessible) } : []
        let didWrite: Bool
        if let parent {
            didWrite = try saveToParent(parent)
        } else {
            didWrite = try saveToStores(&changes)
        }
        // Inaccessible objects have nothing to be written, and leave with the save (FLT-09).
        if !inaccessible.isEmpty { markGone(inaccessible) }
        guard didWrite || !changes.isEmpty else {
            clearChangeSets()
            return
        }
        pending.isPreparingSave = false
        finishSave(changes, wasPinned: wasPinned)
    }

    /// The objects that have something to be written or deleted.
    func accessible(_ objects: [ManagedObject]) -> [ManagedObject] {
        guard objects.containsUncounted({ $0.flags.contains(.inaccessible) }) else { return objects }
        return objects.filter { !$0.flags.contains(.inaccessible) }
    }

    /// - Parameter changes: the context's changes; afterwards, what the save did.
    private func saveToStores(_ changes: inout SavedChanges) throws(PinviewError) -> Bool {
        let coordinator = try requireCoordinator()
        let plan = try SavePlan(state: self, deleted: changes.deleted, coordinator: coordinator)
        guard !plan.isEmpty else {
            for object in pending.updated.values { markSaved(object, row: nil) }
            return false
        }
        let (writers, failure) = try plan.run(policy: settings.mergePolicy)
        writers.forEachUncounted { writer in
            let outcome = writer.outcome
            apply(outcome, coordinator)
            guard let further = outcome.furtherIfAny else { return }
            applyReconciled(further, &changes)
            applyDerived(further, &changes)
            applyAbsorptions(further, rank: outcome.generationRank, &changes, coordinator)
        }
        if let failure {
            // Parts written to stores before the failing one are saved all the same.
            dropSavedFromChangeSets()
            throw failure
        }
        return true
    }

    /// Removes saved and vanished objects from the change sets, one by one. A complete save empties
    /// the sets at once.
    func dropSavedFromChangeSets() {
        for object in pending.inserted.values where !object.flags.contains(.inserted) { pending.inserted[ObjectIdentifier(object)] = nil }
        for object in pending.updated.values where !object.flags.contains(.updated) { pending.updated[ObjectIdentifier(object)] = nil }
        for object in pending.deleted.values where !object.flags.contains(.deleted) || registry.object(object.key) !== object {
            pending.deleted[ObjectIdentifier(object)] = nil
        }
    }

    /// Applies to the objects of one store what the save did.
    private func apply(_ outcome: SaveOutcome, _ coordinator: PersistentStoreCoordinator) {
        let hasChildren = hasChildren, keepsOlder = othersArePinned(on: coordinator), storeNumber = outcome.storeNumber
        if !outcome.newKeys.isEmpty { PermanentKeys.shared.add(outcome.newKeys, storeNumber: storeNumber) }
        if hasChildren { announceKeys(of: outcome) }
        noteSaved(toStore: storeNumber, rank: outcome.generationRank)
        if !outcome.permanentKeys.isEmpty { rename(outcome.permanentKeys) }
        if !outcome.permanentRun.objects.isEmpty {
            rename(outcome.permanentRun.objects, from: outcome.permanentRun.first, storeNumber: storeNumber)
        }
        for (objects, rows) in outcome.writtenTogether { take(rows, objects, outcome, keepsOlder, coordinator) }
        let further = outcome.furtherIfAny
        if let further { takeWritten(further) }
        if !outcome.unwritten.isEmpty {
            outcome.unwritten.forEachUncounted { markSaved($0, row: nil) }
            if pin.isMixed { outcome.unwritten.forEachUncounted { takeNewestRow($0) } }
        }
        if let further { apply(further, rank: outcome.generationRank, keepsOlder: keepsOlder, coordinator) }
    }

    private func takeWritten(_ further: FurtherOutcome) {
        for (object, row) in further.written {
            countInRowCache(object)
            markSaved(object, row: .stored(row))
        }
    }

    private func apply(_ further: FurtherOutcome, rank: UInt64, keepsOlder: Bool, _ coordinator: PersistentStoreCoordinator) {
        // A vanished object leads nowhere, so its pending changes must not interfere with the
        // values that others take.
        markGone(further.vanished)
        takeStoredValues(further.takenFromStore)
        for (object, row) in further.revived { reviveAfterConflict(object, row) }
        further.removed.forEachUncounted { noteRemoval($0) }
        registry.unregister(further.removed)
        // Faults of other contexts must show what was written.
        if !further.rows.isEmpty {
            coordinator.rowCache.store(
                further.rows, rank: rank, isNewest: true, stamp: coordinator.rowCache.stamp, time: coordinator.time, keepsOlder: keepsOlder)
        }
        if !further.removed.isEmpty { coordinator.rowCache.invalidate(further.removed.map(\.key), keepsOlder: keepsOlder) }
    }

    /// Tells descendant contexts, which know the new objects by temporary keys, before anybody can
    /// see the permanent ones.
    private func announceKeys(of outcome: SaveOutcome) {
        var keys = outcome.permanentKeys.map { AssignedKey(temporary: $0.0.key, permanent: $0.1) }
        for (offset, object) in outcome.permanentRun.objects.enumerated() {
            let key = outcome.permanentRun.first + Int64(offset)
            keys.append(
                AssignedKey(
                    temporary: object.key,
                    permanent: ObjectKey(storeNumber: outcome.storeNumber, rootEntity: object.key.rootEntity, primaryKey: key)))
        }
        announce(keys)
    }

    private func take(
        _ rows: FetchedRows, _ objects: [ManagedObject], _ outcome: SaveOutcome, _ keepsOlder: Bool,
        _ coordinator: PersistentStoreCoordinator
    ) {
        let writtenAt = RowOrigin(rank: outcome.generationRank, stamp: coordinator.rowCache.stamp, time: coordinator.time)
        if let first = objects.first, !first.isCountedInRowCache {
            coordinator.rowCache.makeRoom(forNew: objects.count, storeNumber: outcome.storeNumber, rootEntity: first.key.rootEntity)
        }
        var place = 0
        for block in rows.blocks {
            let end = place + Int(block.rowCount)
            takeWritten(block, objects[place..<end], storeNumber: outcome.storeNumber, writtenAt, keepsOlder: keepsOlder, coordinator)
            place = end
        }
    }

    /// Makes an object's pending values committed. The change sets still contain it.
    func markSaved(_ object: ManagedObject, row: CommittedRow?) {
        // A fault that was saved as the other side of a relationship needs no row.
        if let row, !object.flags.contains(.fault) { object.committed = row }
        object.commitSlots(dropsValues: row != nil)
        object.forgetChanges()
        object.dropEmptyExtras()
        object.flags.subtract([.inserted, .updated])
    }

    /// Updates an object for which nothing was written in its own row, since others may have
    /// written the row (ONE-04).
    private func takeNewestRow(_ object: ManagedObject) {
        guard object.flags.isDisjoint(with: [.fault, .invalidated]), let version = object.committed.version else { return }
        // What cannot be read now is read when the object is refreshed, which reports the error. If
        // a hook fails, the object keeps its new values.
        guard let row = try? newestCommitted(of: object), row.version != version else { return }
        try? mergeCommitted(row, into: object)
    }

    /// Gives an object the store's values, for some or all of its properties, as the merge policy
    /// decided.
    func takeStoredValues(_ row: RowSnapshot, _ object: ManagedObject) { takeStoredValues([(object, row)]) }

    private func takeStoredValues(_ taken: [(ManagedObject, RowSnapshot)]) {
        // Values that the policy took from the store belong to another state than the one the
        // context shows.
        if !taken.isEmpty { pin.isMixed = true }
        var before: [(ManagedObject, [ForeignKey])] = []
        for (object, row) in taken {
            countInRowCache(object)
            before.append((object, foreignKeys(of: object)))
            for property in object.entity.relationships where !property.isToMany { object.setSlot(property.index, .unloaded) }
            markSaved(object, row: .stored(row))
            pending.event.refreshed[ObjectIdentifier(object)] = object
        }
        // Only once nothing of them is pending any more.
        for (object, keys) in before { reconcileInverses(of: object, before: keys) }
    }

    /// Adds to the did-save notification what the save changed besides pending changes.
    private func applyReconciled(_ outcome: FurtherOutcome, _ changes: inout SavedChanges) {
        // A policy has reverted these deletions.
        if !outcome.revived.isEmpty {
            changes.deleted.removeAll { !$0.flags.contains(.deleted) }
            for (object, _) in outcome.revived { changes.updated.insert(object) }
        }
        for partner in outcome.partners where !changes.updated.contains(partner) { changes.updated.insert(partner) }
        for (key, entityIndex, row) in outcome.reconciled {
            guard let object = objectToNotify(key, entityIndex: entityIndex) else { continue }
            takeStoredValues(row, object)
            changes.noteUpdate(of: object)
        }
    }

    /// The object of a row that the save has changed besides the pending changes; nil if there can
    /// be none here, so that nobody needs to be told.
    func objectToNotify(_ key: ObjectKey, entityIndex: Int) -> ManagedObject? {
        registry.object(key) ?? (try? object(for: key, entityIndex: entityIndex))
    }

    /// Gives other objects their new derived attributes, and adds them to the did-save
    /// notification.
    private func applyDerived(_ outcome: FurtherOutcome, _ changes: inout SavedChanges) {
        for (key, entityIndex, row) in outcome.derived {
            guard let object = objectToNotify(key, entityIndex: entityIndex),
                object.flags.isDisjoint(with: [.deleted, .invalidated])
            else { continue }
            if let version = object.committed.version, !object.flags.contains(.fault) {
                if version == row.version {
                    object.committed = .stored(row)
                } else {
                    // Others have written the row. If a hook fails, the object keeps its new
                    // values.
                    try? mergeCommitted(.stored(row), into: object)
                }
                pending.event.refreshed[ObjectIdentifier(object)] = object
            }
            changes.noteUpdate(of: object)
        }
    }

    /// Restores an object that this context deleted and whose row the policy kept (SAV-18).
    private func reviveAfterConflict(_ object: ManagedObject, _ row: RowSnapshot) {
        object.flags.subtract([.deleted, .deletePropagated])
        // Pending members were not written. The next access loads the store's members.
        for property in object.entity.relationships where property.isToMany {
            switch object.slot(property.index) {
            case .toMany(let contents):
                contents.revert()
                contents.unload()
            case .noMembers: object.setSlot(property.index, .unloaded)
            case .unloaded, .value, .toOne: break
            }
        }
        takeStoredValues(row, object)
    }

    /// Marks objects whose rows are gone for good. The change sets still contain them.
    func markGone(_ objects: [ManagedObject]) {
        detach(objects)
        for object in objects {
            noteRemoval(object)
            registry.unregister(object)
        }
    }

    private func noteRemoval(_ object: ManagedObject) {
        object.flags.insert(.deleted)
        object.flags.subtract([.updated, .inserted])
        object.forgetChanges()
    }

    /// After the commit: moves the pin, posts did-save, and releases the old generation (QG-39).
    private func finishSave(_ changes: SavedChanges, wasPinned: Bool) {
        // Values restored by a merge policy may have taken a partner from an object that was read
        // at another state, which is a change of its own.
        let left = mayBeMixed ? pending.updated.values.filter { $0.flags.contains(.updated) } : []
        clearChangeSets()
        for object in left { pending.updated.insert(object) }
        let oldPin = pin.target
        if parent == nil { advancePinIfPinned() }
        reconcileSaved(changes.updated.values)
        callDidSave(changes)
        postDidSave(changes, wasPinned: wasPinned && parent == nil)
        withExtendedLifetime(oldPin) {}
        mergeAutomatically(changes)
        settings.undoManager?.closeEventGroup()
    }

    private func postDidSave(_ changes: SavedChanges, wasPinned: Bool) {
        guard let context = publicContext, PinviewNotificationCenter.default.hasObservers(for: .didSave, state: self) else { return }
        var notification = PinviewNotification(name: .didSave, object: context)
        notification.insertedObjects = Set(changes.inserted.values)
        notification.updatedObjects = Set(changes.updated.values)
        notification.deletedObjects = Set(changes.deleted)
        notification.takeIDs()
        var held: GenerationSet?
        if wasPinned, let coordinator {
            // If the newest generation cannot be taken, the key is absent: the save itself has
            // succeeded.
            held = try? coordinator.currentGenerationSet()
            if let held, held.coversAnyStore { notification.queryGenerationToken = coordinator.token(for: held) }
        }
        post(notification)
        withExtendedLifetime(held) {}
    }

    // MARK: Permanent IDs

    func obtainPermanentIDs(for objects: [ManagedObject]) throws(PinviewError) {
        let coordinator = try requireCoordinator()
        var wanted: [(object: ManagedObject, store: any IncrementalStore)] = []
        for object in objects {
            try requireOwn(object, "given a permanent ID")
            guard object.key.isTemporary, object.flags.contains(.inserted) else { continue }
            wanted.append((object, try SavePlan.store(for: object, coordinator: coordinator)))
        }
        guard !wanted.isEmpty else { return }
        let keys = try assignKeys(wanted.map { ($0.object.key, $0.object.entity, $0.store) })
        if hasNotes { takeNewKeys() }
        for ((object, store), key) in zip(wanted, keys) {
            object.assignedStore = store
            if object.key.isTemporary { rename(object, to: key) }
        }
    }

    /// Gives permanent keys for temporary ones, in all contexts of the tree at once. The root does
    /// this on its queue, so that none of its saves gives an object another key meanwhile.
    private func assignKeys(_ wanted: [(key: ObjectKey, entity: Entity, store: any IncrementalStore)]) throws(PinviewError) -> [ObjectKey] {
        if let parent {
            try parent.enterForChild()
            defer { parent.leave() }
            return try parent.assignKeys(wanted)
        }
        var keys = wanted.map { PermanentKeys.shared.permanentKey(for: $0.key) }
        var groups: [GroupKey: [Int]] = [:]
        for (place, key) in keys.enumerated() where key.isTemporary {
            groups[GroupKey(store: wanted[place].store.number, rootEntity: wanted[place].entity.rootIndex), default: []].append(place)
        }
        var assigned: [AssignedKey] = []
        for (group, places) in groups {
            let first = try wanted[places[0]].store.allocatePrimaryKeys(entity: wanted[places[0]].entity, count: places.count)
            for (offset, place) in places.enumerated() {
                let key = ObjectKey(storeNumber: group.store, rootEntity: Int32(group.rootEntity), primaryKey: first + Int64(offset))
                assigned.append(AssignedKey(temporary: keys[place], permanent: key))
                keys[place] = key
            }
        }
        PermanentKeys.shared.add(assigned)
        announce(assigned)
        for key in assigned { if let object = registry.object(key.temporary) { rename(object, to: key.permanent) } }
        return keys
    }

    private struct GroupKey: Hashable {
        let store: Int32
        let rootEntity: Int
    }

    func assign(_ object: ManagedObject, to store: PersistentStore) throws(PinviewError) {
        try requireOwn(object, "assigned to a store")
        let coordinator = try requireCoordinator()
        guard coordinator.persistentStores.contains(store) else {
            throw PinviewError(.unknownStore, "The store \(store.identifier) is not on the context's coordinator.").with(affectedStores: [
                store.identifier
            ])
        }
        guard store.store.holds(entityIndex: object.entity.index) else {
            throw PinviewError(
                .wrongStore,
                "The store \(store.identifier) does not hold the entity \(object.entity.name); its configuration is '\(store.configurationName ?? "default")'."
            ).with(affectedStores: [store.identifier]).with(affectedObjectIDs: [object.objectID])
        }
        if !object.key.isTemporary {
            guard object.key.storeNumber == store.store.number else {
                throw PinviewError(.wrongStore, "The object \(object.objectID) is already saved in another store and stays there.")
                    .with(affectedStores: [store.identifier]).with(affectedObjectIDs: [object.objectID])
            }
            return
        }
        object.assignedStore = store.store
    }

    // MARK: Conflict marks

    func detectConflicts(for object: ManagedObject) throws(PinviewError) {
        try requireOwn(object, "marked")
        try requireUsable(object)
        if object.flags.contains(.fault) { try fire(object) }
        guard !object.key.isTemporary else { return }
        object.flags.insert(.detectsConflicts)
        pending.conflictMarks[ObjectIdentifier(object)] = object
    }
}
