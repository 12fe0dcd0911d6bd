import Glibc
import PinviewGenerations
import PinviewModel
import Synchronization

/// The serial queue of one context.
///
/// A thread *enters* the queue, does its work on its own stack and leaves. Blocks added with
/// ``perform(_:)`` are run later by a worker thread or by the main thread. Waiting threads and
/// blocks share one line and are served in order. A synchronous call never changes threads: if the
/// line is empty, entering and leaving take one atomic exchange each.
///
/// A thread that is inside may enter again (CON-05).
final class ContextQueue: @unchecked Sendable {  // every stored property is atomic, the owner's, or guarded by `lock`
    private enum Item {
        case waiter(ThreadWait)
        case block(@Sendable () -> Void)
    }

    let runsOnMainThread: Bool
    /// The owning thread: `CurrentThread.identifier`, or 0. The lowest bit says that the line is
    /// not empty. That bit changes only while the lock is held, and while it is set, so do the
    /// others.
    private let owner = Atomic<UInt>(0)
    private static let lineBit: UInt = 1
    /// How many times the owner has entered. Belongs to the owner.
    private var depth = 0
    /// Advanced whenever a thread enters that may change objects.
    let changes = ChangeCount()
    /// How many of the owner's entries may change objects. Changed by the owner, readable by any
    /// thread.
    private let changers = Atomic<Int>(0)
    private let lock = Lock()
    private var line: [Item] = []
    private var lineStart = 0
    /// Whether a worker has been scheduled that has not come yet.
    private var workerIsScheduled = false

    init(runsOnMainThread: Bool) {
        self.runsOnMainThread = runsOnMainThread
    }

    /// Whether the calling thread is the owner.
    var isCurrent: Bool { isOwned(by: CurrentThread.identifier) }

    /// Safe without the lock: only the calling thread can have written its own identifier.
    @inline(__always)
    private func isOwned(by thread: UInt) -> Bool { owner.load(ordering: .relaxed) & ~Self.lineBit == thread }

    /// The owning thread, or 0. May be read on any thread, and stays the same while the owner
    /// sleeps.
    var owningThread: UInt { owner.load(ordering: .acquiring) & ~Self.lineBit }

    #if DEBUG
        /// Whether the owner, which must be the calling thread, has entered exactly once.
        var isAtOutermostLevel: Bool { depth == 1 }
    #endif

    /// Enters again if the calling thread is the owner already. Returns false, changing nothing, if
    /// not.
    @inline(__always)
    func enterAgain(isReading: Bool = false) -> Bool {
        guard isCurrent else { return false }
        depth += 1
        if !isReading { beginChange() }
        return true
    }

    /// Enters for reading if that needs no waiting; paired with ``leaveReading()``.
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

    /// Enters, after everything that is ahead in the line.
    /// - Parameter isReading: the thread itself changes nothing that objects show; nested entries
    ///   may. Pair with ``leaveReading()`` if true.
    func enter(isReading: Bool = false) {
        if isReading ? enterReadingIfFree() : enterIfFree() { return }
        _ = standInLine(CurrentThread.identifier, isReading, orPutOff: nil)
    }

    /// Enters like ``enter(isReading:)``, unless that would deadlock: the calling thread would wait
    /// for a thread that waits for it, directly or through others.
    ///
    /// - Returns: false if it would deadlock; the thread has not entered then.
    func enterUnlessDeadlocked(isReading: Bool = false) -> Bool {
        (isReading ? enterReadingIfFree() : enterIfFree())
            || standInLine(CurrentThread.identifier, isReading, orPutOff: nil, canBeRefused: true)
    }

    /// Enters like ``enter(isReading:)``, unless that would deadlock. Then the work is queued, and
    /// the calling thread carries on (ONE-08).
    ///
    /// - Parameter work: what the thread is about to do, run as a block when its turn comes.
    /// - Returns: whether the thread has entered.
    func enter(orPutOff work: @escaping @Sendable () -> Void) -> Bool {
        enterIfFree() || standInLine(CurrentThread.identifier, false, orPutOff: work)
    }

