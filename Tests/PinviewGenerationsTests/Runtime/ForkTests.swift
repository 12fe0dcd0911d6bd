import Foundation
import StressSupport
import XCTest

@testable import PinviewGenerations

/// Swift does not let programs call `fork`, but hosts of the library do, such as Python.
private func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: Fork.self)()
}

final class ForkTests: StoreFileTestCase {
    /// Runs a body in a forked child.
    ///
    /// - Returns: the child's exit status: 0 if the body returned true, 99 if it hung.
    static func statusOfChild(_ body: () -> Bool) -> Int32 {
        let child = forkProcess()
        if child == 0 {
            signal(SIGALRM) { _ in _exit(99) }
            alarm(120)
            _exit(body() ? 0 : 1)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    private func isForked(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return (error as? SQLiteError)?.kind == .forked }
        return false
    }

    func test_aChildGetsAnErrorFromItsParentsStore() throws {
        let store = try openStore()
        let held = try XCTUnwrap(try store.write("INSERT INTO t VALUES (1, 1)"))
        let path = self.path, options = self.options

        let status = Self.statusOfChild {
            isForked { _ = try store.currentGeneration() } && isForked { _ = try store.beginWrite() }
                && isForked { _ = try store.int("SELECT 1", at: held) } && isForked { _ = try store.newestInt("SELECT 1") }
                && isForked { _ = try store.checkpoint(truncate: false) }
                && isForked { _ = try StoreFile.open(path: path, options: options) }
                && !store.isNewest(held)
        }

        XCTAssertEqual(status, 0)
    }

    func test_aChildThatReleasesAPinLeavesItsParentsPins() throws {
        let store = try openStore()
        var held: Generation? = try store.write("INSERT INTO t VALUES (1, 1)")
        try sqlite3("INSERT INTO t VALUES (2, 2)")

        let status = Self.statusOfChild {
            held = nil
            store.close()
            return true
        }

        XCTAssertEqual(status, 0)
        XCTAssertTrue(try foreignTruncateIsBusy())
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: try XCTUnwrap(held)), 1)
        held = nil
        XCTAssertFalse(try foreignTruncateIsBusy())
    }

    /// With the thread sanitizer, which does not allow threads in a child:
    /// `TSAN_OPTIONS=die_after_fork=0`.
    func test_aChildMayUseAStoreOfItsOwn() throws {
        let store = try openStore()
        let held = try store.currentGeneration()
        let path = self.folder + "/child.sqlite", options = self.options

        let status = Self.statusOfChild {
            do {
                let own = try StoreFile.open(path: path, options: options)
                let old = try own.write("CREATE TABLE t (v)")
                try own.write("INSERT INTO t VALUES (7)")
                guard let old else { return false }
                let (before, after) = (try own.int("SELECT count(*) FROM t", at: old), try own.newestInt("SELECT v FROM t"))
                own.close()
                return before == 0 && after == 7
            } catch {
                return false
            }
        }

        XCTAssertEqual(status, 0)
        XCTAssertEqual(try sqlite3("SELECT v FROM t", path: path), ["7"])
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: held), 0)
    }

    /// Whatever locks other threads hold at the fork, the child gets an error and does not hang.
    /// (It cannot open a store of its own then: SQLite's mutexes stay with threads that the child
    /// does not have.)
    func test_aChildOfABusyProcessGetsAnErrorAndDoesNotHang() throws {
        // With the thread sanitizer, every use of a global takes a lock of Swift's runtime, which
        // may stay locked forever in a child.
        try XCTSkipIf(Sanitizers.checkThreads, "a process under the thread sanitizer cannot fork beside busy threads")
        let store = try openStore()
        let held = try store.currentGeneration()
        let path = self.path, options = self.options
        let isOver = Flag()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            inThreads(4) { number in
                while !isOver.isSet {
                    _ = try? number == 0 ? store.write("INSERT INTO t (v) VALUES (1)") : store.currentGeneration()
                    if number == 1 { _ = try? store.checkpoint(truncate: false) }
                    _ = try? store.newestInt("SELECT count(*) FROM t")
                }
            }
            done.signal()
        }

        let statuses = (1...20).map { _ in
            Self.statusOfChild {
                isForked { _ = try store.currentGeneration() } && isForked { _ = try store.int("SELECT 1", at: held) }
                    && isForked { _ = try store.beginWrite() } && isForked { _ = try StoreFile.open(path: path, options: options) }
            }
        }
        isOver.set()
        done.wait()

        XCTAssertEqual(statuses, Array(repeating: 0, count: 20))
        XCTAssertEqual(try store.int("SELECT count(*) FROM t", at: held), 0)
    }
}

private final class Flag: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
