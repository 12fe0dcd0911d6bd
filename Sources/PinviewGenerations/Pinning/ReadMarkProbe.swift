internal import CSQLite
import Glibc

/// A connection that begins read transactions only to learn which read mark and header SQLite gives
/// them. Used by one thread at a time.
final class ReadMarkProbe {
    /// A state of the file, whose read mark the transaction holds until `end`.
    struct Observation {
        let slot: Int
        let mark: UInt32
        let header: WALHeader
    }

    private static let sql = "PRAGMA schema_version"
    private let connection: Connection
    private let statement: OpaquePointer
    private let state: UnsafeMutablePointer<TrackedState>

    /// - Parameter busyTimeout: how long to wait for locks of other processes while it is opened, in
    ///   seconds. Afterwards, ``begin()`` tries again on its own.
    init(path: String, flags: Int32, vfs: ShimVFS, busyTimeout: Double) throws(SQLiteError) {
        connection = try Connection(path: path, flags: flags, vfs: vfs.trackedName, part: .probe)
        connection.setBusyTimeout(busyTimeout)
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.handle, Self.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared, let state = connection.mainFile.flatMap({ ShimFile.state($0, as: TrackedState.self) })
        else {
            sqlite3_finalize(prepared)
            throw connection.error(code)
        }
        statement = prepared
        self.state = state
        // The first read opens the journal: now, while the path names the file, and while others'
        // locks may be waited for. The schema is never read, which takes as long as opening the file.
        try connection.execute(Self.sql)
        connection.setBusyTimeout(0)
    }

    /// Leaves the journal as it is when the probe is closed as the last connection.
    func leaveJournal() { _ = pinview_set_no_checkpoint_on_close(connection.handle, 1) }

    func close() {
        sqlite3_finalize(statement)
        connection.close()
    }

    /// Begins a read transaction on the newest state.
    ///
    /// Busy is rare and short: another process recovers the index. So is a capture that is not a
    /// consistent header, which only a writer that breaks the rules can cause. Both are retried for
    /// a second. SQLite itself tries for ten before it reports that it never got the locks, and the
    /// caller may hold up other writers.
    func begin() throws(SQLiteError) -> Observation {
        let deadline = MonotonicTime.now.after(1)
        var code = SQLITE_OK
        for attempt in 0... {
            if SQLLog.isEnabled { SQLLog.log(Self.sql, connection.logSource) }
            code = sqlite3_step(statement)
            if code == SQLITE_ROW {
                #if DEBUG
                    readHeaderLate()
                #endif
                let header = state.pointee.header, slot = Int(state.pointee.slot), mark = state.pointee.mark
                if state.pointee.hasCapture, header.isValid, slot == 0 || mark <= header.frame {
                    return Observation(slot: slot, mark: mark, header: header)
                }
                code = SQLITE_PROTOCOL
            }
            sqlite3_reset(statement)
            guard [SQLITE_BUSY, SQLITE_PROTOCOL, SQLITE_LOCKED].contains(code & 0xff), MonotonicTime.now < deadline else { break }
            if attempt > 0 { usleep(10_000) }
        }
        throw SQLiteError(code: code, handle: nil, path: connection.path)
    }

    func end() { sqlite3_reset(statement) }

    #if DEBUG
        /// The injected fault: a header that may be newer than what the transaction reads.
        private func readHeaderLate() {
            guard InjectedFault.current == .lateHeader, let memory = state.pointee.index else { return }
            usleep(1_500)
            state.pointee.header = WALHeader(at: memory)
        }
    #endif
}
