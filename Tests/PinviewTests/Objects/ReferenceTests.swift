import Pinview
import XCTest

/// Which objects a context keeps alive: REF-01 to REF-17 and REF-19.
final class ReferenceTests: StackTestCase {
    /// A reference that does not keep its object.
    private struct Weak {
        weak var object: ManagedObject?
    }

    private func weakPerson(_ name: String, _ change: (ManagedObject) throws -> Void = { _ in }) throws -> Weak {
        let person = try context.person(name)
        try change(person)
        return Weak(object: person)
    }

    func test_REF_01_anUnchangedObjectGoesWithItsLastHandle() throws {
        let person = try weakPerson("dave0") { _ = try $0.string("name") }
        XCTAssertNil(person.object)
        XCTAssertTrue(context.registeredObjects.isEmpty)
    }

    func test_REF_02_objectsDoNotKeepTheirContext() throws {
        let person = try context.person("dave0")
        _ = try person.relatedObjects(forKey: "cars")
        weak var gone = context
        context = nil
        XCTAssertNil(gone)
        XCTAssertNil(person.managedObjectContext)
    }

    func test_REF_03_anObjectWithoutItsContextGivesErrorsAndKeepsItsID() throws {
        let person = try context.person("dave0")
        _ = try person.string("name")
        context = nil
        XCTAssertNil(person.managedObjectContext)
        assertError(.contextGone, try person.attributeValue(forKey: "name"))
        assertError(.contextGone, try person.setAttributeValue("x", forKey: "name"))
        assertError(.contextGone, try person.relatedObjects(forKey: "cars"))
        assertError(.contextGone, try person.removeRelatedObject(person, forKey: "cars"))
        XCTAssertEqual(try other.existingObject(with: person.objectID).string("name"), "dave0")
    }

    func test_REF_04_changedObjectsStayUntilTheyAreSaved() throws {
        let updated = try weakPerson("dave0") { try $0.setValue("renamed", forKey: "name") }
        let deleted = try weakPerson("dave1") { try self.context.delete($0) }
        let inserted = Weak(object: try context.insertNewObject(forEntityName: "Person"))
        context.undoManager = nil
        XCTAssertNotNil(updated.object)
        XCTAssertNotNil(deleted.object)
        XCTAssertNotNil(inserted.object)
        try inserted.object?.setValue("new", forKey: "name")
        try context.save()
        XCTAssertEqual(try other.names(), ["dave2", "new", "renamed"])
    }

    func test_REF_05_savingAndDiscardingEndTheReferences() throws {
        let endings: [(String, (ManagedObjectContext) throws -> Void)] = [
            ("rollback", { try $0.rollback() }), ("reset", { try $0.reset() }), ("save", { try $0.save() }),
        ]
        context.undoManager = nil
        for (name, end) in endings {
            let updated = try weakPerson("dave0") { try $0.setValue("renamed by \(name)", forKey: "name") }
            let deleted = try weakPerson("dave1") { try self.context.delete($0) }
            let inserted = Weak(object: try context.insertNewObject(forEntityName: "Car"))
            try context.processPendingChanges()
            try end(context)
            XCTAssertNil(updated.object, name)
            XCTAssertNil(deleted.object, name)
            XCTAssertNil(inserted.object, name)
        }
    }

    func test_REF_05_theEndOfTheContextEndsTheReferences() throws {
        let updated = try weakPerson("dave0") { try $0.setValue(77, forKey: "age") }
        let deleted = try weakPerson("dave1") { try self.context.delete($0) }
        let inserted = Weak(object: try context.insertNewObject(forEntityName: "Car"))
        context = nil
        XCTAssertNil(updated.object)
        XCTAssertNil(deleted.object)
        XCTAssertNil(inserted.object)
    }

    func test_REF_06_undoMakesTheReferenceWeakAgain() throws {
        let person = try weakPerson("dave0") { try $0.setValue(77, forKey: "age") }
        try context.undo()
        XCTAssertFalse(context.hasChanges)
        context.undoManager?.removeAllActions()
        XCTAssertNil(person.object)
    }

    func test_REF_07_aRetainingContextKeepsEveryRegisteredObject() throws {
        context.retainsRegisteredObjects = true
        let person = try weakPerson("dave0")
        XCTAssertNotNil(person.object)
        XCTAssertEqual(context.registeredObjects.count, 1)
        try context.reset()
        XCTAssertNil(person.object)
    }

    func test_REF_07_aRetainingContextLetsGoAtItsEnd() throws {
        context.retainsRegisteredObjects = true
        let person = try weakPerson("dave0")
        context = nil
        XCTAssertNil(person.object)
    }

