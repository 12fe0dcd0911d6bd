import Foundation
import XCTest

@testable import PinviewGenerations

/// Interruptions of a copy, copies that fail, and what processes leave behind.
final class DetachFaultTests: StoreFileTestCase {
    override var options: StoreFileOptions {
        var options = super.options
        options.journalBudget.policy = .off
        options.synchronous = .off
        return options
    }

    override func tearDown() {
        FileCopy.pause.store(0, ordering: .relaxed)
        super.tearDown()
    }

    private func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-detached-") }.sorted()
    }
    private let sum = "SELECT sum(v) FROM rows"

    /// The main file has about 8 MB, so that a copy takes eight pieces.
    private func largeStore() throws -> StoreFile {
        let store = try StoreFile.open(path: path, options: options)
        try store.write("CREATE TABLE rows (id INTEGER PRIMARY KEY, v, w)")
        try store.write("INSERT INTO rows SELECT value, 0, zeroblob(3000) FROM generate_series(1, 2000)".replacingSeries())
        XCTAssertTrue(try store.checkpoint(truncate: true))
        return store
    }

    /// A slow copy during commits and checkpoints of this process and of another one, which copy
    /// pages into the main file as far as the pins allow.
    func test_checkpointsDuringACopyDoNoHarm() throws {
        for startsAtReadMarkZero in [false, true] {
            let store = try largeStore()
            nonisolated(unsafe) let other = try ForeignProcess(path: path)  // one thread at a time uses it
            if !startsAtReadMarkZero { try store.write("UPDATE rows SET v = 1 WHERE id % 7 = 0") }
            let first = try store.currentGeneration()
            let expected = try store.int(sum, at: first)
            try store.write("UPDATE rows SET v = 2 WHERE id % 5 = 0")
            let second = try store.currentGeneration()
            try store.write("UPDATE rows SET v = 3 WHERE id % 3 = 0")
            let later = ResultList<Generation>()
            FileCopy.pause.store(60_000_000, ordering: .relaxed)
            let moved = ResultList<Int>()

            inThreads(2) { number in
                if number == 0 {
                    return moved.append { try store.detachOlderGenerations() }
                }
                waitUntil("the copy has begun") { FileCopy.isResting.load(ordering: .relaxed) }
                for round in 1...60 {
                    _ = try? store.write("UPDATE rows SET v = 100 + \(round) WHERE id % 11 = \(round % 11)")
                    if round % 3 == 0 { _ = try? store.checkpoint(truncate: false) }
                    if round % 4 == 0 { _ = try? other.run("PRAGMA wal_checkpoint(PASSIVE)") }
                    if round % 5 == 0 { later.append { try store.currentGeneration() } }
                    // The rest is copied during the second half.
                    if round == 30 { FileCopy.pause.store(0, ordering: .relaxed) }
                }
            }

            let others = try later.all(), count = try XCTUnwrap(try moved.all().first)
            XCTAssertGreaterThanOrEqual(count, 2)
            XCTAssertEqual(others.count, 12)
            let before = try others.map { try store.int("SELECT max(v) FROM rows", at: $0) }
            try other.run("DELETE FROM rows WHERE id > 5")
            try other.run("VACUUM")
            other.finish()
            XCTAssertEqual(try store.int(sum, at: first), expected)
            XCTAssertEqual(try store.int("SELECT sum(v = 2) FROM rows", at: second), 400)
            XCTAssertEqual(try others.map { try store.int("SELECT max(v) FROM rows", at: $0) }, before)
            XCTAssertEqual(before, before.sorted())
            for generation in others + [first, second] {
                XCTAssertEqual(try store.read(at: generation) { try $0.value("PRAGMA integrity_check") }, "ok")
                XCTAssertEqual(try store.int("SELECT count(*) FROM rows", at: generation), 2000)
            }
            store.close()
            for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
        }
    }

    func test_aCopyThatIsNoLongerNeededEnds() throws {
        let store = try largeStore()
        var old: Generation? = try store.currentGeneration()
        try store.write("UPDATE rows SET v = 1")
        FileCopy.pause.store(50_000, ordering: .relaxed)
        let moved = ResultList<Int>()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            moved.append { try store.detachOlderGenerations() }
            isDone.signal()
        }
        waitUntil("the copy has begun") { (try? copies().isEmpty) == false }

        old = nil

        XCTAssertTrue(try store.checkpoint(truncate: true), "the copy holds nothing")
        isDone.wait()
        XCTAssertEqual(try moved.all(), [0])
        XCTAssertEqual(try copies(), [])
        XCTAssertNil(old)
    }

    func test_leftoversOfAKilledProcessAreDeletedByTheNextOpener() throws {
        try largeStore().close()
        let process = try ForeignProcess.stressProcess("detach", path)
        XCTAssertEqual(process.readLine(), "copying")
        // The second file is made when the first is locked; before, whoever opens the store may
        // delete it.
        waitUntil("the copy is locked") { (try? copies().contains { $0.hasSuffix("-wal") }) == true }
        let own = try StoreFile.open(path: path, options: options)
        XCTAssertFalse(try copies().isEmpty, "somebody uses it")
        own.close()

        process.kill()
        XCTAssertFalse(try copies().isEmpty)
        for name in ["/store.sqlite-detached-readme", "/store.sqlite-detached-0123456789abcdeX"] {
            try Data().write(to: URL(fileURLWithPath: folder + name))
        }

        let store = try StoreFile.open(path: path, options: options)
        XCTAssertEqual(try copies(), ["store.sqlite-detached-0123456789abcdeX", "store.sqlite-detached-readme"], "these are not ours")
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM rows"), 2000)
    }

    /// Runs a process whose files are limited to 4 MB, which fails more reliably than a full disk.
    func test_aCopyThatDoesNotFitFailsAndLeavesNothing() throws {
        try largeStore().close()
        let process = try ForeignProcess.stressProcess("detach-limited", path)
        XCTAssertEqual(process.readLine(), "copying")

        XCTAssertEqual(process.readLine(), "event detachFailed: File too large")
        XCTAssertEqual(process.readLine(), "still 0 0")

        XCTAssertEqual(try copies(), [])
        XCTAssertTrue(try foreignTruncateIsBusy(), "the generation holds the journal as before")
        process.finish()
    }

    func test_aForkedChildLeavesTheCopyToItsParent() throws {
        let store = try largeStore()
        var old: Generation? = try store.currentGeneration()
        try store.write("UPDATE rows SET v = 1")
        XCTAssertEqual(try store.detachOlderGenerations(), 1)

        let status = ForkTests.statusOfChild {
            old = nil
            return true
        }

        XCTAssertEqual(status, 0)
        XCTAssertEqual(try copies().count, 3)
        XCTAssertEqual(try store.int(sum, at: try XCTUnwrap(old)), 0)
        old = nil
        XCTAssertEqual(try copies(), [])
    }
}
