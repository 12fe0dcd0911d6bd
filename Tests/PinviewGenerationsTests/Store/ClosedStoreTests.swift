import Foundation
import XCTest

@testable import PinviewGenerations

/// Whatever is asked of a store that has been closed, it says so; nothing is read, written or held
/// any more.
final class ClosedStoreTests: StoreFileTestCase {
    func test_everythingSaysThatTheStoreIsClosed() throws {
        // Another one keeps the file's shared part.
        let kept = try openStore(), store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let generation = try store.currentGeneration(), held = try kept.currentGeneration()
        store.close()

        let calls: [(String, () throws -> Void)] = [
            ("write", { _ = try store.beginWrite() }), ("pin", { _ = try store.currentGeneration() }),
            ("adopt", { _ = try store.adopt(held.name) }), ("read at", { try store.read(at: generation) { _ in XCTFail("it read") } }),
            ("read", { try store.readNewest { _ in XCTFail("it read") } }), ("checkpoint", { _ = try store.checkpoint(truncate: false) }),
            ("detach", { _ = try store.detachOlderGenerations() }),
        ]
        for (name, call) in calls {
            XCTAssertThrowsError(try call(), name) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .closed, "\(name): \($0)") }
        }
        XCTAssertEqual(try kept.int("SELECT v FROM t", at: held), 1)
        try kept.write("INSERT INTO t VALUES (2, 2)")
        XCTAssertEqual(try kept.newestInt("SELECT count(*) FROM t"), 2)
        store.close()
    }

    /// A merge policy runs in the middle of a transaction, and may close the store.
    func test_aTransactionInWhichItsStoreIsClosedHasNoEffect() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let transaction = try store.beginWrite()
        let statement = try transaction.connection.statement("INSERT INTO t VALUES (?, 2)")
        try statement.bind(1, Int64(2))
        transaction.connection.watch(with: ReadMonitor())

        store.close()

        XCTAssertThrowsError(try statement.run()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .closed, "\($0)") }
        statement.reset()
        transaction.connection.endWatching()
        XCTAssertGreaterThan(transaction.connection.totalChanges, 0)
        XCTAssertThrowsError(try transaction.commit()) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .closed, "\($0)") }
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM t").last, "1")
        let next = try openStore()
        try next.write("INSERT INTO t VALUES (3, 3)")
        XCTAssertEqual(try next.newestInt("SELECT count(*) FROM t"), 2)
    }

    /// Code of the program's that runs in the middle of a transaction may open and close other
    /// stores, whoever waits for the transaction.
    func test_whoOpensAFileThatIsBeingWrittenHindersNobodyFromOpeningOthers() throws {
        let store = try openStore()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO t VALUES (1, 1)")
        let path = path, options = options, opened = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try StoreFile.open(path: path, options: options).close() } catch { XCTFail("\(error)") }
            opened.signal()
        }
        waitUntil("the other thread waits for the transaction") { store.writers.count == 2 }

        let other = try StoreFile.open(path: folder + "/other", options: options)
        other.close()

        _ = try transaction.commit()
        opened.wait()
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 1)
    }

    /// A file that is not what it was opened for is left alone, with the journal that a crash left.
    func test_STO_14_aRefusedStoreKeepsItsJournal() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let copy = folder + "/copy.sqlite"
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        func contents() throws -> [Data] { try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: copy + $0)) } }
        let before = try contents()
        XCTAssertGreaterThan(before[1].count, 0)

        let refused = try StoreFile.open(path: copy, options: options)
        XCTAssertEqual(try refused.newestInt("SELECT count(*) FROM t"), 1)
        refused.refuse()
        XCTAssertEqual(try contents(), before)

        // Somebody else who has the file open empties the journal nevertheless.
        let kept = try StoreFile.open(path: copy, options: options)
        try StoreFile.open(path: copy, options: options).refuse()
        XCTAssertEqual(try contents(), before)
        try kept.write("INSERT INTO t VALUES (2, 2)")
        kept.close()
        XCTAssertFalse(FileManager.default.fileExists(atPath: copy + "-wal"))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM t", path: copy), ["2"])
    }
}
