internal import CSQLite
import Glibc

/// What `pinview-track` observes of a connection: the read mark that SQLite has locked, and the
/// header that it has read.
///
/// SQLite begins a read as follows: it reads the header, locks a read mark, runs a barrier,
/// compares the live header with its own copy, and starts again if they differ. The header is
/// copied in that barrier. Headers never return to earlier values, so what was copied between two
/// equal observations is exactly what SQLite keeps. A copy made after the transaction has begun is
/// not.
struct TrackedState {
    var index: UnsafeMutableRawPointer?
    /// The read mark that is locked; -1 if none.
    var slot: Int32 = -1
    var hasCapture = false
    var header = WALHeader()
    var mark: UInt32 = 0
    /// Whether a checkpoint is to fail rather than continue without the write lock. SQLite would
    /// then fall back to a passive checkpoint beside a committing writer, where its WAL-reset bug
    /// lies.
    var needsWriteLock = false
    /// The `errno` if the file was to be opened for writing but could only be opened for reading.
    var writingError: Int32 = 0
    /// The file's absolute path: SQLite's own copy, which lives as long as the file.
    var path: UnsafePointer<CChar>?
    /// Nil before the first exclusive lock, and where SQLite's own locks have to do.
    var locks: ExclusiveLocks?
    var hasLookedForLocks = false
    /// The locks that the connection holds exclusively in `locks`, a bit each.
    var exclusiveBits: UInt8 = 0
    /// The lock of a read mark that SQLite has moved and unlocked, and that stays locked: the shared
    /// lock that it asks for next takes its place. -1 if none.
    var movedMark: Int32 = -1
    /// The lock of a read mark that is held shared in `locks`; -1 if none.
    var sharedMark: Int32 = -1
    /// Whether a transaction is being committed. SQLite then unlocks the lock for writing and, right
    /// after it, that of the read mark.
    var isCommitting = false
    /// Whether SQLite has unlocked the lock for writing, and it is still locked: one call to the
    /// system is to unlock it together with the read mark's.
    var keepsWriteLock = false
    /// The real file of the journal while it is open.
    var journalFile: UnsafeMutablePointer<sqlite3_file>?
    var journal = TrackedJournal()
    /// The locks on the main file; nil before the first, and where SQLite's own have to do.
    var mainLocks: MainFileLocks?
    var usesOwnMainLocks = true
    var isReadOnly = false

    /// The locks on the main file.
    ///
    /// - Returns: nil if SQLite's own must be used, or, with `errno`, if the file cannot be opened
    ///   once more.
    mutating func lookForMainLocks() -> MainFileLocks? {
        if mainLocks == nil, usesOwnMainLocks, let path { mainLocks = MainFileLocks(path: String(cString: path), isReadOnly: isReadOnly) }
        return mainLocks
    }

    /// The exclusive locks of the WAL-index, which is mapped.
    mutating func exclusiveLocks() -> ExclusiveLocks? {
        if !hasLookedForLocks, let path {
            hasLookedForLocks = true
            locks = ExclusiveLocks.take(index: String(cString: path) + "-shm")
        }
        return locks
    }

    @inline(__always)
    static func bits(_ first: Int32, _ count: Int32) -> UInt8 { UInt8(truncatingIfNeeded: ((1 &<< count) &- 1) &<< first) }

    /// Whether the connection holds the lock for writing in `locks`, rather than by SQLite.
    var ownsWriteLock: Bool { exclusiveBits & Self.bits(Int32(ExclusiveLocks.write), 1) != 0 }

    /// Unlocks the lock for writing if SQLite has unlocked it and it is still locked.
    mutating func unlockKeptWriteLock(_ owner: UnsafeMutableRawPointer) {
        guard keepsWriteLock else { return }
        keepsWriteLock = false
        unlockExclusive(Int32(ExclusiveLocks.write), 1, owner)
    }

    /// - Returns: false if the locks are SQLite's own.
    @discardableResult
    mutating func unlockExclusive(_ first: Int32, _ count: Int32, _ owner: UnsafeMutableRawPointer) -> Bool {
        exclusiveBits &= ~Self.bits(first, count)
        return locks?.unlock(Int(first), Int(count), by: owner) ?? false
    }

    mutating func giveBackLocks(_ owner: UnsafeMutableRawPointer) {
        keepsWriteLock = false
        locks?.giveBack(owner)
        locks = nil
        hasLookedForLocks = false
        (movedMark, sharedMark, exclusiveBits) = (-1, -1, 0)
    }
}

private let lockMode = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED
private let unlockMode = SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED
/// The number of the first read mark's lock.
let firstReadLock: Int32 = 3

