import Foundation
import XCTest

@testable import PinviewGenerations

/// How the journal is kept short.
final class CheckpointTests: StoreFileTestCase {
    private func uncopiedFrames(_ generation: Generation) -> UInt32 { generation.file.index.uncopiedFrames }

    func test_aLongJournalIsCopiedWithoutBeingAsked() throws {
        let store = try openStore()
        for value in 1...3000 { try store.write("INSERT INTO t (v) VALUES (\(value))") }
        let file = try store.currentGeneration().file

        waitUntil("the journal is copied") { file.index.uncopiedFrames <= 1000 }
        XCTAssertLessThan(store.journalSize, 16 << 20)
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 3000)
    }

    /// A context that is always pinned and advances after each save must not make the journal grow
    /// without limit.
    func test_theJournalIsReusedWhileTheNewestStateStaysPinned() throws {
        var options = options
        options.synchronous = .off
        let store = try openStore(options)
        var held: Generation?

        for value in 1...6000 {
            held = try store.write("INSERT INTO t (v) VALUES (\(value))")
            guard value % 1000 == 0, let held else { continue }
            XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: held), value)
            // The library's thread may have to wait for a processor.
            waitUntil("the journal is copied") { uncopiedFrames(held) <= 1000 }
        }

        XCTAssertLessThan(store.journalSize, 16 << 20)
    }

    func test_aCheckpointKeepsTheContentOfThePinnedGeneration() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, value FROM generate_series(1, 3000)".replacingSeries())
        let held = try store.currentGeneration()
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: held), 4_501_500)

        XCTAssertTrue(try store.checkpoint(truncate: false))

        XCTAssertEqual(uncopiedFrames(held), 0)
        XCTAssertTrue(store.isNewest(held))
        let size = store.journalSize
        try store.write("DELETE FROM t WHERE id > 10")
        XCTAssertEqual(try store.int("SELECT sum(v) FROM t", at: held), 4_501_500)
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 10)
        XCTAssertEqual(store.journalSize, size, "the journal was restarted, not made longer")
    }

    func test_anOldPinIsNoReasonToFailACheckpoint() throws {
        let store = try openStore()
        var old = try store.write("INSERT INTO t VALUES (1, 1)")
        try store.write("INSERT INTO t VALUES (2, 2)")

        XCTAssertFalse(try store.checkpoint(truncate: true))
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: try XCTUnwrap(old)), 1)

        old = nil
        XCTAssertTrue(try store.checkpoint(truncate: true))
        XCTAssertEqual(store.journalSize, 0)
    }

    func test_aCheckpointIsMadeWhenTheLastPinEnds() throws {
        var options = options
        options.synchronous = .off
        let store = try openStore(options)
        var old: Generation? = try store.currentGeneration()
        for value in 1...2500 { try store.write("INSERT INTO t (v) VALUES (\(value))") }
        let file = try XCTUnwrap(old).file
        XCTAssertGreaterThan(file.index.uncopiedFrames, 1000)

        old = nil

        waitUntil("the journal is copied") { file.index.uncopiedFrames == 0 }
        XCTAssertNil(old)
    }

    func test_aCheckpointDoesNotRunBesideAWriterOfAnotherProcess() throws {
        let store = try openStore(), other = try ForeignProcess(path: path)
        defer { other.finish() }
        try store.write("INSERT INTO t VALUES (1, 1)")
        let file = try store.currentGeneration().file
        let copied = file.index.backfilledFrames
        try other.run("BEGIN IMMEDIATE")

        // SQLite alone would run a passive checkpoint beside the writer here.
        XCTAssertFalse(try store.checkpoint(truncate: false))
        XCTAssertFalse(try store.checkpoint(truncate: true))
        XCTAssertEqual(file.index.backfilledFrames, copied)

        try other.run("COMMIT")
        XCTAssertTrue(try store.checkpoint(truncate: true))
    }
}
