internal import CSQLite
import Glibc

/// The number of statements of a connection that are running.
final class RunningStatements {
    var count = 0
}

/// The text of a statement that is run repeatedly; whoever runs it keeps the object.
package final class StatementText: Sendable {
    package let sql: String
    package init(_ sql: String) { self.sql = sql }
}

/// A prepared statement of one connection, used only on the connection's thread.
package final class Statement {
    private(set) var handle: OpaquePointer?
    private let database: OpaquePointer
    private let path: String
    private let sql: String
    private let logSource: LogSource
    private let running: RunningStatements
    /// The key under which the connection caches the statement; retained so that no other text gets
    /// its address.
    var text: StatementText?
    private var isRunning = false
    /// Where SQLite keeps the values of its rows; nil before the first row.
    private var rowValues: RowValues?
    /// For rows read one at a time.
    private var rowStage: RowStage?
    /// The block that the rows read one at a time are added to.
    private var openBlock: OpenBlock?
    /// Whether nobody uses it, so that the connection may hand it out.
    private(set) var isIdle = false

    init(handle: OpaquePointer, database: OpaquePointer, path: String, sql: String, logSource: LogSource, running: RunningStatements) {
        self.handle = handle
        self.database = database
        self.path = path
        self.sql = sql
        self.logSource = logSource
        self.running = running
    }

    deinit { finalize() }

    func finalize() {
        guard let handle else { return }
        self.handle = nil
        stopRunning()
        sqlite3_finalize(handle)
        rowStage?.deallocate()
        rowStage = nil
        openBlock = nil
    }

    func takeIfIdle() -> Bool {
        guard isIdle else { return false }
        isIdle = false
        return true
    }

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    // MARK: Binding

    private func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw error(code) }
    }

    func error(_ code: Int32) -> SQLiteError {
        guard handle != nil else {
            return SQLiteError(kind: .closed, extendedCode: SQLITE_MISUSE, message: "the store has been closed", path: path, sql: sql)
        }
        return SQLiteError(code: code, handle: database, path: path, sql: sql)
    }

    package func bindNull(_ index: Int32) throws(SQLiteError) { try check(sqlite3_bind_null(handle, index)) }
    package func bind(_ index: Int32, _ value: Int64) throws(SQLiteError) { try check(sqlite3_bind_int64(handle, index, value)) }
    /// SQLite stores NaN as NULL.
    package func bind(_ index: Int32, _ value: Double) throws(SQLiteError) { try check(sqlite3_bind_double(handle, index, value)) }

    package func bind(_ index: Int32, _ value: String) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { bindText(index, UnsafeRawBufferPointer($0), Self.transient) }
        try check(code)
    }

    /// - Parameter isStatic: whether the bytes stay in place until the statement is reset or bound
    ///   again.
    package func bind(_ index: Int32, text: UnsafeRawBufferPointer, isStatic: Bool = false) throws(SQLiteError) {
        try check(bindText(index, text, isStatic ? nil : Self.transient))
    }

    package func bind(_ index: Int32, blob: UnsafeRawBufferPointer, isStatic: Bool = false) throws(SQLiteError) {
        guard let start = blob.baseAddress, blob.count > 0 else { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
        try check(sqlite3_bind_blob64(handle, index, start, UInt64(blob.count), isStatic ? nil : Self.transient))
    }

    private func bindText(_ index: Int32, _ bytes: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?) -> Int32 {
        // The empty string is not NULL, but SQLite treats a null pointer as NULL.
        guard let start = bytes.baseAddress else { return sqlite3_bind_text64(handle, index, "", 0, Self.transient, UInt8(SQLITE_UTF8)) }
        return sqlite3_bind_text64(
            handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8))
    }

    /// SQLITE_TRANSIENT, which Swift cannot import: SQLite copies the bytes before the call
    /// returns.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    // MARK: Running

    private func stopRunning() {
        if isRunning { running.count -= 1 }
        isRunning = false
    }

    private func begin() {
        isRunning = true
        running.count += 1
        isIdle = false
        if SQLLog.isEnabled { SQLLog.log(sql, logSource) }
    }

    private func failed(_ code: Int32) -> SQLiteError {
        let error = error(code)
        reset()
        return error
    }

    /// - Returns: whether there is a row.
    package func step() throws(SQLiteError) -> Bool {
        if !isRunning { begin() }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failed(code)
        }
    }

    /// Runs the statement to its end and resets it.
    package func run() throws(SQLiteError) {
        while try step() {}
        reset()
    }

    /// Runs the statement to its end and keeps its bindings for the next run.
    package func runAgain() throws(SQLiteError) {
        while try step() {}
        sqlite3_reset(handle)
        stopRunning()
    }

    /// Ends the run, clears the bindings and lets the connection hand out the statement again.
    package func reset() {
        // Its connection may have been closed meanwhile; clearing the bindings of no statement
        // crashes.
        guard let handle else { return stopRunning() }
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        stopRunning()
        isIdle = true
    }

    /// Appends up to `limit` rows; true if more may follow.
    package func fetch(into rows: RowCollector, limit: Int = .max) throws(SQLiteError) -> Bool {
        guard let handle else { throw error(SQLITE_MISUSE) }
        guard limit > 0 else { return true }
        if !isRunning { begin() }
        let monitor = ReadMonitor.current
        let code = rows.fill { stage, seal in
            var remaining = limit, noted = limit
            defer { monitor?.note(noted - remaining) }
            var code = sqlite3_step(handle)
            guard code == SQLITE_ROW else { return code }
            let values = valuesOfRow(handle)
            while true {
                stage.append(values)
                remaining -= 1
                if stage.isFull { seal(&stage) }
                if let monitor, noted - remaining == Self.rowsBetweenNotes {
                    monitor.note(Self.rowsBetweenNotes)
                    noted = remaining
                }
                guard remaining > 0 else { return SQLITE_ROW }
                code = sqlite3_step(handle)
                guard code == SQLITE_ROW else { return code }
            }
        }
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failed(code)
        }
    }

    private static let rowsBetweenNotes = 256

    /// Where the values of the current row are. They are where those of the first row were.
    private func valuesOfRow(_ handle: OpaquePointer) -> RowValues {
        if let rowValues { return rowValues }
        let values = RowValues(handle)
        rowValues = values
        return values
    }

    /// The next row, as a block and the row's number in it; nil after the last one. For statements
    /// that repeatedly read a single row: the memory in which the row is assembled is kept, rows of
    /// one generation share blocks, and the monitor of the thread does not count them.
    ///
    /// - Parameter rank: of the generation that is read; 0 if there is none, for a block of the
    ///   row's own.
    package func fetchRow(columnCount: Int, context: AnyObject?, rank: UInt64) throws(SQLiteError) -> (block: RowBlock, row: Int)? {
        guard let handle else { throw error(SQLITE_MISUSE) }
        if !isRunning { begin() }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: break
        case SQLITE_DONE: return nil
        case let code: throw failed(code)
        }
        if let rowStage, rowStage.columnCount != columnCount {
            rowStage.deallocate()
            self.rowStage = nil
        }
        var stage = rowStage ?? RowStage(columnCount: columnCount, rowCapacity: 1)
        let row = stage.add(valuesOfRow(handle), context: context, rank: rank, to: &openBlock)
        rowStage = stage
        return row
    }

    /// Appends up to `limit` rows, fewer if they have many bytes; true if more may follow.
    ///
    /// A value that its column cannot hold ends the fetch with false and is stored in
    /// `columns.failure`.
    package func fetch(into columns: PackedColumns, limit: Int) throws(SQLiteError) -> Bool {
        guard let handle else { throw error(SQLITE_MISUSE) }
        guard limit > 0 else { return true }
        if !isRunning { begin() }
        let monitor = ReadMonitor.current
        var remaining = limit
        while remaining > 0 {
            // In pieces, so that rare conditions are not checked for each row.
            let piece = min(remaining, Self.rowsBetweenNotes)
            for done in 0..<piece {
                let code = sqlite3_step(handle)
                guard code == SQLITE_ROW else {
                    monitor?.note(done)
                    if code == SQLITE_DONE { return false }
                    throw failed(code)
                }
                guard columns.append(handle, valuesOfRow(handle)) else { return false }
            }
            monitor?.note(piece)
            remaining -= piece
            if columns.hasManyBytes { return true }
        }
        return true
    }

    // MARK: The current row

    /// Whether a column of the current row holds the same value as a column of another statement's
    /// row. Numbers are compared by value: in a column with numeric affinity, 2.0 equals 2.
    package func hasSameValue(_ column: Int32, as other: Statement, _ otherColumn: Int32) -> Bool {
        let type = sqlite3_column_type(handle, column), otherType = sqlite3_column_type(other.handle, otherColumn)
        switch (type, otherType) {
        case (SQLITE_NULL, SQLITE_NULL): return true
        case (SQLITE_INTEGER, SQLITE_INTEGER): return int64(column) == other.int64(otherColumn)
        case (SQLITE_INTEGER, SQLITE_FLOAT), (SQLITE_FLOAT, SQLITE_INTEGER), (SQLITE_FLOAT, SQLITE_FLOAT):
            return double(column) == other.double(otherColumn)
        case (SQLITE_TEXT, SQLITE_TEXT), (SQLITE_BLOB, SQLITE_BLOB):
            return withBytes(column) { bytes in
                other.withBytes(otherColumn) { others in
                    guard bytes.count == others.count else { return false }
                    guard let start = bytes.baseAddress, let other = others.baseAddress else { return true }
                    return memcmp(start, other, bytes.count) == 0
                }
            }
        default: return false
        }
    }

    /// The type of a column's value in the current row.
    package func type(_ column: Int32) -> CellType { CellType(code: sqlite3_column_type(handle, column)) }
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
    package func string(_ column: Int32) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of text (UTF-8) or of a blob, valid during `body`.
    package func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let start: UnsafeRawPointer?
        if sqlite3_column_type(handle, column) == SQLITE_BLOB {
            start = sqlite3_column_blob(handle, column)
        } else {
            start = sqlite3_column_text(handle, column).map { UnsafeRawPointer($0) }
        }
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
    }
}
