import Glibc

/// The budget of the journal. Called only on the scheduler's thread.
extension SharedFile {
    /// Compares the journal with its budget, and does what the stores have requested when old
    /// generations make it too long.
    ///
    /// - Returns: the seconds until the next check; nil if no generation holds the journal, or if
    ///   the file has been closed.
    func checkJournal() -> Double? {
        watch.end()
        watch.alarm(at: .max)
        guard let header = withOpenIndex({ WALHeader(at: $0.memory) }) else { return nil }
        let frameBytes = Int64(Journal.frameSize(pageSize: header.pageSize))
        // A journal that everyone has released is restarted by the next commit, and counts as
        // empty.
        let isReleased = watch.released.map { $0 == (header.frame, header.salt1) } ?? false
        let bytes = isReleased ? 0 : Int64(header.frame) * frameBytes
        let budget = watch.agreement(storeBytes: Int64(header.pageCount) * Int64(header.pageSize))
        guard budget.policy != .off else {
            watch.lastCheck = nil
            beNear(false)
            return nil
        }
        // Half of the budget is the journal's in any case: below it, and without pins, the costs of
        // pins change nothing.
        let costsMatter = holdingCount > 0 || bytes > budget.bytes / 2
        if costsMatter { measureHistoryIfDue() }
        let costs = costsMatter ? meter.costs(of: path) : meter.lastCosts
        let limit = Self.journalLimit(budget: budget.bytes, costs)
        let canLead = budget.policy == .detach && exclusiveLocks != nil
        let isHeldElsewhere = canLead && bytes > limit && whileOpen({ releaseLocks?.isJournalHeldElsewhere }) == true
        // A generation pinned from here on finds that nobody watches, and starts the watch again;
        // but a program that only writes has a budget, too.
        guard holdingCount > 0 || isHeldElsewhere else {
            watch.lastCheck = nil
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
        let delay = nextCheckDelay(bytes: bytes, limit: limit, now)
        let isOver = bytes > limit && bytes >= watch.quietBytes
        let holding = isOver || budget.age != nil ? holdingRecords : []
        guard let older = withOpenIndex({ index in holding.filter { !$0.isNewest(in: index) && !$0.isLost } }) else { return nil }
        let aged = budget.age.map { age in older.filter { $0.taken.after(age) <= now } } ?? []
        let excess = Excess(
            bytes: bytes, budget: budget.bytes, salt: header.salt1, older: older.count, oldest: aged.map(\.ordinal).max(),
            isOver: isOver)
        if budget.policy == .detach, takePart(excess) { return delay }
        warnOfCosts(costs, excess)
        // A process without old generations asks the others to release theirs.
        if !older.isEmpty || isOver && (isHeldElsewhere || watch.failures > 0), isOver || !aged.isEmpty {
            if budget.policy == .detach, slots != nil { detach(excess, now) } else { warn(excess) }
        }
        guard let age = budget.age, let oldest = older.map(\.taken).min() else { return delay }
        let due = Double(oldest.after(age).nanoseconds) - Double(now.nanoseconds)
        return due <= 0 ? delay : min(due / 1e9 + 0.01, delay)
    }

    /// The journal's part of the budget: what copies and history leave, but at least half. Copying
    /// the store more often would not make them smaller.
    private static func journalLimit(budget: Int64, _ costs: PinCosts) -> Int64 {
        budget == .max ? budget : max(budget / 2, budget - costs.bytes)
    }

    /// The size of the history is part of the budget.
    private func measureHistoryIfDue() {
        guard historySizeSQL != nil, meter.isHistoryDue, writers.acquireIfFree() else { return }
        measureHistory()
        writers.release()
    }

    /// Tells other processes that the journal is near this process's budget, so that they check
    /// more often: they may have a larger budget, and would notice a release late.
    private func beNear(_ isNear: Bool) {
        guard isNear != watch.isNearBudget else { return }
        let isTold = whileOpen { () -> Bool? in
            guard let locks = releaseLocks else { return nil }
            if isNear { locks.share(.near) } else { locks.endSharing(.near) }
            return true
        }
        if isTold == true { watch.isNearBudget = isNear }
    }

    /// Nil where processes cannot release the journal together.
    var releaseLocks: ReleaseLocks? {
        guard let exclusive = exclusiveLocks, let descriptor = slots?.indexDescriptor else { return nil }
        return ReleaseLocks(descriptor: descriptor, exclusive: exclusive)
    }

    /// The seconds until the next check: fewer when the journal grows towards its limit, so that it
    /// is not far above when that is noticed, and when another process says that the limit is near.
    private func nextCheckDelay(bytes: Int64, limit: Int64, _ now: MonotonicTime) -> Double {
        defer { watch.lastCheck = (bytes, now) }
        if bytes > limit / 2 || whileOpen({ releaseLocks?.isLocked(.near) }) == true { return CheckpointScheduler.nearWatchInterval }
        guard let last = watch.lastCheck, bytes > last.bytes, now > last.time else { return CheckpointScheduler.watchInterval }
        let rate = Double(bytes - last.bytes) / now.seconds(since: last.time)
        return max(CheckpointScheduler.nearWatchInterval, min(Double(limit - bytes) / rate / 2, CheckpointScheduler.watchInterval))
    }

    private struct Excess {
        let bytes: Int64, budget: Int64
        /// The journal's salt.
        let salt: UInt32
        let older: Int
        /// The ordinal of the youngest generation over the age limit; nil if there is none.
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

    /// Copies and history alone exceed the budget, so that releasing the journal does not help.
    /// Warns once for each doubling.
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

    /// Warns once for each doubling of the journal, and once for each generation that exceeds the
    /// age limit.
    private func warn(_ excess: Excess) {
        let hasAged = excess.oldest.map { $0 > watch.lastWarnedOrdinal } ?? false
        guard excess.isOver || hasAged else { return }
        if excess.isOver { beQuiet(after: excess) }
        watch.lastWarnedOrdinal = max(watch.lastWarnedOrdinal, excess.oldest ?? 0)
        watch.tell(event(.budgetExceeded, excess, generations: excess.older))
    }

    /// Reports nothing more until this journal has doubled or has been restarted.
    private func beQuiet(after excess: Excess) {
        watch.quietBytes = excess.bytes * 2
        watch.quietSalt = excess.salt
    }

    /// Releases the journal when another process leads a release.
    ///
    /// - Returns: whether one does.
    private func takePart(_ excess: Excess) -> Bool {
        do throws(SQLiteError) {
            guard let outcome = try withRelease({ (release) throws(SQLiteError) in try release.join() }) else { return false }
            tellDetached(outcome.generations, outcome.copyBytes, excess)
        } catch {
            // The leader finds that the journal is still held, and leads again.
            if SQLLog.isEnabled { SQLLog.annotate("could not release the journal of \(path): \(error.message)") }
        }
        return true
    }

    /// Calls a body that reads memory or descriptors that are valid only while the file is open.
    ///
    /// - Parameter body: must not end a generation, which may close the file.
    private func whileOpen<R>(_ body: () -> R?) -> R? { detachLock.withLock { isClosing ? nil : body() } }

    /// Calls a body that releases the journal, while the file stays open.
    ///
    /// - Returns: nil if the file is about to be closed, or if the locks for this are missing.
    private func withRelease(
        _ body: (inout JournalRelease) throws(SQLiteError) -> JournalRelease.Outcome?
    ) throws(SQLiteError) -> JournalRelease.Outcome? {
        // Held to the end, even while `detachLock` is not: a thread that closes the file waits for
        // it.
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
                // If nil, another process leads: this one joins at the next check.
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

    /// Logs how the time was spent.
    private func logTimes(_ outcome: JournalRelease.Outcome) {
        guard SQLLog.isEnabled else { return }
        func text(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
        SQLLog.annotate(
            "\(outcome.isFree ? "released" : "could not release") the journal of \(path): copying took \(text(outcome.copyTime)), "
                + "other processes had \(text(outcome.noticeTime)) to notice, writers waited \(text(outcome.writerTime))")
    }

    private func noteSuccess() {
        watch.failures = 0
        watch.quietFailureBytes = 0
    }

    private func noteRelease() {
        noteSuccess()
        watch.nextAttempt = MonotonicTime.now.after(CheckpointScheduler.nearWatchInterval)
        // The last store, and with it the index, may have been closed meanwhile.
        watch.released = withOpenIndex { $0.header.map { ($0.frame, $0.salt1) } } ?? nil
    }

    /// Seconds after which every process with this library has noticed a release: each checks at
    /// least once a second.
    private static let lateTime = 2.5

    /// Called when processes that did not take part hold the journal.
    private func noteHolders(_ excess: Excess) {
        guard let state = whileOpen({ journalState() }) else { return }
        let holders = state.processes.filter { process in
            !process.isThisProcess && process.readMarks.contains { $0.number > 0 }
        }
        // A process with this library may have been late: it takes part next time.
        if watch.failures == 0 { watch.firstFailure = .now }
        let mayBeLate = MonotonicTime.now < watch.firstFailure.after(Self.lateTime)
        // Another program's read may end in a moment.
        noteFailure(retryAfter: mayBeLate && holders.allSatisfy(\.usesLibrary) ? 0 : 0.1)
        let causes = holders.filter { !$0.usesLibrary || !mayBeLate }
        guard !causes.isEmpty else { return }
        let names = causes.map { process in
            "\(process.command ?? "a program")" + (process.identifier.map { " (process \($0))" } ?? " that is not visible from here")
        }
        tellFailure(excess, "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") reading from the journal")
    }

    private func tellFailure(_ excess: Excess, _ reason: String) {
        guard excess.bytes >= watch.quietFailureBytes else { return }
        watch.quietFailureBytes = excess.bytes * 2
        watch.tell(event(.detachFailed, excess, generations: excess.older, reason: reason))
    }

    /// Each attempt makes writers wait for a moment, and may copy the file.
    ///
    /// - Parameter seconds: until the next attempt; doubled after each failure.
    private func noteFailure(retryAfter seconds: Double = 1) {
        let pause = min(seconds * pow(2, Double(watch.failures)), 30)
        watch.failures += 1
        watch.nextAttempt = MonotonicTime.now.after(max(pause, CheckpointScheduler.nearWatchInterval))
    }
}
