import XCTest

@testable import PinviewGenerations

final class StatementTests: StoreFileTestCase {
    private func inTransaction<R>(_ body: (Connection) throws -> R) throws -> R {
        let store = try StoreFile.openInMemory(options: options)
        let transaction = try store.beginWrite()
        try transaction.connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        return try body(transaction.connection)
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

    func test_endlessNewTextsDoNotPileUp() throws {
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
}

final class PackedRowsTests: StoreFileTestCase {
    private func fetch(_ sql: String, limit: Int = .max) throws -> (rows: PackedRows, hasMore: Bool) {
        let store = try StoreFile.openInMemory(options: options)
        return try store.readNewest { connection in
            let statement = try connection.statement(sql)
            let rows = PackedRows(columnCount: statement.columnCount, reservingRows: 1)
            return (rows, try statement.fetch(into: rows, limit: limit))
        }
    }

    func test_everyTypeOfCell() throws {
        let rows = try fetch("SELECT 7, 2.5, 'text', x'00ff', NULL UNION ALL SELECT -1, 0.0, '', x'', 'ü'").rows

        XCTAssertEqual(rows.rowCount, 2)
        XCTAssertEqual((0..<5).map { rows.type(row: 0, column: $0) }, [1, 2, 3, 4, 5])
        XCTAssertEqual(rows.int64(row: 0, column: 0), 7)
        XCTAssertEqual(rows.double(row: 0, column: 1), 2.5)
        XCTAssertEqual(rows.string(row: 0, column: 2), "text")
        XCTAssertEqual(rows.withBytes(row: 0, column: 3) { Array($0) }, [0, 255])
        XCTAssertEqual(rows.string(row: 1, column: 2), "")
        XCTAssertEqual(rows.type(row: 1, column: 3), 4)
        XCTAssertEqual(rows.string(row: 1, column: 4), "ü")
    }

    func test_conversionsAreThoseOfSQLiteAndNeverTrap() throws {
        let texts = ["12", " 12abc", "-3.9", "1e3", "1e", "abc", "", "9223372036854775808", "-1e300", ".5", "0x10", "+7"]
        for text in texts {
            let rows = try fetch("SELECT '\(text)', CAST('\(text)' AS INTEGER), CAST('\(text)' AS REAL)").rows
            XCTAssertEqual(rows.double(row: 0, column: 0), rows.double(row: 0, column: 2), text)
        }
        let rows = try fetch("SELECT 1e300, -1e300, 2.9, '12abc', 5, NULL").rows
        XCTAssertEqual((0..<6).map { rows.int64(row: 0, column: $0) }, [.max, .min, 2, 12, 5, 0])
        XCTAssertEqual(rows.double(row: 0, column: 4), 5)
        XCTAssertEqual(rows.int64(row: 9, column: 0), 0)
        XCTAssertEqual(rows.type(row: 0, column: 99), 5)
        XCTAssertEqual(rows.string(row: -1, column: 0), "")
    }

    func test_fetchingInPieces() throws {
        let store = try StoreFile.openInMemory(options: options)
        try store.readNewest { connection in
            let statement = try connection.statement("SELECT value FROM generate_series(1, 10)".replacingSeries())
            defer { statement.reset() }
            let rows = PackedRows(columnCount: 1, reservingRows: 4)
            XCTAssertTrue(try statement.fetch(into: rows, limit: 4))
            XCTAssertTrue(try statement.fetch(into: rows, limit: 4))
            XCTAssertFalse(try statement.fetch(into: rows, limit: 4))
            XCTAssertEqual((0..<rows.rowCount).map { rows.int64(row: $0, column: 0) }, Array(1...10))
        }
    }

    func test_rowsMadeByHand() {
        let rows = PackedRows(columnCount: 3, reservingRows: 1)
        for number in 0..<100 {
            rows.beginRow()
            rows.append(Int64(number))
            rows.append(text: "row \(number)")
            if number.isMultiple(of: 2) { rows.appendNull() } else { rows.append(blob: [UInt8(number)]) }
        }
        XCTAssertEqual(rows.rowCount, 100)
        XCTAssertEqual(rows.string(row: 57, column: 1), "row 57")
        XCTAssertEqual(rows.withBytes(row: 57, column: 2) { Array($0) }, [57])
        XCTAssertEqual(rows.type(row: 58, column: 2), 5)
    }

    func test_textLongerThanACellCanSay() throws {
        let rows = try fetch("SELECT zeroblob(20000000), 'after'").rows
        XCTAssertEqual(rows.withBytes(row: 0, column: 0) { $0.count }, 20_000_000)
        XCTAssertEqual(rows.string(row: 0, column: 1), "after")
    }
}
