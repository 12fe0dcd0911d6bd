import Glibc

/// One thread for the process, which checkpoints files after commits and when pins have ended. It starts with the first
/// work, and anew in a forked child that opens a store of its own.
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

    /// From how many frames on the journal is worth a checkpoint.
    static let frameThreshold: UInt32 = 1000
    /// Seconds without a commit after which a shorter journal is copied.
    static let idleTime = 5.0
    private static let longestRetry = 60.0

    private struct Work {
        weak var file: SharedFile?
        var due: MonotonicTime
        /// Seconds until the next attempt after a busy one.
        var retry = 1.0
    }

    private let lock = Lock()
    private let wake = ConditionVariable()
    private var work: [ObjectIdentifier: Work] = [:]
    private var nextDue: MonotonicTime?
    private var isRunning = false

    /// Looks after a file in so many seconds, or sooner if that has been asked for.
    func schedule(_ file: SharedFile, in seconds: Double) {
        let due = MonotonicTime.now.after(seconds)
        lock.lock()
        defer { lock.unlock() }
        let id = ObjectIdentifier(file)
        if let known = work[id], known.file === file {
            guard due < known.due else { return }
            work[id]?.due = due
        } else {
            work[id] = Work(file: file, due: due)
        }
        if !isRunning {
            isRunning = startThread()
        } else if nextDue.map({ due < $0 }) ?? true {
            wake.signal()
        }
    }

    /// - Returns: whether there is a thread. Without one the next commit tries again.
    private func startThread() -> Bool {
        // The host's signals are none of this thread's business.
        var all = sigset_t(), previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { _ in
                CheckpointScheduler.shared.run()
                return nil
            }, nil)
        guard code == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    private func run() {
        lock.lock()
        while true {
            let now = MonotonicTime.now
            work = work.filter { $0.value.file != nil }
            guard let next = work.min(by: { $0.value.due < $1.value.due }) else {
                nextDue = nil
                lock.wait(on: wake.pointer)
                continue
            }
            guard next.value.due <= now else {
                nextDue = next.value.due
                lock.wait(on: wake.pointer, until: next.value.due)
                continue
            }
            work[next.key] = nil
            nextDue = now
            let file = next.value.file
            lock.unlock()
            let nextDelay = file.flatMap { Self.lookAfter($0, retry: next.value.retry) }
            lock.lock()
            guard let file, let nextDelay else { continue }
            // What has been asked for meanwhile may come sooner.
            let due = MonotonicTime.now.after(nextDelay.seconds)
            let known = work[next.key]
            work[next.key] = Work(file: file, due: min(due, known?.due ?? due), retry: nextDelay.retry)
        }
    }

    /// - Returns: when to look again, and how long to wait after the next busy attempt.
    private static func lookAfter(_ file: SharedFile, retry: Double) -> (seconds: Double, retry: Double)? {
        let idle = file.closeIdleReaders()
        let outcome: CheckpointOutcome
        do throws(SQLiteError) {
            outcome = try file.settle()
        } catch {
            // A full disk, a failing device: the next commit reports it to somebody. Here it only means later.
            outcome = .busy
        }
        switch outcome {
        case .busy: return (retry, min(retry * 2, longestRetry))
        case .complete, .pinned: return idle.map { ($0, 1) }
        }
    }
}
