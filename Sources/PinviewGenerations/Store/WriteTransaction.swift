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
    ///   generations.
    /// - Throws: if nothing was committed.
    package func commit() throws(SQLiteError) -> Generation? {
        guard isOpen else {
            throw SQLiteError(kind: .sqlite, extendedCode: SQLITE_MISUSE, message: "the transaction has ended", path: store.path)
        }
        isOpen = false
        return try store.endWrite(commit: true)
    }

    /// Rolls all changes back. After a commit it does nothing.
    package func rollback() {
        guard isOpen else { return }
        isOpen = false
        // If the rollback fails, the next BEGIN reports it.
        _ = try? store.endWrite(commit: false)
    }
}
