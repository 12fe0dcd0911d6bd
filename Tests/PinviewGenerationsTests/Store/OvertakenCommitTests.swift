import CSQLite
import Synchronization
import XCTest

@testable import PinviewGenerations

/// Another process commits as soon as a transaction has committed, before its state is pinned or
/// ranked.
final class OvertakenCommitTests: StoreFileTestCase {
    private final class AfterCommit {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Calls a body after the commit, when SQLite has released its locks for writing.
    private func commit<R>(
        _ transaction: WriteTransaction, _ commit: (WriteTransaction) throws -> R, then run: @escaping () -> Void
    ) throws -> R {
        let after = AfterCommit(run), handle = transaction.connection.handle
        sqlite3_wal_hook(
            handle,
            { context, _, _, _ in
                if let context { Unmanaged<AfterCommit>.fromOpaque(context).takeUnretainedValue().run() }
                return SQLITE_OK
            }, Unmanaged.passUnretained(after).toOpaque())
        defer { sqlite3_wal_hook(handle, nil, nil) }
        return try withExtendedLifetime(after) { try commit(transaction) }
    }

    private func begin(_ store: StoreFile, _ statement: String) throws -> WriteTransaction {
        let transaction = try store.beginWrite()
        try transaction.connection.execute(statement)
        return transaction
    }

    private static let statements = ["INSERT INTO t VALUES (1, 'own')", "UPDATE t SET v = 'own' WHERE id = 99", "CREATE TABLE u (w)"]

    func test_aCommitThatAnotherProcessHasFollowedHasNoGeneration() throws {
        let store = try openStore()
        defer { store.close() }
        try store.write("INSERT INTO t VALUES (1, 'old')")
        let transaction = try begin(store, "UPDATE t SET v = 'own' WHERE id = 1")
        var other: [String]?

        let generation = try commit(transaction, { try $0.commit() }) {
            other = try? self.sqlite3("UPDATE t SET v = 'other' WHERE id = 1 RETURNING v")
        }

        XCTAssertEqual(other, ["other"])
        XCTAssertNil(generation)
    }

    func test_aCommitThatNobodyHasFollowedHasItsGeneration() throws {
        let store = try openStore()
        defer { store.close() }
        for statement in Self.statements {
            let transaction = try begin(store, statement)
            XCTAssertNotNil(try commit(transaction, { try $0.commit() }, then: {}), statement)
        }
    }

    func test_aCommitThatAnotherProcessHasFollowedHasNoRank() throws {
        let store = try openStore()
        defer { store.close() }
        try store.write("INSERT INTO t VALUES (1, 'old')")
        let transaction = try begin(store, "UPDATE t SET v = 'own' WHERE id = 1")
        var other: [String]?

        let rank = try commit(transaction, { try $0.commitUnpinned() }) {
            other = try? self.sqlite3("UPDATE t SET v = 'other' WHERE id = 1 RETURNING v")
        }

        XCTAssertEqual(other, ["other"])
        XCTAssertEqual(rank, 0)
    }

    func test_aCommitThatIsNotPinnedHasTheRankOfItsGeneration() throws {
        let store = try openStore()
        defer { store.close() }
        var ranks: [UInt64] = []
        for statement in Self.statements {
            let transaction = try begin(store, statement)
            let pins = try XCTUnwrap(store.shared).counters.pins.load(ordering: .relaxed)

            let rank = try transaction.commitUnpinned()

            XCTAssertEqual(try XCTUnwrap(store.shared).counters.pins.load(ordering: .relaxed), pins)
            XCTAssertEqual(store.rankOfNewest, rank)
            XCTAssertEqual(try store.currentGeneration().rank, rank, statement)
            ranks.append(rank)
        }
        // The second statement has changed nothing.
        XCTAssertEqual(ranks, [ranks[0], ranks[0], ranks[0] + 1])
    }

    func test_theRankOfACommitIsBelowThatOfALaterOneOfAnotherProcess() throws {
        let store = try openStore()
        defer { store.close() }
        let rank = try begin(store, "INSERT INTO t VALUES (1, 'own')").commitUnpinned()

        try sqlite3("INSERT INTO t VALUES (2, 'other')")

        XCTAssertNil(store.rankOfNewest)
        XCTAssertGreaterThan(try store.currentGeneration().rank, rank)
    }
}
