import PinviewModel
import PinviewStore

/// The registered objects of one context: a table for each store and hierarchy. Guarded by the context's identity lock.
final class IdentityMap {
    private struct Table {
        let storeNumber: Int32
        let table: IdentityTable
    }

    /// By `Entity.rootIndex`.
    private var tables: [[Table]] = []

    /// The table of a store and a hierarchy; nil where nothing was registered yet.
    @inline(__always)
    private func knownTable(_ storeNumber: Int32, _ rootEntity: Int32) -> IdentityTable? {
        let root = Int(rootEntity)
        guard root >= 0, root < tables.count else { return nil }
        for entry in tables[root] where entry.storeNumber == storeNumber { return entry.table }
        return nil
    }

    func table(_ storeNumber: Int32, _ rootEntity: Int32) -> IdentityTable {
        if let known = knownTable(storeNumber, rootEntity) { return known }
        while tables.count <= Int(rootEntity) { tables.append([]) }
        let table = IdentityTable()
        tables[Int(rootEntity)].append(Table(storeNumber: storeNumber, table: table))
        return table
    }

    @inline(__always)
    func object(_ key: ObjectKey) -> ManagedObject? { knownTable(key.storeNumber, key.rootEntity)?.object(key.primaryKey) }

    /// The objects that are alive.
    var objects: [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(tables.joined().reduce(0) { $0 + $1.table.count })
        for entry in tables.joined() { entry.table.append(to: &objects) }
        return objects
    }

    #if DEBUG
        var invariantViolations: [String] { tables.joined().flatMap { $0.table.invariantViolations } }
    #endif
}
