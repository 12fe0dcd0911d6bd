internal import CSQLite

/// A connection to an SQLite file, with its prepared statements. Used by one thread at a time,
/// which is up to its owner.
package final class Connection {
    /// The `sqlite3 *`. Not valid after the connection has been closed.
    package let handle: OpaquePointer
    package let path: String
    @exclusivity(unchecked) private var statements: [String: Statement] = [:]
    /// Statements that callers keep the text of, found without hashing the text.
    @exclusivity(unchecked) private var held: [ObjectIdentifier: Statement] = [:]
    private var knownNewCells: NewCells?
    @exclusivity(unchecked) private var knownMainFile: UnsafeMutablePointer<sqlite3_file>?
    private var knownFoundRows: FoundRows?
    /// The statements of `held` that were used last, and their keys.
    @exclusivity(unchecked) private var recent: [Statement] = []
    @exclusivity(unchecked) private var recentKeys: [ObjectIdentifier] = []
    /// Whether statements are refused: it has been closed, or is about to be.
    private var isClosed = false
    private var isHandleClosed = false
    private let busyWait: UnsafeMutablePointer<BusyWait>
    private let epoch = ForkGuard.epoch
    private let running = RunningStatements()
    let logSource: LogSource
    /// Who has last checked the file's header, which is in page 1, in the states that the connection
    /// reads, as a serial number of their own; 0 if it may have changed since.
    @exclusivity(unchecked) package private(set) var headerCheck: UInt64 = 0
    /// Whether the owner calls `forgetHeaderCheck` whenever page 1 may have changed.
    @exclusivity(unchecked) var keepsHeaderCheck = false
    /// Pragmas to be run before the first transaction that writes and the first checkpoint. SQLite
    /// reads the whole schema for them: too much work for opening a store that is perhaps only read.
    @exclusivity(unchecked) var lateSettings: [String] = []

    /// The number of prepared statements after which idle ones are dropped, in case a program keeps
    /// making up SQL.
    private static let statementLimit = 512
    private static let recentLimit = 8

    /// Opens a file.
    ///
    /// - Parameters:
    /// - flags: for `sqlite3_open_v2`; `SQLITE_OPEN_NOMUTEX` is added.
    ///   - vfs: the name of the VFS; nil for the default.
    ///   - part: what the connection is for, as shown in the log.
    ///   - trustsSchema: whether triggers, views and functions in the file's schema may run.
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
        endStatements()
        guard !isHandleClosed, ForkGuard.epoch == epoch else { return }
        isHandleClosed = true
        // Statements still in use may keep the handle open for a while.
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_close_v2(handle)
        busyWait.deallocate()
    }

    /// Ends all statements, and refuses others. The handle stays valid until `close`, for callers
    /// up the stack that are about to use it.
    func endStatements() {
        // In a forked child, the connection belongs to the parent; closing it would run SQLite's
        // cleanup with wrong lock counts.
        guard !isClosed, ForkGuard.epoch == epoch else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        for statement in held.values { statement.finalize() }
        statements = [:]
        held = [:]
        (recent, recentKeys) = ([], [])
    }

    private func requireOpen() throws(SQLiteError) {
        guard !isClosed else {
            throw SQLiteError(kind: .closed, extendedCode: SQLITE_MISUSE, message: "the store has been closed", path: path)
        }
    }

    /// Runs one or more statements and ignores their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        try requireOpen()
        let code = run(sql)
        if code != SQLITE_OK { throw error(code, sql: sql) }
    }

    /// Runs SQL on an open connection and returns SQLite's result code.
    private func run(_ sql: String) -> Int32 {
        if SQLLog.isEnabled { SQLLog.log(sql, logSource) }
        return sqlite3_exec(handle, sql, nil, nil, nil)
    }

    // Every save and every read at another generation runs these.
    private static let begin = StatementText("BEGIN")
    private static let beginImmediate = StatementText("BEGIN IMMEDIATE")
    private static let commit = StatementText("COMMIT")
    private static let rollback = StatementText("ROLLBACK")

    /// Begins a transaction; its first read determines the state that it sees.
    func beginReading() throws(SQLiteError) { try runPrepared(Self.begin) }

    /// Begins a transaction that holds the write lock.
    func beginWriting() throws(SQLiteError) {
        try applyLateSettings()
        try runPrepared(Self.beginImmediate)
    }

    /// Call outside of transactions.
    func applyLateSettings() throws(SQLiteError) {
        if lateSettings.isEmpty { return }
        for pragma in lateSettings { try execute(pragma) }
        lateSettings = []
    }

    /// Whether the file is in WAL mode, once something has been read: in other modes the journal is
    /// only open while something is written. The pragma would read the whole schema.
    var isInWALMode: Bool {
        var journal: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal)
        return journal?.pointee.pMethods != nil
    }

    func commit() throws(SQLiteError) { try runPrepared(Self.commit) }

    /// Ends the transaction that `beginReading` began, if it is still open, and statements that
    /// read in it.
    func endReading() throws(SQLiteError) {
        guard isInTransaction else { return }
        if hasRunningStatements { resetStatements() }
        try runPrepared(Self.rollback)
    }

    private func runPrepared(_ text: StatementText) throws(SQLiteError) { try statement(text).run() }

    /// Prepares the statement that rolls back. Rolling back then needs no memory; if it failed, the
    /// write lock would remain.
    func prepareRollback() throws(SQLiteError) { try statement(Self.rollback).reset() }

    /// Rolls the transaction back.
    func rollBack() throws(SQLiteError) { try runPrepared(Self.rollback) }

    /// Makes SQLite drop all cached pages except the first, which a transaction keeps.
    ///
    /// - Returns: whether it did. An application's own page cache may not.
    func emptyPageCache(pageSize: Int) -> Bool {
        if hasRunningStatements { return false }
        sqlite3_db_release_memory(handle)
        var used: Int32 = 0, highest: Int32 = 0
        guard sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0) == SQLITE_OK else { return false }
        // Room for one page, the first page in a transaction, and less than a page for other
        // memory.
        return Int(used) < (isInTransaction ? 3 : 2) * pageSize
    }

    /// Remembers a check of the file's header, on a connection whose owner knows when it changes.
    package func noteHeaderCheck(_ serial: UInt64) { if keepsHeaderCheck { headerCheck = serial } }

    func forgetHeaderCheck() { headerCheck = 0 }

    /// Whether a statement has been left running.
    var hasRunningStatements: Bool { running.count != 0 }

    /// Rolls back the open transaction, if there is one. Closing the connection ends it in any
    /// case.
    func endTransaction() {
        if isInTransaction { _ = run("ROLLBACK") }
    }

    /// A prepared statement, ready to be bound. It is cached, and available again once it is reset.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql], known.takeIfIdle() { return known }
        let statement = try prepare(sql, SQLITE_PREPARE_PERSISTENT)
        // A cached statement that is in use stays; this one is finalized after use.
        if statements[sql] == nil {
            if statements.count >= Self.statementLimit { statements = statements.filter { !$0.value.isIdle } }
            statements[sql] = statement
        }
        return statement
    }

    private func prepare(_ sql: String, _ flags: Int32) throws(SQLiteError) -> Statement {
        try requireOpen()
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(flags), &prepared, nil)
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
        guard let prepared else {
            throw SQLiteError(
                kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "the text contains no statement", path: path, sql: sql)
        }
        return Statement(handle: prepared, database: handle, path: path, sql: sql, logSource: logSource, running: running)
    }

    /// Runs a statement that is not needed again, and calls a body with each row.
    package func forEachRow(_ sql: String, _ body: (Statement) throws -> Void) throws {
        let statement = try prepare(sql, 0)
        defer { statement.finalize() }
        while try statement.step() { try body(statement) }
    }

    /// A prepared statement for a text that the caller keeps.
    package func statement(_ text: StatementText) throws(SQLiteError) -> Statement {
        // The statement keeps its text.
        let key = ObjectIdentifier(text)
        if let known = heldStatement(key) { return known.takeIfIdle() ? known : try statement(text.sql) }
        let statement = try statement(text.sql)
        if held.count >= Self.statementLimit { held = held.filter { !$0.value.isIdle } }
        // The statement may be known by another object with the same text, which may end now.
        if let other = statement.text {
            held[ObjectIdentifier(other)] = nil
            if let place = recent.firstIndex(where: { $0 === statement }) { forgetRecent(at: place) }
        }
        statement.text = text
        held[key] = statement
        return statement
    }

    private func heldStatement(_ key: ObjectIdentifier) -> Statement? {
        if let place = recentKeys.firstIndex(of: key) { return recent[place] }
        guard let known = held[key] else { return nil }
        if recent.count >= Self.recentLimit { forgetRecent(at: 0) }
        recent.append(known)
        recentKeys.append(key)
        return known
    }

    private func forgetRecent(at place: Int) {
        recent.remove(at: place)
        recentKeys.remove(at: place)
    }

    /// The function that gives many rows new cells with one statement of this connection.
    package func newCells() throws(SQLiteError) -> NewCells {
        if let knownNewCells { return knownNewCells }
        try requireOpen()
        let cells = try NewCells(registeringOn: handle)
        knownNewCells = cells
        return cells
    }

    /// The function that records conflicting rows in upserts of this connection.
    package func foundRows() throws(SQLiteError) -> FoundRows {
        if let knownFoundRows { return knownFoundRows }
        try requireOpen()
        let rows = try FoundRows(registeringOn: handle)
        knownFoundRows = rows
        return rows
    }

    /// Resets statements left running, as after an error, which ends the read transaction.
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

    /// The first column of the first row as text; nil if there is no row.
    package func value(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try self.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.string(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { !isClosed && sqlite3_get_autocommit(handle) == 0 }

    package var changes: Int { Int(sqlite3_changes64(handle)) }
    /// The total number of rows written by the connection.
    package var totalChanges: Int64 { sqlite3_total_changes64(handle) }
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How long to wait for locks of other processes, in seconds; 0 or less means not at all.
    func setBusyTimeout(_ seconds: Double) {
        busyWait.pointee = BusyWait(timeout: min(seconds, 1_000_000))
        BusyWait.install(busyWait, on: handle)
    }

    /// The absolute path of the main file without symbolic links, after which journals are named.
    var fileName: String? { sqlite3_db_filename(handle, "main").map { String(cString: $0) } }

    /// The main file of the connection as its VFS sees it.
    var mainFile: UnsafeMutablePointer<sqlite3_file>? {
        if knownMainFile == nil { sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &knownMainFile) }
        return knownMainFile
    }

    func error(_ code: Int32, sql: String? = nil) -> SQLiteError { SQLiteError(code: code, handle: handle, path: path, sql: sql) }
}
