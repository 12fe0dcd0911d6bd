import Glibc

/// One thread for the process that notices commits to files, whoever makes them, and tells those who listen. It runs only
/// while somebody does (and some seconds longer).
///
/// - A commit of this process tells it directly.
/// - A commit of another process writes to the journal before it changes the header of the WAL-index. So after a write it
///   looks at the header again and again, with pauses that grow, until nothing has happened for long.
/// - Where writes to the journal are not told of, it looks at the header ten times a second.
final class CommitWatcher: @unchecked Sendable {  // guarded by `lock`
    static let shared: CommitWatcher = {
        let watcher = CommitWatcher()
        pthread_atfork(
            { CommitWatcher.shared.lock.lock() },
            { CommitWatcher.shared.lock.unlock() },
            {
                // The child's descriptors share the parent's events.
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
        let file: SharedFile
        /// nil: its journal cannot be watched.
        let number: Int32?
        var listeners: [CommitListener] = []
        /// When to look at the header next; nil: after the next write.
        var nextLook: MonotonicTime?
        /// Right after news there is a rest.
        var earliestLook = MonotonicTime(nanoseconds: 0)
        var pause: UInt64 = 0
        var lastStir: MonotonicTime
    }

    // All in nanoseconds.
    private static let shortestPause: UInt64 = 30_000
    private static let longestPause: UInt64 = 100_000_000
    /// Commits in a quick row are told of as one.
    private static let pauseAfterNews: UInt64 = 500_000
    /// A commit may wait that long for the disk between its write and its change of the header.
    private static let patience: UInt64 = 10_000_000_000
    private static let idleTime: UInt64 = 5_000_000_000

    private let lock = Lock()
    /// Broadcast when listeners have been called.
    private let called = ConditionVariable()
    private var files: [ObjectIdentifier: WatchedFile] = [:]
    /// The listeners that are being called at this moment, and the thread that calls them.
    private var calling: [ObjectIdentifier] = []
    private var caller: pthread_t?
    private var events: ChangeEvents?
    private var isRunning = false

    // MARK: Listeners

    func add(_ listener: CommitListener) {
        lock.withLock {
            if !isRunning {
                // Without a thread the next one who listens tries again.
                events = events ?? ChangeEvents()
                isRunning = DetachedThread.start { CommitWatcher.shared.run() }
            }
            let id = ObjectIdentifier(listener.file)
            var watched =
                files[id] ?? WatchedFile(file: listener.file, number: events?.watch(listener.file.path + "-wal"), lastStir: .now)
            watched.listeners.append(listener)
            // A commit that was under way when the watching began has written already.
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

    /// The file is about to be closed: its memory must not be read any more.
    func forget(_ file: SharedFile) {
        // What listeners hold goes outside the lock.
        let forgotten = lock.withLock { () -> WatchedFile? in
            guard let watched = files.removeValue(forKey: ObjectIdentifier(file)) else { return nil }
            if let number = watched.number { events?.unwatch(number) }
            return watched
        }
        withExtendedLifetime(forgotten) {}
    }

    /// This process has committed to a file that has listeners.
    func noteCommit(to file: SharedFile) {
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
        watched.nextLook = max(now, watched.earliestLook)
    }

    // MARK: The thread

    private func run() {
        lock.lock()
        var idleSince = MonotonicTime.now
        while true {
            var due = look()
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
            let next = files.values.compactMap(\.nextLook).min()
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

    /// Keeps no listener when it returns: who waits for the end of a call finds that nothing else holds what it ends.
    @inline(never)
    private func call(_ due: inout [CommitListener]) {
        // One of them may end another.
        for listener in due where !lock.withLock({ listener.hasEnded }) { listener.body() }
        due = []
    }

    /// Looks at the headers whose time has come.
    ///
    /// - Returns: who is to be called.
    private func look() -> [CommitListener] {
        let now = MonotonicTime.now
        var due: [CommitListener] = []
        for (id, var watched) in files {
            guard let time = watched.nextLook, time <= now else { continue }
            let known = due.count
            for listener in watched.listeners where watched.file.hasCommits(since: listener.mark) {
                listener.mark = watched.file.commitMark
                due.append(listener)
            }
            if due.count > known {
                watched.lastStir = now
                watched.pause = Self.shortestPause
                watched.earliestLook = MonotonicTime(nanoseconds: now.nanoseconds + Self.pauseAfterNews)
                watched.nextLook = watched.earliestLook
            } else if watched.number == nil {
                watched.nextLook = MonotonicTime(nanoseconds: now.nanoseconds + Self.longestPause)
            } else if now.nanoseconds - watched.lastStir.nanoseconds > Self.patience {
                watched.nextLook = nil
            } else {
                watched.nextLook = MonotonicTime(nanoseconds: now.nanoseconds + watched.pause)
                watched.pause = min(2 * watched.pause, Self.longestPause)
            }
            files[id] = watched
        }
        return due
    }
}
