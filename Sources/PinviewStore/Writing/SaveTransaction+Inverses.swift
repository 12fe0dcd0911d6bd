import PinviewGenerations
import PinviewModel

/// Keeping to-one relationships in the file consistent with what a save has written, whoever wrote
/// them.
extension SaveTransaction {
    /// Clears one-to-one references that are not mutual: those of some rows, and those of other
    /// rows to them.
    ///
    /// - Parameter keys: keys of the hierarchy that declares the relationship.
    /// - Returns: the changed rows.
    package func clearUnreturned(_ property: Property, of keys: [Int64]) throws(PinviewError) -> [Reference] {
        guard let inverse = store.schema.inverse(of: property), !property.isToMany, !inverse.isToMany,
            let own = toOneColumn(property), let other = toOneColumn(inverse)
        else { return [] }
        let incoming = try references(
            "\(other.table) AS t0 LEFT JOIN \(own.table) AS t1 ON t1.Z_PK = t0.\(other.key) "
                + "WHERE t1.\(own.key) IS NOT t0.Z_PK AND t0.\(other.key)", keys, of: other.entity)
        try point(inverse, of: other.entity.entity, at: nil, incoming)
        let outgoing = try references(
            "\(own.table) AS t0 LEFT JOIN \(other.table) AS t1 ON t1.Z_PK = t0.\(own.key) "
                + "WHERE t0.\(own.key) IS NOT NULL AND t1.\(other.key) IS NOT t0.Z_PK AND t0.Z_PK", keys, of: own.entity)
        try point(property, of: own.entity.entity, at: nil, outgoing)
        return incoming + outgoing
    }

    /// Clears a to-one relationship of some rows, where its destination does not exist.
    package func clearDangling(_ property: Property, of keys: [Int64]) throws(PinviewError) -> [Reference] {
        guard let own = toOneColumn(property), let destination = store.schema.destination(of: property) else { return [] }
        let rows = try references(
            "\(own.table) AS t0 WHERE t0.\(own.key) IS NOT NULL "
                + "AND NOT EXISTS (SELECT 1 FROM \(destination.table) AS t1 WHERE t1.Z_PK = t0.\(own.key)) AND t0.Z_PK", keys,
            of: own.entity)
        try point(property, of: own.entity.entity, at: nil, rows)
        return rows
    }

    /// Clears a to-one relationship of all rows whose destination is one of some rows.
    package func clearReferences(by property: Property, to keys: [Int64]) throws(PinviewError) -> [Reference] {
        guard let own = toOneColumn(property) else { return [] }
        let rows = try references("\(own.table) AS t0 WHERE t0.\(own.key)", keys, of: own.entity)
        try point(property, of: own.entity.entity, at: nil, rows)
        return rows
    }

    private func toOneColumn(_ property: Property) -> (entity: EntitySchema, table: String, key: String)? {
        guard case .toOne(let key, _) = store.schema.storage(of: property),
            let entity = store.schema.entity(at: property.declaringEntityIndex)
        else { return nil }
        return (entity, entity.table, SQLIdentifier.quoted(key))
    }

    /// - Parameter text: the SQL after `FROM`, ending with the column that has the keys.
    private func references(_ text: String, _ keys: [Int64], of entity: EntitySchema) throws(PinviewError) -> [Reference] {
        try write { connection in
            var rows: Set<Reference> = []
            try KeyBatches.forEach(keys) { batch in
                let statement = try connection.statement("SELECT t0.Z_PK, t0.Z_ENT FROM \(text) \(KeyBatches.placeholders(batch.count))")
                defer { statement.reset() }
                try batch.bind(to: statement, at: 1)
                while try statement.step() { rows.insert(try entity.layout.family.reference(statement, key: 0, entity: 1)) }
            }
            return rows.sorted { $0.primaryKey < $1.primaryKey }
        }
    }

