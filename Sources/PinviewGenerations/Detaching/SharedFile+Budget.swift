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
        guard budget.policy != .off else {
            watch.lastLook = nil
            beNear(false)
            return nil
        }
        measureHistoryIfDue()
        let costs = meter.costs(of: path)
        let limit = Self.journalLimit(budget: budget.bytes, costs)
        let canLead = budget.policy == .detach && exclusiveLocks != nil
        let isHeldElsewhere = canLead && bytes > limit && whileOpen({ releaseLocks?.isJournalHeldElsewhere }) == true
        // Who comes to life from here on finds that nobody watches; but a program that only writes has a budget, too.
        guard holdingCount > 0 || isHeldElsewhere else {
            watch.lastLook = nil
            beNear(false)
            if canLead { watch.alarm(at: UInt32(clamping: max(limit / frameBytes, Int64(header.frame) + 64))) }
            return nil
        }
        watch.resume()
        if bytes <= limit || header.salt1 != watch.quietSalt { watch.quietBytes = 0 }
        watch.setNear(UInt32(clamping: limit / 2 / frameBytes))
        watch.alarm(at: UInt32(clamping: max(limit / frameBytes, Int64(header.frame) + 64)))
        beNear(budget.policy == .detach && bytes > limit / 2)

        let now = MonotonicTime.now
        let delay = nextLook(bytes: bytes, limit: limit, now)
        let isOver = bytes > limit && bytes >= watch.quietBytes
        let holding = isOver || budget.age != nil ? holdingRecords : []
        guard let older = withOpenIndex({ index in holding.filter { !$0.isNewest(in: index) && !$0.isLost } }) else { return nil }
        let aged = budget.age.map { age in older.filter { $0.taken.after(age) <= now } } ?? []
        let excess = Excess(
            bytes: bytes, budget: budget.bytes, salt: header.salt1, older: older.count, oldest: aged.map(\.ordinal).max(),
            isOver: isOver)
        if budget.policy == .detach, takePart(excess) { return delay }
        warnOfCosts(costs, excess)
        // Who holds none of the old ones asks others that do.
        if !older.isEmpty || isOver && (isHeldElsewhere || watch.failures > 0), isOver || !aged.isEmpty {
            if budget.policy == .detach, slots != nil { detach(excess, now) } else { warn(excess) }
        }
        guard let age = budget.age, let oldest = older.map(\.taken).min() else { return delay }
        let due = Double(oldest.after(age).nanoseconds) - Double(now.nanoseconds)
        return due <= 0 ? delay : min(due / 1e9 + 0.01, delay)
    }

    /// The journal's part of the budget: what copies and history leave, yet never less than a half. Copying the store aside more and
    /// more often would not make them cheaper.
    private static func journalLimit(budget: Int64, _ costs: PinCosts) -> Int64 {
        budget == .max ? budget : max(budget / 2, budget - costs.bytes)
    }

    /// The size of the history is part of what the budget has to bear.
    private func measureHistoryIfDue() {
        guard historySizeSQL != nil, meter.isHistoryDue, writers.acquireIfFree() else { return }
        measureHistory()
        writers.release()
    }

    /// Lets other processes know that the journal is near the budget of this one, so that they look more often: they may have a larger
    /// budget, and would find out late that somebody collects.
    private func beNear(_ isNear: Bool) {
        guard isNear != watch.isNearBudget else { return }
        let isTold = whileOpen { () -> Bool? in
            guard let locks = releaseLocks else { return nil }
            if isNear { locks.share(.near) } else { locks.endSharing(.near) }
            return true
        }
        if isTold == true { watch.isNearBudget = isNear }
    }

    /// nil where processes cannot let go together.
    var releaseLocks: ReleaseLocks? {
        guard let exclusive = exclusiveLocks, let descriptor = slots?.indexDescriptor else { return nil }
        return ReleaseLocks(descriptor: descriptor, exclusive: exclusive)
    }

    /// The seconds until the journal is worth another look: fewer when it grows towards the limit, so that it is not far above when that
    /// is found out, and when another process says that it is near.
    private func nextLook(bytes: Int64, limit: Int64, _ now: MonotonicTime) -> Double {
        defer { watch.lastLook = (bytes, now) }
        if bytes > limit / 2 || whileOpen({ releaseLocks?.isLocked(.near) }) == true { return CheckpointScheduler.nearWatchInterval }
        guard let last = watch.lastLook, bytes > last.bytes, now > last.time else { return CheckpointScheduler.watchInterval }
        let rate = Double(bytes - last.bytes) / now.seconds(since: last.time)
        return max(CheckpointScheduler.nearWatchInterval, min(Double(limit - bytes) / rate / 2, CheckpointScheduler.watchInterval))
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

    private func tellDetached(_ generations: Int, _ copyBytes: Int64, _ excess: Excess) {
        guard generations > 0 else { return }
        watch.tell(event(.detached, excess, generations: generations, copyBytes: copyBytes))
        meter.forgetCopies()
        warnOfCosts(meter.costs(of: path), excess)
    }

    /// Copies and history alone are over the budget: letting go of the journal does not help. Once for each doubling.
    private func warnOfCosts(_ costs: PinCosts, _ excess: Excess) {
        guard costs.bytes > excess.budget else {
            watch.quietCosts = 0
            return
        }
        guard costs.bytes >= watch.quietCosts else { return }
        watch.quietCosts = costs.bytes * 2
        let copies = costs.copies == 1 ? "1 detached copy takes" : "\(costs.copies) detached copies take"
        let history = costs.historyBytes.map { " and the history about \($0)" } ?? ""
        let reason = "\(copies) \(costs.copyBytes) bytes\(history)"
        watch.tell(event(.budgetExceeded, excess, generations: excess.older, copyBytes: costs.copyBytes, reason: reason))
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
    private func takePart(_ excess: Excess) -> Bool {
        do throws(SQLiteError) {
            guard let outcome = try withRelease({ (release) throws(SQLiteError) in try release.join() }) else { return false }
            tellDetached(outcome.generations, outcome.copyBytes, excess)
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
        // Held to the end, also while `detachLock` is not: whoever closes the file waits for it.
        releaseLock.lock()
        detachLock.lock()
        guard !isClosing, var release = JournalRelease(self) else {
            detachLock.unlock()
            releaseLock.unlock()
            return nil
        }
        let result: Result<JournalRelease.Outcome?, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try body(&release))
        } catch {
            result = .failure(error)
        }
        detachLock.unlock()
        releaseLock.unlock()
        // A generation that ends may close the file, which takes the locks.
        return try withExtendedLifetime(release) { () throws(SQLiteError) in try result.get() }
    }

    private func detach(_ excess: Excess, _ now: MonotonicTime) {
        guard now >= watch.nextAttempt else { return }
        do throws(SQLiteError) {
            if excess.isOver, exclusiveLocks != nil {
                // Without an outcome another process leads: it is joined at the next look.
                guard let outcome = try withRelease({ (release) throws(SQLiteError) in try release.lead() }) else { return }
                tellDetached(outcome.generations, outcome.copyBytes, excess)
                logTimes(outcome)
                return outcome.isFree ? noteRelease() : noteHolders(excess)
            }
            if let outcome = try detachOlder() {
                noteSuccess()
                return tellDetached(outcome.generations, outcome.copyBytes, excess)
            }
        } catch {
            tellFailure(excess, error.message)
        }
        noteFailure()
    }

    /// Where the time has gone.
    private func logTimes(_ outcome: JournalRelease.Outcome) {
        guard SQLLog.isEnabled else { return }
        func text(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
        SQLLog.annotate(
            "\(outcome.isFree ? "let go" : "could not let go") of the journal of \(path): copying took \(text(outcome.copyTime)), "
                + "other processes had \(text(outcome.noticeTime)) to notice, writers waited \(text(outcome.writerTime))")
    }

    private func noteSuccess() {
        watch.failures = 0
        watch.quietFailureBytes = 0
    }

    private func noteRelease() {
        noteSuccess()
        watch.nextAttempt = MonotonicTime.now.after(CheckpointScheduler.nearWatchInterval)
        // The last store may be closed meanwhile, and the index with it.
        watch.released = withOpenIndex { $0.header.map { ($0.frame, $0.salt1) } } ?? nil
    }

    /// Seconds for which a process that uses the library may not have noticed that somebody collects: it looks once a second at the least.
    private static let lateTime = 2.5

    /// The journal is held by processes that did not take part.
    private func noteHolders(_ excess: Excess) {
        guard let state = whileOpen({ journalState() }) else { return }
        let holders = state.processes.filter { process in
            !process.isThisProcess && process.readMarks.contains { $0.number > 0 }
        }
        // One that uses the library may have been late: it lets go the next time.
        if watch.failures == 0 { watch.firstFailure = .now }
        let mayBeLate = MonotonicTime.now < watch.firstFailure.after(Self.lateTime)
        // Another program's read may be over in a moment.
        noteFailure(retryAfter: mayBeLate && holders.allSatisfy(\.usesLibrary) ? 0 : 0.1)
        let causes = holders.filter { !$0.usesLibrary || !mayBeLate }
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
    ///
    /// - Parameter seconds: until the next attempt, twice as many after each that fails.
    private func noteFailure(retryAfter seconds: Double = 1) {
        let pause = min(seconds * pow(2, Double(watch.failures)), 30)
        watch.failures += 1
        watch.nextAttempt = MonotonicTime.now.after(max(pause, CheckpointScheduler.nearWatchInterval))
    }
}
