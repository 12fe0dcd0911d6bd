import PinviewGenerations
import Synchronization

/// One thread that waits until it may work on a context: until a queue lets it in, or until the
/// main queue runs its block.
final class ThreadWait: Sendable {
    enum Goal: Sendable {
        case queue(ContextQueue)
        case mainQueue
    }

    let goal: Goal
    let thread: UInt
    let isReading: Bool
    /// Whether the thread works for the main queue, which nobody drains meanwhile.
    let blocksMainQueue: Bool
    /// What is to be done in the thread's place, where that can be done later; nil for who needs an
    /// answer.
    let putOffWork: (@Sendable () -> Void)?
    /// Whether the thread can go on without its goal: its caller gets an error.
    let canBeRefused: Bool
    let signal = Signal()
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

    /// Whether the thread has got what it waited for, though it may not run yet.
    var isOver: Bool { over.load(ordering: .acquiring) }
    /// Whether the work was put off instead, or the thread was refused. Known once the signal has
    /// been sent.
    var isPutOff: Bool { putOff.load(ordering: .relaxed) }

    /// Called before the goal becomes the thread's; the signal follows.
    func end() { over.store(true, ordering: .releasing) }

    /// The goal never becomes the thread's: its work is done later, or not at all.
    func endPutOff() {
        putOff.store(true, ordering: .relaxed)
        end()
        signal.send()
    }
}

/// Which threads wait for which queues, so that a merge that would close a circle of waiting
/// threads is put off (ONE-08).
///
///     thread 1 ── waits for ──▶ queue B ── owned by ──▶ thread 2
///        ▲                                                 │
///        └──── owned by ─── queue A ◀── waits for ─────────┘
///
/// Each thread that is about to sleep says so here first and then follows the arrows. A circle
/// exists once its last thread has said so, and that thread finds it: queues change hands without a
/// word, but never from a thread that sleeps. When the circle has a thread that only brings a
/// merge, the merge takes the thread's place in the line, and the thread goes on. Otherwise one of
/// the threads is sent away with an error: the one that closed the circle, if it can be.
///
/// Only threads that have to sleep anyway come here.
package final class WaitingThreads: @unchecked Sendable {  // guarded by `lock`
    package static let shared = WaitingThreads()

    /// Taken before the lock of a queue, never inside one.
    private let lock = Lock()
    private var waits: [UInt: ThreadWait] = [:]

    /// Sleeps until the thread has what it waits for.
    /// - Returns: false when its work was put off instead, or the thread was refused.
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

    /// - Returns: what is to be called for that, without the lock; nil where all of the threads
    ///   need an answer.
    private func putOffOne(of circle: [ThreadWait]) -> (() -> Void)? {
        for wait in circle {
            if case .queue(let queue) = wait.goal, let putOff = queue.putOff(wait) { return putOff }
        }
        return nil
    }

    /// - Returns: the same where none of the threads can get an error.
    private func refuseOne(of circle: [ThreadWait]) -> (() -> Void)? {
        for wait in circle {
            if case .queue(let queue) = wait.goal, let refuse = queue.refuse(wait) { return refuse }
        }
        return nil
    }

    /// The threads that wait for each other, beginning with the given one; nil where it waits for
    /// somebody who is at work.
    private func circle(closedBy first: ThreadWait) -> [ThreadWait]? {
        var circle = [first]
        while circle.count <= waits.count, let last = circle.last, let next = waitOfOwner(of: last) {
            if next === first { return circle }
            circle.append(next)
        }
        return nil
    }

    /// What the thread that somebody waits for waits for itself.
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

    /// Who waits for whom, for people.
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
