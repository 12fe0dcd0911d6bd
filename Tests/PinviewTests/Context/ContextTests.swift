import Pinview
import XCTest

/// The object space of a context: CTX-01 to CTX-21.
final class ContextTests: StackTestCase {
    func test_CTX_01_aNewContextHasTheDocumentedDefaults() {
        for type in [ManagedObjectContextConcurrencyType.privateQueue, .mainQueue] {
            let context = ManagedObjectContext(concurrencyType: type)
            XCTAssertNil(context.persistentStoreCoordinator)
            XCTAssertNil(context.parent)
            XCTAssertNil(context.name)
            XCTAssertTrue(context.userInfo.isEmpty)
            XCTAssertNil(context.queryGenerationToken)
            XCTAssertFalse(context.hasChanges)
            XCTAssertTrue(context.registeredObjects.isEmpty)
            XCTAssertTrue(context.insertedObjects.isEmpty)
            XCTAssertTrue(context.updatedObjects.isEmpty)
            XCTAssertTrue(context.deletedObjects.isEmpty)
            XCTAssertEqual(context.mergePolicy, .error)
            XCTAssertFalse(context.retainsRegisteredObjects)
            XCTAssertTrue(context.propagatesDeletesAtEndOfEvent)
            XCTAssertLessThan(context.stalenessInterval, 0)
            XCTAssertFalse(context.automaticallyMergesChangesFromParent)
            XCTAssertNil(context.transactionAuthor)
            XCTAssertTrue(context.shouldDeleteInaccessibleFaults)
            XCTAssertNotNil(context.undoManager)
            XCTAssertEqual(context.concurrencyType, type)
        }
    }

    func test_CTX_02_anIDHasOneInstanceInAContext() throws {
        let person = try context.person("dave0")
        XCTAssertTrue(try context.person("dave0") === person)
        XCTAssertTrue(try context.object(with: person.objectID) === person)
        XCTAssertTrue(try context.existingObject(with: person.objectID) === person)
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car0'")).first)
        XCTAssertTrue(try car.relatedObject(forKey: "owner") === person)
        XCTAssertTrue(try person.relatedObjects(forKey: "cars").first === car)
    }

    func test_CTX_03_twoContextsHaveTwoInstancesOfARow() throws {
        let mine = try context.person("dave0"), theirs = try other.person("dave0")
        XCTAssertFalse(mine === theirs)
        XCTAssertEqual(mine.objectID, theirs.objectID)
        XCTAssertEqual(mine.managedObjectContext, context)
        XCTAssertEqual(theirs.managedObjectContext, other)
    }

    func test_CTX_04_anObjectIsInsertedAndDeletedOnlyThroughItsOwnContext() throws {
        let theirs = try other.person("dave0")
        assertError(.wrongContext, try context.delete(theirs))
        assertError(.wrongContext, try context.insert(theirs))
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(other.hasChanges)
    }

    func test_CTX_04_objectsOfTwoContextsCannotBeRelated() throws {
        let person = try other.person("dave0")
        let car = try context.insertNewObject(forEntityName: "Car")
        assertError(.wrongContext, try car.setRelatedObject(person, forKey: "owner"))
        XCTAssertNil(try car.relatedObject(forKey: "owner"))
        assertError(.wrongContext, try person.addRelatedObject(car, forKey: "cars"))
        XCTAssertEqual(try person.countOfRelatedObjects(forKey: "cars"), 1)
    }

    func test_CTX_05_unsavedChangesAreSeenNowhereElse() throws {
        try context.person("dave0").setValue("renamed", forKey: "name")
        try context.delete(try context.person("dave1"))
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        let stored = ["dave0", "dave1", "dave2"]
        XCTAssertEqual(try other.names(), stored)
        XCTAssertEqual(try makeContextOfSecondStack().names(), stored)
        XCTAssertEqual(try sqlite3("SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZPERSON ORDER BY ZNAME)"), "dave0,dave1,dave2")
        try context.save()
        let saved = ["dave2", "new", "renamed"]
        XCTAssertEqual(try other.names(), saved)
        XCTAssertEqual(try makeContextOfSecondStack().names(), saved)
    }

    func test_CTX_06_anIDHasAURIFormThatLeadsBackToIt() throws {
        let objectID = try context.person("dave0").objectID
        let uri = objectID.uriRepresentation
        XCTAssertEqual(try coordinator.managedObjectID(forURIRepresentation: uri), objectID)
        let second = try makeContextOfSecondStack()
        let again = try XCTUnwrap(try second.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        XCTAssertEqual(try second.existingObject(with: again).string("name"), "dave0")
        XCTAssertEqual(Set(try context.fetchObjectIDs(FetchRequest(entityName: "Person"))).count, 3)
    }

    func test_CTX_07_aNewObjectsIDBecomesPermanentWithTheSave() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        XCTAssertTrue(person.objectID.isTemporaryID)
        try context.save()
        XCTAssertFalse(person.objectID.isTemporaryID)
    }

