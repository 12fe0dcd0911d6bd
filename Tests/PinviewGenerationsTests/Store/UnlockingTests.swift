import CPlatform
import CSQLite
import Glibc
import RandomSupport
import XCTest

@testable import PinviewGenerations

/// A commit unlocks the lock for writing and the read mark's with one call to the system (issue 20).
final class UnlockingTests: StoreFileTestCase {
    /// An open file description of the WAL-index, different from the store's: both exclude each other.
    private var description: Int32 = -1

    override func tearDown() {
        close(description)
        super.tearDown()
    }

    /// The locks that somebody holds.
    private func heldLocks() -> [Int] {
        if description < 0 { description = open(path + "-shm", O_RDWR | O_CLOEXEC) }
        return (0..<ExclusiveLocks.count).filter { number in
            let byte = ExclusiveLocks.firstByte + Int64(number)
            guard pinview_lock_description(description, Int16(F_WRLCK), byte, 1) == 0 else { return true }
            XCTAssertEqual(pinview_lock_description(description, Int16(F_UNLCK), byte, 1), 0)
            return false
        }
    }

    /// A store with three rows, 1, 2 and 3.
    private func openStoreWithRows() throws -> StoreFile {
        let store = try openStore()
        try store.write("INSERT INTO t (v) VALUES (1), (2), (3)")
        return store
    }

    private func state(of store: StoreFile) throws -> UnsafeMutablePointer<TrackedState> {
        try XCTUnwrap(ShimFile.state(XCTUnwrap(store.writer.mainFile), as: TrackedState.self))
    }

    private func call(_ store: StoreFile, _ lock: Int, _ mode: Int32) throws -> Int32? {
        let file = try XCTUnwrap(store.writer.mainFile), methods = try XCTUnwrap(file.pointee.pMethods).pointee
        return methods.xShmLock?(file, Int32(lock), 1, mode)
    }

    func test_aCommitLeavesNoLockOfItsTransaction() throws {
        let store = try openStoreWithRows()
        let before = heldLocks()
        for round in 0..<3 {
            let transaction = try store.beginWrite()
            try transaction.connection.execute("UPDATE t SET v = v + 1")
            let mark = try state(of: store).pointee.sharedMark
            XCTAssertGreaterThan(mark, 0, "round \(round): the transaction has moved a read mark")
            XCTAssertTrue(heldLocks().contains(ExclusiveLocks.write), "round \(round)")

            _ = try transaction.commit()

            XCTAssertFalse(heldLocks().contains(ExclusiveLocks.write), "round \(round)")
            XCTAssertEqual(try state(of: store).pointee.sharedMark, -1)
            XCTAssertFalse(try state(of: store).pointee.keepsWriteLock)
        }
        XCTAssertFalse(before.contains(ExclusiveLocks.write))
        XCTAssertEqual(try sqlite3("UPDATE t SET v = v + 1; SELECT sum(v) FROM t; PRAGMA integrity_check"), ["18", "ok"])
    }

    func test_aTransactionThatIsRolledBackLeavesNoLock() throws {
        let store = try openStoreWithRows()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("UPDATE t SET v = v + 1")

        transaction.rollback()

        XCTAssertFalse(heldLocks().contains(ExclusiveLocks.write))
        XCTAssertEqual(try sqlite3("UPDATE t SET v = v + 1; SELECT sum(v) FROM t"), ["9"])
    }

    func test_aCommitThatFailsLeavesNoLock() throws {
        let store = try openStoreWithRows()
        try store.write("CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        try store.writer.execute("PRAGMA foreign_keys = ON")
        let transaction = try store.beginWrite()
        try transaction.connection.execute("INSERT INTO child (parent) VALUES (99)")

        XCTAssertThrowsError(try transaction.commit())

        XCTAssertFalse(heldLocks().contains(ExclusiveLocks.write))
        XCTAssertFalse(try state(of: store).pointee.keepsWriteLock)
    }

    /// SQLite commits while a statement reads, and keeps the read mark for it.
    func test_aStatementThatStillReadsKeepsOnlyTheReadMark() throws {
        let store = try openStoreWithRows()
        let writer = store.writer
        try writer.execute("BEGIN IMMEDIATE")
        try writer.execute("UPDATE t SET v = v + 1 WHERE id = 1")
        let reading = try writer.statement("SELECT v FROM t ORDER BY id")
        XCTAssertTrue(try reading.step())
        let mark = Int(try state(of: store).pointee.sharedMark)
        XCTAssertGreaterThan(mark, 0)

        try store.commitAndUnlockTogether()

        XCTAssertFalse(heldLocks().contains(ExclusiveLocks.write))
        XCTAssertTrue(heldLocks().contains(mark))
        XCTAssertEqual(try sqlite3("UPDATE t SET v = 100 WHERE id = 2; SELECT sum(v) FROM t"), ["105"])
        XCTAssertTrue(try reading.step())
        XCTAssertEqual(reading.int64(0), 2, "the state of the commit")
        reading.reset()
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 105)
    }

