import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// What a batch request did in a store.
package struct BatchOutcome: Sendable {
    package var count = 0
    /// For a batch insert, how many rows updated an existing row, and how many left it unchanged.
    package var updatedCount = 0, leftCount = 0
    package var insertedCount: Int { count - updatedCount - leftCount }
    /// The rows, if requested.
    package var references: [Reference] = []
}

/// The new value of an attribute in a batch update.
package enum BatchAssignment: Sendable {
    case value(Value)
    /// Computed from each row's own values.
    case expression(ResolvedExpression)
}

/// Batch requests: sets of rows, without objects, with one transaction each.
extension SQLStore {
    // MARK: Update

    /// Sets attributes in all matching rows, and increments their versions.
    ///
    /// - Parameter returningReferences: whether to return the changed rows.
    /// - Throws: `unknownKey` for a property that is not a stored attribute of the entity,
    ///   `wrongType` for a value that it does not take.
    package func batchUpdate(
        _ fetch: StoreFetch, assignments: [(Property, BatchAssignment)], returningReferences: Bool, origin: HistoryOrigin = HistoryOrigin()
    ) throws(PinviewError) -> BatchOutcome {
        let entity = try schema.entity(fetch.entity)
        let scope = SQLScope(schema: schema, alias: "t0", rootIndex: fetch.entity.rootIndex, aliases: AliasCounter())
        let generator = try PredicateSQL(
            schema: schema, storeNumber: number, predicate: nil, table: entity.table, rootIndex: fetch.entity.rootIndex)
        var sql = SQLText(text: "UPDATE \(entity.table) AS t0 SET Z_OPT = IFNULL(t0.Z_OPT, 0) + 1")
        for (property, assignment) in assignments {
            guard property.isAttribute, fetch.entity.property(named: property.name) === property,
                case .attribute(let column) = schema.storage(of: property)
            else {
                throw PinviewError(
                    .unknownKey, "A batch update sets stored attributes, but \(property.qualifiedName) is not one of \(fetch.entity.name).")
            }
            try property.requireSettable()
            sql.append(", \(SQLIdentifier.quoted(column)) = ")
            switch assignment {
            case .value(let value):
                sql.append(SQLText(text: schema.written(property, "?"), bindings: [try StoredCell(value, for: property)]))
            case .expression(let expression):
                sql.append(try ExpressionSQL(generator: generator).assigned(expression, to: property, scope))
            }
        }
        guard scope.joins.isEmpty else {
            throw PinviewError(
                .badPredicate,
                "An expression of a batch update can use the row's own attributes and functions over to-many key paths; "
                    + "it cannot follow to-one relationships.")
        }
        if let condition = try FetchSQL(fetch, store: self).rowCondition {
            sql.append(" WHERE ")
            sql.append(condition)
        }
        let returning = returningReferences || tracksHistory
        if returning { sql.append(" RETURNING Z_PK, Z_ENT") }
        let save = try beginSave(origin: origin)
        let result = try save.write { connection in
            let statement = try connection.statement(sql.text)
            defer { statement.reset() }
            try statement.bind(sql.bindings)
            let rows = RowCollector(columnCount: 2, reservingRows: 64)
            if returning { _ = try statement.fetch(into: rows) } else { try statement.run() }
            let found = try references(rows.finish(), of: fetch.entity)
            return BatchOutcome(count: returning ? found.count : connection.changes, references: found)
        }
        let bits = ColumnMasks.bits(of: assignments.map(\.0))
        for reference in result.references {
            save.history?.updated(schema.model.entities[Int(reference.entityIndex)], reference.primaryKey, bits: bits)
        }
        _ = try save.commit()
        return result
    }

    // MARK: Insert

    /// Inserts rows until there are no more.
    ///
    /// - Parameter next: sets the values of a row, and returns false if there is none. Properties
    ///   that it leaves out get their default values.
    /// - Throws: the error of `next`, with nothing inserted; `unknownKey` and `wrongType`, as for
    ///   objects.
    package func batchInsert(
        _ entity: Entity, policy: InsertConflictPolicy = .fail, returningReferences: Bool, origin: HistoryOrigin = HistoryOrigin(),
        next: (inout [String: Value]) throws(PinviewError) -> Bool
    ) throws(PinviewError) -> BatchOutcome {
        try insertRows(entity, policy, returningReferences, origin) { (writer, primaryKey) throws(PinviewError) in
            var values: [String: Value] = [:]
            guard try next(&values) else { return false }
            if let conflicts = writer.conflicts, !conflicts.fits(values) { try writer.beginRows(giving: Array(values.keys)) }
            writer.beginRow(primaryKey: primaryKey, version: 1)
            try append(values, entity, to: writer)
            return true
        }
    }

