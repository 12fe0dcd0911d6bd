internal import CPlatform

/// Knows which commits to a file are a store's own, in order to recognise those of others. Commits
/// are identified by the counter in the header of the WAL-index.
final class RemoteCommits: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    /// Ascending. Nothing is recorded before `activate()`.
    private var own: [ClosedRange<UInt32>] = []
    private var isActive = false

    /// Only reached if nobody looks for a long time. Dropped commits count as foreign.
    private static let limit = 4096

    /// Starts recording. The store must not be committing.
    func activate() { lock.withLock { isActive = true } }

    /// Records a commit of the store. Call before the commit becomes visible.
    func note(_ number: UInt32) {
        lock.withLock {
            guard isActive else { return }
            if let last = own.last, number > last.upperBound, number - last.upperBound == 1 {
                own[own.count - 1] = last.lowerBound...number
            } else {
                // A recovery restarts the counter.
                if let last = own.last, number <= last.upperBound { own = [] }
                if own.count == Self.limit { own.removeFirst(Self.limit / 2) }
                own.append(number...number)
            }
        }
    }

    /// Removes the last recorded commit, which has failed.
    func takeBack(_ number: UInt32) {
        lock.withLock {
            guard let last = own.last, last.upperBound == number else { return }
            own.removeLast()
            if last.lowerBound < number { own.append(last.lowerBound...(number - 1)) }
        }
    }

    /// Whether there is a foreign commit after one number, up to and including another.
    func hasForeign(after seen: UInt32, through now: UInt32) -> Bool {
        // A recovery of the WAL-index restarts the counter; earlier commits are unknown.
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

extension WALIndex {
    /// The number of the last visible commit.
    var commitNumber: UInt32 { pinview_load32(memory + 8) }
}