    /// With a checkpoint inside the commit, SQLite takes other locks in between.
    func test_aCommitThatCheckpointsLeavesNoLock() throws {
        let store = try openStoreWithRows()
        try store.writer.execute("PRAGMA wal_autocheckpoint = 1")
        for value in 0..<5 {
            try store.write("UPDATE t SET v = \(value)")
            XCTAssertFalse(heldLocks().contains(ExclusiveLocks.write))
            XCTAssertFalse(heldLocks().contains(1), "checkpoint")
        }
        XCTAssertEqual(try sqlite3("SELECT sum(v) FROM t; PRAGMA integrity_check"), ["12", "ok"])
    }

    /// Another lock is asked for before the read mark is given back.
    func test_theLockForWritingDoesNotWaitForOtherLocks() throws {
        let store = try openStoreWithRows()
        let transaction = try store.beginWrite()
        let state = try state(of: store)
        state.pointee.isCommitting = true
        XCTAssertEqual(try call(store, ExclusiveLocks.write, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK)
        XCTAssertTrue(state.pointee.keepsWriteLock)
        XCTAssertTrue(heldLocks().contains(ExclusiveLocks.write))

        XCTAssertEqual(try call(store, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK)

        XCTAssertFalse(state.pointee.keepsWriteLock)
        let held = heldLocks()
        XCTAssertFalse(held.contains(ExclusiveLocks.write))
        XCTAssertTrue(held.contains(1))
        XCTAssertEqual(try call(store, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK)
        XCTAssertEqual(try call(store, ExclusiveLocks.write, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE), SQLITE_OK)
        state.pointee.isCommitting = false
        transaction.rollback()
    }

    /// All connections of the process share a description: whatever locks some of them take and
    /// give back, the system has exactly those that are still held.
    func test_locksOfOthersStayWhenTwoAreUnlockedTogether() throws {
        let store = try openStoreWithRows()
        XCTAssertEqual(heldLocks().filter { $0 < Int(firstReadLock) }, [])
        let index = path + "-shm"
        let locks = try XCTUnwrap(ExclusiveLocks.take(index: index))
        let users = (0..<3).map { _ in ExclusiveLocks.Owner.allocate(byteCount: 1, alignment: 1) }
        XCTAssertTrue(try XCTUnwrap(ExclusiveLocks.take(index: index)) === locks)
        XCTAssertTrue(try XCTUnwrap(ExclusiveLocks.take(index: index)) === locks)
        defer {
            for user in users {
                locks.giveBack(user)
                user.deallocate()
            }
            withExtendedLifetime(store) {}
        }
        let idle = Set(heldLocks())
        var exclusive: [Int: Int] = [:], shared: [Int: Int] = [:]
        var random = SeededGenerator.announced(name)
        for step in 0..<2000 {
            let user = random.below(users.count)
            let number = random.below(ExclusiveLocks.count)
            switch random.below(5) {
            case 0, 1:
                let isFree = exclusive[number, default: user] == user && shared[number] == nil && !idle.contains(number)
                XCTAssertEqual(locks.lock(number, 1, by: users[user]), isFree ? SQLITE_OK : SQLITE_BUSY, "step \(step)")
                if isFree { exclusive[number] = user }
            case 2:
                let isOwn = exclusive[number] == user
                XCTAssertEqual(locks.share(number, by: users[user]), isOwn, "step \(step)")
                if isOwn { (exclusive[number], shared[number]) = (nil, user) }
            case 3:
                let range = 0..<number + 1
                let isOwn = range.contains { exclusive[$0] == user || shared[$0] == user }
                XCTAssertEqual(locks.unlock(0, range.count, by: users[user]), isOwn, "step \(step)")
                for number in range {
                    if exclusive[number] == user { exclusive[number] = nil }
                    if shared[number] == user { shared[number] = nil }
                }
            default:
                let isOwn = exclusive[number] == user || shared[number] == user
                XCTAssertEqual(locks.unlock(number, 1, by: users[user]), isOwn, "step \(step)")
                if exclusive[number] == user { exclusive[number] = nil }
                if shared[number] == user { shared[number] = nil }
            }
            XCTAssertEqual(Set(heldLocks()), idle.union(exclusive.keys).union(shared.keys), "step \(step)")
        }
    }
}
