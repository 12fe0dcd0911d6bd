internal import CSQLite
import Glibc
import Synchronization

/// Watches the reads of one thread for another: counts their rows, and stops them. A read that is stopped fails with the kind
/// `interrupted`; the connection is good for others.
package final class ReadMonitor: Sendable {
    private let state: Atomic<Int>
    private let rows = Atomic<Int>(0)
    /// When the read has to be over, in nanoseconds; 0: whenever it is.
    private let deadline = Atomic<UInt64>(0)
    /// When the thread's check is asked again; 0: not yet asked.
    private let nextCheck = Atomic<UInt64>(0)

    private static let idle = 0, running = 1, cancelled = 2, timedOut = 3

    /// - Parameter isRunning: whether it can be cancelled from the beginning, until `finish`; else between `begin` and `end`.
    package init(isRunning: Bool = true) { state = Atomic(isRunning ? Self.running : Self.idle) }

    /// Begins a read that can be cancelled.
    /// - Returns: false inside of another one, which goes on.
    package func begin(timeout: Double? = nil) -> Bool {
        guard state.compareExchange(expected: Self.idle, desired: Self.running, ordering: .relaxed).exchanged else { return false }
        if timeout != nil || deadline.load(ordering: .relaxed) != 0 { setTimeout(timeout) }
        if nextCheck.load(ordering: .relaxed) != 0 { nextCheck.store(0, ordering: .relaxed) }
        return true
    }

    /// Has the read stopped so many seconds from now; nil: never.
    package func setTimeout(_ seconds: Double?) {
        deadline.store(seconds.map { max(MonotonicTime.now.after($0).nanoseconds, 1) } ?? 0, ordering: .relaxed)
    }

    package func end() { state.store(Self.idle, ordering: .relaxed) }
    /// Ends what was not cancelled; from then on it cannot be.
    /// - Returns: false when it was cancelled, and stays so.
    package func finish() -> Bool { state.compareExchange(expected: Self.running, desired: Self.idle, ordering: .relaxed).exchanged }

    /// Stops what is being read; without a read that has begun it does nothing. Any thread.
    package func cancel() { _ = state.compareExchange(expected: Self.running, desired: Self.cancelled, ordering: .relaxed) }
    package var isCancelled: Bool { state.load(ordering: .relaxed) == Self.cancelled }
    /// Whether it took longer than it may.
    package var hasTimedOut: Bool { state.load(ordering: .relaxed) == Self.timedOut }
    /// The same of what watches the reads of the calling thread.
    package static var currentHasTimedOut: Bool { current?.hasTimedOut ?? false }

    /// Asked by the reading thread every some microseconds.
    fileprivate func hasToStop() -> Bool {
        guard state.load(ordering: .relaxed) <= Self.running else { return true }
        let deadline = deadline.load(ordering: .relaxed), check = InterruptCheck.current
        guard deadline != 0 || check != nil else { return false }
        let now = MonotonicTime.now.nanoseconds
        if deadline != 0, now >= deadline {
            _ = state.compareExchange(expected: Self.running, desired: Self.timedOut, ordering: .relaxed)
            return true
        }
        guard let check else { return false }
        let due = nextCheck.load(ordering: .relaxed)
        guard now >= due else { return false }
        nextCheck.store(now + InterruptCheck.interval, ordering: .relaxed)
        // A fetch that is over at once is not asked about.
        guard due != 0, check.asksToStop() else { return false }
        cancel()
        return true
    }
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
                return Unmanaged<ReadMonitor>.fromOpaque(monitor).takeUnretainedValue().hasToStop() ? 1 : 0
            }, Unmanaged.passUnretained(monitor).toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try body(self)
    }
}
