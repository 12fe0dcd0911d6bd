import PinviewGenerations
import PinviewModel
import Synchronization

/// A context's position in its stack: the coordinator or the parent that it reads through, and
/// those that read through it or follow it.
///
///     coordinator ◀── context ◀── child ◀── child
///                        ▲  ╰ ─ weakly ─▶  its children, its public context, its followers
///
/// What it guarantees:
///
/// - A context has a coordinator or a parent, at most one of them, and keeps it. Whoever is above
///   is referred to strongly, whoever is below weakly.
/// - The model and the hooks never change once there is a coordinator.
/// - An object of a list is never released under the lock, since that may deallocate it.
///
/// The lock is a leaf: nothing else is locked or called while it is held. Any thread may ask, but
/// for the model and the hooks, which belong to the thread that owns the context's queue.
final class StackPosition: @unchecked Sendable {
    private let lock = BriefLock()
    private let parentIsSet = Atomic<Bool>(false)
    private let coordinatorIsSet = Atomic<Bool>(false)
    /// Whether there has ever been a child. Most contexts have none, and each save asks.
    private let hasHadChildren = Atomic<Bool>(false)
    /// Whether there has ever been a follower. Most contexts have none, and each pin asks.
    private let mayHaveFollowers = Atomic<Bool>(false)
    /// Never changes once set, and is read without the lock.
    @exclusivity(unchecked) private var _coordinator: PersistentStoreCoordinator?
    @exclusivity(unchecked) private var unmanagedCoordinator: Unmanaged<PersistentStoreCoordinator>?

    // Guarded by the lock.
    @exclusivity(unchecked) private var _parent: ContextState?
    @exclusivity(unchecked) private var _parentContext: ManagedObjectContext?
    // Light references: retaining and releasing an object that has weak references is several times
    // slower.
    @exclusivity(unchecked) private var children = LightReferences<ContextState>()
    @exclusivity(unchecked) private var _publicContext: LightReference<ManagedObjectContext>?
    @exclusivity(unchecked) private var followers: [WeakFollower] = []

    // Guarded by the queue.
    @exclusivity(unchecked) private var knownModel: ManagedObjectModel?
    @exclusivity(unchecked) private var knownHookTable: HookTable?
    @exclusivity(unchecked) private var hookTableIsKnown = false

    private struct WeakFollower { weak var follower: (any ContextFollower)? }

    deinit {
        children.release()
        _publicContext?.release()
        _coordinator?.contextEnded()
        _parent?.position.childEnded()
    }

    // MARK: Above

    @inline(__always)
    var hasParent: Bool { parentIsSet.load(ordering: .acquiring) }
    var parent: ContextState? { hasParent ? lock.withLock { _parent } : nil }
    var parentContext: ManagedObjectContext? { lock.withLock { _parentContext } }

    @inline(__always)
    var hasOwnCoordinator: Bool { coordinatorIsSet.load(ordering: .acquiring) }

    /// The coordinator at the root of the chain.
    var coordinator: PersistentStoreCoordinator? { hasOwnCoordinator ? _coordinator : parent?.coordinator }

    /// Runs a body with the coordinator, if there is one. The context keeps it alive, so no
    /// reference is counted.
    @inline(__always)
    func withCoordinator(_ body: (PersistentStoreCoordinator) -> Void) {
        guard hasOwnCoordinator else { return coordinator.map(body) ?? () }
        unmanagedCoordinator?._withUnsafeGuaranteedRef(body)
    }

    /// Whether two contexts without parents have the same coordinator.
    func hasSameCoordinator(as other: StackPosition) -> Bool {
        guard hasOwnCoordinator, other.hasOwnCoordinator else { return false }
        return unmanagedCoordinator?.toOpaque() == other.unmanagedCoordinator?.toOpaque()
    }

    var model: ManagedObjectModel? {
        if let knownModel { return knownModel }
        knownModel = coordinator?.managedObjectModel
        return knownModel
    }

    /// The hooks of the model's entities; nil when there are none.
    var hookTable: HookTable? {
        if !hookTableIsKnown, let coordinator {
            knownHookTable = coordinator.hookTable
            hookTableIsKnown = true
        }
        return knownHookTable
    }

    /// - Returns: false if there is another coordinator or a parent already.
    func set(coordinator: PersistentStoreCoordinator) -> Bool {
        let isFirst = lock.withLock { () -> Bool in
            guard _coordinator == nil, _parent == nil else { return false }
            _coordinator = coordinator
            unmanagedCoordinator = .passUnretained(coordinator)
            return true
        }
        if isFirst { coordinatorIsSet.store(true, ordering: .releasing) }
        return isFirst
    }

    func set(parent context: ManagedObjectContext) {
        lock.withLock {
            _parent = context.state
            _parentContext = context
        }
        parentIsSet.store(true, ordering: .releasing)
    }

    // MARK: Below

    func add(child: ContextState) {
        let living = lock.withLock { () -> [ContextState] in
            hasHadChildren.store(true, ordering: .releasing)
            return children.add(child)
        }
        withExtendedLifetime(living) {}
    }

    private func childEnded() {
        let living = lock.withLock { children.noteEnd() }
        withExtendedLifetime(living) {}
    }

    /// Whether there may be children.
    @inline(__always)
    var mayHaveChildren: Bool { hasHadChildren.load(ordering: .acquiring) }

    var childStates: [ContextState] { mayHaveChildren ? lock.withLock { children.objects } : [] }

    var publicContext: ManagedObjectContext? { lock.withLock { _publicContext?.object } }

    func set(publicContext: ManagedObjectContext) { lock.withLock { _publicContext = LightReference(publicContext) } }

    func add(follower: any ContextFollower) {
        let living = lock.withLock { () -> [any ContextFollower] in
            let living = followers.compactMap(\.follower) + [follower]
            followers = living.map { WeakFollower(follower: $0) }
            mayHaveFollowers.store(true, ordering: .releasing)
            return living
        }
        withExtendedLifetime(living) {}
    }

    /// Whether there may be followers.
    @inline(__always)
    var hasFollowers: Bool { mayHaveFollowers.load(ordering: .acquiring) }

    /// The followers still alive.
    var livingFollowers: [any ContextFollower] {
        hasFollowers ? lock.withLock { followers.compactMap(\.follower) } : []
    }

    #if DEBUG
        /// Violations of what the position guarantees; empty if all is well. On the queue.
        var invariantViolations: [String] {
            let (parent, coordinator) = lock.withLock { (_parent, _coordinator) }
            var violations: [String] = []
            if parent != nil, coordinator != nil { violations.append("The context has both a parent and a coordinator") }
            if hasParent != (parent != nil) { violations.append("The context's parent is \(parent == nil ? "gone" : "not published")") }
            if let knownModel, knownModel !== self.coordinator?.managedObjectModel {
                violations.append("The known model is not the coordinator's")
            }
            return violations
        }
    #endif
}
