import Synchronization

/// What the open stores of a file want done about a long journal, and what has been done.
final class JournalWatch: @unchecked Sendable {  // `users` is guarded by `lock`; the scheduler's thread alone uses the figures below
    private struct User {
        let budget: JournalBudget
        let observer: (@Sendable (JournalEvent) -> Void)?
    }

    private let lock = Lock()
    private var users: [ObjectIdentifier: User] = [:]
    /// Whether any of them has a budget.
    private let isActive = Atomic<Bool>(false)
    /// Whether the scheduler looks at the file regularly.
    private let isWatching = Atomic<Bool>(false)
    /// From how many frames on a commit asks for a look at once.
    private let alarmFrames = Atomic<UInt32>(.max)
    /// From how many frames on the journal is near its budget.
    private let nearFrames = Atomic<UInt32>(0)

    // MARK: The scheduler's thread

    /// The journal with this salt has to be as long as this before something is done, or told, about its length again.
    var quietBytes: Int64 = 0
    var quietSalt: UInt32 = 0
    /// The same for what is told of failures.
    var quietFailureBytes: Int64 = 0
    /// When the journal is to be let go again, and how often that has failed.
    var nextAttempt = MonotonicTime(nanoseconds: 0)
    var failures = 0
    var firstFailure = MonotonicTime(nanoseconds: 0)
    /// Whether other processes are told that the journal is near the budget.
    var isNearBudget = false
    /// What copies and history have to take before something is told of it again.
    var quietCosts: Int64 = 0
    /// The journal as it was when everybody had let it go: it is begun anew by the next commit.
    var released: (frame: UInt32, salt: UInt32)?
    /// How long the journal was at the last look.
    var lastLook: (bytes: Int64, time: MonotonicTime)?
    /// The youngest generation whose age has been told of.
    var lastWarnedOrdinal: UInt64 = 0

    // MARK: The stores

    func add(_ store: ObjectIdentifier, _ options: StoreFileOptions) {
        let user = User(budget: options.journalBudget, observer: options.journalObserver)
        change { $0[store] = user }
    }

    func remove(_ store: ObjectIdentifier) { change { $0[store] = nil } }

    private func change(_ body: (inout [ObjectIdentifier: User]) -> Void) {
        // An observer may be the last to hold what the program gave: it goes outside the lock.
        let old = lock.withLock { () -> [ObjectIdentifier: User] in
            let old = users
            body(&users)
            isActive.store(users.values.contains { $0.budget.policy != .off }, ordering: .relaxed)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// What all open stores agree on: the strongest of their policies and the smallest of the budgets of those that have one.
    func agreement(storeBytes: Int64) -> (policy: JournalBudget.Policy, bytes: Int64, age: Double?) {
        let budgets = lock.withLock { users.values.map(\.budget) }.filter { $0.policy != .off }
        let bytes = budgets.map { $0.limit(storeBytes: storeBytes) }.min() ?? .max
        let policy: JournalBudget.Policy = budgets.contains { $0.policy == .detach } ? .detach : budgets.isEmpty ? .off : .warn
        return (policy, bytes, budgets.compactMap(\.age).min())
    }

    /// Tells the stores' observers and the log.
    func tell(_ event: JournalEvent) {
        if SQLLog.isEnabled { SQLLog.annotate(event.line) }
        for observer in lock.withLock({ users.values.compactMap(\.observer) }) { observer(event) }
    }

    // MARK: When to look

    /// A generation lives from now on.
    ///
    /// - Returns: whether the scheduler does not look at the file yet.
    func begin(frames: UInt32) -> Bool {
        if isWatching.load(ordering: .sequentiallyConsistent) || !isActive.load(ordering: .relaxed) { return false }
        if isWatching.exchange(true, ordering: .sequentiallyConsistent) { return false }
        alarm(at: frames &+ 64)
        return true
    }

    func end() { isWatching.store(false, ordering: .sequentiallyConsistent) }
    func resume() { isWatching.store(true, ordering: .relaxed) }

    func setNear(_ frames: UInt32) { nearFrames.store(frames, ordering: .relaxed) }
    /// Whether a process that begins to pin should look at the journal soon.
    func isNear(_ frames: UInt32) -> Bool { frames > max(64, nearFrames.load(ordering: .relaxed)) }

    func alarm(at frames: UInt32) { alarmFrames.store(frames, ordering: .relaxed) }
    /// Whether a commit with so many frames is worth a look.
    func isAlarmed(_ frames: UInt32) -> Bool { frames > alarmFrames.load(ordering: .relaxed) }
}
