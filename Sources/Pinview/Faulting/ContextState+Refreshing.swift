import PinviewModel
import PinviewStore

/// Refreshing objects from one store up.
extension ContextState {
    func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(PinviewError) {
        try requireOwn(object, "refreshed")
        try requireUsable(object)
        try requireChangeProcessing("A refresh")
        // A never-saved object has nothing to be refreshed from (DEC-62).
        if object.flags.contains(.inserted) { return }
        if !mergeChanges {
            // Until it is read again, nobody knows where the object belongs, nor the members of
            // relationships that it may belong to.
            for (property, inverse) in toOneWithRegisteredInverse(of: object) where inverse.isToMany {
                unloadMembers(of: inverse, ownersOfKind: property.destinationIndex)
            }
            unloadRelationships(of: object)
            turnIntoFault(object)
            return
        }
        guard let row = try loadCommitted(object, mayUseCache: true) else { return try markInaccessible(object) }
        try mergeCommitted(row, into: object)
        unloadRelationships(of: object)
    }

    /// Turns unchanged objects into faults, and merges the others (DEC-24).
    func refreshAllObjects() throws(PinviewError) {
        try requireChangeProcessing("A refresh")
        // Objects still being read are all of one state from here on.
        if !hasChanges { forgetStates() }
        for object in registry.objects where !object.flags.contains(.inserted) {
            if object.flags.isDisjoint(with: [.updated, .deleted]) {
                if object.hasAnythingLoaded { turnIntoFault(object) }
            } else if !object.flags.contains(.inaccessible) {
                try refresh(object, mergeChanges: true)
            }
        }
        reconcileFormerPartners(of: pending.updated.list)
        postObjectsDidChange()
    }

    /// Drops the values of an object that has only its row, if there is nobody to be told, as is
    /// usual.
    /// - Returns: false, changing nothing, if it takes more.
    @inline(__always)
    func turnIntoFaultQuietly(_ object: ManagedObject) -> Bool {
        guard hookTable == nil, object.hasRowAlone, object.flags.isDisjoint(with: [.updated, .deleted, .deletePropagated, .inaccessible])
        else { return false }
        object.becomeFault()
        pending.event.forgetUpdated(object)
        return true
    }

    /// Drops an object's values and pending changes. Its next access loads it again.
    ///
    /// - Parameter noting: whether the context's event includes the object.
    func turnIntoFault(_ object: ManagedObject, noting: Bool = true) {
        if turnIntoFaultQuietly(object) {
            if noting { pending.event.refreshed.insert(object) }
            return
        }
        let identifier = ObjectIdentifier(object)
        if object.isChangedInMemory || object.flags.contains(.deleted) {
            forgetInverses(of: object, foreignKeys(of: object))
            // What others say about the object is reconciled when it is read again.
            pin.isMixed = true
        }
        let hadValues = !object.flags.contains(.fault)
        if hadValues { notice(\.willTurnIntoFault, object) }
        object.flags.subtract([.updated, .deleted, .deletePropagated, .inaccessible])
        let dropped = (object.allSlots, pending.updated[identifier], pending.deleted[identifier])
        object.becomeFault()
        object.dropSlots()
        object.changed.removeAll()
        object.transientBaseline = [:]
        object.changeSequence = 0
        pending.updated[identifier] = nil
        pending.deleted[identifier] = nil
        pending.unpropagatedDeletions[identifier] = nil
        object.dropEmptyExtras()
        pending.event.forgetUpdated(object)
        if noting { pending.event.refreshed.insert(object) }
        withExtendedLifetime(dropped) {}
        if hadValues { notice(\.didTurnIntoFault, object) }
    }

    /// Gives an object new committed values, keeping its local changes (RFR-03, RFR-04).
    func mergeCommitted(_ row: CommittedRow, into object: ManagedObject) throws(PinviewError) {
        pending.event.refreshed[ObjectIdentifier(object)] = object
        if object.flags.contains(.fault) {
            forgetUnchanged(object)
            return try realise(object, row)
        }
        try reconcilingInverses(of: object) { () throws(PinviewError) in
            object.committed = row
            try dropChangesMadeElsewhere(object)
            forgetUnchanged(object)
            try keepDestinations(of: object)
        }
        try awakeAfterRefresh(object)
    }

    /// Gives an object deleted here the row that its deletion now applies to.
    func takeCommitted(_ row: CommittedRow, _ object: ManagedObject) throws(PinviewError) {
        object.committed = row
        forgetUnchanged(object)
        try keepDestinations(of: object)
    }

    /// Keeps the destinations of a deleted object as objects. When both are deleted and undo brings
    /// the destination back first, it is a new object, which the key in the row does not name.
    private func keepDestinations(of object: ManagedObject) throws(PinviewError) {
        guard object.flags.contains(.deleted), settings.undoManager != nil else { return }
        for property in object.entity.relationships where !property.isToMany {
            if case .unloaded = object.slot(property.index) { _ = try toOne(object, property) }
        }
    }

    /// Drops changes that are committed by now (CTX-10).
    private func dropChangesMadeElsewhere(_ object: ManagedObject) throws(PinviewError) {
        for property in object.entity.properties where object.changed.contains(property.index) && !property.isTransient {
            switch object.slot(property.index) {
            case .value(let value): object.setChanged(property.index, !isCommitted(value, object, .passUnretained(property)))
            case .toOne(let destination):
                object.setChanged(property.index, try committedReference(of: object, property)?.key != destination?.key)
            case .toMany, .noMembers, .unloaded: break
            }
        }
        guard object.flags.contains(.updated), !object.isChangedInMemory else { return }
        object.flags.remove(.updated)
        object.changeSequence = 0
        pending.updated[ObjectIdentifier(object)] = nil
    }

    private func forgetUnchanged(_ object: ManagedObject) {
        forgetFetchedProperties(of: object)
        for property in object.entity.properties {
            if object.changed.contains(property.index) {
                // Pending changes are merged with what the next access finds (ONE-03).
                if property.isToMany { unloadMembers(of: object, property) }
                continue
            }
            switch object.slot(property.index) {
            case .unloaded: break
            case .value: if !property.isTransient { object.setSlot(property.index, .unloaded) }
            case .toOne, .noMembers: object.setSlot(property.index, .unloaded)
            case .toMany(let contents): contents.unload()
            }
        }
    }
}
