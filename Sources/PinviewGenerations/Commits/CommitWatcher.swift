import Glibc

/// Notices commits to files by anyone and tells the listeners. One thread for the whole process,
/// which runs while there are listeners and some seconds longer.
///
/// - A commit of this process notifies it directly.
/// - A commit of another process writes to the journal before it changes the header of the
///   WAL-index. After a write, the thread therefore polls the header with increasing pauses until
///   nothing has happened for a long time.
/// - If writes to the journal cannot be watched, it polls the header ten times a second.
final class CommitWatcher: @unchecked Sendable {  // guarded by `lock`
    static let shared: CommitWatcher = {
        let watcher = CommitWatcher()
        pthread_atfork(
            { CommitWatcher.shared.lock.lock() },
            { CommitWatcher.shared.lock.unlock() },
            {
                // The child shares the events of the parent's descriptors.
                CommitWatcher.shared.events?.close()
                CommitWatcher.shared.events = nil
                CommitWatcher.shared.files = [:]
                CommitWatcher.shared.calling = []
                CommitWatcher.shared.caller = nil
                CommitWatcher.shared.isRunning = false
                CommitWatcher.shared.called.reinitialize()
                CommitWatcher.shared.lock.unlock()
            })
        return watcher
    }()

    private struct WatchedFile {
        let file: CommitSource
        /// The number by which changes of the journal are reported; nil if it cannot be watched.
        let number: Int32?
        var listeners: [CommitListener] = []
        /// When to check the header next; nil means after the next write.
        var nextCheck: MonotonicTime?
        /// Delayed after a commit, so that commits in quick succession are reported as one.
        var earliestCheck = MonotonicTime(nanoseconds: 0)
        var pause: UInt64 = 0
        var lastStir: MonotonicTime
    }

    // In nanoseconds.
    private static let shortestPause: UInt64 = 30_000
    private static let longestPause: UInt64 = 100_000_000
    /// The shortest time between two calls of the listeners of a file.
    private static let pauseAfterCommit: UInt64 = 500_000
    /// How long a commit may wait for the disk between writing to the journal and changing the
    /// header.
    private static let patience: UInt64 = 10_000_000_000
    private static let idleTime: UInt64 = 5_000_000_000

    private let lock = Lock()
    /// Broadcast after listeners have been called.
    private let called = ConditionVariable()
    private var files: [ObjectIdentifier: WatchedFile] = [:]
    /// The listeners that are being called, and the thread that calls them.
    private var calling: [ObjectIdentifier] = []
    private var caller: pthread_t?
    private var events: ChangeEvents?
    private var isRunning = false

    // MARK: Listeners

    func add(_ listener: CommitListener) {
        lock.withLock {
            if !isRunning {
                // If no thread can be started, the next listener tries again.
                events = events ?? ChangeEvents()
                isRunning = DetachedThread.start { CommitWatcher.shared.run() }
            }
            let id = ObjectIdentifier(listener.file)
            var watched =
                files[id] ?? WatchedFile(file: listener.file, number: events?.watch(listener.file.path + "-wal"), lastStir: .now)
            watched.listeners.append(listener)
            // A commit that began before the watching may have written already.
            stir(&watched)
            files[id] = watched
            listener.file.hasListeners.store(true, ordering: .relaxed)
            events?.wake()
        }
    }

    func remove(_ listener: CommitListener) {
        lock.lock()
        defer { lock.unlock() }
        listener.hasEnded = true
        let id = ObjectIdentifier(listener.file)
        if var watched = files[id] {
            watched.listeners.removeAll { $0 === listener }
            files[id] = watched.listeners.isEmpty ? nil : watched
            if watched.listeners.isEmpty {
                listener.file.hasListeners.store(false, ordering: .relaxed)
                if let number = watched.number { events?.unwatch(number) }
            }
        }
        while let caller, calling.contains(ObjectIdentifier(listener)), pthread_equal(caller, pthread_self()) == 0 {
            lock.wait(on: called.pointer)
        }
    }

