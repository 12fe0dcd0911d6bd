import Foundation
import Pinview
import XCTest

/// Fetches whose stores are read off the context's queue.
final class AsynchronousFetchTests: StackTestCase {
    /// A fetch that would take hours: 1,500 cars of one owner, four times over.
    private func endlessRequest() throws -> FetchRequest {
        let owner = try other.person("dave0")
        for number in 0..<1500 {
            let car = try other.insertNewObject(forEntityName: "Car")
            try car.setValue("many\(number)", forKey: "name")
            try car.setRelatedObject(owner, forKey: "owner")
        }
        try other.save()
        return try FetchRequest("Person", "ANY cars.owner.cars.owner.cars.owner.cars.name == 'none'")
    }

    private func names(_ result: AsynchronousFetchResult) throws -> [String] {
        try context.performAndWait { try XCTUnwrap(result.finalResult).map { try $0.string("name") ?? "nil" } }
    }

    private func begin(_ request: FetchRequest, in context: ManagedObjectContext? = nil) throws -> AsynchronousFetchResult {
        try (context ?? self.context).execute(AsynchronousFetchRequest(fetchRequest: request))
    }

    private func sorted(_ format: String? = nil) throws -> FetchRequest {
        var request = try FetchRequest("Person", format)
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        return request
    }

    func test_asynchronousFetch_givesWhatAFetchGivesOnTheContextsQueue() throws {
        let done = expectation(description: "completion")
        let context: ManagedObjectContext = self.context
        let result = try context.execute(
            AsynchronousFetchRequest(fetchRequest: try sorted("age > 20")) { result in
                // Objects may be used here.
                XCTAssertEqual(result.finalResult?.map { try? $0.string("name") }, ["dave1", "dave2"])
                XCTAssertEqual(result.completedUnitCount, 2)
                XCTAssertNil(result.operationError)
                XCTAssertNotNil(try? FetchRequest(entityName: "Person").execute(), "the completion runs in a block of the context")
                done.fulfill()
            })
        wait(for: [done], timeout: 120)
        XCTAssertEqual(try names(result), ["dave1", "dave2"])
        XCTAssertTrue(try XCTUnwrap(result.finalResult?.first) === context.person("dave1"))
    }

    func test_asynchronousFetch_objectIDsCountsAndDictionaries() throws {
        var request = try sorted("age > 20")
        request.resultType = .managedObjectID
        let ids = try begin(request)
        request.resultType = .count
        let count = try begin(request)
        request.resultType = .dictionary
        request.propertiesToFetch = ["name"]
        let dictionaries = try begin(request)
        for result in [ids, count, dictionaries] { XCTAssertTrue(result.waitUntilFinished(timeout: 120)) }
        guard case .success(.objectIDs(let found))? = ids.result, case .success(.count(2))? = count.result,
            case .success(.dictionaries(let rows))? = dictionaries.result
        else { return XCTFail("other results") }
        XCTAssertEqual(found, try context.fetchObjectIDs(request))
        XCTAssertEqual(rows.map { $0["name"] }, ["dave1", "dave2"])
    }

    func test_asynchronousFetch_readsTheGenerationOfItsBeginning() throws {
        let result = try context.performAndWait {
            let result = try begin(try sorted())
            try other.performAndWait {
                try other.insertNewObject(forEntityName: "Person").setValue("later", forKey: "name")
                try other.save()
            }
            return result
        }
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        XCTAssertEqual(try names(result), ["dave0", "dave1", "dave2"])
    }

    func test_asynchronousFetch_pendingChangesCountAsTheyAreAtTheEnd() throws {
        var request = try sorted()
        request.fetchLimit = 2
        let result = try context.performAndWait {
            let result = try begin(request)
            try context.insertNewObject(forEntityName: "Person").setValue("aaron", forKey: "name")
            try context.delete(try context.person("dave0"))
            return result
        }
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        XCTAssertEqual(try names(result), ["aaron", "dave1"])
    }

