import CSQLite
import Foundation
import StressSupport
import XCTest

@testable import PinviewGenerations

/// Issue 15, 3: a second copy of SQLite in the process, such as the one of a Python that has SQLite
/// built in.
final class SecondSQLiteTests: StoreFileTestCase {
    private typealias Open = @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
    private typealias Execute =
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
    private typealias Close = @convention(c) (OpaquePointer?) -> Int32

    /// The system's library once more, under another name, so that the loader loads it again.
    private struct Copy {
        let open: Open, execute: Execute, close: Close

        init(in folder: String) throws {
            try XCTSkipIf(Sanitizers.areActive, "sanitizers end a program that uses RTLD_DEEPBIND")
            let maps = SmallFile.text("/proc/self/maps")
            let line = try XCTUnwrap(maps.split(separator: "\n").first { $0.contains("/libsqlite3.so") })
            let library = String(line[try XCTUnwrap(line.firstIndex(of: "/"))...])
            try FileManager.default.copyItem(atPath: library, toPath: folder + "/libsecond.so")
            // RTLD_DEEPBIND: otherwise the copy's calls of its own functions would reach the first
            // copy.
            let handle = try XCTUnwrap(dlopen(folder + "/libsecond.so", RTLD_NOW | RTLD_LOCAL | 0x8))
            open = unsafeBitCast(try XCTUnwrap(dlsym(handle, "sqlite3_open")), to: Open.self)
            execute = unsafeBitCast(try XCTUnwrap(dlsym(handle, "sqlite3_exec")), to: Execute.self)
            close = unsafeBitCast(try XCTUnwrap(dlsym(handle, "sqlite3_close")), to: Close.self)
        }
    }

