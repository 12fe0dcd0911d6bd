import Glibc
import PinviewGenerations

/// What happened to a journal; see ``PersistentStoreCoordinator/addJournalObserver(_:)``.
public typealias JournalEvent = PinviewGenerations.JournalEvent

/// A registration for journal events, used to remove the observer.
public final class JournalObserver: Hashable, Sendable {
    let block: @Sendable (JournalEvent) -> Void

    init(_ block: @escaping @Sendable (JournalEvent) -> Void) { self.block = block }

    public static func == (left: JournalObserver, right: JournalObserver) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The observers of a coordinator.
final class JournalObservers: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private let runEnded = ConditionVariable()
    private var observers: [JournalObserver] = []
    private var callback: JournalObserver?
    /// The thread that is calling observers.
    private var runningThread: pthread_t?

    func add(_ observer: JournalObserver) { lock.withLock { observers.append(observer) } }

    func remove(_ observer: JournalObserver) {
        lock.withLock {
            observers.removeAll { $0 === observer }
            waitForOthers()
        }
    }

    func replaceCallback(_ observer: JournalObserver?) {
        // What the old observer holds is released outside the lock.
        let old = lock.withLock { () -> JournalObserver? in
            let old = callback
            callback = observer
            observers.removeAll { $0 === old }
            if let observer { observers.append(observer) }
            waitForOthers()
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Requires the lock.
    private func waitForOthers() {
        while let thread = runningThread, pthread_equal(thread, pthread_self()) == 0 { lock.wait(on: runEnded.pointer) }
    }

    func tell(_ event: JournalEvent) {
        lock.withLock {
            waitForOthers()
            runningThread = pthread_self()
        }
        deliver(event)
        lock.withLock { runningThread = nil }
        runEnded.broadcast()
    }

    /// Must not be inlined: it retains no observer once it returns.
    @inline(never)
    private func deliver(_ event: JournalEvent) {
        for observer in lock.withLock({ observers }) where lock.withLock({ observers.contains(observer) }) { observer.block(event) }
    }
}
