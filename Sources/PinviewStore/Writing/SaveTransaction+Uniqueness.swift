import PinviewGenerations
import PinviewModel

/// Merging rows because of a uniqueness constraint.
extension SaveTransaction {
    /// Clears columns of a row whose values another row is about to take: SQLite checks a unique
    /// index row by row, so rows that swap values would collide in between. The save writes or
    /// deletes the row afterwards, and records that in the history.
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

    /// Redirects all references in the store from one row to another of the same hierarchy.
    ///
    /// - Returns: the changed rows.
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

    /// The rows that refer to a row by a to-one relationship in a uniqueness constraint.
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
            // A member of both is kept once; the rest is deleted with the old row.
            let statement = try connection.statement("UPDATE OR IGNORE \(names.table) SET \(names.owner) = ? WHERE \(names.owner) = ?")
            try statement.bind(1, new.primaryKey)
            try statement.bind(2, old.primaryKey)
            try statement.run()
        }
    }
}
