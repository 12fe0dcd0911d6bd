import PinviewModel
import PinviewStore

/// An object whose row was merged into another one.
struct Absorption {
    let object: ManagedObject
    /// Whether the object was new; otherwise its own row was deleted.
    let wasNew: Bool
    let target: ObjectKey
    let targetEntity: Entity
    /// The row after the save.
    let row: RowSnapshot
    /// Whether the save changed that row.
    let isWritten: Bool
}

/// Writing the rows once all collisions are resolved.
extension UniquenessResolver {
    /// Writes all updates and insertions of rows with uniqueness constraints.
    func writeRows() throws(PinviewError) {
        let rows = allRows
        for row in rows where !row.isNew { try park(row) }
        let written = rows.filter { $0.isLive && ($0.isNew || $0.isWritten.contains(true)) }
        for (row, snapshot) in try snapshotsByEntity(written.filter { !$0.isNew }) {
            let changed = zip(row.shape.properties, row.isWritten).filter(\.1).map(\.0)
            _ = try transaction.update(snapshot, entity: row.shape.entity, changed: changed, expectedVersion: row.current?.version)
            note(row, snapshot)
        }
        for (row, snapshot) in try snapshotsByEntity(written.filter(\.isNew)) {
            try transaction.insert(snapshot, entity: row.shape.entity)
            note(row, snapshot)
        }
        // Objects that the policy gave the unchanged row.
        for row in rows where row.isLive && !row.isNew && !row.isWritten.contains(true) {
            guard let object = row.object, let current = row.current else { continue }
            writer.outcome.further.takenFromStore.append((object, current))
            writer.outcome.further.rows.append((object.key, current))
        }
    }

    /// Rows keep their order within their entity.
    private func snapshotsByEntity(_ rows: [PendingRow]) throws(PinviewError) -> [(PendingRow, RowSnapshot)] {
        var result: [(PendingRow, RowSnapshot)] = []
        for (_, members) in Dictionary(grouping: rows, by: { $0.shape.entity.index }).sorted(by: { $0.key < $1.key }) {
            result += zip(members, try snapshots(of: members))
        }
        return result
    }

    private func park(_ row: PendingRow) throws(PinviewError) {
        let positions = Set(row.shape.constraints.flatMap(\.positions)).filter { !row.isLive || row.isWritten[$0] }
        guard !positions.isEmpty else { return }
        try transaction.park(
            positions.sorted().map { row.shape.properties[$0] }, entity: row.shape.entity, primaryKey: row.reference.primaryKey)
    }

    private func note(_ row: PendingRow, _ snapshot: RowSnapshot) {
        let key = objectKey(row)
        if let object = row.object {
            if row.differsFromMemory {
                writer.outcome.further.takenFromStore.append((object, snapshot))
            } else {
                writer.outcome.further.written.append((object, snapshot))
            }
        }
        writer.outcome.further.rows.append((key, snapshot))
    }

    private func objectKey(_ row: PendingRow) -> ObjectKey {
        ObjectKey(storeNumber: writer.store.number, rootEntity: Int32(row.shape.entity.rootIndex), primaryKey: row.reference.primaryKey)
    }

    /// Redirects references to rows that were merged into others. Called after everything else has
    /// been written.
    func finish() throws(PinviewError) {
        let absorbed = allRows.filter { !$0.isLive }
        guard !absorbed.isEmpty else { return }
        for row in absorbed where !row.isNew {
            touched += try transaction.moveReferences(from: row.reference, to: row.final.reference)
            _ = try transaction.delete(entity: row.shape.entity, primaryKey: row.reference.primaryKey, expectedVersion: nil)
        }
        var targets: Set<ObjectIdentifier> = []
        for row in absorbed where targets.insert(ObjectIdentifier(row.final)).inserted {
            for (position, property) in row.final.shape.properties.enumerated() where property.isRelationship {
                touched += try transaction.repairOneToOne(
                    property, of: row.final.reference, destination: row.final.cells[position].reference.map(final))
            }
        }
    }

    /// Notes what has become of merged rows and of those that referred to them. Called at the end
    /// of the transaction, since later steps may write them again.
    func noteMergedRows() throws(PinviewError) {
        try noteTouched()
        for row in allRows where !row.isLive {
            // Even if nobody had changed the row, the context's object is gone.
            var gone = row.object
            if gone == nil { gone = try object(of: row) }
            guard let object = gone else { continue }
            let target = row.final
            guard let current = try transaction.currentRow(entity: target.shape.entity, primaryKey: target.reference.primaryKey) else {
                continue
            }
            writer.outcome.further.absorbed.append(
                Absorption(
                    object: object, wasNew: row.isNew, target: objectKey(target), targetEntity: target.shape.entity, row: current,
                    isWritten: target.current?.version != current.version))
        }
    }

    /// Notes rows changed in the store by the merging of others, so that the context's objects are
    /// updated.
    private func noteTouched() throws(PinviewError) {
        var seen: Set<Reference> = []
        for reference in touched where seen.insert(reference).inserted {
            guard let (key, entity, row) = try writer.currentRow(of: reference) else { continue }
            writer.outcome.further.touched.append((key, entity, row))
            writer.outcome.further.rows.append((key, row))
        }
    }
}
