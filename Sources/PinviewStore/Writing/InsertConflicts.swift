import PinviewGenerations
import PinviewModel

/// How a batch insert handles a row with unique values that an existing row already has.
package enum InsertConflictPolicy: Sendable {
    /// The insert fails.
    case fail
    /// The existing row takes the given values.
    case update
    /// The existing row takes all values of the new row, including defaults and nulls.
    case overwrite
    /// The existing row stays as it is, and the new one is dropped.
    case keep
}

/// Resolves the uniqueness conflicts of a batch insert within its INSERT statements: each gets an
/// `ON CONFLICT … DO UPDATE` for every constraint of the entity. The WHERE clause notes which rows
/// collided, and decides whether the existing row is updated (see `FoundRows`).
///
///     INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZEMAIL, ZNAME) VALUES (?, ?, ?, ?, ?), …
///     ON CONFLICT (ZEMAIL) DO UPDATE SET Z_OPT = IFNULL(Z_OPT, 0) + 1, ZNAME = excluded.ZNAME
///         WHERE pinview_found_row(0, excluded.Z_PK, Z_PK, Z_ENT, (ZNAME IS NOT excluded.ZNAME) << 0)
///
/// A row whose values would not change is not written, so its version and the history stay the
/// same.
final class InsertConflicts {
    /// The value of a row to be inserted, identified by the key that it would get.
    typealias RowValues = (_ newKey: Int64, _ property: Property) throws(PinviewError) -> Value

    /// The part of a statement after VALUES.
    private final class Clause {
        let text: String
        /// For each constraint, the properties represented by the bits of the masks.
        let properties: [[Property]]

        init(text: String, properties: [[Property]]) {
            self.text = text
            self.properties = properties
        }
    }

    private let policy: InsertConflictPolicy
    private let entity: Entity
    private let schema: EntitySchema
    private let save: SaveTransaction
    private var store: SQLStore { save.store }
    private let constraints: [UniquenessConstraint]
    /// For each constraint, the ON CONFLICT target that identifies its index; nil if only a clause
    /// for all indexes matches it.
    private var targets: [String?] = []
    private let found: FoundRows
    /// The key of the first row of the batch.
    private let firstKey: Int64
    private let hasReferences: Bool

    private var clause = Clause(text: "", properties: [])
    private var givenNames: [String] = []
    private var clauses: [[String]: Clause] = [:]
    /// The bits for the history of the last masks: consecutive rows often change alike.
    private var lastBits: (clause: Int, masks: [Int64], bits: [UInt8]) = (-1, [], [])
    /// The highest key of an updated existing row; see `noteUpdated`.
    private var highestUpdatedKey: Int64 = 0

    /// How many rows have been updated so far.
    private(set) var updatedCount = 0
    private(set) var leftCount = 0
    /// 0 if there is none.
    private(set) var highestInsertedKey: Int64 = 0
    /// The final row of each row of the batch, if requested.
    private(set) var references: [Reference] = []

    /// - Returns: nil for an entity without constraints, whose rows cannot collide.
    static func make(
        _ policy: InsertConflictPolicy, _ entity: Entity, _ save: SaveTransaction, firstKey: Int64, returningReferences: Bool
    ) throws(PinviewError) -> InsertConflicts? {
        let constraints = try save.uniquenessConstraints(of: entity)
        guard !constraints.isEmpty else { return nil }
        return try InsertConflicts(policy, entity, save, constraints, firstKey: firstKey, returningReferences: returningReferences)
    }

    private init(
        _ policy: InsertConflictPolicy, _ entity: Entity, _ save: SaveTransaction, _ constraints: [UniquenessConstraint], firstKey: Int64,
        returningReferences: Bool
    ) throws(PinviewError) {
        self.policy = policy
        self.entity = entity
        self.save = save
        self.constraints = constraints
        self.firstKey = firstKey
        hasReferences = returningReferences
        schema = try save.store.schema.entity(entity)
        found = try save.write { try $0.foundRows() }
        targets = try constraints.map { (constraint) throws(PinviewError) in try target(of: constraint) }
        let writes = policy == .update || policy == .overwrite
        found.begin(writing: writes ? writtenEntityNumbers() : nil)
        if policy != .update { useClause([]) }
    }