nonisolated(unsafe) let trackedMethods: UnsafePointer<sqlite3_io_methods> = permanentMethods { methods in
    methods.xClose = { file in
        guard let file else { return SQLITE_OK }
        let real = ShimFile.real(file)
        if let state = ShimFile.state(file, as: TrackedState.self) {
            state.pointee.giveBackLocks(state)
            state.pointee.mainLocks?.giveBack()
            state.deinitialize(count: 1)
            state.deallocate()
        }
        return real.pointee.pMethods?.pointee.xClose?(real) ?? SQLITE_OK
    }
    methods.xLock = { file, level in
        guard let file else { return SQLITE_IOERR }
        return lockMainFile(file, level)
    }
    methods.xUnlock = { file, level in
        guard let file else { return SQLITE_IOERR }
        if let locks = ShimFile.state(file, as: TrackedState.self)?.pointee.mainLocks { return locks.unlock(to: level) }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xUnlock?(real, level) ?? SQLITE_IOERR
    }
    methods.xCheckReservedLock = { file, isReserved in
        guard let file else { return SQLITE_IOERR }
        if let locks = ShimFile.state(file, as: TrackedState.self)?.pointee.mainLocks {
            guard let found = locks.isReserved else { return SQLITE_IOERR | (14 << 8) }  // SQLITE_IOERR_CHECKRESERVEDLOCK
            isReserved?.pointee = found ? 1 : 0
            return SQLITE_OK
        }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xCheckReservedLock?(real, isReserved) ?? SQLITE_IOERR
    }
    methods.xShmMap = { file, region, size, extend, memory in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        let code = real.pointee.pMethods.pointee.xShmMap?(real, region, size, extend, memory) ?? SQLITE_IOERR
        if region == 0, code == SQLITE_OK, let state = ShimFile.state(file, as: TrackedState.self) { state.pointee.index = memory?.pointee }
        return code
    }
    methods.xShmLock = { file, first, count, mode in
        guard let file else { return SQLITE_IOERR }
        let code = lockIndex(file, first, count, mode)
        guard let state = ShimFile.state(file, as: TrackedState.self) else { return code }
        if first >= firstReadLock, count == 1 {
            if mode == lockMode, code == SQLITE_OK {
                state.pointee.slot = first - firstReadLock
                state.pointee.hasCapture = false
            } else if mode == unlockMode {
                state.pointee.slot = -1
                state.pointee.hasCapture = false
            }
        } else if first == 0, code == SQLITE_BUSY, state.pointee.needsWriteLock {
            return SQLITE_LOCKED
        }
        return code
    }
    methods.xShmBarrier = { file in
        guard let file else { return }
        let real = ShimFile.real(file)
        // A commit is being published. Whoever commits asks again, and learns of an error.
        _ = ShimFile.state(file, as: TrackedState.self)?.pointee.writeWaitingHeader()
        real.pointee.pMethods.pointee.xShmBarrier?(real)
        guard let state = ShimFile.state(file, as: TrackedState.self), state.pointee.slot >= 0, !state.pointee.hasCapture,
            let memory = state.pointee.index
        else { return }
        state.pointee.header = WALHeader(at: memory)
        state.pointee.mark = WALIndex(memory: memory).mark(Int(state.pointee.slot))
        state.pointee.hasCapture = true
    }
    methods.xShmUnmap = { file, delete in
        guard let file else { return SQLITE_OK }
        if let state = ShimFile.state(file, as: TrackedState.self) {
            state.pointee.index = nil
            state.pointee.giveBackLocks(state)
        }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xShmUnmap?(real, delete) ?? SQLITE_OK
    }
}

/// The main file's locks are held by an open file description, if the system can do that.
private func lockMainFile(_ file: UnsafeMutablePointer<sqlite3_file>, _ level: Int32) -> Int32 {
    if let state = ShimFile.state(file, as: TrackedState.self), state.pointee.usesOwnMainLocks {
        guard let locks = state.pointee.lookForMainLocks() else {
            return errno == EMFILE || errno == ENFILE ? SQLITE_CANTOPEN : SQLITE_IOERR | (15 << 8)  // SQLITE_IOERR_LOCK
        }
        if let code = locks.lock(level) { return code }
        // Nothing is locked yet.
        locks.giveBack()
        state.pointee.mainLocks = nil
        state.pointee.usesOwnMainLocks = false
    }
    let real = ShimFile.real(file)
    return real.pointee.pMethods.pointee.xLock?(real, level) ?? SQLITE_IOERR
}

