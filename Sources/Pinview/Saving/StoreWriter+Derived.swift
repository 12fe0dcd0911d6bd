import PinviewModel
import PinviewStore

extension StoreWriter {
    /// Computes derived attributes once everything else has been written, and replaces the rows
    /// that the save made by the resulting ones.
    func updateDerivedAttributes() throws(PinviewError) {
        guard store.hasDerivedAttributes else { return }
        var rows: [ObjectKey: (entityIndex: Int, row: RowSnapshot)] = [:]
        for reference in try transaction.updateDerivedAttributes() {
            guard let (key, entity, row) = try currentRow(of: reference) else { continue }
            rows[key] = (entity.index, row)
        }
        // Others may have changed derived values of an object's row, which does not change its
        // version.
        let further = outcome.further
        for object in outcome.writtenTogether.flatMap(\.objects) + further.written.map(\.0) + further.takenFromStore.map(\.0)
        where !object.flags.contains(.inserted) && object.entity.attributes.contains(where: \.isDerived) {
            let key = key(of: object)
            if rows[key] != nil { continue }
            guard let row = try transaction.currentRow(entity: object.entity, primaryKey: key.primaryKey) else { continue }
            rows[key] = (object.entity.index, row)
        }
        guard !rows.isEmpty else { return }
        var known: Set<ObjectKey> = []
        func current(_ key: ObjectKey, _ row: RowSnapshot) -> RowSnapshot {
            guard let (_, newer) = rows[key] else { return row }
            known.insert(key)
            return newer
        }
        var together: [(objects: [ManagedObject], rows: FetchedRows)] = []
        for (objects, written) in outcome.writtenTogether {
            guard objects.contains(where: { rows[key(of: $0)] != nil }) else {
                together.append((objects, written))
                continue
            }
            for (place, object) in objects.enumerated() {
                let key = key(of: object), row = current(key, written.snapshot(place))
                further.written.append((object, row))
                further.rows.append((key, row))
            }
        }
        outcome.writtenTogether = together
        further.written = further.written.map { ($0, current(key(of: $0), $1)) }
        further.takenFromStore = further.takenFromStore.map { ($0, current(key(of: $0), $1)) }
        further.revived = further.revived.map { ($0, current(key(of: $0), $1)) }
        further.reconciled = further.reconciled.map { ($0, $1, current($0, $2)) }
        further.rows = further.rows.map { ($0, rows[$0]?.row ?? $1) }
        for (key, changed) in rows where !known.contains(key) {
            further.derived.append((key, changed.entityIndex, changed.row))
            further.rows.append((key, changed.row))
        }
    }
}
