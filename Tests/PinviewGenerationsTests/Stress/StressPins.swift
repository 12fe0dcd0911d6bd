import Foundation
import StressSupport

@testable import PinviewGenerations

/// A generation and what was read when it was pinned.
struct StressPin: Sendable {
    let generation: Generation
    let contents: Contents
}

/// The pins that threads hand to each other.
final class StressPins: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var pins: [StressPin?]

    init(count: Int) { pins = Array(repeating: nil, count: count) }

    /// - Returns: the previous pin, for the caller to release.
    func exchange(_ pin: StressPin?, at index: Int) -> StressPin? {
        lock.withLock {
            defer { pins[index % pins.count] = pin }
            return pins[index % pins.count]
        }
    }

    func any(_ index: Int) -> StressPin? { lock.withLock { pins[index % pins.count] } }

    func removeAll() {
        let old = lock.withLock { () -> [StressPin?] in
            defer { pins = Array(repeating: nil, count: pins.count) }
            return pins
        }
        withExtendedLifetime(old) {}
    }
}

/// Admits many threads at the same time, or one alone.
final class StressGate: @unchecked Sendable {  // made for sharing
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    init() {
        var attributes = pthread_rwlockattr_t()
        pthread_rwlockattr_init(&attributes)
        // Otherwise the threads that pass would never let one be alone.
        pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        pthread_rwlock_init(lock, &attributes)
        pthread_rwlockattr_destroy(&attributes)
    }
    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    func pass<R>(_ body: () throws -> R) rethrows -> R {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }

    func alone<R>(_ body: () throws -> R) rethrows -> R {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return try body()
    }
}
