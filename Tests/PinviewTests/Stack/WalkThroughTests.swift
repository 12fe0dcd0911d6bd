import Pinview
import XCTest

/// The pinned-context walk-through of the ledger, section 18: EX-01 to EX-23, step by step.
final class WalkThroughTests: StoreTestCase {
    /// The two contexts and how to run the steps.
    private struct Stage {
        let coordinator: PersistentStoreCoordinator
        let contextA: ManagedObjectContext
        let contextB: ManagedObjectContext
    }

    /// EX-01: 24 persons with one car each; both contexts have read nothing.
    private func makeStage(policyOfA: MergePolicy = .mergeByPropertyObjectTrump) throws -> Stage {
        let coordinator = try makeCoordinator()
        try fill(coordinator)
        let contextA = try makeContext(coordinator)
        contextA.mergePolicy = policyOfA
        return Stage(coordinator: coordinator, contextA: contextA, contextB: try makeContext(coordinator))
    }

    private func request(_ name: String) throws -> FetchRequest { try FetchRequest("Person", "name == %@", name) }

    /// EX-07 to EX-09: B deletes dave0's car and renames everyone.
    private func editInB(_ stage: Stage) throws {
        try stage.contextB.performAndWait {
            let persons = try request("dave0").execute()
            XCTAssertEqual(persons.count, 1)
            let cars = try persons[0].relatedObjects(forKey: "cars")
            XCTAssertEqual(cars.count, 1)
            try stage.contextB.delete(cars[0])
            try stage.contextB.save()
            var update = BatchUpdateRequest(entityName: "Person")
            update.propertiesToUpdate = ["name": "DaveUpdate"]
            update.resultType = .updatedObjectsCount
            guard case .count(let count) = try stage.contextB.execute(update) else { return XCTFail("no count") }
            XCTAssertEqual(count, 24)
        }
    }

    func test_EX_01_to_EX_20_thePinnedContextIsUnchanged() throws {
        let stage = try makeStage()
        let contextA = stage.contextA
        try contextA.performAndWait {
            XCTAssertNil(contextA.queryGenerationToken)  // EX-02
            try contextA.setQueryGeneration(from: .current)  // EX-03
            XCTAssertNotNil(contextA.queryGenerationToken)
            let firstResult = try request("dave0").execute()  // EX-04
            XCTAssertEqual(firstResult.count, 1)
            let dave0 = firstResult[0]
            let cars = try dave0.relatedObjects(forKey: "cars")  // EX-05
            XCTAssertEqual(cars.count, 1)
            XCTAssertEqual(try cars[0].value(forKey: "name") as? String, "car0")
            XCTAssertEqual(try dave0.value(forKey: "age") as? Int64, 20)  // EX-06

            try editInB(stage)  // EX-07, EX-08, EX-09

            // EX-10: the store as the sqlite3 tool sees it.
            XCTAssertEqual(try sqlite3("SELECT DISTINCT ZNAME FROM ZPERSON"), "DaveUpdate")
            XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR WHERE ZNAME = 'car0'"), "0")

            let dave23Result = try request("dave23").execute()  // EX-11
            XCTAssertEqual(dave23Result.count, 1)
            let dave23 = dave23Result[0]
            XCTAssertEqual(try dave23.value(forKey: "name") as? String, "dave23")  // EX-12
            XCTAssertNotNil(contextA.queryGenerationToken)  // EX-13
            let again = try request("dave0").execute()  // EX-14
            XCTAssertEqual(again.count, 1)
            XCTAssertEqual(try again[0].countOfRelatedObjects(forKey: "cars"), 1)
            XCTAssertEqual(try again[0].relatedObjects(forKey: "cars")[0].value(forKey: "name") as? String, "car0")

            try dave23.setValue("NAME_23", forKey: "name")  // EX-16
            XCTAssertTrue(contextA.hasChanges)
            try contextA.save()  // EX-17
            XCTAssertNil(contextA.queryGenerationToken)
            XCTAssertEqual(try dave23Result[0].value(forKey: "name") as? String, "NAME_23")  // EX-18

            XCTAssertEqual(try request("dave0").execute().count, 0)  // EX-19
            XCTAssertTrue(try request("NAME_23").execute().elementsEqual([dave23]))
            XCTAssertNotNil(contextA.queryGenerationToken)
            XCTAssertEqual(try dave0.value(forKey: "name") as? String, "dave0")

            try contextA.refreshAllObjects()  // EX-20
            XCTAssertEqual(try dave0.value(forKey: "name") as? String, "DaveUpdate")
            XCTAssertEqual(try dave0.countOfRelatedObjects(forKey: "cars"), 0)
            try contextA.setQueryGeneration(from: .current)
            XCTAssertEqual(contextA.queryGenerationToken, .current)
        }
    }

    func test_EX_15_aRelationshipFirstTouchedAfterTheDeletionIsThatOfTheGeneration() throws {
        let stage = try makeStage()
        try stage.contextA.performAndWait {
            try stage.contextA.setQueryGeneration(from: .current)
            let dave0 = try request("dave0").execute()[0]
            try editInB(stage)
            let cars = try dave0.relatedObjects(forKey: "cars")
            XCTAssertEqual(cars.count, 1)
            XCTAssertEqual(try cars[0].value(forKey: "name") as? String, "car0")
        }
    }

    func test_EX_21_unpinnedTheRenamedPersonIsNotFound() throws {
        let stage = try makeStage()
        try stage.contextA.performAndWait {
            XCTAssertEqual(try request("dave0").execute().count, 1)
            try editInB(stage)
            XCTAssertEqual(try request("dave23").execute().count, 0)
        }
    }

    func test_EX_22_unpinnedAnUntouchedRelationshipIsEmptyAfterTheDeletion() throws {
        let stage = try makeStage()
        try stage.contextA.performAndWait {
            let dave0 = try request("dave0").execute()[0]
            try editInB(stage)
            XCTAssertEqual(try dave0.countOfRelatedObjects(forKey: "cars"), 0)
        }
    }

    func test_EX_23_underTheErrorPolicyTheSaveConflictsAndNothingMoves() throws {
        let stage = try makeStage(policyOfA: .error)
        let contextA = stage.contextA
        try contextA.performAndWait {
            try contextA.setQueryGeneration(from: .current)
            let dave23 = try request("dave23").execute()[0]
            try editInB(stage)
            let token = contextA.queryGenerationToken
            try dave23.setValue("NAME_23", forKey: "name")
            let error = assertError(.managedObjectMerge, try contextA.save())
            XCTAssertEqual(error?.conflicts.count, 1)
            XCTAssertEqual(error?.conflicts.first?.objectID, dave23.objectID)
            XCTAssertEqual(contextA.queryGenerationToken, token)
            XCTAssertNotNil(token)
            XCTAssertEqual(try request("dave0").execute().count, 1)
            XCTAssertTrue(contextA.hasChanges)
            XCTAssertEqual(try dave23.value(forKey: "name") as? String, "NAME_23")
        }
    }
}
