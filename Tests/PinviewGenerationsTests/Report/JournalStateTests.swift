import Foundation
import XCTest

@testable import PinviewGenerations

/// Who holds what in the journal: in this process, and in others as far as the kernel knows.
final class JournalStateTests: StoreFileTestCase {
    func test_aGenerationHoldsBackTheFramesThatWereWrittenSince() throws {
        let store = try openStore()
        let old = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        for _ in 0..<10 { try store.write("INSERT INTO t (v) VALUES ('b')") }
        let state = try XCTUnwrap(store.journalState())
        let entry = try XCTUnwrap(state.generations.first { $0.ordinal == old.ordinal })
        XCTAssertFalse(entry.isNewest)
        XCTAssertGreaterThanOrEqual(entry.framesHeldBack, state.frames - entry.frame)
        XCTAssertGreaterThanOrEqual(entry.framesHeldBack, 10)
        XCTAssertEqual(state.journalBytes, store.journalSize)
        XCTAssertEqual(state.pageSize, 4096)
        XCTAssertEqual(state.reclaimableFrames, state.frames - entry.framesHeldBack)
        withExtendedLifetime(old) {}
    }

    func test_theNewestGenerationIsMarkedAndHasItsAgeAndReaders() throws {
        let store = try openStore()
        let newest = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: newest), 1)
        let entry = try XCTUnwrap(store.journalState()?.generations.first)
        XCTAssertTrue(entry.isNewest)
        XCTAssertEqual(entry.readersOpen, 1)
        XCTAssertNotNil(entry.readMark)
        XCTAssertGreaterThanOrEqual(entry.age, 0)
        XCTAssertLessThan(entry.age, 60)
    }

    func test_withoutPinsTheWholeJournalCanBeReclaimed() throws {
        let store = try openStore()
        for _ in 0..<5 { try store.write("INSERT INTO t (v) VALUES ('a')") }
        let state = try XCTUnwrap(store.journalState())
        XCTAssertEqual(state.generations.count, 0)
        XCTAssertEqual(state.heldMarks.count, 0)
        XCTAssertEqual(state.reclaimableFrames, state.frames - state.copiedFrames)
        XCTAssertTrue(try store.checkpoint(truncate: true))
        let after = try XCTUnwrap(store.journalState())
        XCTAssertEqual(after.frames, 0)
        XCTAssertEqual(after.journalBytes, 0)
        XCTAssertEqual(after.pageSize, 4096)
    }

    func test_anotherProcessIsNamedWithItsReadMarks() throws {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES ('a')")
        let other = try ForeignProcess(path: path)
        try other.run("BEGIN")
        try other.run("SELECT count(*) FROM t")
        defer { other.finish() }
        for _ in 0..<7 { try store.write("INSERT INTO t (v) VALUES ('b')") }
        let state = try XCTUnwrap(store.journalState())
        let process = try XCTUnwrap(state.processes.first { $0.identifier == other.identifier })
        XCTAssertEqual(process.command, "python3")
        XCTAssertFalse(process.isThisProcess)
        let mark = try XCTUnwrap(process.readMarks.first)
        XCTAssertGreaterThan(mark.number, 0)
        XCTAssertLessThanOrEqual(mark.frame, state.frames - 7)
        XCTAssertEqual(state.reclaimableFrames, mark.frame - state.copiedFrames)
        XCTAssertTrue(state.processes.contains { $0.isThisProcess && $0.identifier == getpid() })
    }

    func test_aPinOfAnotherProcessIsNamed() throws {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES ('a')")
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }
        XCTAssertFalse(try other.run("pin").isEmpty)
        for _ in 0..<7 { try store.write("INSERT INTO t (v) VALUES ('b')") }

        let state = try XCTUnwrap(store.journalState())

        let process = try XCTUnwrap(state.processes.first { $0.identifier == other.identifier })
        XCTAssertEqual(process.readMarks.map(\.number), state.heldMarks.map(\.number))
        XCTAssertEqual(process.readMarks.count, 1)
        XCTAssertFalse(state.processes.contains { $0.identifier == nil })
        XCTAssertEqual(try other.run("release"), "ok")
        XCTAssertEqual(try XCTUnwrap(store.journalState()).heldMarks.count, 0)
    }

    func test_aWriterOfAnotherProcessIsSeen() throws {
        let store = try openStore()
        let other = try ForeignProcess(path: path)
        defer { other.finish() }
        try other.run("BEGIN IMMEDIATE")
        XCTAssertTrue(try XCTUnwrap(store.journalState()?.processes.first { $0.identifier == other.identifier }).isWriting)
        try other.run("ROLLBACK")
        XCTAssertFalse(try XCTUnwrap(store.journalState()?.processes.first { $0.identifier == other.identifier }).isWriting)
    }

    func test_locksThatTheProcessLostAreStillItsOwn() throws {
        let store = try openStore()
        let pinned = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        loseProcessLocks()
        let state = try XCTUnwrap(store.journalState())
        XCTAssertEqual(state.processes.map(\.isThisProcess), [true])
        XCTAssertEqual(state.processes.first?.readMarks.count, 1)
        withExtendedLifetime(pinned) {}
    }

    func test_countersCountPinsSharesReadsAndCheckpoints() throws {
        let store = try openStore()
        let before = try XCTUnwrap(store.journalState()).counts
        let pinned = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        let shared = try store.currentGeneration()
        XCTAssertTrue(pinned === shared)
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pinned), 1)
        XCTAssertFalse(try store.checkpoint(truncate: true))
        let after = try XCTUnwrap(store.journalState()).counts
        XCTAssertEqual(after.pins - before.pins, 1)
        XCTAssertEqual(after.sharedPins - before.sharedPins, 1)
        XCTAssertEqual(after.reads - before.reads, 1)
        XCTAssertGreaterThanOrEqual(after.checkpoints - before.checkpoints, 1)
        XCTAssertGreaterThanOrEqual(after.busyCheckpoints - before.busyCheckpoints, 1)
        XCTAssertEqual(after.lost, 0)
    }

    func test_manyReadersWaitForOneAnotherAndAreCounted() throws {
        let store = try openStore()
        let pinned = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        let inside = DispatchSemaphore(value: 0), go = DispatchSemaphore(value: 0)
        let waiting = Thread {
            // More than the maximum number of readers.
            inThreads(9) { _ in
                try? store.read(at: pinned) { _ in
                    inside.signal()
                    go.wait()
                }
            }
            inside.signal()
        }
        waiting.start()
        while try XCTUnwrap(store.journalState()).counts.readerWaits == 0 { sched_yield() }
        for _ in 0..<9 { go.signal() }
        for _ in 0..<10 { inside.wait() }
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(store.journalState()).counts.readerWaits, 1)
    }
}

