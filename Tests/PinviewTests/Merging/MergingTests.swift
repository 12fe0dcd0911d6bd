import Dispatch
import Foundation
import Pinview
import XCTest

/// Merging a save into other contexts explicitly: MRG-01 to MRG-06, MRG-10, MRG-13, MRG-14.
final class MergingTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        other = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    /// Saves a context and gives the did-save notification.
    private func save(_ context: ManagedObjectContext) throws -> PinviewNotification {
        var received: PinviewNotification?
        let center = PinviewNotificationCenter.default
        let observer = center.addObserver(forName: .didSave, object: context) { received = $0 }
        defer { center.removeObserver(observer) }
        try context.save()
        return try XCTUnwrap(received)
    }

    private func realised(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let person = try context.person(name)
        _ = try person.attributeValue(forKey: "name")
        return person
    }

    func test_MRG_01_updatedObjectsShowTheNewValues() throws {
        let person = try realised("dave0", in: context)
        try other.person("dave0").setValue("edited", forKey: "name")
        try context.mergeChanges(fromContextDidSave: try save(other))
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
        XCTAssertFalse(context.hasChanges)
    }

    func test_MRG_01_localChangesAreKept() throws {
        let person = try realised("dave0", in: context)
        try person.setValue("mine", forKey: "name")
        let theirs = try other.person("dave0")
        try theirs.setValue("theirs", forKey: "name")
        try theirs.setValue(99, forKey: "age")
        try context.mergeChanges(fromContextDidSave: try save(other))
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "mine")
        XCTAssertEqual(try person.attributeValue(forKey: "age"), 99)
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON WHERE ZNAME = 'mine'"), "mine|99")
    }

    func test_MRG_01_relationshipsShowTheNewMembers() throws {
        let person = try realised("dave0", in: context)
        XCTAssertEqual(try person.relatedObjects(forKey: "cars").count, 1)
        let car = try other.insertNewObject(forEntityName: "Car")
        try car.setValue("second", forKey: "name")
        try car.setRelatedObject(other.person("dave0"), forKey: "owner")
        try context.mergeChanges(fromContextDidSave: try save(other))
        XCTAssertEqual(try person.relatedObjects(forKey: "cars").count, 2)
    }

    func test_MRG_02_insertedObjectsAreRegisteredAsFaults() throws {
        let inserted = try other.insertNewObject(forEntityName: "Person")
        try inserted.setValue("new", forKey: "name")
        context.retainsRegisteredObjects = true
        try context.mergeChanges(fromContextDidSave: try save(other))
        let registered = try XCTUnwrap(try context.registeredObject(for: inserted.objectID))
        XCTAssertTrue(registered.isFault)
        XCTAssertEqual(try registered.attributeValue(forKey: "name"), "new")
        XCTAssertFalse(context.hasChanges)
    }

    func test_MRG_03_deletedObjectsAreDeletedAndALaterSaveSucceeds() throws {
        let person = try realised("dave0", in: context)
        try other.delete(other.person("dave0"))
        try context.mergeChanges(fromContextDidSave: try save(other))
        XCTAssertTrue(person.isDeleted)
        XCTAssertEqual(try context.names(), ["dave1", "dave2"])
        try context.person("dave1").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "2")
    }

    func test_MRG_03_anEditedObjectThatWasDeletedElsewhereIsDeleted() throws {
        let person = try realised("dave0", in: context)
        try person.setValue("mine", forKey: "name")
        try other.delete(other.person("dave0"))
        try context.mergeChanges(fromContextDidSave: try save(other))
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "2")
    }

    func test_MRG_03_unregisteredObjectsArePassedOver() throws {
        let updated = try other.person("dave0"), deleted = try other.person("dave1")
        try updated.setValue("edited", forKey: "name")
        try other.delete(deleted)
        context.retainsRegisteredObjects = true
        try context.mergeChanges(fromContextDidSave: try save(other))
        XCTAssertEqual(context.registeredObjects, [])
    }

    func test_MRG_04_aNotificationOfAnotherQueueIsMergedOnTheReceiversQueue() throws {
        let person = try realised("dave0", in: context)
        let merged = expectation(description: "merged")
        let receiver = try XCTUnwrap(context), worker = try XCTUnwrap(other)
        let center = PinviewNotificationCenter.default
        let observer = center.addObserver(forName: .didSave, object: worker) { notification in
            do {
                try receiver.perform {
                    do { try receiver.mergeChanges(fromContextDidSave: notification) } catch { XCTFail("\(error)") }
                    merged.fulfill()
                }
            } catch { XCTFail("\(error)") }
        }
        defer { center.removeObserver(observer) }
        try worker.perform {
            do {
                try worker.person("dave0").setValue("edited", forKey: "name")
                try worker.save()
            } catch { XCTFail("\(error)") }
        }
        wait(for: [merged], timeout: 120)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
    }

    func test_MRG_05_mergingIsAnnounced() throws {
        let updated = try realised("dave0", in: context), deleted = try realised("dave1", in: context)
        let inserted = try other.insertNewObject(forEntityName: "Person")
        try other.person("dave0").setValue("edited", forKey: "name")
        try other.delete(other.person("dave1"))
        let notification = try save(other)
        var received: [PinviewNotification] = []
        let center = PinviewNotificationCenter.default
        let observer = center.addObserver(forName: .objectsDidChange, object: context) { received.append($0) }
        defer { center.removeObserver(observer) }
        try context.mergeChanges(fromContextDidSave: notification)
        XCTAssertEqual(received.count, 1)
        XCTAssertEqual(received.first?.refreshedObjects, [updated])
        XCTAssertEqual(received.first?.deletedObjects, [deleted])
        XCTAssertEqual(received.first?.insertedObjects.map(\.objectID), [inserted.objectID])
    }

    func test_MRG_06_mergingIsNoReadAndTheNextReadIsAtTheNewestGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let person = try realised("dave0", in: context)
        try other.person("dave0").setValue("merged", forKey: "name")
        let notification = try save(other)
        try context.mergeChanges(fromContextDidSave: notification)
        XCTAssertNil(context.queryGenerationToken)
        try other.person("merged").setValue("newer", forKey: "name")
        try other.save()
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "newer")
        XCTAssertEqual(context.queryGenerationToken?.isCurrent, false)
    }

    func test_MRG_06_mergingIntoObjectsWithLocalChangesFixesNoGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let person = try realised("dave0", in: context)
        try person.setValue("mine", forKey: "name")
        try other.person("dave0").setValue(99, forKey: "age")
        try context.mergeChanges(fromContextDidSave: try save(other))
        XCTAssertNil(context.queryGenerationToken)
        XCTAssertEqual(try person.attributeValue(forKey: "age"), 99)
    }

    func test_MRG_10_aContextDoesNotMergeItsOwnSave() throws {
        try context.setAutomaticallyMergesChangesFromParent(true)
        let person = try realised("dave0", in: context)
        try person.setValue("edited", forKey: "name")
        let notification = try save(context)
        try context.mergeChanges(fromContextDidSave: notification)
        XCTAssertFalse(person.isFault)
    }

    func test_MRG_13_aSaveOfAnotherCoordinatorIsMergedByStoreAndID() throws {
        let stack = try makeCoordinator()
        try stack.addPersistentStore(type: .inMemory)
        let second = try makeContext(stack)
        let person = try realised("dave0", in: context)
        try second.person("dave0").setValue("edited", forKey: "name")
        let elsewhere = try second.insertNewObject(forEntityName: "Person")
        try second.assign(elsewhere, to: stack.persistentStores[1])
        context.retainsRegisteredObjects = true
        try context.mergeChanges(fromContextDidSave: try save(second))
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "edited")
        XCTAssertEqual(context.registeredObjects.filter { $0.entity.name == "Person" }, [person])
    }

    func test_MRG_14_IDListsAreMergedIntoSeveralContexts() throws {
        let third = try makeContext(coordinator)
        try third.setQueryGeneration(from: .current)
        let persons = try [context, third].compactMap { $0 }.map { try realised("dave0", in: $0) }
        let deleted = try realised("dave1", in: context)
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'edited' WHERE ZNAME = 'dave0'; DELETE FROM ZPERSON WHERE ZNAME = 'dave1'")
        try ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: ["updated": [persons[0].objectID], "deleted": [deleted.objectID]], into: [context, third])
        XCTAssertEqual(try persons.map { try $0.attributeValue(forKey: "name") }, ["edited", "edited"])
        XCTAssertTrue(deleted.isDeleted)
    }

    func test_MRG_14_URIsAreMergedIntoSeveralContexts() throws {
        let third = try makeContext(coordinator)
        let persons = try [context, third].compactMap { $0 }.map { try realised("dave0", in: $0) }
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'edited' WHERE ZNAME = 'dave0'")
        let elsewhere = "x-coredata://00000000-0000-4000-8000-000000000000/Person/p1"
        let uris = [persons[0].objectID.uriRepresentation, elsewhere]
        assertError(
            .invalidArgument,
            try ManagedObjectContext.mergeChanges(
                fromRemoteContextSaveURIs: ["updated": uris, "deleted": ["no URI"]], into: [context, third]))
        XCTAssertEqual(try persons.map { try $0.attributeValue(forKey: "name") }, ["dave0", "dave0"])
        try ManagedObjectContext.mergeChanges(fromRemoteContextSaveURIs: ["updated": uris], into: [context, third])
        XCTAssertEqual(try persons.map { try $0.attributeValue(forKey: "name") }, ["edited", "edited"])
    }

    func test_MRG_14_anUnknownKeyIsRefused() throws {
        assertError(.invalidArgument, try ManagedObjectContext.mergeChanges(fromRemoteContextSave: ["changed": []], into: [context]))
    }
}
