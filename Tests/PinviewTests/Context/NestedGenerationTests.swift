import Pinview
import XCTest

/// Child contexts read through the generation of their root: QG-27 to QG-32.
final class NestedGenerationTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var parent: ManagedObjectContext!
    private var child: ManagedObjectContext!
    private var other: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        parent = try makeContext(coordinator)
        child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        other = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        child = nil
        parent = nil
        other = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func renameInStore(_ name: String, to newName: String) throws {
        try other.person(name).setValue(newName, forKey: "name")
        try other.save()
    }

    func test_QG_27_aChildHasNoToken() throws {
        try parent.setQueryGeneration(from: .current)
        _ = try parent.names()
        _ = try child.names()
        XCTAssertNil(child.queryGenerationToken)
    }

    func test_QG_28_aChildReadsItsParentsGeneration() throws {
        try parent.setQueryGeneration(from: .current)
        _ = try parent.names()
        try renameInStore("dave0", to: "renamed")
        XCTAssertEqual(try child.names(), ["dave0", "dave1", "dave2"])
        let cars = try child.person("dave0").relatedObjects(forKey: "cars")
        XCTAssertEqual(try cars.map { try $0.attributeValue(forKey: "name") }, ["car0"])
    }

    func test_QG_28_aChildsReadFixesTheRootsGeneration() throws {
        try parent.setQueryGeneration(from: .current)
        _ = try child.names()
        XCTAssertEqual(parent.queryGenerationToken?.isCurrent, false)
        try renameInStore("dave0", to: "renamed")
        XCTAssertEqual(try parent.names(), ["dave0", "dave1", "dave2"])
    }

    func test_QG_29_aChildSeesItsParentsPendingChanges() throws {
        try parent.setQueryGeneration(from: .current)
        try parent.insertNewObject(forEntityName: "Person").setValue("inserted", forKey: "name")
        try parent.person("dave0").setValue("edited", forKey: "name")
        try parent.delete(parent.person("dave1"))
        XCTAssertEqual(try child.names(), ["dave2", "edited", "inserted"])
        XCTAssertEqual(try child.person("edited").attributeValue(forKey: "age"), 20)
    }

    func test_QG_30_aChildCannotBePinned() throws {
        assertError(.nestedPin, try child.setQueryGeneration(from: .current))
        assertError(.nestedPin, try child.setQueryGeneration(from: nil))
    }

    func test_QG_31_aGrandchildSeesTheRootsGenerationAndAllPendingChangesBetween() throws {
        let grandchild = ManagedObjectContext(concurrencyType: .privateQueue)
        try grandchild.setParent(child)
        try parent.setQueryGeneration(from: .current)
        _ = try parent.names()
        try renameInStore("dave0", to: "renamed")
        try parent.person("dave1").setValue("by the root", forKey: "name")
        try child.person("dave2").setValue("by the child", forKey: "name")
        XCTAssertEqual(try grandchild.names(), ["by the child", "by the root", "dave0"])
        assertError(.nestedPin, try grandchild.setQueryGeneration(from: .current))
    }

    func test_QG_32_whenTheParentMovesTheChildsNextFetchFollows() throws {
        try parent.setQueryGeneration(from: .current)
        XCTAssertEqual(try child.names().count, 3)
        try renameInStore("dave0", to: "renamed")
        try parent.setQueryGeneration(from: .current)
        XCTAssertEqual(try child.fetch(FetchRequest("Person", "name == %@", "renamed")).count, 1)
    }

    func test_aChildsSaveReachesTheStoreWithTheRootsSave() throws {
        let person = try child.insertNewObject(forEntityName: "Person")
        try person.setValue("from the child", forKey: "name")
        let car = try child.insertNewObject(forEntityName: "Car")
        try car.setRelatedObject(person, forKey: "owner")
        try child.person("dave0").setValue("edited", forKey: "name")
        try child.save()
        XCTAssertTrue(parent.hasChanges)
        XCTAssertFalse(child.hasChanges)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZNAME = 'from the child'"), "0")
        try parent.save()
        XCTAssertEqual(
            try sqlite3("SELECT count(*) FROM ZPERSON, ZCAR WHERE ZPERSON.ZNAME = 'from the child' AND ZOWNER = ZPERSON.Z_PK"), "1")
        XCTAssertEqual(try child.names(), ["dave1", "dave2", "edited", "from the child"])
        XCTAssertTrue(try child.person("from the child") === person)
    }

    func test_FET_21_aChildsWindowOverPendingChangesTakesTheLargestLimit() throws {
        try child.insertNewObject(forEntityName: "Person").setValue("pending", forKey: "name")
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name")]
        request.fetchOffset = 1
        request.fetchLimit = .max
        XCTAssertEqual(try child.fetch(request).map { try $0.attributeValue(forKey: "name") }, ["dave1", "dave2", "pending"])
    }
}
