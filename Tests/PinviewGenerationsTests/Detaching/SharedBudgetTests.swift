import CPlatform
import Foundation
import XCTest

@testable import PinviewGenerations

/// Issue 15, 2: all processes together keep the budget of the journal.
final class SharedBudgetTests: StoreFileTestCase {
    private let events = EventList()
    private static let budget: Int64 = 1 << 20
    private var written: [(time: Date, bytes: Int64)] = []
    /// The number of the latest commit.
    private var number = 0

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

    /// The maximum of what the journal had beyond the writes of the second before. Commits while
    /// others copied count separately: the copies here have less than a megabyte.
    private struct Growth: CustomStringConvertible {
        var longest: Int64 = 0, excess: Int64 = 0
        var description: String { "up to \(longest) bytes, \(excess) beyond the last second's" }

        mutating func merge(_ other: Growth) {
            longest = max(longest, other.longest)
            excess = max(excess, other.excess)
        }
    }

    /// Commits this many times, twenty times a second (1.8 MB a second).
    private func write(_ store: StoreFile, commits: Int) throws -> Growth {
        var growth = Growth()
        var next = Date()
        for _ in 1...commits {
            number += 1
            let first = number % 10 * 20
            try store.write(
                "UPDATE pages SET v = \(number) WHERE id > \(first) AND id <= \(first + 20)", "UPDATE t SET v = v + 1 WHERE id = 1")
            let now = Date()
            written.append((now, 22 * 4120))
            written.removeAll { now.timeIntervalSince($0.time) > 1 }
            let journal = Int64(try XCTUnwrap(store.shared).index.frameCount) * 4120
            growth.merge(Growth(longest: journal, excess: journal - written.reduce(0) { $0 + $1.bytes }))
            // The rate that the limit depends on.
            next += 0.05
            Thread.sleep(until: next)
        }
        return growth
    }

    /// Writes until the limit is kept, three times at most. It is kept by threads that get a
    /// processor in time: on a busy machine a single attempt proves nothing.
    private func writeWithinLimit(_ store: StoreFile) throws -> Growth {
        var growth = try write(store, commits: 160)
        for _ in 1...2 where growth.excess >= 2 * Self.budget { growth = try write(store, commits: 160) }
        return growth
    }

    func test_2_twoProcessesThatPinReleaseTheJournalTogether() throws {
        let store = try openStore()
        try fill(store)
        let others = try (0..<2).map { _ in try ForeignProcess.stressProcess("budget", path) }
        for other in others { XCTAssertEqual(other.readLine(), "pinner ready") }

        let growth = try writeWithinLimit(store)

        XCTAssertLessThan(growth.excess, 2 * Self.budget, "\(growth)")
        for other in others {
            other.finish()
            XCTAssertEqual(other.readLine(), "pinner done")
        }
    }

