internal import CSQLite
import Glibc

/// The outcome of a checkpoint.
enum CheckpointOutcome {
    /// Everything is copied; after TRUNCATE the journal is empty.
    case complete
    /// A reader, a writer or another checkpoint prevented it; try again later.
    case busy
    /// Pins of this process prevent more.
    case pinned
}

/// Checkpoints run in the writers' turn and hold SQLite's write lock, so that none overlaps a
/// commit of any process: otherwise SQLite up to 3.51.2 can lose committed pages. They never wait
/// inside SQLite, which would hold the write lock meanwhile.
extension SharedFile {
    /// Keeps the journal as short as pins allow. Called on the scheduler's thread.
    func shortenJournal() throws(SQLiteError) -> CheckpointOutcome {
        guard writers.acquire() else { return .busy }
        checkForSecondSQLite()
        measureHistory()
        // Retained until the turn is over: a generation that ends may close the file, which waits
        // for the turn.
        var live = liveState()
        // A thread that has just committed is about to release the previous generation: after a
        // short wait, its new one is often the only one.
        for _ in 0..<5 where live.count > 1 {
            usleep(200)
            live = liveState()
        }
        let result: Result<CheckpointOutcome, SQLiteError>
        do throws(SQLiteError) {
            // When the last pin has ended, space that a pin held back is returned to the file
            // system (QG-39); otherwise the journal is only restarted.
            let shrinks = live.count == 0 && takeShrinkRequest()
            let outcome = try checkpoint(mode: shrinks ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_FULL, live: live)
            if shrinks, outcome != .complete { requestShrink() }
            result = .success(outcome)
        } catch {
            result = .failure(error)
        }
        writers.release()
        return try withExtendedLifetime(live) { () throws(SQLiteError) in try result.get() }
    }

    /// Requires the writers' turn.
    ///
    /// - Parameter live: retained by the caller until the turn is over.
    func checkpoint(mode: Int32, live: (count: Int, only: Generation?)) throws(SQLiteError) -> CheckpointOutcome {
        guard let (connection, busyTimeout) = checkpointConnection else { return .complete }
        guard let header = index.header else { return .busy }
        let backfilled = index.backfilledFrames
        let isCopied = header.frame <= backfilled
        if isCopied, mode != SQLITE_CHECKPOINT_TRUNCATE, header.frame == 0 || live.only == nil { return .complete }
        var hasRenewedPin = false
        if live.count > 0, let slots {
            if let generation = live.only, index.isAt(generation.header) {
                // All pins are of the newest state: with a mark at the newest frame, everything can
                // be copied, and with read mark 0 afterwards the next commit restarts the journal.
                // The content stays the same.
                hasRenewedPin = try renewPin(of: generation)
            }
            if isCopied, mode != SQLITE_CHECKPOINT_TRUNCATE { return .complete }
            if !hasRenewedPin {
                let limit = slots.checkpointLimit
                // Under read mark 0 nothing may be copied. SQLite would find that out only after
                // sorting the whole index.
                if limit.isBlocked, mode != SQLITE_CHECKPOINT_TRUNCATE { return .pinned }
                let mark = limit.lowestMark ?? header.frame
                if mode == SQLITE_CHECKPOINT_FULL, !claimPartialCheckpoint(upTo: mark, header, backfilled) { return .pinned }
            }
        } else if live.count > 0, mode == SQLITE_CHECKPOINT_FULL {
            return .pinned  // the marks of open transactions are not known here
        }
        let outcome = try run(mode, on: connection, busyTimeout: busyTimeout)
        if hasRenewedPin, let generation = live.only { _ = try renewPin(of: generation) }
        return outcome == .busy && live.count > 0 ? .pinned : outcome
    }

    /// Copies what pins and readers allow while the caller holds SQLite's write lock, so that
    /// nobody commits meanwhile.
    func checkpointUnderWriteLock(_ connection: Connection, _ busyTimeout: Double) throws(SQLiteError) -> CheckpointOutcome {
        try run(SQLITE_CHECKPOINT_PASSIVE, on: connection, busyTimeout: busyTimeout)
    }

    /// Truncates the journal if nobody prevents it. Requires the writers' turn.
    func emptyJournal(_ connection: Connection, _ busyTimeout: Double) {
        // If this fails, the next commit or checkpoint does it.
        _ = try? run(SQLITE_CHECKPOINT_TRUNCATE, on: connection, busyTimeout: busyTimeout)
    }

    /// Whether the part of the journal that pins allow to be copied has grown enough to be worth
    /// the sorting in a checkpoint. If so, the checkpoint is made. Requires the writers' turn.
    func claimPartialCheckpoint(upTo mark: UInt32, _ header: WALHeader, _ backfilled: UInt32) -> Bool {
        if header.frame < lastPartialFrame { lastPartialFrame = 0 }
        let threshold = CheckpointScheduler.frameThreshold
        guard mark >= backfilled &+ threshold, header.frame >= lastPartialFrame &+ threshold else { return false }
        lastPartialFrame = header.frame
        return true
    }

    private static func name(of mode: Int32) -> String {
        switch mode {
        case SQLITE_CHECKPOINT_TRUNCATE: "TRUNCATE"
        case SQLITE_CHECKPOINT_FULL: "FULL"
        case SQLITE_CHECKPOINT_RESTART: "RESTART"
        default: "PASSIVE"
        }
    }

    private func run(_ mode: Int32, on connection: Connection, busyTimeout: Double) throws(SQLiteError) -> CheckpointOutcome {
        // How the file is synchronized makes no difference where nothing is copied.
        if index.header?.frame != 0 { try connection.applyLateSettings() }
        let state = connection.mainFile.flatMap { slots == nil ? nil : ShimFile.state($0, as: TrackedState.self) }
        state?.pointee.needsWriteLock = true
        connection.setBusyTimeout(0)
        defer {
            connection.setBusyTimeout(busyTimeout)
            state?.pointee.needsWriteLock = false
        }
        counters.checkpoints.increment()
        var frames: Int32 = 0, copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(connection.handle, "main", mode, &frames, &copied)
        if SQLLog.isEnabled {
            let outcome = code == SQLITE_OK ? "\(copied) of \(frames) frames are in the file" : "failed with result code \(code)"
            SQLLog.log("PRAGMA wal_checkpoint(\(Self.name(of: mode))) /* \(outcome) */", connection.logSource, as: .checkpoint)
        }
        switch code & 0xff {
        case SQLITE_OK where frames == copied: return .complete
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED:
            counters.busyCheckpoints.increment()
            return .busy
        default: throw connection.error(code)
        }
    }
}