    func test_asynchronousFetch_theContextAnswersMeanwhileAndTheFetchIsCancelled() throws {
        let request = try endlessRequest()
        try context.setQueryGeneration(from: .current)
        let done = expectation(description: "completion")
        let result = try context.execute(AsynchronousFetchRequest(fetchRequest: request) { _ in done.fulfill() })
        for _ in 0..<50 { XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Person")), 3) }
        XCTAssertNil(result.result)
        XCTAssertFalse(result.waitUntilFinished(timeout: 0.05))
        result.cancel()
        wait(for: [done], timeout: 120)
        XCTAssertTrue(result.operationError?.hasCode(.userCancelled) ?? false)
        XCTAssertNil(result.finalResult)
        // The readers go on.
        for _ in 0..<20 { XCTAssertEqual(try context.names("Car").count, 1503) }
    }

    func test_asynchronousFetch_cancelledBeforeItsObjectsAreMade() throws {
        let result = try context.performAndWait {
            let result = try begin(try sorted())
            result.cancel()
            return result
        }
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        XCTAssertTrue(result.operationError?.hasCode(.userCancelled) ?? false)
        result.cancel()
    }

    func test_asynchronousFetch_progress() throws {
        try fill(coordinator, count: 2000)
        let reports = Reports()
        var request = AsynchronousFetchRequest(fetchRequest: try sorted())
        request.countsResultsFirst = true
        request.progressHandler = { reports.add($0.completedUnitCount, $0.totalUnitCount) }
        let result = try context.execute(request)
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        try context.performAndWait {}
        XCTAssertEqual([result.completedUnitCount, result.totalUnitCount], [2003, 2003])
        XCTAssertEqual(reports.all.last?.0, 2003)
        XCTAssertEqual(reports.all.map(\.0), reports.all.map(\.0).sorted())
        XCTAssertEqual(Set(reports.all.map(\.1)), [2003])

        request.countsResultsFirst = false
        request.estimatedResultCount = 7
        XCTAssertEqual(try context.execute(request).totalUnitCount, 7)
        XCTAssertNil(try begin(try sorted()).totalUnitCount)
    }

    private final class Reports: @unchecked Sendable {  // guarded by `lock`
        private let lock = NSLock()
        private var reports: [(Int, Int?)] = []
        func add(_ rows: Int, _ total: Int?) { lock.withLock { reports.append((rows, total)) } }
        var all: [(Int, Int?)] { lock.withLock { reports } }
    }

    func test_asynchronousFetch_theProgressHandlerMayUseTheStoreAndIsLetGo() throws {
        let memory = PersistentStoreCoordinator(managedObjectModel: try model())
        try memory.addPersistentStore(type: .inMemory)
        try fill(memory, count: 2000)
        let reading = try makeContext(memory), writing = try makeContext(memory), counts = Reports()
        weak var held: Reports?
        let result = try { () throws in
            let token = Reports()
            held = token
            // Each row takes some time, so that there is progress to report.
            let slow = try sorted(Array(repeating: "name CONTAINS[cd] 'AV'", count: 20).joined(separator: " AND "))
            var request = AsynchronousFetchRequest(fetchRequest: slow)
            request.progressHandler = { result in
                token.add(result.completedUnitCount, nil)
                // The only connection of the store is free, or will be, although another thread
                // occupies this queue and waits for it.
                _ = try? writing.performAndWait { counts.add(try writing.count(for: FetchRequest(entityName: "Car")), nil) }
            }
            let result = try reading.execute(request)
            while result.result == nil { try writing.performAndWait { _ = try writing.count(for: FetchRequest(entityName: "Car")) } }
            XCTAssertTrue(result.waitUntilFinished(timeout: 120))
            try reading.performAndWait {}
            XCTAssertEqual(token.all.last?.0, 2000)
            return result
        }()
        XCTAssertEqual(Set(counts.all.map(\.0)), [2000])
        for _ in 0..<100_000 where held != nil { usleep(1000) }
        withExtendedLifetime(result) { XCTAssertNil(held) }
    }

    func test_asynchronousFetch_aHandlerThatHoldsTheResultIsLetGo() throws {
        weak var held: AsynchronousFetchResult?
        let told = Reports()
        try { () throws in
            let holder = Holder()
            var request = AsynchronousFetchRequest(fetchRequest: try sorted())
            request.progressHandler = { _ in told.add(holder.result?.completedUnitCount ?? 0, nil) }
            let result = try context.performAndWait {
                let result = try context.execute(request)
                holder.result = result
                return result
            }
            held = result
            XCTAssertTrue(result.waitUntilFinished(timeout: 120))
            try context.performAndWait {}
        }()
        for _ in 0..<100_000 where held != nil { usleep(1000) }
        XCTAssertNil(held)
        XCTAssertEqual(told.all.last?.0, 3)
    }

    private final class Holder: @unchecked Sendable {  // guarded by `lock`
        private let lock = NSLock()
        private var held: AsynchronousFetchResult?
        var result: AsynchronousFetchResult? {
            get { lock.withLock { held } }
            set { lock.withLock { held = newValue } }
        }
    }

    func test_asynchronousFetch_timesThatNoClockHas() throws {
        let result = try begin(try sorted())
        XCTAssertTrue(result.waitUntilFinished(timeout: .infinity))
        let (running, isEnded) = try context.performAndWait {
            let running = try begin(try sorted())
            return (running, [Double.nan, -1, -.infinity, 0].map { running.waitUntilFinished(timeout: $0) })
        }
        XCTAssertEqual(isEnded, [false, false, false, false])
        XCTAssertTrue(running.waitUntilFinished(timeout: 1e300))
    }

    func test_asynchronousFetch_cancellingAfterTheEndDoesNothing() throws {
        let result = try begin(try sorted())
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        result.cancel()
        XCTAssertFalse(result.isCancelled)
        XCTAssertEqual(try names(result).count, 3)
        let cancelled = try context.performAndWait {
            let result = try begin(try sorted())
            result.cancel()
            return result
        }
        XCTAssertTrue(cancelled.waitUntilFinished(timeout: 120))
        XCTAssertTrue(cancelled.isCancelled)
    }

    func test_asynchronousFetch_refreshesToThePresentGenerationNotToAnOlderOne() throws {
        var request = try sorted("name == 'dave0'")
        request.shouldRefreshRefetchedObjects = true
        let result = try context.performAndWait {
            let dave = try context.person("dave0")
            let result = try begin(request)
            try dave.setValue(99, forKey: "age")
            try context.save()
            return result
        }
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        try context.performAndWait { XCTAssertEqual(try context.person("dave0").value(forKey: "age") as? Int64, 99) }
    }

    func test_asynchronousFetch_anOldRowDoesNotReplaceANewerOneOfAStoreWithoutGenerations() throws {
        let memory = PersistentStoreCoordinator(managedObjectModel: try model())
        try memory.addPersistentStore(type: .inMemory)
        try fill(memory, count: 1)
        let reading = try makeContext(memory), writing = try makeContext(memory), request = try sorted()
        let result = try reading.performAndWait {
            let result = try begin(request, in: reading)
            // Its rows are read before the change, its objects are made after it.
            while result.completedUnitCount == 0 { usleep(100) }
            try writing.performAndWait {
                try writing.person("dave0").setValue(99, forKey: "age")
                try writing.save()
            }
            return result
        }
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        // By the row cache: nothing is fetched again.
        try reading.performAndWait { XCTAssertEqual(try result.finalResult?.first?.value(forKey: "age") as? Int64, 99) }
    }

    func test_asynchronousFetch_ofAChildContextGoesThroughItsParent() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        try context.insertNewObject(forEntityName: "Person").setValue("unsaved", forKey: "name")
        let result = try begin(try sorted(), in: child)
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
        let found = try child.performAndWait { try XCTUnwrap(result.finalResult).map { try $0.string("name") } }
        XCTAssertEqual(found, ["dave0", "dave1", "dave2", "unsaved"])
    }

