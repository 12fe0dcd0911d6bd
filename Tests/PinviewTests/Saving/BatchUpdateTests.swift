import Foundation
import Pinview
import XCTest

/// Batch updates go straight to the stores: BAT-01 to BAT-11, BAT-14, BAT-15.
final class BatchUpdateTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func update(
        _ values: [String: Value], _ format: String? = nil, result: BatchUpdateRequest.ResultType = .statusOnly
    ) throws -> BatchUpdateRequest {
        var request = BatchUpdateRequest(entityName: "Person")
        request.propertiesToUpdate = values
        request.resultType = result
        if let format { request.predicate = try PinviewPredicate(format: format, arguments: []) }
        return request
    }

    func test_BAT_01_everyRowIsSetWithoutLoadingObjects() throws {
        _ = try context.execute(update(["name": "same"]))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'same'"), "3")
        XCTAssertEqual(context.registeredObjects, [])
    }

    func test_BAT_02_aPredicateLimitsItAndSeveralAttributesAreSet() throws {
        _ = try context.execute(update(["name": "older", "age": 99], "age > 20"))
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON ORDER BY ZAGE"), "dave0|20\nolder|99\nolder|99")
    }

    func test_BAT_02_aPredicateMayFollowRelationships() throws {
        var request = try update(["age": 99])
        request.predicate = try PinviewPredicate(format: "ANY cars.name == %@", arguments: ["car1"])
        _ = try context.execute(request)
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON WHERE ZAGE = 99"), "dave1")
    }

    func test_BAT_02_nullClearsAnAttribute() throws {
        _ = try context.execute(update(["name": .null], "age == 20"))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME IS NULL"), "1")
    }

    func test_BAT_03_theResultIsTheCount() throws {
        guard case .count(let count) = try context.execute(update(["age": 1], "age > 20", result: .updatedObjectsCount)) else {
            return XCTFail("not a count")
        }
        XCTAssertEqual(count, 2)
    }

    func test_BAT_03_theResultIsTheIDsOfTheRows() throws {
        let expected = Set(try context.fetch(FetchRequest("Person", "age > 20")).map(\.objectID))
        guard case .objectIDs(let identifiers) = try context.execute(update(["age": 1], "age > 20", result: .updatedObjectIDs)) else {
            return XCTFail("not IDs")
        }
        XCTAssertEqual(Set(identifiers), expected)
    }

    func test_BAT_03_theResultIsSuccessOnly() throws {
        guard case .success = try context.execute(update(["age": 1])) else { return XCTFail("not success") }
    }

    func test_BAT_04_theNextFetchOfAnyUnpinnedContextSeesIt() throws {
        let reader = try makeContext(coordinator)
        XCTAssertEqual(try reader.count(for: FetchRequest("Person", "age == 99")), 0)
        _ = try context.execute(update(["age": 99]))
        XCTAssertEqual(try reader.count(for: FetchRequest("Person", "age == 99")), 3)
    }

    func test_BAT_05_theContextsObjectsStayAsTheyAre() throws {
        let clean = try context.person("dave0"), edited = try context.person("dave1")
        _ = try clean.attributeValue(forKey: "age")
        try edited.setValue(7, forKey: "age")
        _ = try context.execute(update(["age": 99]))
        XCTAssertEqual(try clean.attributeValue(forKey: "age"), 20)
        XCTAssertEqual(try edited.attributeValue(forKey: "age"), 7)
        XCTAssertEqual(context.updatedObjects, [edited])
        XCTAssertTrue(context.hasChanges)
    }

    func test_BAT_06_and_QG_47_noGenerationMoves() throws {
        let second = try makeContext(coordinator)
        for pinned in [context, second].compactMap({ $0 }) {
            try pinned.setQueryGeneration(from: .current)
            _ = try pinned.names()
        }
        let token = context.queryGenerationToken
        _ = try context.execute(update(["name": "same"]))
        XCTAssertEqual(context.queryGenerationToken, token)
        XCTAssertEqual(second.queryGenerationToken, token)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try second.names(), ["dave0", "dave1", "dave2"])
    }

    func test_BAT_07_theRowVersionRisesSoThatASaveMeetsAConflict() throws {
        let person = try context.person("dave0")
        try person.setValue("mine", forKey: "name")
        _ = try makeContext(coordinator).execute(update(["age": 99]))
        assertError(.managedObjectMerge, try context.save())
    }

    func test_BAT_08_noValidationRuns() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string, isOptional: false)])
        ])
        let context = try makeContext(try makeCoordinator(model, name: "strict.sqlite"))
        try context.insertNewObject(forEntityName: "Person").setValue("valid", forKey: "name")
        try context.save()
        _ = try context.execute(update(["name": .null]))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME IS NULL", file: "strict.sqlite"), "1")
    }

    func test_BAT_09_aFaultFiredLaterShowsTheNewValues() throws {
        let realised = try context.person("dave0")
        _ = try realised.attributeValue(forKey: "age")
        let second = try makeContext(coordinator)
        _ = try context.execute(update(["age": 99]))
        XCTAssertEqual(try second.object(with: realised.objectID).attributeValue(forKey: "age"), 99)
        try context.refresh(realised, mergeChanges: false)
        XCTAssertEqual(try realised.attributeValue(forKey: "age"), 99)
    }

    func test_BAT_10_unknownPropertiesRelationshipsAndWrongTypesChangeNothing() throws {
        assertError(.unknownKey, try context.execute(update(["age": 99, "height": 1])))
        assertError(.unknownKey, try context.execute(update(["age": 99, "cars": .null])))
        assertError(.wrongType, try context.execute(update(["age": "old"])))
        assertError(.unknownKey, try context.execute(update(["age": 99], "height == 1")))
        assertError(.unknownEntity, try context.execute(BatchUpdateRequest(entityName: "Nobody")))
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZAGE = 99"), "0")
    }

    func test_BAT_11_aStoreInMemoryIsRefused() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try people())
        let store = try coordinator.addPersistentStore(type: .inMemory)
        let error = assertError(.persistentStoreUnsupportedRequest, try makeContext(coordinator).execute(update(["age": 99])))
        XCTAssertEqual(error?.code, 134091)
        XCTAssertEqual(error?.affectedStores, [store.identifier])
    }

    func test_BAT_14_aRequestOfAnotherKindIsRefused() throws {
        struct SaveRequest: PersistentStoreRequest {}
        let error = assertError(.persistentStoreUnsupportedRequest, try context.execute(SaveRequest()))
        XCTAssertEqual(error?.code, 134091)
    }

    func test_BAT_14_executeTakesFetchRequests() throws {
        var request = FetchRequest(entityName: "Person")
        guard case .objects(let objects) = try context.execute(request) else { return XCTFail("not objects") }
        XCTAssertEqual(objects.count, 3)
        request.resultType = .count
        guard case .count(3) = try context.execute(request) else { return XCTFail("not the count") }
    }

    func test_BAT_15_aChildsRequestReachesTheStores() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let grandchild = ManagedObjectContext(concurrencyType: .privateQueue)
        try grandchild.setParent(child)
        guard case .count(3) = try grandchild.execute(update(["age": 99], result: .updatedObjectsCount)) else {
            return XCTFail("not the count")
        }
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZAGE = 99"), "3")
        XCTAssertFalse(context.hasChanges)
    }
}
