internal import CSQLite

/// One connection to an SQLite file with its prepared statements. Used by one thread at a time, which its owner sees to.
package final class Connection {
    package let handle: OpaquePointer
    package let path: String
    private var statements: [String: Statement] = [:]
    private var isClosed = false

    /// How many statements a connection keeps prepared before it forgets them all: a bound for programs that make up SQL without end.
    private static let statementLimit = 512

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - flags: of `sqlite3_open_v2`; `SQLITE_OPEN_NOMUTEX` is added.
    ///   - vfs: the name of the VFS; nil for the default one.
    init(path: String, flags: Int32, vfs: String? = nil) throws(SQLiteError) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, vfs)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(code: code, handle: opened, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 1)
        handle = opened
        self.path = path
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs one or several statements that give no rows that anybody wants.
    package func execute(_ sql: String) throws(SQLiteError) {
        if SQLLog.isEnabled { log(sql) }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code, sql: sql) }
    }

    /// The prepared statement of a text, ready to be bound; kept for the next time.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code, sql: sql) }
        if statements.count >= Self.statementLimit { forgetStatements() }
        let statement = Statement(handle: prepared, connection: self, sql: sql)
        statements[sql] = statement
        return statement
    }

    /// Finalizes all kept statements. None of them may be in use.
    func forgetStatements() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    /// The first column of the first row, as text; nil without a row.
    package func value(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try self.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.string(0) : nil
    }

    package var changes: Int { Int(sqlite3_changes64(handle)) }
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Stops the statement that runs, from any thread.
    package func interrupt() { sqlite3_interrupt(handle) }

    func error(_ code: Int32, sql: String? = nil) -> SQLiteError { SQLiteError(code: code, handle: handle, path: path, sql: sql) }

    func log(_ sql: String) { SQLLog.log(sql) }
}
