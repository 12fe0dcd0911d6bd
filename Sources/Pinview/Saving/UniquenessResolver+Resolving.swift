import PinviewModel
import PinviewStore

/// Resolving uniqueness conflicts with the merge policy.
extension UniquenessResolver {
    /// The program's policy may contradict itself for ever; the built-in policies always terminate.
    private static let maximumRounds = 64

    /// Resolves collisions, and those caused by that, until there are none. What the policy does
    /// not resolve is ``unresolved``.
    ///
    /// - Parameter ask: calls the program's policy.
    func resolve(
        by policy: MergePolicy, _ ask: ([MergeConflict]) throws(PinviewError) -> [MergeResolution]
    ) throws(PinviewError) {
        if case .custom = policy.kind { try resolveDisputes(ask) }
        var rounds = 0
        while true {
            try followMoves()
            let found = try collisions()
            if found.isEmpty { return }
            rounds += 1
            switch policy.kind {
            case .error: return leave(found)
            case .custom:
                if rounds > Self.maximumRounds { return leave(found) }
                try resolve(found, ask)
            default:
                try resolve(found) { (collision, memory, standing) throws(PinviewError) in
                    merge(memory, with: standing, collision.positions, by: policy)
                }
            }
            if !unresolved.isEmpty { return }
        }
    }

    /// Resolves collisions that share no row. The others may change by that, and are searched for
    /// again.
    private func resolve(
        _ found: [Collision], _ body: (Collision, PendingRow, PendingRow) throws(PinviewError) -> Bool
    ) throws(PinviewError) {
        var touched: Set<ObjectIdentifier> = []
        for collision in found where !collision.rows.contains(where: { touched.contains(ObjectIdentifier($0)) }) {
            touched.formUnion(collision.rows.map(ObjectIdentifier.init))
            var standing = collision.rows[0]
            for memory in collision.rows.dropFirst() {
                guard try body(collision, memory, standing) else {
                    leave([collision])
                    break
                }
                standing = standing.final
            }
        }
    }

    // MARK: The constants

    /// Resolves a collision of two rows.
    ///
    /// - Parameters:
    ///   - memory: the row that the context changed, or changed last.
    ///   - standing: the row that has the values in the store, or was changed before.
    /// - Returns: false if the policy cannot resolve the collision.
    func merge(_ memory: PendingRow, with standing: PendingRow, _ positions: [Int], by policy: MergePolicy) -> Bool {
        switch policy.kind {
        case .rollback:
            guard memory.isNew else { return memory.revert(memory.cells.indices) }
            absorb(memory, into: standing)
        case .mergeByPropertyStoreTrump:
            guard memory.isNew else { return memory.revert(positions) }
            absorb(memory, into: standing) { position, _ in standing.cells[position].isNull }
        case .mergeByPropertyObjectTrump, .overwrite:
            let takesAll = policy == .overwrite
            if standing.isNew, !memory.isNew {
                // The store's row stays, and the object changed last still wins.
                absorb(standing, into: memory) { position, other in !takesAll && standing.isSet[other] && !memory.isSet[position] }
                return true
            }
            // If only a new object matches two rows of the store, by two constraints, nothing says
            // that these are the same.
            if !memory.isNew, !isMoved(memory, positions), memory.object == nil || !memory.absorbedObjects.isEmpty { return false }
            absorb(memory, into: standing) { _, other in (takesAll && memory.object != nil) || memory.isSet[other] }
        case .error, .custom: return false
        }
        return true
    }

    /// Whether nobody set a row's values: it has them because its destination was merged into
    /// another row.
    private func isMoved(_ row: PendingRow, _ positions: [Int]) -> Bool { !positions.contains { row.isWritten[$0] } }

    /// Merges a row into another one, which takes some of its values.
    private func absorb(_ row: PendingRow, into other: PendingRow, _ takes: (Int, Int) -> Bool = { _, _ in false }) {
        for (position, property) in other.shape.properties.enumerated() {
            guard let own = row.shape === other.shape ? position : row.shape.position(of: property), takes(position, own) else { continue }
            other.take(position, from: row, at: own)
        }
        row.join(other)
        writer.move(row.reference, to: other.reference)
    }

    // MARK: The program's own policy

    private func resolveDisputes(_ ask: ([MergeConflict]) throws(PinviewError) -> [MergeResolution]) throws(PinviewError) {
        guard !programDisputes.isEmpty else { return }
        let resolutions = try ask(programDisputes.map { writer.conflict(of: $0.0) })
        for ((dispute, row), resolution) in zip(programDisputes, resolutions) { try resolve(dispute, row, as: resolution) }
    }

    private func resolve(
        _ found: [Collision], _ ask: ([MergeConflict]) throws(PinviewError) -> [MergeResolution]
    ) throws(PinviewError) {
        let conflicts = found.flatMap { collision in
            let conflict = self.conflict(of: collision)
            return collision.rows.dropFirst().map { mergeConflict($0, collision, conflict) }
        }
        let resolutions = try ask(conflicts)
        var place = 0
        var answers: [ObjectIdentifier: [Int: MergeResolution]] = [:]
        for (number, collision) in found.enumerated() {
            for row in collision.rows.dropFirst() {
                answers[ObjectIdentifier(row), default: [:]][number] = resolutions[place]
                place += 1
            }
        }
        var numbers: [[ObjectIdentifier]: Int] = [:]
        for (number, collision) in found.enumerated() {
            numbers[[ObjectIdentifier(collision.constraint.entity)] + collision.rows.map(ObjectIdentifier.init)] =
                numbers[
                    [ObjectIdentifier(collision.constraint.entity)] + collision.rows.map(ObjectIdentifier.init)] ?? number
        }
        try resolve(found) { (collision, memory, standing) throws(PinviewError) in
            let identity = [ObjectIdentifier(collision.constraint.entity)] + collision.rows.map(ObjectIdentifier.init)
            guard let number = numbers[identity], let resolution = answers[ObjectIdentifier(memory)]?[number] else { return false }
            switch resolution {
            case .policy(let policy):
                if case .custom = policy.kind { throw StoreWriter.customInCustom }
                return merge(memory, with: standing, collision.positions, by: policy)
            case .values(let values):
                return try resolve(memory, with: standing, collision, values)
            }
        }
    }

