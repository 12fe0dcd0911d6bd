import PinviewModel
import PinviewStore

/// Inserting, ends of events, rollback and reset.
extension ContextState {
    // MARK: Insert

    func insertNewObject(entityName: String) throws(PinviewError) -> ManagedObject {
        try requireChangeProcessing("Inserting an object")
        guard let model else { throw Self.noCoordinatorError }
        guard let entity = model.entity(named: entityName) else { throw PinviewError.unknownEntity(entityName, in: model) }
        return try insertNewObject(entity)
    }

    func insertNewObject(_ entity: Entity) throws(PinviewError) -> ManagedObject {
        try insertNewObject(entity, binding(entity, storeNumber: -1))
    }

    /// - Parameter binding: the binding of the entity's new objects.
    func insertNewObject(_ entity: Entity, _ binding: EntityBinding) throws(PinviewError) -> ManagedObject {
        try requireChangeProcessing("Inserting an object")
        guard !entity.isAbstract else {
            throw PinviewError(.invalidArgument, "The entity \(entity.name) is abstract: only objects of its sub-entities can be made.")
        }
        pending.changeSequence += 1
        let object = ManagedObject(newOf: binding, primaryKey: TemporaryKeys.next(), changeSequence: pending.changeSequence)
        pending.lastChanged = Unmanaged.passUnretained(object).toOpaque()
        enterNewInRegistry(object, binding)
        record { $0.recordInsertion(object, sequence: pending.changeSequence) }
        pending.inserted.insertNew(object)
        pending.event.noteInserted(object)
        try awakeFromInsert(object)
        return object
    }

    /// Inserts an object (`insert(_:)`). An object that is in the context already stays as it is.
    func insert(_ object: ManagedObject) throws(PinviewError) {
        try requireChangeProcessing("Inserting an object")
        try requireOwn(object, "inserted")
        try requireUsable(object)
        if registry.contains(object) { return }
        // An object that was saved and then deleted becomes a new object.
        if object.flags.contains(.deleted) {
            try primitiveReinsert(object)
            return try reconcileReinserted()
        }
        primitiveInsert(object)
    }

    func requireOwn(_ object: ManagedObject, _ what: String) throws(PinviewError) {
        guard object.belongs(to: self) else {
            throw PinviewError(
                .wrongContext,
                "The object \(object.objectID) belongs to another context and cannot be \(what) through this one. Use its own context, or look up this context's own object by its ID."
            ).with(affectedObjectIDs: [object.objectID])
        }
    }

    func primitiveInsert(_ object: ManagedObject) {
        let isListed = object.flags.contains(.inserted)
        object.flags.insert(.inserted)
        object.flags.subtract([.deleted, .deletePropagated, .fault, .updated, .inaccessible])
        pending.changeSequence += 1
        object.changeSequence = pending.changeSequence
        pending.lastChanged = Unmanaged.passUnretained(object).toOpaque()
        record { $0.recordInsertion(object, sequence: pending.changeSequence) }
        enterAgainInRegistry(object)
        if isListed { pending.inserted.insert(object) } else { pending.inserted.insertNew(object) }
        if !pending.event.deleted.isEmpty { pending.event.deleted.remove(object) }
        pending.event.noteInserted(object)
    }

    /// Removes a new object from the context.
    func primitiveUninsert(_ object: ManagedObject) {
        record(.uninserted(object))
        object.flags.remove(.inserted)
        pending.inserted[ObjectIdentifier(object)] = nil
        if !object.key.isTemporary { registry.takenBackKeys.insert(object.key) }
        registry.unregister(object)
        if !pending.event.forgetInserted(object) { pending.event.deleted[ObjectIdentifier(object)] = object }
        pending.event.forgetUpdated(object)
    }

    // MARK: Events

    /// Processes the changes made so far: propagates deletes and posts one objects-did-change
    /// notification. Outside a block it also ends the event (DEC-26).
    ///
    /// - Parameter mayDeferRemovals: whether inverse removals that nobody observes may be deferred.
    func processPendingChanges(mayDeferRemovals: Bool = false) throws(PinviewError) {
        if settings.propagatesDeletesAtEndOfEvent || pending.isSaving { try propagateDeletes(mayDeferRemovals: mayDeferRemovals) }
        postObjectsDidChange()
    }

    /// Applies pending deletions before an undo group begins or ends, so that their delete rules
    /// belong to the group of the deletion.
    func workInDeletions() {
        guard !pending.unpropagatedDeletions.isEmpty, !hasEnded, settings.propagatesDeletesAtEndOfEvent else { return }
        do { try queue.changing(true) { () throws(PinviewError) in try propagateDeletes() } } catch {
            // As at the end of an event: the save runs into the same error and reports it.
        }
    }