    deinit { found.begin(writing: nil) }

    /// The entities whose rows can be updated: the entity and its sub-entities. Others in the table
    /// lack some of its properties.
    private func writtenEntityNumbers() -> [Int64] {
        let numbers = entity.familyIndexes.map { Int64(store.schema.numbers.number(ofEntityIndex: $0)) }
        // If all rows of the table are of one entity, they may lack the number.
        return schema.entityNumbers(includingSubentities: true) == nil && numbers.count == 1 ? numbers + [0] : numbers
    }

    // MARK: Statements

    /// The part of the entity's INSERT after VALUES.
    var statementSuffix: String { clause.text }

    /// Whether the statement is the one for rows with values of these properties.
    ///
    /// - Parameter values: the values of the next row.
    func fits(_ values: [String: Value]) -> Bool {
        guard policy == .update else { return true }
        return values.count == givenNames.count && !clause.text.isEmpty && givenNames.allSatisfy { values[$0] != nil }
    }

    /// Switches to the statement for rows with values of these properties.
    ///
    /// - Parameter names: in any order, without duplicates.
    func useClause(_ names: [String]) {
        givenNames = names.sorted()
        if let known = clauses[givenNames] {
            clause = known
            return
        }
        clause = makeClause(givenNames)
        // A program may use different properties for every row.
        if clauses.count >= 64 { clauses = [:] }
        clauses[givenNames] = clause
    }

    private func makeClause(_ names: [String]) -> Clause {
        let changed: [Property] =
            switch policy {
            case .fail, .keep: []
            case .overwrite: schema.writtenProperties.map(\.property)
            case .update: schema.writtenProperties.map(\.property).filter { names.contains($0.name) }
            }
        var text = ""
        var properties: [[Property]] = []
        for (number, constraint) in constraints.enumerated() {
            // The constraint's own columns are equal already, so its index need not be updated.
            let updated = changed.filter { property in !constraint.properties.contains { $0 === property } }
            properties.append(updated)
            if let target = targets[number] { text += conflictText(number, target, updated) }
        }
        // All other indexes. Without a target, the clause also applies to indexes made by other
        // programs.
        text += conflictText(constraints.count, "", changed)
        properties.append(changed)
        return Clause(text: text, properties: properties)
    }

