/// An object in a file's schema that computes or does something when a table is used, added by
/// whoever made the file.
///
/// The library makes none of these but indexes of expressions that fetch indexes ask for. All
/// others on a store's tables come from someone else. They are refused unless the store is opened
/// with a trusted schema. Connections that do not trust the schema run no triggers and views,
/// whatever is added to the file later.
struct ActiveSchemaObject: Sendable {
    enum Kind: String, Sendable {
        case trigger, view
        case generatedColumn = "generated column"
        case virtualTable = "virtual table"
        case index = "index of an expression"
    }

    let kind: Kind
    let name: String
    /// For a view, its own name.
    let table: String

    /// Tables of every store besides those of its entities.
    private static let ownTables: Set<String> = [
        "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING", "PINVIEW_HISTORYCONSUMER",
        "PINVIEW_HISTORYQUIET",
    ]

    /// Whether it is on a table of a store.
    func concerns(_ names: SchemaNames) -> Bool {
        let table = table.uppercased()
        return Self.ownTables.contains(table) || names.tables.contains { $0.name.uppercased() == table }
            || names.usedJoinTables.contains { $0.uppercased() == table }
    }
}
