import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// What a batch request did to a store.
package struct BatchOutcome: Sendable {
    package var count = 0
    /// The rows, if they were asked for.
    package var references: [Reference] = []
}

/// What a batch update gives an attribute.
package enum BatchAssignment: Sendable {
    case value(Value)
    /// Computed from the row's own values.
    case expression(ResolvedExpression)
}

/// Batch requests: whole sets of rows, past the objects of any context, each in one transaction.
extension SQLStore {
    // MARK: Update

    /// Sets attributes in all matching rows. Row versions rise by one.
    ///
    /// - Parameter returningReferences: whether to collect the rows that were changed.
    /// - Throws: `unknownKey` for a property that is not a stored attribute of the entity, `wrongType` for a value that it does not take.
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
                    .unknownKey, "A batch update sets stored attributes; \(property.qualifiedName) is none of \(fetch.entity.name).")
            }
            sql.append(", \(SQLIdentifier.quoted(column)) = ")
            switch assignment {
            case .value(let value): sql.bind(try StoredCell(value, for: property))
            case .expression(let expression):
                sql.append(try ExpressionSQL(generator: generator).assigned(expression, to: property, scope))
            }
        }
        guard scope.joins.isEmpty else {
            throw PinviewError(
                .badPredicate,
                "An expression of a batch update computes with the row's own attributes and with functions over to-many key paths; "
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
            let found = references(rows.finish(), fallback: fetch.entity)
            return BatchOutcome(count: returning ? found.count : connection.changes, references: found)
        }
        for reference in result.references {
            save.history?.updated(schema.model.entities[Int(reference.entityIndex)], reference.primaryKey, properties: assignments.map(\.0))
        }
        _ = try save.commit()
        return result
    }

    // MARK: Insert

    /// Inserts rows until there are no more.
    ///
    /// - Parameter next: fills in the values of one row; false: there is none. Keys that it leaves out get their default values.
    /// - Throws: what `next` throws, after which nothing stays; `unknownKey` and `wrongType` as for objects.
    package func batchInsert(
        _ entity: Entity, returningReferences: Bool, origin: HistoryOrigin = HistoryOrigin(),
        next: (inout [String: Value]) throws(PinviewError) -> Bool
    ) throws(PinviewError) -> BatchOutcome {
        guard !entity.isAbstract else {
            throw PinviewError(.invalidArgument, "\(entity.name) is abstract, so no rows of it can be inserted; name a sub-entity.")
        }
        _ = try schema.entity(entity)
        let save = try beginSave(origin: origin)
        var outcome = BatchOutcome()
        var hasMore = true
        while hasMore {
            var batch: [[String: Value]] = []
            while batch.count < 1000 {
                var values: [String: Value] = [:]
                hasMore = try next(&values)
                guard hasMore else { break }
                batch.append(values)
            }
            guard !batch.isEmpty else { break }
            let first = try save.allocatePrimaryKeys(entity: entity, count: batch.count)
            var builder = RowBuilder(entity: entity, model: schema.model, reservingRows: batch.count)
            for (offset, values) in batch.enumerated() { try append(values, primaryKey: first + Int64(offset), entity, to: &builder) }
            let rows = builder.finish()
            for offset in batch.indices {
                try save.insert(rows.snapshot(offset), entity: entity)
                if returningReferences {
                    outcome.references.append(Reference(entityIndex: Int32(entity.index), primaryKey: first + Int64(offset)))
                }
            }
            outcome.count += batch.count
        }
        _ = try save.commit()
        return outcome
    }

    private func append(
        _ values: [String: Value], primaryKey: Int64, _ entity: Entity, to builder: inout RowBuilder
    ) throws(PinviewError) {
        var used = 0
        builder.beginRow(primaryKey: primaryKey, version: 1)
        for property in entity.properties where !property.isTransient && !property.isToMany {
            let given = values[property.name]
            if given != nil { used += 1 }
            if property.isAttribute {
                let value = try given.map { (value) throws(PinviewError) in try property.convert(value) } ?? property.defaultValue
                try builder.append(value, of: property)
            } else {
                builder.append(
                    reference: try given.map { (value) throws(PinviewError) in try reference(value, property) } ?? nil, of: property)
            }
        }
        guard used < values.count else { return }
        for key in values.keys.sorted() {
            guard let property = entity.property(named: key) else { throw PinviewError.unknownKey(key, of: entity) }
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
                "\(property.qualifiedName) of a batch insert leads to \(objectID.uriRepresentation), which is not in \(name).")
        }
        return Reference(entityIndex: Int32(objectID.entity.index), primaryKey: objectID.key.primaryKey)
    }

    // MARK: Delete

    /// Deletes all matching rows, and by the delete rules what depends on them.
    ///
    /// - Returns: the rows that the request itself names; those that cascades took are not counted.
    /// - Throws: 1600 when a rule denies it; nothing is deleted then.
    package func batchDelete(_ fetch: StoreFetch, origin: HistoryOrigin = HistoryOrigin()) throws(PinviewError) -> BatchDeletion {
        let sql = try FetchSQL(fetch, store: self).select(.references)
        let save = try beginSave(origin: origin)
        let matching = try save.write { connection in
            let statement = try connection.statement(sql.text)
            defer { statement.reset() }
            try statement.bind(sql.bindings)
            let rows = RowCollector(columnCount: 2, reservingRows: 64)
            _ = try statement.fetch(into: rows)
            return references(rows.finish(), fallback: fetch.entity)
        }
        return try delete(matching, save)
    }

    /// The same for rows that are named; those that do not exist are passed over.
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