    func test_asynchronousFetch_inAMainQueueContextAndAStoreInMemory() throws {
        let memory = PersistentStoreCoordinator(managedObjectModel: try model())
        try memory.addPersistentStore(type: .inMemory)
        try fill(memory, count: 2)
        let main = try makeContext(memory, .mainQueue)
        let result = try begin(try sorted(), in: main)
        try MainQueue.run(until: { result.result != nil })
        XCTAssertEqual(try result.finalResult?.map { try $0.string("name") }, ["dave0", "dave1"])
    }

    func test_asynchronousFetch_mistakesAreReportedAtOnce() throws {
        assertError(.unknownEntity, try begin(FetchRequest(entityName: "Ship")))
        assertError(.unknownKey, try begin(try FetchRequest("Person", "shoes == 1")))
        assertError(.confinementPerform, try begin(try sorted(), in: try makeContext(coordinator, .confinement)))
        guard
            case .asynchronous(let result) = try context.execute(
                AsynchronousFetchRequest(fetchRequest: try sorted()) as any PersistentStoreRequest)
        else { return XCTFail("another result") }
        XCTAssertTrue(result.waitUntilFinished(timeout: 120))
    }

    func test_asynchronousFetch_aFailureBeforeItBeginsCallsNoCompletion() throws {
        let told = Reports()
        var request = AsynchronousFetchRequest(fetchRequest: try sorted()) { told.add($0.completedUnitCount, nil) }
        request.progressHandler = { told.add($0.completedUnitCount, nil) }
        assertError(
            .outOfMemory,
            try context.execute(request) { _ throws(PinviewError) in throw PinviewError(.outOfMemory, "No handle is left.") })
        // What began later ends later.
        XCTAssertTrue(try begin(try sorted()).waitUntilFinished(timeout: 120))
        try context.performAndWait {}
        XCTAssertEqual(told.all.count, 0)
    }

