import Glibc
import PinviewGenerations
import PinviewModel
import Synchronization

/// The serial queue of one context.
///
/// A thread *enters* the queue, does its work on its own stack and leaves; blocks put in with
/// ``perform(_:)`` are run later by a worker thread or by the main thread. All of them stand in one
/// line and are let in in its order. Nobody changes threads for a synchronous call: when the line
/// is empty, entering and leaving are an atomic exchange each.
///
/// A thread that is in may enter again (CON-05).
final class ContextQueue: @unchecked Sendable {  // every stored property is atomic, the owner's, or guarded by `lock`
    private enum Item {
        case waiter(ThreadWait)
        case block(@Sendable () -> Void)
    }

    let runsOnMainThread: Bool
    /// Who is inside: `CurrentThread.identifier`, or 0. The lowest bit says that the line is not
    /// empty; it is changed with the lock held only, and while it is set, so is the rest.
    private let owner = Atomic<UInt>(0)
    private static let lineBit: UInt = 1
    /// How many times the owner has entered. Handed over with the queue.
    private var depth = 0
    /// Moves on whenever somebody comes in who may change objects.
    let changes = ChangeCount()
    /// How many of those entries may change objects. Handed over with the queue; anybody may look.
    private let changers = Atomic<Int>(0)
    private let lock = Lock()
    private var line: [Item] = []
    private var lineStart = 0
    private var workerIsScheduled = false

    init(runsOnMainThread: Bool) {
        self.runsOnMainThread = runsOnMainThread
    }

    /// Whether the calling thread is inside.
    var isCurrent: Bool { isOwned(by: CurrentThread.identifier) }

    /// Safe without the lock for the thread itself: only it can have written its own identifier.
    @inline(__always)
    private func isOwned(by thread: UInt) -> Bool { owner.load(ordering: .relaxed) & ~Self.lineBit == thread }

    /// The thread that is inside, or 0; any thread may ask. It stays the same while that thread
    /// sleeps.
    var owningThread: UInt { owner.load(ordering: .acquiring) & ~Self.lineBit }

    #if DEBUG
        /// Whether the calling thread, which is inside, has entered once only.
        var isAtOutermostLevel: Bool { depth == 1 }
    #endif

    /// Lets the calling thread in once more, if it is inside already.
    @inline(__always)
    func enterAgain(isReading: Bool = false) -> Bool {
        guard isCurrent else { return false }
        depth += 1
        if !isReading { beginChange() }
        return true
    }

    /// Lets the calling thread in to read, unless it would have to wait; paired with
    /// ``leaveReading()``.
    @inline(__always)
    func enterReadingIfFree() -> Bool {
        let thread = CurrentThread.identifier
        if isOwned(by: thread) {
            depth += 1
            return true
        }
        guard take(from: 0, thread) else { return false }
        depth = 1
        return true
    }

    /// Lets the calling thread in, after those who came before it.
    /// - Parameter isReading: it will change nothing that objects show, other than through who
    ///   enters again; paired with ``leaveReading()``.
    func enter(isReading: Bool = false) {
        let thread = CurrentThread.identifier
        if isOwned(by: thread) {
            depth += 1
        } else if take(from: 0, thread) {
            depth = 1
        } else {
            _ = standInLine(thread, isReading, orPutOff: nil)
            return
        }
        if !isReading { beginChange() }
    }

    /// The same, unless the calling thread would wait for a thread that waits for it, maybe through
    /// others, and none of them can go on.
    ///
    /// - Returns: false then; the thread is not inside.
    func enterUnlessDeadlocked(isReading: Bool = false) -> Bool {
        (isReading ? enterReadingIfFree() : enterIfFree())
            || standInLine(CurrentThread.identifier, isReading, orPutOff: nil, canBeRefused: true)
    }

    /// Lets the calling thread in as ``enter(isReading:)`` does, unless it would wait for a thread
    /// that waits for it: then the work is done when its turn comes, and the calling thread goes on
    /// (ONE-08).
    ///
    /// - Parameter work: what the thread is about to do, for whoever runs the blocks in the line.
    /// - Returns: whether the thread is inside.
    func enter(orPutOff work: @escaping @Sendable () -> Void) -> Bool {
        enterIfFree() || standInLine(CurrentThread.identifier, false, orPutOff: work)
    }

    /// Lets the calling thread in if it is inside already or nobody else is; paired with
    /// ``leave()`` then.
    @inline(__always)
    func enterIfFree() -> Bool {
        let thread = CurrentThread.identifier
        if isOwned(by: thread) {
            depth += 1
        } else if take(from: 0, thread) {
            depth = 1
        } else {
            return false
        }
        beginChange()
        return true
    }

