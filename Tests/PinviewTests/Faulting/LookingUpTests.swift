import Foundation
import Pinview
import XCTest

/// Looking objects up by ID, batched results, refetching: FET-07 to FET-10, FET-13 to FET-16,
/// FET-22.
final class LookingUpTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 10)
        context = try makeContext(coordinator)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        other = nil
        coordinator = nil
        SQLDebug.setHandler(nil)
        SQLDebug.isEnabled = false
        try super.tearDownWithError()
    }

    /// The SELECT statements that are sent while `body` runs.
    private func selects(_ body: () throws -> Void) rethrows -> [String] {
        let log = Log()
        SQLDebug.setHandler { log.add($0) }
        SQLDebug.isEnabled = true
        defer { SQLDebug.isEnabled = false }
        try body()
        return log.entries.filter { $0.contains("SELECT") }
    }

    private func batched(_ size: Int) throws -> FetchResult {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age", ascending: true)]
        request.fetchBatchSize = size
        return try context.fetch(request)
    }

    private func identifier(_ name: String) throws -> ManagedObjectID { try other.person(name).objectID }

    func test_FET_07_registeredObjectNeverReadsTheStore() throws {
        let identifier = try identifier("dave0")
        XCTAssertEqual(try selects { XCTAssertNil(try context.registeredObject(for: identifier)) }, [])
        let person = try context.person("dave0")
        XCTAssertTrue(try context.registeredObject(for: identifier) === person)
    }

    func test_FET_08_objectGivesAFaultWithoutAReadOrACheck() throws {
        let identifier = try identifier("dave0")
        try sqlite3("DELETE FROM ZPERSON")
        var person: ManagedObject?
        XCTAssertEqual(try selects { person = try context.object(with: identifier) }, [])
        XCTAssertEqual(person?.isFault, true)
        XCTAssertTrue(try context.object(with: identifier) === person)
    }

    func test_FET_09_existingObjectIsNeverAFault() throws {
        let person = try context.existingObject(with: try identifier("dave0"))
        XCTAssertFalse(person.isFault)
        XCTAssertTrue(try context.existingObject(with: person.objectID) === person)
    }

    func test_FET_09_existingObjectRealisesARegisteredFault() throws {
        let fault = try context.object(with: try identifier("dave0"))
        XCTAssertTrue(fault.isFault)
        XCTAssertTrue(try context.existingObject(with: fault.objectID) === fault)
        XCTAssertFalse(fault.isFault)
    }

    func test_FET_10_existingObjectOfAMissingRowIsAnError() throws {
        let identifier = try identifier("dave0")
        try sqlite3("DELETE FROM ZPERSON WHERE ZNAME = 'dave0'")
        context.stalenessInterval = 0
        let error = assertError(.managedObjectReferentialIntegrity, try context.existingObject(with: identifier))
        XCTAssertEqual(error?.code, 133000)
        XCTAssertEqual(error?.affectedObjectIDs, [identifier])
        XCTAssertEqual(context.deletedObjects, [])
    }

    func test_FET_10_aTemporaryIDOfAnotherContextNamesNoRow() throws {
        let person = try other.insertNewObject(forEntityName: "Person")
        assertError(.managedObjectReferentialIntegrity, try context.existingObject(with: person.objectID))
    }

    func test_FET_13_pagesAreLoadedAsElementsAreAccessed() throws {
        var result: FetchResult?
        let first = try selects { result = try batched(4) }
        XCTAssertEqual(first.count, 1)
        XCTAssertEqual(try selects { XCTAssertEqual(result?.count, 10) }, [])
        let found = try XCTUnwrap(result)
        XCTAssertEqual(try selects { _ = try found[0].attributeValue(forKey: "name") }.count, 1)
        XCTAssertEqual(try selects { for index in 0..<4 { _ = try found[index].attributeValue(forKey: "name") } }.count, 0)
        XCTAssertEqual(try selects { _ = try found[9].attributeValue(forKey: "name") }.count, 1)
        XCTAssertEqual(try found.map { try $0.value(forKey: "age", as: Int.self) }, Array(20..<30))
    }

    func test_FET_13_withoutABatchSizeEverythingIsLoadedAtOnce() throws {
        let result = try batched(0)
        XCTAssertEqual(try selects { for person in result { _ = try person.attributeValue(forKey: "name") } }, [])
    }

    func test_FET_13_aBatchSizeAboveTheCountIsOnePage() throws {
        XCTAssertEqual(try batched(1000).map { try $0.value(forKey: "age", as: Int.self) }, Array(20..<30))
    }

    func test_FET_13_pagesHaveTheOrderOfTheFetch() throws {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age", ascending: false)]
        request.fetchBatchSize = 4
        for returnsFaults in [true, false] {
            request.returnsObjectsAsFaults = returnsFaults
            let ages = try context.fetch(request).map { try $0.value(forKey: "age", as: Int.self) }
            XCTAssertEqual(ages, (20..<30).reversed())
        }
    }

    func test_FET_13_anObjectWithValuesKeepsThemInAPage() throws {
        let known = try context.person("dave2")
        _ = try known.attributeValue(forKey: "name")
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'renamed', Z_OPT = Z_OPT + 1")
        let result = try batched(4)
        XCTAssertTrue(result[2] === known)
        XCTAssertEqual(
            try result.map { try $0.value(forKey: "name", as: String.self) },
            ["renamed", "renamed", "dave2"] + Array(repeating: "renamed", count: 7))
    }

    func test_FET_13_goingThroughPagesKeepsFewObjects() throws {
        for person in try batched(2) { _ = try person.attributeValue(forKey: "name") }
        XCTAssertEqual(context.registeredObjects.count, 0)
        let result = try batched(2)
        for person in result { _ = try person.attributeValue(forKey: "name") }
        XCTAssertEqual(context.registeredObjects.count, 4)
        XCTAssertEqual(try result[0].value(forKey: "age", as: Int.self), 20)
    }

    func test_FET_13_pendingObjectsArePartOfABatchedResult() throws {
        try context.insertNewObject(forEntityName: "Person").setValue(25, forKey: "age")
        try context.delete(context.person("dave0"))
        XCTAssertEqual(try batched(3).map { try $0.value(forKey: "age", as: Int.self) }, [21, 22, 23, 24, 25, 25, 26, 27, 28, 29])
    }

    func test_FET_14_pagesOfAPinnedContextBelongToItsGeneration() throws {
        try context.setQueryGeneration(from: .current)
        let result = try batched(2)
        _ = result[0]
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'renamed'; DELETE FROM ZPERSON WHERE ZAGE = 29")
        XCTAssertEqual(try result[9].attributeValue(forKey: "name"), "dave9")
    }

    func test_FET_14_aRowDeletedMeanwhileIsAnInaccessibleFault() throws {
        let result = try batched(2)
        _ = result[0]
        try other.delete(other.person("dave9"))
        try other.save()
        XCTAssertTrue(try result[9].attributeValue(forKey: "name").isNull)
        XCTAssertTrue(result[9].isDeleted)
        context.shouldDeleteInaccessibleFaults = false
        try other.delete(other.person("dave5"))
        try other.save()
        assertError(.managedObjectReferentialIntegrity, try result[5].attributeValue(forKey: "name"))
    }

    func test_FET_15_aRequestExecutesInTheContextOfItsBlock() throws {
        let found = try context.performAndWait { try FetchRequest("Person", "name == %@", "dave3").execute() }
        XCTAssertTrue(try XCTUnwrap(found.first).managedObjectContext === context)
        assertError(.noCurrentContext, try FetchRequest(entityName: "Person").execute())
    }

    func test_FET_16_aFetchKeepsRealisedValuesUnlessItRefreshes() throws {
        let clean = try context.person("dave0"), edited = try context.person("dave1")
        _ = try clean.attributeValue(forKey: "name")
        try edited.setValue("mine", forKey: "name")
        try sqlite3("UPDATE ZPERSON SET ZAGE = 99, ZNAME = ZNAME || '!'")
        var request = FetchRequest(entityName: "Person")
        _ = try context.fetch(request)
        XCTAssertEqual(try clean.attributeValue(forKey: "age"), 20)
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        XCTAssertEqual(try clean.attributeValue(forKey: "name"), "dave0!")
        XCTAssertEqual(try edited.attributeValue(forKey: "name"), "mine")
        XCTAssertEqual(try edited.attributeValue(forKey: "age"), 99)
    }

    func test_FET_22_aFetchReadsTheStoreEvenWhenAllRowsAreCached() throws {
        let cached = try context.fetch(FetchRequest(entityName: "Person"))
        for person in cached { _ = try person.attributeValue(forKey: "name") }
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'foreign' WHERE ZAGE = 20")
        XCTAssertEqual(try context.count(for: FetchRequest("Person", "name == %@", "foreign")), 1)
        XCTAssertEqual(try other.fetch(FetchRequest("Person", "name == %@", "foreign")).count, 1)
        XCTAssertEqual(try other.person("foreign").attributeValue(forKey: "name"), "foreign")
    }

    /// Issue 20, W18: going through a result of any size needs the memory of two pages.
    func test_aBatchedResultKeepsTheObjectsOfTwoPages() throws {
        let result = try batched(2)
        let held = result[0]
        var most = 0
        for object in result {
            XCTAssertNotNil(try object.value(forKey: "name"))
            most = max(most, context.registeredObjects.count)
        }
        XCTAssertGreaterThan(result.count, 6)
        XCTAssertLessThanOrEqual(most, 2 * 2 + 2)
        XCTAssertTrue(result[0] === held)
        XCTAssertEqual(
            try result.reversed().map { try $0.value(forKey: "age", as: Int.self) },
            try result.map { try $0.value(forKey: "age", as: Int.self) }.reversed())
    }
}
