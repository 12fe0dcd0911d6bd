import CPlatform
import CSQLite
import Foundation
import XCTest

@testable import PinviewGenerations

/// Interference by other processes, and by other code in this one.
final class OtherProcessTests: StoreFileTestCase {
    private let sum = "SELECT coalesce(sum(v), 0) FROM t"

    func test_aBusyWriterIsWaitedForAndThenReported() throws {
        var options = options
        options.busyTimeout = 0.2
        let store = try openStore(options), other = try ForeignProcess(path: path)
        defer { other.finish() }
        try other.run("BEGIN IMMEDIATE")

        let start = Date()
        XCTAssertThrowsError(try store.beginWrite()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy) }
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 0.19)

        try other.run("COMMIT")
        XCTAssertNotNil(try store.write("INSERT INTO t VALUES (1, 1)"))
    }

    func test_aSecondTransactionOnOneThreadIsAnErrorAndNoHang() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()

        XCTAssertThrowsError(try store.beginWrite()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy) }
        transaction.rollback()

        XCTAssertNotNil(try store.write("INSERT INTO t VALUES (1, 1)"))
    }

    /// Who waits for the writers' turn may be told to stop; who has it already can wait for ever.
    func test_SAV_25_anInterruptedWaitAndASecondTransactionAreDifferentErrors() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()

        try ReadMonitor().watching {
            XCTAssertThrowsError(try store.beginWrite()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy) }
        }
        inThreads(2) { _ in
            let monitor = ReadMonitor()
            monitor.setTimeout(0.01)
            do {
                _ = try monitor.watching { try store.beginWrite() }
                XCTFail("it has the turn")
            } catch {
                XCTAssertEqual((error as? SQLiteError)?.kind, .interrupted)
            }
        }
        transaction.rollback()

        XCTAssertNotNil(try store.write("INSERT INTO t VALUES (1, 1)"))
    }

    func test_aWriterThatIsKilledLeavesTheLastCommit() throws {
        let store = try openStore()
        let held = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 1)"))
        let other = try ForeignProcess(path: path)
        try other.run("BEGIN IMMEDIATE")
        // Far more than its cache holds: there are uncommitted frames in the journal when it is
        // killed.
        try other.run("INSERT INTO t SELECT value + 10, 1 FROM generate_series(1, 20000)".replacingSeries())
        try other.run("UPDATE t SET v = v + 1")

        other.kill()

        XCTAssertEqual(try store.newestInt(sum), 1)
        try store.write("INSERT INTO t VALUES (2, 5)")
        XCTAssertEqual(try store.newestInt(sum), 6)
        XCTAssertEqual(try store.int(sum, at: held), 1)
        XCTAssertEqual(try sqlite3("PRAGMA integrity_check"), ["ok"])
    }

    func test_aPinSurvivesCodeThatDropsTheLocksOfTheProcess() throws {
        let store = try openStore()
        let held = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 100)"))
        XCTAssertEqual(try store.int(sum, at: held), 100)

        loseProcessLocks()
        try sqlite3("UPDATE t SET v = 5; PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET v = 6; VACUUM;")

        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int(sum, at: held), 100)
        XCTAssertEqual(try store.newestInt(sum), 6)
        XCTAssertFalse(held.isLost)
    }

    /// Drops the read marks in every possible way, which only this test does.
    private func loseReadMarks() throws {
        loseProcessLocks()
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let descriptor = Int32(name),
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name),
                target == path + "-shm"
            else { continue }
            _ = pinview_lock_description(descriptor, Int16(F_UNLCK), 120, 8)
        }
    }

    func test_aLostGenerationIsAnErrorAndNeverWrongRows() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, 1 FROM generate_series(1, 5000)".replacingSeries())
        let held = try store.currentGeneration()
        XCTAssertEqual(try store.int(sum, at: held), 5000)

        try loseReadMarks()
        try sqlite3("UPDATE t SET v = 2; PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET v = 3;")

        XCTAssertThrowsError(try store.int(sum, at: held)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
        XCTAssertTrue(held.isLost)
        XCTAssertEqual(try store.newestInt(sum), 15000)
    }

    func test_aPinThatIsTakenAfterTheLocksWereLostHoldsTheJournal() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let lost = try store.currentGeneration()
        XCTAssertEqual(try store.int(sum, at: lost), 1)
        try loseReadMarks()
        try sqlite3("UPDATE t SET v = 2; PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET v = 3;")

        let held = try store.currentGeneration()
        XCTAssertEqual(try store.int(sum, at: held), 3)
        try sqlite3("UPDATE t SET v = 4")

        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int(sum, at: held), 3)
        withExtendedLifetime(lost) {}
    }

    func test_aLostGenerationOfACopiedJournalIsAnError() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, 1 FROM generate_series(1, 5000)".replacingSeries())
        XCTAssertTrue(try store.checkpoint(truncate: true))
        let held = try store.currentGeneration()
        XCTAssertEqual(try store.int(sum, at: held), 5000)

        try loseReadMarks()
        for value in 2...4 { try sqlite3("UPDATE t SET v = \(value); PRAGMA wal_checkpoint(TRUNCATE);") }

        XCTAssertThrowsError(try store.int(sum, at: held)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
    }

    func test_locksLostDuringAReadAreNoticedAfterIt() throws {
        let store = try openStore()
        let held = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 1)"))

        XCTAssertThrowsError(
            try store.read(at: held) { connection in
                try self.loseReadMarks()
                try self.sqlite3("UPDATE t SET v = 2; PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET v = 3;")
                return try connection.value(self.sum)
            }
        ) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
    }

    func test_theJournalOutlivesOtherProgramsThatCloseTheFile() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        loseProcessLocks()

        try sqlite3("SELECT * FROM t")

        XCTAssertTrue(FileManager.default.fileExists(atPath: path + "-wal"))
        try store.write("INSERT INTO t VALUES (2, 2)")
        XCTAssertEqual(try sqlite3(sum), ["3"])
    }

    func test_twoProcessesThatCreateTheFileAtOnceBothSucceed() throws {
        for round in 1...10 {
            let path = self.path + "\(round)"
            let program = """
                import sqlite3, sys
                db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
                sys.stdin.readline()
                for attempt in range(1000):
                    try:
                        db.execute('pragma journal_mode=wal'); break
                    except sqlite3.OperationalError: pass
                db.execute('create table if not exists t (id integer primary key, v)')
                print('done', flush=True)
                """
            let other = try ForeignProcess(path: path, program: program)
            try other.run("")
            let store = try StoreFile.open(path: path, options: options)
            try store.write("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v)")
            other.finish()
            XCTAssertEqual(store.journalMode, "wal")
            XCTAssertEqual(try store.newestInt(sum), 0)
        }
    }
}