    private func conflictText(_ number: Int, _ target: String, _ changed: [Property]) -> String {
        var assignments = "Z_OPT = IFNULL(Z_OPT, 0) + 1", masks = ""
        var bits: [String] = []
        for (position, property) in changed.enumerated() {
            let columns = store.schema.columns(of: property).map(SQLIdentifier.quoted)
            for column in columns { assignments += ", \(column) = excluded.\(column)" }
            if let key = columns.first, property.isRelationship, let inverse = store.schema.inverse(of: property), inverse.isToMany,
                let order = store.schema.orderColumn(of: inverse)
            {
                // Its position is relative to the members that its owner has so far.
                let quoted = SQLIdentifier.quoted(order)
                assignments += ", \(quoted) = CASE WHEN \(key) IS excluded.\(key) THEN \(quoted) END"
            }
            let differs = columns.map { "\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
            bits.append("((\(differs)) << \(position % FoundRows.columnsInMask))")
            if bits.count == FoundRows.columnsInMask || position == changed.count - 1 {
                masks += ", " + bits.joined(separator: " | ")
                bits = []
            }
        }
        return " ON CONFLICT \(target) DO UPDATE SET \(assignments) "
            + "WHERE \(FoundRows.function)(\(number), excluded.Z_PK, Z_PK, Z_ENT\(masks))"
    }

    /// - Throws: `persistentStoreUnsupportedRequest` if the store has no index to find the rows
    ///   with.
    private func target(of constraint: UniquenessConstraint) throws(PinviewError) -> String? {
        let columns = constraint.properties.compactMap { store.schema.columns(of: $0).first }
        var target = "(\(columns.map(SQLIdentifier.quoted).joined(separator: ", ")))"
        // An index on inherited columns is a partial one; for a full index, the condition does not
        // matter.
        if constraint.properties.contains(where: { $0.declaringEntityIndex != constraint.entity.index }) {
            target += " WHERE " + store.schema.numbers.condition(forFamilyOf: constraint.entity)
        }
        let text = "INSERT INTO \(schema.table) (Z_PK) VALUES (NULL) ON CONFLICT \(target) DO NOTHING"
        return try save.write { connection in
            do {
                try connection.statement(text).reset()
                return target
            } catch let error as SQLiteError where error.kind == .sqlite {
                // No index matches exactly, but one that covers more than the constraint may, for
                // example one with Z_ENT.
                guard policy != .fail, try !hasUniqueIndex(on: columns, connection) else { return nil }
                throw PinviewError(
                    .persistentStoreUnsupportedRequest,
                    "\(store.name) has no unique index for the constraint \(Self.name(constraint)) of \(constraint.entity.name), so a batch "
                        + "insert cannot find existing rows. Use the merge policy error, or upsert in a context."
                ).with(affectedStores: store.name.affected)
            }
        }
    }

    private func hasUniqueIndex(on columns: [String], _ connection: Connection) throws -> Bool {
        let list = columns.map { "'\($0)'" }.joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT count(*) FROM pragma_index_list(?) AS i WHERE i.\"unique\" "
                + "AND (SELECT count(*) FROM pragma_index_info(i.name) AS c WHERE c.name COLLATE NOCASE IN (\(list))) = \(columns.count) "
                + "AND NOT EXISTS (SELECT 1 FROM pragma_index_info(i.name) AS c "
                + "WHERE IFNULL(c.name, '') COLLATE NOCASE NOT IN (\(list), 'Z_ENT'))")
        defer { statement.reset() }
        try statement.bind(1, schema.tableName)
        return try statement.step() && statement.int64(0) > 0
    }

    // MARK: What became of the rows

    /// Evaluates what a statement did.
    ///
    /// - Parameters:
    ///   - keys: the keys of the rows to be inserted.
    ///   - values: the values of these rows.
    func noteRows(_ keys: Range<Int64>, _ values: RowValues) throws(PinviewError) {
        if policy == .fail, let first = found.meetings.first { throw try conflict(first, values) }
        var next = keys.lowerBound
        for meeting in found.meetings {
            noteInserted(next..<meeting.newKey)
            try note(meeting, values)
            next = meeting.newKey + 1
        }
        noteInserted(next..<keys.upperBound)
        found.forget()
    }

    private func noteInserted(_ keys: Range<Int64>) {
        guard let last = keys.last else { return }
        highestInsertedKey = last
        if let history = save.history { for key in keys { history.inserted(entity, key) } }
        if hasReferences { references += keys.lazy.map { Reference(entityIndex: Int32(self.entity.index), primaryKey: $0) } }
    }

    private func note(_ meeting: FoundRows.Meeting, _ values: RowValues) throws(PinviewError) {
        guard let reference = reference(meeting), policy == .keep || entity.familyIndexes.contains(Int(reference.entityIndex)) else {
            throw try otherEntity(meeting, values)
        }
        if hasReferences { references.append(reference) }
        guard meeting.isWritten else {
            leftCount += 1
            return
        }
        updatedCount += 1
        // In the history, a row of this batch is inserted, whatever values it got later.
        guard let history = save.history, meeting.key < firstKey else { return }
        if meeting.key <= highestUpdatedKey { history.expectRepeats() }
        highestUpdatedKey = max(highestUpdatedKey, meeting.key)
        history.updated(store.schema.model.entities[Int(reference.entityIndex)], meeting.key, bits: bits(of: meeting))
    }

    private func bits(of meeting: FoundRows.Meeting) -> [UInt8] {
        let masks = (0..<meeting.maskCount).map { found.mask($0, of: meeting) }
        if lastBits.clause == meeting.clause, lastBits.masks == masks { return lastBits.bits }
        let properties = clause.properties[meeting.clause]
        let changed = properties.indices.filter { position in
            masks[position / FoundRows.columnsInMask] >> Int64(position % FoundRows.columnsInMask) & 1 == 1
        }
        lastBits = (meeting.clause, masks, ColumnMasks.bits(of: changed.map { properties[$0] }))
        return lastBits.bits
    }

