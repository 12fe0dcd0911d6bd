import PinviewModel
import PinviewStore

/// Merging the changes of other contexts (MRG).
extension ContextState {
    /// Merges a save: refreshes updated objects, keeping local changes, registers inserted ones as
    /// faults, and deletes deleted ones. Not a read: a pinned context moves at its next read
    /// (QG-22).
    func merge(_ identifiers: MergedIDs) throws(PinviewError) {
        let coordinator = try requireCoordinator()
        if pending.hasDeferredRemovals { applyDeferredRemovals() }
        if hasNotes { takeNewKeys() }
        let hasMoved = advancePinIfPinned()
        markGenerationChange()
        unloadMembers(leadingTo: hierarchies(touchedBy: identifiers, coordinator))
        var kept: [ManagedObject] = []
        var failure: PinviewError?
        var merged: [ManagedObject] = []
        for objectID in identifiers.inserted where isKnownStore(of: objectID, coordinator) {
            let object = try object(with: objectID)
            pending.event.noteInserted(object)
            kept.append(object)
        }
        let followed = followedEntities(of: coordinator.managedObjectModel)
        for objectID in identifiers.updated {
            guard let object = registeredObject(for: objectID) else {
                // Even an object without a registered counterpart may belong to a results
                // controller by now.
                if followed.contains(objectID.entity.name), isKnownStore(of: objectID, coordinator) {
                    let object = try object(with: objectID)
                    pending.event.refreshed[ObjectIdentifier(object)] = object
                }
                continue
            }
            guard !object.flags.contains(.inserted) else { continue }
            if object.flags.contains(.updated) {
                guard let row = try newestCommitted(of: object, coordinator) else { continue }
                // Others may have written the row again since the save being merged.
                if row.version != object.committed.version { pin.isMixed = true }
                // The object has its new values even if its hook fails, and the others are merged
                // all the same.
                do throws(PinviewError) { try mergeCommitted(row, into: object) } catch { failure = failure ?? error }
                merged.append(object)
            } else if object.flags.contains(.deleted) {
                // The deletion stays, and now applies to the current row.
                guard object.flags.isDisjoint(with: [.fault, .inaccessible]), let row = try newestCommitted(of: object, coordinator) else {
                    continue
                }
                do throws(PinviewError) { try takeCommitted(row, object) } catch { failure = failure ?? error }
                // What others related it to may be deleted here: an undo has to compare both sides.
                pin.isMixed = true
            } else if object.hasAnythingLoaded {
                turnIntoFault(object)
            }
            pending.event.refreshed[ObjectIdentifier(object)] = object
        }
        // Only once all other objects are up to date.
        reconcileFormerPartners(of: merged)
        if !identifiers.deleted.isEmpty { mergeDeletions(identifiers.deleted) }
        // Results controllers follow a context that has moved, even if nothing registered or
        // followed has changed.
        if hasMoved, pending.event.isEmpty { tellFollowers() } else { postObjectsDidChange() }
        withExtendedLifetime(kept) {}
        passOn(identifiers, to: childStates)
        if let failure { throw failure }
    }

