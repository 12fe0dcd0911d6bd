import CSQLite
import XCTest

@testable import PinviewGenerations

/// Another process commits as soon as a transaction has committed, before its state is pinned.
final class OvertakenCommitTests: StoreFileTestCase {
    private final class AfterCommit {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Calls a body after the commit, when SQLite has released its locks for writing.
    private func commit(_ transaction: WriteTransaction, then run: @escaping () -> Void) throws -> Generation? {
        let after = AfterCommit(run), handle = transaction.connection.handle
        sqlite3_wal_hook(
            handle,
            { context, _, _, _ in
                if let context { Unmanaged<AfterCommit>.fromOpaque(context).takeUnretainedValue().run() }
                return SQLITE_OK
            }, Unmanaged.passUnretained(after).toOpaque())
        defer { sqlite3_wal_hook(handle, nil, nil) }
        return try withExtendedLifetime(after) { try transaction.commit() }
    }

    func test_aCommitThatAnotherProcessHasFollowedHasNoGeneration() throws {
        let store = try openStore()
        defer { store.close() }
        try store.write("INSERT INTO t VALUES (1, 'old')")
        let transaction = try store.beginWrite()
        try transaction.connection.execute("UPDATE t SET v = 'own' WHERE id = 1")
        var other: [String]?

        let generation = try commit(transaction) { other = try? self.sqlite3("UPDATE t SET v = 'other' WHERE id = 1 RETURNING v") }

        XCTAssertEqual(other, ["other"])
        XCTAssertNil(generation)
    }

    func test_aCommitThatNobodyHasFollowedHasItsGeneration() throws {
        let store = try openStore()
        defer { store.close() }
        for statement in ["INSERT INTO t VALUES (1, 'own')", "UPDATE t SET v = 'own' WHERE id = 99", "CREATE TABLE u (w)"] {
            let transaction = try store.beginWrite()
            try transaction.connection.execute(statement)
            XCTAssertNotNil(try commit(transaction) {}, statement)
        }
    }
}
