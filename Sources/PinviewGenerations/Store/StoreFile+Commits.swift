/// Commits to the file, by anyone.
extension StoreFile {
    /// The file's history up to now; nil if the store has no generations.
    package var commitMark: CommitMark? { isOpen ? shared?.commits.mark : nil }

    /// Whether there have been commits since the mark. Takes nanoseconds, no statement.
    package func hasCommits(since mark: CommitMark) -> Bool { isOpen && shared?.index.hasCommits(since: mark.header) ?? false }

    /// Calls a body after commits to the file, on a thread of the library: soon, and once for
    /// several commits in a row. Not called any more once the store is closed.
    ///
    /// - Returns: nil if the store has no generations.
    package func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener? {
        guard isOpen, let shared else { return nil }
        let listener = CommitListener(file: shared.commits, body: body)
        CommitWatcher.shared.add(listener)
        return listener
    }

    /// Like `listen(_:)`, but only for commits of others: other stores of the process on the same
    /// file, and other processes. Waits for this store's current transaction to end.
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

extension Generation {
    /// Whether there have been commits since the generation was taken. Takes nanoseconds, no
    /// statement.
    package var hasNewer: Bool { file.epoch == ForkGuard.epoch && file.index.hasCommits(since: header) }

    package var commitMark: CommitMark { CommitMark(header: header) }

    /// How many transactions of any process lie between an older generation and this one; nil if
    /// that is unknown, as after a recovery of the WAL-index.
    package func commits(since older: Generation) -> Int64? {
        guard file === older.file, header.change >= older.header.change else { return nil }
        return Int64(header.change - older.header.change)
    }
}

/// The last commit that a listener has been told about.
private final class SeenCommit: @unchecked Sendable {  // used by the watcher's thread only, once the listener is registered
    var number: UInt32
    init(_ number: UInt32) { self.number = number }
}