/// Exclusive locks are held by an open file description, as is the shared lock of a read mark that
/// the same connection has just moved; all others by SQLite.
private func lockIndex(_ file: UnsafeMutablePointer<sqlite3_file>, _ first: Int32, _ count: Int32, _ mode: Int32) -> Int32 {
    if let state = ShimFile.state(file, as: TrackedState.self) {
        if let code = lockMovedMark(state, first, mode) { return code }
        // Whatever else SQLite does first: the lock for writing must not wait for it.
        state.pointee.unlockKeptWriteLock(state)
        if mode & SQLITE_SHM_EXCLUSIVE != 0, let locks = state.pointee.exclusiveLocks() {
            let bits = TrackedState.bits(first, count)
            if mode & SQLITE_SHM_LOCK != 0 {
                if let code = locks.lock(Int(first), Int(count), by: state) {
                    if code == SQLITE_OK { state.pointee.exclusiveBits |= bits }
                    return code
                }
            } else if count == 1, first > firstReadLock, state.pointee.exclusiveBits == bits {
                // A checkpoint that moves marks has another lock.
                state.pointee.movedMark = first
                return SQLITE_OK
            } else if first == ExclusiveLocks.write, state.pointee.isCommitting, state.pointee.sharedMark >= 0,
                state.pointee.exclusiveBits == bits
            {
                state.pointee.keepsWriteLock = true
                return SQLITE_OK
            } else if state.pointee.unlockExclusive(first, count, state) {
                return SQLITE_OK
            }
        }
    }
    let real = ShimFile.real(file)
    return real.pointee.pMethods.pointee.xShmLock?(real, first, count, mode) ?? SQLITE_IOERR
}

/// SQLite asks for the shared lock of a read mark right after it has moved the mark, and gives it
/// back right after the lock for writing.
///
/// - Returns: nil if the call is none of such a lock's.
private func lockMovedMark(_ state: UnsafeMutablePointer<TrackedState>, _ first: Int32, _ mode: Int32) -> Int32? {
    let moved = state.pointee.movedMark
    guard moved >= 0 || state.pointee.sharedMark >= 0, let locks = state.pointee.locks else { return nil }
    if moved >= 0 {
        state.pointee.movedMark = -1
        if mode == lockMode, first == moved, locks.share(Int(first), by: state) {
            state.pointee.sharedMark = first
            state.pointee.exclusiveBits &= ~TrackedState.bits(first, 1)
            return SQLITE_OK
        }
        state.pointee.unlockExclusive(moved, 1, state)
    } else if mode == unlockMode, first == state.pointee.sharedMark {
        state.pointee.sharedMark = -1
        if state.pointee.keepsWriteLock {
            // Nothing but these two: from the lock for writing to the mark's.
            state.pointee.keepsWriteLock = false
            state.pointee.unlockExclusive(0, first + 1, state)
        } else {
            _ = locks.unlock(Int(first), 1, by: state)
        }
        return SQLITE_OK
    }
    return nil
}

/// Wraps main files and their journals; all other files belong to the stock VFS.
func openTracked(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let file else { return SQLITE_CANTOPEN }
    if flags & SQLITE_OPEN_WAL != 0 { return openTrackedJournal(name, file, flags, outFlags) }
    guard flags & SQLITE_OPEN_MAIN_DB != 0 else { return openReal(name, file, flags, outFlags) }
    file.pointee.pMethods = nil
    let real = ShimFile.real(file)
    var opened: Int32 = 0
    errno = 0
    let code = openReal(name, real, flags, &opened)
    // The `errno` of the first attempt: the second one succeeded.
    let number = errno
    outFlags?.pointee = opened
    guard real.pointee.pMethods != nil else { return code }
    let state = UnsafeMutablePointer<TrackedState>.allocate(capacity: 1)
    state.initialize(to: TrackedState())
    state.pointee.path = name
    state.pointee.isReadOnly = opened & SQLITE_OPEN_READWRITE == 0
    if flags & SQLITE_OPEN_READWRITE != 0, opened & SQLITE_OPEN_READWRITE == 0 { state.pointee.writingError = number }
    ShimFile.fill(file, methods: trackedMethods, state: UnsafeMutableRawPointer(state))
    return code
}

extension Connection {
    /// Checks that the file, which could only be opened for reading, is indeed not writable.
    func requireUnwritable(_ path: String) throws(SQLiteError) {
        let state = mainFile.flatMap { ShimFile.isTracked($0) ? ShimFile.state($0, as: TrackedState.self) : nil }
        try SQLiteError.requireUnwritable(path, state?.pointee.writingError ?? 0)
    }
}
