import PinviewGenerations
import Synchronization

/// The contexts that merge automatically, or have done so, in the order in which they began to.
final class AutomaticMergers: @unchecked Sendable {  // guarded by `lock`
    static let shared = AutomaticMergers()

    private let lock = Lock()
    @exclusivity(unchecked) private var members = LightReferences<ContextState>()
    private let count = Atomic<Int>(0)

    var states: [ContextState] { count.load(ordering: .acquiring) == 0 ? [] : lock.withLock { members.objects } }

    func add(_ state: ContextState) {
        let living = lock.withLock { () -> [ContextState] in
            count.add(1, ordering: .releasing)
            return members.add(state)
        }
        // Their last reference must not be released with the lock held.
        withExtendedLifetime(living) {}
    }

    /// Notes the end of a context that was added.
    func noteEnd() {
        let living = lock.withLock { () -> [ContextState] in
            count.subtract(1, ordering: .releasing)
            return members.noteEnd()
        }
        withExtendedLifetime(living) {}
    }
}