    /// Whether the end of the event has anything to process.
    var hasUnprocessedChanges: Bool { !pending.event.isEmpty || !pending.unpropagatedDeletions.isEmpty }

    /// Ends the event. A delete rule that fails because it cannot load an object is applied again
    /// at the next event or save.
    func endEvent() {
        do {
            try queue.changing(hasUnprocessedChanges) { () throws(PinviewError) in try processPendingChanges(mayDeferRemovals: true) }
        } catch {
            // Nobody can be told here. The deletion stays pending, so the save runs into the same
            // error and reports it.
        }
        settings.undoManager?.closeEventGroup()
    }

    // MARK: Rollback and reset

    var hasChanges: Bool { !pending.isEmpty }

    /// Discards all pending changes without reading the store (UND-12, UND-13).
    func rollback() {
        let inserted = pending.inserted, updated = pending.updated, deleted = pending.deleted
        settings.undoManager?.removeAllActions()
        for object in inserted.values {
            object.flags.subtract([.inserted, .detectsConflicts])
            if !object.key.isTemporary { registry.takenBackKeys.insert(object.key) }
            registry.unregister(object)
            _ = pending.event.forgetInserted(object)
            pending.event.deleted[ObjectIdentifier(object)] = object
        }
        // Objects whose values are restored may come from a different state than the sets.
        let before = mayBeMixed ? (updated.list + deleted.list).map { ($0, foreignKeys(of: $0)) } : []
        for object in updated.values { revertToCommitted(object) }
        for object in deleted.values {
            takeBackDeletion(object)
            revertToCommitted(object)
            pending.event.deleted[ObjectIdentifier(object)] = nil
            // What others have deleted does not come back; the next access finds it gone.
            if pending.mergedDeletions.contains(object) { turnIntoFault(object) }
        }
        for (object, keys) in before { reconcileInverses(of: object, before: keys) }
        reconcileMembers(of: before.map(\.0))
        clearChangeSets()
        postObjectsDidChange()
    }

    /// Restores the last committed values of an object.
    private func revertToCommitted(_ object: ManagedObject) {
        for property in object.entity.properties {
            switch object.slot(property.index) {
            case .unloaded, .noMembers: break
            case .toMany(let contents): contents.revert()
            case .value, .toOne: object.setSlot(property.index, .unloaded)
            }
        }
        object.changed.removeAll()
        object.changeSequence = 0
        object.flags.remove(.updated)
        pending.event.noteUpdated(object)
    }

    /// Clears pending changes and marks after a save, a rollback or a reset.
    func clearChangeSets() {
        for object in pending.conflictMarks.values { object.flags.remove(.detectsConflicts) }
        let kept = pending.takeSets()
        if !pending.laterChanges.isEmpty { pending.laterChanges = [:] }
        discardDeferredRemovals()
        withExtendedLifetime(kept) {}
    }

    /// Discards all objects and pending changes (CTX-14, CTX-15).
    func reset() {
        let objects = registry.objects
        let identifiers = objects.map { objectID(for: $0.key, entity: $0.entity) }
        settings.undoManager?.removeAllActions()
        clearChangeSets()
        for object in objects { invalidate(object) }
        registry.takeRetained()
        _ = pending.event.takeAll()
        forgetStates()
        forgetMemberBatches()
        advancePinIfPinned()
        if !identifiers.isEmpty { postInvalidatedAll(identifiers) }
        withExtendedLifetime(objects) {}
    }

    private func invalidate(_ object: ManagedObject) {
        object.flags = .invalidated
        object.committed = .none
        object.dropSlots()
        object.changed.removeAll()
        registry.unregister(object)
    }

    /// Invalidates the objects of a store that was removed from the coordinator (DEC-20). Any
    /// thread.
    func storeWasRemoved(_ store: any IncrementalStore) {
        let work: @Sendable () -> Void = { [self] in
            let objects = registry.objects.filter { $0.key.storeNumber == store.number }
            guard !objects.isEmpty, !hasEnded else { return }
            for object in objects {
                pending.forget(object)
                object.changed.removeAll()
                object.flags = .fault
                object.dropSlots()
                object.committed = .none
            }
            discardDeferredRemovals()
            forgetMemberBatches()
            settings.undoManager?.forget(Set(objects))
            postInvalidated(objects)
        }
        // A thread inside the context goes first. Nobody waits here for a context that another
        // thread uses.
        if queue.isCurrent { onQueueAlways(work) } else { queue.performSoon(work) }
        for child in childStates { child.storeWasRemoved(store) }
    }
}

extension ContextState: DirectlyCalledContext {}
