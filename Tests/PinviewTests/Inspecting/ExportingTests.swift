import Foundation
import Pinview
import XCTest

/// SNP-01 and SNP-03: a generation as a file, and SQL at a generation.
final class ExportingTests: StackTestCase {
    private func pinnedToken() throws -> QueryGenerationToken {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        return try XCTUnwrap(context.queryGenerationToken)
    }

    /// The rows of a statement, as text.
    private func rows(_ cursor: SQLCursor) throws -> [String] {
        var rows: [String] = []
        while let row = try cursor.next() { rows.append(row.map { $0.stringValue ?? $0.description }.joined(separator: "|")) }
        return rows
    }

    func test_SNP_01_theFileIsAStoreOfTheGeneration() throws {
        let token = try pinnedToken()
        try changeElsewhere("dave0", "age", 99)
        var last: ExportProgress?
        try coordinator.export(token, to: path("copy.sqlite")) {
            last = $0; return true
        }
        XCTAssertEqual(last?.completedByteCount, last?.totalByteCount)

        let copy = try makeCoordinator(try model(), name: "copy.sqlite")
        XCTAssertEqual(copy.persistentStores.first?.identifier, coordinator.persistentStores.first?.identifier)
        let exported = try makeContext(copy)
        XCTAssertEqual(try exported.person("dave0").integer("age"), 20)
        XCTAssertEqual(try exported.names(), try context.names())
    }

    func test_SNP_01_anyDatabaseWithoutAModel() throws {
        try sqlite3("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (5)", file: "foreign.db")
        try PersistentStoreCoordinator.exportDatabase(at: path("foreign.db"), to: path("copy.db"))
        XCTAssertEqual(try sqlite3("SELECT a FROM t", file: "copy.db"), "5")
        assertError(.persistentStoreOperation, try PersistentStoreCoordinator.exportDatabase(at: path("foreign.db"), to: path("copy.db")))
        assertError(.persistentStoreOpen, try PersistentStoreCoordinator.exportDatabase(at: path("none.db"), to: path("new.db")))
    }

    func test_SNP_01_whatCannotBeExportedIsSaid() throws {
        let token = try pinnedToken()
        assertError(.userCancelled, try coordinator.export(token, to: path("copy.sqlite")) { _ in false })
        XCTAssertFalse(FileManager.default.fileExists(atPath: path("copy.sqlite")))
        let empty = PersistentStoreCoordinator(managedObjectModel: try model())
        assertError(.invalidArgument, try empty.export(to: path("copy.sqlite")))
        assertError(.persistentStoreOperation, try empty.export(to: path("copy.sqlite"), of: coordinator.persistentStores[0]))
        try context.setQueryGeneration(from: nil)
        try changeElsewhere("dave0", "age", 99)
        assertError(.generationExpired, try coordinator.export(token, to: path("copy.sqlite")))
        try coordinator.addPersistentStore(type: .inMemory)
        assertError(.invalidArgument, try coordinator.export(to: path("copy.sqlite")))
        try coordinator.export(to: path("memory.sqlite"), of: coordinator.persistentStores[1])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON", file: "memory.sqlite"), "0")
    }

    func test_SNP_03_sqlReadsTheGenerationOfATokenOrAContext() throws {
        let token = try pinnedToken()
        try changeElsewhere("dave0", "age", 99)
        let ages = "SELECT ZAGE FROM ZPERSON ORDER BY ZAGE"
        XCTAssertEqual(try rows(coordinator.query(ages, at: token)), ["20", "21", "22"])
        XCTAssertEqual(try rows(coordinator.query(ages)), ["21", "22", "99"])
        XCTAssertEqual(try rows(context.query(ages)), ["20", "21", "22"])
        XCTAssertEqual(try rows(other.query(ages)), ["21", "22", "99"])
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        XCTAssertEqual(try rows(child.query(ages)), ["20", "21", "22"])
    }

    /// It is a read in the sense of QG-08, and does not see what is pending.
    func test_SNP_03_theStatementOfAContextIsARead() throws {
        try context.setQueryGeneration(from: .current)
        try changeElsewhere("dave0", "age", 99)
        let count = "SELECT count(*) FROM ZPERSON WHERE ZAGE = 99"
        XCTAssertEqual(try rows(context.query(count)), ["1"])
        try changeElsewhere("dave1", "age", 99)
        _ = try context.insertNewObject(forEntityName: "Person")
        XCTAssertEqual(try rows(context.query(count)), ["1"])
        XCTAssertEqual(try context.fetch(FetchRequest("Person", "age == 99")).count, 1)
    }

    func test_SNP_03_argumentsAreBoundByPlaceAndByName() throws {
        let dave = try context.person("dave1")
        let sql = "SELECT ZNAME FROM ZPERSON WHERE "
        XCTAssertEqual(try rows(context.query(sql + "ZAGE > ? AND ZNAME <> ?", [20, "dave2"])), ["dave1"])
        XCTAssertEqual(try rows(context.query(sql + "ZAGE = :age", [SQLArgument(22, name: "age")])), ["dave2"])
        XCTAssertEqual(try rows(context.query(sql + "Z_PK = ?", [SQLArgument(dave.objectID)])), ["dave1"])
        assertError(.invalidArgument, try context.query(sql + "ZAGE = ?"))
        assertError(.invalidArgument, try context.query(sql + "ZAGE = ?", [1, 2]))
        assertError(.invalidArgument, try context.query(sql + "ZAGE = :age", [SQLArgument(22, name: "ages")]))
        XCTAssertEqual(
            try coordinator.query("SELECT NULL, 1, 1.5, 'a', x'01'").read(upTo: 5),
            [[.null, .integer(1), .double(1.5), .string("a"), .binary([1])]])
    }

    func test_SNP_03_mistakesAreNamed() throws {
        assertError(.sqlite, try coordinator.query("SELECT * FROM nothing"))
        XCTAssertThrowsError(try coordinator.query("DELETE FROM ZPERSON")) {
            XCTAssertEqual(($0 as? PinviewError)?.sqliteCode, 23)
            XCTAssertTrue("\($0)".contains("would change the table ZPERSON"), "\($0)")
        }
        let cursor = try coordinator.query("SELECT ZNAME FROM ZPERSON")
        cursor.interrupt()
        assertError(.userCancelled, try cursor.next())
        let memory = PersistentStoreCoordinator(managedObjectModel: try model())
        try memory.addPersistentStore(type: .inMemory)
        assertError(.sqlite, try memory.query("SELECT 1"))
    }

    func test_SNP_03_aCursorHoldsItsGeneration() throws {
        let cursor = try coordinator.query("SELECT ZAGE FROM ZPERSON ORDER BY ZAGE")
        try changeElsewhere("dave0", "age", 99)
        XCTAssertEqual(try rows(cursor), ["20", "21", "22"])
        XCTAssertNil(try cursor.next())
    }
}
