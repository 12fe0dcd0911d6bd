import PinviewGenerations
import PinviewModel

/// What a save does to rows that a uniqueness constraint has made one.
extension SaveTransaction {
    /// Empties columns of a row that another row is about to take the values of: SQLite checks a unique index row by row, so rows that
    /// swap their values would collide on the way. The save writes or deletes the row afterwards, and notes that in the history.
    package func park(_ properties: [Property], entity: Entity, primaryKey: Int64) throws(PinviewError) {
        let schema = try store.schema.entity(entity)
        let assignments = properties.flatMap { store.schema.columns(of: $0) }.map { "\(SQLIdentifier.quoted($0)) = NULL" }
        guard !assignments.isEmpty else { return }
        try write { connection in
            let statement = try connection.statement("UPDATE \(schema.table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?")
            try statement.bind(1, primaryKey)
            try statement.run()
        }
    }

    /// Has everything in the store that refers to one row refer to another one of the same hierarchy.
    ///
    /// - Returns: the rows that were changed.
    package func moveReferences(from old: Reference, to new: Reference) throws(PinviewError) -> [Reference] {
        let model = store.schema.model
        let oldEntity = model.entities[Int(old.entityIndex)]
        var changed: [Reference] = []
        for entity in model.entities where store.schema.holds(entityIndex: entity.index) {
            for property in entity.relationships where property.declaringEntityIndex == entity.index {
                switch store.schema.storage(of: property) {
                case .toOne where model.entities[property.destinationIndex].rootIndex == oldEntity.rootIndex:
                    changed += try point(property, of: entity, at: new, where: old)
                case .join(let side) where oldEntity.isKind(ofIndex: entity.index):
                    try move(side, from: old, to: new)
                    history?.changedMembers(of: property, new)
                case .toMany(let key) where !key.hasInverse && oldEntity.isKind(ofIndex: entity.index):
                    try write { connection in
                        let name = SQLIdentifier.quoted(key.key)
                        let statement = try connection.statement(
                            "UPDATE \(SQLIdentifier.quoted(key.table)) SET \(name) = ? WHERE \(name) = ?")
                        try statement.bind(1, new.primaryKey)
                        try statement.bind(2, old.primaryKey)
                        try statement.run()
                    }
                    history?.changedMembers(of: property, new)
                default: break
                }
            }
        }
        return changed
    }

    /// The rows that refer to a row by a to-one relationship that is part of a uniqueness constraint.
    package func constrainedReferrers(to row: Reference) throws(PinviewError) -> [Reference] {
        let model = store.schema.model
        let root = model.entities[Int(row.entityIndex)].rootIndex
        let constrained = Set(model.entities.flatMap(\.allUniquenessConstraints).joined())
        var referrers: [Reference] = []
        for entity in model.entities where store.schema.holds(entityIndex: entity.index) {
            for property in entity.relationships where property.declaringEntityIndex == entity.index && constrained.contains(property.name)
            {
                guard case .toOne(let key, _) = store.schema.storage(of: property),
                    model.entities[property.destinationIndex].rootIndex == root
                else { continue }
                referrers += try references(in: entity, where: "\(SQLIdentifier.quoted(key)) = ?1", row.primaryKey)
            }
        }
        return referrers
    }

    private func move(_ side: JoinSide, from old: Reference, to new: Reference) throws(PinviewError) {
        let names = JoinNames(side)
        try write { connection in
            // What both are members of stays once; the rest goes with the old row.
            let statement = try connection.statement("UPDATE OR IGNORE \(names.table) SET \(names.owner) = ? WHERE \(names.owner) = ?")
            try statement.bind(1, new.primaryKey)
            try statement.bind(2, old.primaryKey)
            try statement.run()
        }
    }

    /// Keeps both sides of a one-to-one relationship the same for a row that now has another destination: nobody else refers to the row, nor
    /// to its destination.
    ///
    /// - Returns: the rows that were changed.
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

    /// Sets a to-one relationship of all rows in which it leads to `old`.
    private func point(
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

    private func references(in entity: Entity, where condition: String, _ bindings: Int64...) throws(PinviewError) -> [Reference] {
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
        let schema = try store.schema.entity(entity)
        let columns = store.schema.columns(of: property).map(SQLIdentifier.quoted)
        let rows = try references(in: entity, where: condition, first, second)
        guard !rows.isEmpty else { return [] }
        try write { connection in
            let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
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
        return rows
    }
}
