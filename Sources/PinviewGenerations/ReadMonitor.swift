internal import CSQLite
import Glibc
import Synchronization

/// Watches the reads of one thread for another: counts their rows, and stops them. A read that is stopped fails with the kind
/// `interrupted`; the connection is good for others.
package final class ReadMonitor: Sendable {
    private let state: Atomic<Int>
    private let rows = Atomic<Int>(0)

    private static let idle = 0, running = 1, cancelled = 2

    /// - Parameter isRunning: whether it can be cancelled from the beginning, until `finish`; else between `begin` and `end`.
    package init(isRunning: Bool = true) { state = Atomic(isRunning ? Self.running : Self.idle) }

    /// Begins a read that can be cancelled.
    /// - Returns: false inside of another one, which goes on.
    package func begin() -> Bool { state.compareExchange(expected: Self.idle, desired: Self.running, ordering: .relaxed).exchanged }
    package func end() { state.store(Self.idle, ordering: .relaxed) }
    /// Ends what was not cancelled; from then on it cannot be.
    /// - Returns: false when it was cancelled, and stays so.
    package func finish() -> Bool { state.compareExchange(expected: Self.running, desired: Self.idle, ordering: .relaxed).exchanged }

    /// Stops what is being read; without a read that has begun it does nothing. Any thread.
    package func cancel() { _ = state.compareExchange(expected: Self.running, desired: Self.cancelled, ordering: .relaxed) }
    package var isCancelled: Bool { state.load(ordering: .relaxed) == Self.cancelled }
    /// How many rows have been read.
    package var rowCount: Int { rows.load(ordering: .relaxed) }

    func note(_ count: Int) { rows.add(count, ordering: .relaxed) }

    // MARK: The thread

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// What watches the reads of the calling thread.
    static var current: ReadMonitor? {
        pthread_getspecific(key).map { Unmanaged<ReadMonitor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Watches the reads of the calling thread while a body runs; what watched them before does so again afterwards.
    package func watching<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        let before = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, before) }
        return try withExtendedLifetime(self) { () throws(E) in try body() }
    }
}

extension Connection {
    /// How many steps of SQLite's machine lie between two looks at a monitor: some microseconds.
    private static let stepsBetweenLooks: Int32 = 1000

    /// Runs the body of a read under the monitor of the calling thread, if there is one.
    func watched<R>(_ body: (Connection) throws -> R) throws -> R {
        guard let monitor = ReadMonitor.current else { return try body(self) }
        sqlite3_progress_handler(
            handle, Self.stepsBetweenLooks,
            { monitor in
                guard let monitor else { return 0 }
                return Unmanaged<ReadMonitor>.fromOpaque(monitor).takeUnretainedValue().isCancelled ? 1 : 0
            }, Unmanaged.passUnretained(monitor).toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try body(self)
    }
}
