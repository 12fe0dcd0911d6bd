import Pinview
import XCTest

/// What fetched results controllers do not touch, and the cost of their reads.
final class ResultsCostTests: StackTestCase {
    private final class Switch: @unchecked Sendable {  // of the test's thread
        var isOn = false
    }

    private final class Counter: FetchedResultsControllerDelegate {
        var changes = 0

        func controller(
            _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: PinviewIndexPath?,
            for type: FetchedResultsChangeType, newIndexPath: PinviewIndexPath?
        ) { changes += 1 }
    }

    private let failing = Switch()

    /// Persons, some of them students, and cars.
    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        let age = AttributeDescription(name: "age", attributeType: .integer64)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(name: "Person", attributes: [name, age]), EntityDescription(name: "Student", superentityName: "Person"),
            EntityDescription(name: "Car", attributes: [name, AttributeDescription(name: "year", attributeType: .integer64)]),
        ])
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { [failing] _ in if failing.isOn { throw ProgramFailure(number: 7) } }
        try model.setHooks(hooks, forEntityNamed: "Person")
        return model
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        for number in 0..<20 {
            for entity in ["Person", "Student", "Car"] {
                try context.insertNewObject(forEntityName: entity).setValue("\(entity)\(number)", forKey: "name")
            }
        }
        try context.save()
    }

    private func makeController(
        of entity: String = "Person", _ change: (inout FetchRequest) -> Void = { _ in }
    ) throws -> FetchedResultsController {
        var request = try FetchRequest(entity, nil)
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name")]
        change(&request)
        let controller = try FetchedResultsController(fetchRequest: request, managedObjectContext: context)
        try controller.performFetch()
        return controller
    }

    /// Changes all objects of an entity through the second context, and merges its save.
    private func mergeChange(of entity: String) throws {
        var saved: PinviewNotification?
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: other) { saved = $0 }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        for object in try other.fetch(try FetchRequest(entity, nil)) { try object.setValue("changed", forKey: "name") }
        try other.save()
        try context.mergeChanges(fromContextDidSave: try XCTUnwrap(saved))
    }

    private func announced(_ body: () throws -> Void) rethrows -> Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) {
            objects.formUnion($0.refreshedObjects.union($0.updatedObjects))
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try body()
        return objects
    }

    func test_aMergeMakesObjectsOnlyOfEntitiesThatAControllerFetches() throws {
        let controller = try makeController { $0.predicate = try? PinviewPredicate(format: "name == 'changed'") }
        XCTAssertEqual(try announced { try mergeChange(of: "Car") }.count, 0)
        XCTAssertEqual(context.registeredObjects.count, 0)
        XCTAssertEqual(try announced { try mergeChange(of: "Student") }.count, 20)
        XCTAssertEqual(controller.numberOfObjects, 20)
    }

    func test_aMergeLeavesSubentitiesAloneWhereTheRequestDoes() throws {
        let controller = try makeController { $0.includesSubentities = false }
        XCTAssertEqual(try announced { try mergeChange(of: "Student") }.count, 0)
        XCTAssertEqual(controller.numberOfObjects, 20)
    }

    func test_aPinnedControllerMovesOnWithAMergeOfOtherObjects() throws {
        try context.setQueryGeneration(from: .current)
        let controller = try makeController()
        _ = try other.insertNewObject(forEntityName: "Person")
        try other.save()
        XCTAssertEqual(controller.numberOfObjects, 40)
        try mergeChange(of: "Car")
        XCTAssertEqual(controller.numberOfObjects, 41)
    }

    func test_theRowsOfRealisedObjectsComeInOneStatement() throws {
        for (interval, includesValues) in [(-1.0, false), (0, true), (0, false)] {
            try context.reset()
            context.stalenessInterval = interval
            try context.setQueryGeneration(from: .current)
            let controller = try makeController { $0.includesPropertyValues = includesValues }
            for object in try XCTUnwrap(controller.fetchedObjects) { _ = try object.string("name") }
            try changeElsewhere("Person3", "age", .integer(Int64(interval) + (includesValues ? 10 : 20)))
            let statements = try selects { try context.setQueryGeneration(from: .current) }
            XCTAssertLessThan(statements, 6, "a staleness interval of \(interval), with values: \(includesValues)")
        }
    }

    func test_whatWasRefreshedBeforeAFailureIsAnnounced() throws {
        try context.setQueryGeneration(from: .current)
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        try changeElsewhere("Person3", "age", 33)
        failing.isOn = true
        let objects = try announced { try context.setQueryGeneration(from: .current) }
        failing.isOn = false
        XCTAssertEqual(try objects.map { try $0.string("name") }, ["Person3"])
        XCTAssertEqual(replayed.failures.count, 1)
        XCTAssertEqual(try objects.first?.integer("age"), 33)
    }

    func test_aSectionIsDescribedWithoutItsObjects() throws {
        let controller = try makeController()
        let described = try controller.describeSection(0)
        XCTAssertEqual(described.name, "")
        XCTAssertNil(described.indexTitle)
        XCTAssertEqual(described.count, 40)
        XCTAssertEqual(try controller.objects(ofSection: 0), controller.fetchedObjects)
        for section in [-1, 1] {
            assertError(.invalidArgument, try controller.describeSection(section))
            assertError(.invalidArgument, try controller.objects(ofSection: section))
        }
    }

    /// Issue 20, W22. Before, a change visited all objects: here it took 100 times as long.
    func test_aChangeThatMovesNothingCostsNothingForTheRest() throws {
        func cost(besides count: Int) throws -> Duration {
            for number in 0..<count {
                let car = try context.insertNewObject(forEntityName: "Car")
                try car.setValue("more\(number)", forKey: "name")
                try car.setValue(number, forKey: "year")
            }
            try context.save()
            let controller = try makeController(of: "Car")
            let counter = Counter()
            controller.delegate = counter
            let car = try XCTUnwrap(controller.fetchedObjects?.last)
            var best = Duration.seconds(60)
            for year in 1...20 {
                try car.setValue(3000 + year, forKey: "year")
                best = min(best, try ContinuousClock().measure { try context.processPendingChanges() })
                XCTAssertEqual(counter.changes, year)
            }
            return best
        }
        let few = try cost(besides: 100), many = try cost(besides: 20_000)
        XCTAssertLessThan(many, few * 20)
    }

    /// Issue 20, W22. Before, each move of the pin fetched everything again.
    func test_aMoveOfThePinReadsOnlyTheRowsThatHaveChanged() throws {
        try context.setQueryGeneration(from: .current)
        let controller = try makeController()
        let replayed = ReplayedResults(controller)
        for name in ["Person3", "Student7"] { try other.person(name).setValue("changed", forKey: "name") }
        try other.delete(try other.person("Person5"))
        try other.insertNewObject(forEntityName: "Student").setValue("a new one", forKey: "name")
        try other.save()

        let statements = try logged { try context.setQueryGeneration(from: .current) }

        XCTAssertFalse(statements.contains { $0.contains("ORDER BY") }, "\(statements)")
        XCTAssertEqual(controller.fetchedObjects, Array(try context.fetch(controller.fetchRequest)))
        XCTAssertEqual(replayed.sections.flatMap(\.objects), controller.fetchedObjects)
        XCTAssertEqual(controller.numberOfObjects, 40)
    }

    /// The row of the object does not tell whether its car is still there.
    func test_aConditionOverARelationshipIsFetchedAgain() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Owner", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(name: "pets", destinationEntityName: "Pet", inverseRelationshipName: "owner", isToMany: true)
                ]),
            EntityDescription(
                name: "Pet", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [RelationshipDescription(name: "owner", destinationEntityName: "Owner", inverseRelationshipName: "pets")]),
        ])
        let coordinator = try makeCoordinator(model, name: "pets.sqlite")
        let context = try makeContext(coordinator), other = try makeContext(coordinator)
        let owner = try other.insertNewObject(forEntityName: "Owner"), pet = try other.insertNewObject(forEntityName: "Pet")
        try owner.setValue("Ada", forKey: "name")
        try pet.setRelatedObject(owner, forKey: "owner")
        try other.save()
        try context.setQueryGeneration(from: .current)
        var request = FetchRequest(entityName: "Pet")
        request.predicate = try PinviewPredicate(format: "owner.name == 'Ada'")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name")]
        let controller = try FetchedResultsController(fetchRequest: request, managedObjectContext: context)
        try controller.performFetch()
        XCTAssertEqual(controller.numberOfObjects, 1)

        try owner.setValue("Bob", forKey: "name")
        try other.save()
        try context.setQueryGeneration(from: .current)

        XCTAssertEqual(controller.numberOfObjects, 0)
    }
}
