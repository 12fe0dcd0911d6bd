import Foundation
import Pinview
import XCTest

/// Files that cannot be opened, read or written as stores: ERR-03, ERR-04, STO-14.
final class DamagedStoreTests: StoreTestCase {
    private func assertCannotBeOpened(
        _ path: String, _ code: PinviewError.Code = .persistentStoreOpen, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        let error = assertError(code, try coordinator.addPersistentStore(type: .sqlite, at: path), file: file, line: line)
        XCTAssertEqual(error?.message.contains(path), true, error?.message ?? "", file: file, line: line)
        XCTAssertTrue(coordinator.persistentStores.isEmpty, file: file, line: line)
    }

    // MARK: Files that cannot be opened

    func test_STO_14_aFolderThatDoesNotExistIsNotMade() throws {
        try assertCannotBeOpened(path("missing/store.sqlite"))
        XCTAssertFalse(FileManager.default.fileExists(atPath: path("missing")))
    }

    func test_STO_14_aFolderIsNoStore() throws {
        try assertCannotBeOpened(folder)
    }

    func test_STO_14_aFolderThatTakesNoFilesGivesAnError() throws {
        try assertCannotBeOpened("/proc/store.sqlite")
    }

    func test_STO_14_aReadOnlyFolderGivesAnErrorForANewStore() throws {
        try XCTSkipIf(geteuid() == 0, "the superuser may write to every folder")
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
        defer { XCTAssertNoThrow(try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)) }
        try assertCannotBeOpened(path())
    }

    func test_STO_14_aFileThatIsNotADatabaseGivesAnErrorAndIsLeftUnchanged() throws {
        let text = String(repeating: "This is no database. ", count: 500)
        try text.write(toFile: path(), atomically: false, encoding: .utf8)
        try assertCannotBeOpened(path())
        XCTAssertEqual(try String(contentsOfFile: path(), encoding: .utf8), text)
    }

    func test_STO_14_aDatabaseOfAnotherProgramGivesAnErrorAndKeepsItsContent() throws {
        try sqlite3("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        XCTAssertThrowsError(try coordinator.addPersistentStore(type: .sqlite, at: path())) { error in
            XCTAssertTrue("\(error)".contains(path()), "\(error)")
        }
        XCTAssertEqual(try sqlite3("SELECT name FROM sqlite_master; SELECT x FROM theirs"), "theirs\n1")
    }

    func test_STO_14_aStoreOfAnotherModelGivesAnErrorThatNamesIt() throws {
        let other = try ManagedObjectModel(entities: [
            EntityDescription(name: "Person", attributes: [AttributeDescription(name: "height", attributeType: .double)])
        ])
        _ = try makeCoordinator(other)
        try assertCannotBeOpened(path(), .persistentStoreIncompatibleVersionHash)
    }

    func test_STO_14_aTruncatedStoreGivesAnError() throws {
        try withClosedStore { try $0.truncate(atOffset: 2000) }
        try assertCannotBeOpened(path())
    }

    // MARK: Damage that is met later

    /// Makes a store with enough rows for many pages, closes it and hands out its file.
    private func withClosedStore(_ damage: (FileHandle) throws -> Void) throws {
        do {
            let coordinator = try makeCoordinator()
            try fill(coordinator, count: 500)
            try coordinator.remove(coordinator.persistentStores[0])
        }
        try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: path()))
        try damage(file)
        try file.close()
    }

    /// A coordinator with a store in which the page at the root of the persons' table is garbage.
    private func damagedCoordinator() throws -> PersistentStoreCoordinator {
        try withClosedStore { file in
            let page = try XCTUnwrap(UInt64(try sqlite3("SELECT rootpage FROM sqlite_master WHERE name = 'ZPERSON'")))
            let size = try XCTUnwrap(UInt64(try sqlite3("PRAGMA page_size")))
            try file.seek(toOffset: (page - 1) * size)
            file.write(Data(repeating: 0xEE, count: Int(size)))
        }
        return try makeCoordinator()
    }

    private func assertDamage<T>(file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> T) {
        let error = assertError(.sqlite, try body(), file: file, line: line)
        XCTAssertEqual(error?.code, 134180, file: file, line: line)
        XCTAssertEqual(error?.sqliteCode.map { $0 & 0xFF }, 11, file: file, line: line)  // SQLITE_CORRUPT
        XCTAssertEqual(error?.underlyingError?.domain, "NSSQLiteErrorDomain", file: file, line: line)
        XCTAssertEqual(error?.underlyingError?.code, error?.sqliteCode.map(Int.init), file: file, line: line)
        XCTAssertEqual(error?.affectedStores, [path()], file: file, line: line)
    }

    func test_ERR_04_aFetchMeetsTheDamage() throws {
        let context = try makeContext(try damagedCoordinator())
        assertDamage { try context.names() }
    }

    func test_ERR_04_aFetchOfAPinnedContextMeetsTheDamage() throws {
        let context = try makeContext(try damagedCoordinator())
        try context.setQueryGeneration(from: .current)
        assertDamage { try context.names() }
    }

    func test_ERR_04_aCountMeetsTheDamage() throws {
        let context = try makeContext(try damagedCoordinator())
        assertDamage { try context.count(for: FetchRequest("Person", "age > 1")) }
    }

    func test_ERR_04_aFaultMeetsTheDamage() throws {
        let coordinator = try damagedCoordinator()
        let context = try makeContext(coordinator)
        let uri = "x-coredata://\(coordinator.persistentStores[0].identifier)/Person/p7"
        let person = try context.object(with: try XCTUnwrap(try coordinator.managedObjectID(forURIRepresentation: uri)))
        assertDamage { try person.attributeValue(forKey: "name") }
        XCTAssertFalse(person.isDeleted)
    }

    func test_ERR_04_aSaveMeetsTheDamageAndKeepsItsChanges() throws {
        let context = try makeContext(try damagedCoordinator())
        _ = try context.insertNewObject(forEntityName: "Person")
        assertDamage { try context.save() }
        XCTAssertEqual(context.insertedObjects.count, 1)
    }

    func test_ERR_04_otherTablesCanStillBeUsed() throws {
        let context = try makeContext(try damagedCoordinator())
        XCTAssertThrowsError(try context.names())
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")), 500)
        _ = try context.insertNewObject(forEntityName: "Car")
        try context.save()
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")), 501)
    }
}