    func test_CTX_08_registeredObjectsAreThoseAlive() throws {
        let objectID = try other.person("dave1").objectID
        let fetched = try context.person("dave0")
        let byID = try context.object(with: objectID)
        let inserted = try context.insertNewObject(forEntityName: "Person")
        XCTAssertEqual(context.registeredObjects, [fetched, byID, inserted])
        XCTAssertTrue(byID.isFault)
        XCTAssertTrue(context.registeredObjects.allSatisfy { $0.managedObjectContext == context })
    }

    func test_CTX_09_rollbackLeavesNothingOfTheChanges() throws {
        try makeAllKindsOfChanges()
        try context.rollback()
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        try context.save()
        XCTAssertEqual(try other.names(), ["dave0", "dave1", "dave2"])
    }

    func test_CTX_09_resetLeavesNothingOfTheChanges() throws {
        try makeAllKindsOfChanges()
        try context.reset()
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        try context.save()
        XCTAssertEqual(try other.names(), ["dave0", "dave1", "dave2"])
    }

    func test_CTX_09_anInsertionTakenBackIsOutsideTheContext() throws {
        let rolledBack = try context.insertNewObject(forEntityName: "Person")
        let known = try context.insertNewObject(forEntityName: "Person")
        try context.obtainPermanentIDs(for: [known])
        try context.rollback()
        let deleted = try context.insertNewObject(forEntityName: "Person")
        try context.delete(deleted)
        for person in [rolledBack, known, deleted] { try person.setValue("edited", forKey: "name") }
        XCTAssertFalse(context.hasChanges)
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    private func makeAllKindsOfChanges() throws {
        try context.person("dave0").setValue("renamed", forKey: "name")
        try context.delete(try context.person("dave1"))
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
    }

    // MARK: Changes

    func test_CTX_10_hasChangesTellsOfUncommittedChangesOnly() throws {
        XCTAssertFalse(context.hasChanges)
        let changes: [(String, () throws -> Void)] = [
            ("insert", { _ = try self.context.insertNewObject(forEntityName: "Car") }),
            ("update", { try self.context.person("dave0").setValue(77, forKey: "age") }),
            ("delete", { try self.context.delete(try self.context.person("dave1")) }),
        ]
        let endings: [(String, () throws -> Void)] = [
            ("undo", { try self.context.undo() }), ("rollback", { try self.context.rollback() }), ("reset", { try self.context.reset() }),
            ("save", { try self.context.save() }),
        ]
        for (ending, end) in endings {
            for (change, make) in changes {
                try make()
                XCTAssertTrue(context.hasChanges, change)
                try end()
                XCTAssertFalse(context.hasChanges, "\(change), \(ending)")
            }
        }
    }

    func test_CTX_10_settingAPropertyBackLeavesNoChange() throws {
        let person = try context.person("dave0")
        try person.setValue("renamed", forKey: "name")
        try person.setValue("dave0", forKey: "name")
        XCTAssertFalse(context.hasChanges)
    }

    func test_CTX_11_insertedObjectsHoldsWhatIsNotSavedYet() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        XCTAssertEqual(context.insertedObjects, [person])
        XCTAssertTrue(person.isInserted)
        try context.save()
        XCTAssertTrue(context.insertedObjects.isEmpty)
        XCTAssertFalse(person.isInserted)
    }

    func test_CTX_12_updatedObjectsHoldsEditedStoredObjectsOnly() throws {
        let stored = try context.person("dave0")
        let inserted = try context.insertNewObject(forEntityName: "Person")
        try stored.setValue(77, forKey: "age")
        try inserted.setValue(78, forKey: "age")
        XCTAssertEqual(context.updatedObjects, [stored])
        XCTAssertEqual(context.insertedObjects, [inserted])
    }

    func test_CTX_12_anEditedObjectThatIsDeletedIsInDeletedObjectsOnly() throws {
        let person = try context.person("dave0")
        try person.setValue(77, forKey: "age")
        try context.delete(person)
        XCTAssertEqual(context.deletedObjects, [person])
        XCTAssertFalse(context.updatedObjects.contains(person))
    }

    func test_CTX_13_deletedObjectsHoldsWhatTheNextSaveRemoves() throws {
        let person = try context.person("dave0")
        try context.delete(person)
        XCTAssertEqual(context.deletedObjects, [person])
        XCTAssertTrue(person.isDeleted)
        try context.save()
        XCTAssertTrue(context.deletedObjects.isEmpty)
        XCTAssertEqual(try other.names(), ["dave1", "dave2"])
    }

