internal import CSQLite
import Glibc

/// Write transactions.
extension StoreFile {
    /// Begins a transaction on the newest state.
    ///
    /// Threads of the process get their turn in order; for writers of other processes, the call
    /// waits as long as the options say.
    ///
    /// - Parameter patience: seconds to wait for other processes, instead of the value in the
    ///   options.
    /// - Throws: kind `busy` if another process keeps writing, or if this thread has an open
    ///   transaction.
    package func beginWrite(patience: Double? = nil) throws(SQLiteError) -> WriteTransaction {
        try requireOpen()
        try takeTurn()
        if let patience { writer.setBusyTimeout(patience) }
        defer { if patience != nil { writer.setBusyTimeout(options.busyTimeout) } }
        do throws(SQLiteError) {
            try requireSafeLocks()
            if isNested {
                try requireOuterTransaction()
                try writer.execute("SAVEPOINT pinview_nested")
                changesAtBegin = writer.totalChanges
                return WriteTransaction(store: self, connection: writer)
            }
            // The previous transaction is still open if there was no memory to roll it back.
            if writer.isInTransaction { try writer.rollBack() }
            try writer.beginWriting()
        } catch {
            writers.release()
            throw error
        }
        changesAtBegin = writer.totalChanges
        headerAtBegin = shared?.index.header.map { CompactWALHeader($0) }
        changeCountAtBegin = mainLock?.changeCount
        return WriteTransaction(store: self, connection: writer)
    }

    /// An error can roll the enclosing transaction back, after which nothing may be written any
    /// more.
    func requireOuterTransaction() throws(SQLiteError) {
        guard writer.isInTransaction else { throw rolledBack }
    }

    private var rolledBack: SQLiteError {
        SQLiteError(
            kind: .sqlite, extendedCode: SQLITE_ABORT | (2 << 8),
            message: "an error has rolled the transaction back, nothing was written", path: path)
    }

    private func endNested(commit: Bool) throws(SQLiteError) {
        try requireOuterTransaction()
        if !commit { try writer.execute("ROLLBACK TO pinview_nested") }
        try writer.execute("RELEASE pinview_nested")
    }

    /// Calls a body while no other thread of the process is writing.
    func whileNotWriting<R>(_ body: () -> R) -> R {
        let hasTurn = writers.acquire()
        defer { if hasTurn { writers.release() } }
        return body()
    }

    /// Seconds to wait for writers of other processes.
    package var busyTimeout: Double { options.busyTimeout }

    /// Ends a write transaction.
    ///
    /// - Parameter taking: what to do with the new state before other writers of the process get
    ///   their turn. Its parameter tells whether a header is that of the new state.
    /// - Returns: its result; nil if nothing was committed, or where there are no generations.
    func endWrite<R>(
        commit: Bool, taking: (SharedFile, _ isOwn: (CompactWALHeader) -> Bool) -> R?
    ) throws(SQLiteError) -> R? {
        guard ForkGuard.epoch == epoch else { throw SQLiteError.forked(path: path) }
        defer { writers.release() }
        guard !closed.load(ordering: .acquiring) else { throw closedError }
        // After an error, statements may have been prepared and not run.
        if !commit || writer.hasRunningStatements { writer.resetStatements() }
        if isNested {
            try endNested(commit: commit)
            return nil
        }
        guard commit else {
            // An error may have rolled the transaction back already.
            if writer.isInTransaction { try writer.rollBack() }
            return nil
        }
        guard writer.isInTransaction else { throw rolledBack }
        do throws(SQLiteError) {
            try namedFiles?.prove()
            try requireSafeLocks()
            try proveWriteLock()
        } catch {
            try? writer.rollBack()
            throw error
        }
        // Nobody else commits before this transaction does; without changes it does not commit.
        let number = writer.totalChanges == changesAtBegin ? nil : shared.map { $0.index.commitNumber &+ 1 }
        if let number { remoteCommits.note(number) }
        do throws(SQLiteError) {
            try commitAndUnlockTogether()
        } catch {
            if writer.isInTransaction { try? writer.rollBack() }
            if let number { remoteCommits.takeBack(number) }
            throw error
        }
        guard let shared else { return nil }
        if let number, shared.index.commitNumber == number &- 1 { remoteCommits.takeBack(number) }
        shared.didCommit()
        return taking(shared) { isOwn($0, number) }
    }

    /// Commits, and unlocks the lock for writing and the read mark's with one call to the system.
    func commitAndUnlockTogether() throws(SQLiteError) {
        guard let state = trackedState else { return try writer.commit() }
        state.pointee.isCommitting = true
        defer {
            state.pointee.isCommitting = false
            // A statement that still reads keeps the read mark.
            state.pointee.unlockKeptWriteLock(state)
        }
        try writer.commit()
        let code = state.pointee.writeWaitingHeader()
        if code != SQLITE_OK { throw SQLiteError(code: code, handle: nil, path: path) }
    }

    /// Whether a state seen after a commit is the one that the transaction has made. Another
    /// process may have committed in between; callers take the rows of the state for those that
    /// they have written.
    ///
    /// - Parameter number: that of the commit; nil if no row has changed. A change of the schema is
    ///   a commit, too.
    private func isOwn(_ header: CompactWALHeader, _ number: UInt32?) -> Bool {
        if let number { return header.change == number }
        guard let begin = headerAtBegin?.change else { return false }
        return header.change == begin || header.change == begin &+ 1
    }

    /// Checks that nobody else has written since the transaction began, and that nobody can until
    /// it ends.
    private func proveWriteLock() throws(SQLiteError) {
        guard let shared, let headerAtBegin else {
            if let mainLock, !mainLock.isHeld(by: trackedState?.pointee.mainLocks, sinceChangeCount: changeCountAtBegin) { throw lockLost }
            return
        }
        var isLocked = true
        if let state = trackedState, let locks = state.pointee.locks, state.pointee.ownsWriteLock {
            isLocked = locks.hasItsDescription
        }
        if !isLocked || !headerAtBegin.isNewest(in: shared.index) { throw lockLost }
    }

    /// What is tracked of the writing connection; nil where the stock VFS opened it.
    private var trackedState: UnsafeMutablePointer<TrackedState>? {
        guard let file = writer.mainFile, ShimFile.isTracked(file) else { return nil }
        return ShimFile.state(file, as: TrackedState.self)
    }

    /// Checks that no second copy of SQLite in the process can drop the write lock.
    ///
    /// It cannot drop the locks of an open file description. Where the system has none, or the
    /// program has installed a VFS of its own, the lock is SQLite's, and whoever has the file open
    /// can drop it at any time, even during the commit.
    private func requireSafeLocks() throws(SQLiteError) {
        guard let shared, shared.hasDroppableLocks, SecondSQLite.hasOpen(shared.path) else { return }
        throw SQLiteError(
            kind: .lockLost, extendedCode: SQLITE_IOERR | (15 << 8),  // SQLITE_IOERR_LOCK
            message: "a second copy of SQLite in this process has the store open and may drop its locks at any time, which the system "
                + "cannot prevent here; close the store in that copy, or use it in another process",
            path: path)
    }

    private var lockLost: SQLiteError {
        SQLiteError(
            kind: .lockLost, extendedCode: SQLITE_IOERR | (15 << 8),  // SQLITE_IOERR_LOCK
            message: "the lock for writing was lost while the transaction was open: other code of this process has unlocked or closed the "
                + "store's files (a copy of the file, a second copy of SQLite)",
            path: path)
    }
}
