import Pinview
import XCTest

/// The deprecated members, the program's own values, and which object serves which.
final class ProgramTests: StackTestCase {
    // MARK: The deprecated lock

    private final class Lockables: @unchecked Sendable {  // only carried to another thread
        let context: ManagedObjectContext
        init(_ context: ManagedObjectContext) { self.context = context }

        @available(*, deprecated)
        func unlock() {
            do { try context.unlock() } catch { XCTFail("\(error)") }
        }

        func assertWrongQueue() {
            assertError(.wrongQueue, try context.count(for: FetchRequest(entityName: "Person")))
        }
    }

    @available(*, deprecated)
    func test_API_62_lockIsRecursiveAndTryLockDoesNotWait() throws {
        let context = try XCTUnwrap(context)
        context.lock()
        XCTAssertTrue(context.tryLock())  // API-64
        XCTAssertFalse(tryElsewhere(context))
        try context.unlock()
        XCTAssertFalse(tryElsewhere(context))
        try context.unlock()
        XCTAssertTrue(tryElsewhere(context))
    }

    @available(*, deprecated)
    func test_API_63_unlockWithoutTheLockIsAnError() throws {
        let context = try XCTUnwrap(context)
        assertError(.notLocked, try context.unlock())
        context.lock()
        try context.unlock()
        assertError(.notLocked, try context.unlock())
    }

    @available(*, deprecated)
    func test_API_62_lockWaitsAndDoesNotStopBlocks() throws {
        let context = try XCTUnwrap(context)
        let carried = Lockables(context)
        let got = XCTestExpectation()
        context.lock()
        Thread.detachNewThread {
            carried.context.lock()
            got.fulfill()
            carried.unlock()
        }
        XCTAssertEqual(try context.performAndWait { try context.count(for: FetchRequest(entityName: "Person")) }, 3)
        try context.unlock()
        wait(for: [got], timeout: 120)
    }

    @available(*, deprecated)
    private func tryElsewhere(_ context: ManagedObjectContext) -> Bool {
        let carried = Lockables(context)
        let tried = XCTestExpectation()
        let result = LogLines()
        Thread.detachNewThread {
            if carried.context.tryLock() {
                result.add("locked")
                try? carried.context.unlock()
            }
            tried.fulfill()
        }
        wait(for: [tried], timeout: 120)
        return !result.all.isEmpty
    }

    @available(*, deprecated)
    func test_API_06_aContextOfTheDeprecatedInitBelongsToItsThread() throws {
        let context = ManagedObjectContext()
        try context.setPersistentStoreCoordinator(coordinator)
        XCTAssertEqual(context.concurrencyType, .confinement)
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Person")), 3)
        assertError(.confinementPerform, try context.performAndWait {})
        let carried = Lockables(context)
        let tried = XCTestExpectation()
        Thread.detachNewThread {
            carried.assertWrongQueue()
            tried.fulfill()
        }
        wait(for: [tried], timeout: 120)
    }

    // MARK: The program's values

    func test_API_05_userInfoLivesAsLongAsTheContext() throws {
        final class Held {}
        var held: Held? = Held()
        weak let gone = held
        var context: ManagedObjectContext? = try makeContext(coordinator)
        XCTAssertTrue(try XCTUnwrap(context).userInfo.isEmpty)
        context?.userInfo = ["held": held as Any, "number": 7]
        let person = try context?.person("dave0")
        held = nil
        XCTAssertNotNil(gone)
        XCTAssertEqual(context?.userInfo["number"] as? Int, 7)
        context = nil
        XCTAssertNil(gone)
        XCTAssertNil(person?.managedObjectContext)
    }

    // MARK: Undo managers

    func test_API_49_anUndoManagerServesOneContext() throws {
        let manager = Pinview.UndoManager()
        context.undoManager = manager
        try context.person("dave0").setValue("one", forKey: "name")
        XCTAssertTrue(manager.canUndo)
        other.undoManager = manager
        XCTAssertNil(context.undoManager)
        XCTAssertTrue(other.undoManager === manager)
        XCTAssertFalse(manager.canUndo)
        try other.person("dave1").setValue("two", forKey: "name")
        try manager.undo()  // API-50
        XCTAssertFalse(other.hasChanges)
        XCTAssertTrue(context.hasChanges)
        try manager.redo()  // API-51
        XCTAssertTrue(other.hasChanges)
    }

    func test_UND_10_aGroupHasANameOfItsOwn() throws {
        let manager = try XCTUnwrap(context.undoManager)
        let person = try context.person("dave0")
        for (name, age) in [("Birthday", 50), ("Another", 51)] {
            manager.beginUndoGrouping()
            manager.setActionName(name)
            try person.setValue(age, forKey: "age")
            manager.endUndoGrouping()
        }
        XCTAssertEqual(manager.undoActionName, "Another")
        try manager.undo()
        XCTAssertEqual([manager.undoActionName, manager.redoActionName], ["Birthday", "Another"])
    }
}
