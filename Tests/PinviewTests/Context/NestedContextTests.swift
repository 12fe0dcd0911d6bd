import Dispatch
import Foundation
import Pinview
import XCTest

/// A context whose parent store is another context: NST-01 to NST-17.
final class NestedContextTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var parent: ManagedObjectContext!
    private var child: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
        parent = try makeContext(coordinator)
        child = try makeChild(of: parent)
    }

    override func tearDownWithError() throws {
        child = nil
        parent = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func makeChild(of parent: ManagedObjectContext) throws -> ManagedObjectContext {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        return child
    }

    private func storedNames() throws -> String {
        try sqlite3("SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZPERSON ORDER BY ZNAME)")
    }

    @discardableResult
    private func add(_ name: String, to context: ManagedObjectContext) throws -> ManagedObject {
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue(name, forKey: "name")
        return person
    }

    func test_NST_01_withoutACoordinatorAtTheRootFetchAndSaveFail() throws {
        let root = ManagedObjectContext(concurrencyType: .privateQueue)
        let child = try makeChild(of: root)
        assertError(.noCoordinator, try root.names())
        assertError(.noCoordinator, try child.names())
        assertError(.noCoordinator, try child.count(for: FetchRequest(entityName: "Person")))
        assertError(.noCoordinator, try child.insertNewObject(forEntityName: "Person"))
    }

    func test_NST_01_aChildsCoordinatorIsThatOfTheRoot() throws {
        let grandchild = try makeChild(of: child)
        XCTAssertTrue(grandchild.persistentStoreCoordinator === coordinator)
        XCTAssertTrue(grandchild.parent === child)
    }

    func test_NST_02_aChildsFetchSeesTheParentsUnsavedChanges() throws {
        try add("inserted", to: parent)
        try parent.delete(parent.person("dave0"))
        try parent.person("dave1").setValue("edited", forKey: "name")
        XCTAssertEqual(try child.names(), ["dave2", "edited", "inserted"])
        XCTAssertEqual(try child.count(for: FetchRequest("Person", "name == %@", "edited")), 1)
        XCTAssertEqual(try child.count(for: FetchRequest("Person", "name == %@", "dave1")), 0)
    }

    func test_NST_03_aChildsEditsDoNotReachTheParentBeforeItsSave() throws {
        let ofParent = try parent.person("dave0")
        let ofChild = try child.person("dave0")
        XCTAssertFalse(ofParent === ofChild)
        XCTAssertEqual(ofParent.objectID, ofChild.objectID)
        try ofChild.setValue("edited", forKey: "name")
        XCTAssertEqual(try ofParent.attributeValue(forKey: "name"), "dave0")
        XCTAssertFalse(parent.hasChanges)
        try child.save()
        XCTAssertEqual(try ofParent.attributeValue(forKey: "name"), "edited")
    }

    func test_NST_04_aChildsSaveChangesTheParentOnly() throws {
        try child.person("dave0").setValue("edited", forKey: "name")
        try child.save()
        XCTAssertTrue(parent.hasChanges)
        XCTAssertFalse(child.hasChanges)
        XCTAssertEqual(try storedNames(), "dave0,dave1,dave2")
    }

    func test_NST_05_withThreeLevelsThreeSavesAreNeeded() throws {
        let grandchild = try makeChild(of: child)
        try grandchild.person("dave0").setValue("edited", forKey: "name")
        try add("new", to: grandchild)
        try grandchild.save()
        XCTAssertEqual([child.hasChanges, parent.hasChanges], [true, false])
        try child.save()
        XCTAssertEqual([child.hasChanges, parent.hasChanges], [false, true])
        XCTAssertEqual(try storedNames(), "dave0,dave1,dave2")
        try parent.save()
        XCTAssertEqual(try storedNames(), "dave1,dave2,edited,new")
        XCTAssertEqual(try grandchild.names(), ["dave1", "dave2", "edited", "new"])
    }

    func test_NST_06_aParentsSaveLeavesTheChildsChangesPending() throws {
        let edited = try child.person("dave0")
        try edited.setValue("child", forKey: "name")
        try parent.person("dave1").setValue("parent", forKey: "name")
        try parent.save()
        XCTAssertEqual(try storedNames(), "dave0,dave2,parent")
        XCTAssertTrue(child.hasChanges)
        XCTAssertEqual(try edited.attributeValue(forKey: "name"), "child")
    }

    func test_NST_07_aReleasedChildLeavesTheParentUntouched() throws {
        try child.person("dave0").setValue("edited", forKey: "name")
        try add("new", to: child)
        child = nil
        XCTAssertFalse(parent.hasChanges)
        XCTAssertEqual(try parent.names(), ["dave0", "dave1", "dave2"])
    }

    func test_NST_07_aChildThatIsResetLeavesTheParentUntouched() throws {
        try child.person("dave0").setValue("edited", forKey: "name")
        try child.reset()
        try child.save()
        XCTAssertFalse(parent.hasChanges)
        XCTAssertEqual(try child.names(), ["dave0", "dave1", "dave2"])
    }

    func test_NST_08_aConfinementContextCannotBeAParentOrAChild() throws {
        let confinement = ManagedObjectContext(concurrencyType: .confinement)
        assertError(.confinementParent, try ManagedObjectContext(concurrencyType: .privateQueue).setParent(confinement))
        assertError(.confinementParent, try confinement.setParent(parent))
    }

    func test_NST_09_childrenOnOtherThreadsUseTheParentWithoutBeingOnItsQueue() throws {
        let children = try (0..<4).map { _ in try makeChild(of: parent) }
        onThreads(4) { thread in
            let child = children[thread]
            for number in 0..<20 {
                try child.performAndWait {
                    let person = try child.insertNewObject(forEntityName: "Person")
                    try person.setValue("\(thread)-\(number)", forKey: "name")
                    try child.save()
                    XCTAssertEqual(try child.count(for: FetchRequest("Person", "name BEGINSWITH %@", "\(thread)-")), number + 1)
                }
            }
        }
        XCTAssertEqual(parent.insertedObjects.count, 80)
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT count(DISTINCT ZNAME) FROM ZPERSON"), "83")
    }

    func test_NST_10_backgroundWorkOfAPrivateChildIsPendingInItsMainQueueParent() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let worker = try makeChild(of: main)
        let done = expectation(description: "saved in the background")
        try worker.perform {
            do {
                try worker.insertNewObject(forEntityName: "Person").setValue("new", forKey: "name")
                try worker.save()
            } catch { XCTFail("\(error)") }
            done.fulfill()
        }
        wait(for: [done], timeout: 120)
        XCTAssertEqual(main.insertedObjects.count, 1)
        XCTAssertEqual(try main.names(), ["dave0", "dave1", "dave2", "new"])
        XCTAssertEqual(try storedNames(), "dave0,dave1,dave2")
    }
}
