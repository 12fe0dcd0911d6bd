import Foundation
import XCTest

@testable import PinviewGenerations

/// What happens when old pins make the journal too long, and who is notified.
final class JournalBudgetTests: StoreFileTestCase {
    override var options: StoreFileOptions {
        var options = super.options
        options.synchronous = .off
        options.journalObserver = { [events] in events.append($0) }
        return options
    }

    private let events = EventList()

    private func options(_ change: (inout JournalBudget) -> Void) -> StoreFileOptions {
        var options = options
        change(&options.journalBudget)
        return options
    }

    private func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-detached-") }
    }

    private func diskUse() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { total, name in
            // A copy may be deleted at this moment.
            let size = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int
            return total + (size ?? 0)
        }
    }

    func test_limits() {
        var budget = JournalBudget()
        XCTAssertEqual(budget.limit(storeBytes: 0), 32 << 20, "never less than this by a share")
        XCTAssertEqual(budget.limit(storeBytes: 100 << 20), 100 << 20)
        budget.share = 0.5
        XCTAssertEqual(budget.limit(storeBytes: 100 << 20), 50 << 20)
        budget.share = nil
        budget.bytes = 1 << 20
        XCTAssertEqual(budget.limit(storeBytes: 1 << 30), 1 << 20)
        budget.share = 2
        XCTAssertEqual(budget.limit(storeBytes: 1 << 30), 1 << 20, "the smaller of both")
        budget.bytes = 4 << 30
        XCTAssertEqual(budget.limit(storeBytes: 1 << 30), 2 << 30)
        budget.share = 1e30
        XCTAssertEqual(budget.limit(storeBytes: 1 << 30), 4 << 30)
    }

    /// A pinned state during heavy writing: the space on disk stays a small multiple of the store.
    func test_theDiskUseStaysBoundedUnderAnOldPin() throws {
        let store = try openStore(options { $0.bytes = 4 << 20 })
        try store.write("INSERT INTO t SELECT value, 0 FROM generate_series(1, 1000)".replacingSeries())
        let old = try store.currentGeneration()
        var most = 0

        for number in 1...20_000 {
            try store.write("UPDATE t SET v = \(number) WHERE id = \(number % 1000 + 1)")
            guard number % 500 == 0 else { continue }
            most = max(most, try diskUse())
            // The library's thread may have to wait for a processor.
            waitUntil("the journal is copied") { old.file.index.uncopiedFrames <= 3000 }
        }

        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: old), 0)
        XCTAssertEqual(try store.newestInt("SELECT max(v) FROM t"), 20_000)
        XCTAssertLessThan(most, 40 << 20, "82 MB without detaching")
        XCTAssertEqual(events.kinds, [.detached])
        let event = try XCTUnwrap(events.all.first)
        XCTAssertEqual(event.generations, 1)
        XCTAssertEqual(event.budgetBytes, 4 << 20)
        XCTAssertGreaterThan(event.journalBytes, 4 << 20)
        XCTAssertGreaterThan(event.copyBytes, 0)
        XCTAssertEqual(event.path, try store.currentGeneration().file.path)
    }

    /// Several contexts that are refreshed now and then, so that an old generation always lives.
    func test_overlappingPinsDoNotKeepTheJournalEither() throws {
        let store = try openStore(options { $0.bytes = 2 << 20 })
        try store.write("INSERT INTO t SELECT value, 0 FROM generate_series(1, 1000)".replacingSeries())
        var held: [(number: Int, generation: Generation)] = []
        var most: Int64 = 0

        for number in 1...8_000 {
            let generation = try XCTUnwrap(try store.write("UPDATE t SET v = \(number) WHERE id = 1"))
            if number % 100 == 0 {
                held.append((number, generation))
                if held.count > 8 { held.removeFirst() }
                for (number, generation) in held { XCTAssertEqual(try store.int("SELECT max(v) FROM t", at: generation), number) }
                most = max(most, store.journalSize)
                // The library's thread may have to wait for a processor: it gets some time to catch
                // up.
                for _ in 0..<2000 where generation.file.index.uncopiedFrames > 2500 { usleep(1_000) }
            }
        }

        XCTAssertLessThan(most, 24 << 20, "33 MB without detaching")
        XCTAssertGreaterThan(events.kinds.count, 1)
        held = []
        // One more copy may have been under way.
        try waitUntil("the copies are deleted") { try copies().isEmpty }
    }

    /// Another process writes; this one does not commit.
    func test_aJournalMadeLongByAnotherProcess() throws {
        let store = try openStore(options { $0.bytes = 1 << 20 })
        let old = try store.currentGeneration(), other = try ForeignProcess(path: path)
        defer { other.finish() }

        try other.run("INSERT INTO t SELECT value, 1 FROM generate_series(1, 200000)".replacingSeries())

        waitUntil("the generation is detached") { events.kinds == [.detached] }
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: old), 0)
        XCTAssertEqual(store.journalSize, 0)
    }

    func test_aGenerationThatIsTooOld() throws {
        let store = try openStore(options { $0.age = 0.05 })
        let old = try store.currentGeneration()
        try store.write("INSERT INTO t VALUES (1, 1)")

        waitUntil("the generation is detached") { events.kinds == [.detached] }

        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: old), 0)
        XCTAssertFalse(try foreignTruncateIsBusy())
    }

    func test_theNewestGenerationIsNeverTooOld() throws {
        let store = try openStore(options { $0.age = 0.02 })
        let newest = try store.currentGeneration()
        let file = newest.file

        for _ in 1...3 { XCTAssertNotNil(file.checkJournal()) }

        XCTAssertEqual(events.kinds, [])
        XCTAssertEqual(try copies(), [])
    }

    func test_warnTellsOncePerDoubling() throws {
        let store = try openStore(
            options {
                $0.policy = .warn
                $0.bytes = 1 << 20
            })
        let old = try store.currentGeneration()

        for number in 1...4_000 { try store.write("INSERT INTO t (v) VALUES (\(number))") }

        waitUntil("it is told") { !events.kinds.isEmpty }
        XCTAssertEqual(Set(events.kinds), [.budgetExceeded])
        XCTAssertLessThanOrEqual(events.kinds.count, 5)
        let sizes = events.all.map(\.journalBytes)
        for (before, after) in zip(sizes, sizes.dropFirst()) { XCTAssertGreaterThanOrEqual(after, 2 * before) }
        XCTAssertEqual(try copies(), [])
        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: old), 0)
    }

    /// The scheduler's thread may reach a file just when its last store is closed.
    func test_aClosedFileIsNotLookedAt() throws {
        let store = try openStore()
        let file = try XCTUnwrap(store.shared)
        XCTAssertNotNil(file.withOpenIndex { $0.frameCount })

        store.close()

        XCTAssertNil(file.withOpenIndex { $0.frameCount })
        XCTAssertNil(file.checkJournal())
    }

    func test_offDoesNothing() throws {
        let store = try openStore(
            options {
                $0.policy = .off
                $0.bytes = 1 << 16
                $0.age = 0.01
            })
        let old = try store.currentGeneration()

        for number in 1...1_000 { try store.write("INSERT INTO t (v) VALUES (\(number))") }

        XCTAssertNil(old.file.checkJournal())
        XCTAssertEqual(events.kinds, [])
        XCTAssertTrue(try foreignTruncateIsBusy())
    }

    /// If a second store on the same file asks for more, both get it.
    func test_storesOnOneFileAgree() throws {
        let quiet = try openStore(options { $0.policy = .off })
        let store = try openStore(options { $0.age = 0.01 })
        let old = try quiet.currentGeneration()
        try quiet.write("INSERT INTO t VALUES (1, 1)")

        waitUntil("both are told") { events.kinds.count == 2 }

        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: old), 0)
        XCTAssertEqual(events.kinds, [.detached, .detached])
    }

    func test_detachmentsAreLogged() throws {
        let lines = LineList()
        SQLLog.setHandler { lines.append($0) }
        SQLLog.setEnabled(true)
        defer {
            SQLLog.setEnabled(false)
            SQLLog.setHandler(nil)
        }
        let store = try openStore(options { $0.age = 0.01 })
        let old = try store.currentGeneration()
        try store.write("INSERT INTO t VALUES (1, 1)")

        waitUntil("it is told") { !events.kinds.isEmpty }

        XCTAssertEqual(lines.all.filter { $0.hasPrefix("CoreData: annotation: detached 1 older generation into a copy of ") }.count, 1)
        withExtendedLifetime(old) {}
    }
}

final class EventList: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [JournalEvent] = []
    func append(_ event: JournalEvent) { lock.withLock { events.append(event) } }
    var all: [JournalEvent] { lock.withLock { events } }
    var kinds: [JournalEvent.Kind] { all.map(\.kind) }
}