    /// Stops watching a file that is about to be closed, whose memory must not be read any more.
    func forget(_ file: CommitSource) {
        // Released after unlocking, because listeners may hold objects of the application.
        let forgotten = lock.withLock { () -> WatchedFile? in
            guard let watched = files.removeValue(forKey: ObjectIdentifier(file)) else { return nil }
            if let number = watched.number { events?.unwatch(number) }
            return watched
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Notes a commit of this process to a file that has listeners.
    func noteCommit(to file: CommitSource) {
        lock.withLock {
            guard var watched = files[ObjectIdentifier(file)] else { return }
            stir(&watched)
            files[ObjectIdentifier(file)] = watched
            events?.wake()
        }
    }

    private func stir(_ watched: inout WatchedFile) {
        let now = MonotonicTime.now
        watched.lastStir = now
        watched.pause = Self.shortestPause
        watched.nextCheck = max(now, watched.earliestCheck)
    }

    // MARK: The thread

    private func run() {
        lock.lock()
        var idleSince = MonotonicTime.now
        while true {
            var due = checkHeaders()
            if !due.isEmpty {
                calling = due.map { ObjectIdentifier($0) }
                caller = pthread_self()
                lock.unlock()
                call(&due)
                lock.lock()
                caller = nil
                calling = []
                called.broadcast()
                continue
            }
            let now = MonotonicTime.now
            if !files.isEmpty { idleSince = now }
            guard !files.isEmpty || now.nanoseconds - idleSince.nanoseconds < Self.idleTime, let events else { break }
            let next = files.values.compactMap(\.nextCheck).min()
            var pause =
                next.map { $0 > now ? $0.nanoseconds - now.nanoseconds : 0 } ?? (files.isEmpty ? Self.idleTime : 3600 * Self.patience)
            if !events.canWake { pause = min(pause, Self.longestPause) }
            lock.unlock()
            let numbers = events.wait(nanoseconds: pause)
            lock.lock()
            for (id, var watched) in files where numbers.contains(watched.number ?? -2) || numbers.contains(-1) {
                stir(&watched)
                files[id] = watched
            }
        }
        events?.close()
        events = nil
        isRunning = false
        lock.unlock()
    }

    /// Calls listeners and releases them, so that `end()` finds no other reference to what it
    /// releases.
    @inline(never)
    private func call(_ due: inout [CommitListener]) {
        // A listener may end another one.
        for listener in due where !lock.withLock({ listener.hasEnded }) { listener.body() }
        due = []
    }

    /// Checks the headers that are due.
    ///
    /// - Returns: the listeners to be called.
    private func checkHeaders() -> [CommitListener] {
        let now = MonotonicTime.now
        var due: [CommitListener] = []
        for (id, var watched) in files {
            guard let time = watched.nextCheck, time <= now else { continue }
            let known = due.count
            for listener in watched.listeners where watched.file.hasCommits(since: listener.mark) {
                listener.mark = watched.file.mark
                due.append(listener)
            }
            if due.count > known {
                watched.lastStir = now
                watched.pause = Self.shortestPause
                watched.earliestCheck = MonotonicTime(nanoseconds: now.nanoseconds + Self.pauseAfterCommit)
                watched.nextCheck = watched.earliestCheck
            } else if watched.number == nil {
                watched.nextCheck = MonotonicTime(nanoseconds: now.nanoseconds + Self.longestPause)
            } else if now.nanoseconds - watched.lastStir.nanoseconds > Self.patience {
                watched.nextCheck = nil
            } else {
                watched.nextCheck = MonotonicTime(nanoseconds: now.nanoseconds + watched.pause)
                watched.pause = min(2 * watched.pause, Self.longestPause)
            }
            files[id] = watched
        }
        return due
    }
}
