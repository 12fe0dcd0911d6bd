import Glibc
import PinviewGenerations
import PinviewModel

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
        let isReading: Bool
        init(thread: UInt, isReading: Bool) {
            self.thread = thread
            self.isReading = isReading
        }
    }

    let runsOnMainThread: Bool
    private let lock = Lock()
    private var owner: UInt = 0
    private var depth = 0
    private var line: [Item] = []
    private var lineStart = 0
    private var workerIsScheduled = false
    /// Moves on whenever somebody comes in who may change objects; under `lock`.
    let changes = ChangeCount()
    /// How many of those who are in may change objects.
    private var changers = 0

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
    /// - Parameter isReading: it will change nothing that objects show, other than through who enters again; paired with `leaveReading`.
    func enter(isReading: Bool = false) {
        let thread = CurrentThread.identifier
        lock.lock()
        if owner == thread {
            depth += 1
            if !isReading { beginChange() }
            lock.unlock()
            return
        }
        // The main thread of a main-queue context does not wait for the blocks in its line: they
        // wait for that very thread to drain them (CON-17).
        if owner == 0 && (lineIsEmpty || runsOnMainThread) {
            owner = thread
            depth = 1
            if !isReading { beginChange() }
            lock.unlock()
            return
        }
        let waiter = Waiter(thread: thread, isReading: isReading)
        if runsOnMainThread { line.insert(.waiter(waiter), at: lineStart) } else { line.append(.waiter(waiter)) }
        lock.unlock()
        waiter.signal.wait()
    }

    /// Lets the calling thread in to read, unless it would have to wait.
    func enterReadingIfFree() -> Bool {
        let thread = CurrentThread.identifier
        lock.lock()
        defer { lock.unlock() }
        guard owner == thread || owner == 0 && lineIsEmpty else { return false }
        owner = thread
        depth += 1
        return true
    }

    /// Lets the calling thread out and the next one in.
    func leave() { leave(isReading: false) }

    /// The same for a thread that came in to read.
    func leaveReading() { leave(isReading: true) }

    private func leave(isReading: Bool) {
        lock.lock()
        if !isReading { changers -= 1 }
        depth -= 1
        if depth == 0 { passOn() }
        lock.unlock()
    }

    /// Called with the lock held.
    private func beginChange() {
        changers += 1
        changes.advance()
    }

    /// The count of changes; nil while somebody is in who may change objects: the count need not move again then.
    var stableChangeCount: UInt64? { lock.withLock { changers == 0 ? changes.value : nil } }

    /// For the thread that came in to read: runs what may change objects after all.
    func changing<R>(_ mayChange: Bool, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        guard mayChange else { return try body() }
        lock.withLock { beginChange() }
        defer { lock.withLock { changers -= 1 } }
        return try body()
    }

    /// Something changed that is not of the queue, such as a setting.
    func noteChange() { lock.withLock { changes.advance() } }

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
            beginChange()
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
            if !waiter.isReading { beginChange() }
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
        beginChange()
        return block
    }
}
