internal import CSQLite

/// The only write transaction of a file in this process; used by the thread that began it.
package final class WriteTransaction {
    package let connection: Connection
    let store: StoreFile
    private var isOpen = true

    init(store: StoreFile, connection: Connection) {
        self.store = store
        self.connection = connection
    }

    deinit { rollback() }

    /// Commits.
    ///
    /// - Returns: the generation right after the commit, which contains it; nil where there are no
    ///   generations, if it cannot be pinned, or if another process has committed since.
    /// - Throws: if nothing was committed.
    package func commit() throws(SQLiteError) -> Generation? {
        try end { shared, isOwn in
            // The commit stands even if its state cannot be pinned.
            guard let generation = try? shared.currentGeneration() else { return nil }
            return isOwn(generation.record.compactHeader) ? generation : nil
        }
    }

    /// Commits without pinning the new state, which takes two system calls.
    ///
    /// - Returns: the rank that a generation of the new state has; 0 where ``commit()`` returns nil.
    /// - Throws: if nothing was committed.
    package func commitUnpinned() throws(SQLiteError) -> UInt64 {
        try end { shared, isOwn in shared.rankOfNewest(where: isOwn) } ?? 0
    }

    private func end<R>(_ taking: (SharedFile, (CompactWALHeader) -> Bool) -> R?) throws(SQLiteError) -> R? {
        guard isOpen else {
            throw SQLiteError(kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "the transaction has ended", path: store.path)
        }
        isOpen = false
        return try store.endWrite(commit: true, taking: taking)
    }

    /// Rolls all changes back. After a commit it does nothing.
    package func rollback() {
        guard isOpen else { return }
        isOpen = false
        // If the rollback fails, the next BEGIN reports it.
        try? store.endWrite(commit: false) { _, _ in () }
    }
}
