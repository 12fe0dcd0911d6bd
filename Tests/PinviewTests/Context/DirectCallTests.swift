import Dispatch
import Foundation
import Pinview
import XCTest

/// Calls outside blocks, and which thread may make them: CON-09 to CON-14, CON-17.
final class DirectCallTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator()
        try fill(coordinator, count: 3)
    }

    override func tearDownWithError() throws {
        ConcurrencyDebug.isEnabled = false
        coordinator = nil
        try super.tearDownWithError()
    }

    func test_CON_09_settersMayBeCalledFromAnyThread() throws {
        for type in [ManagedObjectContextConcurrencyType.privateQueue, .mainQueue] {
            let context = ManagedObjectContext(concurrencyType: type)
            let coordinator = try XCTUnwrap(coordinator)
            onThreads(1) { _ in
                try context.setPersistentStoreCoordinator(coordinator)
                context.mergePolicy = .overwrite
                context.name = "set elsewhere"
                context.undoManager = nil
                context.stalenessInterval = 1
                context.retainsRegisteredObjects = true
                context.propagatesDeletesAtEndOfEvent = false
                context.shouldDeleteInaccessibleFaults = false
                context.transactionAuthor = "author"
                try context.setAutomaticallyMergesChangesFromParent(true)
                try context.setQueryGeneration(from: .current)
                let child = ManagedObjectContext(concurrencyType: type)
                try child.setParent(context)
            }
            XCTAssertEqual(context.mergePolicy, .overwrite)
            XCTAssertEqual(context.name, "set elsewhere")
            XCTAssertNil(context.undoManager)
            XCTAssertEqual(context.stalenessInterval, 1)
            XCTAssertTrue(context.retainsRegisteredObjects)
            XCTAssertFalse(context.propagatesDeletesAtEndOfEvent)
            XCTAssertFalse(context.shouldDeleteInaccessibleFaults)
            XCTAssertEqual(context.transactionAuthor, "author")
            XCTAssertTrue(context.automaticallyMergesChangesFromParent)
            XCTAssertEqual(context.queryGenerationToken, .current)
        }
    }

    func test_CON_10_theMainThreadCallsAMainQueueContextDirectly() throws {
        let context = try makeContext(coordinator, .mainQueue)
        try context.person("dave0").setValue("edited", forKey: "name")
        try context.save()
        XCTAssertEqual(try context.names(), ["dave1", "dave2", "edited"])
    }

    func test_CON_11_aDirectCallOnAPrivateQueueContextWaitsForTheQueue() throws {
        let context = try makeContext(coordinator)
        let log = Log()
        let isInside = DispatchSemaphore(value: 0), mayLeave = DispatchSemaphore(value: 0)
        try context.perform {
            isInside.signal()
            mayLeave.wait()
            log.add("block")
        }
        isInside.wait()
        let called = expectation(description: "the direct call returned")
        Thread {
            do { _ = try context.names() } catch { XCTFail("\(error)") }
            log.add("direct call")
            called.fulfill()
        }.start()
        mayLeave.signal()
        wait(for: [called], timeout: 120)
        XCTAssertEqual(log.entries, ["block", "direct call"])
    }

    func test_CON_11_directCallsOfSeveralThreadsLoseNothing() throws {
        let context = try makeContext(coordinator)
        onThreads(4) { thread in
            for number in 0..<50 {
                try context.insertNewObject(forEntityName: "Person").setValue("\(thread)-\(number)", forKey: "name")
            }
            try context.save()
        }
        XCTAssertEqual(try sqlite3("SELECT count(DISTINCT ZNAME) FROM ZPERSON"), "203")
    }

    func test_CON_11_aDirectCallOnAMainQueueContextFromAnotherThreadIsRefused() throws {
        let context = try makeContext(coordinator, .mainQueue)
        let person = try context.person("dave0")
        onThreads(1) { _ in
            assertError(.wrongQueue, try context.names())
            assertError(.wrongQueue, try context.insertNewObject(forEntityName: "Person"))
            assertError(.wrongQueue, try context.save())
            assertError(.wrongQueue, try person.attributeValue(forKey: "name"))
            assertError(.wrongQueue, try person.setValue("edited", forKey: "name"))
            assertError(.wrongQueue, try context.delete(person))
        }
        XCTAssertFalse(context.hasChanges)
    }

    func test_CON_11_theConcurrencyCheckRefusesDirectCallsOnPrivateQueues() throws {
        let context = try makeContext(coordinator)
        let person = try context.person("dave0")
        ConcurrencyDebug.isEnabled = true
        assertError(.wrongQueue, try context.names())
        assertError(.wrongQueue, try person.setValue("edited", forKey: "name"))
        XCTAssertEqual(try context.performAndWait { try context.names().count }, 3)
        ConcurrencyDebug.isEnabled = false
        XCTAssertEqual(try context.names().count, 3)
    }

    func test_CON_12_aConfinementContextBelongsToItsThread() throws {
        let context = try makeContext(coordinator, .confinement)
        XCTAssertEqual(try context.names().count, 3)
        onThreads(1) { _ in
            assertError(.wrongQueue, try context.names())
        }
    }

    func test_CON_12_aConfinementContextTakesNoBlocks() throws {
        let context = try makeContext(coordinator, .confinement)
        assertError(.confinementPerform, try context.perform {})
        assertError(.confinementPerform, try context.performAndWait {})
    }

    func test_CON_13_eightThreadsInsertFetchAndSaveOnOneCoordinator() throws {
        let coordinator = try XCTUnwrap(coordinator)
        let contexts = try (0..<8).map { _ in try makeContext(coordinator) }
        onThreads(8) { thread in
            let context = contexts[thread]
            for round in 0..<20 {
                for number in 0..<5 {
                    let person = try context.insertNewObject(forEntityName: "Person")
                    try person.setValue("t\(thread)-\(round)-\(number)", forKey: "name")
                    try person.setValue(thread * 1000 + round * 10 + number, forKey: "age")
                }
                try context.save()
                let own = try context.fetch(FetchRequest("Person", "name BEGINSWITH %@", "t\(thread)-"))
                XCTAssertEqual(own.count, (round + 1) * 5)
                for person in own {
                    let name = try person.attributeValue(forKey: "name").stringValue ?? ""
                    let parts = name.dropFirst().split(separator: "-").compactMap { Int($0) }
                    let expected = parts[0] * 1000 + parts[1] * 10 + parts[2]
                    XCTAssertEqual(try person.value(forKey: "age", as: Int.self), expected)
                }
            }
        }
        XCTAssertEqual(try sqlite3("SELECT count(*), count(DISTINCT ZNAME), count(DISTINCT Z_PK) FROM ZPERSON"), "803|803|803")
        XCTAssertEqual(try sqlite3("SELECT Z_MAX >= (SELECT max(Z_PK) FROM ZPERSON) FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'"), "1")
    }

    func test_CON_13_eightThreadsEditTheSameRowsWithoutLosingOne() throws {
        let contexts = try (0..<8).map { _ in try makeContext(coordinator) }
        onThreads(8) { thread in
            let context = contexts[thread]
            for _ in 0..<10 {
                // After a conflict, a thread reads the newer row and tries again, as is usual with
                // optimistic locking.
                while true {
                    let person = try context.person("dave0")
                    try context.refresh(person, mergeChanges: false)
                    let age = try XCTUnwrap(try person.value(forKey: "age", as: Int.self))
                    try person.setValue(age + 1, forKey: "age")
                    do {
                        try context.save()
                        break
                    } catch let error as PinviewError where error.hasCode(.managedObjectMerge) {
                        try context.rollback()
                    }
                }
            }
        }
        XCTAssertEqual(try sqlite3("SELECT ZAGE FROM ZPERSON WHERE ZNAME = 'dave0'"), "100")
    }

    func test_CON_14_IDsAndTokensMayBeUsedOnAnyThread() throws {
        let context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
        let identifier = try context.person("dave0").objectID
        let token = context.queryGenerationToken
        let others = try (0..<4).map { _ in try makeContext(coordinator) }
        onThreads(4) { thread in
            let other = others[thread]
            try other.setQueryGeneration(from: token)
            XCTAssertEqual(other.queryGenerationToken, token)
            XCTAssertEqual(try other.existingObject(with: identifier).attributeValue(forKey: "name"), "dave0")
        }
    }

    func test_CON_17_performAndWaitFromAnotherThreadWaitsForADrain() throws {
        let context = try makeContext(coordinator, .mainQueue)
        let log = Log()
        let returned = DispatchSemaphore(value: 0)
        Thread {
            do {
                let count = try context.performAndWait { () throws -> Int in
                    log.add(Thread.isMainThread ? "main" : "another thread")
                    return try context.names().count
                }
                log.add("\(count)")
            } catch { log.add("\(error)") }
            returned.signal()
        }.start()
        try MainQueue.run { !log.entries.isEmpty }
        returned.wait()
        XCTAssertEqual(log.entries, ["main", "3"])
    }

    func test_CON_17_theMainThreadsPerformAndWaitNeedsNoDrain() throws {
        let context = try makeContext(coordinator, .mainQueue)
        XCTAssertEqual(try context.performAndWait { try context.names().count }, 3)
    }

    func test_CON_17_workThatWaitsIsAnnounced() throws {
        let context = try makeContext(coordinator, .mainQueue)
        try MainQueue.drain()
        let log = Log()
        MainQueue.setWakeUpHandler { log.add("work") }
        defer { MainQueue.setWakeUpHandler(nil) }
        XCTAssertFalse(isReadable(MainQueue.fileDescriptor))
        try context.perform {}
        try context.perform {}
        XCTAssertTrue(isReadable(MainQueue.fileDescriptor))
        XCTAssertEqual(log.entries, ["work"])
        XCTAssertEqual(try MainQueue.drain(), 2)
        XCTAssertFalse(isReadable(MainQueue.fileDescriptor))
    }

    func test_CON_17_onlyTheMainThreadDrains() throws {
        onThreads(1) { _ in assertError(.wrongQueue, try MainQueue.drain()) }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }
}