    /// Inserts rows that all have values of the same properties.
    ///
    /// Other properties get their default values.
    package func batchInsert(
        _ entity: Entity, rows: any InsertedRows, policy: InsertConflictPolicy = .fail, returningReferences: Bool,
        origin: HistoryOrigin = HistoryOrigin()
    ) throws(PinviewError) -> BatchOutcome {
        var positions: [(property: Property, position: Int?)] = []
        return try insertRows(entity, policy, returningReferences, origin) { (writer, primaryKey) throws(PinviewError) in
            guard try rows.next() else { return false }
            if positions.isEmpty {
                let names = rows.names
                try checkInsertable(names.sorted(), entity)
                try writer.beginRows(giving: names)
                positions = writer.properties.map { property in (property, names.firstIndex(of: property.name)) }
            }
            writer.beginRow(primaryKey: primaryKey, version: 1)
            for (property, position) in positions {
                guard let position else {
                    try append(nil, of: property, to: writer)
                    continue
                }
                let cell = try rows.cell(position)
                if property.isAttribute {
                    try writer.append(given: cell, of: property)
                } else {
                    try append(try cell.value(for: property), of: property, to: writer)
                }
            }
            return true
        }
    }

    /// Inserts rows given as columns, one for each name.
    package func batchInsert(
        _ entity: Entity, names: [String], columns: [[Value]], rows: Range<Int>, policy: InsertConflictPolicy = .fail,
        returningReferences: Bool, origin: HistoryOrigin = HistoryOrigin()
    ) throws(PinviewError) -> BatchOutcome {
        var row = rows.lowerBound
        var positions: [(property: Property, column: [Value]?)] = []
        return try insertRows(entity, policy, returningReferences, origin) { (writer, primaryKey) throws(PinviewError) in
            guard row < rows.upperBound else { return false }
            if positions.isEmpty {
                try checkInsertable(names, entity)
                try writer.beginRows(giving: names)
                positions = writer.properties.map { property in (property, names.firstIndex(of: property.name).map { columns[$0] }) }
            }
            writer.beginRow(primaryKey: primaryKey, version: 1)
            for (property, column) in positions {
                if let column, property.isAttribute {
                    try writer.append(given: column[row], of: property)
                } else {
                    try append(column.map { $0[row] }, of: property, to: writer)
                }
            }
            row += 1
            return true
        }
    }

    /// - Parameter fill: makes the row with a primary key, and returns false if there are no more.
    private func insertRows(
        _ entity: Entity, _ policy: InsertConflictPolicy, _ returningReferences: Bool, _ origin: HistoryOrigin,
        fill: (RowWriter, Int64) throws(PinviewError) -> Bool
    ) throws(PinviewError) -> BatchOutcome {
        guard !entity.isAbstract else {
            throw PinviewError(.invalidArgument, "\(entity.name) is abstract, so its rows cannot be inserted. Use a sub-entity.")
        }
        _ = try schema.entity(entity)
        let save = try beginSave(origin: origin)
        let writer = try save.rowWriter(for: entity, reservingRows: 1)
        var outcome = BatchOutcome()
        // Nobody else can use keys before this transaction ends, so they are counted at its end.
        let last = try save.lastPrimaryKey(entity: entity)
        let conflicts = try InsertConflicts.make(policy, entity, save, firstKey: last &+ 1, returningReferences: returningReferences)
        writer.conflicts = conflicts
        while true {
            let (primaryKey, overflow) = last.addingReportingOverflow(Int64(outcome.count) + 1)
            guard try fill(writer, overflow ? last : primaryKey) else { break }
            if overflow { throw PrimaryKeys.exhausted(entity, last, self) }
            try writer.insert()
            writer.discardRows()
            outcome.count += 1
            if returningReferences, conflicts == nil {
                outcome.references.append(Reference(entityIndex: Int32(entity.index), primaryKey: primaryKey))
            }
        }
        _ = try writer.finish()
        try save.finishInserting(&outcome, entity, after: last, conflicts)
        _ = try save.commit()
        return outcome
    }

