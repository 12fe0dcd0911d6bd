import CSQLite
import XCTest

@testable import PinviewGenerations

/// Issue 15, 13: what a connection refuses, whatever somebody plants in a file while it is open.
final class DistrustTests: StoreFileTestCase {
    private func assertRefused<T>(_ text: String, line: UInt = #line, _ body: () throws -> T) {
        XCTAssertThrowsError(try body(), line: line) { XCTAssertTrue("\($0)".contains(text), "\($0)", line: line) }
    }

    /// Each connection of a store that runs SQL: for writing, for reading, for the program's own statements.
    private func eachConnection(_ store: StoreFile, _ body: (Connection) throws -> Void) throws {
        let transaction = try store.beginWrite()
        try body(transaction.connection)
        transaction.rollback()
        try store.readNewest { try body($0) }
    }

    func test_13_theSchemaIsNotTrustedAndCellsAreChecked() throws {
        for mode in ["wal", "delete"] {
            var options = self.options
            options.journalMode = mode
            try run("rm", ["-f", path])
            let store = try openStore(options)
            try eachConnection(store) { connection in
                XCTAssertEqual(try connection.value("PRAGMA trusted_schema"), "0", mode)
                XCTAssertEqual(try connection.value("PRAGMA cell_size_check"), "1", mode)
            }
            store.close()
        }
    }

    func test_13_viewsAndTriggersDoNotRun() throws {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES (1)")
        try sqlite3("CREATE VIEW spy AS SELECT v FROM t; CREATE TRIGGER planted AFTER UPDATE ON t BEGIN INSERT INTO t (v) VALUES (7); END")

        try eachConnection(store) { connection in assertRefused("spy") { try connection.value("SELECT v FROM spy") } }
        assertRefused("spy") { try store.sqlReader("SELECT v FROM spy", at: nil) }
        try store.write("UPDATE t SET v = 2")

        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 2)
    }

    /// Not even the library's own statements write to the schema's table.
    func test_13_theSchemasTableIsDefended() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("PRAGMA writable_schema=ON")

        assertRefused("may not be modified") { try transaction.connection.execute("UPDATE sqlite_master SET sql = ''") }

        transaction.rollback()
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 0)
    }
}
