import Foundation
import Pinview
import XCTest

/// Batch inserts that meet rows with the same unique values: UNQ-09.
final class BatchUpsertTests: StackTestCase {
    /// Person (unique: email, and code with team), Employee and Guest below it (Employee unique:
    /// name).
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "email", attributeType: .string),
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 1),
                    AttributeDescription(name: "code", attributeType: .integer64),
                ],
                relationships: [
                    RelationshipDescription(name: "team", destinationEntityName: "Team", inverseRelationshipName: "members")
                ],
                uniquenessConstraints: [["email"], ["team", "code"]]),
            EntityDescription(
                name: "Employee", superentityName: "Person",
                attributes: [AttributeDescription(name: "desk", attributeType: .string)], uniquenessConstraints: [["name"]]),
            EntityDescription(name: "Guest", superentityName: "Person"),
            EntityDescription(
                name: "Team", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "team", isToMany: true, isOrdered: true)
                ]),
        ])
    }

    private var red: ManagedObjectID!

    /// ada and bob, both in the team red.
    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        let team = try context.insertNewObject(forEntityName: "Team")
        try team.setValue("red", forKey: "name")
        for (number, name) in ["ada", "bob"].enumerated() {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(name + "@x", forKey: "email")
            try person.setValue(name, forKey: "name")
            try person.setValue(30 + number, forKey: "age")
            try person.setValue(number, forKey: "code")
            try person.setRelatedObject(team, forKey: "team")
        }
        try context.save()
        red = team.objectID
    }

    private func insert(
        _ rows: [[String: Value]], _ policy: MergePolicy, _ entity: String = "Person", in context: ManagedObjectContext? = nil
    ) throws -> BatchInsertResult {
        var request = BatchInsertRequest(entityName: entity, objects: rows)
        request.mergePolicy = policy
        request.resultType = .objectIDs
        return try (context ?? self.context).batchInsert(request)
    }

    private func counts(_ result: BatchInsertResult) -> [Int] { [result.insertedCount, result.updatedCount, result.leftCount] }

    /// email, name, age, version.
    private func rows(_ columns: String = "ZEMAIL, ZNAME, ZAGE, Z_OPT") throws -> [String] {
        try sqlite3("SELECT \(columns) FROM ZPERSON ORDER BY Z_PK").split(separator: "\n").map(String.init)
    }

    private let stored = ["ada@x|ada|30|1", "bob@x|bob|31|1"]

    // MARK: Policies

    func test_UNQ_09_theDefaultIsAnErrorThatNamesRowConstraintAndValue() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump  // is not the request's
        let request = BatchInsertRequest(entityName: "Person", objects: [["email": "new@x"], ["email": "ada@x", "name": "other"]])
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.execute(request)))
        XCTAssertTrue(error.message.contains("Row 2"), error.message)
        XCTAssertTrue(error.message.contains("constraint email"), error.message)
        XCTAssertTrue(error.message.contains("email \"ada@x\""), error.message)
        let ada = try context.person("ada")
        XCTAssertEqual(error.affectedObjectIDs, [ada.objectID])
        XCTAssertEqual(try rows(), stored)
    }

    func test_UNQ_09_anErrorListsTheConflicts() throws {
        let rows: [[String: Value]] = [
            ["email": "new@x"], ["email": "ada@x", "name": "Ada", "team": .objectID(red), "code": 7], ["email": "new@x", "age": 4],
        ]
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try insert(rows, .error)))
        let conflict = try XCTUnwrap(error.constraintConflicts.first)
        XCTAssertEqual(conflict.entityName, "Person")
        XCTAssertEqual(conflict.constraint, ["email"])
        XCTAssertEqual(conflict.constraintValues, ["email": "ada@x"])
        XCTAssertEqual(conflict.databaseObjectID, error.affectedObjectIDs.first)
        XCTAssertEqual(conflict.databaseSnapshot?["name"], "ada")
        XCTAssertEqual(conflict.databaseSnapshot?["team"], .objectID(red))
        XCTAssertEqual(conflict.conflictingObjectIDs, [])
        XCTAssertEqual(
            conflict.conflictingSnapshots, [["email": "ada@x", "name": "Ada", "age": 1, "code": 7, "team": .objectID(red)]])
    }

    func test_UNQ_09_anErrorListsConflictsWithinTheBatch() throws {
        let error = try XCTUnwrap(
            assertError(.managedObjectConstraintMerge, try insert([["email": "new@x", "age": 3], ["email": "new@x", "age": 4]], .error)))
        let conflict = try XCTUnwrap(error.constraintConflicts.first)
        XCTAssertNil(conflict.databaseObjectID)
        XCTAssertEqual(conflict.conflictingSnapshots.map { $0["age"] }, [3, 4])
        let two = try XCTUnwrap(
            assertError(
                .managedObjectConstraintMerge,
                try insert([["email": "ada@x", "team": .objectID(red), "code": 1]], .mergeByPropertyObjectTrump)))
        XCTAssertEqual(two.constraintConflicts.map(\.constraint), [["email"], ["team", "code"]])
        XCTAssertEqual(Set(two.constraintConflicts.compactMap(\.databaseObjectID)).count, 2)
    }

    func test_UNQ_09_objectTrumpInsertsOrUpdates() throws {
        let result = try insert(
            [["email": "new@x", "name": "new"], ["email": "ada@x", "name": "Ada"], ["email": "bob@x", "age": 31], ["email": nil]],
            .mergeByPropertyObjectTrump)
        XCTAssertEqual(counts(result), [2, 1, 1])
        XCTAssertEqual(try rows(), ["ada@x|Ada|30|2", "bob@x|bob|31|1", "new@x|new|1|1", "||1|1"])
        let fetched = try result.objectIDs.map { try other.existingObject(with: $0).string("name") }
        XCTAssertEqual(fetched, ["new", "Ada", "bob", nil], "one ID for each row, in their order")
        XCTAssertEqual(result.objectIDs.map(\.entity.name), ["Person", "Person", "Person", "Person"])
    }

    func test_UNQ_09_objectTrumpTakesGivenNullsAndLeavesTheRest() throws {
        XCTAssertEqual(counts(try insert([["email": "ada@x", "name": nil]], .mergeByPropertyObjectTrump)), [0, 1, 0])
        XCTAssertEqual(try rows("ZEMAIL, ZNAME, ZAGE, ZCODE, Z_OPT"), ["ada@x||30|0|2", "bob@x|bob|31|1|1"])
    }

    func test_UNQ_09_overwriteTakesDefaultsAndNullsToo() throws {
        XCTAssertEqual(counts(try insert([["email": "ada@x", "name": "Ada"]], .overwrite)), [0, 1, 0])
        XCTAssertEqual(
            try rows("ZEMAIL, ZNAME, ZAGE, IFNULL(ZCODE, 'null'), IFNULL(ZTEAM, 'null'), Z_OPT"),
            ["ada@x|Ada|1|null|null|2", "bob@x|bob|31|1|1|1"])
    }

    func test_UNQ_09_storeTrumpAndRollbackInsertOrIgnore() throws {
        for policy in [MergePolicy.mergeByPropertyStoreTrump, .rollback] {
            let name = "new\(policy.rawValue)"
            let result = try insert([["email": "ada@x", "name": "Ada", "age": 9], ["email": .string(name), "name": "n"]], policy)
            XCTAssertEqual(counts(result), [1, 0, 1])
            XCTAssertEqual(Array(try rows().prefix(2)), stored)
            XCTAssertEqual(try other.existingObject(with: result.objectIDs[0]).string("name"), "ada")
            XCTAssertEqual(try other.existingObject(with: result.objectIDs[1]).string("email"), name)
        }
    }

    func test_UNQ_09_aPolicyOfTheProgramIsRefused() throws {
        assertError(.invalidArgument, try insert([["email": "ada@x"]], .custom { _ in [] }))
    }

    // MARK: Rows

    func test_UNQ_09_executeCountsInsertedAndUpdatedRows() throws {
        var request = BatchInsertRequest(
            entityName: "Person", objects: [["email": "ada@x", "age": 5], ["email": "new@x"], ["email": "bob@x"]])
        request.mergePolicy = .mergeByPropertyObjectTrump
        request.resultType = .count
        guard case .count(2) = try context.execute(request) else { return XCTFail("one updated, one inserted") }
    }

    func test_UNQ_09_fromColumnsAndFromACallback() throws {
        var columns = try BatchInsertRequest(entityName: "Person", columns: ["email": ["ada@x", "new@x"], "age": [40, 41]])
        columns.mergePolicy = .mergeByPropertyObjectTrump
        XCTAssertEqual(counts(try context.batchInsert(columns)), [1, 1, 0])
        let numbers = Numbers(3)
        var callback = BatchInsertRequest(entityName: "Person") { (row) throws(PinviewError) in
            guard let number = numbers.next() else { return false }
            row = ["email": .string(["bob@x", "new@x", "last@x"][number]), "age": .integer(Int64(50 + number))]
            return true
        }
        callback.mergePolicy = .mergeByPropertyObjectTrump
        XCTAssertEqual(counts(try context.batchInsert(callback)), [1, 2, 0])
        XCTAssertEqual(try rows("ZEMAIL, ZAGE"), ["ada@x|40", "bob@x|50", "new@x|51", "last@x|52"])
    }

    func test_UNQ_09_fromAStreamOfColumns() throws {
        let source = try makeCoordinator(try model(), name: "source.sqlite")
        let sourceContext = try makeContext(source)
        _ = try sourceContext.execute(
            BatchInsertRequest(entityName: "Person", columns: ["email": ["ada@x", "s1@x", "bob@x"], "age": [70, 71, 31]]))
        var fetch = FetchRequest(entityName: "Person")
        fetch.propertiesToFetch = ["email", "age"]
        var request = BatchInsertRequest(entityName: "Person", columns: try sourceContext.fetchColumns(fetch))
        request.mergePolicy = .mergeByPropertyObjectTrump
        XCTAssertEqual(counts(try context.batchInsert(request)), [1, 1, 1])
        XCTAssertEqual(try rows(), ["ada@x|ada|70|2", "bob@x|bob|31|1", "s1@x||71|1"])
        var again = BatchInsertRequest(entityName: "Person", columns: try sourceContext.fetchColumns(fetch))
        again.mergePolicy = .error
        let error = assertError(.managedObjectConstraintMerge, try context.batchInsert(again))
        XCTAssertTrue(error?.message.contains("Row 1 of the batch insert of Person violates the constraint email") == true, "\(error!)")
    }

    func test_UNQ_09_duplicatesWithinTheBatchAreResolvedInOrder() throws {
        let rows: [[String: Value]] = [
            ["email": "d@x", "name": "first", "age": 3], ["email": "d@x", "name": "second"], ["email": "d@x", "name": "second"],
        ]
        let result = try insert(rows, .mergeByPropertyObjectTrump)
        XCTAssertEqual(counts(result), [1, 1, 1])
        XCTAssertEqual(Set(result.objectIDs).count, 1)
        XCTAssertEqual(try self.rows("ZEMAIL, ZNAME, ZAGE").last, "d@x|second|3")
        XCTAssertEqual(counts(try insert([["email": "e@x", "name": "1"], ["email": "e@x", "name": "2"]], .rollback)), [1, 0, 1])
        XCTAssertEqual(try self.rows("ZEMAIL, ZNAME").last, "e@x|1")
        let error = assertError(.managedObjectConstraintMerge, try insert([["email": "f@x"], ["email": "f@x"]], .error))
        XCTAssertTrue(error?.message.contains("Row 2") == true && error?.message.contains("row 1 of the same batch") == true, "\(error!)")
    }

    func test_UNQ_09_manyRowsWithOtherPropertiesEach() throws {
        var rows: [[String: Value]] = []
        for number in 0..<1000 {
            var row: [String: Value] = ["email": .string("p\(number % 700)@x")]
            if number % 3 == 0 { row["name"] = .string("name\(number)") }
            if number % 5 == 0 { row["age"] = .integer(Int64(number)) }
            rows.append(row)
        }
        let result = try insert(rows, .mergeByPropertyObjectTrump)
        XCTAssertEqual(result.insertedCount, 700)
        XCTAssertEqual(result.updatedCount + result.leftCount, 300)
        XCTAssertEqual(result.objectIDs[0], result.objectIDs[700])
        let first = try other.existingObject(with: result.objectIDs[5])
        XCTAssertEqual([try first.string("name"), try first.attributeValue(forKey: "age").description], ["name705", "705"])
    }

    func test_UNQ_09_theNextKeyFollowsTheLastRow() throws {
        _ = try insert((0..<200).map { ["email": "ada@x", "age": .integer($0)] }, .mergeByPropertyObjectTrump)
        let result = try insert([["email": "n@x"]], .error)
        XCTAssertEqual(try sqlite3("SELECT Z_PK FROM ZPERSON WHERE ZEMAIL = 'n@x'"), "3", "updates use no keys up")
        XCTAssertEqual(try sqlite3("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'"), "3")
        XCTAssertEqual(result.objectIDs.count, 1)
    }

    // MARK: Constraints

    func test_UNQ_09_nullsNeverMeet_andTextComparesByBytes() throws {
        let result = try insert(
            [["email": nil], ["email": nil], ["email": "ADA@X"], ["email": "a\u{0301}@x"], ["email": "\u{e1}@x"]],
            .mergeByPropertyObjectTrump)
        XCTAssertEqual(counts(result), [5, 0, 0])
    }

    func test_UNQ_09_severalPropertiesAndARelationship() throws {
        let result = try insert(
            [["team": .objectID(red), "code": 1, "name": "Bob"], ["team": .objectID(red), "code": 7], ["team": nil, "code": 1]],
            .mergeByPropertyObjectTrump)
        XCTAssertEqual(counts(result), [2, 1, 0])
        XCTAssertEqual(try rows().prefix(2), ["ada@x|ada|30|1", "bob@x|Bob|31|2"])
        let error = assertError(.managedObjectConstraintMerge, try insert([["team": .objectID(red), "code": 0]], .error))
        XCTAssertTrue(
            error?.message.contains("(team, code)") == true && error?.message.contains(red.uriRepresentation) == true, "\(error!)")
    }

    func test_UNQ_09_aRowThatMeetsTwoOthersIsAnErrorThatNamesBoth() throws {
        let ids = try ["ada", "bob"].map { try context.person($0).objectID }
        for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            let row: [String: Value] = ["email": "ada@x", "team": .objectID(red), "code": 1]
            let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try insert([["email": "n@x"], row], policy)))
            XCTAssertEqual(error.affectedObjectIDs, ids)
            XCTAssertTrue(error.message.contains("Row 2") && error.message.contains("email \"ada@x\""), error.message)
            XCTAssertTrue(error.message.contains("code 1"), error.message)
            XCTAssertEqual(try rows(), stored)
        }
        let result = try insert([["email": "ada@x", "team": .objectID(red), "code": 1]], .mergeByPropertyStoreTrump)
        XCTAssertEqual(result.objectIDs, [ids[0]], "the constraint that the model lists first counts")
    }

    func test_UNQ_09_inheritedConstraints() throws {
        XCTAssertEqual(counts(try insert([["email": "e@x", "name": "eve", "desk": "1"]], .error, "Employee")), [1, 0, 0])
        // Through the parent, the sub-entity's row is updated.
        let result = try insert([["email": "e@x", "age": 8]], .mergeByPropertyObjectTrump)
        XCTAssertEqual(counts(result), [0, 1, 0])
        XCTAssertEqual(result.objectIDs[0].entity.name, "Employee")
        // A row of the parent or of a sibling cannot become an employee.
        let error = assertError(
            .managedObjectConstraintMerge, try insert([["email": "ada@x", "desk": "2"]], .mergeByPropertyObjectTrump, "Employee"))
        XCTAssertTrue(error?.message.contains("an object of Person") == true, "\(error!)")
        assertError(.managedObjectConstraintMerge, try insert([["email": "e@x"]], .overwrite, "Guest"))
        XCTAssertEqual(counts(try insert([["email": "ada@x"]], .rollback, "Employee")), [0, 0, 1])
        // The employee's own constraint, on an inherited property, binds employees only.
        XCTAssertEqual(counts(try insert([["name": "eve"], ["name": "eve"]], .mergeByPropertyObjectTrump)), [2, 0, 0])
        XCTAssertEqual(counts(try insert([["name": "eve", "desk": "3"]], .mergeByPropertyObjectTrump, "Employee")), [0, 1, 0])
        XCTAssertEqual(try sqlite3("SELECT ZEMAIL, ZDESK, ZAGE FROM ZPERSON WHERE ZDESK IS NOT NULL"), "e@x|3|8")
    }

    func test_UNQ_09_movingToAnotherOwnerGivesUpThePlaceAmongTheFormerOnesMembers() throws {
        let blue = try context.insertNewObject(forEntityName: "Team")
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT count(Z_FOK_TEAM) FROM ZPERSON"), "2")
        _ = try insert(
            [["email": "ada@x", "team": .objectID(blue.objectID)], ["email": "bob@x", "team": .objectID(red), "age": 9]],
            .mergeByPropertyObjectTrump)
        XCTAssertEqual(try sqlite3("SELECT Z_FOK_TEAM IS NULL FROM ZPERSON ORDER BY Z_PK"), "1\n0")
        let members = try other.existingObject(with: blue.objectID).relatedObjects(forKey: "members")
        XCTAssertEqual(try members.map { try $0.string("email") }, ["ada@x"])
    }

    func test_UNQ_09_aStoreWithoutTheIndexIsAnErrorUnlessThePolicyIsError() throws {
        try sqlite3("DROP INDEX Z_Person_UNIQUE_email")
        assertError(.persistentStoreUnsupportedRequest, try insert([["email": "ada@x"]], .mergeByPropertyObjectTrump))
        XCTAssertEqual(counts(try insert([["email": "n@x"]], .error)), [1, 0, 0])
        // The columns in another order, and as an index with the entity's number, as other programs
        // make it.
        try sqlite3("CREATE UNIQUE INDEX byemail ON ZPERSON (Z_ENT, ZEMAIL)")
        XCTAssertEqual(counts(try insert([["email": "ada@x", "age": 2]], .mergeByPropertyObjectTrump)), [0, 1, 0])
    }

    // MARK: What others see

    func test_UNQ_09_aRegisteredObjectIsRefreshedToTheUpdatedRow_andASaveOverItIsAConflict() throws {
        let ada = try context.person("ada")
        XCTAssertEqual(try ada.string("name"), "ada")
        _ = try insert([["email": "ada@x", "name": "Ada"]], .mergeByPropertyObjectTrump, in: other)
        XCTAssertEqual(try ada.string("name"), "ada", "objects are not refreshed unasked")
        try context.refresh(ada, mergeChanges: true)
        XCTAssertEqual(try ada.string("name"), "Ada")
        _ = try insert([["email": "ada@x", "name": "ADA"]], .mergeByPropertyObjectTrump, in: other)
        try ada.setValue(99, forKey: "age")
        assertError(.managedObjectMerge, try context.save())
    }

    func test_UNQ_09_aPinnedContextDoesNotMove() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.count(for: FetchRequest(entityName: "Person"))
        _ = try insert([["email": "ada@x", "name": "Ada"]], .mergeByPropertyObjectTrump)
        XCTAssertEqual(try context.names(), ["ada", "bob"])
        XCTAssertEqual(try storedNames(), ["Ada", "bob"])
    }

    func test_UNQ_09_theHistoryListsInsertsAndUpdatesWithWhatChanged() throws {
        let kept = try makeCoordinator(try model(), name: "kept.sqlite", options: ["historyTracking": true])
        let context = try makeContext(kept)
        _ = try insert([["email": "ada@x", "name": "ada", "age": 1], ["email": "bob@x"], ["email": "cid@x"]], .error, in: context)
        let rows: [[String: Value]] = [
            ["email": "ada@x", "name": "Ada", "age": 1], ["email": "new@x", "name": "n", "age": 2],
            ["email": "bob@x", "name": nil, "age": 1],
            ["email": "cid@x", "name": "c", "age": 1], ["email": "new@x", "name": "N", "age": 2],
            ["email": "ada@x", "name": "Ada", "age": 3],
        ]
        let result = try insert(rows, .mergeByPropertyObjectTrump, in: context)
        XCTAssertEqual(counts(result), [1, 4, 1])
        guard case .transactions(let transactions) = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil)) else {
            return XCTFail("no transactions")
        }
        let changes = try XCTUnwrap(transactions.last?.changes)
        XCTAssertEqual(transactions.count, 2)
        let told = changes.map { change in
            "\(change.changedObjectID.uriRepresentation.split(separator: "/").last!) \(change.changeType) "
                + change.updatedProperties.sorted().joined(separator: ",")
        }
        XCTAssertEqual(Set(told), ["p1 update age,name", "p5 insert ", "p3 update name"])
        XCTAssertEqual(told.count, 3, "each row once")
    }
}

/// Counts up to a number, for any thread.
private final class Numbers: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var last = -1
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    func next() -> Int? {
        lock.withLock {
            guard last + 1 < limit else { return nil }
            last += 1
            return last
        }
    }
}
