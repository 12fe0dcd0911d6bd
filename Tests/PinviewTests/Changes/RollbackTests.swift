import Pinview
import XCTest

/// Rollback, reset and saves beside the undo stacks: UND-12 to UND-18.
final class RollbackTests: StackTestCase {
    /// Each kind of change, as three events.
    private func makeChanges() throws -> (inserted: ManagedObject, updated: ManagedObject, deleted: ManagedObject) {
        let updated = try context.person("dave0"), deleted = try context.person("dave1")
        let inserted = try context.performAndWait { try context.insertNewObject(forEntityName: "Person") }
        try context.performAndWait { try updated.setValue("renamed", forKey: "name") }
        try context.performAndWait { try context.delete(deleted) }
        return (inserted, updated, deleted)
    }

    func test_UND_12_rollbackEmptiesTheStacksAndTakesAllChangesBack() throws {
        let manager = try XCTUnwrap(context.undoManager)
        let (inserted, updated, deleted) = try makeChanges()
        try context.undo()
        try context.rollback()
        XCTAssertFalse(manager.canUndo)
        XCTAssertFalse(manager.canRedo)
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(context.registeredObjects.contains(inserted))
        XCTAssertFalse(deleted.isDeleted)
        XCTAssertEqual(try deleted.string("name"), "dave1")
        XCTAssertEqual(try updated.string("name"), "dave0")
        XCTAssertEqual(try deleted.countOfRelatedObjects(forKey: "cars"), 1)
    }

    func test_UND_13_rollbackGivesCommittedValuesWithoutReading() throws {
        let (_, updated, deleted) = try makeChanges()
        let car = try XCTUnwrap(try updated.relatedObjects(forKey: "cars").first)
        try updated.removeRelatedObject(car, forKey: "cars")
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'elsewhere'")
        let log = try logged {
            try context.rollback()
            XCTAssertEqual(try updated.string("name"), "dave0")
            XCTAssertEqual(try updated.relatedObjects(forKey: "cars"), [car])
            XCTAssertEqual(try car.relatedObject(forKey: "owner"), updated)
            XCTAssertEqual(try deleted.string("name"), "dave1")
        }
        XCTAssertEqual(log, [])
    }

    func test_UND_13_theLastCommittedValuesAreThoseOfTheLastSave() throws {
        let person = try context.person("dave0")
        try person.setValue("saved", forKey: "name")
        try context.save()
        try person.setValue("renamed", forKey: "name")
        try context.rollback()
        XCTAssertEqual(try person.string("name"), "saved")
    }

    func test_UND_14_rollbackWorksWithoutAnUndoManager() throws {
        context.undoManager = nil
        let (inserted, updated, deleted) = try makeChanges()
        try context.rollback()
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(context.registeredObjects.contains(inserted))
        XCTAssertFalse(deleted.isDeleted)
        XCTAssertEqual(try updated.string("name"), "dave0")
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_UND_15_resetEmptiesTheStacks() throws {
        let manager = try XCTUnwrap(context.undoManager)
        _ = try makeChanges()
        try context.undo()
        try context.reset()
        XCTAssertFalse(manager.canUndo)
        XCTAssertFalse(manager.canRedo)
        try context.undo()
        XCTAssertFalse(context.hasChanges)
    }

    func test_UND_16_afterUndoingEverythingASaveWritesNothing() throws {
        _ = try makeChanges()
        for _ in 0..<3 { try context.undo() }
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try logged { try context.save() }, [])
    }

