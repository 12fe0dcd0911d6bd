import Foundation
import XCTest

@testable import PinviewGenerations

/// SNP-03: SQL statements of the program's own, at a generation.
final class SQLReaderTests: StoreFileTestCase {
    private func column(_ reader: SQLReader, limit: Int = .max) throws -> [String] {
        var values: [String] = []
        while try reader.read(
            limit: limit,
            {
                values.append($0.string(0)); return 1
            })
        {}
        return values
    }

    private func filledStore(_ options: StoreFileOptions? = nil) throws -> StoreFile {
        let store = try openStore(options)
        try store.write("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
        return store
    }

    func test_SNP_03_aStatementReadsItsGeneration() throws {
        let store = try filledStore()
        let old = try store.currentGeneration()
        try store.write("UPDATE t SET v = 'late'")
        let reader = try store.sqlReader("SELECT v FROM t ORDER BY id", at: old)
        XCTAssertEqual(reader.columnNames, ["v"])
        XCTAssertEqual(try column(reader), ["one", "two", "three"])
        XCTAssertEqual(try column(try store.sqlReader("SELECT DISTINCT v FROM t", at: nil)), ["late"])
    }

    /// Rows are read bit by bit while others write, check-point and detach.
    func test_SNP_03_aReaderHoldsItsGeneration() throws {
        let store = try filledStore()
        let reader = try store.sqlReader("SELECT v FROM t ORDER BY id", at: nil)
        var values: [String] = []
        for _ in 0..<3 {
            _ = try reader.read(limit: 1) {
                values.append($0.string(0)); return 1
            }
            try store.write("DELETE FROM t", "INSERT INTO t SELECT NULL, randomblob(500)")
            _ = try store.checkpoint(truncate: true)
            _ = try store.detachOlderGenerations()
        }
        XCTAssertEqual(values, ["one", "two", "three"])
    }

    func test_SNP_03_aDetachedGenerationCanBeQueried() throws {
        let store = try filledStore()
        let old = try store.currentGeneration()
        try store.write("UPDATE t SET v = 'late'")
        _ = try store.detachOlderGenerations()
        try sqlite3("DELETE FROM t; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
        XCTAssertEqual(try column(try store.sqlReader("SELECT v FROM t ORDER BY id", at: old)), ["one", "two", "three"])
    }

    func test_SNP_03_whatDoesNotOnlyReadIsRefusedBeforeItBegins() throws {
        let store = try filledStore()
        try store.write("CREATE INDEX tv ON t (v)")
        let refused = [
            "INSERT INTO t VALUES (9, 9)", "UPDATE t SET v = 1", "DELETE FROM t", "REPLACE INTO t VALUES (1, 1)",
            "INSERT INTO t VALUES (9, 9) RETURNING id", "WITH x AS (SELECT 1) DELETE FROM t", "CREATE TABLE x (y)",
            "CREATE TEMP TABLE x (y)",
            "CREATE VIEW w AS SELECT 1", "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END", "DROP TABLE t", "ALTER TABLE t ADD c",
            "ATTACH '\(folder)/x.sqlite' AS x", "DETACH main", "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "VACUUM",
            "VACUUM INTO '\(folder)/x.sqlite'", "REINDEX tv", "ANALYZE", "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 7",
            "PRAGMA writable_schema = 1", "PRAGMA wal_checkpoint", "PRAGMA query_only = 0", "PRAGMA trusted_schema = 1", "PRAGMA nonsense",
            "SELECT load_extension('x')", "EXPLAIN DELETE FROM t",
            "UPDATE sqlite_master SET sql = ''", "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)", "DELETE FROM sqlite_master",
            "SELECT 1; DELETE FROM t", "SELECT 1; SELECT 2", "", "-- nothing", "SELEC",
            "SELECT 1\0; DELETE FROM t",
        ]
        for sql in refused {
            XCTAssertThrowsError(try store.sqlReader(sql, at: nil), sql) { XCTAssertTrue($0 is SQLiteError, "\(sql): \($0)") }
        }
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 3)
        XCTAssertEqual(
            Set(try FileManager.default.contentsOfDirectory(atPath: folder)), ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"])
    }

    func test_SNP_03_whatReadsIsAllowed() throws {
        let store = try filledStore()
        let allowed = [
            "SELECT count(*) FROM t": "3", "VALUES (7)": "7", "PRAGMA user_version": "0", "SELECT name FROM pragma_table_info('t')": "id",
            "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < 9) SELECT sum(n) FROM s": "45",
            "SELECT json_extract('[5]', '$[0]') /* a comment */ ; -- and another": "5", "PRAGMA integrity_check": "ok",
            "SELECT value FROM json_each('[6]')": "6",
        ]
        for (sql, first) in allowed { XCTAssertEqual(try column(try store.sqlReader(sql, at: nil)).first, first, sql) }
    }

    func test_SNP_03_aReadIsInterruptedFromAnotherThread() throws {
        let store = try filledStore()
        let endless = "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s) SELECT n FROM s WHERE n < 0"
        let reader = try store.sqlReader(endless, at: nil)
        let thread = Thread { reader.interrupt() }
        thread.start()
        XCTAssertThrowsError(try column(reader)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .interrupted) }
        XCTAssertEqual(try column(try store.sqlReader("SELECT 1", at: nil)), ["1"])
    }

    /// Memory for one batch, whatever the number of rows.
    func test_SNP_03_rowsComeInBatches() throws {
        let store = try filledStore()
        let many = "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < 3000) SELECT n FROM s"
        let reader = try store.sqlReader(many, at: nil)
        var sizes: [Int] = []
        var mayContinue = true
        while mayContinue {
            var rows = 0
            mayContinue = try reader.read(limit: 1_000_000) { _ in
                rows += 1; return 1000
            }
            sizes.append(rows)
        }
        XCTAssertEqual(sizes.reduce(0, +), 3000)
        XCTAssertLessThan(sizes.max() ?? .max, 1100)
        XCTAssertFalse(try reader.read(limit: 1) { _ in 1 })
    }

    func test_SNP_03_aStoreInAnotherJournalModeIsReadAsItIs() throws {
        var rollback = options
        rollback.journalMode = "delete"
        let store = try filledStore(rollback)
        XCTAssertEqual(try column(try store.sqlReader("SELECT v FROM t ORDER BY id", at: nil)), ["one", "two", "three"])
        let memory = try StoreFile.openInMemory(options: StoreFileOptions())
        XCTAssertThrowsError(try memory.sqlReader("SELECT 1", at: nil))
    }

    func test_SNP_03_aClosedStoreIsNotReadAnyMore() throws {
        let store = try filledStore()
        let reader = try store.sqlReader("SELECT v FROM t", at: nil)
        store.close()
        XCTAssertThrowsError(try column(reader)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .closed) }
    }

    /// More readers than there are connections in the pool, and fetches beside them.
    func test_SNP_03_openReadersKeepNobodyWaiting() throws {
        let store = try filledStore()
        let readers = try (0..<40).map { _ in try store.sqlReader("SELECT v FROM t ORDER BY id", at: nil) }
        for reader in readers { _ = try reader.read(limit: 1) { _ in 1 } }
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 3)
        try store.write("DELETE FROM t")
        for reader in readers { XCTAssertEqual(try column(reader), ["two", "three"]) }
    }
}
