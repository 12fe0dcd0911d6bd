import PinviewGenerations

/// What a file's schema has.
struct SchemaObjects {
    private(set) var tables = ExistingTables()
    /// What would run when its table is used.
    private(set) var active: [ActiveSchemaObject] = []
    /// The indexes that were made by a statement; those that SQLite makes for a table's own
    /// constraints are not among them.
    private(set) var indexes: [ExistingIndex] = []

    init(_ connection: Connection) throws {
        var virtualTables: [ActiveSchemaObject] = [], others: [ActiveSchemaObject] = []
        let statement = try connection.statement("SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master")
        defer { statement.reset() }
        while try statement.step() {
            let type = statement.string(0), name = statement.string(1), table = statement.string(2)
            switch type {
            case "table":
                if statement.int64(4) == 0 {
                    virtualTables.append(ActiveSchemaObject(kind: .virtualTable, name: name, table: name))
                } else if let columns = PlainStatement(statement.string(3))?.columns {
                    tables.add(name, columns: columns)
                    continue
                }
                // While the statement runs, nobody changes the schema.
                try addColumns(of: name, connection)
            case "index":
                if !statement.isNull(3) { indexes.append(ExistingIndex(name: name, table: table, sql: statement.string(3))) }
            default:
                guard let kind = ActiveSchemaObject.Kind(rawValue: type) else { continue }
                others.append(ActiveSchemaObject(kind: kind, name: name, table: table))
            }
        }
        active += others + virtualTables
        if !indexes.allSatisfy({ PlainStatement($0.sql)?.isIndexOfColumns ?? false }) {
            active += try Self.indexesOfExpressions(connection)
        }
    }

    private mutating func addColumns(of table: String, _ connection: Connection) throws {
        var columns: [(name: String, type: String)] = []
        // The same as the function `pragma_table_xinfo`, at less than half the price.
        try connection.forEachRow("PRAGMA main.table_xinfo(\(SQLIdentifier.inQuotes(table)))") { row in
            switch row.int64(6) {
            case 0: columns.append((row.string(1), row.string(2)))
            case 2, 3: active.append(ActiveSchemaObject(kind: .generatedColumn, name: row.string(1), table: table))
            default: break
            }
        }
        tables.add(table, columns: columns)
    }

    private static func indexesOfExpressions(_ connection: Connection) throws -> [ActiveSchemaObject] {
        let statement = try connection.statement(
            "SELECT m.name, m.tbl_name FROM sqlite_master AS m JOIN pragma_index_xinfo(m.name) AS p WHERE m.type = 'index' AND p.cid = -2")
        defer { statement.reset() }
        var found: [ActiveSchemaObject] = []
        while try statement.step() {
            found.append(ActiveSchemaObject(kind: .index, name: statement.string(0), table: statement.string(1)))
        }
        return found
    }
}
