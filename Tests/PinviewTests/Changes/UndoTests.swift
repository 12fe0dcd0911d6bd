import Foundation
import Pinview
import XCTest

/// Undo and redo: UND-01 to UND-11; for UND-12 to UND-18 see RollbackTests.
final class UndoTests: StackTestCase {
    private var manager: UndoManager!

    override func setUpWithError() throws {
        try super.setUpWithError()
        manager = try XCTUnwrap(context.undoManager)
    }

    override func tearDownWithError() throws {
        manager = nil
        try super.tearDownWithError()
    }

    /// One event: what `body` changes becomes one group.
    private func event(_ body: () throws -> Void) throws {
        try context.performAndWait(body)
    }

    func test_UND_01_everyContextHasAnUndoManager() {
        XCTAssertNotNil(ManagedObjectContext(concurrencyType: .privateQueue).undoManager)
        XCTAssertNotNil(ManagedObjectContext(concurrencyType: .mainQueue).undoManager)
    }

    func test_UND_02_undoGivesAnAttributeItsEarlierValue() throws {
        let person = try context.person("dave0")
        try event { try person.setValue("renamed", forKey: "name") }
        try context.undo()
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertFalse(person.isUpdated)
    }

    func test_UND_04_undoOfADeletionWhoseRowHasGoneMeanwhileGivesAFault() throws {
        let person = try context.person("dave0")
        try context.refresh(person, mergeChanges: false)
        try other.delete(try other.person("dave0"))
        try other.save()
        try event { try context.delete(person) }
        XCTAssertEqual(try person.attributeValue(forKey: "name"), .null)

        try context.undo()

        // The test case checks the context's invariants. The next access finds the row gone again.
        XCTAssertEqual(try person.attributeValue(forKey: "name"), .null)
        XCTAssertTrue(person.isDeleted)
    }

    func test_UND_04_undoOfADeletionWhoseRowHadGoneWhenItWasSavedGivesANewObject() throws {
        // Both contexts take the person's car out.
        context.mergePolicy = .overwrite
        let person = try context.person("dave0")
        try event { try context.delete(person) }
        try context.refresh(person, mergeChanges: false)
        try deleteElsewhere("dave0")
        XCTAssertEqual(try person.attributeValue(forKey: "name"), .null)
        try context.save()

        try context.undo()

        XCTAssertTrue(person.isInserted)
        try person.setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave1", "dave2", "new"])
    }

    func test_UND_03_undoOfAnInsertionTakesTheObjectOut() throws {
        var person: ManagedObject!
        try event {
            person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("new", forKey: "name")
        }
        try context.undo()
        XCTAssertTrue(context.insertedObjects.isEmpty)
        XCTAssertFalse(context.registeredObjects.contains(person))
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        try context.redo()
        XCTAssertEqual(context.insertedObjects, [person])
        XCTAssertEqual(try person.string("name"), "new")
    }

