import Pinview
import XCTest

/// Pinning, advancing and unpinning one context: QG-01 to QG-26.
final class PinningTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var pinned: ManagedObjectContext!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        pinned = try makeContext(coordinator)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        pinned = nil
        other = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    /// Commits a change of one person through the other context.
    private func rename(_ name: String, to newName: String) throws {
        try other.person(name).setValue(newName, forKey: "name")
        try other.save()
    }

    private func add(_ name: String) throws {
        try other.insertNewObject(forEntityName: "Person").setValue(name, forKey: "name")
        try other.save()
    }

    /// Pins the context and takes its generation by a read.
    private func pin() throws {
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.names()
    }

    func test_QG_01_laterCommitsOfTheCoordinatorStayInvisible() throws {
        try pin()
        try rename("dave0", to: "renamed")
        try add("new")
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
    }

    func test_QG_02_commitsOfASecondStackStayInvisible() throws {
        try pin()
        let stack = try makeCoordinator()
        let context = try makeContext(stack)
        try context.person("dave0").setValue("renamed", forKey: "name")
        try context.save()
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try context.names(), ["dave1", "dave2", "renamed"])
    }

    func test_QG_02_commitsOfAnotherProcessStayInvisible() throws {
        try pin()
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'renamed' WHERE ZNAME = 'dave0'")
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(try other.names(), ["dave1", "dave2", "renamed"])
    }

    func test_QG_03_aNewContextIsUnpinned() throws {
        XCTAssertNil(pinned.queryGenerationToken)
    }

    func test_ONE_09_afterASaveAPinnedContextReportsThatItsNextReadSelectsTheGeneration() throws {
        XCTAssertEqual(pinned.queryGenerationState, .unpinned)
        try pin()
        XCTAssertEqual(pinned.queryGenerationState, .pinned)

        try pinned.person("dave1").setValue("changed", forKey: "name")
        try pinned.save()

        XCTAssertEqual(pinned.queryGenerationState, .pinnedAtNextRead)
        _ = try pinned.names()
        XCTAssertEqual(pinned.queryGenerationState, .pinned)
        try pinned.setQueryGeneration(from: nil)
        XCTAssertEqual(pinned.queryGenerationState, .unpinned)
    }

    func test_QG_04_anUnpinnedFetchSeesEveryCommit() throws {
        XCTAssertEqual(try pinned.names().count, 3)
        try add("new")
        XCTAssertEqual(try pinned.names().count, 4)
        try sqlite3("DELETE FROM ZPERSON WHERE ZNAME = 'new'")
        XCTAssertEqual(try pinned.names().count, 3)
        XCTAssertNil(pinned.queryGenerationToken)
    }

    func test_QG_05_theTokenIsThereStraightAfterPinning() throws {
        try pinned.setQueryGeneration(from: .current)
        XCTAssertNotNil(pinned.queryGenerationToken)
    }

    func test_QG_06_pinIsLazy() throws {
        try pinned.setQueryGeneration(from: .current)
        try rename("dave0", to: "renamed")
        XCTAssertEqual(try pinned.names(), ["dave1", "dave2", "renamed"])
    }

    func test_QG_07_theFirstFetchFixesTheGeneration() throws {
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.count(for: FetchRequest(entityName: "Person"))
        try rename("dave0", to: "renamed")
        XCTAssertEqual(try pinned.names().first, "dave0")
    }

    func test_QG_07_firingAFaultFixesTheGeneration() throws {
        let identifier = try other.person("dave0").objectID
        try pinned.setQueryGeneration(from: .current)
        let fault = try pinned.object(with: identifier)
        XCTAssertEqual(try fault.attributeValue(forKey: "name"), "dave0")
        try rename("dave1", to: "renamed")
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
    }

    func test_QG_07_firingAFaultOutOfTheRowCacheFixesTheGeneration() throws {
        let kept = try other.person("dave0")
        _ = try kept.attributeValue(forKey: "name")
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.object(with: kept.objectID).attributeValue(forKey: "name")
        XCTAssertEqual(pinned.queryGenerationToken?.isCurrent, false)
        try rename("dave1", to: "renamed")
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
    }

    func test_QG_08_readsFixTheGeneration() throws {
        let reads: [(String, (ManagedObjectContext, ManagedObjectID) throws -> Void)] = [
            ("fetch", { context, _ in _ = try context.fetch(FetchRequest(entityName: "Person")) }),
            ("count", { context, _ in _ = try context.count(for: FetchRequest(entityName: "Person")) }),
            ("execute", { context, _ in _ = try context.execute(FetchRequest(entityName: "Person")) }),
            ("attribute fault", { context, id in _ = try context.object(with: id).attributeValue(forKey: "name") }),
            ("to-many fault", { context, id in _ = try context.object(with: id).relatedObjects(forKey: "cars") }),
            ("existingObject", { context, id in _ = try context.existingObject(with: id) }),
            ("existingObjects", { context, id in _ = try context.existingObjects(with: [id]) }),
            ("refresh merging", { context, id in try context.refresh(context.object(with: id), mergeChanges: true) }),
            (
                "delete propagation",
                { context, id in
                    try context.delete(context.object(with: id))
                    try context.processPendingChanges()
                }
            ),
        ]
        let identifier = try other.person("dave0").objectID
        for (name, read) in reads {
            let context = try makeContext(coordinator)
            try context.setQueryGeneration(from: .current)
            try read(context, identifier)
            XCTAssertEqual(context.queryGenerationToken?.isCurrent, false, name)
        }
    }

    func test_QG_08_loadingTheNextBatchIsARead() throws {
        var request = FetchRequest(entityName: "Person")
        request.fetchBatchSize = 1
        let result = try pinned.fetch(request)
        try pinned.setQueryGeneration(from: .current)
        _ = result[0]
        XCTAssertEqual(pinned.queryGenerationToken?.isCurrent, false)
    }

    func test_QG_08_otherCallsLeaveTheContextInPinOnRead() throws {
        let realised = try pinned.person("dave0")
        _ = try realised.attributeValue(forKey: "name")
        let unread = try other.person("dave1").objectID
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.registeredObject(for: unread)
        _ = try pinned.object(with: unread)
        _ = try realised.attributeValue(forKey: "name")
        try realised.setValue("edited", forKey: "name")
        _ = try pinned.insertNewObject(forEntityName: "Person")
        _ = pinned.hasChanges
        _ = pinned.insertedObjects.union(pinned.updatedObjects).union(pinned.deletedObjects)
        var update = BatchUpdateRequest(entityName: "Car")
        update.propertiesToUpdate = ["name": "car"]
        _ = try pinned.execute(update)
        let clean = try pinned.object(with: unread)
        try pinned.refresh(clean, mergeChanges: false)
        XCTAssertEqual(pinned.queryGenerationToken, .current)
    }

    func test_QG_09_and_QG_10_anotherContextsTokenGivesTheSameGeneration() throws {
        try pin()
        try rename("dave0", to: "renamed")
        let aligned = try makeContext(coordinator)
        try aligned.setQueryGeneration(from: pinned.queryGenerationToken)
        XCTAssertEqual(try aligned.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(aligned.queryGenerationToken, pinned.queryGenerationToken)  // QG-10
        let newer = try makeContext(coordinator)
        try newer.setQueryGeneration(from: .current)
        _ = try newer.names()
        XCTAssertNotEqual(newer.queryGenerationToken, pinned.queryGenerationToken)
    }

    func test_QG_11_aTokenGoesToBytesAndBack() throws {
        try pin()
        let token = try XCTUnwrap(pinned.queryGenerationToken)
        let copy = try QueryGenerationToken(data: token.data())
        XCTAssertEqual(copy, token)
        XCTAssertEqual(copy.hashValue, token.hashValue)
        XCTAssertFalse(copy.description.isEmpty)
        try rename("dave0", to: "renamed")
        let aligned = try makeContext(coordinator)
        try aligned.setQueryGeneration(from: copy)
        XCTAssertEqual(try aligned.names().first, "dave0")
    }

    func test_QG_11_alteredBytesAreNoToken() throws {
        try pin()
        var bytes = try XCTUnwrap(pinned.queryGenerationToken).data()
        bytes[20] ^= 1
        assertError(.invalidArgument, try QueryGenerationToken(data: bytes))
        assertError(.invalidArgument, try QueryGenerationToken(data: Array(bytes.dropLast())))
        assertError(.invalidArgument, try QueryGenerationToken(data: []))
    }

    func test_QG_12_theTokenIsCurrentBeforeTheReadAndRealAfterIt() throws {
        XCTAssertNil(pinned.queryGenerationToken)
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(pinned.queryGenerationToken, .current)
        _ = try pinned.names()
        XCTAssertEqual(pinned.queryGenerationToken?.isCurrent, false)
    }

    func test_QG_13_nilUnpins() throws {
        try pin()
        try rename("dave0", to: "renamed")
        try pinned.setQueryGeneration(from: nil)
        XCTAssertNil(pinned.queryGenerationToken)
        XCTAssertEqual(try pinned.names(), ["dave1", "dave2", "renamed"])
    }

    func test_QG_14_currentAdvancesLazily() throws {
        try pin()
        try rename("dave0", to: "first")
        try pinned.setQueryGeneration(from: .current)
        try rename("dave1", to: "second")
        XCTAssertEqual(try pinned.names(), ["dave2", "first", "second"])
        try rename("dave2", to: "third")
        XCTAssertEqual(try pinned.names(), ["dave2", "first", "second"])
    }

    func test_QG_15_aContextGoesBackToAGenerationThatAnotherStillUses() throws {
        try pin()
        try rename("dave0", to: "renamed")
        let newer = try makeContext(coordinator)
        try newer.setQueryGeneration(from: .current)
        XCTAssertEqual(try newer.names().last, "renamed")
        try newer.setQueryGeneration(from: pinned.queryGenerationToken)
        XCTAssertEqual(try newer.names(), ["dave0", "dave1", "dave2"])
    }

    func test_QG_16_changingTheGenerationLeavesRealisedObjectsAlone() throws {
        try pin()
        let dave0 = try pinned.person("dave0")
        _ = try dave0.attributeValue(forKey: "name")
        try rename("dave0", to: "renamed")
        try pinned.setQueryGeneration(from: .current)
        _ = try pinned.names()
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "dave0")
        try pinned.setQueryGeneration(from: nil)
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "dave0")
    }

    func test_QG_17_refreshAllObjectsShowsTheNewGeneration() throws {
        try pin()
        let dave0 = try pinned.person("dave0")
        _ = try dave0.attributeValue(forKey: "name")
        try rename("dave0", to: "renamed")
        try pinned.setQueryGeneration(from: .current)
        try pinned.refreshAllObjects()
        XCTAssertEqual(try dave0.attributeValue(forKey: "name"), "renamed")
    }

    func test_QG_18_aFetchAfterTheChangeMatchesInTheNewGeneration() throws {
        try pin()
        try add("new")
        try other.delete(other.person("dave2"))
        try other.save()
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "new"])
    }

    func test_QG_19_theFetchGivesUnrealisedObjectsTheNewValuesOnly() throws {
        try pin()
        let realised = try pinned.person("dave0")
        _ = try realised.attributeValue(forKey: "name")
        let unrealised = try pinned.object(with: other.person("dave1").objectID)
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99")
        try pinned.setQueryGeneration(from: .current)
        var request = FetchRequest(entityName: "Person")
        _ = try pinned.fetch(request)
        XCTAssertEqual(try unrealised.attributeValue(forKey: "age"), 99)
        XCTAssertEqual(try realised.attributeValue(forKey: "age"), 20)
        request.shouldRefreshRefetchedObjects = true
        _ = try pinned.fetch(request)
        XCTAssertEqual(try realised.attributeValue(forKey: "age"), 99)
    }

    func test_QG_20_and_QG_21_aSaveMovesThePinnedContext() throws {
        try pin()
        let dave0 = try pinned.person("dave0")
        try rename("dave1", to: "others")
        try dave0.setValue("own", forKey: "name")
        try pinned.save()
        XCTAssertNil(pinned.queryGenerationToken)  // QG-21
        try add("later")
        XCTAssertEqual(try pinned.names(), ["dave2", "later", "others", "own"])
        XCTAssertNotNil(pinned.queryGenerationToken)
        try add("too late")
        XCTAssertEqual(try pinned.names().count, 4)
    }

    func test_QG_22_mergingMovesThePinnedContext() throws {
        try pin()
        let merged = expectation(description: "merged")
        let context = try XCTUnwrap(pinned)
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: other) { notification in
            do { try context.mergeChanges(fromContextDidSave: notification) } catch { XCTFail("\(error)") }
            merged.fulfill()
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try add("new")
        wait(for: [merged], timeout: 120)
        XCTAssertNil(pinned.queryGenerationToken)
        XCTAssertEqual(try pinned.names().count, 4)
        XCTAssertNotNil(pinned.queryGenerationToken)
    }

    func test_QG_23_resetMovesThePinnedContext() throws {
        try pin()
        try add("new")
        try pinned.reset()
        XCTAssertNil(pinned.queryGenerationToken)
        XCTAssertEqual(try pinned.names().count, 4)
        XCTAssertNotNil(pinned.queryGenerationToken)
    }

    func test_QG_24_anUnpinnedContextStaysUnpinned() throws {
        try pinned.person("dave0").setValue("own", forKey: "name")
        try pinned.save()
        XCTAssertNil(pinned.queryGenerationToken)
        _ = try pinned.names()
        try pinned.reset()
        _ = try pinned.names()
        XCTAssertNil(pinned.queryGenerationToken)
        try add("new")
        XCTAssertEqual(try pinned.names().count, 4)
    }

    func test_QG_25_currentPinsAgainAfterASave() throws {
        try pin()
        try pinned.person("dave0").setValue("own", forKey: "name")
        try pinned.save()
        try pinned.setQueryGeneration(from: .current)
        XCTAssertNotNil(pinned.queryGenerationToken)
    }

    func test_QG_26_failedAndEmptySavesUndoAndRollbackMoveNothing() throws {
        try pin()
        let token = pinned.queryGenerationToken
        let dave0 = try pinned.person("dave0")
        try rename("dave0", to: "renamed")
        try pinned.save()
        XCTAssertEqual(pinned.queryGenerationToken, token, "nothing to save")
        try dave0.setValue("own", forKey: "name")
        assertError(.managedObjectMerge, try pinned.save())
        XCTAssertEqual(pinned.queryGenerationToken, token, "failed save")
        try pinned.undo()
        XCTAssertEqual(pinned.queryGenerationToken, token, "undo")
        try dave0.setValue("own", forKey: "name")
        try pinned.rollback()
        XCTAssertEqual(pinned.queryGenerationToken, token, "rollback")
        XCTAssertEqual(try pinned.names(), ["dave0", "dave1", "dave2"])
    }
}
