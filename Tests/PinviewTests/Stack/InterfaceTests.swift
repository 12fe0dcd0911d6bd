import Pinview
import XCTest

/// Every member of the class reference exists and works: the API rows. The tests of each section
/// cover the details; members that need no more than a line are tested here.
final class InterfaceTests: StackTestCase {
    private var people: FetchRequest {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        return request
    }

    // API-01, API-03
    func test_API_01_API_03_aContextHasTheTypeAndTheParentItWasGiven() throws {
        for type in [ManagedObjectContextConcurrencyType.privateQueue, .mainQueue] {
            XCTAssertEqual(ManagedObjectContext(concurrencyType: type).concurrencyType, type)
        }
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        XCTAssertNil(child.parent)
        try child.setParent(context)
        XCTAssertTrue(child.parent === context)
        XCTAssertTrue(child.persistentStoreCoordinator === coordinator)
    }

    // API-07, API-08, API-13, API-15
    func test_API_07_API_08_API_13_API_15_aRequestGivesObjectsIDsOrACount() throws {
        let objects = try context.fetch(people)
        XCTAssertEqual(try objects.map { try $0.string("name") }, ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try context.fetchObjectIDs(people), objects.map(\.objectID))
        XCTAssertEqual(try context.count(for: people), 3)
    }

    // API-09, API-10, API-11, API-12
    func test_API_09_API_10_API_11_API_12_objectsAreFoundByTheirIDs() throws {
        let objectID = try other.person("dave0").objectID
        XCTAssertNil(try context.registeredObject(for: objectID))
        let fault = try context.object(with: objectID)
        XCTAssertTrue(fault.isFault)
        XCTAssertTrue(try context.registeredObject(for: objectID) === fault)
        XCTAssertTrue(try context.existingObject(with: objectID) === fault)
        XCTAssertFalse(fault.isFault)
        XCTAssertEqual(context.registeredObjects, [fault])
    }

    func test_API_14_executeGivesWhatTheRequestIsFor() throws {
        var request = people
        guard case .objects(let objects) = try context.execute(request) else { return XCTFail("no objects") }
        request.resultType = .managedObjectID
        guard case .objectIDs(let objectIDs) = try context.execute(request) else { return XCTFail("no IDs") }
        XCTAssertEqual(objectIDs, objects.map(\.objectID))
        request.resultType = .count
        guard case .count(3) = try context.execute(request) else { return XCTFail("no count") }
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": .integer(1)]
        update.resultType = .updatedObjectsCount
        guard case .count(3) = try context.execute(update) else { return XCTFail("no count of rows") }
    }

    // API-16, API-27
    func test_API_16_API_27_refreshBringsTheStoresValues() throws {
        let person = try context.person("dave0"), second = try context.person("dave1")
        XCTAssertEqual([try person.integer("age"), try second.integer("age")], [20, 21])
        try changeElsewhere("dave0", "age", 70)
        try changeElsewhere("dave1", "age", 71)
        try context.refresh(person, mergeChanges: true)
        XCTAssertEqual([try person.integer("age"), try second.integer("age")], [70, 21])
        try context.refreshAllObjects()
        XCTAssertEqual([try person.integer("age"), try second.integer("age")], [70, 71])
    }

    // API-19, API-20, API-21, API-23, API-48
    func test_API_19_API_20_API_21_API_23_API_48_theSetsShowWhatASaveWillWrite() throws {
        XCTAssertFalse(context.hasChanges)
        let inserted = try context.insertNewObject(forEntityName: "Person")
        let updated = try context.person("dave0"), deleted = try context.person("dave1")
        try updated.setValue(1, forKey: "age")
        try context.delete(deleted)
        XCTAssertEqual([context.insertedObjects, context.updatedObjects, context.deletedObjects], [[inserted], [updated], [deleted]])
        XCTAssertTrue(context.hasChanges)
    }

    // API-24, API-66
    func test_API_24_API_66_aNewObjectIsSavedInTheStoreItIsAssignedTo() throws {
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.assign(person, to: second)
        try context.save()
        XCTAssertEqual(person.objectID.storeIdentifier, second.identifier)
        XCTAssertEqual(coordinator.persistentStores.count, 2)
        try coordinator.remove(second)
        XCTAssertEqual(try context.count(for: people), 3)
    }

