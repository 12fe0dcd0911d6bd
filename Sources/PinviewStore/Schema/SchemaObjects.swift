import PinviewGenerations

/// What a file's schema has besides ordinary tables.
struct SchemaObjects {
    /// All that are active except generated columns, which are parts of tables.
    private(set) var active: [ActiveSchemaObject] = []
    /// The indexes that were made by a statement; those that SQLite makes for a table's own
    /// constraints are not among them.
    private(set) var indexes: [ExistingIndex] = []

    init(_ connection: Connection) throws {
        var virtualTables: [ActiveSchemaObject] = []
        let statement = try connection.statement("SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master")
        defer { statement.reset() }
        while try statement.step() {
            let type = statement.string(0), name = statement.string(1), table = statement.string(2)
            switch type {
            case "table":
                if statement.int64(4) == 0 { virtualTables.append(ActiveSchemaObject(kind: .virtualTable, name: name, table: name)) }
            case "index":
                if !statement.isNull(3) { indexes.append(ExistingIndex(name: name, table: table, sql: statement.string(3))) }
            default:
                guard let kind = ActiveSchemaObject.Kind(rawValue: type) else { continue }
                active.append(ActiveSchemaObject(kind: kind, name: name, table: table))
            }
        }
        active += virtualTables
        if !indexes.isEmpty { active += try Self.indexesOfExpressions(connection) }
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
