import PinviewModel
import PinviewStore

/// Finds and resolves the uniqueness conflicts of one store's part of a save (UNQ-01 to UNQ-08).
///
/// A save writes its rows in the order in which they come, and SQLite's unique indexes cost it
/// nothing extra. Only if an index refuses a row, the transaction is rolled back and started again
/// with a resolver:
///
///     delete ──▶ prepare ──▶ resolve ─▶ write
///                   │           │          └─ empty the columns whose values move, then update, then insert
///                   │           └─ look for rows with the same values, set by set; the merge policy decides; until nothing collides
///                   └─ the rows as they are to be, with the row versions compared
///
/// All of this happens inside the write transaction, so no other writer can interfere.
final class UniquenessResolver {
    struct RowKey: Hashable {
        let root: Int32
        let primaryKey: Int64
    }

    /// Rows that would have the same values in a constraint.
    struct Collision {
        let constraint: UniquenessConstraint
        let positions: [Int]
        /// First the row that has the values in the store and keeps them, if there is one; then the
        /// rows that claim them, ending with the one changed last.
        let rows: [PendingRow]
        let isInStore: Bool
    }

    let writer: StoreWriter
    let state: ContextState
    private(set) var constraints: [UniquenessConstraint] = []
    private var constraintNumbers: [ConstraintName: Int] = [:]
    private var shapes: [Int: RowShape] = [:]
    /// The rows of the context's objects, in the order of changes.
    private(set) var rows: [PendingRow] = []
    private var rowsByKey: [RowKey: PendingRow] = [:]
    private var followed: Set<RowKey> = []
    /// Updated objects without a constrained row to write.
    private(set) var otherUpdates: [ManagedObject] = []
    private(set) var otherInsertions: [ManagedObject] = []
    /// Collisions that the policy does not resolve.
    private(set) var unresolved: [Collision] = []
    /// Rows that changed because others became one.
    var touched: [Reference] = []

    private struct ConstraintName: Hashable {
        let entityIndex: Int
        let properties: [String]
    }

    init(writer: StoreWriter) {
        self.writer = writer
        state = writer.state
    }

    var transaction: SaveTransaction { writer.transaction }

    // MARK: Preparing

    /// Adds the pending changes. Conflicts with rows changed by others are resolved first.
    func prepare(inserted: [ManagedObject], updated: [ManagedObject]) throws(PinviewError) {
        for object in inserted {
            let shape = try shape(of: object.entity)
            guard !shape.constraints.isEmpty else {
                otherInsertions.append(object)
                continue
            }
            try state.requireUsable(object)
            let key = writer.key(of: object)
            add(
                PendingRow(
                    object: object, shape: shape, reference: Reference(entityIndex: Int32(object.entity.index), primaryKey: key.primaryKey),
                    current: nil, cells: try cells(of: object, shape),
                    isSet: try shape.properties.map { (property) throws(PinviewError) in
                        try isSet(property, of: object)
                    }, isWritten: shape.properties.map { _ in true }))
        }
        for object in updated {
            let shape = try shape(of: object.entity)
            guard !shape.constraints.isEmpty, shape.properties.contains(where: { object.changed.contains($0.index) }) else {
                otherUpdates.append(object)
                continue
            }
            try prepareUpdate(of: object, shape)
        }
        rows.sort { $0.sequence < $1.sequence }
    }

    private func prepareUpdate(of object: ManagedObject, _ shape: RowShape) throws(PinviewError) {
        if object.flags.contains(.fault) { try state.fire(object) }
        try state.requireUsable(object)
        let changed = shape.properties.map { object.changed.contains($0.index) }
        let current = try transaction.currentRow(entity: object.entity, primaryKey: object.key.primaryKey)
        let row = PendingRow(
            object: object, shape: shape,
            reference: Reference(entityIndex: Int32(object.entity.index), primaryKey: object.key.primaryKey), current: current,
            cells: try cells(of: object, shape), isSet: changed, isWritten: changed)
        if current?.version != nil, current?.version == object.committed.version { return add(row) }
        let mine = try self.snapshots(of: [row])[0]
        let dispute = Dispute(
            object: object, current: current, change: .update(mine, shape.properties.filter { changed[shape.position(of: $0) ?? 0] }))
        switch writer.policy.kind {
        case .error:
            writer.conflicts.append(writer.conflict(of: dispute))
            add(row)
        case .custom: programDisputes.append((dispute, row))
        default: try resolve(dispute, row, by: writer.policy)
        }
    }

    /// Version conflicts, about which the program's policy is asked before uniqueness conflicts.
    private(set) var programDisputes: [(Dispute, PendingRow)] = []

