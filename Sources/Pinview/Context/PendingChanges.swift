import PinviewModel

/// The pending changes of a context: what the next save writes, and what has been noticed of it.
///
///     a property is set ──▶ updated, event ──▶ end of the event: delete rules, notification
///                              │                         event becomes empty
///                              ▼
///                           save, rollback, reset ──▶ all sets become empty
///
/// What it guarantees between any two calls:
///
/// - An object is in at most one of `inserted`, `updated` and `deleted`, and its flags say in
///   which. All of them are registered, and the sets keep them alive.
/// - `changeSequence` grows with each insertion and each first change of an object, so saves write
///   changes in the order in which they were made.
/// - An object knows whether it is in the sets of `event`.
/// - What `unpropagatedDeletions` and `deferredRemovals` hold back is applied before anybody can
///   see that it is missing: by the end of the event, by a save, or by the next call that reads.
///
/// Everything belongs to the thread that owns the context's queue. What is used for every changed
/// object goes without exclusivity checks: none of it is being modified when other code is called.
final class PendingChanges {
    @exclusivity(unchecked) var inserted = ObjectSet()
    @exclusivity(unchecked) var updated = ObjectSet()
    @exclusivity(unchecked) var deleted = ObjectSet()
    /// Unchanged objects that a save compares with their rows all the same.
    @exclusivity(unchecked) var conflictMarks = ObjectSet()
    @exclusivity(unchecked) var event = EventChanges()

    // MARK: The order of changes

    @exclusivity(unchecked) var changeSequence: UInt64 = 0
    /// Address of the object inserted or changed last, if it still exists.
    @exclusivity(unchecked) var lastChanged: UnsafeMutableRawPointer?
    /// Sequence numbers of objects with uniqueness constraints that changed again after others did;
    /// see `noteLastChange(of:)`.
    @exclusivity(unchecked) var laterChanges: [ObjectIdentifier: UInt64] = [:]

    // MARK: Fetches beside them

    /// Valid while the event is empty.
    var mergedOrders = MergedOrders()

    // MARK: Deletions

    /// Deleted objects whose delete rules have not been applied yet.
    @exclusivity(unchecked) var unpropagatedDeletions = ObjectSet()
    /// Objects deleted by a merge: their rows are gone already.
    @exclusivity(unchecked) var mergedDeletions = ObjectSet()
    /// Inverse removals deferred until an owner is read.
    @exclusivity(unchecked) var deferredRemovals: [DeferredInverseRemovals] = []
    @exclusivity(unchecked) var hasDeferredRemovals = false
    /// New objects that are being deleted right now.
    @exclusivity(unchecked) var insertedDeletes: [ManagedObject] = []
    /// Objects that became new again and whose inverses have not been reconciled yet.
    @exclusivity(unchecked) var reinsertedObjects: [ManagedObject] = []

    // MARK: Hooks and saving

    /// Above 0 while a hook runs whose changes do not count.
    var unnoticedDepth = 0
    var objectsInPreparation: Set<ObjectIdentifier> = []
    var isSaving = false
    /// True from the start of a save until it writes.
    var isPreparingSave = false
    /// The error of a merge whose caller did not wait for it, reported by the next save.
    var failureOfPutOffMerge: PinviewError?

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// Empties all sets after a save, a rollback or a reset. Deferred removals are discarded by the
    /// caller.
    ///
    /// - Returns: what the sets held, for the caller to release.
    func takeSets() -> TakenSets {
        mergedOrders.removeAll()
        var sets = TakenSets()
        sets.take(&inserted)
        sets.take(&updated)
        sets.take(&deleted)
        sets.take(&conflictMarks)
        sets.take(&unpropagatedDeletions)
        sets.take(&mergedDeletions)
        return sets
    }

    /// Removes an object from all sets, without a change of its flags.
    func forget(_ object: ManagedObject) {
        mergedOrders.removeAll()
        let identifier = ObjectIdentifier(object)
        inserted[identifier] = nil
        updated[identifier] = nil
        deleted[identifier] = nil
        conflictMarks[identifier] = nil
        unpropagatedDeletions[identifier] = nil
        mergedDeletions[identifier] = nil
    }

    #if DEBUG
        /// Violations of what the pending changes guarantee; empty if all is well.
        /// - Parameter objects: all registered objects.
        func invariantViolations(_ objects: [ManagedObject]) -> [String] {
            var violations: [String] = []
            let registered = Set(objects.map(ObjectIdentifier.init))
            let sets: [(String, ObjectSet, ObjectFlags)] = [
                ("inserted", inserted, .inserted), ("updated", updated, .updated), ("deleted", deleted, .deleted),
                ("conflictMarks", conflictMarks, .detectsConflicts),
            ]
            for (name, set, flag) in sets {
                if Set(set.values).count != set.count {
                    violations.append("\(name) counts \(set.count) objects, but has \(Set(set.values).count)")
                }
                for object in set.values {
                    let identifier = ObjectIdentifier(object)
                    if set[identifier] !== object { violations.append("\(name) has \(object), but does not find it") }
                    if !registered.contains(identifier) { violations.append("\(name) has \(object), which is not registered") }
                    if !object.flags.contains(flag) { violations.append("\(name) has \(object), whose flags say otherwise") }
                    if object.changeSequence == 0, flag == .inserted || flag == .updated {
                        violations.append("\(name) has \(object), which has no place in the order of changes")
                    }
                    if object.changeSequence > changeSequence {
                        violations.append("\(name) has \(object), which comes after the last change")
                    }
                }
                for object in objects where object.flags.contains(flag) && set[ObjectIdentifier(object)] == nil {
                    violations.append("\(object) is flagged for \(name), but is not in it")
                }
            }
            for object in objects {
                if object.isNotedAsInserted != event.inserted.contains(object) || object.isNotedAsUpdated != event.updated.contains(object)
                {
                    violations.append("\(object) is wrong about the event that it is part of")
                }
            }
            for object in unpropagatedDeletions.values where !object.flags.contains(.deleted) {
                violations.append("\(object) waits for its delete rules, but is not deleted")
            }
            if !insertedDeletes.isEmpty { violations.append("\(insertedDeletes.count) new objects are still being deleted") }
            return violations
        }
    #endif
}

/// Sets that have been emptied, whose objects are still to be released.
struct TakenSets {
    // Most saves have changes of one kind only, for which no list is made.
    private var first: ObjectSet?
    private var others: [ObjectSet] = []

    var sets: [ObjectSet] { (first.map { [$0] } ?? []) + others }

    @inline(__always)
    fileprivate mutating func take(_ set: inout ObjectSet) {
        guard !set.isEmpty else { return }
        if first == nil { first = set } else { others.append(set) }
        set = ObjectSet()
    }
}
