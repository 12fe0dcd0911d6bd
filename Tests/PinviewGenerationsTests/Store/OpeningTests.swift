import CPlatform
import CSQLite
import Foundation
import XCTest

@testable import PinviewGenerations

final class OpeningTests: StoreFileTestCase {
    private func kind(_ body: () throws -> Void) -> SQLiteError.Kind? {
        do { try body() } catch { return (error as? SQLiteError)?.kind }
        return nil
    }

    func test_STO_theLogNamesTheJournalMode() throws {
        let lines = LineList()

        try logging({ lines.append($0) }) { _ = try StoreFile.open(path: path, options: options) }

        XCTAssertTrue(lines.all.contains("CoreData: sql: pragma journal_mode=wal"))
    }

    /// A process without standard input has 0 to give for the first file that it opens.
    func test_descriptor0IsOneLikeAllOthers() throws {
        let saved = fcntl(0, F_DUPFD_CLOEXEC, 3)
        close(0)
        defer {
            if saved >= 0 {
                dup2(saved, 0)
                close(saved)
            }
        }
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let generation = try store.currentGeneration()
        try store.write("UPDATE t SET v = 2")
        XCTAssertEqual(try store.int("SELECT v FROM t", at: generation), 1)
        XCTAssertEqual(try store.newestInt("SELECT v FROM t"), 2)
        let file = RegularFile.open(path)
        XCTAssertGreaterThanOrEqual(file, 0)
        close(file)
    }

