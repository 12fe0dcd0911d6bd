import Foundation
import Pinview
import XCTest

/// Batch inserts, batch deletes, and batch updates that compute: BAT-02, BAT-12, BAT-13.
final class BatchInsertDeleteTests: StackTestCase {
    private func count(_ entity: String) throws -> Int { try makeContext(coordinator).count(for: FetchRequest(entityName: entity)) }

    // MARK: Insert

    func test_BAT_13_rowsAreInsertedFromPropertyMaps() throws {
        var request = BatchInsertRequest(entityName: "Person", objects: [["name": "a", "age": 1], ["name": "b"], [:]])
        request.resultType = .count
        guard case .count(3) = try context.execute(request) else { return XCTFail("not three") }
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE, Z_OPT FROM ZPERSON WHERE Z_PK > 3 ORDER BY Z_PK"), "a|1|1\nb|0|1\n|0|1")
        XCTAssertEqual(context.registeredObjects, [])
    }

    func test_BAT_13_fromACallbackAndFromColumns() throws {
        let numbers = NumberSource(2500)
        var request = BatchInsertRequest(entityName: "Car") { (row) throws(PinviewError) in
            guard let number = numbers.next() else { return false }
            row["name"] = .string("new\(number)")
            return true
        }
        request.resultType = .objectIDs
        guard case .objectIDs(let identifiers) = try context.execute(request) else { return XCTFail("no IDs") }
        XCTAssertEqual(identifiers.count, 2500)
        XCTAssertEqual(Set(identifiers).count, 2500)
        XCTAssertEqual(try context.existingObject(with: identifiers[2499]).string("name"), "new2499")
        _ = try context.execute(BatchInsertRequest(entityName: "Car", columns: ["name": ["x", "y"]]))
        XCTAssertEqual(try count("Car"), 3 + 2500 + 2)
        assertError(.invalidArgument, try BatchInsertRequest(entityName: "Person", columns: ["name": ["x"], "age": [1, 2]]))
    }

    func test_BAT_13_toOneRelationshipsTakeIDs() throws {
        let dave = try context.person("dave0").objectID
        _ = try context.execute(BatchInsertRequest(entityName: "Car", objects: [["name": "second", "owner": .objectID(dave)]]))
        XCTAssertEqual(try context.names("Car", "owner == %@", dave), ["car0", "second"])
    }

    func test_BAT_13_aMistakeInsertsNothing() throws {
        let good: [String: Value] = ["name": "a"]
        assertError(.unknownKey, try context.execute(BatchInsertRequest(entityName: "Person", objects: [good, ["nam": "x"]])))
        assertError(.wrongType, try context.execute(BatchInsertRequest(entityName: "Person", objects: [good, ["age": "x"]])))
        assertError(.unknownKey, try context.execute(BatchInsertRequest(entityName: "Person", objects: [good, ["cars": .null]])))
        assertError(.unknownEntity, try context.execute(BatchInsertRequest(entityName: "Persn", objects: [good])))
        let failing = BatchInsertRequest(entityName: "Person") { (row) throws(PinviewError) in
            throw PinviewError(.invalidArgument, "no more")
        }
        assertError(.invalidArgument, try context.execute(failing))
        XCTAssertEqual(try count("Person"), 3)
    }

    // MARK: Delete

    func test_BAT_12_deletesTheRowsOfAFetchRequest() throws {
        var request = BatchDeleteRequest(fetchRequest: try FetchRequest("Car", "name != 'car0'"))
        request.resultType = .count
        guard case .count(2) = try context.execute(request) else { return XCTFail("not two") }
        XCTAssertEqual(try storedNames("Car"), ["car0"])
    }