    private func append(_ values: [String: Value], _ entity: Entity, to writer: RowWriter) throws(PinviewError) {
        var used = 0
        for property in writer.properties {
            let given = values[property.name]
            if given != nil { used += 1 }
            try append(given, of: property, to: writer)
        }
        if used < values.count { try checkInsertable(values.keys.sorted(), entity) }
    }

    /// - Parameter given: nil for the default value.
    private func append(_ given: Value?, of property: Property, to writer: RowWriter) throws(PinviewError) {
        if property.isAttribute {
            if let given {
                try property.requireSettable()
                try writer.append(given: given, of: property)
            } else {
                try writer.append(property.defaultValue, of: property)
            }
        } else if let given {
            writer.append(reference: try reference(given, property), of: property)
        } else {
            writer.append(reference: nil, of: property)
        }
    }

    private func checkInsertable(_ keys: [String], _ entity: Entity) throws(PinviewError) {
        for key in keys {
            guard let property = entity.property(named: key) else { throw PinviewError.unknownKey(key, of: entity) }
            try property.requireSettable()
            guard property.isTransient || property.isToMany else { continue }
            throw PinviewError(
                .unknownKey, "A batch insert sets stored attributes and to-one relationships; \(property.qualifiedName) is neither.")
        }
    }

    private func reference(_ value: Value, _ property: Property) throws(PinviewError) -> Reference? {
        guard case .objectID(let objectID) = try property.convert(value) else { return nil }
        guard objectID.key.storeNumber == number else {
            throw PinviewError(
                .invalidArgument,
                "\(property.qualifiedName) of a batch insert refers to \(objectID.uriRepresentation), which is not in \(name.within).")
        }
        return Reference(entityIndex: Int32(objectID.entity.index), primaryKey: objectID.key.primaryKey)
    }

    // MARK: Delete

    /// Deletes all matching rows and, by the delete rules, rows that depend on them.
    ///
    /// - Returns: the number of matching rows, without those deleted by cascades.
    /// - Throws: 1600 if a delete rule denies it; nothing is deleted then.
    package func batchDelete(_ fetch: StoreFetch, origin: HistoryOrigin = HistoryOrigin()) throws(PinviewError) -> BatchDeletion {
        let sql = try FetchSQL(fetch, store: self).select(.references)
        let save = try beginSave(origin: origin)
        let matching = try save.write { connection in
            let statement = try connection.statement(sql.text)
            defer { statement.reset() }
            try statement.bind(sql.bindings)
            let rows = RowCollector(columnCount: 2, reservingRows: 64)
            _ = try statement.fetch(into: rows)
            return try references(rows.finish(), of: fetch.entity)
        }
        return try delete(matching, save)
    }

    /// Deletes given rows. Rows that do not exist are ignored.
    package func batchDelete(_ references: [Reference], origin: HistoryOrigin = HistoryOrigin()) throws(PinviewError) -> BatchDeletion {
        let save = try beginSave(origin: origin)
        var existing: [Reference] = []
        for reference in references where schema.model.entities.indices.contains(Int(reference.entityIndex)) {
            guard let row = try save.currentRow(entity: schema.model.entities[Int(reference.entityIndex)], primaryKey: reference.primaryKey)
            else { continue }
            existing.append(Reference(entityIndex: Int32(row.entityIndex), primaryKey: reference.primaryKey))
        }
        return try delete(existing, save)
    }

    private func delete(_ references: [Reference], _ save: SaveTransaction) throws(PinviewError) -> BatchDeletion {
        let deletion = try save.delete(references)
        _ = try save.commit()
        return deletion
    }
}

extension SaveTransaction {
    /// Stores the keys that a batch insert has used, and completes the result of its rows.
    func finishInserting(
        _ outcome: inout BatchOutcome, _ entity: Entity, after last: Int64, _ conflicts: InsertConflicts?
    ) throws(PinviewError) {
        guard outcome.count > 0 else { return }
        guard let conflicts else { return try setLastPrimaryKey(last + Int64(outcome.count), entity: entity) }
        outcome.updatedCount = conflicts.updatedCount
        outcome.leftCount = conflicts.leftCount
        outcome.references = conflicts.references
        if conflicts.highestInsertedKey > 0 { try setLastPrimaryKey(conflicts.highestInsertedKey, entity: entity) }
    }
}
