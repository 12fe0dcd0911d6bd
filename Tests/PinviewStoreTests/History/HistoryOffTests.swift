import PinviewModel
import XCTest

@testable import PinviewStore

/// HIS-08: a store that keeps no history says so, whatever it is asked about it.
final class HistoryOffTests: StoreTestCase {
    func test_HIS_08_everyQuestionAboutTheHistoryIsRefused() throws {
        let store = try openStore(try TestModels.notes())
        let questions: [(String, () throws -> Void)] = [
            ("the last transaction", { _ = try store.lastHistoryTransaction() }),
            ("the history", { _ = try store.history(HistoryQuery()) }),
            ("deleting", { _ = try store.deleteHistory(beforeTransaction: 1, beforeTime: nil, rule: .keep) }),
            ("a consumer", { try store.setHistoryConsumer("index", transaction: 1) }),
            ("no consumer", { _ = try store.removeHistoryConsumer("index") }), ("the consumers", { _ = try store.historyConsumers() }),
        ]
        for (what, ask) in questions {
            let error = assertError(.persistentStoreUnsupportedRequest) { try ask() }
            XCTAssertTrue(error?.message.contains("keeps no history") ?? false, "\(what): \(error?.message ?? "")")
            XCTAssertEqual(error?.affectedStores, [storePath], what)
        }
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%HISTORY%' OR name = 'ATRANSACTION'"), ["0"])
    }

    /// Consumers that another program has registered are not shown either: nothing would hold them
    /// back.
    func test_HIS_08_theConsumersOfAHistoryThatIsNotContinued() throws {
        var tracking = StoreOptions()
        tracking.tracksHistory = true
        let tracked = try openStore(try TestModels.notes(), options: tracking)
        try tracked.setHistoryConsumer("index", transaction: 0)
        XCTAssertEqual(try tracked.historyConsumers(), ["index": 0])
        tracked.close()

        let store = try openStore(try TestModels.notes())
        _ = assertError(.persistentStoreUnsupportedRequest) { _ = try store.historyConsumers() }
    }
}
