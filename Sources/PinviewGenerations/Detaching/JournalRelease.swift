internal import CSQLite
import Glibc

/// Releases a journal that is over its budget, together with all processes that have pins.
///
/// A journal can be restarted only while nobody holds a read mark from 1 up, in any process.
/// Processes that detach their old generations independently never reach such a moment: when one is
/// done, another has pinned again. So the first process that finds the journal too long leads
/// (`ReleaseLocks`):
///
///     leader        collect ─ copy ─ wait for copies ─┬─ write lock, go ─ move over, renew ─ checkpoint ─ renew ─┬─ journal free
///     the others        notice ─ copy ─ wait ─────────┴─ move over, renew newest pins ───────────────────────────┘
///     writers       commit ──────────────────────────── wait ──────────────────────────────────────────────────── commit
///
/// Old generations move to copies. Pins of the newest state stay: with a mark at the last frame
/// they let the checkpoint copy all frames, and renewed afterwards they have read mark 0, with
/// which the next commit can restart the journal.
///
/// Writers wait while the frames committed since the first copy are copied, and for the checkpoint.
/// If someone else holds the journal, such as a program that reads with plain SQLite, they wait for
/// some hundredths of a second, and the release is retried later.
///
/// A thread that waits for another process releases the file's `detachLock` meanwhile, so that the
/// file can be closed. All functions are called with that lock held, and hold it when they return.
struct JournalRelease {
    struct Outcome {
        /// The number of generations of this process that were moved to a copy.
        var generations = 0
        var copyBytes: Int64 = 0
        var isFree = false
        /// The leader's times in seconds: for others to notice, for others to copy, and while
        /// writers waited.
        var noticeTime = 0.0, copyTime = 0.0, writerTime = 0.0
    }

    /// Seconds that other processes have to notice a release: they check more often when the
    /// journal is near the budget of any process.
    static let noticeTime = 0.15
    /// Seconds to wait for the copies of others.
    static let copyTime = 20.0
    /// The maximum number of seconds that writers wait.
    static let goTime = 2.0
    /// Seconds that they wait for holders that do not take part.
    static let graceTime = 0.03
    private static let lockTime = 1.0

    private let file: SharedFile
    private let slots: ReadMarkPins
    private let locks: ReleaseLocks
    private let exclusive: ExclusiveLocks
    private var copy: Detaching?
    private var outcome = Outcome()
    /// Generations to be retained until all locks have been released.
    private(set) var kept: [Generation] = []

    init?(_ file: SharedFile) {
        guard let slots = file.slots, let exclusive = file.exclusiveLocks, let locks = file.releaseLocks else { return nil }
        self.file = file
        self.slots = slots
        self.exclusive = exclusive
        self.locks = locks
    }

    /// Whether another process leads a release.
    private var isAsked: Bool { locks.isLocked(.collect) }

    // MARK: The leader

    /// - Returns: nil if another process already leads, or if the file is about to be closed.
    mutating func lead() throws(SQLiteError) -> Outcome? {
        guard locks.claim(.collect) else { return nil }
        defer { locks.endClaim(.collect) }
        let begun = MonotonicTime.now
        try prepareWhileOthersSee()
        let prepared = MonotonicTime.now
        if locks.isJournalHeldElsewhere {
            guard pause(until: begun.after(Self.noticeTime), { false }) else { return nil }
            outcome.noticeTime = MonotonicTime.now.seconds(since: prepared)
            guard pause(until: MonotonicTime.now.after(Self.copyTime), { !locks.isLocked(.copying) }) else { return nil }
            try copy?.keepUp()
        }
        let copied = MonotonicTime.now
        outcome.copyTime = copied.seconds(since: begun) - outcome.noticeTime
        defer { outcome.writerTime = MonotonicTime.now.seconds(since: copied) }
        guard file.writers.acquire() else { return outcome }
        let result: Result<Void, SQLiteError>
        do throws(SQLiteError) {
            result = .success(try go())
        } catch {
            result = .failure(error)
        }
        file.writers.release()
        try result.get()
        return outcome
    }

