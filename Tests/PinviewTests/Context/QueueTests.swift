import Dispatch
import Foundation
import Pinview
import XCTest

/// The queues of contexts, blocks and direct calls: CON-01 to CON-17.
final class QueueTests: StoreTestCase {
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

    // MARK: Blocks

    func test_CON_01_blocksOfAPrivateQueueRunOneAtATimeInOrder() throws {
        let log = Log()
        let done = expectation(description: "all blocks ran")
        for number in 0..<200 {
            try context.perform {
                log.enter()
                log.add("\(number)")
                log.leave()
                if number == 199 { done.fulfill() }
            }
        }
        wait(for: [done], timeout: 120)
        XCTAssertEqual(log.entries, (0..<200).map(String.init))
        XCTAssertFalse(log.hasOverlapped)
    }

    func test_CON_01_blocksOfSeveralThreadsNeverOverlap() throws {
        let log = Log()
        let context = try XCTUnwrap(context)
        onThreads(4) { _ in
            for _ in 0..<100 {
                try context.performAndWait {
                    log.enter()
                    log.leave()
                }
            }
        }
        XCTAssertFalse(log.hasOverlapped)
    }

    func test_CON_02_blocksOfAMainQueueRunOnTheMainThreadInOrder() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let log = Log()
        for number in 0..<10 {
            try main.perform { log.add(Thread.isMainThread ? "\(number)" : "another thread") }
        }
        try MainQueue.run { log.entries.count == 10 }
        XCTAssertEqual(log.entries, (0..<10).map(String.init))
    }

    func test_CON_03_performReturnsBeforeItsBlockRuns() throws {
        let gate = DispatchSemaphore(value: 0)
        let done = expectation(description: "the block ran")
        try context.perform {
            gate.wait()
            done.fulfill()
        }
        gate.signal()  // Only reached because perform did not wait.
        wait(for: [done], timeout: 120)
    }

    func test_CON_03_theBlockNeverRunsInsideTheCall() throws {
        let log = Log()
        let context = try XCTUnwrap(context)
        try context.performAndWait {
            try context.perform { log.add("block") }
            log.add("after perform")
        }
        try context.performAndWait {}
        XCTAssertEqual(log.entries, ["after perform", "block"])
    }

    func test_CON_04_performAndWaitReturnsAfterItsBlock() throws {
        let log = Log()
        try context.performAndWait { log.add("block") }
        log.add("after")
        XCTAssertEqual(log.entries, ["block", "after"])
    }

    func test_CON_04_performAndWaitHandsOutValuesAndErrors() throws {
        XCTAssertEqual(try context.performAndWait { try context.names().count }, 3)
        assertError(.unknownEntity, try context.performAndWait { try context.names("Nobody") })
    }

    func test_CON_05_performAndWaitNestsInABlockOfTheSameContext() throws {
        let log = Log()
        try context.performAndWait {
            try context.performAndWait { log.add("inner") }
            log.add("outer")
        }
        XCTAssertEqual(log.entries, ["inner", "outer"])
    }

    func test_CON_06_anInnerBlockOfASecondContextActsOnThatContext() throws {
        let second = try makeContext(coordinator)
        try context.performAndWait {
            try second.performAndWait {
                let found = try XCTUnwrap(try FetchRequest(entityName: "Person").execute().first)
                XCTAssertTrue(found.managedObjectContext === second)
            }
            let found = try XCTUnwrap(try FetchRequest(entityName: "Person").execute().first)
            XCTAssertTrue(found.managedObjectContext === context)
        }
    }

    func test_CON_07_noOtherBlockRunsInTheMiddleOfABlock() throws {
        let log = Log()
        let context = try XCTUnwrap(context)
        let isInside = DispatchSemaphore(value: 0), othersArePutIn = DispatchSemaphore(value: 0)
        let done = expectation(description: "all ran")
        try context.perform {
            log.add("begin")
            isInside.signal()
            othersArePutIn.wait()
            log.add("end")
        }
        isInside.wait()
        try context.perform { log.add("other") }
        try context.perform { done.fulfill() }
        othersArePutIn.signal()
        wait(for: [done], timeout: 120)
        XCTAssertEqual(log.entries, ["begin", "end", "other"])
    }

    func test_CON_07_betweenTwoBlocksOthersMayResetTheContext() throws {
        let context = try XCTUnwrap(context)
        let person = try context.performAndWait { () throws -> ManagedObject in
            let person = try context.person("dave0")
            _ = try person.attributeValue(forKey: "name")
            return person
        }
        onThreads(1) { _ in try context.performAndWait { try context.reset() } }
        assertError(.objectInvalidated, try context.performAndWait { try person.attributeValue(forKey: "name") })
    }

    func test_CON_08_theEndOfTheOutermostBlockProcessesPendingChanges() throws {
        let log = Log()
        let observer = PinviewNotificationCenter.default.addObserver(forName: .objectsDidChange, object: context) { _ in log.add("changed")
        }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        try context.performAndWait {
            try context.performAndWait { _ = try context.insertNewObject(forEntityName: "Person") }
            log.add("after the inner block")
        }
        log.add("after the outer block")
        XCTAssertEqual(log.entries, ["after the inner block", "changed", "after the outer block"])
    }

    func test_CON_15_performInsideABlockPutsItsBlockAfterIt() throws {
        let log = Log()
        let context = try XCTUnwrap(context)
        let done = expectation(description: "both ran")
        try context.perform {
            do {
                try context.perform {
                    log.add("second")
                    done.fulfill()
                }
            } catch { log.add("\(error)") }
            log.add("first")
        }
        wait(for: [done], timeout: 120)
        XCTAssertEqual(log.entries, ["first", "second"])
    }

    func test_CON_16_waitingBlocksKeepTheirContext() throws {
        let gate = DispatchSemaphore(value: 0)
        let done = expectation(description: "the last block ran")
        weak var weakContext: ManagedObjectContext?
        try autoreleased {
            let context = try makeContext(coordinator)
            weakContext = context
            try context.perform { gate.wait() }
            try context.perform { done.fulfill() }
        }
        XCTAssertNotNil(weakContext)
        gate.signal()
        wait(for: [done], timeout: 120)
    }

    /// A scope whose locals are gone when it returns.
    @inline(never)
    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
}