    /// The existing row; nil for a stray row without a valid entity.
    private func reference(_ meeting: FoundRows.Meeting) -> Reference? {
        let index = store.schema.numbers.entityIndex(ofNumber: meeting.entityNumber) ?? (meeting.entityNumber == 0 ? entity.index : nil)
        guard let index, store.schema.model.entities[index].rootIndex == entity.rootIndex else { return nil }
        return Reference(entityIndex: Int32(index), primaryKey: meeting.key)
    }

    // MARK: Errors

    private static func name(_ constraint: UniquenessConstraint) -> String {
        constraint.properties.count == 1
            ? constraint.properties[0].name : "(\(constraint.properties.map(\.name).joined(separator: ", ")))"
    }

    private func describe(row key: Int64) -> String { "Row \(key - firstKey + 1) of the batch insert of \(entity.name)" }

    /// The constraint and the values of a row, for example `email "ada@example.org"`.
    private func describe(_ number: Int, _ key: Int64, _ values: RowValues) throws(PinviewError) -> String {
        guard constraints.indices.contains(number) else { return "values under a unique index of the store" }
        var parts: [String] = []
        for property in constraints[number].properties { parts.append("\(property.name) \(try values(key, property))") }
        return parts.joined(separator: ", ")
    }

    private func describe(_ meeting: FoundRows.Meeting) -> String {
        if meeting.key >= firstKey { return "row \(meeting.key - firstKey + 1) of the same batch" }
        return reference(meeting).map { store.objectID($0).uriRepresentation } ?? "a row without an entity of the model"
    }

    private func affected(_ meeting: FoundRows.Meeting) -> [ManagedObjectID] {
        meeting.key >= firstKey ? [] : reference(meeting).map { [store.objectID($0)] } ?? []
    }

    private func conflict(_ meeting: FoundRows.Meeting, _ values: RowValues) throws(PinviewError) -> PinviewError {
        let constraint =
            constraints.indices.contains(meeting.clause) ? "the constraint \(Self.name(constraints[meeting.clause]))" : "an index"
        var conflicts: [ConstraintConflict] = []
        // Of all rows of the statement, since SQLite has checked each.
        for meeting in found.meetings { if let conflict = try constraintConflict(meeting, values) { conflicts.append(conflict) } }
        return PinviewError(
            .managedObjectConstraintMerge,
            "\(describe(row: meeting.newKey)) violates \(constraint): \(describe(meeting)) has the same "
                + "\(try describe(meeting.clause, meeting.newKey, values)). Nothing was inserted. Leave the row out, or give the request "
                + "a merge policy: object trump updates the existing row, store trump leaves it."
        ).with(affectedObjectIDs: affected(meeting), affectedStores: store.name.affected, constraintConflicts: conflicts)
    }

    /// A collision as the error of a save lists conflicts; nil for an index that belongs to no
    /// constraint.
    private func constraintConflict(_ meeting: FoundRows.Meeting, _ values: RowValues) throws(PinviewError) -> ConstraintConflict? {
        guard constraints.indices.contains(meeting.clause) else { return nil }
        return try constraintConflict(meeting.clause, meeting.newKey, with: meeting.key, reference(meeting), values)
    }

    /// - Parameters:
    ///   - newKey: the key of the row to be inserted. It has no ID and never gets one.
    ///   - reference: the row with the values; nil if it has no valid entity.
    private func constraintConflict(
        _ number: Int, _ newKey: Int64, with key: Int64, _ reference: Reference?, _ values: RowValues
    ) throws(PinviewError) -> ConstraintConflict {
        var row: [String: Value] = [:]
        for property in schema.writtenProperties.map(\.property) { row[property.name] = try values(newKey, property) }
        let constraint = constraints[number]
        var shared: [String: Value] = [:]
        for property in constraint.properties { shared[property.name] = row[property.name] }
        let other = try reference.map { (reference) throws(PinviewError) in try self.values(of: reference) } ?? nil
        let isInStore = key < firstKey
        return ConstraintConflict(
            entityName: constraint.entity.name, constraint: constraint.properties.map(\.name), constraintValues: shared,
            databaseObjectID: isInStore ? reference.map(store.objectID) : nil, databaseSnapshot: isInStore ? other : nil,
            conflictingObjectIDs: [], conflictingSnapshots: isInStore ? [row] : [other ?? [:], row])
    }