    /// The smallest budget applies. Processes with larger ones check the journal less often, and
    /// must be notified in time.
    func test_2_processesWithLargerBudgetsReleaseTheJournalInTime() throws {
        let store = try openStore()
        try fill(store)
        let others = try (0..<2).map { _ in try ForeignProcess.stressProcess("budget", path, "\(64 << 20)") }
        for other in others { XCTAssertEqual(other.readLine(), "pinner ready") }
        let pinned = try store.currentGeneration()

        let growth = try writeWithinLimit(store)

        XCTAssertLessThan(growth.excess, 2 * Self.budget, "\(growth), \(events.all.map { ($0.kind, $0.reason ?? "") })")
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: pinned), 100)
        for other in others { other.finish() }
    }

    /// A process with a larger budget checks as often as one that is near its own.
    func test_2_processesTellOneAnotherThatTheJournalIsNearItsBudget() throws {
        var large = options
        large.journalBudget.bytes = 64 << 20
        let store = try openStore(large)
        try fill(store)
        let held = try store.currentGeneration(), file = held.file
        try store.write("UPDATE t SET v = 0 WHERE id = 1")
        XCTAssertGreaterThan(try XCTUnwrap(file.checkJournal()), CheckpointScheduler.nearWatchInterval)

        // Another process is near its budget.
        let other = open(path + "-shm", O_RDONLY)
        XCTAssertEqual(pinview_lock_description(other, Int16(F_RDLCK), ReleaseLocks.Byte.near.rawValue, 1), 0)
        XCTAssertEqual(file.checkJournal(), CheckpointScheduler.nearWatchInterval)
        XCTAssertEqual(pinview_lock_description(other, Int16(F_UNLCK), ReleaseLocks.Byte.near.rawValue, 1), 0)

        // Now it is this one, by the budget of a second store on the file.
        let small = try openStore()
        XCTAssertEqual(pinview_finds_lock(other, ReleaseLocks.Byte.near.rawValue), 0)
        try store.write("UPDATE pages SET v = 1 WHERE id <= 180")
        waitUntil("it is told") { pinview_finds_lock(other, ReleaseLocks.Byte.near.rawValue) == 1 }
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: held), 100)
        small.close()
        store.close()
        close(other)
    }

    /// Copies of another process can take long: waiting for them does not keep anybody from
    /// detaching or closing.
    func test_2_waitingForOthersBlocksNoOtherThread() throws {
        let store = try openStore()
        try fill(store)
        let held = try store.currentGeneration()
        // Another process that pins and never finishes its copy.
        let other = open(path + "-shm", O_RDONLY)
        XCTAssertEqual(pinview_lock_description(other, Int16(F_RDLCK), LockBytes.firstReadMark + 1, 1), 0)
        XCTAssertEqual(pinview_lock_description(other, Int16(F_RDLCK), ReleaseLocks.Byte.copying.rawValue, 1), 0)
        _ = try write(store, commits: 15)
        waitUntil("somebody leads") { pinview_finds_lock(other, ReleaseLocks.Byte.collect.rawValue) == 1 }
        let old = try store.currentGeneration()
        try store.write("UPDATE t SET v = 0 WHERE id = 1")

        let start = Date()
        XCTAssertEqual(try store.detachOlderGenerations(), 2)

        XCTAssertLessThan(Date().timeIntervalSince(start), JournalRelease.copyTime / 2)
        XCTAssertEqual(pinview_finds_lock(other, ReleaseLocks.Byte.collect.rawValue), 1, "it leads still")
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: held), 100)
        XCTAssertNotEqual(try store.int("SELECT sum(v) FROM t", at: old), 100)
        _ = pinview_lock_description(other, Int16(F_UNLCK), 0, 0)
        store.close()
        close(other)
    }

    // MARK: One budget for all (SNP-05)

    func test_SNP05_copiesTakeTheirPartOfTheBudget() throws {
        let store = try openStore()
        try fill(store)
        var held = [try store.currentGeneration()]
        _ = try write(store, commits: 16)
        waitUntil("the first is detached") { events.kinds.contains(.detached) }
        let costs = try XCTUnwrap(try store.journalState()?.costs)
        XCTAssertEqual(costs.copies, 1)
        XCTAssertGreaterThan(costs.copyBytes, Self.budget / 2)
        XCTAssertEqual(try store.journalState()?.budgetBytes, Self.budget)

        // More than half and less than the whole: without a copy, nothing would be done.
        held.append(try store.currentGeneration())
        let commits = Int(Self.budget * 3 / 4 / (22 * 4120))
        _ = try write(store, commits: commits)

        waitUntil("the second is detached") { events.kinds.filter { $0 == .detached }.count == 2 }
        XCTAssertLessThan(try XCTUnwrap(events.all.last { $0.kind == .detached }).journalBytes, Self.budget)
        // Two of them exceed the budget by themselves.
        waitUntil("it is told") { events.kinds.contains(.budgetExceeded) }
        let event = try XCTUnwrap(events.all.first { $0.kind == .budgetExceeded })
        XCTAssertTrue(event.reason?.contains("detached cop") ?? false, event.reason ?? "no reason")
        XCTAssertGreaterThan(event.copyBytes, Self.budget)
        held = []
        waitUntil("the copies are deleted") { (try? store.journalState()?.costs.copyBytes) == 0 }
    }

    func test_SNP05_theHistoryIsMeasured() throws {
        var options = options
        options.historySizeSQL = "SELECT sum(length(w)) FROM pages"
        let store = try openStore(options)
        try fill(store)

        XCTAssertEqual(try store.journalState()?.costs.historyBytes, 200 * 3500, "measured by the checkpoint")
    }

    /// The leader and the others may be killed at any moment.
    func test_2_processesThatAreKilledDoNotMatter() throws {
        let store = try openStore()
        try fill(store)
        let pinned = try store.currentGeneration()
        let expected = try store.int("SELECT sum(v) FROM t", at: pinned)
        var others: [ForeignProcess] = []
        var growth = Growth()

        for round in 0..<6 {
            let other = try ForeignProcess.stressProcess("budget", path)
            others.append(other)
            XCTAssertEqual(other.readLine(), "pinner ready")
            growth.merge(try write(store, commits: 20))
            if round % 2 == 1 { others.removeFirst().kill() }
        }

        XCTAssertLessThan(growth.excess, 2 * Self.budget, "\(growth), \(events.all.map { ($0.kind, $0.reason ?? "") })")
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

        _ = try write(store, commits: 40)

        waitUntil("it is named") { events.all.contains { $0.reason?.contains("python3 (process \(other.identifier))") ?? false } }
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: pinned), 100)
        // When it ends, the journal is released.
        try other.run("COMMIT")
        waitUntil("the journal is restarted") {
            _ = try? write(store, commits: 1)
            return store.shared.map { Int64($0.index.frameCount) * 4120 < Self.budget } ?? false
        }
        other.finish()
    }
}