    func test_UND_17_undoAfterASaveTurnsASavedEditBack() throws {
        let person = try context.person("dave0")
        try person.setValue("renamed", forKey: "name")
        try context.save()
        try context.undo()
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertEqual(context.updatedObjects, [person])
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_UND_17_undoAfterASaveTurnsASavedInsertionBack() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        try context.save()
        try context.undo()
        XCTAssertEqual(context.deletedObjects, [person])
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_UND_17_undoAfterASaveTurnsASavedDeletionBack() throws {
        let person = try context.person("dave0"), car = try XCTUnwrap(try person.relatedObjects(forKey: "cars").first)
        try context.delete(person)
        try context.save()
        try context.undo()
        XCTAssertEqual(context.insertedObjects, [person])
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car])
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), person)
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
        let reader = try makeContext(coordinator)
        XCTAssertEqual(try reader.person("dave0").relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car0"])
        XCTAssertEqual(try reader.person("dave0").integer("age"), 20)
    }

    func test_UND_17_anUndoneSavedChangeCanBeRedone() throws {
        let person = try context.person("dave0")
        try person.setValue("renamed", forKey: "name")
        try context.save()
        try context.undo()
        try context.redo()
        XCTAssertEqual(try person.string("name"), "renamed")
        XCTAssertFalse(context.hasChanges)
    }

    func test_UND_18_undoAndRedoAnnounceWhatTheyAlter() throws {
        let person = try context.person("dave0")
        let manager = try XCTUnwrap(context.undoManager)
        try context.performAndWait { try person.setValue("renamed", forKey: "name") }
        var announced: [Set<ManagedObject>] = []
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) {
            announced.append($0.updatedObjects)
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try manager.undo()
        XCTAssertEqual(try person.string("name"), "dave0")
        try context.redo()
        XCTAssertEqual(try person.string("name"), "renamed")
        try context.undo()
        try manager.redo()
        XCTAssertEqual(try person.string("name"), "renamed")
        XCTAssertEqual(announced, Array(repeating: [person], count: 4))
    }

    func test_UND_12_rollbackTakesACascadeOfRelationshipChangesBack() throws {
        let first = try context.person("dave0"), second = try context.person("dave1")
        let car = try XCTUnwrap(try first.relatedObjects(forKey: "cars").first)
        let new = try context.insertNewObject(forEntityName: "Car")
        try new.setRelatedObject(second, forKey: "owner")
        try car.setRelatedObject(second, forKey: "owner")
        try context.delete(second)
        try context.processPendingChanges()
        XCTAssertNil(try car.relatedObject(forKey: "owner"))
        try context.rollback()
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), first)
        XCTAssertEqual(try first.relatedObjects(forKey: "cars"), [car])
        XCTAssertEqual(try second.relatedObjects(forKey: "cars").map { try $0.string("name") }, ["car1"])
    }

    func test_UND_12_anInsertionWithAPermanentIDThatWasRolledBackCanBeInsertedAgain() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        try context.obtainPermanentIDs(for: [person])
        try context.rollback()
        try context.insert(person)
        XCTAssertEqual(context.insertedObjects, [person])
        try context.save()
        XCTAssertTrue(try storedNames().contains("new"))
    }

    func test_UND_12_thereIsNothingToDeleteOfAnInsertionThatWasTakenBack() throws {
        let parent = try XCTUnwrap(context), child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        for (context, getsPermanentID) in [(parent, false), (parent, true), (child, false)] {
            for takesBack in [{ try $0.rollback() }, { try $0.undo() }] as [(ManagedObjectContext) throws -> Void] {
                let person = try context.performAndWait { try context.insertNewObject(forEntityName: "Person") }
                if getsPermanentID { try context.obtainPermanentIDs(for: [person]) }
                try takesBack(context)
                try context.delete(person)
                XCTAssertEqual(context.deletedObjects, [])
                XCTAssertFalse(context.hasChanges)
                try context.save()
            }
        }
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_API_22_insertingAnObjectWhoseDeletionWasSavedMakesItNew() throws {
        let person = try context.person("dave0")
        let objectID = person.objectID
        try context.delete(person)
        try context.insert(person)
        XCTAssertTrue(person.isDeleted, "it is in the context, so it stays as it is")
        try context.save()
        try context.insert(person)
        XCTAssertEqual(context.insertedObjects, [person])
        try context.save()
        XCTAssertNotEqual(person.objectID, objectID)
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_UND_17_aDeletionTurnedBackAfterItsSaveCanBeRedoneAndSaved() throws {
        let person = try context.person("dave0")
        try context.performAndWait { try context.delete(person) }
        try context.save()
        try context.undo()
        try context.save()
        XCTAssertEqual(try storedNames().count, 3)
        try context.redo()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave1", "dave2"])
        try context.undo()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZOWNER IS NULL"), "0")
    }

    func test_UND_17_anInsertionTurnedBackAfterItsSaveCanBeRedoneAndSaved() throws {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(person, forKey: "owner")
        try context.save()
        try context.undo()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
        try context.redo()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2", "new"])
        XCTAssertEqual(try sqlite3("SELECT p.ZNAME FROM ZCAR c JOIN ZPERSON p ON c.ZOWNER = p.Z_PK WHERE c.ZNAME IS NULL"), "new")
    }

    func test_UND_16_undoOfAnEditThatASaveFailedToWrite() throws {
        let person = try context.person("dave0")
        try person.setValue("mine", forKey: "name")
        try changeElsewhere("dave0", "name", "theirs")
        assertError(.managedObjectMerge, try context.save())
        try context.undo()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try person.string("name"), "dave0")
    }
}