    private func values(of reference: Reference) throws(PinviewError) -> [String: Value]? {
        let entity = store.schema.model.entities[Int(reference.entityIndex)]
        guard let row = try save.currentRow(entity: entity, primaryKey: reference.primaryKey) else { return nil }
        var values: [String: Value] = [:]
        for property in entity.properties where !property.isTransient && !property.isToMany {
            values[property.name] =
                property.isAttribute ? row.value(of: property) : row.reference(of: property).map { .objectID(store.objectID($0)) } ?? .null
        }
        return values
    }

    private func otherEntity(_ meeting: FoundRows.Meeting, _ values: RowValues) throws(PinviewError) -> PinviewError {
        let other = reference(meeting).map { " of \(store.schema.model.entities[Int($0.entityIndex)].name)" } ?? ""
        return PinviewError(
            .managedObjectConstraintMerge,
            "\(describe(row: meeting.newKey)) has the same \(try describe(meeting.clause, meeting.newKey, values)) as \(describe(meeting)), "
                + "an object\(other): it cannot become one of \(entity.name). Nothing was inserted."
        ).with(
            affectedObjectIDs: affected(meeting), affectedStores: store.name.affected,
            constraintConflicts: [try constraintConflict(meeting, values)].compactMap { $0 })
    }

    /// The error of a failed statement: a row that collides with two others cannot become both.
    func failure(_ error: SQLiteError, _ values: RowValues) throws(PinviewError) -> PinviewError {
        let plain = PinviewError(error, while: .writing, store: store.name)
        // SQLite has rolled the statement back. The last row found is the one whose update collided
        // with another row.
        guard error.kind == .constraint, let meeting = found.meetings.last, meeting.isWritten else { return plain }
        var message =
            "\(describe(row: meeting.newKey)) collides with two rows: its \(try describe(meeting.clause, meeting.newKey, values)) is that of "
            + describe(meeting)
        var objectIDs = affected(meeting)
        var others: [String] = []
        var conflicts = [try constraintConflict(meeting, values)].compactMap { $0 }
        for (number, constraint) in constraints.enumerated() where number != meeting.clause {
            var key = ConstraintKey(reservingCells: constraint.properties.count)
            var isComplete = true
            for property in constraint.properties where isComplete {
                let value = try values(meeting.newKey, property)
                if property.isAttribute {
                    isComplete = try key.append(value, of: property)
                } else {
                    let destination = value.objectIDValue
                    isComplete = key.append(
                        destination.map { Reference(entityIndex: Int32($0.entity.index), primaryKey: $0.key.primaryKey) })
                }
            }
            guard isComplete, let other = try save.rows(having: [key], of: constraint).first ?? nil, other.primaryKey != meeting.key else {
                continue
            }
            conflicts.append(try constraintConflict(number, meeting.newKey, with: other.primaryKey, other, values))
            let objectID = store.objectID(other)
            if other.primaryKey < firstKey { objectIDs.append(objectID) }
            let name = other.primaryKey < firstKey ? objectID.uriRepresentation : "row \(other.primaryKey - firstKey + 1) of the same batch"
            others.append("its \(try describe(number, meeting.newKey, values)) that of \(name)")
        }
        message +=
            others.isEmpty ? ", which then had the unique values of another row (\(error.message))" : ", " + others.joined(separator: ", ")
        return PinviewError(
            .managedObjectConstraintMerge, message + ". It cannot become both. Nothing was inserted."
        ).with(
            sqliteCode: plain.sqliteCode, affectedObjectIDs: objectIDs, affectedStores: store.name.affected, constraintConflicts: conflicts,
            underlyingError: plain.underlyingError)
    }
}
