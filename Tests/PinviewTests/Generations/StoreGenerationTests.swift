import Pinview
import XCTest

/// Generations of coordinators whose stores come and go: QG-33 to QG-37, and STO-13 with them.
final class StoreGenerationTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var first: PersistentStore!
    private var second: PersistentStore!
    private var pinned: ManagedObjectContext!

    /// Two stores of the same entities: "one" in the first, "two" in the second.
    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(name: "first.sqlite")
        first = coordinator.persistentStores[0]
        second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        try add("one", to: first)
        try add("two", to: second)
        pinned = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        pinned = nil
        first = nil
        second = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func add(_ name: String, to store: PersistentStore) throws {
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue(name, forKey: "name")
        try context.assign(person, to: store)
        try context.save()
    }

    private func pin() throws {
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.count(for: FetchRequest(entityName: "Car"))
    }

    func test_QG_33_rowsOfAStoreAddedLaterAreInvisibleUntilTheContextAdvances() throws {
        try pin()
        let third = try coordinator.addPersistentStore(type: .sqlite, at: path("third.sqlite"))
        try add("three", to: third)
        XCTAssertEqual(try pinned.names(), ["one", "two"])
        XCTAssertEqual(try pinned.count(for: FetchRequest(entityName: "Person")), 2)
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(try pinned.names(), ["one", "three", "two"])
    }

    func test_QG_33_unpinningShowsTheRowsOfAStoreAddedLater() throws {
        try pin()
        try add("three", to: try coordinator.addPersistentStore(type: .sqlite, at: path("third.sqlite")))
        try pinned.setQueryGeneration(from: nil)
        XCTAssertEqual(try pinned.names(), ["one", "three", "two"])
    }

    func test_QG_34_aGenerationCoversAllStores() throws {
        try pin()
        try add("first later", to: first)
        try add("second later", to: second)
        XCTAssertEqual(try pinned.names(), ["one", "two"])
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(try pinned.names().count, 4)
    }

    func test_QG_34_oneSaveIntoTwoStoresIsSeenWholeOrNotAtAll() throws {
        let coordinator = try XCTUnwrap(coordinator)
        let stores = try XCTUnwrap([first, second] as? [PersistentStore])
        let writer = try makeContext(coordinator), reader = try makeContext(coordinator)
        onThreads(2) { thread in
            for number in 0..<40 {
                if thread == 0 {
                    for store in stores {
                        let person = try writer.insertNewObject(forEntityName: "Person")
                        try person.setValue("pair \(number)", forKey: "name")
                        try writer.assign(person, to: store)
                    }
                    try writer.save()
                } else {
                    try reader.setQueryGeneration(from: .current)
                    let names = try reader.names("Person", "name BEGINSWITH %@", "pair")
                    XCTAssertEqual(names.count, Set(names).count * 2)
                }
            }
        }
    }

    func test_QG_35_firingAFaultOfARemovedStoreIsAnErrorThatNamesIt() throws {
        let unpinned = try makeContext(coordinator)
        let identifier = try unpinned.person("two").objectID
        try pin()
        let faults = try [pinned, unpinned].compactMap { $0 }.map { try $0.object(with: identifier) }
        try coordinator.remove(second)
        for fault in faults {
            let error = assertError(.persistentStoreOperation, try fault.attributeValue(forKey: "name"))
            XCTAssertEqual(error?.code, 134070)
            XCTAssertEqual(error?.affectedStores, [second.identifier])
        }
        XCTAssertEqual(try pinned.names(), ["one"])
    }

    func test_QG_35_realisedObjectsOfARemovedStoreAreInvalidToo() throws {
        try pin()
        let person = try pinned.person("two")
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "two")
        try person.setValue("edited", forKey: "name")
        try coordinator.remove(second)
        assertError(.persistentStoreOperation, try person.attributeValue(forKey: "name"))
        assertError(.persistentStoreOperation, try person.setValue("again", forKey: "name"))
        assertError(.persistentStoreOperation, try pinned.refresh(person, mergeChanges: true))
        XCTAssertFalse(pinned.hasChanges)
        try pinned.save()
    }

    func test_QG_35_existingObjectOfARemovedStoreIsAnError() throws {
        let identifier = try pinned.person("two").objectID
        try coordinator.remove(second)
        let error = assertError(.persistentStoreOperation, try pinned.existingObject(with: identifier))
        XCTAssertEqual(error?.affectedStores, [second.identifier])
    }

    func test_QG_35_theRemainingStoresAreReadAtThePinnedGeneration() throws {
        try pin()
        let one = try pinned.object(with: try makeContext(coordinator).person("one").objectID)
        try coordinator.remove(second)
        let writer = try makeContext(coordinator)
        try writer.person("one").setValue("renamed", forKey: "name")
        try writer.save()
        XCTAssertEqual(try one.attributeValue(forKey: "name"), "one")
        XCTAssertEqual(try pinned.names(), ["one"])
    }

    func test_QG_36_aFetchWithoutAnyStoreOfTheGenerationLeftIsAnError() throws {
        try pin()
        try coordinator.remove(second)
        XCTAssertEqual(try pinned.names(), ["one"])
        try coordinator.remove(first)
        let error = assertError(.persistentStoreOperation, try pinned.names())
        XCTAssertEqual(error?.code, 134070)
        XCTAssertEqual(Set(error?.affectedStores ?? []), [first.identifier, second.identifier])
        assertError(.persistentStoreOperation, try pinned.count(for: FetchRequest(entityName: "Person")))
    }

    func test_QG_36_aStoreAddedLaterDoesNotReplaceARemovedOne() throws {
        try pin()
        try coordinator.remove(first)
        try coordinator.remove(second)
        try coordinator.addPersistentStore(type: .sqlite, at: path("third.sqlite"))
        assertError(.persistentStoreOperation, try pinned.names())
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(try pinned.names(), [])
    }

    func test_QG_37_aTokenThatCoversARemovedStoreIsRefused() throws {
        try pin()
        let token = pinned.queryGenerationToken
        try coordinator.remove(second)
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
        let own = context.queryGenerationToken
        let error = assertError(.persistentStoreOperation, try context.setQueryGeneration(from: token))
        XCTAssertEqual(error?.affectedStores, [second.identifier])
        XCTAssertEqual(context.queryGenerationToken, own)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names(), ["one"])
    }

    func test_DEC_20_removalEndsTheHoldOnTheJournal() throws {
        try pin()
        try add("later", to: second)
        try coordinator.remove(second)
        XCTAssertEqual(try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)", file: "second.sqlite"), "0|0|0")
    }

    func test_STO_13_pendingChangesOfARemovedStoreAreDropped() throws {
        try pinned.person("two").setValue("edited", forKey: "name")
        try pinned.person("one").setValue("kept", forKey: "name")
        try coordinator.remove(second)
        XCTAssertEqual(pinned.updatedObjects.count, 1)
        try pinned.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON", file: "first.sqlite"), "kept")
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON", file: "second.sqlite"), "two")
    }

    func test_STO_13_aChildsObjectsOfARemovedStoreAreInvalidatedToo() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(pinned)
        let person = try child.person("two")
        _ = try person.attributeValue(forKey: "name")
        try coordinator.remove(second)
        assertError(.persistentStoreOperation, try person.attributeValue(forKey: "name"))
    }

    func test_STO_13_undoLeavesObjectsOfARemovedStoreAlone() throws {
        try pinned.person("two").setValue("edited", forKey: "name")
        try pinned.processPendingChanges()
        try coordinator.remove(second)
        try pinned.undo()
        try pinned.redo()
        XCTAssertFalse(pinned.hasChanges)
    }
}
