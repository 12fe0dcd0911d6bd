import Foundation
import Pinview
import StressSupport
import XCTest

/// Commits of others to the stores of a coordinator, and named consumers of the history.
final class RemoteChangeTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!

    private static let options: [String: Value] = [
        "NSPersistentHistoryTrackingKey": true, "NSPersistentStoreRemoteChangeNotificationPostOptionKey": true,
    ]

    /// What an observer receives; a test waits for it.
    private final class Changes: @unchecked Sendable {  // guarded by `condition`
        private let condition = NSCondition()
        private var all: [PersistentStoreRemoteChange] = []

        func add(_ change: PersistentStoreRemoteChange) {
            condition.withLock {
                all.append(change)
                condition.broadcast()
            }
        }

        var count: Int { condition.withLock { all.count } }

        func wait(for count: Int = 1) throws -> PersistentStoreRemoteChange {
            let deadline = Date(timeIntervalSinceNow: 120)
            return try condition.withLock {
                while all.count < count { guard condition.wait(until: deadline) else { break } }
                XCTAssertEqual(all.count, count)
                return try XCTUnwrap(all.last)
            }
        }
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(options: Self.options)
        try fill(coordinator, count: 1)
    }

    override func tearDownWithError() throws {
        coordinator = nil
        try super.tearDownWithError()
    }

    private func observe() -> (Changes, RemoteChangeObserver) {
        let changes = Changes()
        return (changes, coordinator.addRemoteChangeObserver { changes.add($0) })
    }

    private func insert(_ name: String, into coordinator: PersistentStoreCoordinator) throws {
        let context = try makeContext(coordinator)
        try context.insertNewObject(forEntityName: "Person").setValue(name, forKey: "name")
        try context.save()
    }

    func test_remoteChange_aSaveOfAnotherProcessIsReported() throws {
        let (changes, _) = observe()
        let process = try ForeignProcess.stackProcess(path("store.sqlite"))
        defer { process.finish() }
        XCTAssertEqual(try process.run("insert new"), "ok")
        let change = try changes.wait()
        XCTAssertEqual(change.store, coordinator.persistentStores[0])
        XCTAssertEqual(change.userInfo["storeUUID"] as? String, change.store.identifier)
        XCTAssertEqual(change.userInfo["storeURL"] as? String, path())
        XCTAssertEqual(change.userInfo["historyToken"] as? PersistentHistoryToken, change.historyToken)
    }

    func test_remoteChange_aSaveOfAnotherCoordinatorIsReportedWithTheHistoryToken() throws {
        let seen = try coordinator.currentPersistentHistoryToken()
        let (changes, _) = observe()
        try insert("stranger", into: try makeCoordinator(options: Self.options))
        let token = try XCTUnwrap(try changes.wait().historyToken)
        let context = try makeContext(coordinator)
        guard case .transactions(let transactions) = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: seen)) else {
            return XCTFail("no transactions")
        }
        XCTAssertEqual(transactions.map(\.token), [token])
    }

    /// The process's own saves come between those of the other one, so that each report has own
    /// saves to leave out.
    func test_remoteChange_commitsOfTheCoordinatorsOwnContextsAreNotReported() throws {
        let (changes, _) = observe()
        let stranger = try makeCoordinator(options: Self.options)
        for round in 1...5 {
            for number in 0..<20 { try insert("own \(round).\(number)", into: coordinator) }
            try insert("stranger \(round)", into: stranger)
            let token = try stranger.currentPersistentHistoryToken()
            XCTAssertEqual(try changes.wait(for: round).historyToken, token)
        }
    }

    func test_remoteChange_theSqlite3ToolLeavesTheTokenAsItWas() throws {
        let (changes, _) = observe()
        let token = try coordinator.currentPersistentHistoryToken()
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'tool'")
        XCTAssertEqual(try changes.wait().historyToken, token)
    }

    func test_remoteChange_withoutAHistoryThereIsNoToken() throws {
        let coordinator = try makeCoordinator(
            name: "plain.sqlite", options: ["NSPersistentStoreRemoteChangeNotificationPostOptionKey": true])
        try fill(coordinator, count: 1)
        let changes = Changes()
        coordinator.addRemoteChangeObserver { changes.add($0) }
        try sqlite3("UPDATE ZPERSON SET ZNAME = 'tool'", file: "plain.sqlite")
        XCTAssertNil(try changes.wait().historyToken)
    }

    func test_remoteChange_storesWithoutTheOptionAndRemovedObserversAreSilent() throws {
        let plain = try makeCoordinator()
        let silent = Changes()
        plain.addRemoteChangeObserver { silent.add($0) }
        let (gone, observer) = observe(), (changes, _) = observe()
        coordinator.removeRemoteChangeObserver(observer)
        try insert("stranger", into: try makeCoordinator())
        _ = try changes.wait()
        XCTAssertEqual(gone.count + silent.count, 0)
    }

    func test_remoteChange_asAStream() async throws {
        let stream = coordinator.remoteChanges
        try insert("stranger", into: try makeCoordinator(options: Self.options))
        for await change in stream {
            XCTAssertEqual(change.store, coordinator.persistentStores[0])
            break
        }
    }

    // MARK: Consumers

    func test_consumers_aDeletionThatWouldPassTheSlowestIsRefusedWhenAsked() throws {
        let context = try makeContext(coordinator)
        let start = try coordinator.currentPersistentHistoryToken()
        for name in ["a", "b", "c"] { try insert(name, into: coordinator) }
        let end = try coordinator.currentPersistentHistoryToken()
        try coordinator.setHistoryConsumer("view", token: end)
        try coordinator.setHistoryConsumer("index", token: start)
        var request = PersistentHistoryChangeRequest.deleteHistory(before: end)
        request.resultType = .count
        request.refusesToPassConsumers = true
        let error = assertError(.persistentStoreOperation, try context.execute(request))
        XCTAssertTrue(error?.message.contains("\"index\"") ?? false, "\(String(describing: error))")
        try coordinator.setHistoryConsumer("index", token: end)
        guard case .count(let count) = try context.execute(request) else { return XCTFail("no count") }
        XCTAssertEqual(count, 3)
        // There is nothing left to report: no reason to refuse.
        guard case .count(0) = try context.execute(request) else { return XCTFail("something was deleted") }
    }

    func test_consumers_areSeenByOtherProcesses() throws {
        let token = try coordinator.currentPersistentHistoryToken()
        try coordinator.setHistoryConsumer("index", token: token)
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZTRANSACTION FROM PINVIEW_HISTORYCONSUMER"), "index|1")
    }

    /// Core Data's own tables are there, ours are not yet.
    func test_consumers_inAStoreThatHasAHistoryOfCoreData() throws {
        let old = try makeCoordinator(name: "apple.sqlite", options: Self.options)
        try fill(old, count: 1)
        try old.remove(old.persistentStores[0])
        try sqlite3("DROP TABLE PINVIEW_HISTORYCONSUMER; DROP TABLE PINVIEW_HISTORYQUIET", file: "apple.sqlite")
        let readOnly = try makeCoordinator(
            name: "apple.sqlite", options: ["NSPersistentHistoryTrackingKey": true, "NSReadOnlyPersistentStoreOption": true])
        XCTAssertEqual(try readOnly.historyConsumers(), [:])
        try readOnly.remove(readOnly.persistentStores[0])
        let new = try makeCoordinator(name: "apple.sqlite", options: Self.options)
        try new.setHistoryConsumer("index", token: try new.currentPersistentHistoryToken())
        XCTAssertEqual(try new.historyConsumers().keys.sorted(), ["index"])
    }
}
