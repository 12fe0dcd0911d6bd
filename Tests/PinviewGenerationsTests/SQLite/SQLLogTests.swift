import Foundation
import XCTest

@testable import PinviewGenerations

/// STO-03: every statement of every connection is in the log, with the state that it reads.
final class SQLLogTests: StoreFileTestCase {
    /// The lines of the log while a body runs.
    private func logged(_ body: () throws -> Void) rethrows -> [String] {
        let lines = LineList()
        SQLLog.setHandler { lines.append($0) }
        SQLLog.setEnabled(true)
        defer {
            SQLLog.setEnabled(false)
            SQLLog.setHandler(nil)
        }
        try body()
        return lines.all
    }

    private func assertLogged(_ lines: [String], _ line: String, file: StaticString = #filePath, line number: UInt = #line) {
        XCTAssertTrue(lines.contains(line), "\(line)\nis not in\n" + lines.joined(separator: "\n"), file: file, line: number)
    }

    func test_STO_03_everyPartOfTheEngineIsInTheLog() throws {
        let lines = try logged {
            let store = try openStore()
            try store.write("INSERT INTO t (v) VALUES ('a')")
            // A pin of a state far above every read mark has to request a new one from SQLite.
            try store.write(
                "INSERT INTO t (v) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
                    + "SELECT hex(randomblob(2000)) FROM n")
            store.close()
        }
        assertLogged(lines, "CoreData: sql: pragma journal_mode=wal")
        assertLogged(lines, "CoreData: sql: PRAGMA schema_version -- store.sqlite, anchor, newest")
        assertLogged(lines, "CoreData: sql: PRAGMA schema_version -- store.sqlite, probe, newest")
        assertLogged(lines, "CoreData: sql: PRAGMA cache_spill=OFF -- store.sqlite, writer, newest")
        assertLogged(lines, "CoreData: sql: BEGIN IMMEDIATE -- store.sqlite, writer, newest")
        assertLogged(lines, "CoreData: sql: INSERT INTO t (v) VALUES ('a') -- store.sqlite, writer, transaction")
        assertLogged(lines, "CoreData: sql: COMMIT -- store.sqlite, writer, transaction")
        let checkpoints = lines.filter { $0.hasPrefix("CoreData: sql: PRAGMA wal_checkpoint(TRUNCATE)") }
        XCTAssertTrue(checkpoints.contains { $0.hasSuffix(" -- store.sqlite, checkpoint, newest") }, lines.joined(separator: "\n"))
        for line in lines {
            XCTAssertTrue(line.hasPrefix("CoreData: sql: "), line)
            XCTAssertTrue(line.contains("-- store.sqlite, ") || line.hasPrefix("CoreData: sql: pragma journal_mode="), line)
        }
    }

    func test_STO_03_aPinNearAReadMarkTakesNoStatement() throws {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES ('a')")
        for copiesAll in [false, true] {
            if copiesAll { XCTAssertTrue(try store.checkpoint(truncate: false)) }
            var generation: Generation?
            XCTAssertEqual(try logged { generation = try store.currentGeneration() }, [])
            // Since everything has been copied, the pin lets writers restart the journal.
            let slot: Int? = if case .mark(let slot, _, _) = try XCTUnwrap(generation).record.holdKind { slot } else { nil }
            XCTAssertEqual(slot == 0, copiesAll)
        }
    }

    func test_STO_03_readsNameTheirGeneration() throws {
        let store = try openStore()
        let old = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        let new = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('b')"))
        let lines = try logged {
            XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: old), 1)
            XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: new), 2)
            XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: old), 1)
        }
        XCTAssertEqual(
            lines.filter { $0.contains("SELECT") },
            [old, new, old].map { "CoreData: sql: SELECT count(*) FROM t -- store.sqlite, reader, generation \($0.ordinal)" })
    }

    func test_STO_03_aRollbackAndAStatementOfSeveralLinesAreOneLineEach() throws {
        let store = try openStore()
        let lines = try logged {
            let transaction = try store.beginWrite()
            try transaction.connection.execute("DELETE\nFROM t")
            transaction.rollback()
        }
        assertLogged(lines, "CoreData: sql: DELETE FROM t -- store.sqlite, writer, transaction")
        assertLogged(lines, "CoreData: sql: ROLLBACK -- store.sqlite, writer, transaction")
    }

    func test_STO_03_withoutGenerationsTheWriterReads() throws {
        var plain = StoreFileOptions()
        plain.journalMode = "delete"
        let store = try openStore(plain)
        let lines = try logged { XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 0) }
        assertLogged(lines, "CoreData: sql: BEGIN -- store.sqlite, writer, newest")
        assertLogged(lines, "CoreData: sql: SELECT count(*) FROM t -- store.sqlite, writer, transaction")
    }

    func test_STO_03_openTransactionsNameTheirGeneration() throws {
        var open = StoreFileOptions()
        open.usesOpenTransactions = true
        let store = try openStore(open)
        let pinned = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        let lines = try logged { XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pinned), 1) }
        assertLogged(lines, "CoreData: sql: SELECT count(*) FROM t -- store.sqlite, reader, generation \(pinned.ordinal)")
    }
}