    @inline(__always)
    private func take(from state: UInt, _ new: UInt) -> Bool {
        owner.compareExchange(expected: state, desired: new, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
    }

    @inline(never)
    private func standInLine(
        _ thread: UInt, _ isReading: Bool, orPutOff work: (@Sendable () -> Void)?, canBeRefused: Bool = false
    ) -> Bool {
        lock.lock()
        while true {
            let state = owner.load(ordering: .relaxed)
            // The main thread of a main-queue context does not wait for the blocks in its line:
            // they wait for that very thread to drain them (CON-17).
            if state == 0 || (state == Self.lineBit && runsOnMainThread) {
                guard take(from: state, thread | state) else { continue }
                depth = 1
                if !isReading { beginChange() }
                lock.unlock()
                return true
            }
            // From now on whoever is inside looks at the line when it leaves.
            if state & Self.lineBit != 0 || take(from: state, state | Self.lineBit) { break }
        }
        let waiter = ThreadWait(.queue(self), isReading: isReading, putOffWork: work, canBeRefused: canBeRefused)
        if runsOnMainThread { line.insert(.waiter(waiter), at: lineStart) } else { line.append(.waiter(waiter)) }
        lock.unlock()
        return WaitingThreads.shared.sleep(waiter)
    }

    /// Lets a thread in the line go on without its turn; its work takes the place.
    ///
    /// - Returns: what is to be called for that, without a lock; nil for a thread that must have
    ///   its turn, or has had it.
    func putOff(_ waiter: ThreadWait) -> (() -> Void)? {
        guard let work = waiter.putOffWork else { return nil }
        lock.lock()
        defer { lock.unlock() }
        guard let place = place(of: waiter) else { return nil }
        if runsOnMainThread {
            line.remove(at: place)
            return { [self] in
                performOnMainQueue(work)
                waiter.endPutOff()
            }
        }
        line[place] = .block(work)
        return { waiter.endPutOff() }
    }

    /// Sends a thread in the line away, without its turn.
    ///
    /// - Returns: what is to be called for that, without a lock; nil for a thread that must have
    ///   its turn, or has had it.
    func refuse(_ waiter: ThreadWait) -> (() -> Void)? {
        guard waiter.canBeRefused else { return nil }
        lock.lock()
        defer { lock.unlock() }
        guard let place = place(of: waiter) else { return nil }
        line.remove(at: place)
        return { waiter.endPutOff() }
    }

    /// With the lock held.
    private func place(of waiter: ThreadWait) -> Int? {
        line[lineStart...].firstIndex { if case .waiter(let other) = $0 { other === waiter } else { false } }
    }

    /// Lets the calling thread out and the next one in.
    func leave() {
        endChange()
        leaveReading()
    }

    /// The same for a thread that came in to read.
    @inline(__always)
    func leaveReading() {
        depth -= 1
        if depth > 0 { return }
        let thread = CurrentThread.identifier
        if owner.compareExchange(expected: thread, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed).exchanged { return }
        callNext()
    }

    @inline(never)
    private func callNext() {
        lock.lock()
        passOn()
        lock.unlock()
    }

    // MARK: Changes

    /// For who is inside, or is about to be. The count moves on with the first one: it tells nobody
    /// anything until the last one is out.
    @inline(__always)
    private func beginChange() {
        let changing = changers.load(ordering: .relaxed)
        changers.store(changing + 1, ordering: .relaxed)
        if changing == 0 { changes.advance() }
    }

    @inline(__always)
    private func endChange() { changers.store(changers.load(ordering: .relaxed) - 1, ordering: .releasing) }

    /// The count of changes; nil while somebody is in who may change objects: the count need not
    /// move again then.
    var stableChangeCount: UInt64? {
        // In this order: who sees the count that a change began with sees that it began, or that it
        // has ended.
        let count = changes.value
        return changers.load(ordering: .acquiring) == 0 ? count : nil
    }

    /// For the thread that came in to read: runs what may change objects after all.
    func changing<R>(_ mayChange: Bool, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        guard mayChange else { return try body() }
        beginChange()
        defer { endChange() }
        return try body()
    }

    /// For who is inside: changes objects, without a call of anybody's.
    @inline(__always)
    func change<R>(_ body: () -> R) -> R {
        beginChange()
        defer { endChange() }
        return body()
    }

    /// Something changed that is not of the queue, such as a setting.
    func noteChange() { changes.advance() }

    /// Puts a block at the end of the line.
    func perform(_ block: @escaping @Sendable () -> Void) {
        if runsOnMainThread {
            performOnMainQueue(block)
            return
        }
        lock.lock()
        line.append(.block(block))
        while true {
            let state = owner.load(ordering: .relaxed)
            guard state & Self.lineBit == 0 else { break }
            guard take(from: state, state | Self.lineBit) else { continue }
            if state == 0 { passOn() }
            break
        }
        lock.unlock()
    }

    private func performOnMainQueue(_ block: @escaping @Sendable () -> Void) {
        MainQueueWork.shared.add { [self] in
            enter()
            block()
            leave()
        }
    }

    /// Runs a block at once when nobody is in or waits, else puts it at the end of the line.
    func performSoon(_ block: @escaping @Sendable () -> Void) {
        guard !runsOnMainThread || CurrentThread.isMain, take(from: 0, CurrentThread.identifier) else { return perform(block) }
        depth = 1
        beginChange()
        block()
        leave()
    }

    private var lineIsEmpty: Bool { lineStart == line.count }

    /// Hands the queue to the first in the line. Called with the lock held, by the last who was
    /// inside or when nobody is.
    private func passOn() {
        guard !lineIsEmpty else { return owner.store(0, ordering: .releasing) }
        switch line[lineStart] {
        case .waiter(let waiter):
            removeFirst()
            depth = 1
            if !waiter.isReading { beginChange() }
            waiter.end()
            owner.store(waiter.thread | lineState, ordering: .releasing)
            waiter.signal.send()
        case .block:
            owner.store(Self.lineBit, ordering: .releasing)
            guard !workerIsScheduled else { return }
            workerIsScheduled = true
            WorkerThreads.shared.run { [self] in runBlocks() }
        }
    }

    private var lineState: UInt { lineIsEmpty ? 0 : Self.lineBit }

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
        // With the line not empty, nobody enters without the lock.
        guard owner.load(ordering: .acquiring) == Self.lineBit, !lineIsEmpty, case .block(let block) = line[lineStart] else {
            workerIsScheduled = false
            return nil
        }
        // What the block holds goes with it, not when the line is shortened with the lock held.
        line[lineStart] = .block({})
        removeFirst()
        depth = 1
        beginChange()
        owner.store(CurrentThread.identifier | lineState, ordering: .releasing)
        return block
    }
}
