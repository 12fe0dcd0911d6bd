import Glibc
import Synchronization

/// The callbacks of the program that run in the middle of a statement, while the library holds its
/// locks: the handler of the SQL log, and the check that can stop a fetch. Such a callback cannot
/// use the library, which would wait for its own caller.
package enum StatementCallbacks {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The number of threads inside a callback. It is nearly always 0, and then the thread-specific
    /// value is not read.
    private static let threadsInside = Atomic<Int>(0)

    /// Whether the calling thread is inside a callback.
    @inline(__always)
    package static var isInside: Bool { threadsInside.load(ordering: .relaxed) != 0 && pthread_getspecific(key) != nil }

    static func inside<R>(_ body: () -> R) -> R {
        let before = pthread_getspecific(key)
        threadsInside.add(1, ordering: .relaxed)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer {
            pthread_setspecific(key, before)
            threadsInside.subtract(1, ordering: .relaxed)
        }
        return body()
    }
}

/// A callback that a thread's fetches and saves call regularly to find out whether to stop. For
/// programs that cannot interrupt them from another thread, such as an interpreter that handles
/// signals on its main thread only.
package final class InterruptCheck {
    /// Nanoseconds between two calls.
    static let interval: UInt64 = 50_000_000

    private let body: () -> Bool

    private init(_ body: @escaping () -> Bool) { self.body = body }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            if let value { Unmanaged<InterruptCheck>.fromOpaque(value).release() }
        }
        return key
    }()

    /// Sets the check of the calling thread; nil removes it. It ends with the thread.
    package static func set(_ body: (() -> Bool)?) {
        let old = pthread_getspecific(key)
        pthread_setspecific(key, body.map { UnsafeRawPointer(Unmanaged.passRetained(InterruptCheck($0)).toOpaque()) })
        if let old { Unmanaged<InterruptCheck>.fromOpaque(old).release() }
    }

    /// The check of the calling thread, to be set again; nil if it has none.
    package static var body: (() -> Bool)? { current?.body }

    /// Whether the calling thread has one.
    package static var isSet: Bool { pthread_getspecific(key) != nil }

    static var current: InterruptCheck? {
        pthread_getspecific(key).map { Unmanaged<InterruptCheck>.fromOpaque($0).takeUnretainedValue() }
    }

    func shouldStop() -> Bool { StatementCallbacks.inside(body) }
}