    /// Resolves a version conflict like ``StoreWriter/resolve(_:by:)``, except that the row is not
    /// written yet.
    func resolve(_ dispute: Dispute, _ row: PendingRow, by policy: MergePolicy) throws(PinviewError) {
        guard let current = row.current else {
            if policy == .overwrite || policy == .mergeByPropertyObjectTrump {
                add(row)
            } else {
                writer.outcome.further.vanished.append(dispute.object)
            }
            return
        }
        switch policy.kind {
        case .overwrite:
            for position in row.cells.indices { row.isWritten[position] = true }
        case .rollback:
            _ = row.revert(row.cells.indices)
        case .mergeByPropertyStoreTrump:
            let base: RowSnapshot? = if case .stored(let base) = dispute.object.committed { base } else { nil }
            _ = row.revert(
                row.cells.indices.filter { position in
                    base.map { !current.hasSameValue(row.shape.properties[position], as: $0) } ?? true
                })
        default: break
        }
        row.takeUnwritten(of: current)
        add(row)
    }

    func resolve(_ dispute: Dispute, _ row: PendingRow, as resolution: MergeResolution) throws(PinviewError) {
        switch resolution {
        case .policy(let policy):
            if case .custom = policy.kind { throw StoreWriter.customInCustom }
            if policy == .error {
                writer.conflicts.append(writer.conflict(of: dispute))
                return add(row)
            }
            try resolve(dispute, row, by: policy)
        case .values(let values):
            if row.current != nil {
                _ = row.revert(row.cells.indices)
                row.takeUnwritten(of: row.current)
            }
            try take(try writer.resolved(values, of: dispute.object), into: row)
            row.differsFromMemory = true
            add(row)
        }
    }

    private func add(_ row: PendingRow) {
        if row.object != nil { rows.append(row) }
        rowsByKey[key(of: row)] = row
    }

    private func key(of row: PendingRow) -> RowKey {
        RowKey(root: Int32(row.shape.entity.rootIndex), primaryKey: row.reference.primaryKey)
    }

    private func shape(of entity: Entity) throws(PinviewError) -> RowShape {
        if let known = shapes[entity.index] { return known }
        let properties = writer.storedProperties(of: entity)
        var places: [(number: Int, positions: [Int])] = []
        for constraint in try transaction.uniquenessConstraints(of: entity) {
            let name = ConstraintName(entityIndex: constraint.entity.index, properties: constraint.properties.map(\.name))
            let number = constraintNumbers[name] ?? constraints.count
            if number == constraints.count {
                constraints.append(constraint)
                constraintNumbers[name] = number
            }
            let positions = constraint.properties.compactMap { property in properties.firstIndex { $0.name == property.name } }
            if positions.count == constraint.properties.count { places.append((number, positions)) }
        }
        let shape = RowShape(entity: entity, properties: properties, constraints: places)
        shapes[entity.index] = shape
        return shape
    }

    private func cells(of object: ManagedObject, _ shape: RowShape) throws(PinviewError) -> [PendingRow.Cell] {
        var cells: [PendingRow.Cell] = []
        cells.reserveCapacity(shape.properties.count)
        for property in shape.properties {
            if property.isAttribute {
                cells.append(.value(try state.attributeValue(of: object, property)))
            } else {
                cells.append(.reference(try writer.reference(of: object, property)))
            }
        }
        return cells
    }

    /// Whether a new object was given a value, other than the model's default.
    private func isSet(_ property: Property, of object: ManagedObject) throws(PinviewError) -> Bool {
        if object.changed.contains(property.index) { return true }
        guard property.isAttribute else { return try state.toOne(object, property) != nil }
        return try state.attributeValue(of: object, property) != property.defaultValue
    }

    func take(_ sources: [Int: StoreWriter.Source], into row: PendingRow) throws(PinviewError) {
        for (position, property) in row.shape.properties.enumerated() {
            switch sources[property.index] {
            case .value(let value): row.cells[position] = .value(value)
            case .reference(let reference): row.cells[position] = .reference(reference)
            case .memory, .store, nil: continue
            }
            row.isWritten[position] = true
            row.isSet[position] = true
        }
    }

    /// A row of the store as a pending row.
    private func pendingRow(for reference: Reference) throws(PinviewError) -> PendingRow? {
        let entity = writer.model.entities[Int(reference.entityIndex)]
        if let known = rowsByKey[RowKey(root: Int32(entity.rootIndex), primaryKey: reference.primaryKey)] { return known }
        guard let current = try transaction.currentRow(entity: entity, primaryKey: reference.primaryKey) else { return nil }
        let shape = try shape(of: entity)
        let row = PendingRow(
            object: nil, shape: shape, reference: reference, current: current,
            cells: shape.properties.indices.map { shape.cell($0, of: current) }, isSet: shape.properties.map { _ in false },
            isWritten: shape.properties.map { _ in false })
        add(row)
        return row
    }

