import Glibc
import PinviewGenerations
import PinviewModel
import Synchronization

/// The serial queue of one context.
///
/// A thread *enters* the queue, does its work on its own stack and leaves; blocks put in with
/// ``perform(_:)`` are run later by a worker thread or by the main thread. All of them stand in one
/// line and are let in in its order. Nobody changes threads for a synchronous call: when the line is empty, entering
/// is a lock and two stores.
///
/// A thread that is in may enter again (CON-05).
final class ContextQueue: @unchecked Sendable {  // every stored property is guarded by `lock`, except where it says otherwise
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
    /// The thread that is inside. Changed with the lock held; whether it is the calling thread itself anybody may ask without.
    private let owner = Atomic<UInt>(0)
    /// How often it has entered. Belongs to the thread that is inside; handed over with the lock held.
    private var depth = 0
    private var line: [Item] = []
    private var lineStart = 0
    private var workerIsScheduled = false
    /// Moves on whenever somebody comes in who may change objects; under `lock`.
    let changes = ChangeCount()
    /// How many of those who are in may change objects. Belongs to the thread that is inside; it makes it more or less than none with
    /// the lock held.
    private let changers = Atomic<Int>(0)

    init(runsOnMainThread: Bool) {
        self.runsOnMainThread = runsOnMainThread
    }

    /// Whether the calling thread is inside.
    var isCurrent: Bool {
        // Safe without the lock: only this thread's own entering makes it true, and only its own leaving makes it false.
        owner.load(ordering: .relaxed) == CurrentThread.identifier
    }

    #if DEBUG
        /// Whether the calling thread, which is inside, has entered once only.
        var isAtOutermostLevel: Bool { depth == 1 }
    #endif

    /// Lets the calling thread in, after those who came before it.
    /// - Parameter isReading: it will change nothing that objects show, other than through who enters again; paired with `leaveReading`.
    func enter(isReading: Bool = false) {
        if enterAgain(isReading: isReading) { return }
        let thread = CurrentThread.identifier
        lock.lock()
        // The main thread of a main-queue context does not wait for the blocks in its line: they
        // wait for that very thread to drain them (CON-17).
        if isFree && (lineIsEmpty || runsOnMainThread) {
            owner.store(thread, ordering: .relaxed)
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

    /// Counts another entry of the calling thread. False: it is not inside.
    @inline(__always)
    func enterAgain(isReading: Bool = false) -> Bool {
        guard isCurrent else { return false }
        depth += 1
        if !isReading { beginChangeInside() }
        return true
    }

    /// Lets the calling thread in to read, unless it would have to wait.
    func enterReadingIfFree() -> Bool {
        let thread = CurrentThread.identifier
        if isCurrent {
            depth += 1
            return true
        }
        lock.lock()
        defer { lock.unlock() }
        guard isFree && lineIsEmpty else { return false }
        owner.store(thread, ordering: .relaxed)
        depth += 1
        return true
    }

    /// Lets the calling thread out and the next one in.
    func leave() { leave(isReading: false) }

    /// The same for a thread that came in to read.
    func leaveReading() { leave(isReading: true) }

    private func leave(isReading: Bool) {
        let changing = changers.load(ordering: .relaxed) - (isReading ? 0 : 1)
        if depth > 1, isReading || changing > 0 {
            depth -= 1
            changers.store(changing, ordering: .relaxed)
            return
        }
        lock.lock()
        changers.store(changing, ordering: .relaxed)
        depth -= 1
        if depth == 0 { passOn() }
        lock.unlock()
    }

    private var isFree: Bool { owner.load(ordering: .relaxed) == 0 }

    /// Called with the lock held.
    private func beginChange() {
        changers.store(changers.load(ordering: .relaxed) + 1, ordering: .relaxed)
        changes.advance()
    }

    /// For the thread that is inside already: without the lock while it is known to be changing objects.
    @inline(__always)
    private func beginChangeInside() {
        let changing = changers.load(ordering: .relaxed)
        if changing == 0 { lock.withLock { beginChange() } } else { changers.store(changing + 1, ordering: .relaxed) }
    }

    /// The count of changes; nil while somebody is in who may change objects: the count need not move again then.
    var stableChangeCount: UInt64? { lock.withLock { changers.load(ordering: .relaxed) == 0 ? changes.value : nil } }

    /// For the thread that came in to read: runs what may change objects after all.
    func changing<R>(_ mayChange: Bool, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        guard mayChange else { return try body() }
        beginChangeInside()
        defer { lock.withLock { changers.store(changers.load(ordering: .relaxed) - 1, ordering: .relaxed) } }
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
        if isFree { passOn() }
        lock.unlock()
    }

    /// Runs a block at once when nobody is in or waits, else puts it at the end of the line.
    func performSoon(_ block: @escaping @Sendable () -> Void) {
        lock.lock()
        let mayRunHere = isFree && lineIsEmpty && (!runsOnMainThread || CurrentThread.isMain)
        if mayRunHere {
            owner.store(CurrentThread.identifier, ordering: .relaxed)
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
        owner.store(0, ordering: .relaxed)
        guard !lineIsEmpty else { return }
        switch line[lineStart] {
        case .waiter(let waiter):
            removeFirst()
            depth = 1
            owner.store(waiter.thread, ordering: .relaxed)
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
        guard isFree, !lineIsEmpty, case .block(let block) = line[lineStart] else {
            workerIsScheduled = false
            return nil
        }
        removeFirst()
        owner.store(CurrentThread.identifier, ordering: .relaxed)
        depth = 1
        beginChange()
        return block
    }
}
