import Glibc
import Synchronization

/// What the program gave to be called in the middle of a statement, with all that the library holds for it: the handler of the SQL log, and
/// the check that may stop a fetch. Such a callback cannot use the library, which would wait for its own caller.
package enum StatementCallbacks {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// How many threads are inside one: nearly always none, and then nobody asks the thread.
    private static let threadsInside = Atomic<Int>(0)

    /// Whether the calling thread is inside one.
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

/// What a thread wants to be asked while a fetch of it runs: whether to stop. For what cannot interrupt the fetch from another thread, as
/// an interpreter that sees its signals on the main thread only.
package final class InterruptCheck {
    /// Nanoseconds between two questions.
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

    /// The check of the calling thread; nil takes it away. It goes with the thread.
    package static func set(_ body: (() -> Bool)?) {
        let old = pthread_getspecific(key)
        pthread_setspecific(key, body.map { UnsafeRawPointer(Unmanaged.passRetained(InterruptCheck($0)).toOpaque()) })
        if let old { Unmanaged<InterruptCheck>.fromOpaque(old).release() }
    }

    static var current: InterruptCheck? {
        pthread_getspecific(key).map { Unmanaged<InterruptCheck>.fromOpaque($0).takeUnretainedValue() }
    }

    func asksToStop() -> Bool { StatementCallbacks.inside(body) }
}
