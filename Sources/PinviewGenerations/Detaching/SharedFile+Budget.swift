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
        let frameBytes = Int64(Journal.frameSize(pageSize: header.pageSize))
        // What everybody has let go is begun anew by the next commit, and is as good as empty.
        let isReleased = watch.released.map { $0 == (header.frame, header.salt1) } ?? false
        let bytes = isReleased ? 0 : Int64(header.frame) * frameBytes
        let budget = watch.agreement(storeBytes: Int64(header.pageCount) * Int64(header.pageSize))
        // Who comes to life from here on finds that nobody watches.
        guard budget.policy != .off, holdingCount > 0 else {
            watch.lastLook = nil
            return nil
        }
        watch.resume()
        if bytes <= budget.bytes || header.salt1 != watch.quietSalt { watch.quietBytes = 0 }
        watch.setNear(UInt32(clamping: budget.bytes / 2 / frameBytes))
        watch.alarm(at: UInt32(clamping: max(budget.bytes / frameBytes, Int64(header.frame) + 64)))

        let now = MonotonicTime.now
        let delay = nextLook(bytes: bytes, budget: budget.bytes, now)
        if budget.policy == .detach, takePart() { return delay }
        let isOver = bytes > budget.bytes && bytes >= watch.quietBytes
        guard isOver || budget.age != nil else { return delay }
        let holding = holdingRecords
        guard let older = withOpenIndex({ index in holding.filter { !$0.isNewest(in: index) && !$0.isLost } }) else { return nil }
        let aged = budget.age.map { age in older.filter { $0.taken.after(age) <= now } } ?? []
        // Who has let go already, and found others that do not, still sees to it that they are told of.
        if !older.isEmpty || isOver && watch.failures > 0, isOver || !aged.isEmpty {
            let excess = Excess(
                bytes: bytes, budget: budget.bytes, salt: header.salt1, older: older.count, oldest: aged.map(\.ordinal).max(),
                isOver: isOver)
            if budget.policy == .detach, slots != nil { detach(excess, now) } else { warn(excess) }
        }
        guard let age = budget.age, let oldest = older.map(\.taken).min() else { return delay }
        let due = Double(oldest.after(age).nanoseconds) - Double(now.nanoseconds)
        return due <= 0 ? delay : min(due / 1e9 + 0.01, delay)
    }

    /// The seconds until the journal is worth another look: fewer when it grows towards its budget, so that it is not far above when that
    /// is found out, and that processes with the same budget find it out at about the same time.
    private func nextLook(bytes: Int64, budget: Int64, _ now: MonotonicTime) -> Double {
        defer { watch.lastLook = (bytes, now) }
        if bytes > budget / 2 { return CheckpointScheduler.nearWatchInterval }
        guard let last = watch.lastLook, bytes > last.bytes, now > last.time else { return CheckpointScheduler.watchInterval }
        let rate = Double(bytes - last.bytes) / (Double(now.nanoseconds - last.time.nanoseconds) / 1e9)
        return max(CheckpointScheduler.nearWatchInterval, min(Double(budget - bytes) / rate / 2, CheckpointScheduler.watchInterval))
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

    /// Lets the journal go when another process says that it is too long.
    ///
    /// - Returns: whether one did.
    private func takePart() -> Bool {
        guard whileOpen({ JournalRelease(self)?.isAsked }) == true else { return false }
        do throws(SQLiteError) {
            let outcome = try withRelease { (release) throws(SQLiteError) in try release.join() }
            guard let outcome, outcome.generations > 0 else { return true }
            let header = withOpenIndex { $0.header } ?? nil
            let bytes = header.map { Int64($0.frame) * Int64(Journal.frameSize(pageSize: $0.pageSize)) } ?? 0
            let budget = watch.agreement(storeBytes: Int64(header?.fileSize ?? 0)).bytes
            let excess = Excess(bytes: bytes, budget: budget, salt: 0, older: outcome.generations, oldest: nil, isOver: true)
            watch.tell(event(.detached, excess, generations: outcome.generations, copyBytes: outcome.copyBytes))
        } catch {
            // The one who leads finds that the journal is still held, and leads again.
            if SQLLog.isEnabled { SQLLog.annotate("could not let go of the journal of \(path): \(error.message)") }
        }
        return true
    }

    /// Runs a body that reads what is mapped or open only as long as the file is.
    ///
    /// - Parameter body: ends no generation, which may close the file.
    private func whileOpen<R>(_ body: () -> R?) -> R? { detachLock.withLock { isClosing ? nil : body() } }

    /// Runs a body that lets the journal go, while the file stays open.
    ///
    /// - Returns: nil when the file is about to be closed, or there are no locks for this.
    private func withRelease(
        _ body: (inout JournalRelease) throws(SQLiteError) -> JournalRelease.Outcome?
    ) throws(SQLiteError) -> JournalRelease.Outcome? {
        detachLock.lock()
        guard !isClosing, var release = JournalRelease(self) else {
            detachLock.unlock()
            return nil
        }
        let result: Result<JournalRelease.Outcome?, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try body(&release))
        } catch {
            result = .failure(error)
        }
        detachLock.unlock()
        // A generation that ends may close the file, which takes the lock.
        return try withExtendedLifetime(release) { () throws(SQLiteError) in try result.get() }
    }

    private func detach(_ excess: Excess, _ now: MonotonicTime) {
        guard now >= watch.nextAttempt else { return }
        do throws(SQLiteError) {
            if excess.isOver, exclusiveLocks != nil {
                let notice = watch.failures == 0 ? JournalRelease.noticeTime : JournalRelease.longNoticeTime
                let outcome = try withRelease { (release) throws(SQLiteError) in try release.lead(noticeTime: notice) }
                // Another process leads: it is joined at the next look.
                guard let outcome else { return }
                if outcome.generations > 0 {
                    watch.tell(event(.detached, excess, generations: outcome.generations, copyBytes: outcome.copyBytes))
                }
                return outcome.isFree ? noteRelease() : noteHolders(excess)
            }
            if let outcome = try detachOlder() {
                watch.failures = 0
                watch.quietFailureBytes = 0
                return watch.tell(event(.detached, excess, generations: outcome.generations, copyBytes: outcome.copyBytes))
            }
        } catch {
            tellFailure(excess, error.message)
        }
        noteFailure()
    }

    private func noteRelease() {
        watch.failures = 0
        watch.quietFailureBytes = 0
        watch.nextAttempt = MonotonicTime.now.after(CheckpointScheduler.nearWatchInterval)
        // The last store may be closed meanwhile, and the index with it.
        watch.released = withOpenIndex { $0.header.map { ($0.frame, $0.salt1) } } ?? nil
    }

    /// The journal is held by processes that did not take part.
    private func noteHolders(_ excess: Excess) {
        guard let state = whileOpen({ journalState() }) else { return }
        let holders = state.processes.filter { process in
            !process.isThisProcess && process.readMarks.contains { $0.number > 0 }
        }
        // One that uses the library may have been late: it lets go the next time.
        noteFailure(isSoonOver: holders.allSatisfy(\.usesLibrary) && watch.failures < 3)
        let causes = holders.filter { !$0.usesLibrary || watch.failures > 3 }
        guard !causes.isEmpty else { return }
        let names = causes.map { process in
            "\(process.command ?? "a program")" + (process.identifier.map { " (process \($0))" } ?? " that cannot be seen from here")
        }
        tellFailure(excess, "the journal is held by reads of \(names.joined(separator: ", "))")
    }

    private func tellFailure(_ excess: Excess, _ reason: String) {
        guard excess.bytes >= watch.quietFailureBytes else { return }
        watch.quietFailureBytes = excess.bytes * 2
        watch.tell(event(.detachFailed, excess, generations: excess.older, reason: reason))
    }

    /// Each attempt makes writers wait for a moment, and may copy the file.
    private func noteFailure(isSoonOver: Bool = false) {
        watch.failures += 1
        let pause = isSoonOver ? CheckpointScheduler.nearWatchInterval : min(pow(2, Double(watch.failures - 1)), 30)
        watch.nextAttempt = MonotonicTime.now.after(pause)
    }
}