    /// Keeps a one-to-one relationship mutual for a row with a new destination: no other row may
    /// refer to the row or to its destination.
    ///
    /// - Returns: the changed rows.
    package func repairOneToOne(_ property: Property, of owner: Reference, destination: Reference?) throws(PinviewError) -> [Reference] {
        let model = store.schema.model
        guard let inverse = store.schema.inverse(of: property), !property.isToMany, !inverse.isToMany, inverse !== property else {
            return []
        }
        var changed: [Reference] = []
        let ownerEntity = model.entities[property.declaringEntityIndex], other = model.entities[inverse.declaringEntityIndex]
        changed += try point(inverse, of: other, at: nil, where: owner, except: destination)
        guard let destination else { return changed }
        changed += try point(property, of: ownerEntity, at: nil, where: destination, except: owner)
        changed += try point(inverse, of: other, at: owner, ofRow: destination)
        return changed
    }

    /// Changes a to-one relationship of all rows with the destination `old`.
    func point(
        _ property: Property, of entity: Entity, at new: Reference?, where old: Reference, except kept: Reference? = nil
    ) throws(PinviewError) -> [Reference] {
        guard case .toOne(let key, _) = store.schema.storage(of: property) else { return [] }
        return try point(
            property, of: entity, at: new, "\(SQLIdentifier.quoted(key)) = ?1 AND Z_PK <> ?2", old.primaryKey, kept?.primaryKey ?? 0)
    }

    private func point(_ property: Property, of entity: Entity, at new: Reference, ofRow row: Reference) throws(PinviewError) -> [Reference]
    {
        guard case .toOne(let key, _) = store.schema.storage(of: property) else { return [] }
        return try point(
            property, of: entity, at: new, "Z_PK = ?1 AND \(SQLIdentifier.quoted(key)) IS NOT ?2", row.primaryKey, new.primaryKey)
    }

    func references(in entity: Entity, where condition: String, _ bindings: Int64...) throws(PinviewError) -> [Reference] {
        let schema = try store.schema.entity(entity)
        return try write { connection in
            let statement = try connection.statement("SELECT Z_PK, Z_ENT FROM \(schema.table) WHERE \(condition)")
            defer { statement.reset() }
            for (index, binding) in bindings.enumerated() { try statement.bind(Int32(index + 1), binding) }
            var rows: [Reference] = []
            while try statement.step() {
                rows.append(try schema.layout.family.reference(statement, key: 0, entity: 1))
            }
            return rows
        }
    }

    private func point(
        _ property: Property, of entity: Entity, at new: Reference?, _ condition: String, _ first: Int64, _ second: Int64
    ) throws(PinviewError) -> [Reference] {
        let rows = try references(in: entity, where: condition, first, second)
        try point(property, of: entity, at: new, rows)
        return rows
    }

    /// Sets a to-one relationship of some rows.
    private func point(_ property: Property, of entity: Entity, at new: Reference?, _ rows: [Reference]) throws(PinviewError) {
        guard !rows.isEmpty else { return }
        let schema = try store.schema.entity(entity)
        let columns = store.schema.columns(of: property).map(SQLIdentifier.quoted)
        // Positions in an ordered relationship mean nothing without the owner.
        let order = new == nil ? store.schema.inverse(of: property).flatMap { store.schema.orderColumn(of: $0) } : nil
        try write { connection in
            let assignments = (columns.map { "\($0) = ?" } + [order.map { "\(SQLIdentifier.quoted($0)) = NULL" }].compactMap { $0 })
                .joined(separator: ", ")
            let statement = try connection.statement(
                "UPDATE \(schema.table) SET Z_OPT = IFNULL(Z_OPT, 0) + 1, \(assignments) WHERE Z_PK = ?")
            for row in rows {
                if let new {
                    try statement.bind(1, new.primaryKey)
                    if columns.count > 1 { try statement.bind(2, Int64(store.schema.numbers.number(ofEntityIndex: Int(new.entityIndex)))) }
                } else {
                    for index in columns.indices { try statement.bindNull(Int32(index + 1)) }
                }
                try statement.bind(Int32(columns.count + 1), row.primaryKey)
                try statement.run()
            }
        }
        for row in rows { history?.changedMembers(of: property, row) }
    }
}
