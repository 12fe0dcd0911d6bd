import Foundation
import XCTest

@testable import PinviewGenerations

/// Pins that use a read mark a little below their state.
final class NearMarkTests: StoreFileTestCase {
    /// A store whose newest state is pinned at a read mark below it.
    private func openWithPinBelow() throws -> (store: StoreFile, pin: Generation, first: Generation) {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        let first = try store.currentGeneration()
        try sqlite3((2...10).map { "UPDATE t SET v = \($0)" }.joined(separator: "; "))
        return (store, try store.currentGeneration(), first)
    }

    private func mark(of generation: Generation) throws -> ReadMarkPin {
        guard case .pin(let pin) = generation.record.currentHold else { throw XCTSkip("generations are open transactions here") }
        return pin
    }

    func test_aPinTakesAMarkThatIsHeldAlreadyWhenItIsNear() throws {
        let (store, pin, first) = try openWithPinBelow()
        let own = try mark(of: pin), firstMark = try mark(of: first)
        XCTAssertEqual(own.slot, firstMark.slot)
        XCTAssertLessThan(own.mark, pin.header.frame)
        XCTAssertEqual(try store.int("SELECT v FROM t", at: first), 1)
        XCTAssertEqual(try store.int("SELECT v FROM t", at: pin), 10)
    }

    func test_aMarkBelowTheStateKeepsAllOfItsFrames() throws {
        var (store, pin, first): (StoreFile, Generation, Generation?) = try openWithPinBelow()
        XCTAssertNotNil(first)
        first = nil
        try sqlite3((11...30).map { "UPDATE t SET v = \($0)" }.joined(separator: "; "))

        XCTAssertTrue(try foreignTruncateIsBusy())
        try sqlite3("PRAGMA wal_checkpoint(PASSIVE)")
        try sqlite3((31...60).map { "INSERT INTO t VALUES (\($0), 0)" }.joined(separator: "; "))

        XCTAssertEqual(try store.int("SELECT v FROM t", at: pin), 10)
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pin), 1)
        XCTAssertEqual(try store.read(at: pin) { try $0.value("PRAGMA integrity_check") }, "ok")
        pin = try store.currentGeneration()
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pin), 31)
    }

    func test_aMarkThatIsFarIsMoved() throws {
        let (store, _, first) = try openWithPinBelow()
        try sqlite3(
            "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                + "INSERT INTO t SELECT i, hex(zeroblob(200)) FROM n")

        let pin = try store.currentGeneration()

        XCTAssertEqual(try mark(of: pin).mark, pin.header.frame)
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: pin), 2000)
        XCTAssertEqual(try store.int("SELECT v FROM t", at: first), 1)
    }

    func test_whenAllIsCopiedReadMark0IsTaken() throws {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 1)")
        XCTAssertTrue(try store.checkpoint(truncate: false))
        XCTAssertEqual(try mark(of: try store.currentGeneration()).slot, 0)
    }

    func test_theOnlyPinBelowTheStateLetsTheJournalRestart() throws {
        let (store, pin, _) = try openWithPinBelow()
        XCTAssertTrue(try store.checkpoint(truncate: false))
        XCTAssertEqual(try mark(of: pin).slot, 0)
        XCTAssertEqual(try store.int("SELECT v FROM t", at: pin), 10)
    }

    // MARK: What checkpoints do to the file is not damage

    private func fill(_ rows: Int) throws -> StoreFile {
        let store = try openStore()
        try store.write(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) INSERT INTO t SELECT i, zeroblob(3000) FROM n"
        )
        XCTAssertTrue(try store.checkpoint(truncate: true))
        return store
    }

    func test_aPinThatSharesAnOlderOnesMarkSurvivesACheckpointThatTruncatesTheFile() throws {
        let store = try fill(400)
        try sqlite3("DELETE FROM t WHERE id > 100; VACUUM")
        let first = try store.currentGeneration()
        XCTAssertEqual(try sqlite3("PRAGMA wal_checkpoint(FULL)").last?.hasPrefix("0|"), true)
        try sqlite3("INSERT INTO t SELECT id + 1000, zeroblob(3000) FROM t WHERE id <= 20")

        let second = try store.currentGeneration()

        XCTAssertEqual(try mark(of: second).slot, try mark(of: first).slot)
        XCTAssertEqual(try store.int("SELECT sum(length(v) > 0) FROM t", at: second), 120)
        XCTAssertEqual(try store.int("SELECT sum(length(v) > 0) FROM t", at: first), 100)
    }

    func test_aPinSurvivesACheckpointThatCopiesTheSameFramesAgainAfterARecovery() throws {
        let store = try fill(100)
        try sqlite3("UPDATE t SET v = zeroblob(2900) WHERE id <= 50")
        let reader = try ForeignProcess(path: path)
        defer { reader.finish() }
        try reader.run("BEGIN")
        try reader.run("SELECT count(*) FROM t")
        XCTAssertTrue(try store.checkpoint(truncate: false))
        try sqlite3("UPDATE t SET v = zeroblob(2800) WHERE id = 100")
        let pin = try store.currentGeneration()
        XCTAssertEqual(try mark(of: pin).mark, store.shared?.index.backfilledFrames)
        let stamp = try store.shared?.slots?.fileStamp

        // A writer that was killed while it changed the header.
        try run("python3", ["-c", "import sys; open(sys.argv[1], 'r+b').write(bytes(48))", path + "-shm"])
        try sqlite3("PRAGMA wal_checkpoint(PASSIVE)")

        XCTAssertNotEqual(try store.shared?.slots?.fileStamp, stamp, "the frames have been copied again")
        XCTAssertEqual(try store.int("SELECT sum(length(v)) FROM t", at: pin), 50 * 2900 + 49 * 3000 + 2800)
    }
}
