import Glibc

/// Lets one thread of the process write to a file at a time, in the order in which they asked.
///
/// With a plain mutex, a thread that writes in a loop could starve the checkpoints.
final class WriterQueue: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private let turn = ConditionVariable()
    private var nextTicket: UInt64 = 0
    private var served: UInt64 = 0
    private var owner: pthread_t?

    /// Waits for the turn.
    ///
    /// - Returns: false if the calling thread has the turn already, so that waiting would never
    ///   end.
    func acquire() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if let owner, pthread_equal(owner, pthread_self()) != 0 { return false }
        let ticket = nextTicket
        nextTicket += 1
        while served != ticket { lock.wait(on: turn.pointer) }
        owner = pthread_self()
        return true
    }

    /// Takes the turn if nobody has it or waits for it.
    ///
    /// - Returns: whether it was taken.
    func acquireIfFree() -> Bool {
        lock.withLock {
            guard served == nextTicket else { return false }
            nextTicket += 1
            owner = pthread_self()
            return true
        }
    }

    func release() {
        lock.lock()
        owner = nil
        served += 1
        let isAnybodyWaiting = served != nextTicket
        lock.unlock()
        if isAnybodyWaiting { turn.broadcast() }
    }

    var isHeldByCurrentThread: Bool {
        lock.withLock { owner.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }
}