    func test_asynchronousFetch_awaited() async throws {
        guard case .objectIDs(let ids) = try await awaited(.managedObjectID) else { return XCTFail("no IDs") }
        XCTAssertEqual(ids.count, 3)
    }

    private func awaited(_ type: FetchRequestResultType) async throws -> PersistentStoreResult {
        var request = FetchRequest(entityName: "Person")
        request.resultType = type
        return try await context.fetchAsynchronously(request)
    }

    func test_asynchronousFetch_aCancelledTaskStopsIt() async throws {
        var request = try endlessRequest()
        request.resultType = .count
        let context: ManagedObjectContext = self.context
        let task = Task { [request] in
            if case .count(let count) = try await context.fetchAsynchronously(request) { return count }
            return -1
        }
        // Sometimes before it begins, sometimes in the middle of it.
        if Bool.random() { try await Task.sleep(nanoseconds: 20_000_000) }
        task.cancel()
        do {
            _ = try await task.value
            XCTFail("it was not cancelled")
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)")
        }
    }

    func test_interruptFetch_stopsASynchronousFetch() throws {
        let request = try endlessRequest()
        let context: ManagedObjectContext = self.context
        // Without a fetch it does nothing.
        context.interruptFetch()
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Person")), 3)
        let ended = NSLock(), isEnded = Flag()
        let thread = Thread {
            // Until it has an effect: the fetch may not have begun yet.
            while !ended.withLock({ isEnded.value }) {
                context.interruptFetch()
                usleep(1000)
            }
        }
        thread.start()
        assertError(.userCancelled, try context.count(for: request))
        ended.withLock { isEnded.value = true }
        XCTAssertEqual(try makeContext(coordinator).count(for: FetchRequest(entityName: "Person")), 3)
    }

    private final class Flag: @unchecked Sendable {  // guarded by the test's lock
        var value = false
    }
}
