import Pinview
import XCTest

/// The exchange of changes between a child and its parent: NST-11 to NST-17.
final class NestedChangesTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var parent: ManagedObjectContext!
    private var child: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        parent = try makeContext(coordinator)
        child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
    }

    override func tearDownWithError() throws {
        child = nil
        parent = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func names(_ objects: Set<ManagedObject>) throws -> [String] {
        try objects.map { try $0.attributeValue(forKey: "name").stringValue ?? "nil" }.sorted()
    }

    func test_NST_11_insertsUpdatesAndDeletesPassAsTheSameKind() throws {
        try child.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try child.person("dave0").setValue("edited", forKey: "name")
        let deleted = try child.person("dave1")
        try child.delete(deleted)
        try child.save()
        XCTAssertEqual(try names(parent.insertedObjects), ["new"])
        XCTAssertTrue(try names(parent.updatedObjects).contains("edited"))
        XCTAssertEqual(parent.deletedObjects.map(\.objectID), [deleted.objectID])
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZPERSON ORDER BY 1)"), "dave2,edited,new")
    }

    func test_NST_11_relationshipsPassToTheParent() throws {
        let car = try XCTUnwrap(try child.fetch(FetchRequest("Car", "name == %@", "car0")).first)
        let newOwner = try child.insertNewObject(forEntityName: "Person")
        try newOwner.setValue("new owner", forKey: "name")
        try car.setRelatedObject(newOwner, forKey: "owner")
        try child.save()
        let ofParent = try parent.object(with: car.objectID)
        XCTAssertEqual(try ofParent.relatedObject(forKey: "owner")?.attributeValue(forKey: "name"), "new owner")
        XCTAssertEqual(try parent.person("dave0").relatedObjects(forKey: "cars").count, 0)
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT P.ZNAME FROM ZCAR C, ZPERSON P WHERE C.ZNAME = 'car0' AND C.ZOWNER = P.Z_PK"), "new owner")
    }

    func test_NST_12_aNewObjectKeepsItsTemporaryIDUntilTheRootSaves() throws {
        let person = try child.insertNewObject(forEntityName: "Person")
        let temporary = person.objectID
        try child.save()
        XCTAssertTrue(temporary.isTemporaryID)
        XCTAssertEqual(person.objectID, temporary)
        XCTAssertEqual(try parent.registeredObject(for: temporary)?.objectID, temporary)
        try parent.save()
        XCTAssertFalse(person.objectID.isTemporaryID)
        XCTAssertEqual(try parent.registeredObject(for: temporary)?.objectID, person.objectID)
    }

    func test_NST_12_obtainPermanentIDsInTheChildGivesThemBeforeThat() throws {
        let person = try child.insertNewObject(forEntityName: "Person")
        try person.setValue("new", forKey: "name")
        try child.obtainPermanentIDs(for: [person])
        let permanent = person.objectID
        XCTAssertFalse(permanent.isTemporaryID)
        try child.save()
        try parent.save()
        XCTAssertEqual(person.objectID, permanent)
        let reader = try makeContext(coordinator)
        XCTAssertEqual(try reader.existingObject(with: permanent).attributeValue(forKey: "name"), "new")
    }

    func test_NST_12_anObjectSavedByTheRootCanBeEditedInTheChildAgain() throws {
        let person = try child.insertNewObject(forEntityName: "Person")
        try person.setValue("first", forKey: "name")
        try child.save()
        try parent.save()
        try person.setValue("second", forKey: "name")
        try child.save()
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME IN ('first', 'second')"), "1")
    }

    func test_NST_13_theChildsValuesOverwriteOnlyTheSameProperties() throws {
        let ofParent = try parent.person("dave0")
        let ofChild = try child.person("dave0")
        _ = try ofChild.attributeValue(forKey: "age")
        try ofParent.setValue("parent", forKey: "name")
        try ofParent.setValue(1, forKey: "age")
        try ofChild.setValue("child", forKey: "name")
        try child.save()
        XCTAssertEqual(try ofParent.attributeValue(forKey: "name"), "child")
        XCTAssertEqual(try ofParent.attributeValue(forKey: "age"), 1)
    }

    func test_NST_14_aParentsChangeIsSeenByTheChildAfterARefresh() throws {
        let ofParent = try parent.person("dave0")
        let ofChild = try child.person("dave0")
        XCTAssertEqual(try ofChild.attributeValue(forKey: "name"), "dave0")
        try ofParent.setValue("edited", forKey: "name")
        XCTAssertEqual(try ofChild.attributeValue(forKey: "name"), "dave0")
        try child.refresh(ofChild, mergeChanges: false)
        XCTAssertEqual(try ofChild.attributeValue(forKey: "name"), "edited")
        try ofParent.setValue("again", forKey: "name")
        try child.refresh(ofChild, mergeChanges: true)
        XCTAssertEqual(try ofChild.attributeValue(forKey: "name"), "again")
    }

    func test_NST_15_aChildValidatesItsOwnChanges() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string, isOptional: false)])
        ])
        let parent = try makeContext(try makeCoordinator(model, name: "strict.sqlite"))
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        let person = try child.insertNewObject(forEntityName: "Person")
        let error = assertError(.validationMissingMandatoryProperty, try child.save())
        XCTAssertEqual(error?.affectedObjectIDs, [person.objectID])
        XCTAssertFalse(parent.hasChanges)
        XCTAssertTrue(child.hasChanges)
    }

    func test_NST_15_aChildIsNotHeldUpByInvalidChangesOfItsParent() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string, isOptional: false)])
        ])
        let parent = try makeContext(try makeCoordinator(model, name: "strict.sqlite"))
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        _ = try parent.insertNewObject(forEntityName: "Person")
        try child.insertNewObject(forEntityName: "Person").setValue("valid", forKey: "name")
        try child.save()
        XCTAssertEqual(parent.insertedObjects.count, 2)
        assertError(.validationMissingMandatoryProperty, try parent.save())
    }

    func test_NST_16_aContextCannotBeItsOwnAncestor() throws {
        let middle = ManagedObjectContext(concurrencyType: .privateQueue)
        let leaf = ManagedObjectContext(concurrencyType: .privateQueue)
        try leaf.setParent(middle)
        assertError(.parentCycle, try middle.setParent(middle))
        assertError(.parentCycle, try middle.setParent(leaf))
        XCTAssertNil(middle.parent)
    }

    func test_NST_16_theParentIsSetOnce() throws {
        let second = try makeContext(coordinator)
        assertError(.invalidArgument, try child.setParent(second))
        assertError(.coordinatorNil, try child.setParent(nil))
        assertError(.invalidArgument, try child.setPersistentStoreCoordinator(try makeCoordinator(name: "other.sqlite")))
        try child.setParent(parent)
        XCTAssertTrue(child.parent === parent)
    }

    func test_NST_17_aChildsSaveDoesNotMoveTheGenerationTheRootsDoes() throws {
        try parent.setQueryGeneration(from: .current)
        _ = try parent.names()
        let token = parent.queryGenerationToken
        try child.person("dave0").setValue("edited", forKey: "name")
        let other = try makeContext(coordinator)
        try other.person("dave1").setValue("by another", forKey: "name")
        try other.save()
        try child.save()
        XCTAssertEqual(parent.queryGenerationToken, token)
        XCTAssertEqual(try child.names(), ["dave1", "dave2", "edited"])
        try parent.save()
        XCTAssertNil(parent.queryGenerationToken)
        XCTAssertEqual(try child.names(), ["by another", "dave2", "edited"])
    }

    func test_deletesOfAChildFollowTheRulesInTheParent() throws {
        try child.delete(child.person("dave0"))
        try child.save()
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZOWNER IS NULL"), "1")
    }

    func test_anObjectInsertedAndDeletedInAChildNeverReachesTheParent() throws {
        let person = try child.insertNewObject(forEntityName: "Person")
        try child.delete(person)
        try child.save()
        XCTAssertFalse(parent.hasChanges)
    }

    func test_anObjectInsertedInTheParentCanBeDeletedByTheChild() throws {
        try parent.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try child.delete(child.person("new"))
        try child.save()
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON"), "3")
        XCTAssertEqual(try child.names(), ["dave0", "dave1", "dave2"])
    }
}
