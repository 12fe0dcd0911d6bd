import Pinview
import XCTest

/// The hooks of entities: DEC-55, FLT-17. For transient properties and refresh see
/// TransientPropertyTests.
class HookTestCase: StoreTestCase {
    let log = LogLines()

    /// A coordinator over the people model whose entities have hooks, with dave0, dave1 and dave2
    /// stored.
    func makeHookedCoordinator(_ hooks: EntityHooks, entity: String = "Person") throws -> PersistentStoreCoordinator {
        try fill(try makeCoordinator(), count: 3)
        let model = try people()
        try model.setHooks(hooks, forEntityNamed: entity)
        return try makeCoordinator(model)
    }

    func makeHookedContext(_ hooks: EntityHooks, entity: String = "Person") throws -> ManagedObjectContext {
        try makeContext(try makeHookedCoordinator(hooks, entity: entity))
    }
}

struct ProgramFailure: Error, Equatable { let number: Int }

final class HookTests: HookTestCase {
    // MARK: Insert

    func test_awakeFromInsertIsCalledWithTheDefaultsSet() throws {
        var hooks = EntityHooks()
        hooks.awakeFromInsert = { person in
            XCTAssertEqual(try person.attributeValue(forKey: "age"), 0)
            try person.setValue("unnamed", forKey: "name")
        }
        let context = try makeHookedContext(hooks)
        let person = try context.insertNewObject(forEntityName: "Person")
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "unnamed")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME='unnamed'"), "1")
    }

    func test_anErrorOfAwakeFromInsertTakesTheInsertionBack() throws {
        var hooks = EntityHooks()
        hooks.awakeFromInsert = { _ in throw ProgramFailure(number: 7) }
        let context = try makeHookedContext(hooks)
        XCTAssertThrowsError(try context.insertNewObject(forEntityName: "Person")) { error in
            XCTAssertEqual((error as? PinviewError)?.programError as? ProgramFailure, ProgramFailure(number: 7))
        }
        XCTAssertFalse(context.hasChanges)
    }

    func test_awakeFromInsertIsNotCalledByUndoAndRedoNorInTheParent() throws {
        var hooks = EntityHooks()
        hooks.awakeFromInsert = { [log] _ in log.add("insert") }
        let context = try makeHookedContext(hooks)
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        _ = try child.insertNewObject(forEntityName: "Person")
        try child.undo()
        try child.redo()
        try child.save()
        XCTAssertEqual(context.insertedObjects.count, 1)
        XCTAssertEqual(log.all, ["insert"])
    }

    // MARK: Fetch

    func test_FLT_17_awakeFromFetchIsCalledOnceForEachFilledFault() throws {
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { [log] in log.add(try $0.value(forKey: "name", as: String.self) ?? "") }
        let context = try makeHookedContext(hooks)
        let people = try Array(context.fetch(FetchRequest("Person", "name == 'dave1'")))
        XCTAssertEqual(log.all, [])
        _ = try people[0].attributeValue(forKey: "age")
        _ = try people[0].attributeValue(forKey: "name")
        XCTAssertEqual(log.all, ["dave1"])
        try context.refresh(people[0], mergeChanges: false)
        _ = try people[0].attributeValue(forKey: "age")
        XCTAssertEqual(log.all, ["dave1", "dave1"])
    }

    func test_DEC_55_whatAwakeFromFetchSetsIsNoPendingChange() throws {
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { try $0.setValue(99, forKey: "age") }
        let context = try makeHookedContext(hooks)
        let person = try context.person("dave0")
        XCTAssertEqual(try person.attributeValue(forKey: "age"), 99)
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(try XCTUnwrap(context.undoManager).canUndo)
        try person.setValue("renamed", forKey: "name")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME='renamed'"), "20")
    }

    func test_anErrorOfAwakeFromFetchComesOutOfTheAccessAndLeavesAFault() throws {
        var hooks = EntityHooks()
        let failures = LogLines()
        hooks.awakeFromFetch = { _ in
            guard failures.all.isEmpty else { return }
            failures.add("failed")
            throw ProgramFailure(number: 1)
        }
        let context = try makeHookedContext(hooks)
        let person = try XCTUnwrap(context.fetch(FetchRequest("Person", "name == 'dave0'")).first)
        XCTAssertThrowsError(try person.attributeValue(forKey: "name"))
        XCTAssertTrue(person.isFault)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave0")
    }

    func test_awakeFromFetchReachesOtherObjectsButCannotChangeRelationshipsOrSave() throws {
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { [log] person in
            for car in try person.relatedObjects(forKey: "cars") { log.add(try car.value(forKey: "name", as: String.self) ?? "") }
            let context = try XCTUnwrap(person.managedObjectContext)
            assertError(.invalidArgument, try person.setRelatedObjects([], forKey: "cars"))
            assertError(.invalidArgument, try context.insertNewObject(forEntityName: "Car"))
            assertError(.invalidArgument, try context.delete(person))
            assertError(.invalidArgument, try context.save())
            assertError(.invalidArgument, try context.refresh(person, mergeChanges: false))
        }
        let context = try makeHookedContext(hooks)
        _ = try context.person("dave2").attributeValue(forKey: "name")
        XCTAssertEqual(log.all, ["car2"])
        XCTAssertFalse(context.hasChanges)
    }

    func test_FLT_17_aChildsFaultsAwakeInTheChild() throws {
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { [log] in log.add($0.managedObjectContext?.name ?? "") }
        let context = try makeHookedContext(hooks)
        context.name = "parent"
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        child.name = "child"
        try child.setParent(context)
        _ = try child.person("dave0").attributeValue(forKey: "name")
        XCTAssertEqual(log.all, ["parent", "child"])
    }

    // MARK: Becoming a fault

    func test_turningIntoAFaultIsAnnouncedBeforeAndAfter() throws {
        var hooks = EntityHooks()
        hooks.willTurnIntoFault = { [log] person in
            let name = try? person.attributeValue(forKey: "name").stringValue
            log.add("will \(name ?? "") \(person.isFault)")
            try? person.setValue("dropped", forKey: "name")
        }
        hooks.didTurnIntoFault = { [log] in log.add("did \($0.isFault)") }
        let context = try makeHookedContext(hooks)
        let person = try context.person("dave0")
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(log.all, [])
        _ = try person.attributeValue(forKey: "name")
        try context.refresh(person, mergeChanges: false)
        XCTAssertEqual(log.all, ["will dave0 false", "did true"])
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try person.attributeValue(forKey: "name"), "dave0")
    }

    // MARK: Delete

    func test_prepareForDeletionSeesTheRelationshipsOfEachObjectOfACascade() throws {
        var hooks = EntityHooks()
        hooks.prepareForDeletion = { [log] person in
            log.add("\(try person.countOfRelatedObjects(forKey: "cars")) \(person.isDeleted)")
            for car in try person.relatedObjects(forKey: "cars") { try person.managedObjectContext?.delete(car) }
        }
        let context = try makeHookedContext(hooks)
        try context.delete(context.person("dave0"))
        try context.save()
        XCTAssertEqual(log.all, ["1 false"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR"), "2")
    }

    func test_prepareForDeletionMayTakeAnotherDeletionBack() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true, deleteRule: .cascade)
                ]),
            EntityDescription(
                name: "Car",
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")
                ]),
        ])
        var hooks = EntityHooks()
        hooks.prepareForDeletion = { car in
            let owner = try XCTUnwrap(try car.relatedObject(forKey: "owner"))
            try car.managedObjectContext?.refresh(owner, mergeChanges: false)
        }
        try model.setHooks(hooks, forEntityNamed: "Car")
        let context = try makeContext(try makeCoordinator(model))
        let person = try context.insertNewObject(forEntityName: "Person")
        try context.insertNewObject(forEntityName: "Car").setRelatedObject(person, forKey: "owner")
        try context.save()
        try context.delete(person)
        try context.processPendingChanges()
        XCTAssertFalse(person.isDeleted)
        XCTAssertEqual(context.deletedObjects.count, 1)
    }

    func test_anErrorOfPrepareForDeletionKeepsTheObject() throws {
        var hooks = EntityHooks()
        hooks.prepareForDeletion = { _ in throw ProgramFailure(number: 2) }
        let context = try makeHookedContext(hooks)
        let person = try context.person("dave0")
        XCTAssertThrowsError(try context.delete(person))
        XCTAssertFalse(person.isDeleted)
        XCTAssertFalse(context.hasChanges)
    }

    // MARK: Sub-entities and registration

    func test_aSubentityHasTheHooksOfItsParentUnlessItHasItsOwn() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Base", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
            EntityDescription(name: "Middle", superentityName: "Base"), EntityDescription(name: "Leaf", superentityName: "Middle"),
        ])
        var base = EntityHooks(), leaf = EntityHooks()
        base.awakeFromInsert = { [log] in log.add("base \($0.entity.name)") }
        leaf.awakeFromInsert = { [log] in log.add("leaf \($0.entity.name)") }
        try model.setHooks(base, forEntityNamed: "Base")
        try model.setHooks(leaf, forEntityNamed: "Leaf")
        let context = try makeContext(try makeCoordinator(model))
        for name in ["Base", "Middle", "Leaf"] { _ = try context.insertNewObject(forEntityName: name) }
        XCTAssertEqual(log.all, ["base Base", "base Middle", "leaf Leaf"])
    }

    func test_hooksAreSetBeforeTheModelIsInUse() throws {
        let model = try people()
        assertError(.unknownEntity, try model.setHooks(EntityHooks(), forEntityNamed: "Nobody"))
        var hooks = EntityHooks()
        hooks.validateProperty["nickname"] = { _, _ in }
        assertError(.unknownKey, try model.setHooks(hooks, forEntityNamed: "Person"))
        _ = try makeCoordinator(model)
        assertError(.invalidArgument, try model.setHooks(EntityHooks(), forEntityNamed: "Person"))
    }
}
