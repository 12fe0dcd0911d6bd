internal import CSQLite
import Glibc
import Synchronization

/// Monitors the reads of one thread for another: counts their rows and can stop them. A stopped
/// read fails with the kind `interrupted`; its connection remains usable. Writing is monitored in
/// the same way, up to its commit.
package final class ReadMonitor: Sendable {
    private let state: Atomic<Int>
    private let rows = Atomic<Int>(0)
    /// When the read has to end, in nanoseconds; 0 for no limit.
    private let deadline = Atomic<UInt64>(0)
    /// When to call the thread's interrupt check next; 0 if it has not been called yet.
    private let nextCheck = Atomic<UInt64>(0)

    private static let idle = 0, running = 1, cancelled = 2, timedOut = 3

    /// - Parameter isRunning: whether it can be cancelled from the start until `finish`, rather
    ///   than only between `begin` and `end`.
    package init(isRunning: Bool = true) { state = Atomic(isRunning ? Self.running : Self.idle) }

    /// Begins a read that can be cancelled.
    ///
    /// - Returns: false inside another read, which continues.
    package func begin(timeout: Double? = nil) -> Bool {
        guard state.compareExchange(expected: Self.idle, desired: Self.running, ordering: .relaxed).exchanged else { return false }
        if timeout != nil || deadline.load(ordering: .relaxed) != 0 { setTimeout(timeout) }
        if nextCheck.load(ordering: .relaxed) != 0 { nextCheck.store(0, ordering: .relaxed) }
        return true
    }

    /// Limits the read to a number of seconds from now; nil for no limit.
    package func setTimeout(_ seconds: Double?) {
        deadline.store(seconds.map { max(MonotonicTime.now.after($0).nanoseconds, 1) } ?? 0, ordering: .relaxed)
    }

    package func end() { state.store(Self.idle, ordering: .relaxed) }
    /// Ends a read that has not been cancelled, after which it cannot be.
    ///
    /// - Returns: false if it has been cancelled, and stays so.
    package func finish() -> Bool { state.compareExchange(expected: Self.running, desired: Self.idle, ordering: .relaxed).exchanged }

    /// Stops the current read; has no effect if none has begun. Any thread may call this.
    package func cancel() { _ = state.compareExchange(expected: Self.running, desired: Self.cancelled, ordering: .relaxed) }
    package var isCancelled: Bool { state.load(ordering: .relaxed) == Self.cancelled }
    /// Whether it exceeded its time limit.
    package var hasTimedOut: Bool { state.load(ordering: .relaxed) == Self.timedOut }
    /// Whether the monitor of the calling thread exceeded its time limit.
    package static var currentHasTimedOut: Bool { current?.hasTimedOut ?? false }

    /// Whether it has been stopped: cancelled, or out of time.
    package var isStopped: Bool { state.load(ordering: .relaxed) > Self.running }

    /// Ends what the monitor could stop, because now comes a commit.
    ///
    /// - Returns: false if it must stop instead: it was cancelled, or its time is up.
    package func finishInTime() -> Bool { checkDeadline() && (finish() || !isStopped) }

    /// Stops it if it has exceeded its time limit.
    ///
    /// - Returns: whether it goes on.
    package func checkDeadline() -> Bool {
        let deadline = deadline.load(ordering: .relaxed)
        if deadline != 0, MonotonicTime.now.nanoseconds >= deadline {
            _ = state.compareExchange(expected: Self.running, desired: Self.timedOut, ordering: .relaxed)
        }
        return !isStopped
    }

    /// Called by the reading thread every few microseconds, and by a thread that waits for a lock.
    /// Cancels the read if the interrupt check says so.
    ///
    /// - Returns: whether the read has to stop.
    package func checkForStop() -> Bool {
        let state = state.load(ordering: .relaxed)
        guard state == Self.running else { return state > Self.running }
        let deadline = deadline.load(ordering: .relaxed), check = InterruptCheck.current
        guard deadline != 0 || check != nil else { return false }
        let now = MonotonicTime.now.nanoseconds
        if deadline != 0, now >= deadline {
            _ = self.state.compareExchange(expected: Self.running, desired: Self.timedOut, ordering: .relaxed)
            return true
        }
        guard let check else { return false }
        let due = nextCheck.load(ordering: .relaxed)
        guard now >= due else { return false }
        nextCheck.store(now + InterruptCheck.interval, ordering: .relaxed)
        // The first time only starts the interval, so that short fetches do not call the check.
        guard due != 0, check.shouldStop() else { return false }
        cancel()
        return true
    }
    /// The number of rows read so far.
    package var rowCount: Int { rows.load(ordering: .relaxed) }

    func note(_ count: Int) { rows.add(count, ordering: .relaxed) }

    // MARK: The thread

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// At hand without asking whether it has been made.
    private let ownKey = key

    /// The monitor of the calling thread.
    package static var current: ReadMonitor? {
        pthread_getspecific(key).map { Unmanaged<ReadMonitor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Monitors the reads of the calling thread while a body runs, instead of its previous monitor.
    package func watching<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        let before = pthread_getspecific(ownKey)
        becomeCurrent()
        defer { endBeingCurrent(restoring: before) }
        return try withExtendedLifetime(self) { () throws(E) in try body() }
    }

    /// Whether the calling thread has a monitor, this one or another.
    package var isThreadMonitored: Bool { pthread_getspecific(ownKey) != nil }

    /// Monitors the reads of the calling thread from now on. It stays alive until
    /// `endBeingCurrent`.
    package func becomeCurrent() { pthread_setspecific(ownKey, Unmanaged.passUnretained(self).toOpaque()) }

    package func endBeingCurrent(restoring before: UnsafeMutableRawPointer?) { pthread_setspecific(ownKey, before) }
}

extension ReadMonitor? {
    /// Monitors the calling thread while a body runs, if there is a monitor.
    package func watching<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
        guard let monitor = self, ReadMonitor.current !== monitor else { return try body() }
        return try monitor.watching(body)
    }
}

extension Connection {
    /// The number of virtual machine steps between two checks of a monitor: some microseconds.
    private static let stepsBetweenLooks: Int32 = 1000

    /// Has the monitor of whichever thread uses the connection stop its statements, from now on.
    func watchForCallingThreads() {
        sqlite3_progress_handler(handle, Self.stepsBetweenLooks, { _ in ReadMonitor.current?.checkForStop() == true ? 1 : 0 }, nil)
    }

    /// Runs the body of a read under the monitor of the calling thread, if there is one.
    func watched<R>(_ body: (Connection) throws -> R) throws -> R {
        guard let monitor = ReadMonitor.current else { return try body(self) }
        watch(with: monitor)
        defer { endWatching() }
        return try body(self)
    }

    /// Has a monitor stop the statements of the connection from now on. It stays alive until
    /// `endWatching`.
    package func watch(with monitor: ReadMonitor) {
        sqlite3_progress_handler(
            handle, Self.stepsBetweenLooks,
            { monitor in
                guard let monitor else { return 0 }
                return Unmanaged<ReadMonitor>.fromOpaque(monitor).takeUnretainedValue().checkForStop() ? 1 : 0
            }, Unmanaged.passUnretained(monitor).toOpaque())
    }

    package func endWatching() { sqlite3_progress_handler(handle, 0, nil, nil) }
}