/// The same for a file that this process has not opened, without a model.
final class JournalOfFileTests: StoreFileTestCase {
    /// Another process that has the file open, with a journal of some commits and a read mark below
    /// the last ones.
    private func holdFromOutside() throws -> ForeignProcess {
        let other = try ForeignProcess(path: path)
        XCTAssertEqual(try other.run("PRAGMA journal_mode=wal"), "wal")
        try other.run("PRAGMA wal_autocheckpoint=0")
        try other.run("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        for _ in 0..<5 { try other.run("INSERT INTO t (v) VALUES ('a')") }
        return other
    }

    func test_theReportNamesHoldersAndChangesNothing() throws {
        let writer = try holdFromOutside()
        defer { writer.finish() }
        let reader = try ForeignProcess(path: path)
        defer { reader.finish() }
        try reader.run("BEGIN")
        XCTAssertEqual(try reader.run("SELECT count(*) FROM t"), "5")
        for _ in 0..<5 { try writer.run("INSERT INTO t (v) VALUES ('b')") }
        let before = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))

        let state = try JournalState.ofFile(at: path)
        let held = try XCTUnwrap(state.processes.first { $0.identifier == reader.identifier }).readMarks
        XCTAssertEqual(held.count, 1)
        XCTAssertEqual(state.frames, held[0].frame + 5)
        XCTAssertEqual(state.copiedFrames, 0)
        XCTAssertEqual(state.reclaimableFrames, held[0].frame)
        XCTAssertEqual(state.generations.count, 0)
        XCTAssertTrue(state.processes.contains { $0.identifier == writer.identifier && $0.readMarks.isEmpty })
        XCTAssertFalse(state.processes.contains(where: \.isThisProcess))

        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")), before)
        XCTAssertTrue(try foreignTruncateIsBusy(), "the reader's mark holds on")
        XCTAssertEqual(try reader.run("SELECT count(*) FROM t"), "5")
    }

    func test_aJournalThatAProcessLeftBehindIsCounted() throws {
        let writer = try holdFromOutside()
        let open = try JournalState.ofFile(at: path)
        writer.kill()
        let state = try JournalState.ofFile(at: path)
        XCTAssertGreaterThan(state.frames, 0)
        XCTAssertEqual(state.frames, open.frames)
        XCTAssertEqual(state.reclaimableFrames, state.frames)
        XCTAssertEqual(state.processes.count, 0)
        XCTAssertEqual(state.heldMarks.count, 0)
        // Bytes after the last commit do not count.
        let handle = try XCTUnwrap(FileHandle(forWritingAtPath: path + "-wal"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 7, count: 10_000))
        try handle.close()
        XCTAssertEqual(try JournalState.ofFile(at: path).frames, open.frames)
    }

    func test_withoutAJournalThereIsNothingToHold() throws {
        try sqlite3("PRAGMA journal_mode=wal; CREATE TABLE t (v); INSERT INTO t VALUES (1)")
        let state = try JournalState.ofFile(at: path)
        XCTAssertEqual(state.frames, 0)
        XCTAssertEqual(state.journalBytes, 0)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path + "-shm"))
    }

    func test_aFileThatIsOpenHereShowsItsGenerations() throws {
        let store = try openStore()
        let pinned = try XCTUnwrap(store.write("INSERT INTO t (v) VALUES ('a')"))
        XCTAssertEqual(try JournalState.ofFile(at: path).generations.map(\.ordinal), [pinned.ordinal])
    }

    func test_eachErrorHasItsKind() throws {
        func kind(_ path: String) -> SQLiteError.Kind? {
            do throws(SQLiteError) {
                _ = try JournalState.ofFile(at: path)
                return nil
            } catch { return error.kind }
        }
        XCTAssertEqual(kind(""), .cannotOpen)
        XCTAssertEqual(kind(folder + "/missing"), .cannotOpen)
        XCTAssertEqual(kind(folder), .cannotOpen)
        XCTAssertTrue(FileManager.default.createFile(atPath: folder + "/empty", contents: nil))
        XCTAssertEqual(kind(folder + "/empty"), .cannotOpen)
        try "This is a letter and no database, whatever its name may be.".write(
            toFile: folder + "/letter.sqlite", atomically: true, encoding: .utf8)
        XCTAssertEqual(kind(folder + "/letter.sqlite"), .notADatabase)
        try sqlite3("CREATE TABLE t (v)", path: folder + "/plain.sqlite")
        XCTAssertEqual(kind(folder + "/plain.sqlite"), .notWAL)
    }
}
