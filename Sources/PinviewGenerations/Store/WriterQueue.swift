import Glibc

/// Lets one thread of the process write to a file at a time, in the order in which they asked.
///
/// With a plain mutex, a thread that writes in a loop could starve the checkpoints.
final class WriterQueue: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private let turn = ConditionVariable()
    @exclusivity(unchecked) private var nextTicket: UInt64 = 0
    @exclusivity(unchecked) private var served: UInt64 = 0
    @exclusivity(unchecked) private var owner: pthread_t?
    /// Tickets of threads that gave up waiting.
    @exclusivity(unchecked) private var abandoned: Set<UInt64> = []
    /// What the owner does once it has released the turn.
    @exclusivity(unchecked) private var afterwards: [() -> Void] = []

    /// How long a thread waits before it asks its monitor whether to give up, in seconds.
    private static let patience = 0.02

    /// Waits for the turn.
    ///
    /// - Parameter monitor: makes the thread give up when it says so.
    /// - Returns: false if the calling thread has the turn already, so that waiting would never
    ///   end, or if it gave up.
    func acquire(monitor: ReadMonitor? = nil) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if let owner, pthread_equal(owner, pthread_self()) != 0 { return false }
        let ticket = nextTicket
        nextTicket += 1
        while served != ticket {
            guard let monitor else {
                lock.wait(on: turn.pointer)
                continue
            }
            lock.wait(on: turn.pointer, until: MonotonicTime.now.after(Self.patience))
            guard served != ticket else { break }
            // The program's check must not run under a lock.
            lock.unlock()
            let gaveUp = monitor.checkForStop()
            lock.lock()
            if gaveUp, served != ticket {
                abandoned.insert(ticket)
                return false
            }
        }
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
        while !abandoned.isEmpty, abandoned.remove(served) != nil { served += 1 }
        let isAwaited = served != nextTicket, bodies = afterwards
        if !bodies.isEmpty { afterwards = [] }
        lock.unlock()
        if isAwaited { turn.broadcast() }
        for body in bodies { body() }
    }

    /// Has the calling thread, which has the turn, run a body as soon as it has released it.
    func afterRelease(_ body: @escaping () -> Void) { lock.withLock { afterwards.append(body) } }

    /// The number of threads that have the turn or wait for it.
    var count: Int { lock.withLock { Int(nextTicket - served) } }

    var isHeldByCurrentThread: Bool {
        lock.withLock { owner.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }
}
