import Glibc

/// A mutual-exclusion lock: a `pthread_mutex_t` at a fixed address.
///
/// Not `Synchronization.Mutex`: the thread sanitizer reports races inside it that are none.
package final class Lock: @unchecked Sendable {  // the mutex is made for sharing
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let looksFirst: Bool

    /// - Parameter looksFirst: whether a thread that finds the lock taken looks at it for a moment before it sleeps: for locks that several
    ///   threads take all the time and hold for less than going to sleep and being woken would take.
    package init(looksFirst: Bool) {
        self.looksFirst = looksFirst
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        reinitialize()
    }

    package convenience init() { self.init(looksFirst: false) }

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

    /// Waits on a condition with the lock held; the lock is let go meanwhile.
    package func wait(on condition: UnsafeMutablePointer<pthread_cond_t>) { pthread_cond_wait(condition, mutex) }

    /// Waits until the monotonic clock shows `deadline` at the longest.
    package func wait(on condition: UnsafeMutablePointer<pthread_cond_t>, until deadline: MonotonicTime) {
        var time = timespec(tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
    }

    /// Makes the mutex free in a forked child, where no other thread lives that could hold it.
    func reinitialize() {
        guard looksFirst else {
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
    /// How many locks of the library the calling thread holds.
    package enum HeldLocks {
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        // The number itself is the thread's value, so that there is nothing to free.
        package fileprivate(set) static var count: Int {
            get { Int(bitPattern: pthread_getspecific(key)) }
            set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
        }
    }
#endif

/// Calls what the program gave: a callback, or the function that frees its userdata. It may call the library, which must not wait for
/// its own caller then, so debug builds check that the thread holds no lock.
@inline(__always)
package func callingOut<R>(_ body: () throws -> R) rethrows -> R {
    #if DEBUG
        precondition(HeldLocks.count == 0, "What the program gave is called with a lock of the library held.")
    #endif
    return try body()
}

/// Leaf locks for objects of which there may be thousands, each for some of them: one of its own would make each much larger.
package struct LockStripes: Sendable {
    private let locks: [Lock]

    /// - Parameter count: a power of two.
    package init(count: Int) { locks = (0..<count).map { _ in Lock() } }

    /// The lock of the object with a number.
    package subscript(number: UInt64) -> Lock { locks[Int(truncatingIfNeeded: number) & (locks.count - 1)] }
}

/// A condition variable on the monotonic clock, used with a `Lock`.
package final class ConditionVariable: @unchecked Sendable {  // made for sharing
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
    /// In a forked child: forgets the waiters, which live in the parent only.
    func reinitialize() { initialize() }
}

/// A moment on the monotonic clock.
package struct MonotonicTime: Comparable, Sendable {
    var nanoseconds: UInt64

    package static var now: MonotonicTime { read(CLOCK_MONOTONIC) }
    /// A few milliseconds behind, and cheaper.
    static var coarse: MonotonicTime { read(CLOCK_MONOTONIC_COARSE) }

    private static func read(_ clock: clockid_t) -> MonotonicTime {
        var time = timespec()
        clock_gettime(clock, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    /// The moment so many seconds later, but not more than 146 years; the same moment for a time below 0, or one that is no number.
    package func after(_ seconds: Double) -> MonotonicTime {
        guard seconds > 0 else { return self }
        let (sum, overflows) = nanoseconds.addingReportingOverflow(UInt64(min(seconds * 1e9, 0x1p62)))
        return MonotonicTime(nanoseconds: overflows ? .max : sum)
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
