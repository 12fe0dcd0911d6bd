internal import CSQLite

/// Which commits to a file are a store's own, so that those of others can be told: commits are numbered, by the counter in the header of
/// the WAL-index.
final class RemoteCommits: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    /// Ascending. Nothing is noted before somebody asks.
    private var own: [ClosedRange<UInt32>] = []
    private var isActive = false

    /// More only come together when nobody looks; what is dropped counts as somebody else's, as what lies between them is.
    private static let limit = 4096

    /// Somebody asks from now on. No commit of the store may be under way.
    func activate() { lock.withLock { isActive = true } }

    /// To be called before the commit can be seen.
    func note(_ number: UInt32) {
        lock.withLock {
            guard isActive else { return }
            if let last = own.last, number > last.upperBound, number - last.upperBound == 1 {
                own[own.count - 1] = last.lowerBound...number
            } else {
                // After a recovery the counter begins anew.
                if let last = own.last, number <= last.upperBound { own = [] }
                if own.count == Self.limit { own.removeFirst(Self.limit / 2) }
                own.append(number...number)
            }
        }
    }

    /// The commit that was noted last has not come to be.
    func takeBack(_ number: UInt32) {
        lock.withLock {
            guard let last = own.last, last.upperBound == number else { return }
            own.removeLast()
            if last.lowerBound < number { own.append(last.lowerBound...(number - 1)) }
        }
    }

    /// Whether there is a commit of somebody else after a number, up to another.
    func hasForeign(after seen: UInt32, through now: UInt32) -> Bool {
        // The counter begins anew when the WAL-index is made anew; nobody knows what came before that.
        guard now >= seen else { return true }
        return lock.withLock {
            var next = seen
            for range in own where range.upperBound > next {
                guard range.lowerBound <= next || range.lowerBound - next == 1 else { return next < now }
                next = range.upperBound
                if next >= now { return false }
            }
            return next < now
        }
    }
}

/// Up to which commit a listener has been told.
private final class SeenCommit: @unchecked Sendable {  // used by the watcher's thread only, once the listener is registered
    var number: UInt32
    init(_ number: UInt32) { self.number = number }
}

extension StoreFile {
    /// As `listen(_:)`, but for commits that are not this store's own: those of other stores of the process on the same file, and of
    /// other processes. Waits for a commit of this store that is under way.
    package func listenToRemoteCommits(_ body: @escaping @Sendable () -> Void) -> CommitListener? {
        guard isOpen, let shared else { return nil }
        let commits = remoteCommits
        let seen = whileNotWriting {
            commits.activate()
            return SeenCommit(shared.index.commitNumber)
        }
        return listen { [weak shared] in
            guard let shared else { return }
            let now = shared.index.commitNumber
            let isForeign = commits.hasForeign(after: seen.number, through: now)
            seen.number = now
            if isForeign { body() }
        }
    }
}

extension WALIndex {
    /// The number of the last commit that can be seen.
    var commitNumber: UInt32 { pinview_load32(memory + 8) }
}
