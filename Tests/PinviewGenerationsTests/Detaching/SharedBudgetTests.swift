import Foundation
import XCTest

@testable import PinviewGenerations

/// Issue 15, 2: the budget of the journal is kept by all processes together.
final class SharedBudgetTests: StoreFileTestCase {
    private let events = EventList()
    private static let budget: Int64 = 1 << 20
    private var written: [(time: Date, bytes: Int64)] = []

    override var options: StoreFileOptions {
        var options = super.options
        options.synchronous = .off
        options.journalBudget.bytes = Self.budget
        options.journalObserver = { [events] in events.append($0) }
        return options
    }

    /// Rows of a page each, so that each update of one adds a frame.
    private func fill(_ store: StoreFile) throws {
        try store.write("CREATE TABLE pages (id INTEGER PRIMARY KEY, v, w)")
        try store.write("INSERT INTO pages SELECT value, 0, zeroblob(3500) FROM generate_series(1, 200)".replacingSeries())
        try store.write("INSERT INTO t SELECT value, 1 FROM generate_series(1, 100)".replacingSeries())
        XCTAssertTrue(try store.checkpoint(truncate: true))
    }

    /// Writes for some seconds, 1.6 MB in each.
    ///
    /// - Returns: the most bytes that the journal's frames had beyond what was written in the two
    ///   seconds before.
    private func write(_ store: StoreFile, seconds: Double) throws -> (longest: Int64, excess: Int64) {
        let start = Date()
        var longest: Int64 = 0, excess: Int64 = 0
        var number = 0
        while Date().timeIntervalSince(start) < seconds {
            number += 1
            let first = number % 10 * 20
            try store.write(
                "UPDATE pages SET v = \(number) WHERE id > \(first) AND id <= \(first + 20)", "UPDATE t SET v = v + 1 WHERE id = 1")
            let now = Date()
            written.append((now, 22 * 4120))
            written.removeAll { now.timeIntervalSince($0.time) > 2 }
            let journal = Int64(try XCTUnwrap(store.shared).index.frameCount) * 4120
            longest = max(longest, journal)
            excess = max(excess, journal - written.reduce(0) { $0 + $1.bytes })
            usleep(50_000)
        }
        return (longest, excess)
    }

    func test_2_twoProcessesThatPinLetGoTogether() throws {
        let store = try openStore()
        try fill(store)
        let others = try (0..<2).map { _ in try ForeignProcess.stressProcess("budget", path) }
        for other in others { XCTAssertEqual(other.readLine(), "ready") }

        let (longest, excess) = try write(store, seconds: 8)

        XCTAssertLessThan(excess, 2 * Self.budget, "the journal had up to \(longest) bytes")
        for other in others {
            other.finish()
            XCTAssertEqual(other.readLine(), "done")
        }
    }

    /// Whoever leads or takes part may be gone at any moment.
    func test_2_processesThatAreKilledDoNotMatter() throws {
        let store = try openStore()
        try fill(store)
        let pinned = try store.currentGeneration()
        let expected = try store.int("SELECT sum(v) FROM t", at: pinned)
        var others: [ForeignProcess] = []
        var excess: Int64 = 0

        for round in 0..<6 {
            let other = try ForeignProcess.stressProcess("budget", path)
            others.append(other)
            XCTAssertEqual(other.readLine(), "ready")
            excess = max(excess, try write(store, seconds: 1).excess)
            if round % 2 == 1 { others.removeFirst().kill() }
        }

        XCTAssertLessThan(excess, 2 * Self.budget, "\(events.all.map { ($0.kind, $0.reason ?? "") })")
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: pinned), expected)
        for other in others { other.kill() }
        XCTAssertEqual(try sqlite3("PRAGMA integrity_check"), ["ok"])
    }

    func test_2_aProgramThatReadsWithPlainSQLiteIsNamed() throws {
        let store = try openStore()
        try fill(store)
        let pinned = try store.currentGeneration()
        let other = try ForeignProcess(path: path)
        try other.run("BEGIN")
        try other.run("SELECT count(*) FROM t")
        try store.write("UPDATE t SET v = v + 1")
        try other.run("COMMIT")
        // Now it is of the journal.
        try other.run("BEGIN")
        try other.run("SELECT count(*) FROM t")

        _ = try write(store, seconds: 5)

        waitUntil("it is named") { events.all.contains { $0.reason?.contains("python3 (process \(other.identifier))") ?? false } }
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: pinned), 100)
        // As soon as it ends, the journal is let go.
        try other.run("COMMIT")
        waitUntil("the journal is begun anew") {
            _ = try? store.write("UPDATE t SET v = v + 1 WHERE id = 2")
            usleep(20_000)
            return store.shared.map { Int64($0.index.frameCount) * 4120 < Self.budget } ?? false
        }
        other.finish()
    }
}
