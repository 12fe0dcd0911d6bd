import XCTest

@testable import PinviewGenerations

/// Whatever is asked of a store that has been closed, it says so; nothing is read, written or held
/// any more.
final class ClosedStoreTests: StoreFileTestCase {
    func test_everythingSaysThatTheStoreIsClosed() throws {
        // Another one keeps the file's shared part.
        let kept = try openStore(), store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let generation = try store.currentGeneration(), held = try kept.currentGeneration()
        store.close()

        let calls: [(String, () throws -> Void)] = [
            ("write", { _ = try store.beginWrite() }), ("pin", { _ = try store.currentGeneration() }),
            ("adopt", { _ = try store.adopt(held.name) }), ("read at", { try store.read(at: generation) { _ in XCTFail("it read") } }),
            ("read", { try store.readNewest { _ in XCTFail("it read") } }), ("checkpoint", { _ = try store.checkpoint(truncate: false) }),
            ("detach", { _ = try store.detachOlderGenerations() }),
        ]
        for (name, call) in calls {
            XCTAssertThrowsError(try call(), name) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .closed, "\(name): \($0)") }
        }
        XCTAssertEqual(try kept.int("SELECT v FROM t", at: held), 1)
        try kept.write("INSERT INTO t VALUES (2, 2)")
        XCTAssertEqual(try kept.newestInt("SELECT count(*) FROM t"), 2)
        store.close()
    }
}
