import BenchmarkSupport
import CSQLite
import PinviewGenerations

/// A program that does not use the library and commits to its store: each transaction updates one
/// row.
final class Writer {
    private var database: OpaquePointer?
    private var update: OpaquePointer?

    init(_ path: String) throws {
        try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil), SQLITE_OK)
        sqlite3_busy_timeout(database, 5000)
        try check(sqlite3_exec(database, "PRAGMA synchronous=normal", nil, nil, nil), SQLITE_OK)
        let sql = "UPDATE ZITEM SET ZVALUE = ?2, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1"
        try check(sqlite3_prepare_v2(database, sql, -1, &update, nil), SQLITE_OK)
    }

    deinit {
        sqlite3_finalize(update)
        sqlite3_close(database)
    }

    func set(_ key: Int64, _ value: Int64) throws {
        sqlite3_bind_int64(update, 1, key)
        sqlite3_bind_int64(update, 2, value)
        try check(sqlite3_step(update), SQLITE_DONE)
        sqlite3_reset(update)
    }

    private func check(_ code: Int32, _ expected: Int32) throws {
        guard code == expected else { throw BenchmarkError("the writer: \(String(cString: sqlite3_errmsg(database))) (\(code))") }
    }
}

extension StoreFile {
    /// Reads a row's value from a generation.
    func value(_ key: Int64, at generation: Generation) throws -> Int64 {
        try read(at: generation) { connection in
            let statement = try connection.statement("SELECT ZVALUE FROM ZITEM WHERE Z_PK = ?1")
            defer { statement.reset() }
            try statement.bind(1, key)
            guard try statement.step() else { throw BenchmarkError("there is no row \(key)") }
            return statement.int64(0)
        }
    }
}

extension Cell {
    /// The store with the table ZITEM.
    var store: String { path("items.sqlite") }
}
