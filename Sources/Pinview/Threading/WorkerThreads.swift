import PinviewGenerations

/// Work of the library's other floors on threads of its own.
package enum BackgroundWork {
    package static func run(_ body: @escaping @Sendable () -> Void) { WorkerThreads.shared.run(body) }
}

/// The threads on which the blocks of private queues run: a new one when all are at work, none when
/// there has been nothing to do for a while. A pool of our own, because Dispatch would make the
/// library half a megabyte larger.
final class WorkerThreads: @unchecked Sendable {  // guarded by `lock`
    static let shared = WorkerThreads()

    /// Blocks may wait for each other, so there may be many more than processors.
    private static let limit = 512
    /// Seconds without work after which a thread ends.
    private static let idleTime = 5.0

    private let lock = Lock()
    private let wake = ConditionVariable()
    private var work: [@Sendable () -> Void] = []
    private var workStart = 0
    private var threadCount = 0
    private var idleCount = 0

    /// Runs a body soon, on a thread that is not the caller's.
    func run(_ body: @escaping @Sendable () -> Void) {
        lock.lock()
        work.append(body)
        let isAwaited = idleCount >= work.count - workStart
        if !isAwaited, threadCount < Self.limit, DetachedThread.start({ Self.shared.runWork() }) { threadCount += 1 }
        // Without a new thread one of the others comes to it; when the system gives none at all,
        // the next call tries again.
        wake.signal()
        lock.unlock()
    }

    private func runWork() {
        while runNext() {}
    }

    /// Runs a body, and lets go of what it holds before the lock is taken again.
    private func runNext() -> Bool {
        lock.lock()
        let body = next()
        if body == nil { threadCount -= 1 }
        lock.unlock()
        body?()
        return body != nil
    }

    /// The next body, waited for; nil when there has been none for long. With the lock.
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
