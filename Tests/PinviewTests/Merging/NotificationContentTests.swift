import Dispatch
import Foundation
import Pinview
import XCTest

/// What notifications hold, and observers that come and go: NOT-07 to NOT-10, NOT-13, NOT-16 to
/// NOT-18.
final class NotificationContentTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!
    private var received: [PinviewNotification] = []
    private var observers: [PinviewNotificationCenter.Observer] = []
    private let center = PinviewNotificationCenter.default

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        for observer in observers { center.removeObserver(observer) }
        observers = []
        received = []
        context = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func record(_ name: PinviewNotification.Name, of context: ManagedObjectContext? = nil) {
        observers.append(center.addObserver(forName: name, object: context ?? self.context) { [unowned self] in received.append($0) })
    }

    func test_NOT_07_deletedObjectsIncludePropagatedOnes() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true, deleteRule: .cascade)
                ]),
            EntityDescription(
                name: "Car",
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")]),
        ])
        let context = try makeContext(try makeCoordinator(model, name: "cascade.sqlite"))
        let person = try context.insertNewObject(forEntityName: "Person")
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(person, forKey: "owner")
        try context.save()
        record(.didSave, of: context)
        try context.delete(person)
        try context.save()
        XCTAssertEqual(received.first?.deletedObjects, [person, car])
    }

    func test_NOT_07_objectsThatWereNeverSavedAreNotInDidSave() throws {
        record(.didSave)
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.processPendingChanges()
        try context.delete(person)
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(received.count, 1)
        XCTAssertEqual(received.first?.insertedObjects, [])
        XCTAssertEqual(received.first?.deletedObjects, [])
    }

    func test_NOT_08_aRefreshedCleanObjectIsUnderRefreshed() throws {
        let person = try context.person("dave0")
        _ = try person.attributeValue(forKey: "name")
        record(.objectsDidChange)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual(received.first?.refreshedObjects, [person])
        XCTAssertEqual(received.first?.updatedObjects, [])
    }

    func test_NOT_08_aRefreshedObjectThatKeepsChangesIsUnderUpdated() throws {
        let clean = try context.person("dave1")
        _ = try clean.attributeValue(forKey: "name")
        let edited = try context.person("dave0")
        try edited.setValue("edited", forKey: "name")
        try context.processPendingChanges()
        record(.objectsDidChange)
        try context.refreshAllObjects()
        try context.processPendingChanges()
        let updated = received.reduce(Set()) { $0.union($1.updatedObjects) }
        let refreshed = received.reduce(Set()) { $0.union($1.refreshedObjects) }
        XCTAssertTrue(updated.contains(edited))
        XCTAssertFalse(refreshed.contains(edited))
        XCTAssertTrue(refreshed.contains(clean))
    }

    func test_NOT_09_objectsOfARemovedStoreAreUnderInvalidated() throws {
        let person = try context.person("dave0")
        record(.objectsDidChange)
        try coordinator.remove(coordinator.persistentStores[0])
        XCTAssertEqual(received.first?.userInfo["invalidated"] as? Set<ManagedObject>, [person])
    }

    func test_NOT_10_resetTellsTheIDsThatWereForgotten() throws {
        let objects = Array(try context.fetch(FetchRequest(entityName: "Person")))
        record(.objectsDidChange)
        try context.reset()
        let identifiers = received.first?.userInfo["invalidatedAll"] as? [ManagedObjectID]
        XCTAssertEqual(Set(identifiers ?? []), Set(objects.map(\.objectID)))
        XCTAssertEqual(received.count, 1)
    }

    func test_NOT_13_aRemovedObserverIsNotCalled() throws {
        record(.didSave)
        center.removeObserver(observers.removeLast())
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(received.count, 0)
    }

    func test_NOT_13_removalWaitsForACallOnAnotherThread() throws {
        let isInside = DispatchSemaphore(value: 0), mayReturn = DispatchSemaphore(value: 0)
        let log = Log()
        let observer = center.addObserver(forName: .didSave, object: context) { _ in
            isInside.signal()
            mayReturn.wait()
            log.add("call ends")
        }
        let person = try context.person("dave0")
        try person.setValue("edited", forKey: "name")
        let saver = expectation(description: "saved")
        let saving = try XCTUnwrap(context)
        Thread {
            do { try saving.save() } catch { XCTFail("\(error)") }
            saver.fulfill()
        }.start()
        isInside.wait()
        let removed = expectation(description: "removed")
        let center = center
        Thread {
            center.removeObserver(observer)
            log.add("removed")
            removed.fulfill()
        }.start()
        mayReturn.signal()
        wait(for: [saver, removed], timeout: 120)
        XCTAssertEqual(log.entries, ["call ends", "removed"])
    }

    func test_NOT_13_anObserverMayRemoveItselfAndAddOthersInsideItsCall() throws {
        let log = Log()
        let center = center
        nonisolated(unsafe) var own: PinviewNotificationCenter.Observer?
        nonisolated(unsafe) var added: PinviewNotificationCenter.Observer?
        own = center.addObserver(forName: .didSave, object: context) { notification in
            log.add("first")
            if let own { center.removeObserver(own) }
            added = center.addObserver(forName: .didSave, object: notification.object) { _ in log.add("second") }
        }
        for number in 0..<2 {
            try context.person("dave\(number)").setValue("edited", forKey: "name")
            try context.save()
        }
        if let added { center.removeObserver(added) }
        XCTAssertEqual(log.entries, ["first", "second"])
    }

    func test_NOT_16_didSaveOfAPinnedContextCarriesAGenerationThatHoldsTheSave() throws {
        let view = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        let person = try context.person("dave0")
        var hasKey = false
        observers.append(
            center.addObserver(forName: .didSave, object: context) { notification in
                hasKey = notification.userInfo["NSManagedObjectContextQueryGenerationKey"] is QueryGenerationToken
                do { try view.setQueryGeneration(from: notification.queryGenerationToken) } catch { XCTFail("\(error)") }
            })
        try person.setValue("edited", forKey: "name")
        try context.save()
        XCTAssertTrue(hasKey)
        let other = try makeContext(coordinator)
        try other.person("dave1").setValue("too late", forKey: "name")
        try other.save()
        XCTAssertEqual(try view.names(), ["dave1", "dave2", "edited"])
    }

    func test_NOT_16_aTokenThatWasNotUsedExpiresAfterTheNotification() throws {
        try context.setQueryGeneration(from: .current)
        let person = try context.person("dave0")
        record(.didSave)
        try person.setValue("edited", forKey: "name")
        try context.save()
        let token = try XCTUnwrap(received.first?.queryGenerationToken)
        assertError(.generationExpired, try makeContext(coordinator).setQueryGeneration(from: token))
    }

    func test_NOT_16_theKeyIsAbsentForAnUnpinnedContext() throws {
        record(.didSave)
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(received.count, 1)
        XCTAssertNil(received.first?.userInfo["NSManagedObjectContextQueryGenerationKey"])
    }

    func test_NOT_17_aChildsSavePostsForTheChildAndForTheParent() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let log = Log()
        let parent = try XCTUnwrap(context)
        observers.append(
            center.addObserver(forName: nil, object: nil) { notification in
                let poster = notification.object === parent ? "parent" : "child"
                log.add("\(poster) \(notification.name == .willSave ? "will" : notification.name == .didSave ? "did" : "changed")")
            })
        try child.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try child.save()
        XCTAssertEqual(log.entries, ["child changed", "child will", "parent changed", "child did"])
    }

    func test_NOT_18_aKeyWhoseSetIsEmptyIsAbsent() throws {
        record(.didSave)
        record(.objectsDidChange)
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(received.map { $0.userInfo.keys.sorted() }, [["inserted"], ["inserted"]])
    }
}