    func test_aFileThatIsNoDatabase() throws {
        try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: path))

        XCTAssertEqual(kind { _ = try StoreFile.open(path: path, options: options) }, .notADatabase)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), Data(repeating: 0x41, count: 5000))
    }

    func test_pathsThatCannotBeOpened() throws {
        XCTAssertEqual(kind { _ = try StoreFile.open(path: folder, options: options) }, .cannotOpen)
        XCTAssertEqual(kind { _ = try StoreFile.open(path: folder + "/none/store", options: options) }, .cannotOpen)
        XCTAssertEqual(kind { _ = try StoreFile.open(path: "", options: options) }, .cannotOpen)
        XCTAssertEqual(kind { _ = try StoreFile.open(path: path + "\0x", options: options) }, .cannotOpen)
    }

    func test_aReadOnlyStoreIsNotCreatedAndNotWritten() throws {
        var readOnly = options
        readOnly.isReadOnly = true
        XCTAssertEqual(kind { _ = try StoreFile.open(path: path, options: readOnly) }, .cannotOpen)
        let writer = try openStore()
        try writer.write("INSERT INTO t VALUES (1, 1)")

        let store = try StoreFile.open(path: path, options: readOnly)
        let held = try store.currentGeneration()
        try writer.write("DELETE FROM t")

        XCTAssertTrue(store.isReadOnly)
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: held), 1)
        XCTAssertEqual(kind { _ = try store.beginWrite().connection.execute("DELETE FROM t") }, .readOnly)
    }

    func test_aReadOnlyStoreAloneOnItsFile() throws {
        try openStore().close()
        var readOnly = options
        readOnly.isReadOnly = true

        let store = try StoreFile.open(path: path, options: readOnly)
        let held = try store.currentGeneration()
        try sqlite3("INSERT INTO t VALUES (1, 1)")

        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: held), 0)
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 1)
    }

    /// A program that closes the file as the last one, for instance, keeps others out for a moment,
    /// whichever connection of a store comes then.
    func test_STO_aStoreWaitsForAMomentaryLockBeforeEachOfItsStatements() throws {
        try openStore().close()
        let lines = LineList()
        try logging({ lines.append($0) }) { try useAStore() }
        XCTAssertTrue(lines.all.contains { $0.hasSuffix(", probe, newest") }, lines.all.joined(separator: "\n"))

        for number in lines.all.indices {
            let other = open(path, O_RDWR | O_CLOEXEC), begun = LineList()
            XCTAssertGreaterThanOrEqual(other, 0)
            defer { close(other) }
            // SQLite's pending byte (os.h, PENDING_BYTE): nobody new gets a shared lock.
            let pendingByte: Int64 = 0x4000_0000
            InterruptCheck.set {
                // Only who waits asks whether to stop.
                _ = pinview_lock_description(other, Int16(F_UNLCK), pendingByte, 1)
                return false
            }
            defer { InterruptCheck.set(nil) }
            try logging({
                if begun.all.count == number { _ = pinview_lock_description(other, Int16(F_WRLCK), pendingByte, 1) }
                begun.append($0)
            }) {
                try ReadMonitor().watching { try useAStore() }
            }
        }
    }

    /// With each kind of connection.
    private func useAStore() throws {
        let store = try StoreFile.open(path: path, options: options)
        defer { store.close() }
        try store.write("INSERT INTO t (v) VALUES (1)")
        let generation = try store.currentGeneration()
        try store.write("INSERT INTO t (v) VALUES (2)")
        let newest = try store.newestInt("SELECT count(*) FROM t"), pinned = try store.int("SELECT count(*) FROM t", at: generation)
        XCTAssertEqual(newest, pinned + 1)
    }

    private func logging(_ log: @escaping @Sendable (String) -> Void, _ body: () throws -> Void) rethrows {
        SQLLog.setHandler(log)
        SQLLog.setEnabled(true)
        defer {
            SQLLog.setEnabled(false)
            SQLLog.setHandler(nil)
        }
        try body()
    }

    /// Root may write everywhere, so a read-only folder affects only other users.
    func test_aReadOnlyFolder() throws {
        try XCTSkipIf(geteuid() == 0, "root may write to a read-only folder")
        try openStore().close()
        chmod(folder, 0o555)
        defer { chmod(folder, 0o755) }
        var readOnly = options
        readOnly.isReadOnly = true

        XCTAssertEqual(kind { _ = try StoreFile.open(path: path, options: readOnly) }, .cannotOpen)
    }

    func test_aStoreWithARollbackJournalHasNoGenerations() throws {
        var rollback = options
        rollback.journalMode = "delete"
        let store = try StoreFile.open(path: path, options: rollback)
        XCTAssertNil(try store.write("CREATE TABLE t (v)", "INSERT INTO t VALUES (1)"))

        XCTAssertEqual(store.journalMode, "delete")
        XCTAssertFalse(store.supportsGenerations)
        XCTAssertEqual(kind { _ = try store.currentGeneration() }, .notWAL)
        XCTAssertEqual(try store.newestInt("SELECT v FROM t"), 1)
        XCTAssertEqual(store.journalSize, 0)
        XCTAssertTrue(try store.checkpoint(truncate: true))
    }

    func test_aStoreInMemory() throws {
        let store = try StoreFile.openInMemory(options: options)
        XCTAssertNil(try store.write("CREATE TABLE t (v)", "INSERT INTO t VALUES (1)"))
        XCTAssertFalse(store.supportsGenerations)
        XCTAssertEqual(try store.newestInt("SELECT v FROM t"), 1)

        let transaction = try store.beginWrite()
        try transaction.connection.execute("DELETE FROM t")
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 0)
        transaction.rollback()

        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 1)
        store.close()
        XCTAssertEqual(kind { _ = try store.newestInt("SELECT 1") }, .closed)
    }

    func test_initialPragmasAreForNewFiles() throws {
        var options = options
        options.initialPragmas = ["PRAGMA page_size=8192", "PRAGMA auto_vacuum=2"]

        let store = try StoreFile.open(path: path, options: options)

        XCTAssertEqual(try store.newestInt("PRAGMA page_size"), 8192)
        XCTAssertEqual(try store.newestInt("PRAGMA auto_vacuum"), 2)
    }

    func test_namesThatSQLiteWouldInterpret() throws {
        let previous = FileManager.default.currentDirectoryPath
        XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(folder))
        defer { XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(previous)) }

        for name in ["file:x?mode=memory", ":memory:"] {
            let store = try StoreFile.open(path: name, options: options)
            XCTAssertTrue(store.supportsGenerations)
            store.close()
            XCTAssertTrue(FileManager.default.fileExists(atPath: folder + "/" + name))
        }
    }

    func test_aFileUnderTwoNamesIsRefused() throws {
        let store = try openStore()
        try FileManager.default.linkItem(atPath: path, toPath: path + "-hard")
        try FileManager.default.createSymbolicLink(atPath: path + "-soft", withDestinationPath: path)

        XCTAssertEqual(kind { _ = try StoreFile.open(path: path + "-hard", options: options) }, .cannotOpen)
        let soft = try StoreFile.open(path: path + "-soft", options: options)
        XCTAssertTrue(try soft.currentGeneration() === (try store.currentGeneration()))
    }

    func test_configureIsCalledForEveryConnectionThatRunsSQL() throws {
        var options = options
        let connections = LineList()
        options.configure = { (connection) throws(SQLiteError) in
            connections.append("\(connection.handle)")
            try connection.execute("PRAGMA cache_size=100")
        }
        let store = try openStore(options)

        XCTAssertEqual(try store.newestInt("PRAGMA cache_size"), 100)
        XCTAssertEqual(connections.all.count, 2)
    }

    func test_theWritersSettingsAreThereWhenItWrites() throws {
        try sqlite3("PRAGMA journal_mode=wal; CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        for (synchronous, number) in [(StoreFileOptions.Synchronous.off, "0"), (.normal, "1"), (.full, "2"), (.extra, "3")] {
            var options = options
            (options.synchronous, options.cacheSize) = (synchronous, 77)
            let store = try StoreFile.open(path: path, options: options)
            defer { store.close() }
            XCTAssertEqual(store.journalMode, "wal")

            let transaction = try store.beginWrite()

            XCTAssertEqual(try transaction.connection.value("PRAGMA synchronous"), number)
            XCTAssertEqual(try transaction.connection.value("PRAGMA cache_size"), "77")
            transaction.rollback()
            XCTAssertEqual(try store.newestInt("PRAGMA cache_size"), 77)
        }
    }

    func test_theWritersSettingsAreThereWhenItOnlyCopiesTheJournal() throws {
        try sqlite3("PRAGMA journal_mode=wal; CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        var options = options
        options.synchronous = .off
        let store = try StoreFile.open(path: path, options: options)
        XCTAssertEqual(store.writer.lateSettings, ["PRAGMA synchronous=off"])
        XCTAssertTrue(try store.checkpoint(truncate: true))
        XCTAssertNotEqual(store.writer.lateSettings, [], "there was nothing to copy")
        try sqlite3("INSERT INTO t (v) VALUES (1)")

        XCTAssertTrue(try store.checkpoint(truncate: true))

        XCTAssertEqual(store.writer.lateSettings, [])
        XCTAssertEqual(try store.writer.value("PRAGMA synchronous"), "0")
    }

    func test_theWritersSettingsAreThereWhereItAlsoReads() throws {
        try sqlite3("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        for mode in ["delete", "persist", "truncate", "memory", "off"] {
            var options = options
            (options.journalMode, options.cacheSize) = (mode, 77)
            let store = try StoreFile.open(path: path, options: options)
            defer { store.close() }

            XCTAssertEqual(store.journalMode, mode)
            XCTAssertEqual(try store.newestInt("PRAGMA cache_size"), 77)
            XCTAssertEqual(try store.newestInt("PRAGMA synchronous"), 1)
        }
        var options = options
        options.cacheSize = 77
        let memory = try StoreFile.openInMemory(options: options)
        XCTAssertEqual(try memory.newestInt("PRAGMA cache_size"), 77)
    }

    func test_openingAStoreThatIsInWALModeAlreadyReadsNoSchemaForWriting() throws {
        try sqlite3("PRAGMA journal_mode=wal; CREATE TABLE t (id INTEGER PRIMARY KEY, v)")

        let store = try StoreFile.open(path: path, options: options)

        func bytesOfSchema() -> Int32 {
            var current: Int32 = 0, highest: Int32 = 0
            XCTAssertEqual(sqlite3_db_status(store.writer.handle, SQLITE_DBSTATUS_SCHEMA_USED, &current, &highest, 0), SQLITE_OK)
            return current
        }
        let before = bytesOfSchema()
        try store.write("INSERT INTO t (v) VALUES (1)")
        XCTAssertLessThan(before, bytesOfSchema())
    }

    func test_aStoreThatWasReplacedIsAnError() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let held = try store.currentGeneration()
        try FileManager.default.removeItem(atPath: path)
        try sqlite3("CREATE TABLE t (id, v)")

        XCTAssertEqual(kind { _ = try store.int("SELECT count(*) FROM t", at: held) }, .cannotOpen)
    }

    func test_manyStoresInARowDoNotUseUpDescriptors() throws {
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let before = try descriptors()
        for number in 1...150 {
            let store = try StoreFile.open(path: folder + "/\(number)", options: options)
            let generation = try store.write("CREATE TABLE t (v)")
            XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: try XCTUnwrap(generation)), 0)
        }
        XCTAssertLessThan(try descriptors() - before, 80)
    }

    func test_manyThreadsDoNotUseUpDescriptors() throws {
        func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let store = try openStore()
        let generations = try (1...64).map { try XCTUnwrap(try store.write("INSERT INTO t (v) VALUES (\($0))")) }
        let before = try descriptors()
        let counts = ResultList<Int>()

        inThreads(64) { index in
            counts.append { try store.int("SELECT count(*) FROM t", at: generations[index]) - index }
        }

        XCTAssertEqual(try counts.all(), Array(repeating: 1, count: 64))
        XCTAssertLessThan(try descriptors() - before, 40)
    }
}

final class LineList: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    func append(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}
