/// Lets one thread wait for others.
package final class AutoResetEvent: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private let changed = ConditionVariable()
    private var isSent = false

    package init() {}

    package func send() {
        // The waiting thread may release this object as soon as it has been woken.
        lock.lock()
        isSent = true
        changed.broadcast()
        lock.unlock()
    }

    /// Waits until it is sent, and resets it.
    package func wait() {
        lock.lock()
        while !isSent { lock.wait(on: changed.pointer) }
        isSent = false
        lock.unlock()
    }

    /// Waits until it is sent, or for a number of seconds, and resets it.
    package func wait(seconds: Double) {
        let deadline = MonotonicTime.now.after(seconds)
        lock.lock()
        while !isSent, MonotonicTime.now < deadline { lock.wait(on: changed.pointer, until: deadline) }
        isSent = false
        lock.unlock()
    }
}
