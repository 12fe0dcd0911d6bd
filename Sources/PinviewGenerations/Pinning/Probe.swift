internal import CSQLite
import Glibc

/// A connection that begins read transactions only to learn which read mark and which header SQLite gives them.
/// Used by one thread at a time.
final class Probe {
    /// A state of the file, good until `end`, while the transaction holds its read mark.
    struct Sighting {
        let slot: Int
        let mark: UInt32
        let header: WALHeader
    }

    private static let sql = "PRAGMA schema_version"
    private let connection: Connection
    private let statement: OpaquePointer
    private let state: UnsafeMutablePointer<TrackedState>

    init(path: String, flags: Int32, vfs: ShimVFS) throws(SQLiteError) {
        connection = try Connection(path: path, flags: flags, vfs: vfs.trackedName, part: .probe)
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.handle, Self.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared, let state = connection.mainFile.flatMap({ ShimFile.state($0, as: TrackedState.self) })
        else {
            sqlite3_finalize(prepared)
            throw connection.error(code)
        }
        statement = prepared
        self.state = state
        try connection.execute("PRAGMA cache_size=8")
    }

    /// Has it leave the journal as it is when it is closed as the last connection.
    func leaveJournal() { _ = pinview_set_no_checkpoint_on_close(connection.handle, 1) }

    func close() {
        sqlite3_finalize(statement)
        connection.close()
    }

    /// Begins a read transaction on the newest state.
    ///
    /// Busy is rare (another process recovers the index) and short; so is a capture that is not one header, which can
    /// only be seen beside a writer that breaks the rules. Both are tried again for a second: SQLite itself tries for
    /// ten before it reports that the locks never came free, and who waits for this one may hold the writers' turn.
    func begin() throws(SQLiteError) -> Sighting {
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
                    return Sighting(slot: slot, mark: mark, header: header)
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
        /// The planted mistake: a header that may be newer than what the transaction reads.
        private func readHeaderLate() {
            guard PlantedMistake.current == .lateHeader, let memory = state.pointee.index else { return }
            usleep(1_500)
            state.pointee.header = WALHeader(at: memory)
        }
    #endif
}