    /// Requires the writers' turn.
    private mutating func go() throws(SQLiteError) {
        guard let connection = file.checkpointConnection else { return try moveOver() }
        let owner = Unmanaged.passUnretained(file).toOpaque()
        let patience = MonotonicTime.now.after(Self.lockTime)
        while exclusive.lock(ExclusiveLocks.write, 1, by: owner) != SQLITE_OK {
            // A long transaction: at least this process does not hold the journal any more.
            guard MonotonicTime.now < patience else { return try moveOver() }
            usleep(100)
        }
        var isLocked = true
        func unlock() {
            guard isLocked else { return }
            isLocked = false
            locks.endClaim(.go)
            _ = exclusive.unlock(ExclusiveLocks.write, 1, by: owner)
        }
        defer { unlock() }
        _ = locks.claim(.go)
        try moveOver()
        let end = MonotonicTime.now.after(Self.goTime)
        var grace = MonotonicTime.now.after(Self.graceTime)
        while true {
            renewNewest()
            if file.index.backfilledFrames < file.index.frameCount {
                _ = try file.checkpointUnderWriteLock(connection.connection, connection.busyTimeout)
                renewNewest()
            }
            outcome.isFree = file.index.backfilledFrames >= file.index.frameCount && !slots.holdsJournal && !locks.isJournalHeldElsewhere
            let now = MonotonicTime.now
            if locks.isLocked(.takingPart) { grace = now.after(Self.graceTime) }
            if outcome.isFree || now > end || now > grace { break }
            usleep(500)
        }
        unlock()
        // The next commit would restart the journal as well, but only a process with Pinview would
        // also truncate the file.
        if outcome.isFree { file.emptyJournal(connection.connection, connection.busyTimeout) }
    }

    // MARK: The others

    /// Releases the journal when the leader says so.
    ///
    /// - Returns: nil if nobody leads, or if the file is about to be closed.
    mutating func join() throws(SQLiteError) -> Outcome? {
        guard isAsked else { return nil }
        locks.share(.takingPart)
        defer { locks.endSharing(.takingPart) }
        try prepareWhileOthersSee()
        let end = MonotonicTime.now.after(Self.copyTime)
        var isGo = false
        let stays = pause(until: end) {
            isGo = locks.isLocked(.go)
            return isGo || !isAsked || file.holdingCount == 0
        }
        guard stays else { return nil }
        guard isGo else {
            // The leader has given up or ended: the copy can be used all the same.
            guard file.writers.acquire() else { return outcome }
            defer { file.writers.release() }
            try moveOver()
            return outcome
        }
        // Nobody commits now, so there is no need to wait for this process's writers, which wait
        // themselves.
        try moveOver()
        locks.endSharing(.takingPart)
        while locks.isLocked(.go) {
            renewNewest()
            usleep(300)
        }
        return outcome
    }

    // MARK: What both do

    /// - Returns: false if the file is about to be closed.
    private func pause(until end: MonotonicTime, _ isOver: () -> Bool) -> Bool {
        while MonotonicTime.now < end, !isOver() {
            file.detachLock.unlock()
            usleep(500)
            file.detachLock.lock()
            if file.isClosing { return false }
        }
        return true
    }

    private mutating func prepareWhileOthersSee() throws(SQLiteError) {
        locks.share(.copying)
        defer { locks.endSharing(.copying) }
        try prepare()
    }

    /// Copies the old generations as far as possible without stopping writers.
    private mutating func prepare() throws(SQLiteError) {
        let bases = file.olderPins
        guard !bases.isEmpty else { return }
        var copy = try Detaching(file, slots: slots, bases: bases)
        if try copy.copyMost() { self.copy = copy }
    }

    /// Moves the old generations to the copy. Generations that have become old since it was started
    /// get a copy of their own.
    private mutating func moveOver() throws(SQLiteError) {
        for attempt in 0..<2 {
            if var copy {
                self.copy = nil
                if let moved = try copy.moveOver() {
                    outcome.generations += moved.generations
                    outcome.copyBytes += moved.copyBytes
                    file.counters.detaches.add(UInt64(moved.generations), ordering: .relaxed)
                }
            }
            guard attempt == 0, !file.olderPins.isEmpty else { return }
            try prepare()
        }
    }

    /// Renews the pins of the newest state that keep the journal from being restarted.
    private mutating func renewNewest() {
        let frames = file.index.frameCount, isCopied = file.index.backfilledFrames >= frames
        for record in file.holdingRecords where record.isNewest(in: file.index) {
            guard case .mark(let slot, let mark, _) = record.holdKind, slot != 0, isCopied || mark < frames,
                let generation = record.generation
            else { continue }
            kept.append(generation)
            // A pin that cannot be renewed now prevents the release until the next attempt.
            _ = try? file.renewPin(of: generation)
        }
    }
}