    func test_UND_03_undoOfADeletionMakesTheObjectUsableAgain() throws {
        let person = try context.person("dave0"), car = try XCTUnwrap(try person.relatedObjects(forKey: "cars").first)
        try event { try context.delete(person) }
        XCTAssertNil(try car.relatedObject(forKey: "owner"))
        try context.undo()
        XCTAssertTrue(context.deletedObjects.isEmpty)
        XCTAssertFalse(person.isDeleted)
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertEqual(try person.relatedObjects(forKey: "cars"), [car])
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), person)
        XCTAssertFalse(context.hasChanges)
        try person.setValue(77, forKey: "age")
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
    }

    func test_UND_03_aDeletionUndoneAndRedoneIsSaved() throws {
        let person = try context.person("dave0")
        try event { try context.delete(person) }
        try context.undo()
        try context.redo()
        XCTAssertEqual(context.deletedObjects, [person])
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave1", "dave2"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZOWNER IS NULL"), "1")
    }

    func test_UND_04_undoOfARelationshipChangeRestoresBothSides() throws {
        let first = try context.person("dave0"), second = try context.person("dave1")
        let car = try XCTUnwrap(try first.relatedObjects(forKey: "cars").first)
        try event { try second.addRelatedObject(car, forKey: "cars") }
        try context.undo()
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), first)
        XCTAssertEqual(try first.relatedObjects(forKey: "cars"), [car])
        XCTAssertFalse(try second.containsRelatedObject(car, forKey: "cars"))
        XCTAssertFalse(context.hasChanges)
        try context.redo()
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), second)
        XCTAssertEqual(try first.relatedObjects(forKey: "cars"), [])
    }

    func test_UND_05_groupsAreUndoneInReverseOrderOneEachCall() throws {
        let person = try context.person("dave0")
        for age in 31...33 { try event { try person.setValue(age, forKey: "age") } }
        for age in [32, 31, 20] {
            try context.undo()
            XCTAssertEqual(try person.integer("age"), Int64(age))
        }
        for age in [31, 32, 33] {
            try context.redo()
            XCTAssertEqual(try person.integer("age"), Int64(age))
        }
    }

    func test_UND_06_aThousandGroupsCanBeUndoneAndRedone() throws {
        let person = try context.person("dave0")
        XCTAssertEqual(manager.levelsOfUndo, 0)
        for age in 1...1000 { try event { try person.setValue(age + 1000, forKey: "age") } }
        for _ in 1...1000 { try context.undo() }
        XCTAssertEqual(try person.integer("age"), 20)
        XCTAssertFalse(manager.canUndo)
        for _ in 1...1000 { try context.redo() }
        XCTAssertEqual(try person.integer("age"), 2000)
    }

    func test_UND_06_aLimitDropsTheOldestGroups() throws {
        let person = try context.person("dave0")
        manager.levelsOfUndo = 2
        for age in 31...34 { try event { try person.setValue(age, forKey: "age") } }
        for _ in 0..<4 { try context.undo() }
        XCTAssertEqual(try person.integer("age"), 32)
    }

    func test_UND_07_aNewChangeEmptiesTheRedoStack() throws {
        let person = try context.person("dave0")
        try event { try person.setValue(31, forKey: "age") }
        try context.undo()
        XCTAssertTrue(manager.canRedo)
        try event { try person.setValue(32, forKey: "age") }
        XCTAssertFalse(manager.canRedo)
        try context.redo()
        XCTAssertEqual(try person.integer("age"), 32)
    }

    func test_UND_07_withNothingToTakeBackNothingHappens() throws {
        XCTAssertNoThrow(try context.undo())
        XCTAssertNoThrow(try context.redo())
        XCTAssertNoThrow(try manager.undo())
        XCTAssertFalse(context.hasChanges)
    }

    func test_UND_08_removeAllActionsEmptiesBothStacks() throws {
        let person = try context.person("dave0")
        for age in 31...32 { try event { try person.setValue(age, forKey: "age") } }
        try context.undo()
        manager.removeAllActions()
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 31)
        try context.redo()
        XCTAssertEqual(try person.integer("age"), 31)
    }

    func test_UND_09_withoutAManagerNothingIsRecorded() throws {
        let person = try context.person("dave0")
        context.undoManager = nil
        try event { try person.setValue(31, forKey: "age") }
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 31)
        try context.redo()
        try context.rollback()
        XCTAssertEqual(try person.integer("age"), 20)
        try event { try person.setValue(32, forKey: "age") }
        try context.save()
        context.undoManager = UndoManager()
        try event { try person.setValue(33, forKey: "age") }
        try context.undo()
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 32)
    }

    func test_UND_10_theChangesOfAnEventAreOneGroup() throws {
        let people = try (0..<2).map { try context.person("dave\($0)") }
        try event { for person in people { try person.setValue(50, forKey: "age") } }
        try context.undo()
        XCTAssertEqual(try people.map { try $0.integer("age") }, [20, 21])
    }

    func test_UND_10_explicitGroupsInsideAnEventAreUndoneByThemselves() throws {
        let person = try context.person("dave0")
        try event {
            for age in 31...32 {
                manager.beginUndoGrouping()
                try person.setValue(age, forKey: "age")
                manager.endUndoGrouping()
            }
        }
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 31)
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 20)
    }

    // ONE-06
    func test_ONE_06_aGroupIsOneWhateverHappensBeforeItsEnd() throws {
        let whatHappens: [(String, () throws -> Void)] = [
            ("processPendingChanges", { try self.context.processPendingChanges() }),
            ("a save", { try self.context.save() }),
            ("the end of a block", { try self.context.performAndWait {} }),
            ("a later block", { self.performLater {} }),
            ("a fetch", { _ = try self.context.names() }),
            ("a merge", { try self.mergeOtherSave() }),
        ]
        for (name, happens) in whatHappens {
            let person = try context.person("dave0")
            manager.beginUndoGrouping()
            try person.setValue(31, forKey: "age")
            try happens()
            try person.setValue(32, forKey: "age")
            try happens()
            manager.endUndoGrouping()
            try event { try person.setValue(33, forKey: "age") }
            try context.undo()
            XCTAssertEqual(try person.integer("age"), 32, name)
            try context.undo()
            XCTAssertEqual(try person.integer("age"), 20, name)
            try context.redo()
            XCTAssertEqual(try person.integer("age"), 32, name)
            try context.undo()
            try context.save()
            manager.removeAllActions()
        }
    }

    private func performLater(_ block: @escaping @Sendable () -> Void) {
        do {
            try context.perform(block)
            try context.performAndWait {}
        } catch { XCTFail("\(error)") }
    }

    private func mergeOtherSave() throws {
        let merged = try XCTUnwrap(context)
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: other) {
            do { try merged.mergeChanges(fromContextDidSave: $0) } catch { XCTFail("\(error)") }
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        let other = try other.person("dave1")
        try other.setValue(try XCTUnwrap(other.integer("age")) + 1, forKey: "age")
        try other.managedObjectContext?.save()
    }

    // ONE-06
    func test_ONE_06_aGroupBegunInABlockIsEndedInAnother() throws {
        let person = try context.person("dave0")
        try event {
            try person.setValue(31, forKey: "age")
            manager.beginUndoGrouping()
            try person.setValue(32, forKey: "age")
        }
        XCTAssertEqual(manager.groupingLevel, 2)
        try event {
            try person.setValue(33, forKey: "age")
            manager.endUndoGrouping()
            try person.setValue(34, forKey: "age")
        }
        XCTAssertEqual(manager.groupingLevel, 0)
        for age in [33, 31, 20, 20] {
            try context.undo()
            XCTAssertEqual(try person.integer("age"), Int64(age))
        }
    }

    // ONE-06
    func test_ONE_06_undoAndRedoAreRefusedWhileAGroupIsOpen() throws {
        let person = try context.person("dave0")
        try event { try person.setValue(31, forKey: "age") }
        manager.beginUndoGrouping()
        try person.setValue(32, forKey: "age")
        assertError(.invalidArgument, try context.undo())
        assertError(.invalidArgument, try manager.undo())
        assertError(.invalidArgument, try context.redo())
        XCTAssertEqual(try person.integer("age"), 32)
        manager.endUndoGrouping()
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 31)
    }

    // ONE-06: the insertion is saved while its group is open, and what comes later is part of the
    // group.
    func test_ONE_06_anObjectInsertedInAGroupAndSavedIsTakenBackWithIt() throws {
        manager.beginUndoGrouping()
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        try context.save()
        try person.setValue("renamed", forKey: "name")
        try context.save()
        manager.endUndoGrouping()
        try context.undo()
        XCTAssertEqual(context.deletedObjects, [person])
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
        try context.redo()
        try context.save()
        XCTAssertEqual(try storedNames().sorted(), ["dave0", "dave1", "dave2", "renamed"])
    }

    // ONE-06
    func test_ONE_06_theEndOfTheEventDoesNotEndAGroupThatIsNotOpen() throws {
        let person = try context.person("dave0")
        try event {
            try person.setValue(31, forKey: "age")
            manager.endUndoGrouping()
            try person.setValue(32, forKey: "age")
        }
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 20)
    }

    func test_UND_10_directCallsOnTheMainThreadAreOneGroupUntilItDrains() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let person = try main.person("dave0")
        try person.setValue(31, forKey: "age")
        try person.setValue("renamed", forKey: "name")
        try MainQueue.drain()
        try person.setValue(32, forKey: "age")
        try MainQueue.drain()
        try main.undo()
        XCTAssertEqual(try person.integer("age"), 31)
        XCTAssertEqual(try person.string("name"), "renamed")
        try main.undo()
        XCTAssertEqual(try person.integer("age"), 20)
        XCTAssertEqual(try person.string("name"), "dave0")
    }

    func test_UND_10_undoInsideABlockClosesTheOpenGroupFirst() throws {
        let person = try context.person("dave0")
        try event {
            try person.setValue(31, forKey: "age")
            try context.undo()
            XCTAssertEqual(try person.integer("age"), 20)
            try person.setValue(32, forKey: "age")
        }
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 20)
    }

    func test_UND_10_processPendingChangesInsideABlockLeavesTheGroupOpen() throws {
        let person = try context.person("dave0")
        try event {
            try person.setValue(31, forKey: "age")
            try context.processPendingChanges()
            try person.setValue(32, forKey: "age")
        }
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 20)
    }

    func test_UND_03_aDeletionWithoutPropagationIsTakenBackToo() throws {
        context.propagatesDeletesAtEndOfEvent = false
        let person = try context.person("dave0"), car = try XCTUnwrap(try person.relatedObjects(forKey: "cars").first)
        try event { try context.delete(person) }
        try context.undo()
        try context.save()
        XCTAssertEqual(try storedNames(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), person)
    }

    func test_UND_02_anEditOfAnObjectThatIsAFaultAgainIsComparedWithItsRow() throws {
        let person = try context.person("dave0")
        try event { try person.setValue("renamed", forKey: "name") }
        try context.refresh(person, mergeChanges: false)
        try context.undo()
        XCTAssertEqual(try person.string("name"), "dave0")
        XCTAssertFalse(context.hasChanges)
    }

    func test_UND_11_processPendingChangesHandsTheChangesToTheManager() throws {
        let person = try context.person("dave0")
        try person.setValue(31, forKey: "age")
        try context.processPendingChanges()
        try person.setValue(32, forKey: "age")
        try context.processPendingChanges()
        try context.undo()
        XCTAssertEqual(try person.integer("age"), 31)
    }

    func test_UND_02_anUndoThatFailsPutsEverythingBack() throws {
        context.shouldDeleteInaccessibleFaults = false
        let gone = try context.person("dave0"), kept = try context.person("dave1")
        try event {
            try gone.setValue("first", forKey: "name")
            try kept.setValue("second", forKey: "name")
            try kept.setRelatedObjects([], forKey: "cars")
        }
        try context.save()
        try other.delete(try other.person("first"))
        try other.save()
        try context.refresh(gone, mergeChanges: false)
        assertError(.managedObjectReferentialIntegrity, try context.undo())
        XCTAssertEqual(try kept.string("name"), "second")
        XCTAssertTrue(try kept.relatedObjects(forKey: "cars").isEmpty)
        XCTAssertFalse(context.hasChanges)
        XCTAssertTrue(manager.canUndo)
        XCTAssertFalse(manager.canRedo)
    }

    /// Whatever the relationship, whoever has read it, and however often: a deletion that is undone last
    /// leaves everything as it was, here and after a save.
    func test_UND_04_aDeletionCanBeUndoneAndRedoneAgainAndAgain() throws {
        for kind in ["one to one", "one to many", "many to one", "many to many", "ordered many to many", "ordered one to many"] {
            for reads in ["nothing", "the deleted object's side", "the other side", "both after each step"] {
                for steps in [1, 3, 5] {
                    try undoDeletion(kind, reads, steps)
                }
            }
        }
    }

    private func undoDeletion(_ kind: String, _ reads: String, _ steps: Int) throws {
        let isMany = kind.hasSuffix("to many"), isOfMany = kind.contains("many to"), isOrdered = kind.hasPrefix("ordered")
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Box", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "tags", destinationEntityName: "Tag", inverseRelationshipName: "boxes", isToMany: isMany, isOrdered: isOrdered
                    )
                ]),
            EntityDescription(
                name: "Tag",
                relationships: [
                    RelationshipDescription(
                        name: "boxes", destinationEntityName: "Box", inverseRelationshipName: "tags", isToMany: isOfMany)
                ]),
        ])
        let coordinator = try makeCoordinator(model, name: UUID().uuidString)
        let context = try makeContext(coordinator)
        let box = try context.insertNewObject(forEntityName: "Box")
        let tags = try (0..<(isMany ? 3 : 1)).map { _ in try context.insertNewObject(forEntityName: "Tag") }
        func related(_ object: ManagedObject, _ key: String, _ isMany: Bool) throws -> [ManagedObject] {
            isMany ? try object.relatedObjects(forKey: key) : [try object.relatedObject(forKey: key)].compactMap { $0 }
        }
        if isMany { try box.setRelatedObjects(tags, forKey: "tags") } else { try box.setRelatedObject(tags[0], forKey: "tags") }
        try context.save()
        try XCTUnwrap(context.undoManager).removeAllActions()
        try context.refreshAllObjects()
        if reads == "the deleted object's side" { _ = try related(box, "tags", isMany) }
        if reads == "the other side" { for tag in tags { _ = try related(tag, "boxes", isOfMany) } }

        try context.performAndWait { try context.delete(box) }
        for step in 0..<steps {
            try step.isMultiple(of: 2) ? context.undo() : context.redo()
            guard reads == "both after each step" else { continue }
            for tag in tags { _ = try related(tag, "boxes", isOfMany) }
            if !box.isDeleted { _ = try related(box, "tags", isMany) }
        }

        let description = "\(kind), \(reads) read, \(steps) steps"
        let members = try related(box, "tags", isMany)
        if isOrdered { XCTAssertEqual(members, tags, description) } else { XCTAssertEqual(Set(members), Set(tags), description) }
        for tag in tags { XCTAssertEqual(try related(tag, "boxes", isOfMany), [box], description) }
        XCTAssertFalse(context.hasChanges, description)
        try context.save()
        let reader = try makeContext(coordinator)
        let stored = try XCTUnwrap(try reader.fetch(FetchRequest(entityName: "Box")).first)
        XCTAssertEqual(try related(stored, "tags", isMany).count, tags.count, description)
    }
}
