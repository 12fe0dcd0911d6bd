import PinviewGenerations
import PinviewModel
import PinviewStore

/// A registration for newer generations of a coordinator's stores; see
/// ``PersistentStoreCoordinator/addGenerationObserver(_:)``.
public final class GenerationObserver: @unchecked Sendable {  // mutable state is guarded by `lock`
    private let makeListener: @Sendable (any IncrementalStore) -> CommitListener?
    private let onEnd: (@Sendable () -> Void)?
    private let lock = Lock()
    /// By store number.
    private var listeners: [Int32: CommitListener] = [:]
    private var hasEnded = false

    /// - Parameter makeListener: starts listening to a store; returns nil if it has no generations.
    init(onEnd: (@Sendable () -> Void)?, makeListener: @escaping @Sendable (any IncrementalStore) -> CommitListener?) {
        self.makeListener = makeListener
        self.onEnd = onEnd
    }

    func listen(to store: any IncrementalStore) {
        let made = makeListener(store)
        let extra = lock.withLock { () -> CommitListener? in
            guard let listener = made else { return nil }
            guard !hasEnded, listeners[store.number] == nil else { return listener }
            listeners[store.number] = listener
            return nil
        }
        extra?.end()
    }

    func forget(_ store: any IncrementalStore) { lock.withLock { listeners.removeValue(forKey: store.number) }?.end() }

    /// Ends the registration. The body no longer runs when this returns, unless the body itself
    /// called this.
    func end() {
        let (old, isFirst) = lock.withLock { () -> ([CommitListener], Bool) in
            defer {
                listeners = [:]
                hasEnded = true
            }
            return (Array(listeners.values), !hasEnded)
        }
        for listener in old { listener.end() }
        if isFirst { onEnd?() }
    }
}

/// The observers of one coordinator.
final class GenerationObservers: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var observers: [GenerationObserver] = []

    var all: [GenerationObserver] { lock.withLock { observers } }

    func add(_ observer: GenerationObserver) { lock.withLock { observers.append(observer) } }

    func remove(_ observer: GenerationObserver) {
        let removed = lock.withLock { () -> GenerationObserver? in
            observers.firstIndex { $0 === observer }.map { observers.remove(at: $0) }
        }
        removed?.end()
    }

    /// The coordinator is being deallocated.
    deinit { for observer in observers { observer.end() } }
}
