import Foundation
import Pinview
import StressSupport
import XCTest

/// Waiting for newer generations, whoever commits them.
final class NewerGenerationTests: StackTestCase {
    private func pin() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
    }

    /// Counts the calls of an observer, and lets a test wait for them.
    private final class Counter: @unchecked Sendable {  // guarded by `condition`
        private let condition = NSCondition()
        private var times: [Double] = []

        func note() {
            condition.withLock {
                times.append(ProcessInfo.processInfo.systemUptime)
                condition.broadcast()
            }
        }

        var count: Int { condition.withLock { times.count } }
        var last: Double? { condition.withLock { times.last } }

        func wait(for count: Int = 1) -> Bool {
            let deadline = Date(timeIntervalSinceNow: 120)
            return condition.withLock {
                while times.count < count { guard condition.wait(until: deadline) else { return false } }
                return true
            }
        }
    }

    private func observe(_ coordinator: PersistentStoreCoordinator? = nil) -> (Counter, GenerationObserver) {
        let commits = Counter()
        return (commits, (coordinator ?? self.coordinator).addGenerationObserver { commits.note() })
    }

    func test_newer_aSaveOfTheSameCoordinatorIsNoticed() throws {
        let (commits, _) = observe()
        try changeElsewhere("dave0", "name", "renamed")
        XCTAssertTrue(commits.wait())
    }

    func test_newer_aSaveOfAnotherCoordinatorIsNoticed() throws {
        let (commits, _) = observe()
        let stranger = try makeContextOfSecondStack()
        try stranger.person("dave0").setValue("renamed", forKey: "name")
        try stranger.save()
        XCTAssertTrue(commits.wait())
    }

    func test_newer_aSaveOfAnotherProcessIsNoticed() throws {
        let (commits, _) = observe()
        let process = try ForeignProcess.stackProcess(path("store.sqlite"))
        defer { process.finish() }
        XCTAssertEqual(try process.run("insert new"), "ok")
        XCTAssertTrue(commits.wait())
    }

    func test_newer_aStatementOfTheSqlite3ToolIsNoticed() throws {
        let (commits, _) = observe()
        _ = try sqlite3("UPDATE ZPERSON SET ZNAME = 'tool'")
        XCTAssertTrue(commits.wait())
    }

    func test_newer_aRemovedObserverIsNotCalledAnyMore() throws {
        let (commits, observer) = observe(), (second, _) = observe()
        coordinator.removeGenerationObserver(observer)
        coordinator.removeGenerationObserver(observer)
        try changeElsewhere("dave0", "name", "renamed")
        XCTAssertTrue(second.wait())
        XCTAssertEqual(commits.count, 0)
    }

    func test_newer_aStoreAddedLaterIsObserved() throws {
        let (commits, _) = observe()
        let store = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        let person = try other.insertNewObject(forEntityName: "Person")
        try other.assign(person, to: store)
        try other.save()
        XCTAssertTrue(commits.wait())
        try coordinator.remove(store)
    }

    func test_newer_anObserverMayRemoveItself() throws {
        let commits = Counter(), coordinator = try XCTUnwrap(self.coordinator)
        let box = ObserverBox()
        box.observer = coordinator.addGenerationObserver {
            if let observer = box.observer { coordinator.removeGenerationObserver(observer) }
            commits.note()
        }
        try changeElsewhere("dave0", "name", "renamed")
        XCTAssertTrue(commits.wait())
    }

    func test_newer_aContextTellsWhetherThereIsANewerGeneration() throws {
        XCTAssertFalse(context.hasNewerGeneration)  // not pinned
        try pin()
        XCTAssertFalse(context.hasNewerGeneration)
        try changeElsewhere("dave0", "name", "renamed")
        XCTAssertTrue(context.hasNewerGeneration)
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        XCTAssertTrue(child.hasNewerGeneration)

        try context.setQueryGeneration(from: .current)
        XCTAssertFalse(context.hasNewerGeneration)
        _ = try context.names()
        XCTAssertFalse(context.hasNewerGeneration)
    }

    func test_newer_askingCostsNanoseconds() throws {
        try pin()
        let start = threadSeconds()
        var newer = 0
        for _ in 0..<100_000 where context.hasNewerGeneration { newer += 1 }
        let seconds = threadSeconds() - start
        XCTAssertEqual(newer, 0)
        print("hasNewerGeneration: \(Int(seconds * 1e9 / 100_000)) ns")
        XCTAssertLessThan(seconds, 1)  // 10 µs each, in a debug build
    }

    func test_newer_emptyingTheJournalIsNotAChange() throws {
        XCTAssertTrue(try coordinator.persistentStores[0].checkpoint())
        try pin()
        _ = try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        XCTAssertFalse(context.hasNewerGeneration)
        XCTAssertFalse(try context.waitForNewerGeneration(timeout: 0.05))
    }

    func test_newer_aPinnedContextWaitsForTheNextCommit() throws {
        try pin()
        XCTAssertFalse(try context.waitForNewerGeneration(timeout: 0))
        XCTAssertFalse(try context.waitForNewerGeneration(timeout: 0.02))
        let process = try ForeignProcess.stackProcess(path("store.sqlite"))
        defer { process.finish() }
        try process.write("insert new")
        XCTAssertTrue(try context.waitForNewerGeneration(timeout: 120))
        XCTAssertEqual(process.readLine(), "ok")
        XCTAssertTrue(try context.waitForNewerGeneration())  // at once: it still has not moved
        XCTAssertEqual(try context.names().count, 3)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.names().count, 4)
    }

    func test_newer_anUnpinnedContextWaitsForACommitAfterTheCall() throws {
        try changeElsewhere("dave0", "name", "before")
        XCTAssertFalse(try context.waitForNewerGeneration(timeout: 0.05))
        let process = try ForeignProcess(path: path("store.sqlite"))
        defer { process.finish() }
        XCTAssertEqual(try process.run("SELECT 1"), "1")
        let heard = DispatchSemaphore(value: 0), context = try XCTUnwrap(self.context)
        Thread.detachNewThread {
            if (try? context.waitForNewerGeneration(timeout: 120)) == true { heard.signal() }
        }
        var index = 0
        // The thread may not be waiting yet: commit until it has received one.
        while heard.wait(timeout: .now() + 0.05) != .success, index < 2000 {
            index += 1
            _ = try process.run("UPDATE ZPERSON SET ZAGE = \(index)")
        }
        XCTAssertLessThan(index, 2000)
    }

    func test_newer_theQueueIsFreeWhileAContextWaits() throws {
        try pin()
        let context = try XCTUnwrap(self.context), waiting = expectation(description: "commits")
        Thread.detachNewThread {
            if (try? context.waitForNewerGeneration(timeout: 120)) == true { waiting.fulfill() }
        }
        for _ in 0..<50 { XCTAssertEqual(try context.names().count, 3) }
        try changeElsewhere("dave0", "name", "renamed")
        wait(for: [waiting], timeout: 120)
    }

    func test_newer_mistakesAreErrors() throws {
        assertError(.invalidArgument, try self.context.waitForNewerGeneration(timeout: -1))
        assertError(.invalidArgument, try self.context.waitForNewerGeneration(timeout: .nan))
        assertError(.noCoordinator, try ManagedObjectContext(concurrencyType: .privateQueue).waitForNewerGeneration(timeout: 0))
        let memory = PersistentStoreCoordinator(managedObjectModel: try model())
        try memory.addPersistentStore(type: .inMemory)
        assertError(.persistentStoreOperation, try self.makeContext(memory).waitForNewerGeneration())
    }

    func test_newer_comeAsAnAsynchronousSequence() async throws {
        let stream = try XCTUnwrap(coordinator).newerGenerations
        try changeElsewhere("dave0", "name", "renamed")
        var iterator = stream.makeAsyncIterator()
        let element: Void? = await iterator.next()
        XCTAssertNotNil(element)
    }

    func test_newer_theSequenceEndsWithTheCoordinator() async throws {
        var last: PersistentStoreCoordinator? = try makeCoordinator(try model())
        let stream = try XCTUnwrap(last).newerGenerations
        last = nil
        for await _ in stream {}
    }

    func test_newer_theLatencyIsBelowAHundredMilliseconds() throws {
        let program = """
            import sqlite3, sys, time
            db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
            for line in sys.stdin:
                db.execute('BEGIN IMMEDIATE')
                db.execute(line)
                db.execute('COMMIT')
                print(time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
            """
        let (commits, _) = observe(), process = try ForeignProcess(path: path("store.sqlite"), program: program)
        defer { process.finish() }
        var latencies: [Double] = []
        for index in 1...40 {
            let committed = try XCTUnwrap(Double(try process.run("UPDATE ZPERSON SET ZAGE = \(index)")))
            XCTAssertTrue(commits.wait(for: index))
            latencies.append(max(0, (commits.last ?? 0) - committed))
            usleep(3_000)
        }
        latencies.sort()
        print("notice latency: median \(Int(latencies[20] * 1e6)) µs, longest \(Int(latencies[39] * 1e6)) µs")
        // On a busy machine many of them wait for a processor, but not all.
        XCTAssertLessThan(latencies[10], 0.1)
    }
}

private final class ObserverBox: @unchecked Sendable {  // set before the observer can be called
    var observer: GenerationObserver?
}
