import Glibc
import PinviewGenerations

/// A condition variable; waited on with a ``Lock`` held.
final class Condition: @unchecked Sendable {  // made once, used through the thread-safe functions of libc
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        condition = .allocate(capacity: 1)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    func wait(_ lock: Lock) { lock.wait(on: condition) }
    func broadcast() { pthread_cond_broadcast(condition) }
}
