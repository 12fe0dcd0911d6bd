internal import CSQLite
import Glibc

/// An SQL statement of the program's own that reads one state of a store, on a connection of its
/// own, so that no other reader waits for it. May be used on any thread, by one at a time.
///
/// It holds its generation until it is released.
package final class SQLReader: @unchecked Sendable {  // guarded by `lock`
    private let file: StoreFile
    /// Nil in a store without generations.
    private let generation: Generation?
    private let pin: ReadPin?
    private let reader: FrozenReader?
    private let connection: Connection
    private let statement: Statement
    private let authorizer = ReadOnlyAuthorizer()
    private let monitor = ReadMonitor()
    private let lock = Lock()
    private var isAtEnd = false

    package let columnNames: [String]

    /// The number of bytes after which a batch of rows ends.
    private static let batchBytes = 1 << 20

    /// Prepares a statement.
    ///
    /// - Parameter generation: nil for the newest state.
    /// - Throws: kind `sqlite` for a mistake in the statement or one that does not only read.
    init(file: StoreFile, generation: Generation?, sql: String) throws {
        self.file = file
        if let shared = file.shared, let examined = shared.examined {
            let held = try generation ?? file.currentGeneration()
            guard let commit = examined.commits.first(where: { shared.identity(of: examined.header(of: $0)) == held.identity }) else {
                throw Self.withoutMarks(file.path)
            }
            (self.generation, pin, reader) = (held, nil, nil)
            connection = try ExaminedVFS.connect(to: examined, at: commit, part: .reader, file.options)
        } else if let shared = file.shared {
            let held = try generation ?? file.currentGeneration()
            let pin: ReadPin
            switch try file.pin(of: held, shared) {
            case .mark(let mark): pin = mark
            case .copy(let copy): pin = copy
            case .transaction: throw Self.withoutMarks(file.path)
            }
            guard let vfs = ShimVFS.shared, let slots = shared.slots else { throw Self.withoutMarks(file.path) }
            try file.prove(held, pin, shared, after: .none)
            let reader = try FrozenReader(
                path: shared.path, vfs: vfs, pin: pin, index: shared.index, indexDescriptor: slots.indexDescriptor, options: file.options)
            reader.connection.logSource.generation = held.ordinal
            (self.generation, self.pin, self.reader, connection) = (held, pin, reader, reader.connection)
        } else {
            guard file.namedFiles != nil else {
                throw SQLiteError(
                    kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "SQL can be run in files only, and this store is in memory",
                    path: file.path)
            }
            (self.generation, pin, reader) = (nil, nil, nil)
            connection = try Connection(path: file.fileName, flags: SQLITE_OPEN_READONLY, trustsSchema: file.options.trustsSchema)
            connection.setBusyTimeout(file.options.busyTimeout)
            try file.options.prepareReader(connection)
        }
        authorizer.install(on: connection.handle)
        (statement, columnNames) = try Self.prepare(sql, on: connection, authorizer)
    }

    deinit {
        statement.reset()
        connection.close()
    }

    private static func withoutMarks(_ path: String) -> SQLiteError {
        SQLiteError(
            kind: .notWAL, extendedCode: SQLITE_ERROR, message: "its generations can be read by one connection at a time only", path: path)
    }

    private static func prepare(
        _ sql: String, on connection: Connection, _ authorizer: ReadOnlyAuthorizer
    ) throws(SQLiteError) -> (Statement, [String]) {
        func mistake(_ message: String, _ code: Int32 = SQLITE_MISUSE) -> SQLiteError {
            SQLiteError(kind: .sqlite, extendedCode: code, message: message, path: connection.path, sql: sql)
        }
        guard !sql.utf8.contains(0) else { throw mistake("the statement contains a NUL character") }
        let statement: Statement
        do throws(SQLiteError) {
            statement = try connection.statement(sql)
        } catch {
            guard let refusal = authorizer.refusal else { throw error }
            throw mistake("only statements that read can be run, and this one would \(refusal)", SQLITE_AUTH)
        }
        guard sqlite3_stmt_readonly(statement.handle) != 0 else {
            throw mistake("only statements that read can be run, and this one would change the file", SQLITE_AUTH)
        }
        guard isSingle(sql, on: connection.handle) else { throw mistake("there is more than one statement; run them one by one") }
        let names = (0..<sqlite3_column_count(statement.handle)).map { column in
            sqlite3_column_name(statement.handle, column).map { String(cString: $0) } ?? ""
        }
        return (statement, names)
    }

    /// Whether nothing but comments follows the first statement.
    private static func isSingle(_ sql: String, on connection: OpaquePointer) -> Bool {
        sql.withCString { text in
            var first: OpaquePointer?, next: OpaquePointer?
            var rest: UnsafePointer<CChar>?
            sqlite3_prepare_v2(connection, text, -1, &first, &rest)
            sqlite3_finalize(first)
            guard let rest else { return true }
            let code = sqlite3_prepare_v2(connection, rest, -1, &next, nil)
            sqlite3_finalize(next)
            return code == SQLITE_OK && next == nil
        }
    }

    // MARK: Parameters

    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(statement.handle)) }

    /// The number of a parameter with a name, with or without its `:`, `@` or `$`.
    package func parameterIndex(_ name: String) -> Int? {
        let names = name.first.map { ":@$?".contains($0) } == true ? [name] : [":", "@", "$"].map { $0 + name }
        return names.lazy.map { Int(sqlite3_bind_parameter_index(self.statement.handle, $0)) }.first { $0 > 0 }
    }

    /// The name of a parameter as written in the statement; nil for a `?`.
    package func parameterName(_ index: Int) -> String? {
        sqlite3_bind_parameter_name(statement.handle, Int32(index)).map { String(cString: $0) }
    }

    /// Binds parameters, before the first row is read.
    package func bind(_ body: (Statement) throws -> Void) rethrows { try body(statement) }

    // MARK: Rows

    /// Reads rows; fewer than the limit if they are large.
    ///
    /// - Parameter row: called for each row; returns its size in bytes. The rows are proved to be
    ///   the generation's when the call returns, not before.
    /// - Returns: whether more rows may follow.
    package func read(limit: Int, _ row: (Statement) throws -> Int) throws -> Bool {
        try lock.withLock {
            try file.requireOpen()
            guard !isAtEnd, limit > 0 else { return !isAtEnd }
            if monitor.isCancelled {
                throw SQLiteError(kind: .interrupted, extendedCode: SQLITE_INTERRUPT, message: "interrupted", path: file.path)
            }
            connection.watch(with: monitor)
            defer { connection.endWatching() }
            do {
                var rows = 0, bytes = 0
                while rows < limit, bytes < Self.batchBytes {
                    guard try statement.step() else {
                        isAtEnd = true
                        break
                    }
                    bytes += try row(statement)
                    rows += 1
                }
                if let generation, let pin, let shared = file.shared, let reader {
                    try file.prove(generation, pin, shared, after: reader.takePageReads())
                }
            } catch {
                // What failed is not continued.
                isAtEnd = true
                statement.reset()
                if let generation, let pin, let shared = file.shared { try file.prove(generation, pin, shared, after: .any) }
                throw error
            }
            if isAtEnd { statement.reset() }
            return !isAtEnd
        }
    }

    /// Stops the read under way, and further ones. Any thread may call this.
    package func interrupt() { monitor.cancel() }
}

extension StoreFile {
    /// Prepares a statement that reads a generation; nil for the newest state.
    package func sqlReader(_ sql: String, at generation: Generation?) throws -> SQLReader {
        try requireOpen()
        return try SQLReader(file: self, generation: generation, sql: sql)
    }
}
