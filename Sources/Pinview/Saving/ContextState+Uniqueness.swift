import PinviewModel
import PinviewStore

/// Merging objects whose rows a merge policy has made one (UNQ-02 to UNQ-06).
extension ContextState {
    /// Leaves one live object for each row. If the context already had an object for the row, that
    /// one stays; otherwise the new object becomes the row's. The others are gone as if they had
    /// been deleted.
    func applyAbsorptions(
        _ outcome: FurtherOutcome, rank: UInt64, _ changes: inout SavedChanges, _ coordinator: PersistentStoreCoordinator
    ) {
        guard !outcome.absorbed.isEmpty || !outcome.touched.isEmpty else { return }
        pin.isMixed = true
        var roots: Set<Int> = []
        for absorption in outcome.absorbed {
            roots.insert(absorption.targetEntity.rootIndex)
            apply(absorption, &changes)
            coordinator.rowCache.store(
                [(absorption.target, absorption.row)], rank: rank, isNewest: true, stamp: coordinator.rowCache.stamp,
                time: coordinator.clock(), keepsOlder: othersArePinned(on: coordinator))
        }
        for (key, entity, row) in outcome.touched {
            guard let object = objectToNotify(key, entityIndex: entity.index) else { continue }
            roots.insert(entity.rootIndex)
            takeStoredValues(row, object)
            changes.noteUpdate(of: object)
        }
        unloadRelationships(ofHierarchies: roots)
        // Undoing single changes would tear apart what is one row in the store.
        settings.undoManager?.removeAllActions()
    }

    private func apply(_ absorption: Absorption, _ changes: inout SavedChanges) {
        let loser = absorption.object
        let known = registry.object(absorption.target)
        changes.inserted.remove(loser)
        changes.updated.remove(loser)
        let survivor: ManagedObject?
        if let known, known !== loser {
            survivor = known
        } else if absorption.wasNew, loser.entity === absorption.targetEntity {
            if !childStates.isEmpty { announce(absorption.target, for: loser.key) }
            rename(loser, to: absorption.target)
            survivor = loser
        } else {
            survivor = try? object(for: absorption.target, entityIndex: absorption.targetEntity.index)
        }
        if survivor !== loser {
            if !childStates.isEmpty, loser.key.isTemporary { announce(absorption.target, for: loser.key) }
            if !absorption.wasNew {
                changes.deleted.append(loser)
                withCoordinator { $0.rowCache.invalidate([loser.key], keepsOlder: othersArePinned) }
            }
            retire(loser)
        }
        guard let survivor else { return }
        if !survivor.flags.contains(.inserted) || survivor === loser { takeStoredValues(absorption.row, survivor) }
        if absorption.isWritten, !changes.inserted.contains(survivor), !changes.updated.contains(survivor) {
            changes.updated.insert(survivor)
        }
    }

    /// Removes an object whose row now belongs to another object.
    private func retire(_ object: ManagedObject) {
        object.commitSlots(dropsValues: false)
        _ = pending.event.forgetInserted(object)
        pending.event.forgetUpdated(object)
        pending.event.refreshed[ObjectIdentifier(object)] = nil
        pending.event.deleted[ObjectIdentifier(object)] = object
        object.flags.insert(.deleted)
        object.flags.subtract([.updated, .inserted])
        object.forgetChanges()
        registry.unregister(object)
    }

    /// Makes relationships from and to objects of some hierarchies load again. After a save,
    /// nothing of them is pending.
    private func unloadRelationships(ofHierarchies roots: Set<Int>) {
        guard let model else { return }
        for object in registry.objects where object.flags.isDisjoint(with: [.inserted, .updated, .deleted, .inaccessible]) {
            let isConcerned = roots.contains(object.entity.rootIndex)
            for property in object.entity.relationships where !property.isTransient {
                guard isConcerned || roots.contains(model.entities[property.destinationIndex].rootIndex) else { continue }
                switch object.slot(property.index) {
                case .toMany(let contents):
                    if contents.members.contains(where: { $0.flags.contains(.deleted) }) {
                        pending.event.refreshed[ObjectIdentifier(object)] = object
                    }
                    contents.markCommitted()
                    contents.unload()
                case .noMembers: object.setSlot(property.index, .unloaded)
                case .toOne(let destination):
                    if destination?.flags.contains(.deleted) ?? false { pending.event.refreshed[ObjectIdentifier(object)] = object }
                    object.setSlot(property.index, .unloaded)
                case .unloaded, .value: break
                }
            }
        }
    }

    // MARK: In child contexts

    /// Gives objects the keys that their rows got one store up. If a merge policy mapped an object
    /// to a row for which this context already has an object, that one stays, with the pending
    /// changes of both (UNQ-10).
    func takeKeys(_ keys: [(ManagedObject, ObjectKey)]) {
        var free: [(ManagedObject, ObjectKey)] = []
        for (object, key) in keys {
            if let known = registry.object(key) ?? free.first(where: { $0.1 == key })?.0, known !== object {
                replace(object, by: known)
            } else {
                free.append((object, key))
            }
        }
        if !free.isEmpty { rename(free) }
    }

    private func replace(_ object: ManagedObject, by other: ManagedObject) {
        if object.flags.contains(.updated), object.entity === other.entity, other.flags.isDisjoint(with: [.fault, .deleted]) {
            for property in object.entity.attributes where object.changed.contains(property.index) {
                guard case .value(let value) = object.slot(property.index) else { continue }
                other.setSlot(property.index, .value(value))
                other.setChanged(property.index, true)
            }
            noteChange(of: other)
        }
        pending.inserted.remove(object)
        pending.updated.remove(object)
        pending.deleted.remove(object)
        pending.unpropagatedDeletions.remove(object)
        pending.conflictMarks.remove(object)
        retire(object)
        for owner in registry.objects where owner !== object {
            for property in owner.entity.relationships {
                switch owner.slot(property.index) {
                case .toOne(let destination) where destination === object: owner.setSlot(property.index, .toOne(other))
                case .toMany(let contents):
                    let wasMember = contents.isLoaded && contents.contains(object)
                    contents.replace(object, by: other)
                    // The row may have kept another owner, which only the parent or the store
                    // knows.
                    if wasMember { unloadMembers(of: owner, property) }
                default: break
                }
            }
        }
        settings.undoManager?.removeAllActions()
    }
}
