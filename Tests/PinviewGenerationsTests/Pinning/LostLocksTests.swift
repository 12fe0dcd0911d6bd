import XCTest

@testable import PinviewGenerations

/// Read marks whose locks get lost behind the library's back while generations are pinned.
final class LostLocksTests: StoreFileTestCase {
    func test_aPinTakenAfterALossLocksTheReadMarkAgain() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, zeroblob(100000))")
        XCTAssertTrue(try store.checkpoint(truncate: false))
        InjectedFault.current = .lostLocks
        defer { InjectedFault.current = nil }
        let lost = try store.currentGeneration()
        InjectedFault.current = nil
        try sqlite3("UPDATE t SET v = 2; PRAGMA wal_checkpoint(TRUNCATE)")
        XCTAssertThrowsError(try store.int("SELECT v FROM t", at: lost)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }

        let later = try store.currentGeneration()

        guard case .pin(let first) = lost.record.currentHold, case .pin(let second) = later.record.currentHold else {
            return XCTFail("no pins")
        }
        XCTAssertEqual([first.slot, second.slot], [0, 0])
        try sqlite3("UPDATE t SET v = 3")
        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int("SELECT v FROM t", at: later), 2)
        XCTAssertThrowsError(try store.int("SELECT v FROM t", at: lost)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
    }
}
