/// Something that one thread waits for and others give.
package final class CommitSignal: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private let changed = ConditionVariable()
    private var isGiven = false

    package init() {}

    package func give() {
        lock.withLock { isGiven = true }
        changed.broadcast()
    }

    /// Waits until it is given, or so many seconds; takes it.
    package func wait(seconds: Double) {
        let deadline = MonotonicTime.now.after(seconds)
        lock.lock()
        while !isGiven, MonotonicTime.now < deadline { lock.wait(on: changed.pointer, until: deadline) }
        isGiven = false
        lock.unlock()
    }
}
