import Synchronization

/// What the open stores of a file have requested for a long journal, and what has been done.
final class JournalWatch: @unchecked Sendable {  // `users` is guarded by `lock`; the scheduler's thread alone uses the figures below
    private struct User {
        let budget: JournalBudget
        let observer: (@Sendable (JournalEvent) -> Void)?
    }

    private let lock = Lock()
    private var users: [ObjectIdentifier: User] = [:]
    /// Whether any of them has a budget.
    private let isActive = Atomic<Bool>(false)
    /// Whether the scheduler checks the file regularly.
    private let isWatching = Atomic<Bool>(false)
    /// A commit requests a check at once from this number of frames.
    private let alarmFrames = Atomic<UInt32>(.max)
    /// The journal is near its budget from this number of frames.
    private let nearFrames = Atomic<UInt32>(0)

    // MARK: The scheduler's thread

    /// The length that the journal with this salt must reach before anything is done or reported
    /// about it again.
    var quietBytes: Int64 = 0
    var quietSalt: UInt32 = 0
    /// The same for reports of failures.
    var quietFailureBytes: Int64 = 0
    /// When to try to release the journal again, and the number of failures so far.
    var nextAttempt = MonotonicTime(nanoseconds: 0)
    var failures = 0
    var firstFailure = MonotonicTime(nanoseconds: 0)
    /// Whether other processes are told that the journal is near the budget.
    var isNearBudget = false
    /// The bytes that copies and history must reach before they are reported again.
    var quietCosts: Int64 = 0
    /// The journal when everyone had released it: the next commit restarts it.
    var released: (frame: UInt32, salt: UInt32)?
    /// The length of the journal at the last check.
    var lastCheck: (bytes: Int64, time: MonotonicTime)?
    /// The youngest generation whose age has been reported.
    var lastWarnedOrdinal: UInt64 = 0

    // MARK: The stores

    func add(_ store: ObjectIdentifier, _ options: StoreFileOptions) {
        let user = User(budget: options.journalBudget, observer: options.journalObserver)
        change { $0[store] = user }
    }

    func remove(_ store: ObjectIdentifier) { change { $0[store] = nil } }

    private func change(_ body: (inout [ObjectIdentifier: User]) -> Void) {
        // An observer may hold the last reference to objects of the program, so it is released
        // outside the lock.
        let old = lock.withLock { () -> [ObjectIdentifier: User] in
            let old = users
            body(&users)
            isActive.store(users.values.contains { $0.budget.policy != .off }, ordering: .relaxed)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// What applies to all open stores together: the strongest of their policies, and the smallest
    /// of the budgets.
    func agreement(storeBytes: Int64) -> (policy: JournalBudget.Policy, bytes: Int64, age: Double?) {
        let budgets = lock.withLock { users.values.map(\.budget) }.filter { $0.policy != .off }
        let bytes = budgets.map { $0.limit(storeBytes: storeBytes) }.min() ?? .max
        let policy: JournalBudget.Policy = budgets.contains { $0.policy == .detach } ? .detach : budgets.isEmpty ? .off : .warn
        return (policy, bytes, budgets.compactMap(\.age).min())
    }

    /// Reports an event to the stores' observers and to the log.
    func tell(_ event: JournalEvent) {
        if SQLLog.isEnabled { SQLLog.annotate(event.line) }
        for observer in lock.withLock({ users.values.compactMap(\.observer) }) { observer(event) }
    }

    // MARK: When to look

    /// Starts the watch when there is a generation.
    ///
    /// - Returns: whether the scheduler does not check the file yet.
    func begin(frames: UInt32) -> Bool {
        if isWatching.load(ordering: .sequentiallyConsistent) || !isActive.load(ordering: .relaxed) { return false }
        if isWatching.exchange(true, ordering: .sequentiallyConsistent) { return false }
        alarm(at: frames &+ 64)
        return true
    }

    func end() { isWatching.store(false, ordering: .sequentiallyConsistent) }
    func resume() { isWatching.store(true, ordering: .relaxed) }

    func setNear(_ frames: UInt32) { nearFrames.store(frames, ordering: .relaxed) }
    /// Whether a process that has just pinned should check the journal soon.
    func isNear(_ frames: UInt32) -> Bool { frames > max(64, nearFrames.load(ordering: .relaxed)) }

    func alarm(at frames: UInt32) { alarmFrames.store(frames, ordering: .relaxed) }
    /// Whether a commit that leaves this many frames requests a check.
    func isAlarmed(_ frames: UInt32) -> Bool { frames > alarmFrames.load(ordering: .relaxed) }
}
