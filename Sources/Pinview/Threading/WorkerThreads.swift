import PinviewGenerations

/// Runs work of lower modules on background threads.
package enum BackgroundWork {
    package static func run(_ body: @escaping @Sendable () -> Void) { WorkerThreads.shared.run(body) }
}

/// The threads on which blocks of private queues run. A thread is started when all are busy, and
/// ends after some time without work. Dispatch would make the library half a megabyte larger.
final class WorkerThreads: @unchecked Sendable {  // guarded by `lock`
    static let shared = WorkerThreads()

    /// Blocks may wait for one another, so there may be many more threads than processors.
    private static let limit = 512
    /// Seconds without work after which a thread ends.
    private static let idleTime = 5.0

    private let lock = Lock()
    private let wake = ConditionVariable()
    private var work: [@Sendable () -> Void] = []
    private var workStart = 0
    private var threadCount = 0
    private var idleCount = 0

    /// Runs a body soon, on another thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        lock.lock()
        work.append(body)
        let isAwaited = idleCount >= work.count - workStart
        if !isAwaited, threadCount < Self.limit, DetachedThread.start({ Self.shared.runWork() }) { threadCount += 1 }
        // If no thread can be started, another one will run it; if there is none at all, the next
        // call tries again.
        wake.signal()
        lock.unlock()
    }

    private func runWork() {
        while runNext() {}
    }

    /// Runs a body, and releases what it holds before taking the lock again.
    private func runNext() -> Bool {
        lock.lock()
        let body = next()
        if body == nil { threadCount -= 1 }
        lock.unlock()
        body?()
        return body != nil
    }

    /// Waits for the next body; nil if there has been none for a long time. Requires the lock.
    private func next() -> (@Sendable () -> Void)? {
        let deadline = MonotonicTime.now.after(Self.idleTime)
        while workStart == work.count {
            if MonotonicTime.now >= deadline { return nil }
            idleCount += 1
            lock.wait(on: wake.pointer, until: deadline)
            idleCount -= 1
        }
        let body = work[workStart]
        work[workStart] = {}  // what the body holds goes with it, however much work follows
        workStart += 1
        if workStart == work.count {
            work.removeAll(keepingCapacity: true)
            workStart = 0
        }
        return body
    }
}
