import RawSQLite

/// What somebody writes who works on the store by hand: prepared statements, and rows kept in memory where objects are.
final class Connection {
    let database: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    init(path: String) {
        database = raw_open_cached(path)
        raw_execute(database, "PRAGMA synchronous = normal")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        raw_close(database)
    }

    func execute(_ sql: String) { raw_execute(database, sql) }

    /// A statement, prepared once.
    private func statement(_ sql: String) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        let statement: OpaquePointer = raw_prepare(database, sql)
        statements[sql] = statement
        return statement
    }

    /// The statement with its parameters bound.
    private func bound(_ sql: String, _ parameters: [Int64]) -> OpaquePointer {
        let statement = statement(sql)
        for (place, parameter) in parameters.enumerated() { sqlite3_bind_int64(statement, Int32(place) + 1, parameter) }
        return statement
    }

    /// Calls `row` for each row.
    func forEachRow(_ sql: String, _ parameters: Int64..., row: (OpaquePointer) -> Void) { step(bound(sql, parameters), row) }

    /// The number that a statement gives.
    func value(_ sql: String, _ parameters: Int64...) -> Int64 {
        var value: Int64 = 0
        step(bound(sql, parameters)) { value = sqlite3_column_int64($0, 0) }
        return value
    }

    private func step(_ statement: OpaquePointer, _ row: (OpaquePointer) -> Void) {
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            row(statement)
            code = sqlite3_step(statement)
        }
        raw_check(database, code, SQLITE_DONE, "step")
        sqlite3_reset(statement)
    }

    /// Runs a statement that writes.
    func run(_ sql: String, _ parameters: Int64...) { step(bound(sql, parameters)) { _ in } }

    /// The place of a column among those that a statement gives.
    func place(of column: String, in sql: String) -> Int32 {
        let statement = statement(sql)
        return (0..<sqlite3_column_count(statement)).first { String(cString: sqlite3_column_name(statement, $0)) == column } ?? 0
    }

    func transaction(_ work: () -> Void) {
        execute("BEGIN IMMEDIATE")
        work()
        execute("COMMIT")
    }

    /// All rows of a statement, kept.
    func rows(_ sql: String, _ parameters: Int64...) -> KeptRows {
        let statement = bound(sql, parameters)
        var rows = KeptRows(width: Int(sqlite3_column_count(statement)))
        step(statement) { rows.append($0) }
        return rows
    }
}

/// Rows in memory: numbers as they are, texts and data behind one another.
struct KeptRows {
    private enum Kind: UInt8 {
        case null, integer, double, bytes
    }

    let width: Int
    private var kinds: [Kind] = []
    /// The number, or the place of the first byte and the length.
    private var payloads: [UInt64] = []
    private var bytes: [UInt8] = []

    init(width: Int) { self.width = width }

    var count: Int { kinds.count / width }

    mutating func append(_ statement: OpaquePointer) {
        for column in 0..<Int32(width) {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER:
                kinds.append(.integer)
                payloads.append(UInt64(bitPattern: sqlite3_column_int64(statement, column)))
            case SQLITE_FLOAT:
                kinds.append(.double)
                payloads.append(sqlite3_column_double(statement, column).bitPattern)
            case SQLITE_NULL:
                kinds.append(.null)
                payloads.append(0)
            default:
                let start = sqlite3_column_blob(statement, column), length = Int(sqlite3_column_bytes(statement, column))
                kinds.append(.bytes)
                payloads.append(UInt64(bytes.count) << 32 | UInt64(length))
                bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
            }
        }
    }

    /// The sum over some columns: numbers cut to integers, lengths of texts.
    func checksum(_ columns: [Int]) -> Int64 {
        var sum: Int64 = 0
        var first = 0
        while first < kinds.count {
            for column in columns {
                let payload = payloads[first + column]
                switch kinds[first + column] {
                case .null: break
                case .integer: sum += Int64(bitPattern: payload)
                case .double: sum += Int64(Double(bitPattern: payload))
                case .bytes: sum += Int64(payload & 0xFFFF_FFFF)
                }
            }
            first += width
        }
        return sum
    }
}