    func test_3_itIsReportedAndLogged() throws {
        let lines = LineList()
        SQLLog.setHandler { lines.append($0) }
        SQLLog.setEnabled(true)
        defer {
            SQLLog.setEnabled(false)
            SQLLog.setHandler(nil)
        }
        let store = try openStore()
        let shared = try XCTUnwrap(store.shared)
        XCTAssertFalse(shared.journalState().hasSecondSQLite)
        let copy = try Copy(in: folder)
        var other: OpaquePointer?
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "SELECT * FROM t", nil, nil, nil), SQLITE_OK)

        XCTAssertTrue(shared.journalState().hasSecondSQLite)
        for _ in 0..<2 { _ = try shared.shortenJournal() }

        XCTAssertEqual(lines.all.filter { $0.contains("a second copy of SQLite") }.count, 1)
        XCTAssertEqual(copy.close(other), SQLITE_OK)
        XCTAssertFalse(shared.journalState().hasSecondSQLite)
    }

    /// It drops the locks of this process whenever it opens and closes the file. A writer keeps its
    /// lock.
    func test_3_itDoesNotDropTheWriteLock() throws {
        let store = try openStore()
        let copy = try Copy(in: folder)
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        var other: OpaquePointer?
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "SELECT * FROM t", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "INSERT INTO t (v) VALUES (5)", nil, nil, nil), SQLITE_BUSY)
        XCTAssertEqual(copy.close(other), SQLITE_OK)

        XCTAssertTrue(try sqlite3("INSERT INTO t (v) VALUES (2)").joined().contains("locked"))
        _ = try transaction.commit()

        XCTAssertEqual(try sqlite3("INSERT INTO t (v) VALUES (3); SELECT sum(v) FROM t; PRAGMA integrity_check"), ["4", "ok"])
    }

    /// Whoever opens an index that is not in use empties it. SQLite does not see the locks of a
    /// second copy in the process.
    func test_3_openingTheStoreKeepsTheIndexThatItUses() throws {
        try openStore().close()
        let copy = try Copy(in: folder)
        var other: OpaquePointer?
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "INSERT INTO t (v) VALUES (1)", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "BEGIN; SELECT * FROM t", nil, nil, nil), SQLITE_OK)
        // Never closed: that would drop the copy's locks.
        let index = open(path + "-shm", O_RDONLY)
        let before = Bytes.read(96, at: 0, from: index)

        let store = try openStore()

        XCTAssertEqual(Bytes.read(96, at: 0, from: index), before)
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 1)
        XCTAssertEqual(copy.execute(other, "COMMIT", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(copy.close(other), SQLITE_OK)
        store.close()
        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["1", "ok"])
    }

    /// The last close of a file deletes its journal, unless others have the file open.
    func test_3_theLastCloseLeavesTheJournalThatItUses() throws {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES (1)")
        let copy = try Copy(in: folder)
        var other: OpaquePointer?
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "SELECT * FROM t", nil, nil, nil), SQLITE_OK)
        store.close()

        XCTAssertEqual(copy.execute(other, "INSERT INTO t (v) VALUES (2)", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(try sqlite3("INSERT INTO t (v) VALUES (4); SELECT sum(v) FROM t"), ["7"])
        XCTAssertEqual(copy.close(other), SQLITE_OK)
        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["7", "ok"])
    }

    /// Where the locks are POSIX locks, it can drop them at any time.
    func test_3_nothingIsWrittenWhileItCanDropTheLocks() throws {
        var options = options
        options.usesOpenTransactions = true
        let store = try openStore(options)
        let copy = try Copy(in: folder)
        var other: OpaquePointer?
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "SELECT * FROM t", nil, nil, nil), SQLITE_OK)

        XCTAssertThrowsError(try transaction.commit()) {
            XCTAssertEqual(($0 as? SQLiteError)?.kind, .lockLost)
            XCTAssertTrue("\($0)".contains("second copy of SQLite"), "\($0)")
        }
        XCTAssertThrowsError(try store.beginWrite()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .lockLost) }

        XCTAssertEqual(copy.close(other), SQLITE_OK)
        try store.write("INSERT INTO t (v) VALUES (2)")
        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["2", "ok"])
    }

    // MARK: Stores that are not in WAL mode

    private var rollbackOptions: StoreFileOptions {
        var options = options
        options.journalMode = "delete"
        options.busyTimeout = 0.1
        return options
    }

    func test_3_inRollbackModeEachExcludesTheOther() throws {
        let store = try openStore(rollbackOptions)
        let copy = try Copy(in: folder)
        var other: OpaquePointer?
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t (v) VALUES (1)")
        XCTAssertEqual(copy.execute(other, "INSERT INTO t (v) VALUES (2)", nil, nil, nil), SQLITE_BUSY)
        XCTAssertEqual(copy.close(other), SQLITE_OK)
        XCTAssertTrue(try sqlite3("INSERT INTO t (v) VALUES (4)").joined().contains("locked"))
        _ = try transaction.commit()

        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "BEGIN IMMEDIATE; INSERT INTO t (v) VALUES (8)", nil, nil, nil), SQLITE_OK)
        XCTAssertThrowsError(try store.beginWrite()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy) }
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 1)
        XCTAssertEqual(copy.execute(other, "COMMIT", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(copy.close(other), SQLITE_OK)
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 9)
        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["9", "ok"])
    }

    /// It would go on with the file alone, without the journal.
    func test_3_theJournalModeIsNotChangedWhileItReads() throws {
        try openStore(rollbackOptions).close()
        let copy = try Copy(in: folder)
        var other: OpaquePointer?
        XCTAssertEqual(copy.open(path, &other), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "INSERT INTO t (v) VALUES (1); BEGIN", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(copy.execute(other, "SELECT * FROM t", nil, nil, nil), SQLITE_OK)
        var options = options
        options.busyTimeout = 0.1

        XCTAssertThrowsError(try StoreFile.open(path: path, options: options)) {
            XCTAssertEqual(($0 as? SQLiteError)?.kind, .busy, "\($0)")
        }

        XCTAssertEqual(copy.execute(other, "COMMIT", nil, nil, nil), SQLITE_OK)
        XCTAssertEqual(try openStore().journalMode, "wal")
        XCTAssertEqual(copy.close(other), SQLITE_OK)
    }

    func test_3_mapsAreReadByPathAndOffset() {
        func line(_ offset: String, _ access: String = "rw-s", _ path: String = "/a b/store-shm") -> String {
            "7f00-7f01 \(access) \(offset) fe:00 1234                      \(path)\n"
        }
        XCTAssertFalse(SecondSQLite.mapsTwice("/a b/store-shm", line("0000") + line("8000")))
        XCTAssertFalse(SecondSQLite.mapsTwice("/a b/store-shm", line("0000") + line("0000", "r--s")))
        XCTAssertFalse(SecondSQLite.mapsTwice("/a b/store-shm", line("0000") + line("0000", "rw-s", "/c/a b/store-shm")))
        XCTAssertTrue(SecondSQLite.mapsTwice("/a b/store-shm", line("0000") + line("8000") + line("0000")))
    }
}
