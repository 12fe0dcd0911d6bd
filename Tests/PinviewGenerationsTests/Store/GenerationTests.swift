import Foundation
import XCTest

@testable import PinviewGenerations

/// What a generation guarantees, tested with both engines; the subclass below tests open
/// transactions.
class GenerationTests: StoreFileTestCase {
    private let count = "SELECT count(*) FROM t"

    func test_aHeldGenerationDoesNotMove() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 'one')")
        let held = try store.currentGeneration()

        try store.write("UPDATE t SET v = 'changed'", "INSERT INTO t VALUES (2, 'two')")
        try sqlite3("INSERT INTO t VALUES (3, 'three')")

        XCTAssertEqual(try store.int(count, at: held), 1)
        XCTAssertEqual(try store.read(at: held) { try $0.value("SELECT v FROM t") }, "one")
        XCTAssertEqual(try store.newestInt(count), 3)
    }

    func test_twoCallsWithoutACommitGiveTheSameGeneration() throws {
        let store = try openStore()
        let first = try store.currentGeneration()

        XCTAssertTrue(try store.currentGeneration() === first)
        XCTAssertTrue(store.isNewest(first))
    }

    func test_aStateThatIsTakenAgainHasItsRank() throws {
        let store = try openStore()
        let ranks = try (0..<2).map { _ in try store.currentGeneration().rank }
        try store.write("INSERT INTO t VALUES (1, 1)")
        let later = try store.currentGeneration()

        XCTAssertEqual(ranks[0], ranks[1])
        XCTAssertGreaterThan(later.rank, ranks[1])
    }

    /// Each generation is read by the reader of the one before; now and then the journal is
    /// restarted in between.
    func test_aReaderThatIsMovedSeesTheTreesOfEachGeneration() throws {
        let store = try openStore()
        let text = String(repeating: "x", count: 500)
        for round in 1...60 {
            try store.write(
                "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO t (v) SELECT '\(text)' FROM n",
                "UPDATE t SET v = '\(round)' WHERE id % 97 = \(round % 97)")
            let held = try store.currentGeneration()
            for _ in 0..<2 {
                XCTAssertEqual(try store.int(count, at: held), 50 * round)
                XCTAssertEqual(try store.int("SELECT id FROM t WHERE id = \(25 * round)", at: held), 25 * round)
            }
            withExtendedLifetime(held) {}
            if round % 9 == 0 { try sqlite3("DELETE FROM t WHERE id = -1; PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        XCTAssertEqual(try store.read(at: try store.currentGeneration()) { try $0.value("PRAGMA integrity_check") }, "ok")
    }

    func test_commitGivesAGenerationThatContainsTheCommit() throws {
        let store = try openStore()
        let first = try store.currentGeneration()

        let second = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 1)"))

        XCTAssertEqual(try store.int(count, at: second), 1)
        XCTAssertGreaterThan(second.ordinal, first.ordinal)
        XCTAssertNotEqual(second.identity, first.identity)
        XCTAssertTrue(store.isNewest(second))
        XCTAssertFalse(store.isNewest(first))
    }

    func test_aCommitOfAnotherProcessIsSeen() throws {
        let store = try openStore()
        let first = try store.currentGeneration()

        try sqlite3("INSERT INTO t VALUES (1, 1)")

        XCTAssertFalse(store.isNewest(first))
        XCTAssertEqual(try store.int(count, at: try store.currentGeneration()), 1)
    }

    func test_twoStoresOnOneFileShareTheirGenerations() throws {
        let first = try openStore(), second = try openStore()

        let generation = try first.currentGeneration()

        XCTAssertTrue(try second.currentGeneration() === generation)
        XCTAssertEqual(try second.int(count, at: generation), 0)
    }

    func test_QG_53_aPinDoesNotWaitForAWriterAndDoesNotBlockOne() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t VALUES (1, 1)")

        let generation = try store.currentGeneration()
        XCTAssertEqual(try store.int(count, at: generation), 0)

        XCTAssertNotNil(try transaction.commit())
        XCTAssertEqual(try store.int(count, at: generation), 0)
        XCTAssertEqual(try store.newestInt(count), 1)
    }

    func test_QG_55_manyGenerationsAreEachTheirOwn() throws {
        let store = try openStore()
        var generations: [Generation] = []
        for value in 1...40 { generations.append(try XCTUnwrap(try store.write("INSERT INTO t (v) VALUES (\(value))"))) }

        for (index, generation) in generations.enumerated().reversed() {
            XCTAssertEqual(try store.int(count, at: generation), index + 1)
            XCTAssertEqual(try store.int("SELECT max(v) FROM t", at: generation), index + 1)
        }
    }

    func test_QG_54_checkpointsOfOthersAndOurOwnLeaveAPinAlone() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, 'old' FROM generate_series(1, 2000)".replacingSeries())
        let held = try store.currentGeneration()
        let sum = "SELECT count(*) * 1000 + sum(v = 'old') FROM t"

        for round in 1...30 {
            try store.write("UPDATE t SET v = 'new\(round)' || hex(zeroblob(900))")
            if round % 5 == 0 {
                try sqlite3("PRAGMA wal_checkpoint(\(["PASSIVE", "FULL", "RESTART", "TRUNCATE"][round / 5 % 4]))")
                _ = try store.checkpoint(truncate: false)
            }
            XCTAssertEqual(try store.int(sum, at: held), 2_002_000)
        }
        XCTAssertGreaterThan(store.journalSize, 1000 * 4096)
        XCTAssertEqual(try store.read(at: held) { try $0.value("PRAGMA integrity_check") }, "ok")
    }

    func test_QG_38_aHeldGenerationKeepsTheJournal() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let held = try store.currentGeneration()
        XCTAssertEqual(try store.int(count, at: held), 1)
        try sqlite3("INSERT INTO t VALUES (2, 2)")

        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int(count, at: held), 1)
    }

    func test_QG_38_theHoldStartsAfterEverythingWasCopied() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        XCTAssertTrue(try store.checkpoint(truncate: false))
        let held = try store.currentGeneration()
        for id in 2...50 { try sqlite3("INSERT INTO t VALUES (\(id), 2)") }

        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int(count, at: held), 1)
    }

    func test_QG_39_theLastReleaseFreesTheJournalAtOnce() throws {
        let store = try openStore()
        var held: Generation? = try store.write("INSERT INTO t VALUES (1, 1)")
        var other = held
        try sqlite3("INSERT INTO t VALUES (2, 2)")
        XCTAssertEqual(try store.int(count, at: try XCTUnwrap(held)), 1)

        held = nil
        XCTAssertTrue(try foreignTruncateIsBusy())
        other = nil

        XCTAssertNil(other)
        XCTAssertFalse(try foreignTruncateIsBusy())
        XCTAssertEqual(store.journalSize, 0)
    }

    func test_QG_42_anOpenStoreWithoutPinsHoldsNothing() throws {
        let store = try openStore()
        for id in 1...20 { try store.write("INSERT INTO t VALUES (\(id), 1)") }
        XCTAssertEqual(try store.newestInt(count), 20)

        XCTAssertFalse(try foreignTruncateIsBusy())
        XCTAssertEqual(store.journalSize, 0)
        XCTAssertEqual(try store.newestInt(count), 20)
    }

    func test_readingTheNewestStateAgainAfterAForeignTruncate() throws {
        let store = try openStore()
        for id in 1...50 {
            try store.write("INSERT INTO t VALUES (\(id), 1)")
            if id % 10 == 0 { XCTAssertFalse(try foreignTruncateIsBusy()) }
            if id % 7 == 0 { try sqlite3("UPDATE t SET v = v + 1") }
            XCTAssertEqual(try store.newestInt(count), id)
        }
        XCTAssertEqual(try store.readNewest { try $0.value("PRAGMA integrity_check") }, "ok")
    }

    func test_aReadInsideAReadDoesNotWaitForItself() throws {
        let store = try openStore()
        let generation = try store.currentGeneration()

        let depth = try store.read(at: generation) { _ in
            try store.read(at: generation) { _ in try store.read(at: generation) { try $0.value("SELECT 3") } }
        }

        XCTAssertEqual(depth, "3")
    }

    func test_aBodyThatThrowsLeavesTheReaderUsable() throws {
        struct Stop: Error {}
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1), (2, 2)")
        let old = try store.currentGeneration()

        XCTAssertThrowsError(
            try store.read(at: old) { connection in
                _ = try connection.statement("SELECT * FROM t").step()
                throw Stop()
            }
        ) { XCTAssertTrue($0 is Stop) }
        try store.write("DELETE FROM t")

        XCTAssertEqual(try store.newestInt(count), 0)
        XCTAssertEqual(try store.int(count, at: old), 2)
    }

    func test_aPinnedReaderCannotWrite() throws {
        let store = try openStore()
        let generation = try store.currentGeneration()

        XCTAssertThrowsError(try store.read(at: generation) { try $0.execute("INSERT INTO t VALUES (9, 9)") }) {
            XCTAssertEqual(($0 as? SQLiteError)?.kind, .readOnly)
        }
    }

    func test_aGenerationOutlivesTheStoreAndIsReadThroughTheNextOne() throws {
        var store: StoreFile? = try openStore()
        let held = try XCTUnwrap(try store?.write("INSERT INTO t VALUES (1, 1)"))
        store?.close()
        XCTAssertThrowsError(try store?.int(count, at: held)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .closed) }
        store = nil
        try sqlite3("INSERT INTO t VALUES (2, 2)")

        let next = try openStore()

        XCTAssertEqual(try next.int(count, at: held), 1)
        XCTAssertEqual(try next.newestInt(count), 2)
    }

    func test_closingTheLastStoreLeavesNoJournal() throws {
        let store = try openStore(), other = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        store.close()
        XCTAssertTrue(FileManager.default.fileExists(atPath: path + "-wal"))

        other.close()
        other.close()

        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-wal"))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM t"), ["1"])
    }

    func test_twoThreadsReadOneOldGeneration() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, value FROM generate_series(1, 5000)".replacingSeries())
        let old = try store.currentGeneration()
        try store.write("DELETE FROM t")
        let sums = ResultList<Int>()

        inThreads(4) { _ in
            for _ in 1...20 { sums.append { try store.int("SELECT sum(v) FROM t", at: old) } }
        }

        XCTAssertEqual(try sums.all(), Array(repeating: 12_502_500, count: 80))
    }

    func test_threadsThatWriteTakeTurns() throws {
        let store = try openStore()
        let results = ResultList<Bool>()

        inThreads(4) { _ in
            for _ in 1...25 { results.append { try store.write("INSERT INTO t (v) VALUES (1)") != nil } }
        }

        XCTAssertEqual(try results.all().count, 100)
        XCTAssertEqual(try store.newestInt(count), 100)
    }

    func test_schemaChangesAreThoseOfTheGeneration() throws {
        let store = try openStore()
        let before = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 1)"))
        let between = try XCTUnwrap(try store.write("ALTER TABLE t ADD COLUMN w DEFAULT 7"))
        let after = try XCTUnwrap(try store.write("DROP TABLE t"))

        for _ in 1...2 {
            XCTAssertEqual(try store.int("SELECT w FROM t", at: between), 7)
            XCTAssertThrowsError(try store.int("SELECT w FROM t", at: before))
            XCTAssertEqual(try store.int("SELECT v FROM t", at: before), 1)
            XCTAssertThrowsError(try store.int("SELECT v FROM t", at: after))
        }
    }
}

