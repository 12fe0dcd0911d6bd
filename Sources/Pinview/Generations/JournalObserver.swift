import Glibc
import PinviewGenerations

/// What happened to a journal; see ``PersistentStoreCoordinator/addJournalObserver(_:)``.
public typealias JournalEvent = PinviewGenerations.JournalEvent

/// A registration for journal events, used to remove the observer.
public final class JournalObserver: Hashable, Sendable {
    fileprivate let block: @Sendable (JournalEvent) -> Void

    fileprivate init(_ block: @escaping @Sendable (JournalEvent) -> Void) { self.block = block }

    public static func == (left: JournalObserver, right: JournalObserver) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentStoreCoordinator {
    /// Calls a block when generations other than the newest make a store's journal too long, or
    /// hold it back for too long (see the options of `addPersistentStore`): after they have been
    /// detached, after that has failed or, with the policy `warn`, instead. Warnings and failures
    /// are not repeated until the journal has doubled.
    ///
    /// - Parameter block: called on a thread of the library, for one event at a time. It may use
    ///   the coordinator and contexts of its own; the library's checkpoints wait for it.
    public func addJournalObserver(_ block: @escaping @Sendable (JournalEvent) -> Void) -> JournalObserver {
        let observer = JournalObserver(block)
        journalObservers.add(observer)
        return observer
    }

    /// Removes an observer. When this returns the block is not called any more; a call on another
    /// thread is waited for. Does nothing if called again.
    public func removeJournalObserver(_ observer: JournalObserver) { journalObservers.remove(observer) }

    /// Sets the single observer of the C interface; nil for none. When this returns, the former one
    /// has been released and is not called any more (unless it is the caller).
    package func setJournalCallback(_ block: (@Sendable (JournalEvent) -> Void)?) {
        journalObservers.replaceCallback(block.map { JournalObserver($0) })
    }
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
