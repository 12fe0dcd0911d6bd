import PinviewModel

extension SchemaNames {
    /// The statements that create an empty store's tables and indexes, and the rows of
    /// `Z_PRIMARYKEY`.
    func creationStatements() -> [String] {
        var statements = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        ]
        for table in tables { statements.append(Self.creation(of: table)) }
        for table in joinTables { statements.append(Self.creation(of: table)) }
        statements += indexDefinitions().map(\.sql)
        return statements
    }

    /// All indexes, in the order in which they are created.
    func indexDefinitions() -> [IndexDefinition] {
        var definitions: [IndexDefinition] = []
        var indexes = IndexNames()
        for table in tables {
            if model.entities[table.rootIndex].familyIndexes.count > 1 {
                definitions.append(indexes.index("\(table.name)_Z_ENT_INDEX", on: table.name, ["Z_ENT"]))
            }
            for key in table.keys { definitions.append(indexes.index("\(table.name)_\(key)_INDEX", on: table.name, [key])) }
        }
        for table in joinTables {
            definitions.append(indexes.index("\(table.name)_\(table.second)_INDEX", on: table.name, [table.second, table.first]))
        }
        for entity in model.entities where numbers.has(entityIndex: entity.index) {
            guard let table = tableName(of: entity) else { continue }
            definitions += entity.indexes.compactMap { fetchIndex($0, of: entity, on: table, &indexes) }
            definitions += entity.uniquenessConstraints.compactMap { uniqueIndex($0, of: entity, on: table, &indexes) }
        }
        return definitions
    }

    static func creation(of table: EntityTable, named name: String? = nil) -> String {
        let columns = table.columns.map { ", \(SQLIdentifier.quoted($0.name)) \($0.type)" }.joined()
        return "CREATE TABLE \(SQLIdentifier.quoted(name ?? table.name)) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns))"
    }

    static func creation(of table: JoinTable, named name: String? = nil) -> String {
        let keys = [table.first, table.second].map(SQLIdentifier.quoted)
        let columns = (keys + table.orders.map(SQLIdentifier.quoted)).map { "\($0) INTEGER" }.joined(separator: ", ")
        return "CREATE TABLE \(SQLIdentifier.quoted(name ?? table.name)) (\(columns), PRIMARY KEY (\(keys.joined(separator: ", "))))"
    }

    private func column(_ name: String, of entity: Entity) -> String? {
        guard let property = entity.property(named: name) else { return nil }
        switch storage(of: property) {
        case .attribute(let column): return column
        case .toOne(let key, _): return key
        default: return nil
        }
    }

    private func fetchIndex(
        _ index: FetchIndexDescription, of entity: Entity, on table: String, _ indexes: inout IndexNames
    ) -> IndexDefinition? {
        let generator = FetchIndexSQL(entity: entity, names: self)
        var columns: [String] = []
        for element in index.elements {
            let column =
                if let format = element.expressionFormat { generator.element(format) } else {
                    column(element.attributeName, of: entity).map(SQLIdentifier.quoted)
                }
            guard let column else { return nil }
            columns.append("\(column) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")")
        }
        var definition = indexes.index("Z_\(entity.name)_\(index.name)", on: table, quotedColumns: columns)
        definition.condition = index.partialIndexPredicateFormat.flatMap { generator.condition($0)?.sql }
        return definition
    }

    private func uniqueIndex(
        _ constraint: [String], of entity: Entity, on table: String, _ indexes: inout IndexNames
    ) -> IndexDefinition? {
        let columns = constraint.compactMap { column($0, of: entity) }
        guard columns.count == constraint.count else { return nil }
        var definition = indexes.index(
            "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))", on: table,
            quotedColumns: columns.map { "\(SQLIdentifier.quoted($0)) COLLATE BINARY ASC" })
        definition.constraint = IndexDefinition.Constraint(
            entity: entity, properties: constraint, columns: columns.map(SQLIdentifier.quoted))
        let isInherited = constraint.contains { entity.property(named: $0)?.declaringEntityIndex != entity.index }
        // The column also belongs to the parent, to whose rows the constraint does not apply.
        if isInherited { definition.condition = numbers.condition(forFamilyOf: entity) }
        return definition
    }

    /// The rows of `Z_PRIMARYKEY`: number, name and the parent's number.
    func primaryKeyRows() -> [(number: Int32, name: String, parent: Int32)] {
        model.entities.filter { numbers.has(entityIndex: $0.index) }.map { entity in
            (
                numbers.number(ofEntityIndex: entity.index), entity.name,
                entity.superentityIndex.map { numbers.number(ofEntityIndex: $0) } ?? 0
            )
        }
    }
}

/// An index of a store.
struct IndexDefinition {
    /// The constraint that a unique index enforces.
    struct Constraint {
        let entity: Entity
        let properties: [String]
        /// Quoted.
        let columns: [String]
    }

    let name: String
    let table: String
    /// As written in the statement.
    let columns: [String]
    /// For a unique index, its constraint.
    var constraint: Constraint?
    /// Limits the index to some rows.
    var condition: String?

    var sql: String {
        "CREATE \(constraint == nil ? "" : "UNIQUE ")INDEX \(SQLIdentifier.quoted(name)) "
            + "ON \(SQLIdentifier.quoted(table)) (\(columns.joined(separator: ", ")))" + (condition.map { " WHERE " + $0 } ?? "")
    }
}

/// Index names are unique in the whole file: a name that is taken gets a digit.
private struct IndexNames {
    private var used: Set<String> = []

    mutating func index(_ name: String, on table: String, _ columns: [String]) -> IndexDefinition {
        index(name, on: table, quotedColumns: columns.map(SQLIdentifier.quoted))
    }

    mutating func index(_ name: String, on table: String, quotedColumns: [String]) -> IndexDefinition {
        var candidate = name
        var digit = 0
        while !used.insert(candidate.uppercased()).inserted {
            digit += 1
            candidate = "\(name)\(digit)"
        }
        return IndexDefinition(name: candidate, table: table, columns: quotedColumns)
    }
}