    /// Values that differ in the constraint keep the object apart; others are written to the one
    /// row that both become.
    private func resolve(
        _ memory: PendingRow, with standing: PendingRow, _ collision: Collision, _ values: [String: Value]
    ) throws(PinviewError) -> Bool {
        var asked = memory.objects.last
        if asked == nil { asked = try self.object(of: memory) }
        guard let object = asked else { return false }
        let sources = try writer.resolved(values, of: object)
        let isApart = collision.positions.contains { position in
            switch sources[memory.shape.properties[position].index] {
            case .value(let value): !PendingRow.isSame(.value(value), memory.cells[position])
            case .reference(let reference): reference != memory.cells[position].reference.map(final)
            case .memory, .store, nil: false
            }
        }
        if isApart {
            try take(sources, into: memory)
            memory.differsFromMemory = true
            return true
        }
        if standing.isNew, !memory.isNew {
            absorb(standing, into: memory)
            try take(sources, into: memory)
            memory.differsFromMemory = true
        } else {
            if !memory.isNew, !isMoved(memory, collision.positions), memory.object == nil || !memory.absorbedObjects.isEmpty {
                return false
            }
            absorb(memory, into: standing)
            try take(sources, into: standing)
            standing.differsFromMemory = true
        }
        return true
    }

    // MARK: For people and policies

    func conflict(of collision: Collision) -> ConstraintConflict {
        let standing = collision.isInStore ? collision.rows.first : nil
        let rows = collision.isInStore ? Array(collision.rows.dropFirst()) : collision.rows
        let first = collision.rows[0]
        var values: [String: Value] = [:]
        let positions = first.shape.constraints.first {
            constraints[$0.number].properties.map(\.name) == collision.constraint.properties.map(\.name)
        }
        for (property, position) in zip(collision.constraint.properties, positions?.positions ?? collision.positions) {
            values[property.name] = value(first, position)
        }
        return ConstraintConflict(
            entityName: collision.constraint.entity.name, constraint: collision.constraint.properties.map(\.name), constraintValues: values,
            databaseObjectID: standing.map(objectID), databaseSnapshot: standing.map(self.values),
            conflictingObjectIDs: rows.map { $0.object.map { state.objectID(for: $0.key, entity: $0.entity) } ?? objectID(of: $0) },
            conflictingSnapshots: rows.map(self.values))
    }

    private func mergeConflict(_ memory: PendingRow, _ collision: Collision, _ conflict: ConstraintConflict) -> MergeConflict {
        let standing = collision.rows[0]
        var base: [String: Value] = [:]
        if let current = memory.current {
            for (position, property) in memory.shape.properties.enumerated() {
                base[property.name] = value(memory.shape.cell(position, of: current), property)
            }
        }
        return MergeConflict(
            objectID: memory.object.map { state.objectID(for: $0.key, entity: $0.entity) } ?? objectID(of: memory),
            oldVersion: memory.current?.version ?? 0, newVersion: standing.current?.version ?? 0, base: base, mine: values(memory),
            theirs: values(standing), constraint: conflict)
    }

    /// The context's object for a row of the store.
    func object(of row: PendingRow) throws(PinviewError) -> ManagedObject? {
        let key = ObjectKey(
            storeNumber: writer.store.number, rootEntity: Int32(row.shape.entity.rootIndex), primaryKey: row.reference.primaryKey)
        if let known = state.registry.object(key) { return known }
        return try state.object(for: key, entityIndex: row.shape.entity.index)
    }

    private func objectID(of row: PendingRow) -> ManagedObjectID {
        if let object = row.object { return state.objectID(for: object.key, entity: object.entity) }
        let key = ObjectKey(
            storeNumber: writer.store.number, rootEntity: Int32(row.shape.entity.rootIndex), primaryKey: row.reference.primaryKey)
        return state.objectID(for: key, entity: row.shape.entity)
    }

    private func values(_ row: PendingRow) -> [String: Value] {
        var values: [String: Value] = [:]
        for (position, property) in row.shape.properties.enumerated() { values[property.name] = value(row, position) }
        return values
    }

    private func value(_ row: PendingRow, _ position: Int) -> Value { value(row.cells[position], row.shape.properties[position]) }

    private func value(_ cell: PendingRow.Cell, _ property: Property) -> Value {
        switch cell {
        case .value(let value): return value
        case .reference(nil): return .null
        case .reference(let reference?):
            let entities = writer.model.entities
            guard entities.indices.contains(Int(reference.entityIndex)) else { return .null }
            let reference = final(reference), entity = entities[Int(reference.entityIndex)]
            let key = ObjectKey(
                storeNumber: writer.store.number, rootEntity: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
            // Until everything is saved, a new object is known by its temporary ID.
            if let object = writer.newObject(for: key) { return .objectID(state.objectID(for: object.key, entity: object.entity)) }
            return .objectID(state.objectID(for: key, entity: entity))
        }
    }
}

extension PendingRow.Cell {
    var reference: Reference? { if case .reference(let reference) = self { reference } else { nil } }
}