    func test_CTX_13_anObjectInsertedAndDeletedWithoutASaveIsInNoSet() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.delete(person)
        XCTAssertTrue(context.insertedObjects.isEmpty)
        XCTAssertTrue(context.updatedObjects.isEmpty)
        XCTAssertTrue(context.deletedObjects.isEmpty)
        XCTAssertFalse(context.hasChanges)
    }

    // MARK: Reset

    func test_CTX_14_resetReturnsToTheStateAfterSetUp() throws {
        context.name = "worker"
        context.mergePolicy = .overwrite
        context.stalenessInterval = 5
        context.transactionAuthor = "author"
        context.userInfo = ["key": 1]
        try makeAllKindsOfChanges()
        try context.processPendingChanges()
        try context.undo()
        try makeAllKindsOfChanges()
        let manager = try XCTUnwrap(context.undoManager)
        try context.reset()
        XCTAssertTrue(context.registeredObjects.isEmpty)
        XCTAssertTrue(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(manager.canUndo)
        XCTAssertFalse(manager.canRedo)
        XCTAssertTrue(context.undoManager === manager)
        XCTAssertTrue(context.persistentStoreCoordinator === coordinator)
        XCTAssertEqual(context.name, "worker")
        XCTAssertEqual(context.mergePolicy, .overwrite)
        XCTAssertEqual(context.stalenessInterval, 5)
        XCTAssertEqual(context.transactionAuthor, "author")
        XCTAssertEqual(context.userInfo["key"] as? Int, 1)
    }

    func test_CTX_15_handlesFromBeforeAResetAreInvalid() throws {
        let person = try context.person("dave0")
        let objectID = person.objectID
        _ = try person.string("name")
        try context.reset()
        assertError(.objectInvalidated, try person.attributeValue(forKey: "name"))
        assertError(.objectInvalidated, try person.setAttributeValue("x", forKey: "name"))
        assertError(.objectInvalidated, try person.relatedObjects(forKey: "cars"))
        assertError(.objectInvalidated, try person.setRelatedObjects([], forKey: "cars"))
        assertError(.objectInvalidated, try context.delete(person))
        XCTAssertEqual(person.objectID, objectID)
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try context.existingObject(with: objectID).string("name"), "dave0")
    }

    // MARK: Coordinator and life

    func test_CTX_16_contextsOfACoordinatorKeepTheirOwnObjectsAndSettings() throws {
        context.name = "first"
        context.stalenessInterval = 3
        let person = try context.person("dave0")
        XCTAssertNil(other.name)
        XCTAssertLessThan(other.stalenessInterval, 0)
        XCTAssertNil(try other.registeredObject(for: person.objectID))
        XCTAssertTrue(other.registeredObjects.isEmpty)
        XCTAssertTrue(other.persistentStoreCoordinator === coordinator)
    }

    func test_CTX_17_theCoordinatorCannotBeTakenAway() throws {
        assertError(.coordinatorNil, try context.setPersistentStoreCoordinator(nil))
        XCTAssertTrue(context.persistentStoreCoordinator === coordinator)
        XCTAssertEqual(try context.names().count, 3)
    }

    func test_CTX_18_aReleasedContextDropsItsChangesAndItsPin() throws {
        try context.setQueryGeneration(from: .current)
        let person = try context.person("dave0")
        try person.setValue("renamed", forKey: "name")
        let token = try XCTUnwrap(context.queryGenerationToken)
        weak var gone = context
        context = nil
        XCTAssertNil(gone)
        XCTAssertNil(person.managedObjectContext)
        assertError(.contextGone, try person.attributeValue(forKey: "name"))
        try changeElsewhere("dave1", "age", 50)
        assertError(.generationExpired, try other.setQueryGeneration(from: token))
        XCTAssertEqual(try other.names(), ["dave0", "dave1", "dave2"])
    }

    func test_CTX_19_withoutACoordinatorNothingCanBeReadOrSaved() throws {
        let lonely = ManagedObjectContext(concurrencyType: .privateQueue)
        assertError(.noCoordinator, try lonely.fetch(FetchRequest(entityName: "Person")))
        assertError(.noCoordinator, try lonely.count(for: FetchRequest(entityName: "Person")))
        assertError(.noCoordinator, try lonely.setQueryGeneration(from: .current))
        assertError(.noCoordinator, try lonely.insertNewObject(forEntityName: "Person"))
        XCTAssertNoThrow(try lonely.save(), "there is nothing to save")
    }

    func test_CTX_20_aSetterIsAllThatIsNeededToTrackAChange() throws {
        let person = try context.person("dave0"), car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car1'")).first)
        try person.setValue(77, forKey: "age")
        XCTAssertEqual(context.updatedObjects, [person])
        try car.setRelatedObject(nil, forKey: "owner")
        XCTAssertTrue(context.updatedObjects.contains(car))
        XCTAssertEqual(try person.changedValues().keys.sorted(), ["age"])
    }

    func test_CTX_21_nameAndUserInfoHaveNoEffectOnTheData() throws {
        context.name = "importer"
        context.userInfo = ["answer": 42]
        XCTAssertEqual(context.name, "importer")
        XCTAssertEqual(context.userInfo["answer"] as? Int, 42)
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try context.names(), try other.names())
    }
}
