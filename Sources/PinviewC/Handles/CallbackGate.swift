import Glibc
import Pinview

/// Lets calls pass until it is closed. Closing waits for calls on other threads to return.
final class CallbackGate: @unchecked Sendable {  // guarded by `lock`
    private let lock = ThreadLock()
    private let left = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var threads: [pthread_t] = []
    private var isClosed = false

    init() {
        left.initialize(to: pthread_cond_t())
        pthread_cond_init(left, nil)
    }

    deinit {
        pthread_cond_destroy(left)
        left.deallocate()
    }

    /// Runs `body`, unless the gate is closed.
    func pass(_ body: () throws -> Void) rethrows {
        let thread = pthread_self()
        let isOpen = lock.withLock {
            if !isClosed { threads.append(thread) }
            return !isClosed
        }
        guard isOpen else { return }
        defer {
            lock.withLock {
                if let index = threads.lastIndex(of: thread) { threads.remove(at: index) }
                pthread_cond_broadcast(left)
            }
        }
        try body()
    }

    func close() {
        let thread = pthread_self()
        lock.lock()
        isClosed = true
        while threads.contains(where: { $0 != thread }) { lock.wait(on: left) }
        lock.unlock()
    }
}
