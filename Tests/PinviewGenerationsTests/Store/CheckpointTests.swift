import CSQLite
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

    /// While pins prevent more, the journal is copied in steps: when at least so many frames can be
    /// copied, and so many have been written since the last step.
    func test_aPartialCheckpointIsMadeWhenThereIsEnoughToCopy() throws {
        let store = try openStore()
        let file = try XCTUnwrap(store.shared), step = CheckpointScheduler.frameThreshold
        XCTAssertTrue(file.writers.acquire())
        defer { file.writers.release() }
        var header = WALHeader()
        func claims(_ mark: UInt32, frames: UInt32, copied: UInt32) -> Bool {
            header.frame = frames
            return file.claimPartialCheckpoint(upTo: mark, header, copied)
        }

        XCTAssertFalse(claims(step - 1, frames: 2 * step, copied: 0))
        XCTAssertFalse(claims(step + 9, frames: 2 * step, copied: 10))
        XCTAssertFalse(claims(step - 1, frames: step - 1, copied: 0))
        XCTAssertTrue(claims(step, frames: step, copied: 0))
        // What a reader of another program prevented may be tried again, but not at once.
        XCTAssertFalse(claims(step, frames: step, copied: 0))
        XCTAssertFalse(claims(step, frames: 2 * step - 1, copied: 0))
        XCTAssertTrue(claims(step, frames: 2 * step, copied: 0))
        // The journal has been restarted.
        XCTAssertFalse(claims(step - 1, frames: step - 1, copied: 0))
        XCTAssertTrue(claims(step, frames: step, copied: 0))
        XCTAssertTrue(claims(step + 10, frames: 2 * step, copied: 10))
    }

    func test_aPartialCheckpointCopiesUpToTheOldestPin() throws {
        let store = try openStore()
        let file = try XCTUnwrap(store.shared), step = Int(CheckpointScheduler.frameThreshold)
        // One frame for each commit, if the scheduler's thread does not get its turn meanwhile.
        let pinned = try {
            XCTAssertTrue(file.writers.acquire())
            defer { file.writers.release() }
            let connection = try XCTUnwrap(file.checkpointConnection).connection
            for value in 1...step { try connection.execute("INSERT INTO t (v) VALUES (\(value))") }
            let old = try store.currentGeneration()
            let frames = file.index.frameCount
            try connection.execute("INSERT INTO t (v) VALUES (0)")
            let new = try store.currentGeneration()
            XCTAssertEqual(try file.checkpoint(mode: SQLITE_CHECKPOINT_FULL, live: file.liveState()), .pinned)
            // The pin's read mark may be a little below the last frame of its state.
            XCTAssertEqual(file.index.backfilledFrames, file.slots?.checkpointLimit.lowestMark)
            XCTAssertTrue((UInt32(step)...frames).contains(file.index.backfilledFrames), "\(file.index.backfilledFrames) of \(frames)")
            return [old, new]
        }()

        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pinned[0]), step)
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pinned[1]), step + 1)
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

    /// Readers are closed when they have been idle for long, so somebody has to come back as long as
    /// there are any, also if all of them are reading just now.
    func test_whoClosesIdleReadersComesBackWhileThereAreAny() throws {
        let store = try openStore()
        let generation = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 1)"))
        let file = generation.file
        XCTAssertNil(file.closeIdleReaders())
        try store.read(at: generation) { _ in XCTAssertNotNil(file.closeIdleReaders()) }
        XCTAssertNotNil(file.closeIdleReaders())
        store.close()
        XCTAssertNil(file.closeIdleReaders())
    }
}
