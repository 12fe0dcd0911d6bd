import PinviewModel

extension SchemaNames {
    /// The statements that make an empty store's tables and indexes, and the rows of
    /// `Z_PRIMARYKEY`.
    func creationStatements() -> [String] {
        var statements = [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        ]
        for table in tables { statements.append(Self.creation(of: table)) }
        for table in joinTables { statements.append(Self.creation(of: table)) }
        var indexes = IndexNames()
        for table in tables {
            if model.entities[table.rootIndex].familyIndexes.count > 1 {
                statements.append(indexes.index("\(table.name)_Z_ENT_INDEX", on: table.name, ["Z_ENT"]))
            }
            for key in table.keys { statements.append(indexes.index("\(table.name)_\(key)_INDEX", on: table.name, [key])) }
        }
        for table in joinTables {
            statements.append(indexes.index("\(table.name)_\(table.second)_INDEX", on: table.name, [table.second, table.first]))
        }
        for entity in model.entities where numbers.has(entityIndex: entity.index) {
            guard let table = tables.first(where: { $0.rootIndex == entity.rootIndex }) else { continue }
            statements += entity.indexes.compactMap { fetchIndex($0, of: entity, on: table.name, &indexes) }
            statements += entity.uniquenessConstraints.compactMap { uniqueIndex($0, of: entity, on: table.name, &indexes) }
        }
        return statements
    }

    private static func creation(of table: EntityTable) -> String {
        let columns = table.columns.map { ", \(SQLIdentifier.quoted($0.name)) \($0.type)" }.joined()
        return "CREATE TABLE \(SQLIdentifier.quoted(table.name)) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns))"
    }

    private static func creation(of table: JoinTable) -> String {
        let keys = [table.first, table.second].map(SQLIdentifier.quoted)
        let columns = (keys + table.orders.map(SQLIdentifier.quoted)).map { "\($0) INTEGER" }.joined(separator: ", ")
        return "CREATE TABLE \(SQLIdentifier.quoted(table.name)) (\(columns), PRIMARY KEY (\(keys.joined(separator: ", "))))"
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
    ) -> String? {
        var columns: [String] = []
        for element in index.elements {
            guard let column = column(element.attributeName, of: entity) else { return nil }
            columns.append("\(SQLIdentifier.quoted(column)) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")")
        }
        return indexes.index("Z_\(entity.name)_\(index.name)", on: table, quotedColumns: columns)
    }

    private func uniqueIndex(_ constraint: [String], of entity: Entity, on table: String, _ indexes: inout IndexNames) -> String? {
        let columns = constraint.compactMap { column($0, of: entity) }
        guard columns.count == constraint.count else { return nil }
        let statement = indexes.index(
            "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))", on: table, isUnique: true,
            quotedColumns: columns.map { "\(SQLIdentifier.quoted($0)) COLLATE BINARY ASC" })
        let isInherited = constraint.contains { entity.property(named: $0)?.declaringEntityIndex != entity.index }
        guard isInherited else { return statement }
        // The column is the parent's too, whose rows the constraint does not bind.
        return statement + " WHERE " + numbers.condition(forFamilyOf: entity)
    }

    /// The rows of `Z_PRIMARYKEY`: number, name and parent's number.
    func primaryKeyRows() -> [(number: Int32, name: String, parent: Int32)] {
        model.entities.filter { numbers.has(entityIndex: $0.index) }.map { entity in
            (
                numbers.number(ofEntityIndex: entity.index), entity.name,
                entity.superentityIndex.map { numbers.number(ofEntityIndex: $0) } ?? 0
            )
        }
    }
}

/// Index names belong to the whole file: one that is taken gets a digit.
private struct IndexNames {
    private var used: Set<String> = []

    mutating func index(_ name: String, on table: String, _ columns: [String]) -> String {
        index(name, on: table, quotedColumns: columns.map(SQLIdentifier.quoted))
    }

    mutating func index(_ name: String, on table: String, isUnique: Bool = false, quotedColumns: [String]) -> String {
        var candidate = name
        var digit = 0
        while !used.insert(candidate.uppercased()).inserted {
            digit += 1
            candidate = "\(name)\(digit)"
        }
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLIdentifier.quoted(candidate)) "
            + "ON \(SQLIdentifier.quoted(table)) (\(quotedColumns.joined(separator: ", ")))"
    }
}