/// The same guarantees where read marks cannot be held.
final class OpenTransactionGenerationTests: GenerationTests {
    override var usesOpenTransactions: Bool { true }

    // XCTest on Linux does not find inherited tests.
    override func test_aHeldGenerationDoesNotMove() throws { try super.test_aHeldGenerationDoesNotMove() }
    override func test_twoCallsWithoutACommitGiveTheSameGeneration() throws { try super.test_twoCallsWithoutACommitGiveTheSameGeneration() }
    override func test_aStateThatIsTakenAgainHasItsRank() throws { try super.test_aStateThatIsTakenAgainHasItsRank() }
    override func test_aReaderThatIsMovedSeesTheTreesOfEachGeneration() throws {
        try super.test_aReaderThatIsMovedSeesTheTreesOfEachGeneration()
    }
    override func test_commitGivesAGenerationThatContainsTheCommit() throws { try super.test_commitGivesAGenerationThatContainsTheCommit() }
    override func test_aCommitOfAnotherProcessIsSeen() throws { try super.test_aCommitOfAnotherProcessIsSeen() }
    override func test_twoStoresOnOneFileShareTheirGenerations() throws { try super.test_twoStoresOnOneFileShareTheirGenerations() }
    override func test_QG_53_aPinDoesNotWaitForAWriterAndDoesNotBlockOne() throws {
        try super.test_QG_53_aPinDoesNotWaitForAWriterAndDoesNotBlockOne()
    }
    override func test_QG_55_manyGenerationsAreEachTheirOwn() throws { try super.test_QG_55_manyGenerationsAreEachTheirOwn() }
    override func test_QG_54_checkpointsOfOthersAndOurOwnLeaveAPinAlone() throws {
        try super.test_QG_54_checkpointsOfOthersAndOurOwnLeaveAPinAlone()
    }
    override func test_QG_38_aHeldGenerationKeepsTheJournal() throws { try super.test_QG_38_aHeldGenerationKeepsTheJournal() }
    override func test_QG_38_theHoldStartsAfterEverythingWasCopied() throws { try super.test_QG_38_theHoldStartsAfterEverythingWasCopied() }
    override func test_QG_39_theLastReleaseFreesTheJournalAtOnce() throws { try super.test_QG_39_theLastReleaseFreesTheJournalAtOnce() }
    override func test_QG_42_anOpenStoreWithoutPinsHoldsNothing() throws { try super.test_QG_42_anOpenStoreWithoutPinsHoldsNothing() }
    override func test_readingTheNewestStateAgainAfterAForeignTruncate() throws {
        try super.test_readingTheNewestStateAgainAfterAForeignTruncate()
    }
    override func test_aReadInsideAReadDoesNotWaitForItself() throws { try super.test_aReadInsideAReadDoesNotWaitForItself() }
    override func test_aBodyThatThrowsLeavesTheReaderUsable() throws { try super.test_aBodyThatThrowsLeavesTheReaderUsable() }
    override func test_aPinnedReaderCannotWrite() throws { try super.test_aPinnedReaderCannotWrite() }
    override func test_aGenerationOutlivesTheStoreAndIsReadThroughTheNextOne() throws {
        try super.test_aGenerationOutlivesTheStoreAndIsReadThroughTheNextOne()
    }
    override func test_closingTheLastStoreLeavesNoJournal() throws { try super.test_closingTheLastStoreLeavesNoJournal() }
    override func test_twoThreadsReadOneOldGeneration() throws { try super.test_twoThreadsReadOneOldGeneration() }
    override func test_threadsThatWriteTakeTurns() throws { try super.test_threadsThatWriteTakeTurns() }
    override func test_schemaChangesAreThoseOfTheGeneration() throws { try super.test_schemaChangesAreThoseOfTheGeneration() }
}

extension String {
    /// The library is built without generate_series; a recursive query replaces it.
    func replacingSeries() -> String {
        guard let range = range(of: #"generate_series\((\d+), (\d+)\)"#, options: .regularExpression) else { return self }
        let numbers = self[range].split { !$0.isNumber }
        return replacingCharacters(
            in: range,
            with: "(WITH RECURSIVE series(value) AS (VALUES (\(numbers[0])) UNION ALL "
                + "SELECT value + 1 FROM series WHERE value < \(numbers[1])) SELECT value FROM series)")
    }
}

/// Results from several threads.
final class ResultList<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result<Value, any Error>] = []

    func append(_ body: () throws -> Value) {
        let result = Result { try body() }
        lock.withLock { results.append(result) }
    }

    func all() throws -> [Value] { try lock.withLock { results }.map { try $0.get() } }
}
