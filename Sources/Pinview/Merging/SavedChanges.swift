import PinviewModel

/// The object IDs of a save to be merged into other contexts.
struct MergedIDs: Sendable {
    var inserted: [ManagedObjectID] = []
    var updated: [ManagedObjectID] = []
    var deleted: [ManagedObjectID] = []
    /// Whether objects may have joined or left relationships, as far as is known from the model.
    var mayMoveMembers = true
    /// The clock of the coordinator's row cache after the save, if it is known.
    var stamp: UInt64?
}

/// The changes that one save covers.
struct SavedChanges {
    var inserted: ObjectSet
    var updated: ObjectSet
    var deleted: [ManagedObject]

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Notes an object whose row the save has changed besides the pending changes.
    mutating func noteUpdate(of object: ManagedObject) {
        if !inserted.contains(object), !updated.contains(object) { updated.insert(object) }
    }

    /// The IDs for contexts that merge the save; permanent by now.
    var identifiers: MergedIDs {
        MergedIDs(inserted: inserted.objectIDs, updated: updated.objectIDs, deleted: deleted.map(\.objectID))
    }
}