    func test_REF_07_aRetainingContextKeepsObjectsHoweverTheyCameToBe() throws {
        context.retainsRegisteredObjects = true
        let identifier = try other.person("dave0").objectID
        func inserted() throws -> ManagedObject {
            let person = try context.insertNewObject(forEntityName: "Person")
            try context.save()
            return person
        }
        let ways: [(String, () throws -> ManagedObject?)] = [
            ("by its ID", { try self.context.object(with: identifier) }),
            ("existing", { try self.context.existingObject(with: try self.other.person("dave1").objectID) }),
            ("inserted", inserted),
            (
                "inserted again",
                {
                    let person = try self.context.performAndWait { try self.context.insertNewObject(forEntityName: "Person") }
                    try self.context.undo()
                    try self.context.redo()
                    try self.context.save()
                    return person
                }
            ),
            (
                "deleted and back",
                {
                    let person = try self.context.person("dave2")
                    try self.context.performAndWait { try self.context.delete(person) }
                    try self.context.save()
                    try self.context.undo()
                    try self.context.save()
                    return person
                }
            ),
            ("a destination", { try self.context.person("dave0").relatedObjects(forKey: "cars").first }),
        ]
        for (way, make) in ways {
            let object = Weak(object: try make())
            context.undoManager?.removeAllActions()
            try context.refreshAllObjects()
            XCTAssertNotNil(object.object, way)
        }
    }

    func test_REF_07_aRetainingContextLetsGoOfWhatWasDeletedAndSaved() throws {
        context.retainsRegisteredObjects = true
        context.undoManager = nil
        let gone = try ["dave0", "dave1"].map { name in try weakPerson(name) { try context.delete($0) } }
        let kept = try weakPerson("dave2")
        XCTAssertEqual(gone.filter { $0.object != nil }.count, 2)
        try context.save()
        XCTAssertEqual(gone.filter { $0.object != nil }.count, 0)
        XCTAssertNotNil(kept.object)
        XCTAssertFalse(context.registeredObjects.contains { $0.isDeleted })
    }

    func test_REF_08_theSettingAppliesToTheObjectsRegisteredNow() throws {
        let people = try { () -> [Weak] in
            let people = try context.fetch(FetchRequest(entityName: "Person"))
            context.retainsRegisteredObjects = true
            return people.map { Weak(object: $0) }
        }()
        XCTAssertEqual(context.registeredObjects.count, 3)
        try context.person("dave0").setValue(77, forKey: "age")
        context.retainsRegisteredObjects = false
        XCTAssertEqual(people.filter { $0.object != nil }.count, 1)
        XCTAssertEqual(context.registeredObjects, context.updatedObjects)
    }

    func test_REF_09_aLoadedRelationshipKeepsItsDestinations() throws {
        let person = try context.person("dave0")
        let car = Weak(object: try person.relatedObjects(forKey: "cars").first)
        XCTAssertNotNil(car.object)
        try context.refresh(person, mergeChanges: false)
        XCTAssertNil(car.object)
    }

    func test_REF_10_aCycleKeepsItselfUntilARefreshBreaksIt() throws {
        let (person, car) = try loadedCycle()
        XCTAssertNotNil(person.object)
        XCTAssertNotNil(car.object)
        try { try context.refresh(try XCTUnwrap(person.object), mergeChanges: false) }()
        XCTAssertNil(person.object)
        XCTAssertNil(car.object)
    }

    /// How many objects are alive after each operation that retains or releases them.
    func test_REF_01_REF_04_REF_10_REF_17_theLiveObjectsAreCounted() throws {
        context.undoManager = nil
        var seen: [Weak] = []
        func expectLive(_ count: Int, line: UInt = #line) {
            XCTAssertEqual(seen.count { $0.object != nil }, count, line: line)
            XCTAssertEqual(context?.registeredObjects.count ?? 0, count, line: line)
        }
        func load(bothWays: Bool) throws {
            for person in try context.fetch(FetchRequest("Person")) {
                seen.append(Weak(object: person))
                for car in try person.relatedObjects(forKey: "cars") {
                    seen.append(Weak(object: car))
                    if bothWays { _ = try car.relatedObject(forKey: "owner") }
                }
            }
        }
        try load(bothWays: false)
        expectLive(0)
        seen = []
        try load(bothWays: true)
        expectLive(6)  // three persons and their cars keep each other
        try context.refreshAllObjects()
        expectLive(0)
        try {
            for person in try context.fetch(FetchRequest("Person", "age < 22")) {
                try person.setValue("renamed", forKey: "name")
                seen.append(Weak(object: person))
            }
        }()
        expectLive(2)  // changed
        try context.save()
        expectLive(0)
        seen = []
        try load(bothWays: true)
        expectLive(6)
        context = nil
        expectLive(0)
    }

