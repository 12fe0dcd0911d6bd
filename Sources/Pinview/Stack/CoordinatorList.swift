import PinviewGenerations

/// The living coordinators, for reports on files that several of them may have open.
final class CoordinatorList: @unchecked Sendable {  // guarded by `lock`
    static let shared = CoordinatorList()

    private let lock = ThreadLock()
    private var members = LightReferences<PersistentStoreCoordinator>()

    func add(_ coordinator: PersistentStoreCoordinator) {
        let living = lock.withLock { members.add(coordinator) }
        withExtendedLifetime(living) {}
    }

    var rootContexts: [ContextState] {
        // A coordinator may be deallocated with this reference, which takes locks: not while this
        // one is held.
        lock.withLock { members.objects }.flatMap(\.rootContexts)
    }
}
