import CSQLite
import Foundation
import XCTest

@testable import PinviewGenerations

/// Issue 15, 3: other code of the process closes descriptors of the store's files, which drops all
/// POSIX locks of the process.
final class WriteLockTests: StoreFileTestCase {
    func test_3_theWriteLockStaysWhenOtherCodeClosesTheFiles() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        loseProcessLocks()

        XCTAssertTrue(try sqlite3("INSERT INTO t (v) VALUES (2)").joined().contains("locked"))

        _ = try transaction.commit()
        XCTAssertEqual(try sqlite3("INSERT INTO t (v) VALUES (3); SELECT sum(v) FROM t; PRAGMA integrity_check"), ["4", "ok"])
    }

    /// Two checkpoints at a time could copy frames of different states into the file.
    func test_3_theCheckpointLockStaysWhenOtherCodeClosesTheFiles() throws {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES (1)")
        let file = try XCTUnwrap(store.writer.mainFile), methods = try XCTUnwrap(file.pointee.pMethods).pointee
        XCTAssertEqual(methods.xShmLock?(file, 1, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK)
        loseProcessLocks()

        XCTAssertTrue(try sqlite3("PRAGMA wal_checkpoint")[0].hasPrefix("1|"), "busy")

        XCTAssertEqual(methods.xShmLock?(file, 1, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK)
        XCTAssertTrue(try sqlite3("PRAGMA wal_checkpoint")[0].hasPrefix("0|"))
    }

    /// A reader holds the read mark that it has just moved by a lock of a description.
    func test_3_theReadMarkThatAReaderHasMovedStaysWhenOtherCodeClosesTheFiles() throws {
        let store = try openStore()
        let vfs = try XCTUnwrap(ShimVFS.shared)
        let reader = try ReadMarkProbe(path: path, flags: SQLITE_OPEN_READWRITE, vfs: vfs, busyTimeout: 0)
        defer { reader.close() }
        for round in 0..<3 {
            try store.write("INSERT INTO t (v) VALUES (1)")
            let seen = try reader.begin()
            XCTAssertGreaterThan(seen.slot, 0)
            loseProcessLocks()

            XCTAssertTrue(try foreignTruncateIsBusy(), "round \(round)")

            // Nobody else of the process takes the mark away, either.
            let file = try XCTUnwrap(store.writer.mainFile), methods = try XCTUnwrap(file.pointee.pMethods).pointee
            let lock = firstReadLock + Int32(seen.slot)
            XCTAssertEqual(methods.xShmLock?(file, lock, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY)
            reader.end()
            XCTAssertFalse(try foreignTruncateIsBusy(), "round \(round)")
        }
    }

    /// `shutil.copytree` copies the folder on a thread while this process and another one write.
    func test_3_theFolderIsCopiedWhileTwoProcessesWrite() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, 0 FROM generate_series(1, 500)".replacingSeries())
        let other = try ForeignProcess(
            path: path,
            program: """
                import sqlite3, sys
                db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
                db.execute('PRAGMA wal_autocheckpoint=20')
                done = 0
                while True:
                    for number in range(50):
                        db.execute('UPDATE t SET v = v + 1 WHERE id = 1 + abs(random()) % 500')
                        done += 1
                    print(done, flush=True)
                    if sys.stdin.readline() != 'on\\n': break
                """)
        let isOver = FlagForThreads()
        let path = self.path
        let copier = Thread {
            while !isOver.isSet {
                for name in [path, path + "-wal", path + "-shm"] { close(open(name, O_RDONLY)) }
                usleep(200)
            }
            isOver.end()
        }
        copier.start()
        var own = 0, foreign = 0
        let end = Date(timeIntervalSinceNow: 4)
        // Asked once a round: what the other process writes after "on" has to be counted.
        var goesOn = true
        while goesOn {
            for _ in 0..<50 {
                do {
                    try store.write("UPDATE t SET v = v + 1 WHERE id = 1 + abs(random()) % 500")
                    own += 1
                } catch let error as SQLiteError where error.kind == .busy {}  // the other process writes for a long time
            }
            let line = other.readLine()
            foreign = try XCTUnwrap(Int(line), line)
            goesOn = Date() < end
            try other.write(goesOn ? "on" : "off")
        }
        isOver.set()
        isOver.waitForEnd()
        other.finish()

        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["\(own + foreign)", "ok"])
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), own + foreign)
    }

    /// A store and a plain connection of the same library, as Python's `sqlite3` usually has, exclude each other.
    ///
    /// - Parameter andThen: what else the two do to one another, which adds no rows.
    private func checkThatAPlainConnectionIsExcluded(
        _ options: StoreFileOptions, andThen further: (StoreFile, _ run: (String) -> Int32) throws -> Void = { _, _ in }
    ) throws {
        var impatient = options
        impatient.busyTimeout = 0
        let store = try openStore(impatient)
        var other: OpaquePointer?
        XCTAssertEqual(sqlite3_open(path, &other), SQLITE_OK)
        defer { sqlite3_close(other) }
        func run(_ sql: String) -> Int32 { sqlite3_exec(other, sql, nil, nil, nil) }

        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        XCTAssertEqual(run("INSERT INTO t (v) VALUES (2)"), SQLITE_BUSY)
        _ = try transaction.commit()
        XCTAssertEqual(run("BEGIN IMMEDIATE; INSERT INTO t (v) VALUES (3)"), SQLITE_OK)
        XCTAssertThrowsError(try store.beginWrite()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy) }
        XCTAssertEqual(run("COMMIT"), SQLITE_OK)
        try further(store, run)

        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 4)
    }

    func test_3_aPlainConnectionOfTheSameLibraryIsExcluded() throws { try checkThatAPlainConnectionIsExcluded(options) }

    /// Replaces the descriptors of a file by others, as a program does that closes all descriptors
    /// that it does not know.
    private func loseDescriptors(of file: String) throws {
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap({ Int32($0) }) {
            let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            guard name == file else { continue }
            // The same descriptor number now refers to another open file description.
            let descriptor = open(file, O_RDWR)
            dup2(descriptor, number)
            close(descriptor)
        }
    }

    func test_3_aCommitWithoutTheLockIsRefused() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        try loseDescriptors(of: path + "-shm")
        try sqlite3("INSERT INTO t (v) VALUES (2)")

        XCTAssertThrowsError(try transaction.commit()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .lockLost, "\($0)") }

        XCTAssertEqual(try sqlite3("SELECT group_concat(v) FROM t; PRAGMA integrity_check"), ["2", "ok"])
    }

    // MARK: Stores that are not in WAL mode, where the locks are on the main file

    private var rollbackOptions: StoreFileOptions {
        var options = options
        options.journalMode = "delete"
        return options
    }

    func test_3_inRollbackModeTheWriteLockStays() throws {
        let store = try openStore(rollbackOptions)
        XCTAssertEqual(store.journalMode, "delete")
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        loseProcessLocks()

        XCTAssertTrue(try sqlite3("INSERT INTO t (v) VALUES (2)").joined().contains("locked"))
        _ = try transaction.commit()

        XCTAssertEqual(try sqlite3("INSERT INTO t (v) VALUES (4); SELECT sum(v) FROM t; PRAGMA integrity_check"), ["5", "ok"])
        try store.write("INSERT INTO t (v) VALUES (8)")
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 13)
    }

    /// What one transaction reads is of one state.
    func test_3_inRollbackModeTheReadLockStays() throws {
        let store = try openStore(rollbackOptions)
        try store.write("INSERT INTO t (v) VALUES (1)")
        try store.readNewest { connection in
            XCTAssertEqual(try connection.value("SELECT sum(v) FROM t"), "1")
            loseProcessLocks()
            XCTAssertTrue(try sqlite3("INSERT INTO t (v) VALUES (2)").joined().contains("locked"))
            XCTAssertEqual(try connection.value("SELECT sum(v) FROM t"), "1")
        }
        try sqlite3("INSERT INTO t (v) VALUES (2)")
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 3)
    }

    func test_3_inRollbackModeAPlainConnectionOfTheSameLibraryIsExcluded() throws {
        try checkThatAPlainConnectionIsExcluded(rollbackOptions) { store, run in
            XCTAssertEqual(run("BEGIN; SELECT * FROM t"), SQLITE_OK)
            XCTAssertThrowsError(try store.write("INSERT INTO t (v) VALUES (5)")) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy) }
            XCTAssertEqual(run("COMMIT"), SQLITE_OK)
        }
    }

    /// A program that is killed in the middle of a commit leaves a journal, which is rolled back.
    func test_3_inRollbackModeAHotJournalIsRolledBack() throws {
        try openStore(rollbackOptions).close()
        let victim = try ForeignProcess(
            path: path,
            program: """
                import os, signal, sqlite3, sys
                db = sqlite3.connect(sys.argv[1], isolation_level=None)
                db.execute('PRAGMA cache_size=1')
                db.execute('BEGIN EXCLUSIVE')
                db.execute("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
                    "INSERT INTO t (v) SELECT zeroblob(100) FROM n")
                print('written', flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
                """)
        XCTAssertEqual(victim.readLine(), "written")
        victim.kill()
        XCTAssertTrue(FileManager.default.fileExists(atPath: path + "-journal"))

        let store = try openStore(rollbackOptions)

        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 0)
        try store.write("INSERT INTO t (v) VALUES (1)")
        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["1", "ok"])
    }

    func test_3_inRollbackModeACommitAfterAnothersIsRefused() throws {
        let store = try openStore(rollbackOptions)
        let transaction = try store.beginWrite()
        try loseDescriptors(of: path)
        try sqlite3("INSERT INTO t (v) VALUES (1)")
        try transaction.connection.execute("INSERT INTO t (v) VALUES (2)")

        XCTAssertThrowsError(try transaction.commit()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .lockLost, "\($0)") }

        XCTAssertEqual(try sqlite3("SELECT group_concat(v) FROM t; PRAGMA integrity_check"), ["1", "ok"])
    }
}

/// Set on one thread, read on another.
private final class FlagForThreads: @unchecked Sendable {  // guarded by `condition`
    private let condition = NSCondition()
    private var value = false, hasEnded = false

    var isSet: Bool { condition.withLock { value } }
    func set() { condition.withLock { value = true } }
    func end() {
        condition.withLock { hasEnded = true }
        condition.broadcast()
    }
    func waitForEnd() { condition.withLock { while !hasEnded { condition.wait() } } }
}