    func test_API_25_objectsGetTheirPermanentIDsBeforeTheSave() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.obtainPermanentIDs(for: [person])
        let objectID = person.objectID
        XCTAssertFalse(objectID.isTemporaryID)
        try context.save()
        XCTAssertEqual(person.objectID, objectID)
    }

    func test_API_26_aMarkedObjectIsCheckedByTheSave() throws {
        let person = try context.person("dave0")
        XCTAssertNotNil(try person.string("name"))
        try context.detectConflicts(for: person)
        try changeElsewhere("dave0", "age", 70)
        try context.person("dave1").setValue(1, forKey: "age")
        assertError(.managedObjectMerge, try context.save())
    }

    // API-28, API-38
    func test_API_28_API_38_processPendingChangesPostsObjectsDidChange() throws {
        let names = try notified { try $0.processPendingChanges() }
        XCTAssertEqual(names, [.objectsDidChange])
    }

    // API-39, API-40, API-47
    func test_API_39_API_40_API_47_aSavePostsWillSaveAndDidSave() throws {
        let names = try notified { try $0.save() }
        XCTAssertEqual(names, [.objectsDidChange, .willSave, .didSave])
    }

    /// The notifications after an insertion.
    private func notified(_ step: (ManagedObjectContext) throws -> Void) throws -> [PinviewNotification.Name] {
        let context = try XCTUnwrap(context)
        nonisolated(unsafe) var names: [PinviewNotification.Name] = []
        let observer = PinviewNotificationCenter.default.addObserver(forName: nil, object: context) { names.append($0.name) }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try context.performAndWait {
            _ = try context.insertNewObject(forEntityName: "Person")
            try step(context)
        }
        return names
    }

    // API-41, API-45
    func test_API_41_toAPI_45_theKeysHaveTheirDocumentedTexts() {
        // API-41, API-42, API-43, API-44, API-45
        XCTAssertEqual(
            [
                PinviewNotification.insertedObjectsKey, PinviewNotification.updatedObjectsKey, PinviewNotification.deletedObjectsKey,
                PinviewNotification.refreshedObjectsKey, PinviewNotification.invalidatedObjectsKey,
            ], ["inserted", "updated", "deleted", "refreshed", "invalidated"])
    }

    // API-41, API-42, API-43, API-44
    func test_API_41_API_42_API_43_API_44_aNotificationHasItsObjectsUnderTheKeys() throws {
        let context = try XCTUnwrap(context)
        let updated = try context.person("dave0"), deleted = try context.person("dave1"), refreshed = try context.person("dave2")
        nonisolated(unsafe) var info: [String: Any] = [:]
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) { info = $0.userInfo }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        let inserted = try context.performAndWait {
            try updated.setValue(1, forKey: "age")
            try context.delete(deleted)
            try context.refresh(refreshed, mergeChanges: true)
            return try context.insertNewObject(forEntityName: "Person")
        }
        let expected = [
            PinviewNotification.insertedObjectsKey: Set([inserted]), PinviewNotification.deletedObjectsKey: [deleted],
            PinviewNotification.refreshedObjectsKey: [refreshed],
        ]
        for (key, objects) in expected { XCTAssertEqual(info[key] as? Set<ManagedObject>, objects, key) }
        XCTAssertTrue((info[PinviewNotification.updatedObjectsKey] as? Set<ManagedObject>)?.contains(updated) == true)
    }

    func test_API_45_objectsOfARemovedStoreAreInvalidated() throws {
        let context = try XCTUnwrap(context)
        let person = try context.person("dave0")
        nonisolated(unsafe) var invalidated: Set<ManagedObject> = []
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) {
            invalidated.formUnion($0.invalidatedObjects)
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try coordinator.remove(try XCTUnwrap(coordinator.persistentStores.first))
        XCTAssertEqual(invalidated, [person])
    }

    // API-31, API-35
    func test_API_31_API_35_theGenerationCanBeSetAndRead() throws {
        XCTAssertNil(context.queryGenerationToken)
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: people)
        let token = try XCTUnwrap(context.queryGenerationToken)
        try other.setQueryGeneration(from: token)
        XCTAssertEqual(other.queryGenerationToken, token)
        try context.setQueryGeneration(from: nil)
        XCTAssertNil(context.queryGenerationToken)
    }

    func test_API_34_aDidSaveNotificationIsMerged() throws {
        let context = try XCTUnwrap(context)
        let person = try context.person("dave0")
        XCTAssertEqual(try person.integer("age"), 20)
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: other) {
            do { try context.mergeChanges(fromContextDidSave: $0) } catch { XCTFail("\(error)") }
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try changeElsewhere("dave0", "age", 70)
        XCTAssertEqual(try person.integer("age"), 70)
    }

    // API-50, API-51, API-53
    func test_API_50_API_51_API_53_changesAreTakenBack() throws {
        let person = try context.person("dave0")
        try person.setValue(1, forKey: "age")
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 20)
        try context.redo()
        XCTAssertEqual(try person.integer("age"), 1)
        try context.rollback()
        XCTAssertEqual(try person.integer("age"), 20)
    }

    func test_API_52_resetForgetsAllObjects() throws {
        let person = try context.person("dave0")
        try context.reset()
        XCTAssertTrue(context.registeredObjects.isEmpty)
        assertError(.objectInvalidated, try person.string("name"))
    }

    // API-59, API-60
    func test_API_59_API_60_anErrorNamesStoresAndDetails() throws {
        let store = try XCTUnwrap(coordinator.persistentStores.first)
        let person = try context.person("dave0")
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: people)
        let token = try XCTUnwrap(context.queryGenerationToken)
        try coordinator.remove(store)
        let error = assertError(.persistentStoreOperation, try other.setQueryGeneration(from: token))
        XCTAssertEqual(error?.affectedStores, [store.identifier])
        XCTAssertEqual(PinviewError.NSDetailedErrorsKey, "NSDetailedErrorsKey")
        XCTAssertEqual(PinviewError.NSAffectedStoresErrorKey, "NSAffectedStoresErrorKey")
        withExtendedLifetime(person) {}
    }

    // API-29, API-68
    func test_API_29_API_68_nothingInterceptsTheContextsChangeTracking() throws {
        // Absent on purpose: the class is final, and a setter notifies its context itself (CTX-20).
        let person = try context.person("dave0")
        try person.setValue(1, forKey: "age")
        XCTAssertEqual(context.updatedObjects, [person])
    }
}
