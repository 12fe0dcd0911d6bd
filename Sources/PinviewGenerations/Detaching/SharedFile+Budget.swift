import Glibc

/// The budget of the journal. Called by the scheduler's thread only.
extension SharedFile {
    /// Compares the journal with its budget, and does what the stores have asked for when old generations make it too long.
    ///
    /// - Returns: the seconds until the next look; nil when no generation holds the journal, or the file has been closed.
    func lookAtJournal() -> Double? {
        watch.end()
        watch.alarm(at: .max)
        guard let header = withOpenIndex({ WALHeader(at: $0.memory) }) else { return nil }
        let frameBytes = Int64(Journal.frameSize(pageSize: header.pageSize)), bytes = Int64(header.frame) * frameBytes
        let budget = watch.agreement(storeBytes: Int64(header.pageCount) * Int64(header.pageSize))
        // Who comes to life from here on finds that nobody watches.
        guard budget.policy != .off, holdingCount > 0 else { return nil }
        watch.resume()
        if bytes <= budget.bytes || header.salt1 != watch.quietSalt { watch.quietBytes = 0 }
        watch.alarm(at: UInt32(clamping: max(budget.bytes / frameBytes, Int64(header.frame) + 64)))

        let now = MonotonicTime.now
        let isOver = bytes > budget.bytes && bytes >= watch.quietBytes
        guard isOver || budget.age != nil else { return CheckpointScheduler.watchInterval }
        let holding = holdingRecords
        guard let older = withOpenIndex({ index in holding.filter { !$0.isNewest(in: index) && !$0.isLost } }) else { return nil }
        let aged = budget.age.map { age in older.filter { $0.taken.after(age) <= now } } ?? []
        if !older.isEmpty, isOver || !aged.isEmpty {
            let excess = Excess(
                bytes: bytes, budget: budget.bytes, salt: header.salt1, older: older.count, oldest: aged.map(\.ordinal).max(),
                isOver: isOver)
            if budget.policy == .detach, slots != nil { detach(excess, now) } else { warn(excess) }
        }
        guard let age = budget.age, let oldest = older.map(\.taken).min() else { return CheckpointScheduler.watchInterval }
        let due = Double(oldest.after(age).nanoseconds) - Double(now.nanoseconds)
        return due <= 0 ? CheckpointScheduler.watchInterval : min(due / 1e9 + 0.01, CheckpointScheduler.watchInterval)
    }

    private struct Excess {
        let bytes: Int64, budget: Int64
        /// Of the journal.
        let salt: UInt32
        let older: Int
        /// The youngest of the generations that are over the age; nil: none is.
        let oldest: UInt64?
        let isOver: Bool
    }

    private func event(
        _ kind: JournalEvent.Kind, _ excess: Excess, generations: Int, copyBytes: Int64 = 0, reason: String? = nil
    ) -> JournalEvent {
        JournalEvent(
            kind: kind, path: path, journalBytes: excess.bytes, budgetBytes: excess.budget, generations: generations,
            copyBytes: copyBytes, reason: reason)
    }

    /// Once for each doubling of the journal, and once for each generation that has come over the age.
    private func warn(_ excess: Excess) {
        let hasAged = excess.oldest.map { $0 > watch.lastWarnedOrdinal } ?? false
        guard excess.isOver || hasAged else { return }
        if excess.isOver { beQuiet(after: excess) }
        watch.lastWarnedOrdinal = max(watch.lastWarnedOrdinal, excess.oldest ?? 0)
        watch.tell(event(.budgetExceeded, excess, generations: excess.older))
    }

    /// Until this journal has doubled, or has been begun anew.
    private func beQuiet(after excess: Excess) {
        watch.quietBytes = excess.bytes * 2
        watch.quietSalt = excess.salt
    }

    private func detach(_ excess: Excess, _ now: MonotonicTime) {
        guard now >= watch.nextAttempt else { return }
        do throws(SQLiteError) {
            if let outcome = try detachOlder() {
                watch.pause = 1
                watch.quietFailureBytes = 0
                // A pin of another process may keep the journal long all the same: no use in one copy after another.
                beQuiet(after: excess)
                return watch.tell(event(.detached, excess, generations: outcome.generations, copyBytes: outcome.copyBytes))
            }
        } catch {
            if excess.bytes >= watch.quietFailureBytes {
                watch.quietFailureBytes = excess.bytes * 2
                watch.tell(event(.detachFailed, excess, generations: excess.older, reason: error.message))
            }
        }
        watch.nextAttempt = MonotonicTime.now.after(watch.pause)
        watch.pause = min(watch.pause * 2, 60)
    }
}