    /// Enters if the calling thread is the owner or there is none; paired with ``leave()``.
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
            // they wait for the main thread itself to drain them (CON-17).
            if state == 0 || (state == Self.lineBit && runsOnMainThread) {
                guard take(from: state, thread | state) else { continue }
                depth = 1
                if !isReading { beginChange() }
                lock.unlock()
                return true
            }
            // From now on the owner checks the line when it leaves.
            if state & Self.lineBit != 0 || take(from: state, state | Self.lineBit) { break }
        }
        let waiter = ThreadWait(.queue(self), isReading: isReading, putOffWork: work, canBeRefused: canBeRefused)
        if runsOnMainThread { line.insert(.waiter(waiter), at: lineStart) } else { line.append(.waiter(waiter)) }
        lock.unlock()
        return WaitingThreads.shared.sleep(waiter)
    }

    /// Releases a thread from the line before its turn, and puts its work in its position.
    ///
    /// - Returns: a closure that wakes the thread, to be called without a lock; nil if the thread
    ///   must take its turn or has had it.
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

    /// Removes a thread from the line, so that its attempt to enter fails.
    ///
    /// - Returns: a closure that wakes the thread, to be called without a lock; nil if the thread
    ///   must take its turn or has had it.
    func refuse(_ waiter: ThreadWait) -> (() -> Void)? {
        guard waiter.canBeRefused else { return nil }
        lock.lock()
        defer { lock.unlock() }
        guard let place = place(of: waiter) else { return nil }
        line.remove(at: place)
        return { waiter.endPutOff() }
    }

    /// Requires the lock.
    private func place(of waiter: ThreadWait) -> Int? {
        line[lineStart...].firstIndex { if case .waiter(let other) = $0 { other === waiter } else { false } }
    }

    /// Leaves the queue and lets the next in line enter.
    func leave() {
        endChange()
        leaveReading()
    }

    /// Leaves after entering for reading.
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

    /// Counts an entry that may change objects, for the owner. Only the first one advances the
    /// count: nobody relies on the count before the last one has ended.
    @inline(__always)
    private func beginChange() {
        let changing = changers.load(ordering: .relaxed)
        changers.store(changing + 1, ordering: .relaxed)
        if changing == 0 { changes.advance() }
    }

    @inline(__always)
    private func endChange() { changers.store(changers.load(ordering: .relaxed) - 1, ordering: .releasing) }

    /// The count of changes; nil while a thread is inside that may change objects, since the count
    /// need not advance again then.
    var stableChangeCount: UInt64? {
        // In this order: whoever sees the count with which a change began also sees that it has
        // begun, or that it has ended.
        let count = changes.value
        return changers.load(ordering: .acquiring) == 0 ? count : nil
    }

    /// Runs a body that may change objects after all, for a thread that entered for reading.
    func changing<R>(_ mayChange: Bool, _ body: () throws(PinviewError) -> R) throws(PinviewError) -> R {
        guard mayChange else { return try body() }
        beginChange()
        defer { endChange() }
        return try body()
    }

    /// Runs a body that changes objects, for the owner. The body must call no code of the
    /// program's.
    @inline(__always)
    func change<R>(_ body: () -> R) -> R {
        beginChange()
        defer { endChange() }
        return body()
    }

    /// Notes a change of something outside the queue, such as a setting.
    func noteChange() { changes.advance() }

    /// Appends a block to the line.
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

    /// Runs a block at once if the queue is free and the line is empty; otherwise appends it to the
    /// line.
    func performSoon(_ block: @escaping @Sendable () -> Void) {
        guard enterAtOnce() else { return perform(block) }
        block()
        leave()
    }

    /// Enters if the queue is free, nobody has entered and the line is empty; paired with
    /// ``leave()``.
    func enterAtOnce() -> Bool {
        guard !runsOnMainThread || CurrentThread.isMain, take(from: 0, CurrentThread.identifier) else { return false }
        depth = 1
        beginChange()
        return true
    }

    private var lineIsEmpty: Bool { lineStart == line.count }

    /// Hands the queue to the head of the line. Requires the lock. Called by the owner as it
    /// leaves, or when there is no owner.
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

    /// Runs the blocks at the head of the line, on a worker thread.
    private func runBlocks() {
        var block = takeBlock(isScheduled: true)
        while block != nil {
            block?()
            leave()
            // Releases what the block holds, which may end the context, and may wait for anything,
            // even for the next block: if there is one, another worker has been scheduled for it.
            // This one takes it if it comes back first.
            block = nil
            block = takeBlock(isScheduled: false)
        }
    }

    /// - Parameter isScheduled: whether the calling thread is the worker that has been scheduled.
    private func takeBlock(isScheduled: Bool) -> (@Sendable () -> Void)? {
        lock.lock()
        defer { lock.unlock() }
        if isScheduled { workerIsScheduled = false }
        // While the line is not empty, nobody enters without the lock.
        guard owner.load(ordering: .acquiring) == Self.lineBit, !lineIsEmpty, case .block(let block) = line[lineStart] else { return nil }
        // Releases what the block holds now, and not when the line is shortened with the lock held.
        line[lineStart] = .block({})
        removeFirst()
        depth = 1
        beginChange()
        owner.store(CurrentThread.identifier | lineState, ordering: .releasing)
        return block
    }
}
