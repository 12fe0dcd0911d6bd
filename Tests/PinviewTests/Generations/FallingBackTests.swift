import Foundation
import Pinview
import XCTest

/// Stores of all kinds and in all states: pinned where they can be, unpinned without a word where
/// the journal mode allows no generations (QG-44, DEC-09), and a clear error otherwise.
final class FallingBackTests: StoreTestCase {
    /// A context that is to be pinned with its first read, and what it reads then.
    private func pin(_ coordinator: PersistentStoreCoordinator) throws -> (ManagedObjectContext, [String]) {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        return (context, try context.names())
    }

    private func rename(_ old: String, to new: String, on coordinator: PersistentStoreCoordinator) throws {
        let writer = try makeContext(coordinator)
        try writer.person(old).setValue(new, forKey: "name")
        try writer.save()
    }

    private func assertStaysPinned(_ coordinator: PersistentStoreCoordinator, file: StaticString = #filePath, line: UInt = #line) throws {
        let (context, before) = try pin(coordinator)
        XCTAssertNotNil(context.queryGenerationToken, file: file, line: line)
        try rename(try XCTUnwrap(before.first), to: "renamed", on: coordinator)
        XCTAssertEqual(try context.names(), before, file: file, line: line)
        try context.setQueryGeneration(from: nil)
        XCTAssertTrue(try context.names().contains("renamed"), file: file, line: line)
    }

    func test_QG_44_everyOtherJournalModeFallsBack() throws {
        for mode in ["delete", "truncate", "persist", "memory", "off"] {
            let stack = try makeCoordinator(name: mode + ".sqlite", options: ["journalMode": .string(mode)])
            try fill(stack, count: 2)
            XCTAssertEqual(stack.persistentStores.first?.journalMode, mode)

            let (context, names) = try pin(stack)

            XCTAssertEqual(names, ["dave0", "dave1"], mode)
            XCTAssertNil(context.queryGenerationToken, mode)
            try rename("dave0", to: "renamed", on: stack)
            XCTAssertEqual(try context.names(), ["dave1", "renamed"], mode)
        }
    }

    func test_anEmptyJournalCanBePinned() throws {
        let stack = try makeCoordinator()
        try fill(stack, count: 2)
        XCTAssertTrue(try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)").hasPrefix("0|0|0"))

        try assertStaysPinned(stack)
    }

    func test_aStoreWhoseJournalIsMissingCanBePinned() throws {
        var stack: PersistentStoreCoordinator? = try makeCoordinator()
        try fill(try XCTUnwrap(stack), count: 2)
        stack = nil
        try? FileManager.default.removeItem(atPath: path() + "-wal")
        try? FileManager.default.removeItem(atPath: path() + "-shm")

        try assertStaysPinned(try makeCoordinator())
    }

    /// The other program converts it before we open it, and the other way round.
    func test_aStoreThatWasJustConvertedToWALCanBePinned() throws {
        var stack: PersistentStoreCoordinator? = try makeCoordinator(options: ["journalMode": "delete"])
        try fill(try XCTUnwrap(stack), count: 2)
        stack = nil
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode=wal"), "wal")

        try assertStaysPinned(try makeCoordinator())
    }

    func test_aStoreThatOthersConvertToWALWhileItIsOpenIsReadRight() throws {
        let stack = try makeCoordinator(options: ["journalMode": "delete"])
        try fill(stack, count: 2)
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode=wal"), "wal")

        let (context, names) = try pin(stack)
        XCTAssertEqual(names, ["dave0", "dave1"])
        XCTAssertNil(context.queryGenerationToken)
        try rename("dave0", to: "renamed", on: stack)
        XCTAssertEqual(try context.names(), ["dave1", "renamed"])

        // Who opens it now has generations.
        try assertStaysPinned(try makeCoordinator(name: "store.sqlite"))
    }

    /// A program dies in the middle of a transaction; the journal it leaves has to be recovered
    /// before anybody reads.
    func test_aStoreThatIsRecoveredAfterACrashCanBePinned() throws {
        var stack: PersistentStoreCoordinator? = try makeCoordinator()
        try fill(try XCTUnwrap(stack), count: 2)
        stack = nil
        let program = """
            import os, signal, sqlite3, sys
            db = sqlite3.connect(sys.argv[1], isolation_level=None)
            db.execute('PRAGMA cache_size=5')
            db.execute("UPDATE ZPERSON SET ZNAME = 'crash1' WHERE ZNAME = 'dave1'")
            db.execute('BEGIN')
            db.execute("UPDATE ZPERSON SET ZNAME = 'uncommitted'")
            db.execute('CREATE TABLE junk (v)')
            for i in range(500): db.execute('INSERT INTO junk VALUES (zeroblob(3000))')
            os.kill(os.getpid(), signal.SIGKILL)
            """
        try runProgram(["python3", "-c", program, path()])
        XCTAssertTrue(FileManager.default.fileExists(atPath: path() + "-wal"))

        let recovered = try makeCoordinator()

        XCTAssertEqual(try pin(recovered).1, ["crash1", "dave0"])
        try assertStaysPinned(recovered)
        XCTAssertEqual(try sqlite3("PRAGMA integrity_check"), "ok")
    }

    func test_aPinnedViewIsUnaffectedByOthersChangesOfTheSchema() throws {
        let stack = try makeCoordinator()
        try fill(stack, count: 3)
        let (context, names) = try pin(stack)

        try sqlite3("DELETE FROM ZPERSON; ALTER TABLE ZPERSON ADD COLUMN ZMORE; CREATE INDEX I ON ZPERSON (ZAGE); VACUUM")
        XCTAssertEqual(try context.names(), names)
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")), 3)
        try sqlite3("DROP TABLE ZPERSON")

        XCTAssertEqual(try context.names(), names)
        try context.setQueryGeneration(from: nil)
        assertError(.sqlite, try context.names())
    }

    func test_aFileThatOthersCutOffGivesAnErrorThatSaysSo() throws {
        let stack = try makeCoordinator()
        try fill(stack, count: 500)
        XCTAssertTrue(try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)").hasPrefix("0|0|0"))
        let context = try makeContext(stack)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")), 500)

        try runProgram(["truncate", "-s", "8192", path()])

        let error = assertError(.generationLost, try context.names())
        XCTAssertEqual(error?.message.contains("truncated"), true, error?.message ?? "")
    }
}