    func test_BAT_12_deletesTheWindowOfAFetchRequest() throws {
        for (limit, offset, left) in [(1, 0, ["car0", "car1"]), (1, 1, ["car0"]), (0, 1, ["car0"]), (5, 0, [])] {
            var cars = FetchRequest(entityName: "Car")
            cars.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: offset > 0)]
            cars.fetchLimit = limit
            cars.fetchOffset = offset
            _ = try context.execute(BatchDeleteRequest(fetchRequest: cars))
            XCTAssertEqual(try storedNames("Car"), left, "limit \(limit), offset \(offset)")
        }
    }

    func test_BAT_12_deletesTheRowsOfIDs() throws {
        let car = try XCTUnwrap(try context.fetch(try FetchRequest("Car", "name == 'car1'")).first)
        var request = BatchDeleteRequest(objectIDs: [car.objectID, car.objectID])
        request.resultType = .objectIDs
        guard case .objectIDs([car.objectID]) = try context.execute(request) else { return XCTFail("not it") }
        XCTAssertEqual(try storedNames("Car"), ["car0", "car2"])
        guard case .objectIDs([]) = try context.execute(request) else { return XCTFail("it was gone already") }
        let new = try context.insertNewObject(forEntityName: "Car")
        assertError(.invalidArgument, try context.execute(BatchDeleteRequest(objectIDs: [new.objectID])))
    }

    func test_BAT_12_nullifyClearsReferencesAndRaisesVersions() throws {
        let car = try XCTUnwrap(try context.fetch(try FetchRequest("Car", "name == 'car0'")).first)
        try car.setValue("changed", forKey: "name")
        _ = try other.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Person", "name == 'dave0'")))
        XCTAssertEqual(try sqlite3("SELECT ZOWNER IS NULL, Z_OPT FROM ZCAR WHERE ZNAME = 'car0'"), "1|2")
        XCTAssertThrowsError(try context.save(), "the row has another version")
    }

    func test_BAT_09_deletedRowsLeaveTheRowCache() throws {
        let person = try context.person("dave1")
        try context.refresh(person, mergeChanges: false)
        _ = try other.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Person", "name == 'dave1'")))
        assertError(.managedObjectReferentialIntegrity, try context.existingObject(with: person.objectID))
    }

    func test_BAT_14_aSaveRequestIsNoRequest() throws {
        struct SaveRequest: PersistentStoreRequest {}
        XCTAssertEqual(assertError(.persistentStoreUnsupportedRequest, try context.execute(SaveRequest()))?.code, 134091)
    }

    func test_QG_47_theyDoNotMoveAPinnedContext() throws {
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        let token = context.queryGenerationToken
        _ = try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "new"]]))
        _ = try context.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Person", "name == 'dave0'")))
        XCTAssertEqual(context.queryGenerationToken, token)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try storedNames(), ["dave1", "dave2", "new"])
    }

    // MARK: Updates that compute

    func test_BAT_02_anExpressionComputesFromTheRow() throws {
        var request = BatchUpdateRequest(entityName: "Person")
        request.expressionsToUpdate = [
            "age": try PinviewExpression(format: "age * 2 + cars.@count"), "name": try PinviewExpression(format: "uppercase(name)"),
        ]
        request.predicate = try PinviewPredicate(format: "age > 20")
        _ = try context.execute(request)
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON ORDER BY Z_PK"), "dave0|20\nDAVE1|43\nDAVE2|45")
    }

    func test_BAT_10_anExpressionOfAnotherKindIsRefused() throws {
        var request = BatchUpdateRequest(entityName: "Person")
        request.expressionsToUpdate = ["age": try PinviewExpression(format: "uppercase(name)")]
        assertError(.wrongType, try context.execute(request))
        request.expressionsToUpdate = ["age": try PinviewExpression(format: "nosuch + 1")]
        assertError(.unknownKey, try context.execute(request))
        request.expressionsToUpdate = ["age": try PinviewExpression(format: "cars.name")]
        assertError(.badPredicate, try context.execute(request))
    }
}

/// Delete rules without objects: BAT-12.
final class BatchDeleteRuleTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Folder", attributes: [name],
                relationships: [
                    RelationshipDescription(
                        name: "children", destinationEntityName: "Folder", inverseRelationshipName: "parent", isToMany: true,
                        deleteRule: .cascade),
                    RelationshipDescription(name: "parent", destinationEntityName: "Folder", inverseRelationshipName: "children"),
                    RelationshipDescription(
                        name: "locks", destinationEntityName: "Lock", inverseRelationshipName: "folder", isToMany: true, deleteRule: .deny),
                    RelationshipDescription(name: "tags", destinationEntityName: "Tag", inverseRelationshipName: "folders", isToMany: true),
                ]),
            EntityDescription(
                name: "Lock", attributes: [name],
                relationships: [
                    RelationshipDescription(
                        name: "folder", destinationEntityName: "Folder", inverseRelationshipName: "locks", deleteRule: .cascade)
                ]),
            EntityDescription(
                name: "Tag", attributes: [name],
                relationships: [
                    RelationshipDescription(
                        name: "folders", destinationEntityName: "Folder", inverseRelationshipName: "tags", isToMany: true)
                ]),
        ])
    }

    /// top holds middle, which holds bottom and is tagged red.
    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        var parent: ManagedObject?
        for name in ["top", "middle", "bottom"] {
            let folder = try context.insertNewObject(forEntityName: "Folder")
            try folder.setValue(name, forKey: "name")
            try folder.setRelatedObject(parent, forKey: "parent")
            parent = folder
            guard name == "middle" else { continue }
            let tag = try context.insertNewObject(forEntityName: "Tag")
            try tag.setValue("red", forKey: "name")
            try folder.setRelatedObjects([tag], forKey: "tags")
        }
        try context.save()
    }

    func test_BAT_12_cascadesReachAllLevels() throws {
        var request = BatchDeleteRequest(fetchRequest: try FetchRequest("Folder", "name == 'top'"))
        request.resultType = .count
        guard case .count(1) = try context.execute(request) else { return XCTFail("cascades are not counted") }
        XCTAssertEqual(try storedNames("Folder"), [])
        XCTAssertEqual(try storedNames("Tag"), ["red"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_master, Z_1TAGS"), "0")
    }

    func test_BAT_12_denyStopsAllOfIt() throws {
        let lock = try context.insertNewObject(forEntityName: "Lock")
        try lock.setRelatedObject(try XCTUnwrap(try context.fetch(FetchRequest("Folder", "name == 'bottom'")).first), forKey: "folder")
        try context.save()
        let error = assertError(
            .relationshipDeniedDelete, try context.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Folder", "name == 'top'"))))
        XCTAssertEqual(error?.code, 1600)
        XCTAssertEqual(try storedNames("Folder"), ["bottom", "middle", "top"])

        _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Lock")))
        XCTAssertEqual(try storedNames("Folder"), ["middle", "top"], "who is denied for the sake of one who goes as well may go")
    }
}
