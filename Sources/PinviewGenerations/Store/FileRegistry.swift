import Glibc
import Synchronization

/// The WAL-mode files that are open in this process, by device and inode. Two coordinators that
/// open one file share its anchor, its generations and its queue of writers.
enum FileRegistry {
    /// Held while a file is opened or closed, which involves disk accesses. Taken before `lock`.
    private static let openLock = Lock()
    /// Nothing is called while it is held.
    private static let lock = Lock()
    nonisolated(unsafe) private static var entries: [LockDescriptors.FileKey: SharedFile] = [:]  // guarded by `lock`

    /// Calls `body` while no other store is opened or closed.
    static func whileOpening<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        _ = forkHandlers
        openLock.lock()
        defer { openLock.unlock() }
        return try body()
    }

    static func key(of path: String) -> LockDescriptors.FileKey? {
        var status = stat()
        return stat(path, &status) == 0 ? LockDescriptors.FileKey(status) : nil
    }

    /// The open file with a key. A file that the parent of this process opened is refused.
    static func file(_ key: LockDescriptors.FileKey) throws(SQLiteError) -> SharedFile? {
        guard let file = lock.withLock({ entries[key] }) else { return nil }
        guard file.epoch == ForkGuard.epoch else { throw SQLiteError.forked(path: file.path) }
        return file
    }

    /// The same, with its use count incremented.
    static func retainedFile(_ key: LockDescriptors.FileKey) throws(SQLiteError) -> SharedFile? {
        let found = lock.withLock { () -> SharedFile? in
            guard let file = entries[key] else { return nil }
            if file.epoch == ForkGuard.epoch { retain(file) }
            return file
        }
        if let found, found.epoch != ForkGuard.epoch { throw SQLiteError.forked(path: found.path) }
        return found
    }

    /// Adds a file that has just been opened, with a use count of 1.
    static func add(_ file: SharedFile) {
        retain(file)
        lock.withLock { entries[file.key] = file }
    }

    /// Increments the use count of a file that is in use, or that has just been found with `lock`
    /// held.
    static func retain(_ file: SharedFile) { file.uses.add(1, ordering: .relaxed) }

    /// Decrements the use count. When it reaches 0, the file's connections are closed before the
    /// call returns.
    static func release(_ file: SharedFile) {
        guard file.uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        openLock.lock()
        defer { openLock.unlock() }
        if file.examined != nil { return file.close() }
        // Another thread may have opened it again meanwhile, or closed it.
        let isUnused = lock.withLock { () -> Bool in
            guard entries[file.key] === file, file.uses.load(ordering: .acquiring) == 0 else { return false }
            entries[file.key] = nil
            return true
        }
        if isUnused { file.close() }
    }

    /// In the child of a fork only the forking thread lives on: a lock held by another thread would
    /// never be released.
    private static let forkHandlers: Void = {
        pthread_atfork(
            { FileRegistry.lock.lock() },
            { FileRegistry.lock.unlock() },
            {
                FileRegistry.lock.unlock()
                FileRegistry.openLock.reinitialize()
            })
    }()
}
