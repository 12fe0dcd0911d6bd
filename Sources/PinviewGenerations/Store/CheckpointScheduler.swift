import Glibc

/// The one thread of the process that checkpoints files after commits and after pins have ended. It
/// starts with the first work, and starts again in a forked child that opens a store of its own.
final class CheckpointScheduler: @unchecked Sendable {  // guarded by `lock`
    static let shared: CheckpointScheduler = {
        let scheduler = CheckpointScheduler()
        pthread_atfork(
            { CheckpointScheduler.shared.lock.lock() },
            { CheckpointScheduler.shared.lock.unlock() },
            {
                CheckpointScheduler.shared.work = [:]
                CheckpointScheduler.shared.isRunning = false
                CheckpointScheduler.shared.wake.reinitialize()
                CheckpointScheduler.shared.lock.unlock()
            })
        return scheduler
    }()

    /// The journal is worth a checkpoint from this number of frames.
    static let frameThreshold: UInt32 = 1000
    /// When a pin that held back at least this number of frames ends, the file's space is given
    /// back at once.
    static let shrinkThreshold: UInt32 = 64
    /// Seconds from the end of that pin to the checkpoint.
    static let shrinkDelay = 0.25
    /// Seconds without a commit after which a shorter journal is copied, too.
    static let idleTime = 5.0
    /// Seconds between two checks of a journal that generations hold: other processes may make it
    /// long.
    static let watchInterval = 1.0
    /// The same while the journal is near its budget.
    static let nearWatchInterval = 0.05
    private static let longestRetry = 60.0
    /// The least number of seconds between two checks of a file: in a program that reads after each
    /// commit, pins end as often.
    private static let shortestInterval = 0.02

    private struct Work {
        /// Keeps the memory of the file while the entry exists, so that no other file gets the same
        /// identifier.
        let reference: LightReference<SharedFile>
        /// When the file is to be checkpointed; nil if not at all.
        var due: MonotonicTime?
        /// When the length of its journal is to be checked.
        var watchDue: MonotonicTime?
        var earliest = MonotonicTime(nanoseconds: 0)
        /// Seconds until the next attempt after one that was busy.
        var retry = 1.0

        init(_ file: SharedFile) { reference = LightReference(file) }

        /// Nil if the file has ended.
        var file: SharedFile? { reference.object }

        /// The earlier of the two.
        var next: MonotonicTime? {
            guard let due, let watchDue else { return due ?? watchDue }
            return min(due, watchDue)
        }
    }

    private let lock = Lock()
    private let wake = ConditionVariable()
    private var work: [ObjectIdentifier: Work] = [:]
    private var nextDue: MonotonicTime?
    private var isRunning = false

    /// Schedules a checkpoint of a file that has been committed to and is idle from now on.
    func scheduleWhenIdle(_ file: SharedFile) {
        // Usually an earlier commit has.
        if !file.hasDueCheckpoint.load(ordering: .acquiring) { schedule(file, in: Self.idleTime) }
    }

    /// Schedules a checkpoint of a file, at most so many seconds from now, and no more than
    /// ``idleTime``.
    func schedule(_ file: SharedFile, in seconds: Double) { schedule(file, in: seconds, isWatch: false) }

    /// Schedules a check of the length of a file's journal, at most so many seconds from now.
    func watch(_ file: SharedFile, in seconds: Double) { schedule(file, in: seconds, isWatch: true) }

    private func schedule(_ file: SharedFile, in seconds: Double, isWatch: Bool) {
        let due = MonotonicTime.now.after(seconds)
        lock.lock()
        defer { lock.unlock() }
        let id = ObjectIdentifier(file)
        var entry = work[id] ?? Work(file)
        let wanted = max(due, entry.earliest)
        defer { if !isWatch { file.hasDueCheckpoint.store(isRunning, ordering: .releasing) } }
        if let known = isWatch ? entry.watchDue : entry.due, known <= wanted { return }
        if isWatch { entry.watchDue = wanted } else { entry.due = wanted }
        work[id] = entry
        if !isRunning {
            // If no thread can be started, the next commit tries again.
            isRunning = DetachedThread.start { CheckpointScheduler.shared.run() }
        } else if nextDue.map({ wanted < $0 }) ?? true {
            wake.signal()
        }
    }

    private func run() {
        lock.lock()
        while true {
            let now = MonotonicTime.now
            forgetEndedFiles()
            let next = work.compactMap { key, value in value.next.map { (key: key, due: $0) } }.min { $0.due < $1.due }
            guard let next else {
                nextDue = nil
                lock.wait(on: wake.pointer)
                continue
            }
            guard next.due <= now else {
                nextDue = next.due
                lock.wait(on: wake.pointer, until: next.due)
                continue
            }
            guard var entry = work[next.key] else { continue }
            let file = entry.file  // may be released with the lock held: a file that ends takes no lock of the scheduler
            let isCheckpointDue = entry.due.map { $0 <= now } ?? false
            if isCheckpointDue {
                entry.due = nil
                file?.hasDueCheckpoint.store(false, ordering: .releasing)
            }
            entry.watchDue = nil
            entry.earliest = now.after(Self.shortestInterval)
            work[next.key] = entry
            // Work added now is found when the thread next examines its work.
            nextDue = now
            lock.unlock()
            let retry = entry.retry
            let journalDelay = file?.checkJournal()
            let cleanupDelay = file?.runCleanups()
            let watchDelay = min(journalDelay ?? .infinity, cleanupDelay ?? .infinity)
            let nextDelay = isCheckpointDue ? file.flatMap { Self.maintain($0, retry: retry) } : nil
            lock.lock()
            guard var known = work[next.key] else { continue }
            if watchDelay.isFinite {
                let due = MonotonicTime.now.after(watchDelay)
                known.watchDue = min(due, known.watchDue ?? due)
            }
            if let nextDelay {
                let due = MonotonicTime.now.after(nextDelay.seconds)
                known.due = min(due, known.due ?? due)
                known.retry = nextDelay.retry
            }
            work[next.key] = known
        }
    }

    /// Requires the lock.
    private func forgetEndedFiles() {
        for (id, entry) in work where entry.file == nil {
            work[id] = nil
            entry.reference.release()
        }
    }

    /// - Returns: the seconds until the next check, and the seconds to wait after the next busy
    ///   attempt.
    private static func maintain(_ file: SharedFile, retry: Double) -> (seconds: Double, retry: Double)? {
        let idle = file.closeIdleReaders()
        let outcome: CheckpointOutcome
        do throws(SQLiteError) {
            outcome = try file.shortenJournal()
        } catch {
            // A full disk or a failing device: the next commit reports it to its caller. Here it
            // only means trying later.
            outcome = .busy
        }
        switch outcome {
        case .busy: return (retry, min(retry * 2, longestRetry))
        case .complete, .pinned: return idle.map { ($0, 1) }
        }
    }
}
