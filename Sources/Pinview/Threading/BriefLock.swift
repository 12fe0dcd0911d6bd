import Glibc
import Synchronization

/// A lock for a few instructions at a time with little contention: locking is one atomic exchange,
/// unlocking a store.
///
/// No other code may be called while it is held.
struct BriefLock: ~Copyable, Sendable {
    private let isHeld = Atomic<Bool>(false)

    /// How often to look at the lock before yielding to another thread, which may hold it, and how
    /// often to yield before sleeping.
    private static let looks = 100, yields = 100
    private static let nap = timespec(tv_sec: 0, tv_nsec: 50_000)

    @inline(__always)
    borrowing func lock() { if isHeld.exchange(true, ordering: .acquiring) { wait() } }

    @inline(__always)
    borrowing func unlock() { isHeld.store(false, ordering: .releasing) }

    @inline(__always)
    borrowing func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body()
    }

    @inline(never)
    private borrowing func wait() {
        var rounds = 0
        while true {
            for _ in 0..<Self.looks where !isHeld.load(ordering: .relaxed) {
                if !isHeld.exchange(true, ordering: .acquiring) { return }
            }
            rounds += 1
            if rounds < Self.yields {
                sched_yield()
            } else {
                var nap = Self.nap
                nanosleep(&nap, nil)
            }
        }
    }
}
