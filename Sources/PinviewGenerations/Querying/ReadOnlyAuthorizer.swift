internal import CSQLite

/// Lets the statements of a connection read and do nothing else: no changes, no attached files, no
/// transactions, and only pragmas that return something.
final class ReadOnlyAuthorizer {
    /// What the statement that was refused would have done.
    private(set) var refusal: String?

    /// Pragmas that take the name of a table or an index.
    private static let pragmasWithArgument: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "integrity_check",
        "quick_check",
    ]
    /// Pragmas that would set something if they had an argument.
    private static let pragmas: Set<String> = [
        "application_id", "auto_vacuum", "collation_list", "compile_options", "database_list", "encoding", "freelist_count",
        "function_list", "journal_mode", "module_list", "page_count", "page_size", "pragma_list", "schema_version", "user_version",
    ]

    /// Watches the statements that a connection prepares from now on. Must live as long as the
    /// connection is used.
    func install(on connection: OpaquePointer) {
        sqlite3_set_authorizer(
            connection,
            { authorizer, action, first, second, _, _ in
                guard let authorizer else { return SQLITE_DENY }
                return Unmanaged<ReadOnlyAuthorizer>.fromOpaque(authorizer).takeUnretainedValue()
                    .decide(action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func decide(_ action: Int32, _ first: String?, _ second: String?) -> Int32 {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return SQLITE_OK
        // Table-valued functions declare their columns like this, also in a statement that only
        // reads. A statement that creates a table is found out because it writes.
        case SQLITE_INSERT where first == "sqlite_master", SQLITE_UPDATE where first == "sqlite_master", SQLITE_CREATE_TABLE:
            return SQLITE_OK
        case SQLITE_FUNCTION where second?.lowercased() != "load_extension": return SQLITE_OK
        case SQLITE_PRAGMA:
            let name = (first ?? "").lowercased()
            if Self.pragmasWithArgument.contains(name) || second == nil && Self.pragmas.contains(name) { return SQLITE_OK }
            refusal = "use PRAGMA \(name)"
        default: refusal = Self.description(action, first ?? "")
        }
        return SQLITE_DENY
    }

    private static func description(_ action: Int32, _ name: String) -> String {
        switch action {
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            // What changes the schema first asks to change its table.
            name.lowercased().hasPrefix("sqlite_") ? "change the schema" : "change the table \(name)"
        case SQLITE_ATTACH: "attach the file \(name)"
        case SQLITE_DETACH: "detach \(name)"
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: "begin or end a transaction"
        case SQLITE_FUNCTION: "load an extension"
        default: "change the schema"
        }
    }
}
