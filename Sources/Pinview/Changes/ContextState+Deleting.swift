import PinviewModel

/// Deleting objects, and taking deletions back.
extension ContextState {
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
        // Nothing is left of an object whose insertion was undone, whichever key it had by then.
        guard registry.contains(object) else { return }
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
    func takeBackDeletion(_ object: ManagedObject) {
        if object.flags.contains(.inaccessible) { object.flags.insert(.fault) }
        object.flags.subtract([.deleted, .deletePropagated, .inaccessible])
    }

    /// Undoes a deletion that was saved: the object becomes a new one with a new temporary key.
    func primitiveReinsert(_ object: ManagedObject) throws(PinviewError) {
        // Only the row has these values: copy them before it goes.
        for property in object.entity.properties {
            if property.isToMany {
                object.toManyContents(property).becomeNew()
                noteOwner(object, property)
            } else if property.isRelationship {
                let destination = try toOne(object, property)
                // Read the partner now: once the object is back, it would consider the reference
                // outdated.
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
}