    private func mergeDeletions(_ objectIDs: [ManagedObjectID]) {
        var deleted: [ManagedObject] = []
        settings.undoManager?.disableUndoRegistration()
        for objectID in objectIDs {
            guard let object = registeredObject(for: objectID), !object.flags.contains(.inserted) else { continue }
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
    private func hierarchies(touchedBy identifiers: MergedIDs, _ coordinator: PersistentStoreCoordinator) -> EntityFlags {
        var roots = EntityFlags(), entities = EntityFlags()
        addHierarchies(touchedBy: identifiers.inserted, to: &roots, &entities, coordinator)
        addHierarchies(touchedBy: identifiers.updated, to: &roots, &entities, coordinator)
        addHierarchies(touchedBy: identifiers.deleted, to: &roots, &entities, coordinator)
        return roots
    }

    private func addHierarchies(
        touchedBy objectIDs: [ManagedObjectID], to roots: inout EntityFlags, _ entities: inout EntityFlags,
        _ coordinator: PersistentStoreCoordinator
    ) {
        let model = coordinator.managedObjectModel
        for objectID in objectIDs {
            guard let entity = model.entity(like: objectID.entity) else { continue }
            if !entities.contains(entity.index) {
                entities.insert(entity.index)
                // The rows of the members hold such a relationship, and no save names them.
                for property in entity.relationships where property.isToMany && inverse(of: property) == nil {
                    roots.insert(model.entities[property.destinationIndex].rootIndex)
                }
            }
            guard !roots.contains(entity.rootIndex) else { continue }
            if let object = registeredObject(for: objectID), staysWhereItIs(object, coordinator) { continue }
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

    /// The registered object of an ID, which may come from another coordinator.
    func registeredObject(for objectID: ManagedObjectID) -> ManagedObject? {
        let key = PermanentKeys.shared.permanentKey(for: objectID.key)
        if let object = registry.object(key) ?? registry.object(objectID.key) { return object }
        guard let entity = coordinator?.managedObjectModel.entity(like: objectID.entity) else { return nil }
        return registry.object(
            ObjectKey(storeNumber: key.storeNumber, rootEntity: Int32(entity.rootIndex), primaryKey: key.primaryKey))
    }

    private func isKnownStore(of objectID: ManagedObjectID, _ coordinator: PersistentStoreCoordinator) -> Bool {
        objectID.key.isTemporary ? parent != nil : coordinator.store(number: objectID.key.storeNumber) != nil
    }

    /// The newest row of an object, read without fixing the context's generation (DEC-49).
    func newestCommitted(of object: ManagedObject, _ coordinator: PersistentStoreCoordinator) throws(PinviewError) -> CommittedRow? {
        if parent != nil { return try loadCommitted(object, mayUseCache: false) }
        guard let store = coordinator.store(number: object.key.storeNumber) else { return nil }
        let generation = store.supportsGenerations ? try store.currentGeneration() : nil
        return try store.row(entity: object.entity, primaryKey: object.key.primaryKey, at: generation).map { .stored($0) }
    }
}

/// Merging automatically.
extension ContextState {
    /// Merges a save of this context into those that merge automatically: other contexts of the
    /// same parent store (MRG-07, MRG-08), and this context's own children.
    func mergeAutomatically(_ changes: SavedChanges) {
        let receivers = automaticReceivers
        if !receivers.isEmpty { passOn(changes.identifiers, to: receivers) }
    }

    /// The contexts that merge what this one saves. Asks none of those that do not merge anything.
    var automaticReceivers: [ContextState] {
        let merging = AutomaticMergers.shared.states
        if merging.isEmpty { return [] }
        let parent = self.parent, coordinator = self.coordinator
        return merging.filter { other in
            guard other !== self, other.mergesAutomatically else { return false }
            let above = other.parent
            if above === self { return true }
            return above === parent && (parent != nil || coordinator != nil && other.coordinator === coordinator)
        }
    }

    private var mergesAutomatically: Bool { settings.automaticallyMergesChangesFromParent }

    /// Merges what was merged into a context into its children too (MRG-08).
    private func passOn(_ identifiers: MergedIDs, to receivers: [ContextState]) {
        for receiver in receivers where receiver.mergesAutomatically { receiver.mergeSoon(identifiers) }
    }

    /// Merges on the context's queue, now or as soon as it is free.
    func mergeSoon(_ identifiers: MergedIDs) {
        guard let context = publicContext else { return }
        queue.performSoon {
            guard !context.state.hasEnded else { return }
            // What cannot be read now is read when the object is used, which reports the error.
            do { try context.state.merge(identifiers) } catch { context.state.markGenerationChange() }
        }
    }
}
