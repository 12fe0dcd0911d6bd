import XCTest

@testable import PinviewGenerations

final class StatementTests: StoreFileTestCase {
    private func inTransaction<R>(_ body: (Connection) throws -> R) throws -> R {
        let store = try StoreFile.openInMemory(options: options)
        let transaction = try store.beginWrite()
        try transaction.connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        return try body(transaction.connection)
    }

    /// The address of a text that has ended is soon that of another one.
    func test_aTextThatEndsLeavesNoStatementToTheNextOne() throws {
        try inTransaction { connection in
            for round in 0..<2_000 {
                let columns = round % 5 + 1
                let text = StatementText("SELECT " + [String](repeating: "1", count: columns).joined(separator: ", "))
                let statement = try connection.statement(text)
                defer { statement.reset() }
                XCTAssertEqual(statement.columnCount, columns, "round \(round)")
            }
        }
    }

    func test_valuesGoInAndOutUnchanged() throws {
        try inTransaction { connection in
            let insertion = try connection.statement("INSERT INTO t VALUES (?, ?)")
            try insertion.bind(1, Int64(1))
            try insertion.bind(2, "æ\0ü")
            try insertion.run()
            try insertion.bind(1, Int64(2))
            try [UInt8]([0, 255]).withUnsafeBytes { try insertion.bind(2, blob: $0) }
            try insertion.run()
            try insertion.bind(1, Int64(3))
            try insertion.bind(2, "")
            try insertion.run()
            try insertion.bind(1, Int64(4))
            try insertion.bind(2, 0.5)
            try insertion.run()
            XCTAssertEqual(connection.lastInsertRowID, 4)

            let selection = try connection.statement("SELECT v FROM t ORDER BY id")
            XCTAssertTrue(try selection.step())
            XCTAssertEqual(selection.string(0), "æ\0ü")
            XCTAssertTrue(try selection.step())
            XCTAssertEqual(selection.withBytes(0) { Array($0) }, [0, 255])
            XCTAssertTrue(try selection.step())
            XCTAssertFalse(selection.isNull(0))
            XCTAssertEqual(selection.string(0), "")
            XCTAssertTrue(try selection.step())
            XCTAssertEqual(selection.double(0), 0.5)
            XCTAssertFalse(try selection.step())
        }
    }

    func test_aStatementInUseIsNotHandedOutTwice() throws {
        try inTransaction { connection in
            try connection.execute("INSERT INTO t VALUES (1, 1), (2, 2)")
            let outer = try connection.statement("SELECT id FROM t ORDER BY id")
            XCTAssertTrue(try outer.step())

            let inner = try connection.statement("SELECT id FROM t ORDER BY id")
            XCTAssertFalse(inner === outer)
            XCTAssertTrue(try inner.step())
            inner.reset()

            XCTAssertTrue(try outer.step())
            XCTAssertEqual(outer.int64(0), 2)
            outer.reset()
            XCTAssertTrue(try connection.statement("SELECT id FROM t ORDER BY id") === outer)
        }
    }

    func test_theStatementCacheIsLimited() throws {
        try inTransaction { connection in
            let kept = try connection.statement("SELECT 0")
            XCTAssertTrue(try kept.step())
            for number in 1...2000 {
                let statement = try connection.statement("SELECT \(number)")
                XCTAssertTrue(try statement.step())
                statement.reset()
            }
            XCTAssertEqual(kept.int64(0), 0)
        }
    }

    func test_errorsNameTheStatement() throws {
        try inTransaction { connection in
            XCTAssertThrowsError(try connection.statement("SELECT missing FROM t")) {
                let error = $0 as? SQLiteError
                XCTAssertEqual(error?.message, "no such column: missing")
                XCTAssertEqual(error?.sql, "SELECT missing FROM t")
            }
            XCTAssertThrowsError(try connection.statement("  -- nothing"))
            try connection.execute("INSERT INTO t VALUES (1, 1)")
            XCTAssertThrowsError(try connection.execute("INSERT INTO t VALUES (1, 1)")) {
                XCTAssertEqual(($0 as? SQLiteError)?.kind, .constraint)
                XCTAssertEqual(($0 as? SQLiteError)?.extendedCode, 1555)
                XCTAssertEqual(($0 as? SQLiteError)?.primaryCode, 19)
            }
        }
    }

    func test_aTransactionThatAnErrorRolledBackDoesNotCommit() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t VALUES (2, 2)")
        XCTAssertThrowsError(try transaction.connection.execute("INSERT OR ROLLBACK INTO t VALUES (1, 1)"))

        XCTAssertThrowsError(try transaction.commit())

        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 1)
        XCTAssertNotNil(try store.write("INSERT INTO t VALUES (2, 2)"))
    }

    func test_aDroppedTransactionIsRolledBack() throws {
        let store = try openStore()
        do {
            let transaction = try store.beginWrite()
            try transaction.connection.execute("INSERT INTO t VALUES (1, 1)")
        }
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 0)
    }

    /// Text is UTF-8 here however the file keeps it; blobs are what they are.
    func test_textOfEveryEncoding() throws {
        for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
            let path = folder + "/" + encoding
            try sqlite3("PRAGMA encoding='\(encoding)'; CREATE TABLE t (v); INSERT INTO t VALUES ('æ😀'), (x'00ff80'), (12)", path: path)
            let store = try StoreFile.open(path: path, options: options)
            defer { store.close() }
            try store.readNewest { connection in
                let statement = try connection.statement("SELECT v FROM t ORDER BY rowid")
                defer { statement.reset() }
                var read: [[UInt8]] = []
                while try statement.step() { read.append(statement.withBytes(0) { Array($0) }) }
                XCTAssertEqual(read, [Array("æ😀".utf8), [0, 255, 128], Array("12".utf8)], encoding)
            }
        }
    }
}
