import Foundation
import Pinview
import XCTest

/// What a fetch finds: FET-01 to FET-06, FET-11, FET-12, FET-17, FET-19 to FET-21.
final class FetchTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 5)
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func byAge(_ ascending: Bool = true) -> FetchRequest {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age", ascending: ascending)]
        return request
    }

    private func ages(_ request: FetchRequest) throws -> [Int] {
        try context.fetch(request).map { try $0.value(forKey: "age", as: Int.self) ?? -1 }
    }

    func test_FET_01_theObjectsThatSatisfyThePredicateAreFoundAndRegistered() throws {
        let found = try context.fetch(FetchRequest("Person", "age > 22"))
        XCTAssertEqual(found.count, 2)
        XCTAssertEqual(context.registeredObjects, Set(found))
        XCTAssertTrue(try XCTUnwrap(found.first) === context.registeredObject(for: found[0].objectID))
    }

    func test_FET_02_withoutAPredicateAllObjectsAreFound() throws {
        XCTAssertEqual(try context.fetch(FetchRequest(entityName: "Person")).count, 5)
    }

    func test_FET_02_noMatchIsAnEmptyResult() throws {
        XCTAssertTrue(try context.fetch(FetchRequest("Person", "age > 1000")).isEmpty)
    }

    /// They name no property, so that all objects satisfy them or none.
    func test_FET_18_comparisonsOfTwoConstantsInTheStoreAndInMemory() throws {
        let dave = try context.person("dave0")
        for constants: [Value] in [[.null, 1, 2, 2.5], [.null, "a", "b"]] {
            for (op, left, right) in ["==", "!=", "<", "<=", ">", ">="].flatMap({ op in
                constants.flatMap { left in constants.map { (op, left, $0) } }
            }) {
                var request = FetchRequest(entityName: "Person")
                let predicate = try PinviewPredicate(format: "%@ \(op) %@", left, right)
                request.predicate = predicate
                let isTrue = try predicate.evaluate(with: dave)
                XCTAssertEqual(try context.count(for: request), isTrue ? 5 : 0, "\(predicate)")
                if left.isNull || right.isNull {
                    let areSame = left.isNull && right.isNull
                    XCTAssertEqual(isTrue, op == "==" && areSame || op == "!=" && !areSame, "\(predicate)")
                }
            }
        }
    }

    func test_FET_03_pendingInsertsAreFoundAndPendingDeletesAreNot() throws {
        try context.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
        try context.delete(context.person("dave0"))
        XCTAssertEqual(try context.names(), ["dave1", "dave2", "dave3", "dave4", "new"])
        XCTAssertEqual(try context.names("Person", "name == %@", "new"), ["new"])
        XCTAssertEqual(try context.names("Person", "name == %@", "dave0"), [])
    }

    func test_FET_04_aChangedObjectIsJudgedByItsValuesInMemory() throws {
        try context.person("dave0").setValue("edited", forKey: "name")
        XCTAssertEqual(try context.fetch(FetchRequest("Person", "name == %@", "edited")).count, 1)
        XCTAssertEqual(try context.fetch(FetchRequest("Person", "name == %@", "dave0")).count, 0)
    }

    func test_FET_04_relationshipsThatChangedInMemoryCount() throws {
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == %@", "car0")).first)
        try car.setRelatedObject(context.person("dave1"), forKey: "owner")
        XCTAssertEqual(try context.names("Car", "owner.name == %@", "dave1"), ["car0", "car1"])
        XCTAssertEqual(try context.names("Car", "owner.name == %@", "dave0"), [])
        XCTAssertEqual(try context.names("Person", "ANY cars.name == %@", "car0"), ["dave1"])
    }

    func test_FET_05_countIsWhatFetchWouldFind() throws {
        try context.insertNewObject(forEntityName: "Person").setValue(99, forKey: "age")
        try context.person("dave0").setValue(98, forKey: "age")
        try context.delete(context.person("dave4"))
        for format in ["age > 22", "age < 22", "age == 24", "age >= 98", "name == nil"] {
            let request = try FetchRequest("Person", format)
            XCTAssertEqual(try context.count(for: request), try context.fetch(request).count, format)
        }
    }

    func test_FET_05_countKnowsLimitAndOffset() throws {
        var request = FetchRequest(entityName: "Person")
        request.fetchLimit = 2
        XCTAssertEqual(try context.count(for: request), 2)
        request.fetchOffset = 4
        XCTAssertEqual(try context.count(for: request), 1)
        request.fetchOffset = 40
        XCTAssertEqual(try context.count(for: request), 0)
    }

    func test_FET_06_aCountThatFailsGivesAnError() throws {
        assertError(.unknownKey, try context.count(for: FetchRequest("Person", "height > 1")))
    }

    func test_FET_11_aFetchCoversAllStoresThatHoldTheEntity() throws {
        let second = try coordinator.addPersistentStore(type: .inMemory)
        for number in [10, 50] {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(number, forKey: "age")
            try context.assign(person, to: second)
        }
        try context.save()
        XCTAssertEqual(try ages(byAge()), [10, 20, 21, 22, 23, 24, 50])
        var request = byAge()
        request.fetchOffset = 1
        request.fetchLimit = 2
        XCTAssertEqual(try ages(request), [20, 21])
        request = byAge()
        request.affectedStores = [second]
        XCTAssertEqual(try ages(request), [10, 50])
    }

    func test_FET_12_pendingObjectsAreSortedInWithTheRest() throws {
        try context.insertNewObject(forEntityName: "Person").setValue(22, forKey: "age")
        try context.person("dave0").setValue(100, forKey: "age")
        XCTAssertEqual(try ages(byAge()), [21, 22, 22, 23, 24, 100])
        XCTAssertEqual(try ages(byAge(false)), [100, 24, 23, 22, 22, 21])
    }

    func test_FET_12_severalSortDescriptorsAndKeyPaths() throws {
        try context.person("dave4").setValue(20, forKey: "age")
        try context.save()
        var request = FetchRequest(entityName: "Car")
        request.sortDescriptors = [
            PinviewSortDescriptor(keyPath: "owner.age", ascending: true), PinviewSortDescriptor(keyPath: "name", ascending: false),
        ]
        let expected: [Value] = ["car4", "car0", "car1", "car2", "car3"]
        XCTAssertEqual(try context.fetch(request).map { try $0.attributeValue(forKey: "name") }, expected)
        // The same order when the context itself has to sort a pending object in.
        let car = try context.insertNewObject(forEntityName: "Car")
        try car.setValue("car2½", forKey: "name")
        try car.setRelatedObject(context.person("dave2"), forKey: "owner")
        XCTAssertEqual(
            try context.fetch(request).map { try $0.attributeValue(forKey: "name") }, ["car4", "car0", "car1", "car2½", "car2", "car3"])
    }

    func test_FET_17_valuesNeedNoCare() throws {
        for name in ["O'Neil", "100%", "\"quoted\"", "%@", "'; DROP TABLE ZPERSON; --", "a\u{0}b", "ünï", ""] {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(name, forKey: "name")
            let request = try FetchRequest("Person", "name == %@", name)
            XCTAssertEqual(try context.fetch(request).first, person, name)
            try context.save()
            XCTAssertEqual(try makeContext(coordinator).count(for: request), 1, name)
        }
    }

    func test_FET_19_mistakesInARequestAreErrors() throws {
        assertError(.unknownEntity, try context.fetch(FetchRequest(entityName: "Nobody")))
        assertError(.unknownKey, try context.fetch(FetchRequest("Person", "height == 1")))
        assertError(.badPredicate, try context.fetch(FetchRequest("Person", "age ==")))
        assertError(.badPredicate, try context.fetch(FetchRequest("Person", "(age == 1")))
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "height", ascending: true)]
        assertError(.unknownKey, try context.fetch(request))
        assertError(.unknownKey, try context.count(for: request))
    }

    func test_FET_20_aFetchProcessesPendingChangesFirst() throws {
        let car = try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == %@", "car0")).first)
        try context.performAndWait {
            try context.delete(context.person("dave0"))
            XCTAssertEqual(try context.names("Car", "owner == nil"), ["car0"])
        }
        XCTAssertNil(try car.relatedObject(forKey: "owner"))
    }

    func test_FET_21_objectsIDsOrACount() throws {
        var request = byAge()
        let objects = try context.fetch(request)
        request.resultType = .managedObjectID
        guard case .objectIDs(let identifiers) = try context.execute(request) else { return XCTFail("not IDs") }
        XCTAssertEqual(identifiers, objects.map(\.objectID))
        request.resultType = .count
        guard case .count(5) = try context.execute(request) else { return XCTFail("not the count") }
    }

    func test_FET_21_limitAndOffset() throws {
        var request = byAge()
        request.fetchLimit = 2
        XCTAssertEqual(try ages(request), [20, 21])
        request.fetchOffset = 3
        XCTAssertEqual(try ages(request), [23, 24])
        request.fetchLimit = 0
        XCTAssertEqual(try ages(request), [23, 24])
    }

    func test_FET_21_limitAndOffsetCountPendingObjects() throws {
        try context.insertNewObject(forEntityName: "Person").setValue(1, forKey: "age")
        try context.delete(context.person("dave1"))
        var request = byAge()
        request.fetchLimit = 3
        XCTAssertEqual(try ages(request), [1, 20, 22])
        request.fetchOffset = 2
        XCTAssertEqual(try ages(request), [22, 23, 24])
    }

    func test_FET_21_negativeLimitsAreAnError() throws {
        var request = byAge()
        request.fetchLimit = -1
        assertError(.invalidArgument, try context.fetch(request))
        request.fetchLimit = 0
        request.fetchOffset = -1
        assertError(.invalidArgument, try context.fetch(request))
        request.fetchOffset = 0
        request.fetchBatchSize = -1
        assertError(.invalidArgument, try context.fetch(request))
    }

    func test_FET_21_pendingChangesCanBeLeftOut() throws {
        _ = try context.insertNewObject(forEntityName: "Person")
        try context.delete(context.person("dave0"))
        var request = FetchRequest(entityName: "Person")
        request.includesPendingChanges = false
        XCTAssertEqual(try context.fetch(request).count, 5)
        XCTAssertEqual(try context.count(for: request), 5)
    }
}
