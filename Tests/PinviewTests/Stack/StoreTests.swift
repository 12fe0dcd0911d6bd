import Pinview
import XCTest

/// Stores on a coordinator: STO-01 to STO-14 and STO-16 to STO-19, EX-28.
final class StoreTests: StoreTestCase {
    /// The lines of the SQL log while `body` runs.
    private func logged(_ body: () throws -> Void) rethrows -> [String] {
        let lines = LogLines()
        SQLDebug.setHandler { lines.add($0) }
        SQLDebug.isEnabled = true
        defer {
            SQLDebug.isEnabled = false
            SQLDebug.setHandler(nil)
        }
        try body()
        return lines.all
    }

    func test_STO_01_aNewStoreIsInWALMode() throws {
        let coordinator = try makeCoordinator()
        XCTAssertEqual(coordinator.persistentStores[0].journalMode, "wal")
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode"), "wal")
    }

    func test_STO_02_commitsGoToTheJournalFile() throws {
        let coordinator = try makeCoordinator()
        let before = coordinator.persistentStores[0].journalSize
        try fill(coordinator, count: 3)
        XCTAssertTrue(FileManager.default.fileExists(atPath: path() + "-wal"))
        XCTAssertGreaterThan(coordinator.persistentStores[0].journalSize, before)
    }

    func test_STO_03_and_EX_28_theLogShowsTheJournalMode() throws {
        let lines = try logged { _ = try makeCoordinator() }
        XCTAssertTrue(lines.contains("CoreData: sql: pragma journal_mode=wal"), lines.joined(separator: "\n"))
        XCTAssertTrue(lines.allSatisfy { $0.hasPrefix("CoreData: sql: ") })
    }

