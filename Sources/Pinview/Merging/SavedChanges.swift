import PinviewModel

/// A record to be merged: its ID, without an object for it.
struct MergedRecord: Sendable {
    let key: ObjectKey
    let entity: Entity

    init(_ objectID: ManagedObjectID) {
        key = objectID.key
        entity = objectID.entity
    }

    /// - Parameter object: one of a context whose queue is the current one.
    fileprivate init(_ object: ManagedObject) {
        key = PermanentKeys.shared.permanentKey(for: object.key)
        entity = object.entity
    }
}

/// The records of a save to be merged into other contexts.
struct MergedRecords: Sendable {
    let inserted: [MergedRecord]
    let updated: [MergedRecord]
    let deleted: [MergedRecord]
    /// Whether objects may have joined or left relationships, as far as is known from the model.
    var mayMoveMembers = true
    /// The clock of the coordinator's row cache after the save, if it is known.
    var stamp: UInt64?
}

extension MergedRecords {
    init(inserted: [ManagedObjectID], updated: [ManagedObjectID], deleted: [ManagedObjectID]) {
        self.init(
            inserted: inserted.map { MergedRecord($0) }, updated: updated.map { MergedRecord($0) },
            deleted: deleted.map { MergedRecord($0) })
    }
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

    /// The records for contexts that merge the save. They have their permanent keys by now.
    var records: MergedRecords {
        MergedRecords(
            inserted: inserted.mapUncounted { MergedRecord($0) }, updated: updated.mapUncounted { MergedRecord($0) },
            deleted: deleted.map { MergedRecord($0) })
    }
}
