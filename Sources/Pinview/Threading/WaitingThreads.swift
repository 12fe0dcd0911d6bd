import PinviewGenerations
import Synchronization

/// A thread that waits until it may work on a context: until a queue lets it in, or until the main
/// queue runs its block.
final class ThreadWait: Sendable {
    enum Goal: Sendable {
        case queue(ContextQueue)
        case mainQueue
    }

    let goal: Goal
    let thread: UInt
    let isReading: Bool
    /// Whether the thread is one that drains the main queue, which nobody does while it waits.
    let blocksMainQueue: Bool
    /// Work to do in the thread's place, if it can be done later; nil if the caller needs the
    /// outcome.
    let putOffWork: (@Sendable () -> Void)?
    /// Whether the wait can fail, so that the caller gets an error.
    let canBeRefused: Bool
    let signal = AutoResetEvent()
    private let over = Atomic<Bool>(false)
    private let putOff = Atomic<Bool>(false)

    init(_ goal: Goal, isReading: Bool, putOffWork: (@Sendable () -> Void)?, canBeRefused: Bool = false) {
        self.goal = goal
        self.canBeRefused = canBeRefused
        self.isReading = isReading
        self.putOffWork = putOffWork
        thread = CurrentThread.identifier
        blocksMainQueue = CurrentThread.isMain
    }

    /// Whether the wait has succeeded, although the thread may not be running yet.
    var isOver: Bool { over.load(ordering: .acquiring) }
    /// Whether the work was postponed or the thread refused. Valid once the signal has been sent.
    var isPutOff: Bool { putOff.load(ordering: .relaxed) }

    /// Ends the wait successfully. Called before the thread owns what it waited for; the signal
    /// follows.
    func end() { over.store(true, ordering: .releasing) }

    /// Ends the wait unsuccessfully: the work is postponed or dropped.
    func endPutOff() {
        putOff.store(true, ordering: .relaxed)
        end()
        signal.send()
    }
}

/// Records which thread waits for which queue, so that merges that would deadlock are postponed
/// (ONE-08).
///
///     thread 1 ── waits for ──▶ queue B ── owned by ──▶ thread 2
///        ▲                                                 │
///        └──── owned by ─── queue A ◀── waits for ─────────┘
///
/// A thread that is about to sleep records its wait here and then follows the arrows. A circle
/// exists once its last thread has recorded its wait, and that thread finds it: queues change
/// owners without a record, but never while the owner sleeps. If a thread of the circle only waits
/// to merge, its merge takes its position in the line, and the thread carries on. Otherwise the
/// wait of one of the threads fails: that of the one that closed the circle, if possible.
///
/// Only threads that have to sleep anyway come here.
package final class WaitingThreads: @unchecked Sendable {  // guarded by `lock`
    package static let shared = WaitingThreads()

    /// Taken before a queue's lock, never while one is held.
    private let lock = Lock()
    private var waits: [UInt: ThreadWait] = [:]

    /// Sleeps until the wait ends.
    /// - Returns: false if the work was postponed or the thread refused.
    func sleep(_ wait: ThreadWait) -> Bool {
        lock.lock()
        waits[wait.thread] = wait
        let putOff = circle(closedBy: wait).flatMap { putOffOne(of: $0) ?? refuseOne(of: $0) }
        lock.unlock()
        putOff?()
        wait.signal.wait()
        lock.lock()
        waits[wait.thread] = nil
        lock.unlock()
        return !wait.isPutOff
    }

    /// - Returns: a closure to call without the lock; nil if every thread needs the outcome of its
    ///   work.
    private func putOffOne(of circle: [ThreadWait]) -> (() -> Void)? {
        for wait in circle {
            if case .queue(let queue) = wait.goal, let putOff = queue.putOff(wait) { return putOff }
        }
        return nil
    }

    /// - Returns: a closure to call without the lock; nil if no wait of the circle can fail.
    private func refuseOne(of circle: [ThreadWait]) -> (() -> Void)? {
        for wait in circle {
            if case .queue(let queue) = wait.goal, let refuse = queue.refuse(wait) { return refuse }
        }
        return nil
    }

    /// The threads that wait for one another, starting with the given one; nil if it waits for a
    /// running thread.
    private func circle(closedBy first: ThreadWait) -> [ThreadWait]? {
        var circle = [first]
        while circle.count <= waits.count, let last = circle.last, let next = waitOfOwner(of: last) {
            if next === first { return circle }
            circle.append(next)
        }
        return nil
    }

    /// The wait of the thread that owns what another one waits for.
    private func waitOfOwner(of wait: ThreadWait) -> ThreadWait? {
        if wait.isOver { return nil }
        let next: ThreadWait? =
            switch wait.goal {
            case .queue(let queue): waits[queue.owningThread]
            case .mainQueue: waits.values.first { $0.blocksMainQueue && !$0.isOver }
            }
        guard let next, !next.isOver else { return nil }
        return next
    }

    /// Who waits for whom, in words.
    package var description: String {
        lock.withLock {
            waits.values.filter { !$0.isOver }.map { wait in
                let goal =
                    switch wait.goal {
                    case .queue(let queue): "queue \(ObjectIdentifier(queue)), which thread \(queue.owningThread) is in"
                    case .mainQueue: "the main queue"
                    }
                return "thread \(wait.thread)\(wait.blocksMainQueue ? " (main)" : "") waits for \(goal)"
                    + (wait.putOffWork == nil ? "" : ", to merge")
            }.sorted().joined(separator: "\n")
        }
    }
}