    func test_STO_03_theLogIsOffByDefaultAndShowsEveryStatementWhenOn() throws {
        XCTAssertFalse(SQLDebug.isEnabled)
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 1)
        let context = try makeContext(coordinator)
        let lines = try logged { _ = try context.names() }
        XCTAssertTrue(lines.contains { $0.contains("SELECT") && $0.contains("ZPERSON") }, lines.joined(separator: "\n"))
    }

    func test_STO_04_anOptionSetsAnotherJournalMode() throws {
        let lines = try logged {
            let coordinator = try makeCoordinator(options: ["journalMode": "delete"])
            XCTAssertEqual(coordinator.persistentStores[0].journalMode, "delete")
            XCTAssertFalse(coordinator.persistentStores[0].supportsQueryGenerations)
            try fill(coordinator, count: 1)
        }
        XCTAssertTrue(lines.contains("CoreData: sql: pragma journal_mode=delete"))
        XCTAssertFalse(FileManager.default.fileExists(atPath: path() + "-wal"))
        XCTAssertEqual(try sqlite3("PRAGMA journal_mode"), "delete")
    }

    func test_STO_05_and_STO_16_anExistingFileIsOpenedWithItsDataAndIDs() throws {
        var uri = ""
        do {
            let coordinator = try makeCoordinator()
            try fill(coordinator, count: 2)
            uri = try makeContext(coordinator).person("dave1").objectID.uriRepresentation
        }
        let coordinator = try makeCoordinator()
        XCTAssertEqual(coordinator.persistentStores[0].journalMode, "wal")
        let identifier = try XCTUnwrap(try coordinator.managedObjectID(forURIRepresentation: uri))
        let context = try makeContext(coordinator)
        XCTAssertEqual(try context.existingObject(with: identifier).attributeValue(forKey: "name"), "dave1")
        XCTAssertEqual(identifier.uriRepresentation, uri)
    }

    func test_STO_06_aStoreInMemoryLastsAsLongAsItIsOnItsCoordinator() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        let store = try coordinator.addPersistentStore(type: .inMemory)
        try fill(coordinator, count: 2)
        XCTAssertEqual(try makeContext(coordinator).names(), ["dave0", "dave1"])
        try coordinator.remove(store)
        try coordinator.addPersistentStore(type: .inMemory)
        XCTAssertEqual(try makeContext(coordinator).names(), [])
    }

    private func twoStores() throws -> (PersistentStoreCoordinator, PersistentStore, PersistentStore) {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        let first = try coordinator.addPersistentStore(type: .sqlite, at: path("first.sqlite"))
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        return (coordinator, first, second)
    }

    func test_STO_07_requestsGoToAllStoresThatHoldTheEntity() throws {
        let (coordinator, _, second) = try twoStores()
        let context = try makeContext(coordinator)
        try context.insertNewObject(forEntityName: "Person").setValue("first", forKey: "name")
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("second", forKey: "name")
        try context.assign(person, to: second)
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON", file: "first.sqlite"), "first")
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON", file: "second.sqlite"), "second")
        XCTAssertEqual(try makeContext(coordinator).names(), ["first", "second"])
    }

    func test_STO_08_aConfigurationLimitsTheEntitiesOfAStore() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDescription(name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
                EntityDescription(name: "Note", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
            ],
            configurations: ["Persons": ["Person"], "Notes": ["Note"]])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "Persons", at: path("persons.sqlite"))
        let notes = try coordinator.addPersistentStore(type: .sqlite, configuration: "Notes", at: path("notes.sqlite"))
        let context = try makeContext(coordinator)
        let note = try context.insertNewObject(forEntityName: "Note")
        try context.save()
        XCTAssertEqual(note.objectID.storeIdentifier, notes.identifier)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_master WHERE name = 'ZNOTE'", file: "persons.sqlite"), "0")
        let person = try context.insertNewObject(forEntityName: "Person")
        assertError(.wrongStore, try context.assign(person, to: notes))  // STO-10
        assertError(.invalidArgument, try coordinator.addPersistentStore(type: .inMemory, configuration: "None"))
    }

    func test_STO_09_aNewObjectGoesToTheAssignedOrTheFirstWritableStore() throws {
        do { _ = try makeCoordinator(name: "read.sqlite") }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        let readOnly = try coordinator.addPersistentStore(type: .sqlite, at: path("read.sqlite"), options: ["readOnly": true])
        let writable = try coordinator.addPersistentStore(type: .sqlite, at: path("write.sqlite"))
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.save()
        XCTAssertEqual(person.objectID.storeIdentifier, writable.identifier)
        let refused = try context.insertNewObject(forEntityName: "Person")
        try context.assign(refused, to: readOnly)
        let error = assertError(.persistentStoreSave, try context.save())
        XCTAssertEqual(error?.affectedStores, [readOnly.identifier])
        XCTAssertTrue(context.hasChanges)
    }

    func test_STO_09_anObjectAssignedToARemovedStoreIsAnErrorOfTheSave() throws {
        let coordinator = try makeCoordinator()
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.assign(person, to: second)
        try coordinator.remove(second)
        let error = assertError(.persistentStoreSave, try context.save())
        XCTAssertEqual(error?.affectedStores, [second.identifier])
        XCTAssertEqual(error?.affectedObjectIDs, [person.objectID])
        XCTAssertTrue(context.insertedObjects.contains(person))
        // The same file under the coordinator again is the store that it was assigned to.
        try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        try context.save()
        XCTAssertEqual(person.objectID.storeIdentifier, second.identifier)
    }

    func test_STO_10_aSavedObjectStaysInItsStore() throws {
        let (coordinator, first, second) = try twoStores()
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.assign(person, to: first)
        try context.save()
        assertError(.wrongStore, try context.assign(person, to: second))
    }

    func test_STO_11_aContextMakesObjectsByEntityName() throws {
        let coordinator = try makeCoordinator()
        XCTAssertEqual(coordinator.managedObjectModel.entities.map(\.name), ["Car", "Person"])
        let context = try makeContext(coordinator)
        XCTAssertEqual(try context.insertNewObject(forEntityName: "Person").entity.name, "Person")
        assertError(.unknownEntity, try context.insertNewObject(forEntityName: "Dog"))
    }

    func test_STO_12_and_STO_13_storesComeAndGoAtRunTime() throws {
        do { try fill(makeCoordinator(name: "late.sqlite"), count: 2) }
        let coordinator = try makeCoordinator()
        let context = try makeContext(coordinator)
        XCTAssertEqual(try context.names(), [])
        let late = try coordinator.addPersistentStore(type: .sqlite, at: path("late.sqlite"))
        XCTAssertEqual(try context.names(), ["dave0", "dave1"])  // STO-12
        let dave0 = try context.person("dave0")
        _ = try dave0.attributeValue(forKey: "name")
        var invalidated: Set<ManagedObject> = []
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) {
            invalidated.formUnion($0.invalidatedObjects)
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try coordinator.remove(late)
        XCTAssertEqual(try context.names(), [])  // STO-13
        XCTAssertTrue(invalidated.contains(dave0))
        let error = assertError(.persistentStoreOperation, try dave0.attributeValue(forKey: "name"))
        XCTAssertEqual(error?.affectedStores, [late.identifier])
    }

    func test_STO_14_whatIsNoDatabaseIsRefused() throws {
        try Data("this is a text, and long enough to be taken for a page of something else entirely".utf8)
            .write(to: URL(fileURLWithPath: path("text.sqlite")))
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        let error = assertError(.persistentStoreOpen, try coordinator.addPersistentStore(type: .sqlite, at: path("text.sqlite")))
        XCTAssertTrue(error?.message.contains("text.sqlite") ?? false, "\(String(describing: error))")
        XCTAssertNotNil(error?.sqliteCode)
        assertError(.persistentStoreOpen, try coordinator.addPersistentStore(type: .sqlite, at: path("missing/store.sqlite")))
        assertError(.persistentStoreOpen, try coordinator.addPersistentStore(type: .sqlite, at: folder))
        assertError(
            .persistentStoreOpen, try coordinator.addPersistentStore(type: .sqlite, at: path("none.sqlite"), options: ["readOnly": true]))
        XCTAssertEqual(coordinator.persistentStores.count, 0)
    }

    func test_STO_14_aDatabaseOfAnotherProgramIsRefusedAndStaysAsItWas() throws {
        try sqlite3("CREATE TABLE notes(text); INSERT INTO notes VALUES ('kept');", file: "notes.sqlite")
        let before = try Data(contentsOf: URL(fileURLWithPath: path("notes.sqlite")))
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        assertError(.persistentStoreOpen, try coordinator.addPersistentStore(type: .sqlite, at: path("notes.sqlite")))
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path("notes.sqlite"))), before)
    }

    func test_STO_14_aStoreOfAnotherModelIsRefused() throws {
        do { _ = try makeCoordinator() }
        let other = try ManagedObjectModel(entities: [
            EntityDescription(name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .integer32)])
        ])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: other)
        let error = assertError(
            .persistentStoreIncompatibleVersionHash, try coordinator.addPersistentStore(type: .sqlite, at: path()))
        XCTAssertTrue(error?.message.contains("store.sqlite") ?? false)
        XCTAssertEqual(coordinator.persistentStores.count, 0)
    }

    func test_STO_17_twoCoordinatorsAndAnotherProcessWorkOnOneFile() throws {
        let first = try makeCoordinator(), second = try makeCoordinator()
        for number in 0..<10 {
            let context = try makeContext(number % 2 == 0 ? first : second)
            try context.insertNewObject(forEntityName: "Person").setValue("p\(number)", forKey: "name")
            try context.save()
            try sqlite3("UPDATE ZPERSON SET ZAGE = ZAGE + 1")
        }
        XCTAssertEqual(try makeContext(first).names().count, 10)
        XCTAssertEqual(try sqlite3("SELECT sum(ZAGE) FROM ZPERSON"), "55")
        XCTAssertEqual(try sqlite3("PRAGMA integrity_check"), "ok")
    }

    func test_STO_18_theModelIsKeptInTheStore() throws {
        do { _ = try makeCoordinator() }
        let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path())
        XCTAssertEqual(model, try people())
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: path())
        try fill(coordinator, count: 1)
    }

    func test_STO_19_anUnknownKeyOrAWrongTypeChangesNothing() throws {
        let coordinator = try makeCoordinator()
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("dave", forKey: "name")
        assertError(.unknownKey, try person.setValue("x", forKey: "nickname"))
        assertError(.unknownKey, try person.value(forKey: "nickname"))
        assertError(.wrongType, try person.setValue(5, forKey: "name"))
        assertError(.wrongType, try person.setValue("five", forKey: "age"))
        assertError(.wrongType, try person.setValue(person, forKey: "cars"))
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave")
        XCTAssertEqual(try person.attributeValue(forKey: "age"), 0)
    }
}

/// Lines that any thread may add.
final class LogLines: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var lines: [String] = []
    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
}
