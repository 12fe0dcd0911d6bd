import PinviewGenerations

/// Reports the progress of a fetch on a thread of its own. The reading thread holds a connection,
/// which the handler might wait for.
final class ProgressReporter: @unchecked Sendable {  // mutable state is guarded by `lock`
    private static let interval = 0.05

    private let handler: @Sendable (AsynchronousFetchResult) -> Void
    private let result: AsynchronousFetchResult
    private let lock = Lock()
    private let changed = ConditionVariable()
    private var isReporting = false
    private var isStopped = false

    init(_ handler: @escaping @Sendable (AsynchronousFetchResult) -> Void, _ result: AsynchronousFetchResult) {
        self.handler = handler
        self.result = result
    }

    func start() { WorkerThreads.shared.run { self.run() } }

    private func run() {
        var reported = 0
        lock.lock()
        while !isStopped {
            let count = result.completedUnitCount
            if count != reported {
                reported = count
                isReporting = true
                lock.unlock()
                handler(result)
                lock.lock()
                isReporting = false
                changed.broadcast()
                if isStopped { break }
            }
            lock.wait(on: changed.pointer, until: MonotonicTime.now.after(Self.interval))
        }
        lock.unlock()
    }

    /// Ends the reports, waiting for one under way. The caller must hold no locks of a store.
    func stop() {
        lock.lock()
        isStopped = true
        changed.broadcast()
        while isReporting { lock.wait(on: changed.pointer) }
        lock.unlock()
    }
}
