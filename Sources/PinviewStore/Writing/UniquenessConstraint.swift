import PinviewGenerations
import PinviewModel

/// A uniqueness constraint of an entity as enforced by a store's tables. It applies to the rows of
/// the entity that declares it and of its sub-entities. Rows with NULL in one of the columns never
/// collide.
package struct UniquenessConstraint: Sendable {
    /// The entity that declares the constraint.
    package let entity: Entity
    package let properties: [Property]
    fileprivate let table: String
    fileprivate let columns: [String]
    /// The condition of a partial index, which a search must repeat so that SQLite uses the index.
    fileprivate let condition: String?
}

extension StoreSchema {
    /// The constraints that apply to an entity's rows: those of its ancestors, topmost first, then
    /// its own, in the order of the model.
    func uniquenessConstraints(of entity: Entity) throws(PinviewError) -> [UniquenessConstraint] {
        guard !entity.allUniquenessConstraints.isEmpty else { return [] }
        var lineage = [entity]
        while let parent = lineage[0].superentityIndex { lineage.insert(model.entities[parent], at: 0) }
        var constraints: [UniquenessConstraint] = []
        for entity in lineage {
            for names in entity.uniquenessConstraints {
                let properties = names.compactMap { entity.property(named: $0) }
                let columns = properties.compactMap { self.columns(of: $0).first.map(SQLIdentifier.quoted) }
                guard columns.count == names.count else { continue }
                let isInherited = properties.contains { $0.declaringEntityIndex != entity.index }
                constraints.append(
                    UniquenessConstraint(
                        entity: entity, properties: properties, table: try self.entity(entity).table, columns: columns,
                        condition: isInherited ? numbers.condition(forFamilyOf: entity) : nil))
            }
        }
        return constraints
    }
}

extension EntityNumbers {
    /// Limits a unique index on inherited columns to the rows of an entity and its sub-entities.
    func condition(forFamilyOf entity: Entity) -> String {
        "Z_ENT IN (\(entity.familyIndexes.map { String(number(ofEntityIndex: $0)) }.joined(separator: ", ")))"
    }
}

/// The values of a constraint's properties in one row, none of them NULL. Text is compared by its
/// bytes, as in the index.
package struct ConstraintKey: Hashable, Sendable {
    private enum Cell: Hashable {
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])
    }

    private var cells: [Cell] = []

    package init(reservingCells count: Int) { cells.reserveCapacity(count) }

    /// Appends the value of an attribute, the constraint's next property.
    ///
    /// - Returns: false for null, with which the row cannot collide.
    /// - Throws: `wrongType` for a value that the store could not hold without loss.
    package mutating func append(_ value: Value, of attribute: Property) throws(PinviewError) -> Bool {
        switch try StoredCell(value, for: attribute) {
        case .null: return false
        case .integer(let integer): cells.append(.integer(integer))
        case .real(let real): cells.append(.real(real))
        case .text(let text): cells.append(.text(Array(text.utf8)))
        case .blob(let bytes): cells.append(.blob(bytes))
        }
        return true
    }

    /// Appends the destination of a to-one relationship, the constraint's next property. Only the
    /// destination's primary key is in the index.
    package mutating func append(_ destination: Reference?) -> Bool {
        guard let destination else { return false }
        cells.append(.integer(destination.primaryKey))
        return true
    }

    fileprivate func bind(to statement: Statement, from first: Int32) throws(SQLiteError) {
        for (offset, cell) in cells.enumerated() {
            let index = first + Int32(offset)
            switch cell {
            case .integer(let integer): try statement.bind(index, integer)
            case .real(let real): try statement.bind(index, real)
            case .text(let bytes):
                try bytes.withUnsafeBytes { bytes in Result { () throws(SQLiteError) in try statement.bind(index, text: bytes) } }.get()
            case .blob(let bytes):
                try bytes.withUnsafeBytes { bytes in Result { () throws(SQLiteError) in try statement.bind(index, blob: bytes) } }.get()
            }
        }
    }
}

extension UniquenessConstraint {
    /// How many keys are looked up with one statement.
    private static let keysAtOnce = 64

    /// Finds the rows with given values, as the connection sees them now.
    ///
    /// - Returns: for each key, the row that has it, or nil.
    func rows(having keys: [ConstraintKey], in schema: StoreSchema, _ connection: Connection) throws -> [Reference?] {
        var found = [Reference?](repeating: nil, count: keys.count)
        let width = Int32(columns.count + 1)
        var first = 0
        while first < keys.count {
            // A search for a few keys must not pay for many: each unbound row in VALUES costs a
            // search.
            let isMany = keys.count - first >= Self.keysAtOnce / 4
            let statement = try connection.statement(searchText(rows: isMany ? Self.keysAtOnce : 1))
            defer { statement.reset() }
            let count = min(isMany ? Self.keysAtOnce : 1, keys.count - first)
            for row in 0..<(isMany ? Self.keysAtOnce : 1) {
                let index = Int32(row) * width + 1
                if row < count {
                    try statement.bind(index, Int64(first + row))
                    try keys[first + row].bind(to: statement, from: index + 1)
                } else {
                    for offset in 0..<width { try statement.bindNull(index + offset) }
                }
            }
            while try statement.step() {
                guard let root = schema.entity(at: entity.rootIndex) else { continue }
                found[Int(statement.int64(0))] = try root.layout.family.reference(statement, key: 1, entity: 2)
            }
            first += count
        }
        return found
    }

    private func searchText(rows: Int) -> String {
        let names = columns.indices.map { "k\($0)" }
        let row = "(" + [String](repeating: "?", count: columns.count + 1).joined(separator: ", ") + ")"
        let values = [String](repeating: row, count: rows).joined(separator: ", ")
        var conditions = zip(columns, names).map { "t.\($0) = keys.\($1)" }
        if let condition { conditions.append("t.\(condition)") }
        // The keys come first, so that SQLite searches the unique index for each.
        return "WITH keys(n, \(names.joined(separator: ", "))) AS (VALUES \(values)) "
            + "SELECT keys.n, t.Z_PK, t.Z_ENT FROM keys CROSS JOIN \(table) t ON \(conditions.joined(separator: " AND "))"
    }
}

extension SaveTransaction {
    /// The constraints that apply to an entity's rows: those of its ancestors, topmost first, then
    /// its own.
    package func uniquenessConstraints(of entity: Entity) throws(PinviewError) -> [UniquenessConstraint] {
        try store.schema.uniquenessConstraints(of: entity)
    }

    /// Finds the rows with given values of a constraint, including this transaction's changes.
    ///
    /// - Returns: for each key, the row that has it, or nil.
    package func rows(having keys: [ConstraintKey], of constraint: UniquenessConstraint) throws(PinviewError) -> [Reference?] {
        guard !keys.isEmpty else { return [] }
        return try write { try constraint.rows(having: keys, in: store.schema, $0) }
    }
}
