import Glibc
import PinviewGenerations

/// The queue of all main-queue contexts: work for the main thread or, equivalently in Swift, for
/// the main actor.
///
/// **Who runs it.** In a Swift program, Dispatch's main queue runs it too, so nothing more is
/// needed where something runs that queue: an asynchronous `main` (once it suspends for the first
/// time), `dispatchMain()`, `RunLoop.main`. There, `MainActor.run`, functions of the main actor and
/// blocks of `DispatchQueue.main` may call main-queue contexts directly, on whatever thread they
/// run: on Linux, the main actor leaves the process's first thread when an asynchronous `main`
/// suspends. Everywhere else nothing runs by itself: the main thread calls ``drain()`` (or
/// ``run(until:)``), and a host's event loop watches ``fileDescriptor`` to learn of waiting work.
/// The ways may be mixed; each piece of work runs once, in order.
///
/// **The main thread** is the process's first thread, or one that runs the main actor. All members
/// may be used on any thread unless stated otherwise.
public enum MainQueue {
    /// Runs all waiting work in the order in which it was added, and ends the event of each
    /// main-queue context that was called directly since the last drain.
    ///
    /// - Returns: the number of blocks run.
    /// - Throws: `wrongQueue` on any thread but the main one.
    @discardableResult
    public static func drain() throws(PinviewError) -> Int {
        try requireMainThread("drained")
        return MainQueueWork.shared.drain()
    }

    /// Drains the queue repeatedly, sleeping while it is empty, until `condition` is true. The
    /// condition is evaluated before the first block and after each drain.
    ///
    /// - Throws: `wrongQueue` on any thread but the main one.
    public static func run(until condition: () -> Bool) throws(PinviewError) {
        try requireMainThread("run")
        while !condition() {
            if MainQueueWork.shared.drain() == 0 { MainQueueWork.shared.waitForWork() }
        }
    }

    /// A descriptor that polls as readable while work waits; for `poll`, `epoll` or an event loop's
    /// reader. It belongs to the library: neither read from it nor close it. -1 if the system has
    /// run out of descriptors.
    public static var fileDescriptor: Int32 { MainQueueWork.shared.fileDescriptor }

    /// Sets a handler that is called whenever work is added to the empty queue, on the thread that
    /// adds it. `nil` removes the handler.
    public static func setWakeUpHandler(_ handler: (@Sendable () -> Void)?) {
        MainQueueWork.shared.setWakeUpHandler(handler)
    }

    private static func requireMainThread(_ what: String) throws(PinviewError) {
        guard CurrentThread.isMain else {
            throw PinviewError(.wrongQueue, "The main queue can only be \(what) by the main thread or on the main actor.")
        }
    }
}

/// A main-queue context, whose direct calls form an event that the main queue ends.
protocol DirectlyCalledContext: AnyObject, Sendable {
    func endEventOfDirectCalls()
}

/// The state behind ``MainQueue``.
final class MainQueueWork: @unchecked Sendable {  // every stored property is guarded by `lock`
    static let shared = MainQueueWork()

    private let lock = Lock()
    private var waiting: [@Sendable () -> Void] = []
    private var contextsInEvent: [any DirectlyCalledContext] = []
    private var wakeUpHandler: (@Sendable () -> Void)?
    /// Whether Dispatch's main queue has been asked to call ``drain()``.
    private var dispatchIsAsked = false
    private let pipe = MainQueueWork.makePipe()
    var fileDescriptor: Int32 { pipe.readEnd }

    /// A pipe that holds one byte while work waits. Both ends are -1 if the system has run out of
    /// descriptors.
    private static func makePipe() -> (readEnd: Int32, writeEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }

    func setWakeUpHandler(_ handler: (@Sendable () -> Void)?) {
        let old = lock.withLock { () -> (@Sendable () -> Void)? in
            defer { wakeUpHandler = handler }
            return wakeUpHandler
        }
        // Release it outside the lock: what it holds belongs to the program.
        withExtendedLifetime(old) {}
    }

    func add(_ work: @escaping @Sendable () -> Void) {
        lock.lock()
        let wasEmpty = waiting.isEmpty
        waiting.append(work)
        let handler = wasEmpty ? wakeUpHandler : nil
        if wasEmpty { signal() }
        lock.unlock()
        handler?()
        askDispatch()
    }

    /// Asks Dispatch's main queue to drain this one. If nothing runs that queue, it is asked once
    /// and never again.
    private func askDispatch() {
        lock.lock()
        let isAsked = dispatchIsAsked
        dispatchIsAsked = true
        lock.unlock()
        guard !isAsked else { return }
        DispatchMainQueue.async { [self] in
            lock.withLock { dispatchIsAsked = false }
            drain()
        }
    }

    /// Notes a direct call on a main-queue context, which began an event that the next drain ends
    /// (DEC-26).
    func noteDirectCall(on context: any DirectlyCalledContext) {
        lock.lock()
        let isNew = !contextsInEvent.contains { $0 === context }
        if isNew { contextsInEvent.append(context) }
        lock.unlock()
        if isNew { askDispatch() }
    }

    @discardableResult
    func drain() -> Int {
        var count = 0
        endEvents()
        while let work = takeFirst() {
            work()
            count += 1
        }
        return count
    }

    func waitForWork() {
        var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        // Without a descriptor there is nothing to wait on, so poll every few milliseconds.
        poll(&descriptor, fileDescriptor >= 0 ? 1 : 0, fileDescriptor >= 0 ? -1 : 5)
    }

    private func endEvents() {
        lock.lock()
        let contexts = contextsInEvent
        contextsInEvent = []
        lock.unlock()
        for context in contexts { context.endEventOfDirectCalls() }
    }

    private func takeFirst() -> (@Sendable () -> Void)? {
        lock.lock()
        defer { lock.unlock() }
        guard !waiting.isEmpty else {
            clearSignal()
            return nil
        }
        return waiting.removeFirst()
    }

    private func signal() {
        var byte: UInt8 = 1
        _ = write(pipe.writeEnd, &byte, 1)
    }

    private func clearSignal() {
        var byte: UInt8 = 0
        while read(pipe.readEnd, &byte, 1) == 1 {}
    }
}