    func test_REF_11_aHeldObjectStaysWhenItsCycleIsBroken() throws {
        let (person, car) = try loadedCycle()
        let held = try XCTUnwrap(car.object)
        try { try context.refresh(try XCTUnwrap(person.object), mergeChanges: false) }()
        XCTAssertNotNil(car.object)
        XCTAssertEqual(try held.string("name"), "car0")
        XCTAssertEqual(try held.relatedObject(forKey: "owner")?.string("name"), "dave0")
    }

    private func loadedCycle() throws -> (person: Weak, car: Weak) {
        let person = try context.person("dave0")
        let car = try XCTUnwrap(try person.relatedObjects(forKey: "cars").first)
        XCTAssertEqual(try car.relatedObject(forKey: "owner"), person)
        return (Weak(object: person), Weak(object: car))
    }

    func test_REF_12_exactlyTheHeldObjectsStay() throws {
        var held: Set<ManagedObject> = []
        try { held = Set(try context.fetch(FetchRequest(entityName: "Person")).filter { try $0.string("name") != "dave1" }) }()
        XCTAssertEqual(context.registeredObjects, held)
        XCTAssertEqual(held.count, 2)
    }

    func test_REF_13_aClearedToOneRelationshipLetsItsDestinationGo() throws {
        context.undoManager = nil
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == 'car0'")).first)
        let owner = Weak(object: try car.relatedObject(forKey: "owner"))
        XCTAssertNotNil(owner.object)
        try car.setRelatedObject(nil, forKey: "owner")
        try context.save()
        XCTAssertNil(owner.object)
    }

    func test_REF_13_aRemovedMemberGoes() throws {
        context.undoManager = nil
        let person = try context.person("dave0")
        let car = Weak(object: try person.relatedObjects(forKey: "cars").first)
        try { try person.removeRelatedObject(try XCTUnwrap(car.object), forKey: "cars") }()
        try context.save()
        XCTAssertNil(car.object)
    }

    func test_REF_14_theUndoManagerKeepsWhatItRecorded() throws {
        let person = try weakPerson("dave0") { try $0.setValue(77, forKey: "age") }
        try context.save()
        XCTAssertNotNil(person.object)
        context.undoManager?.removeAllActions()
        XCTAssertNil(person.object)
    }

    func test_REF_15_withoutAnUndoManagerAnObjectGoesStraightAfterTheSave() throws {
        context.undoManager = nil
        let person = try weakPerson("dave0") { try $0.setValue(77, forKey: "age") }
        XCTAssertNotNil(person.object)
        try context.save()
        XCTAssertNil(person.object)
    }

    func test_REF_16_aMarkedObjectStaysUntilTheMarkGoes() throws {
        let endings: [(String, (ManagedObjectContext) throws -> Void)] = [
            ("save", { try $0.save() }), ("rollback", { try $0.rollback() }), ("reset", { try $0.reset() }),
        ]
        for (name, end) in endings {
            let person = try weakPerson("dave0") { try self.context.detectConflicts(for: $0) }
            XCTAssertNotNil(person.object, name)
            try end(context)
            XCTAssertNil(person.object, name)
        }
    }

    func test_REF_17_refreshAllObjectsBreaksTheRelationshipsOfCleanObjects() throws {
        let (person, car) = try loadedCycle()
        try context.refreshAllObjects()
        XCTAssertNil(person.object)
        XCTAssertNil(car.object)
    }

    func test_REF_19_aChildKeepsItsParentAndAContextItsCoordinator() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        weak var parent = context
        context = nil
        XCTAssertNotNil(parent)
        XCTAssertEqual(try child.names(), ["dave0", "dave1", "dave2"])

        var context: ManagedObjectContext? = try makeContextOfSecondStack()
        weak var keptCoordinator = context?.persistentStoreCoordinator
        XCTAssertNotNil(keptCoordinator)
        XCTAssertEqual(try context?.names().count, 3)
        context = nil
        XCTAssertNil(keptCoordinator)
    }

    func test_REF_19_aCoordinatorDoesNotKeepItsContexts() throws {
        weak var gone = context
        context = nil
        XCTAssertNil(gone)
    }
}
