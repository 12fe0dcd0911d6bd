import Glibc
import PinviewGenerations

public typealias JournalEvent = PinviewGenerations.JournalEvent

/// A registration for events of journals; keep it to remove the observer.
public final class JournalObserver: Hashable, Sendable {
    fileprivate let block: @Sendable (JournalEvent) -> Void

    fileprivate init(_ block: @escaping @Sendable (JournalEvent) -> Void) { self.block = block }

    public static func == (left: JournalObserver, right: JournalObserver) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentStoreCoordinator {
    /// Has a block told when generations that are not the newest make the journal of a store too
    /// long, or hold it back for too long (see the options of `addPersistentStore`): when they were
    /// copied aside, when that failed, or, with the policy `warn`, that it is so. Neither a warning
    /// nor a failure is told again before the journal has doubled.
    ///
    /// - Parameter block: called on a thread of the library, for one event at a time. It may use
    ///   the coordinator and contexts of its own; the library's checkpoints wait for it.
    public func addJournalObserver(_ block: @escaping @Sendable (JournalEvent) -> Void) -> JournalObserver {
        let observer = JournalObserver(block)
        journalObservers.add(observer)
        return observer
    }

    /// Removes an observer. When this returns it is not called any more: a call on another thread
    /// is waited for. Removing it twice does nothing.
    public func removeJournalObserver(_ observer: JournalObserver) { journalObservers.remove(observer) }

    /// The one observer of the C interface; nil for none. The one before is not called any more,
    /// and gone, when this returns (unless it is the caller).
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
    /// Who is calling observers.
    private var runningThread: pthread_t?

    func add(_ observer: JournalObserver) { lock.withLock { observers.append(observer) } }

    func remove(_ observer: JournalObserver) {
        lock.withLock {
            observers.removeAll { $0 === observer }
            waitForOthers()
        }
    }

    func replaceCallback(_ observer: JournalObserver?) {
        // What the old one holds is let go outside the lock.
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

    /// With the lock held.
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

    /// Keeps no observer when it returns.
    @inline(never)
    private func deliver(_ event: JournalEvent) {
        for observer in lock.withLock({ observers }) where lock.withLock({ observers.contains(observer) }) { observer.block(event) }
    }
}
