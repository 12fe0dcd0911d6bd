import PinviewModel
import PinviewStore

/// The registered objects of a context: a table for each store and hierarchy. Guarded by the lock
/// of the context's ``ObjectRegistry``.
struct IdentityMap: ~Copyable {
    /// Entries are in memory of the map's own, so that finding a table counts no references.
    private struct Entry {
        let storeNumber: Int32
        /// The entry of the same hierarchy in another store; −1 if there is none.
        var next: Int32
        /// Retained until the map is deallocated.
        let table: Unmanaged<IdentityTable>
    }

    private var entries: UnsafeMutableBufferPointer<Entry>
    private var count = 0
    /// The first entry of each hierarchy, by `Entity.rootIndex`; −1 if there is none.
    private var firstEntries: UnsafeMutableBufferPointer<Int32>

    init() {
        entries = .allocate(capacity: 4)
        firstEntries = .allocate(capacity: 0)
    }

    deinit {
        for entry in entries[..<count] { entry.table.release() }
        entries.deallocate()
        firstEntries.deallocate()
    }

    /// The table of a store and a hierarchy; nil if nothing has been registered there.
    @inline(__always)
    private func knownTable(_ storeNumber: Int32, _ rootEntity: Int32) -> Unmanaged<IdentityTable>? {
        guard rootEntity >= 0, rootEntity < firstEntries.count else { return nil }
        var index = Int(firstEntries[Int(rootEntity)])
        while index >= 0 {
            if entries[index].storeNumber == storeNumber { return entries[index].table }
            index = Int(entries[index].next)
        }
        return nil
    }

    mutating func table(_ storeNumber: Int32, _ rootEntity: Int32) -> IdentityTable {
        if let known = knownTable(storeNumber, rootEntity) { return known.takeUnretainedValue() }
        let root = Int(rootEntity)
        if root >= firstEntries.count {
            let more = UnsafeMutableBufferPointer<Int32>.allocate(capacity: root + 8)
            more.initialize(repeating: -1)
            for index in firstEntries.indices { more[index] = firstEntries[index] }
            firstEntries.deallocate()
            firstEntries = more
        }
        if count == entries.count {
            let more = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count * 2)
            for index in 0..<count { more.initializeElement(at: index, to: entries[index]) }
            entries.deallocate()
            entries = more
        }
        let table = IdentityTable()
        entries.initializeElement(
            at: count, to: Entry(storeNumber: storeNumber, next: firstEntries[root], table: Unmanaged.passRetained(table)))
        firstEntries[root] = Int32(truncatingIfNeeded: count)
        count += 1
        return table
    }

    /// The registered object of a key.
    ///
    /// - Parameter prefetchesNext: whether to prefetch what follows in the order of registration,
    ///   since this is probably one of many: of a program's loop, or of saves that are merged.
    @inline(__always)
    func object(_ key: ObjectKey, prefetchesNext: Bool = false) -> ManagedObject? {
        knownTable(key.storeNumber, key.rootEntity)?._withUnsafeGuaranteedRef {
            if prefetchesNext { $0.prefetch(following: key.primaryKey) }
            return $0.object(key.primaryKey)
        }
    }

    /// The registered object of a key that the program looks up, unretained. It may be deallocating,
    /// but its memory stays until the lock is released.
    @inline(__always)
    func unretainedObject(_ key: ObjectKey) -> Unmanaged<ManagedObject>? {
        knownTable(key.storeNumber, key.rootEntity)?._withUnsafeGuaranteedRef {
            $0.prefetch(following: key.primaryKey)
            return $0.unretainedObject(key.primaryKey)
        }
    }

    private var tables: [IdentityTable] { entries[..<count].map { $0.table.takeUnretainedValue() } }

    /// All living objects.
    var objects: [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(tables.reduce(0) { $0 + $1.count })
        for table in tables { table.append(to: &objects) }
        return objects
    }

    /// The living objects of one hierarchy.
    func objects(ofHierarchy rootEntity: Int32) -> [ManagedObject] {
        guard rootEntity >= 0, rootEntity < firstEntries.count else { return [] }
        var objects: [ManagedObject] = []
        var index = Int(firstEntries[Int(rootEntity)])
        while index >= 0 {
            entries[index].table._withUnsafeGuaranteedRef { $0.append(to: &objects) }
            index = Int(entries[index].next)
        }
        return objects
    }

    /// Whether there may be a living object of a hierarchy.
    func hasObjects(ofHierarchy rootEntity: Int32) -> Bool {
        guard rootEntity >= 0, rootEntity < firstEntries.count else { return false }
        var index = Int(firstEntries[Int(rootEntity)])
        while index >= 0 {
            if entries[index].table._withUnsafeGuaranteedRef({ $0.count > 0 }) { return true }
            index = Int(entries[index].next)
        }
        return false
    }

    #if DEBUG
        var invariantViolations: [String] { tables.flatMap { $0.invariantViolations } }
    #endif
}
