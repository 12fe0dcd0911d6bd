/// Changes since pending changes were last processed; they make up one objects-did-change
/// notification.
struct EventChanges {
    // Objects have flags that say whether they are in these sets, since every change of an object
    // asks.
    private(set) var inserted = ObjectSet()
    private(set) var updated = ObjectSet()
    var deleted = ObjectSet()
    var refreshed = ObjectSet()

    @inline(__always)
    mutating func noteInserted(_ object: ManagedObject) {
        guard !object.isNotedAsInserted else { return }
        object.isNotedAsInserted = true
        inserted.insertNew(object)
    }

    /// Notes objects that say already that they are noted as inserted.
    mutating func noteInserted(_ objects: ArraySlice<ManagedObject>) { inserted.insertNew(objects) }

    /// - Returns: whether the set had the object.
    mutating func forgetInserted(_ object: ManagedObject) -> Bool {
        guard object.isNotedAsInserted else { return false }
        object.isNotedAsInserted = false
        inserted.remove(object)
        return true
    }

    @inline(__always)
    mutating func noteUpdated(_ object: ManagedObject) {
        guard !object.isNotedAsUpdated else { return }
        object.isNotedAsUpdated = true
        updated.insertNew(object)
    }

    mutating func forgetUpdated(_ object: ManagedObject) {
        guard object.isNotedAsUpdated else { return }
        object.isNotedAsUpdated = false
        updated.remove(object)
    }

    /// Empties the sets. What they held is released afterwards, since that may use the context.
    @inline(__always)
    mutating func forgetAll() {
        var all = takeAll()
        // Most events are a few updates, of which the next one has as many.
        all.updated.removeAllKeepingRoom()
        if updated.isEmpty { updated = all.updated }
    }

    /// Returns all changes and empties the sets.
    mutating func takeAll() -> EventChanges {
        let all = self
        self = EventChanges()
        all.inserted.forEachUncounted { $0.isNotedAsInserted = false }
        all.updated.forEachUncounted { $0.isNotedAsUpdated = false }
        return all
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }
}
