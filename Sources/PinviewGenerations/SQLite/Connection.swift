internal import CSQLite

/// One connection to an SQLite file with its prepared statements. Used by one thread at a time, which its owner sees to.
package final class Connection {
    /// The `sqlite3 *`; do not use it once the connection has been closed.
    package let handle: OpaquePointer
    package let path: String
    private var statements: [String: Statement] = [:]
    /// Those of texts that are asked for again and again: found without hashing the text.
    private var held: [ObjectIdentifier: Statement] = [:]
    private var knownNewCells: NewCells?
    private var knownFoundRows: FoundRows?
    private var lastHeld: (text: Unmanaged<StatementText>, statement: Statement)?
    private var isClosed = false
    private let busyWait: UnsafeMutablePointer<BusyWait>
    private let epoch = ForkGuard.epoch
    private let running = RunningStatements()
    let logSource: LogSource

    /// How many statements a connection keeps prepared before it forgets the idle ones: a bound for programs that make up
    /// SQL without end.
    private static let statementLimit = 512

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - flags: of `sqlite3_open_v2`; `SQLITE_OPEN_NOMUTEX` is added.
    ///   - vfs: the name of the VFS; nil for the default one.
    ///   - part: what the connection is for, as the log says.
    ///   - trustsSchema: whether triggers, views and functions in the schema of the file may run.
    init(
        path: String, flags: Int32, vfs: String? = nil, part: ConnectionPart = .reader, trustsSchema: Bool = false
    ) throws(SQLiteError) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, vfs)
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(code: code, handle: opened, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 1)
        if !trustsSchema { pinview_distrust_file(opened) }
        handle = opened
        logSource = LogSource(database: opened, path: path, part: part)
        self.path = path
        busyWait = .allocate(capacity: 1)
        busyWait.initialize(to: BusyWait(timeout: 0))
    }

    deinit { close() }

    func close() {
        // In a forked child the connection is the parent's: closing it would run SQLite's clean-up on wrong lock counts.
        guard !isClosed, ForkGuard.epoch == epoch else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        for statement in held.values { statement.finalize() }
        statements = [:]
        held = [:]
        lastHeld = nil
        // Statements that somebody still has may keep the handle open for a while.
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_close_v2(handle)
        busyWait.deallocate()
    }

    private func requireOpen() throws(SQLiteError) {
        guard !isClosed else {
            throw SQLiteError(kind: .closed, extendedCode: SQLITE_MISUSE, message: "the store has been closed", path: path)
        }
    }

    /// Runs one or several statements that give no rows that anybody wants.
    package func execute(_ sql: String) throws(SQLiteError) {
        try requireOpen()
        let code = run(sql)
        if code != SQLITE_OK { throw error(code, sql: sql) }
    }

    /// Runs SQL on an open connection; gives SQLite's result code.
    private func run(_ sql: String) -> Int32 {
        if SQLLog.isEnabled { SQLLog.log(sql, logSource) }
        return sqlite3_exec(handle, sql, nil, nil, nil)
    }

    /// Begins a transaction; the first read takes its state.
    func beginReading() throws(SQLiteError) { try runKept("BEGIN") }

    /// Ends the transaction that `beginReading` began, if it has not ended, and whatever still reads in it.
    func endReading() throws(SQLiteError) {
        guard isInTransaction else { return }
        if hasRunningStatements { resetStatements() }
        try runKept("ROLLBACK")
    }

    private func runKept(_ sql: String) throws(SQLiteError) { try statement(sql).run() }

    /// Has SQLite forget all pages of the file but the first, which a transaction keeps.
    ///
    /// - Returns: whether it has. A page cache that a program has put in place of SQLite's own need not.
    func emptyPageCache(pageSize: Int) -> Bool {
        if hasRunningStatements { return false }
        sqlite3_db_release_memory(handle)
        var used: Int32 = 0, highest: Int32 = 0
        guard sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0) == SQLITE_OK else { return false }
        // Room for a page, the first page in a transaction, and less than one for what SQLite needs besides.
        return Int(used) < (isInTransaction ? 3 : 2) * pageSize
    }

    /// Whether somebody has left a statement running.
    var hasRunningStatements: Bool { running.count != 0 }

    /// Takes back the transaction that is open, if there is one. It ends in any case when the connection is closed.
    func endTransaction() {
        if isInTransaction { _ = run("ROLLBACK") }
    }

    /// The prepared statement of a text, ready to be bound; kept for the next time, and free for others once it is reset.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        try requireOpen()
        if let known = statements[sql], known.takeIfIdle() { return known }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
        guard let prepared else {
            throw SQLiteError(
                kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "there is no statement in the text", path: path, sql: sql)
        }
        let statement = Statement(handle: prepared, database: handle, path: path, sql: sql, logSource: logSource, running: running)
        // A statement that somebody is in the middle of stays; this one then ends with its user.
        if statements[sql] == nil {
            if statements.count >= Self.statementLimit { statements = statements.filter { !$0.value.isIdle } }
            statements[sql] = statement
        }
        return statement
    }

    /// The prepared statement of a text that the caller keeps.
    package func statement(_ text: StatementText) throws(SQLiteError) -> Statement {
        // The statement keeps its text.
        if let lastHeld, lastHeld.text.toOpaque() == Unmanaged.passUnretained(text).toOpaque(), lastHeld.statement.takeIfIdle() {
            return lastHeld.statement
        }
        let key = ObjectIdentifier(text)
        if let known = held[key] {
            lastHeld = (.passUnretained(text), known)
            return known.takeIfIdle() ? known : try statement(text.sql)
        }
        let statement = try statement(text.sql)
        if held.count >= Self.statementLimit { held = held.filter { !$0.value.isIdle } }
        statement.text = text
        held[key] = statement
        return statement
    }

    /// What statements of the connection give many rows new cells with.
    package func newCells() throws(SQLiteError) -> NewCells {
        if let knownNewCells { return knownNewCells }
        try requireOpen()
        let cells = try NewCells(registeringOn: handle)
        knownNewCells = cells
        return cells
    }

    /// What statements of the connection note the rows with that met others.
    package func foundRows() throws(SQLiteError) -> FoundRows {
        if let knownFoundRows { return knownFoundRows }
        try requireOpen()
        let rows = try FoundRows(registeringOn: handle)
        knownFoundRows = rows
        return rows
    }

    /// Resets what was left running, as a body that threw may do, and ends the read transaction with it.
    func resetStatements() {
        guard !isClosed else { return }
        for statement in statements.values where !statement.isIdle { statement.reset() }
        for statement in held.values where !statement.isIdle { statement.reset() }
        var running = sqlite3_next_stmt(handle, nil)
        while let statement = running {
            if sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
            running = sqlite3_next_stmt(handle, statement)
        }
    }

    /// The first column of the first row, as text; nil without a row.
    package func value(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try self.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.string(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { !isClosed && sqlite3_get_autocommit(handle) == 0 }

    package var changes: Int { Int(sqlite3_changes64(handle)) }
    /// How many rows the connection has written so far.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Stops the statement that runs, from any thread.
    package func interrupt() { sqlite3_interrupt(handle) }

    /// How long to wait for locks of other processes; 0 and less: not at all.
    func setBusyTimeout(_ seconds: Double) {
        busyWait.pointee = BusyWait(timeout: min(seconds, 1_000_000))
        BusyWait.install(busyWait, on: handle)
    }

    /// The absolute path of the main file, without symbolic links: journals are named after it.
    var fileName: String? { sqlite3_db_filename(handle, "main").map { String(cString: $0) } }

    /// The main file of the connection as its VFS sees it.
    var mainFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK ? file : nil
    }

    func error(_ code: Int32, sql: String? = nil) -> SQLiteError { SQLiteError(code: code, handle: handle, path: path, sql: sql) }
}
