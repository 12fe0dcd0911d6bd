import PinviewModel
import PinviewStore

/// Inserting, deleting, events, rollback and reset.
extension ContextState {
    // MARK: Insert

    func insertNewObject(entityName: String) throws(PinviewError) -> ManagedObject {
        try requireChangeProcessing("Inserting an object")
        guard let model else { throw requireCoordinatorError() }
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
        guard object.state === self else {
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

    // MARK: Delete

    /// - Parameter preparing: whether the object's `prepareForDeletion` hook is called. False for a
    ///   deletion made in a child, which has called it.
    func delete(_ object: ManagedObject, preparing: Bool = true) throws(PinviewError) {
        try requireChangeProcessing("Deleting an object")
        try requireOwn(object, "deleted")
        try requireUsable(object)
        if object.flags.contains(.deleted) { return }
        if object.flags.contains(.inserted) {
            // Cyclic delete rules lead here again.
            guard !object.flags.contains(.deletePropagated), try prepareForDeletion(object, isTold: preparing) else { return }
            return try deleteInserted(object)
        }
        guard !object.key.isTemporary || parent != nil else { return }
        // The save compares the version that the object has now.
        if object.flags.contains(.fault) {
            try fire(object)
            if object.flags.contains(.deleted) { return }
        }
        guard try prepareForDeletion(object, isTold: preparing) else { return }
        // The hook may have refreshed the object.
        if object.flags.contains(.fault) {
            try fire(object)
            if object.flags.contains(.deleted) { return }
        }
        primitiveDelete(object)
        pending.unpropagatedDeletions.insertNew(object)
    }

    /// Deletes a new object together with those that delete rules reach. Iterative, since they may
    /// form a long chain.
    private func deleteInserted(_ object: ManagedObject) throws(PinviewError) {
        object.flags.insert(.deletePropagated)
        pending.insertedDeletes.append(object)
        guard pending.insertedDeletes.count == 1 else { return }
        defer {
            for object in pending.insertedDeletes { object.flags.remove(.deletePropagated) }
            pending.insertedDeletes = []
        }
        var next = 0
        while next < pending.insertedDeletes.count {
            let object = pending.insertedDeletes[next]
            try applyDeleteRules(of: object)
            primitiveUninsert(object)
            next += 1
        }
    }

    func primitiveDelete(_ object: ManagedObject) {
        record {
            keepData(of: object)
            $0.recordDeletion(object)
        }
        if object.flags.contains(.updated) { pending.updated.remove(object) }
        pending.event.forgetUpdated(object)
        if object.flags.contains(.deleted) || object.unmanagedRow == nil {
            pending.deleted.insert(object)
            pending.event.deleted.insert(object)
        } else {
            pending.deleted.insertNew(object)
            pending.event.deleted.insertNew(object)
        }
        object.flags.insert(.deleted)
        object.flags.remove(.updated)
        // Without hooks nothing depends on its position among changes of other kinds.
        if hookTable != nil { takeSequence(object) }
    }

    /// Reads data of files that are deleted when the object's deletion is saved: undoing it then
    /// inserts the object with all of its values.
    private func keepData(of object: ManagedObject) {
        guard object.unmanagedBinding._withUnsafeGuaranteedRef({ $0.hasExternalData }), !object.flags.contains(.fault) else { return }
        for property in object.entity.attributes where property.cellKind == .externalBinary && !property.isTransient {
            guard case .unloaded = object.slot(property.index) else { continue }
            let value = object.committedValue(of: property)
            if !value.isNull { object.setSlot(property.index, .value(value)) }
        }
    }

    func primitiveUndelete(_ object: ManagedObject) {
        record(.undeleted(object))
        takeBackDeletion(object)
        pending.deleted[ObjectIdentifier(object)] = nil
        pending.unpropagatedDeletions[ObjectIdentifier(object)] = nil
        pending.event.deleted[ObjectIdentifier(object)] = nil
        noteChange(of: object)
    }

    /// Reverts a deletion. An object whose row was found to be gone becomes a fault again; the next
    /// access finds out anew.
    private func takeBackDeletion(_ object: ManagedObject) {
        if object.flags.contains(.inaccessible) { object.flags.insert(.fault) }
        object.flags.subtract([.deleted, .deletePropagated, .inaccessible])
    }

    /// Undoes a deletion that was saved: the object becomes a new one with a new temporary key.
    func primitiveReinsert(_ object: ManagedObject) throws(PinviewError) {
        // Only the row has these values: copy them before it goes.
        for property in object.entity.properties {
            if property.isToMany {
                object.toManyContents(property).becomeNew()
            } else if property.isRelationship {
                let destination = try toOne(object, property)
                // A partner that is read once the object is back would take the reference for outdated.
                if let destination, destination.flags.contains(.fault), let inverse = inverse(of: property), !inverse.isToMany {
                    try fire(destination)
                }
                object.setSlot(property.index, .toOne(destination))
            } else if case .unloaded = object.slot(property.index), !property.isTransient {
                object.setSlot(property.index, .value(object.committedValue(of: property)))
            }
        }
        object.committed = .none
        object.changed.removeAll()
        for property in object.entity.relationships where !property.isToMany {
            if case .toOne(.some) = object.slot(property.index) { object.setChanged(property.index, true) }
        }
        rename(object, to: ObjectKey(storeNumber: -1, rootEntity: object.key.rootEntity, primaryKey: TemporaryKeys.next()))
        primitiveInsert(object)
        pending.reinsertedObjects.append(object)
    }

    // MARK: Delete rules

    /// Applies the delete rules of recently deleted objects (REL-06), to any depth.
    ///
    /// - Parameter mayDeferRemovals: whether inverse removals that nobody observes may be deferred.
    func propagateDeletes(mayDeferRemovals: Bool = false) throws(PinviewError) {
        if hookTable == nil { return try propagateDeletesWithoutHooks(mayDefer: mayDeferRemovals && canDeferInverseRemovals) }
        // How many of the next ones have their destinations loaded.
        var loaded = 0
        while let object = pending.unpropagatedDeletions.first {
            if loaded <= 0 {
                loaded = pending.unpropagatedDeletions.count
                loadDestinations(ofDeleted: pending.unpropagatedDeletions.list[...])
            }
            loaded -= 1
            if object.flags.contains(.deleted), !object.flags.contains(.deletePropagated) {
                try applyDeleteRules(of: object)
                if object.flags.contains(.deleted) { object.flags.insert(.deletePropagated) }
            }
            // A hook may have reverted the deletion.
            if pending.unpropagatedDeletions.first === object { pending.unpropagatedDeletions.removeFirst() }
        }
    }

    /// Propagates deletes when no code of the program's runs meanwhile: the objects leave the list
    /// together.
    private func propagateDeletesWithoutHooks(mayDefer: Bool) throws(PinviewError) {
        while !pending.unpropagatedDeletions.isEmpty {
            let waiting = pending.unpropagatedDeletions.list
            var done = 0
            var deferred: [ManagedObject] = []
            var areLoaded = false
            defer {
                if done == pending.unpropagatedDeletions.count {
                    pending.unpropagatedDeletions = ObjectSet()
                } else {
                    for object in waiting[..<done] { pending.unpropagatedDeletions.remove(object) }
                }
                deferInverseRemovals(deferred)
            }
            while done < waiting.count {
                if mayDefer {
                    let count = deferRemovals(waiting[done...])
                    if count == waiting.count { deferred = waiting } else { deferred += waiting[done..<done + count] }
                    done += count
                    if done == waiting.count { break }
                }
                if !areLoaded { loadDestinations(ofDeleted: waiting[done...]) }
                areLoaded = true
                let object = waiting[done]
                if object.flags.contains(.deleted), !object.flags.contains(.deletePropagated) {
                    try applyDeleteRules(of: object)
                    if object.flags.contains(.deleted) { object.flags.insert(.deletePropagated) }
                }
                done += 1
            }
        }
    }

    /// Marks deletions as propagated, up to the first whose removals cannot be deferred.
    ///
    /// - Returns: the number of objects marked.
    private func deferRemovals(_ objects: ArraySlice<ManagedObject>) -> Int {
        var count = 0
        objects.allUncounted { object in
            guard object.flags.contains(.deleted), !object.flags.contains(.deletePropagated), canDeferInverseRemovals(object) else {
                return false
            }
            object.flags.insert(.deletePropagated)
            count += 1
            return true
        }
        return count
    }

    private func applyDeleteRules(of object: ManagedObject) throws(PinviewError) {
        for property in object.entity.relationships {
            let rule = deleteRule(of: property, at: object)
            if !rule.changesDestinations { continue }
            if property.isToMany {
                for destination in try toMany(object, property).members {
                    try applyDeleteRule(rule, of: property, of: object, to: destination)
                }
            } else if let destination = try toOne(object, property) {
                try applyDeleteRule(rule, of: property, of: object, to: destination)
            }
        }
        takeOutOfRelationshipsWithoutInverse(object)
    }

    /// The rule that applies to an object. A never-saved object can neither be denied deletion nor
    /// leave a row that others refer to.
    private func deleteRule(of property: Property, at object: ManagedObject) -> DeleteRule {
        let rule = property.deleteRule
        return object.flags.contains(.inserted) && !rule.changesDestinations ? .nullify : rule
    }

    private func applyDeleteRule(
        _ rule: DeleteRule, of property: Property, of object: ManagedObject, to destination: ManagedObject
    ) throws(PinviewError) {
        guard destination !== object else { return }
        if rule == .cascade { try delete(destination) } else { try nullifyInverse(of: property, at: destination, from: object) }
    }

    func nullifyInverse(of property: Property, at destination: ManagedObject, from object: ManagedObject) throws(PinviewError) {
        guard !destination.flags.contains(.deletePropagated), let index = property.inverseIndex,
            let inverse = destination.property(atIndex: index)
        else { return }
        if inverse.isToMany {
            let contents = destination.toManyContents(inverse)
            // A redo may have removed it already. Where nothing is loaded, the object's row tells
            // whether there is anything to remove.
            if !contents.isLoaded, !contents.isInserted(object), !property.isToMany,
                try committedReference(of: object, property)?.key != destination.key
            {
                return
            }
            primitiveRemoveMember(destination, inverse, object)
        } else if try toOne(destination, inverse) === object {
            try primitiveSetToOne(destination, inverse, old: object, new: nil)
        }
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
