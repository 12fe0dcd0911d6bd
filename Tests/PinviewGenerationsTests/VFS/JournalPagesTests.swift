import CSQLite
import Foundation
import RandomSupport
import XCTest

@testable import PinviewGenerations

/// Readers that move to a later state without SQLite noticing.
final class JournalPagesTests: StoreFileTestCase {
    private static let rows = 400

    /// Rows of which few fit on a page, and which contain the number of their changes.
    private func openFilled(
        pageSize: Int = 1024, _ configure: (inout StoreFileOptions) -> Void = { _ in }
    ) throws -> StoreFile {
        var options = self.options
        options.initialPragmas = ["PRAGMA page_size=\(pageSize)"]
        configure(&options)
        let store = try openStore(options)
        try store.write(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows)) "
                + "INSERT INTO t SELECT i, '0 ' || hex(zeroblob(150)) FROM n")
        return store
    }

    private func change(_ store: StoreFile, _ row: Int, _ number: Int, length: Int = 150) throws {
        try store.write("UPDATE t SET v = '\(number) ' || hex(zeroblob(\(length))) WHERE id = \(row)")
    }

    private func read(_ store: StoreFile, _ row: Int) throws -> Int {
        try store.newestInt("SELECT CAST(v AS INTEGER) FROM t WHERE id = \(row)")
    }

    /// The number of pages that a read of a row takes from the files.
    private func misses(_ store: StoreFile, _ row: Int, expecting number: Int) throws -> Int {
        try store.readNewest { connection in
            func count() -> Int {
                var current: Int32 = 0, highest: Int32 = 0
                sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_CACHE_MISS, &current, &highest, 0)
                return Int(current)
            }
            let before = count()
            XCTAssertEqual(try connection.value("SELECT CAST(v AS INTEGER) FROM t WHERE id = \(row)"), "\(number)")
            return count() - before
        }
    }

    func test_commitsToOtherPagesLeaveTheCacheAsItIs() throws {
        let store = try openFilled()
        // The second state is the first one for which pages are kept.
        for number in 1...2 {
            try change(store, 1, number)
            XCTAssertEqual(try read(store, 1), number)
        }
        for number in 3...20 {
            try change(store, 200, number)
            XCTAssertEqual(try misses(store, 1, expecting: 2), 0)
        }
        XCTAssertEqual(try misses(store, 200, expecting: 20), 1)
        XCTAssertEqual(try misses(store, 200, expecting: 20), 0)
    }

    func test_aCommitToAPageInTheCacheIsSeen() throws {
        let store = try openFilled()
        for number in 1...20 {
            try change(store, 1, number)
            XCTAssertEqual(try read(store, 1), number)
            try change(store, 200, number)
            XCTAssertEqual(try read(store, 200), number)
        }
    }

    func test_aCommitToAPageInTheCacheLeavesTheFirstPageThere() throws {
        let store = try openFilled(pageSize: 4096)
        for number in 1...20 {
            try change(store, 1, number)
            let misses = try misses(store, 1, expecting: number)
            // The root and a leaf. Until a transaction is kept open, the first page as well.
            if number > 3 { XCTAssertEqual(misses, 2, "commit \(number)") }
            XCTAssertEqual(try read(store, 1), number)
        }
    }

    func test_aStateIsTheSameAfterAReadThatFails() throws {
        let store = try openFilled()
        for number in 1...5 {
            try change(store, 1, number)
            XCTAssertEqual(try read(store, 1), number)
        }
        try change(store, 200, 7)
        let generation = try store.currentGeneration()
        XCTAssertEqual(try store.int("SELECT CAST(v AS INTEGER) FROM t WHERE id = 1", at: generation), 5)
        XCTAssertThrowsError(try store.int("SELECT v FROM nowhere", at: generation))
        XCTAssertEqual(try store.int("SELECT CAST(v AS INTEGER) FROM t WHERE id = 200", at: generation), 7)
        XCTAssertEqual(try store.int("SELECT CAST(v AS INTEGER) FROM t WHERE id = 1", at: generation), 5)
    }

    func test_moreCommitsThanAreFollowed() throws {
        let store = try openFilled()
        for number in 1...700 {
            try change(store, 100 + number % 300, number)
            if number % 7 == 0 { XCTAssertEqual(try read(store, 1), 0) }
        }
        for row in 100..<400 { XCTAssertEqual(try read(store, row), (401...700).first { 100 + $0 % 300 == row }) }
    }

    func test_aSchemaThatHasChangedIsSeen() throws {
        let store = try openFilled()
        for number in 1...3 {
            try change(store, 1, number)
            XCTAssertEqual(try read(store, 1), number)
        }
        try sqlite3("ALTER TABLE t ADD COLUMN w DEFAULT 5")
        XCTAssertEqual(try store.newestInt("SELECT w FROM t WHERE id = 2"), 5)
        try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        try sqlite3("UPDATE t SET w = 6 WHERE id = 2")
        XCTAssertEqual(try store.newestInt("SELECT w FROM t WHERE id = 2"), 6)
    }

    func test_pagesThatAreMappedAreNotFollowed() throws {
        let store = try openFilled { options in
            options.configure = { (connection) throws(SQLiteError) in try connection.execute("PRAGMA mmap_size=100000000") }
        }
        XCTAssertTrue(try store.checkpoint(truncate: true))
        for number in 1...100 {
            try change(store, 1 + number * 37 % Self.rows, number)
            XCTAssertEqual(try read(store, 1 + number * 37 % Self.rows), number)
            XCTAssertEqual(try read(store, 1 + (number - 1) * 37 % Self.rows), number - 1)
        }
    }

    func test_allStatesAgreeWithWhatWasWritten() throws { try checkAllStates(pageSize: 4096) }

    func test_allStatesAgreeWithWhatWasWrittenToSmallPages() throws { try checkAllStates(pageSize: 1024) }

    /// Others commit large and small values and copy the journal; each generation keeps its
    /// content.
    private func checkAllStates(pageSize: Int) throws {
        let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 0..<1_000_000)
        var random = SmallRandom(seed: seed)
        let store = try openFilled(pageSize: pageSize)
        var values = Array(repeating: 0, count: Self.rows + 1)
        var kept: [(generation: Generation, values: [Int])] = []
        for number in 1...1500 {
            let row = random.next(below: Self.rows) + 1
            values[row] = number
            // Some values continue on overflow pages.
            try change(store, row, number, length: random.next(below: 20) == 0 ? 4000 : 150)
            switch random.next(below: 40) {
            case 0: kept.append((try store.currentGeneration(), values))
            case 1 where !kept.isEmpty: kept.remove(at: random.next(below: kept.count))
            case 2: _ = try store.checkpoint(truncate: random.next(below: 2) == 0)
            default: break
            }
            for _ in 0..<2 {
                let row = random.next(below: Self.rows) + 1
                XCTAssertEqual(try read(store, row), values[row], "seed \(seed), commit \(number)")
            }
            if let old = kept.last, random.next(below: 4) == 0 {
                let row = random.next(below: Self.rows) + 1
                XCTAssertEqual(
                    try store.int("SELECT CAST(v AS INTEGER) FROM t WHERE id = \(row)", at: old.generation), old.values[row],
                    "seed \(seed), commit \(number)")
            }
            if number % 100 == 0 { XCTAssertEqual(try store.readNewest { try $0.value("PRAGMA integrity_check") }, "ok") }
        }
    }
}

/// The same numbers for the same seed.
private struct SmallRandom {
    private var state: UInt64
    init(seed: UInt64) { state = seed &+ 0x9e37_79b9_7f4a_7c15 }

    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
