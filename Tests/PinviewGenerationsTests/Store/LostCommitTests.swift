import CSQLite
import Foundation
import StressSupport
import XCTest

@testable import PinviewGenerations

/// In SQLite up to 3.40.1 and somewhat later, a transaction that outgrows the page cache, so that
/// pages go to the journal early, and that rolls back to a savepoint and continues writing, can
/// leave frames without a checksum. Everyone sees its data until a crash; then it is lost, along
/// with all later commits.
///
/// Pinview's writer never spills (`PRAGMA cache_spill=OFF`).
final class LostCommitTests: StoreFileTestCase {
    private static let content = "SELECT count(*) || ' ' || sum(v) FROM t"

    /// Each row has a page of its own. The transaction writes pages to the journal twice inside a
    /// savepoint, the second time only later ones; from there on, frames get their checksums at the
    /// commit. The frames that it writes after the rollback lie before that point.
    private static let rows = "INSERT INTO t SELECT value, 0, zeroblob(3000) FROM generate_series(1, 100)".replacingSeries()
    private static let transaction = [
        "SAVEPOINT s", "UPDATE t SET v = 1 WHERE id <= 60", "UPDATE t SET v = 2 WHERE id BETWEEN 40 AND 60", "ROLLBACK TO s",
        "UPDATE t SET v = 3 WHERE id BETWEEN 70 AND 85", "RELEASE s",
    ]
    private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v, filler)"
    private static let later = "UPDATE t SET v = 4 WHERE id = 1"
    private static let expected = ["ok", "100 52"]

    /// The content after a crash at this moment: another process copies the files while they are
    /// open, because a copy made here would drop SQLite's locks.
    private func contentAfterCrash() throws -> [String] {
        let copy = folder + "/copy.sqlite"
        try run("rm", ["-f", copy, copy + "-wal", copy + "-shm"])
        try run("cp", [path, copy])
        try run("cp", [path + "-wal", copy + "-wal"])
        return try sqlite3("PRAGMA integrity_check; " + Self.content, path: copy)
    }

    /// - Returns: what a crash leaves of the transaction and a later commit.
    private func contentOfPlainConnection() throws -> [String] {
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        defer { connection.close() }
        for sql in ["PRAGMA journal_mode=WAL", "PRAGMA cache_size=10", Self.table, Self.rows, "BEGIN"] + Self.transaction {
            try connection.execute(sql)
        }
        try connection.execute("COMMIT")
        try connection.execute(Self.later)
        XCTAssertEqual(try connection.value(Self.content), Self.expected[1])
        return try contentAfterCrash()
    }

    private func contentOfStore() throws -> [String] {
        let store = try StoreFile.open(path: path, options: options)
        defer { store.close() }
        try store.write(Self.table, Self.rows)
        let transaction = try store.beginWrite()
        try transaction.connection.execute("PRAGMA cache_size=10")
        for sql in Self.transaction { try transaction.connection.execute(sql) }
        _ = try transaction.commit()
        try store.write(Self.later)
        XCTAssertEqual(try store.readNewest { try $0.value(Self.content) }, Self.expected[1])
        return try contentAfterCrash()
    }

    func test_aPlainConnectionLosesCommitsInACrash() throws {
        let content = try contentOfPlainConnection()
        if content == Self.expected { throw XCTSkip("SQLite \(String(cString: sqlite3_libversion())) does not have the fault") }
        XCTAssertEqual(content, ["ok", "100 0"])
    }

    func test_ourWriterKeepsThem() throws { XCTAssertEqual(try contentOfStore(), Self.expected) }
}
