import Glibc

/// A mutual-exclusion lock: a `pthread_mutex_t` at a fixed address.
///
/// Not `Synchronization.Mutex`, in which the thread sanitizer reports false races.
package final class Lock: @unchecked Sendable {  // a mutex may be shared
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let spins: Bool

    /// - Parameter spins: whether a thread that finds the lock taken spins for a moment before it
    ///   sleeps: for locks that several threads take constantly, and hold for less time than
    ///   sleeping and waking takes.
    package init(spins: Bool) {
        self.spins = spins
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        reinitialize()
    }

    package convenience init() { self.init(spins: false) }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() {
        pthread_mutex_lock(mutex)
        #if DEBUG
            HeldLocks.count += 1
        #endif
    }

    package func unlock() {
        #if DEBUG
            HeldLocks.count -= 1
        #endif
        pthread_mutex_unlock(mutex)
    }

    package func withLock<R>(_ body: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Waits on a condition with the lock held; the lock is released meanwhile.
    package func wait(on condition: UnsafeMutablePointer<pthread_cond_t>) { pthread_cond_wait(condition, mutex) }

    /// The same, at most until the monotonic clock shows `deadline`.
    package func wait(on condition: UnsafeMutablePointer<pthread_cond_t>, until deadline: MonotonicTime) {
        var time = timespec(tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Unlocks the mutex in a forked child, where the thread that held it does not exist.
    func reinitialize() {
        guard spins else {
            pthread_mutex_init(mutex, nil)
            return
        }
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }
}

#if DEBUG
    /// The number of the library's locks that the calling thread holds.
    package enum HeldLocks {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        // The thread-specific value is the number itself, so that there is nothing to free.
        package fileprivate(set) static var count: Int {
            get { Int(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }
    }
#endif

/// Calls a callback of the program, or the function that frees its userdata. It may call the
/// library, which must not wait for its own caller then, so debug builds check that the thread
/// holds no lock.
@inline(__always)
package func callingOut<R>(_ body: () throws -> R) rethrows -> R {
    #if DEBUG
        precondition(HeldLocks.count == 0, "A callback of the program is called with a lock of the library held.")
    #endif
    return try body()
}

/// Locks for objects of which there may be thousands, shared because a lock of its own would make
/// each object much larger. Nothing is called while one is held.
package struct LockStripes: Sendable {
    private let locks: [Lock]

    /// - Parameter count: a power of two.
    package init(count: Int) { locks = (0..<count).map { _ in Lock() } }

    /// The lock of the object with a number.
    package subscript(number: UInt64) -> Lock { locks[Int(truncatingIfNeeded: number) & (locks.count - 1)] }
}

/// A condition variable on the monotonic clock, used with a `Lock`.
package final class ConditionVariable: @unchecked Sendable {  // a condition variable may be shared
    package let pointer: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: pthread_cond_t())
        initialize()
    }

    deinit {
        pthread_cond_destroy(pointer)
        pointer.deallocate()
    }

    private func initialize() {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(pointer, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    package func signal() { pthread_cond_signal(pointer) }
    package func broadcast() { pthread_cond_broadcast(pointer) }
    /// Forgets the waiters in a forked child, where they do not exist.
    func reinitialize() { initialize() }
}

/// A point in time on the monotonic clock.
package struct MonotonicTime: Comparable, Sendable {
    var nanoseconds: UInt64

    package static var now: MonotonicTime { read(CLOCK_MONOTONIC) }
    /// Up to a few milliseconds behind, and cheaper.
    static var coarse: MonotonicTime { read(CLOCK_MONOTONIC_COARSE) }

    private static func read(_ clock: clockid_t) -> MonotonicTime {
        var time = timespec()
        clock_gettime(clock, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    /// The time so many seconds later, at most 146 years; the same time if the argument is negative
    /// or NaN.
    package func after(_ seconds: Double) -> MonotonicTime {
        guard seconds > 0 else { return self }
        let (sum, overflows) = nanoseconds.addingReportingOverflow(UInt64(min(seconds * 1e9, 0x1p62)))
        return MonotonicTime(nanoseconds: overflows ? .max : sum)
    }

    /// The seconds from an earlier moment; below 0 from a later one.
    func seconds(since earlier: MonotonicTime) -> Double { Double(Int64(bitPattern: nanoseconds &- earlier.nanoseconds)) / 1e9 }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
