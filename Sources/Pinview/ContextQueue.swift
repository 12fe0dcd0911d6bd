import Glibc
import PinviewGenerations

/// The serial queue of one context.
///
/// A thread *enters* the queue, does its work on its own stack and leaves; blocks put in with
/// ``perform(_:)`` are run later by a worker thread or by the main thread. All of them stand in one
/// line and are let in in its order. Nobody changes threads for a synchronous call: when the line is empty, entering
/// is a lock and two stores.
///
/// A thread that is in may enter again (CON-05).
final class ContextQueue: @unchecked Sendable {  // every stored property is guarded by `lock`
    private enum Item {
        case waiter(Waiter)
        case block(@Sendable () -> Void)
    }

    /// A thread that stands in the line.
    private final class Waiter {
        let signal = Signal()
        let thread: UInt
        init(thread: UInt) { self.thread = thread }
    }

    let runsOnMainThread: Bool
    private let lock = Lock()
    private var owner: UInt = 0
    private var depth = 0
    private var line: [Item] = []
    private var lineStart = 0
    private var workerIsScheduled = false

    init(runsOnMainThread: Bool) {
        self.runsOnMainThread = runsOnMainThread
    }

    /// Whether the calling thread is inside.
    var isCurrent: Bool {
        // Safe without the lock: only this thread can have written its own identifier.
        lock.withLock { owner == CurrentThread.identifier }
    }

    #if DEBUG
        /// Whether the calling thread, which is inside, has entered once only.
        var isAtOutermostLevel: Bool { lock.withLock { depth == 1 } }
    #endif

    /// Lets the calling thread in, after those who came before it.
    func enter() {
        let thread = CurrentThread.identifier
        lock.lock()
        if owner == thread {
            depth += 1
            lock.unlock()
            return
        }
        // The main thread of a main-queue context does not wait for the blocks in its line: they
        // wait for that very thread to drain them (CON-17).
        if owner == 0 && (lineIsEmpty || runsOnMainThread) {
            owner = thread
            depth = 1
            lock.unlock()
            return
        }
        let waiter = Waiter(thread: thread)
        if runsOnMainThread { line.insert(.waiter(waiter), at: lineStart) } else { line.append(.waiter(waiter)) }
        lock.unlock()
        waiter.signal.wait()
    }

    /// Lets the calling thread out and the next one in.
    func leave() {
        lock.lock()
        depth -= 1
        if depth == 0 { passOn() }
        lock.unlock()
    }

    /// Puts a block at the end of the line.
    func perform(_ block: @escaping @Sendable () -> Void) {
        if runsOnMainThread {
            MainQueueWork.shared.add { [self] in
                enter()
                block()
                leave()
            }
            return
        }
        lock.lock()
        line.append(.block(block))
        if owner == 0 { passOn() }
        lock.unlock()
    }

    /// Runs a block at once when nobody is in or waits, else puts it at the end of the line.
    func performSoon(_ block: @escaping @Sendable () -> Void) {
        lock.lock()
        let mayRunHere = owner == 0 && lineIsEmpty && (!runsOnMainThread || CurrentThread.isMain)
        if mayRunHere {
            owner = CurrentThread.identifier
            depth = 1
        }
        lock.unlock()
        guard mayRunHere else { return perform(block) }
        block()
        leave()
    }

    private var lineIsEmpty: Bool { lineStart == line.count }

    /// Hands the queue to the first in the line. Called with the lock held and nobody inside.
    private func passOn() {
        owner = 0
        guard !lineIsEmpty else { return }
        switch line[lineStart] {
        case .waiter(let waiter):
            removeFirst()
            owner = waiter.thread
            depth = 1
            waiter.signal.send()
        case .block:
            guard !workerIsScheduled else { return }
            workerIsScheduled = true
            WorkerThreads.shared.run { [self] in runBlocks() }
        }
    }

    private func removeFirst() {
        lineStart += 1
        if lineStart > 32 && lineStart * 2 > line.count {
            line.removeFirst(lineStart)
            lineStart = 0
        } else if lineIsEmpty {
            line.removeAll(keepingCapacity: true)
            lineStart = 0
        }
    }

    /// A worker thread: runs the blocks at the head of the line.
    private func runBlocks() {
        while let block = takeBlock() {
            block()
            leave()
        }
    }

    private func takeBlock() -> (@Sendable () -> Void)? {
        lock.lock()
        defer { lock.unlock() }
        guard owner == 0, !lineIsEmpty, case .block(let block) = line[lineStart] else {
            workerIsScheduled = false
            return nil
        }
        removeFirst()
        owner = CurrentThread.identifier
        depth = 1
        return block
    }
}