    /// Adds rows of the store that refer to merged rows by relationships in constraints, since
    /// their values there are about to change.
    func followMoves() throws(PinviewError) {
        for row in allRows where !row.isLive && !row.isNew && followed.insert(key(of: row)).inserted {
            for referrer in try transaction.constrainedReferrers(to: row.reference) { _ = try pendingRow(for: referrer) }
        }
    }

    // MARK: Looking for collisions

    /// All rows that take part in the save, including the store's own rows that took over values.
    var allRows: [PendingRow] {
        rows + rowsByKey.values.filter { $0.object == nil }.sorted { $0.reference.primaryKey < $1.reference.primaryKey }
    }

    /// The values of a row in a constraint; nil if one of them is null.
    private func constraintKey(_ row: PendingRow, _ positions: [Int]) throws(PinviewError) -> ConstraintKey? {
        var key = ConstraintKey(reservingCells: positions.count)
        for position in positions {
            switch row.cells[position] {
            case .value(let value): guard try key.append(value, of: row.shape.properties[position]) else { return nil }
            case .reference(let reference): guard key.append(reference.map(final)) else { return nil }
            }
        }
        return key
    }

    /// The target of a reference after rows have been merged.
    func final(_ reference: Reference) -> Reference { writer.final(reference) }

    /// Whether a row must be checked for a constraint: it is new, or its values change.
    private func claims(_ row: PendingRow, _ positions: [Int]) -> Bool {
        row.isNew
            || positions.contains { position in
                if row.isWritten[position] { return true }
                if case .reference(let reference?) = row.cells[position] { return final(reference) != reference }
                return false
            }
    }

    func collisions() throws(PinviewError) -> [Collision] {
        var collisions: [Collision] = []
        let candidates = allRows.filter(\.isLive)
        for number in constraints.indices {
            var places: [ConstraintKey: Int] = [:]
            var keys: [ConstraintKey] = []
            var claimants: [(positions: [Int], rows: [PendingRow])] = []
            for row in candidates {
                guard let positions = row.shape.constraints.first(where: { $0.number == number })?.positions, claims(row, positions),
                    let key = try constraintKey(row, positions)
                else { continue }
                if let place = places[key] {
                    claimants[place].rows.append(row)
                } else {
                    places[key] = keys.count
                    keys.append(key)
                    claimants.append((positions, [row]))
                }
            }
            let holders = try transaction.rows(having: keys, of: constraints[number])
            for (place, claim) in claimants.enumerated() {
                var standing: PendingRow?
                if let holder = holders[place], let row = try pendingRow(for: holder), row.isLive,
                    let positions = row.shape.constraints.first(where: { $0.number == number })?.positions, !claims(row, positions)
                {
                    standing = row
                }
                let all = (standing.map { [$0] } ?? []) + claim.rows.sorted { $0.lastSequence < $1.lastSequence }
                guard all.count > 1 else { continue }
                collisions.append(
                    Collision(constraint: constraints[number], positions: claim.positions, rows: all, isInStore: standing != nil))
            }
        }
        return collisions
    }

    func leave(_ collisions: [Collision]) { unresolved += collisions }

    // MARK: Rows

    /// The rows to be written, all of one entity.
    func snapshots(of rows: [PendingRow]) throws(PinviewError) -> [RowSnapshot] {
        guard let shape = rows.first?.shape else { return [] }
        var builder = RowBuilder(entity: shape.entity, model: writer.model, reservingRows: rows.count)
        for row in rows {
            let version = row.current.map { $0.version + 1 } ?? (row.object?.committed.version ?? 0) + 1
            builder.beginRow(primaryKey: row.reference.primaryKey, version: version)
            for (position, property) in shape.properties.enumerated() {
                switch row.cells[position] {
                case .value(let value): try builder.append(value, of: property)
                case .reference(let reference): builder.append(reference: reference.map(final), of: property)
                }
            }
        }
        let built = builder.finish()
        return rows.indices.map { built.snapshot($0) }
    }
}

extension PendingRow {
    /// Takes the store's values for columns that are not written.
    func takeUnwritten(of current: RowSnapshot?) {
        guard let current else { return }
        for position in cells.indices where !isWritten[position] {
            cells[position] = shape.cell(position, of: current)
        }
        differsFromMemory = true
    }
}
