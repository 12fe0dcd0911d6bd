internal import CPlatform
internal import CSQLite
import Glibc

/// The locks of one connection on its main file, held by an open file description of its own.
///
///     byte   0x40000000   0x40000001   0x40000002 … 510 bytes
///            pending      reserved     shared
///
///     shared      a read lock on the shared bytes, taken while the pending byte is free
///     reserved    shared, and a write lock on the reserved byte
///     exclusive   reserved, and write locks on the pending and the shared bytes
///
/// This is the protocol of SQLite's `unix` VFS (sqlite.org/lockingv3.html), with the same bytes, so
/// connections of other processes, plain ones of this process and those of another copy of SQLite
/// are excluded as before. SQLite's own locks belong to the process and are lost when any code in
/// it closes a descriptor of the file; these are not. A store in WAL mode needs only the shared
/// one.
///
/// Used by one thread at a time, like its connection.
final class MainFileLocks {
    private let key: LockDescriptors.FileKey
    private let purpose: LockDescriptors.Purpose
    private let descriptor: Int32
    private let epoch = ForkGuard.epoch
    /// SQLite's number of the strongest lock that is held.
    private var level = SQLITE_LOCK_NONE

    /// - Returns: nil if the file cannot be opened; `errno` says why.
    init?(path: String, isReadOnly: Bool) {
        guard let taken = LockDescriptors.takeForConnection(path, isReadOnly: isReadOnly) else { return nil }
        (key, purpose, descriptor) = taken
    }

    func giveBack() {
        guard ForkGuard.epoch == epoch else { return }
        _ = unlock(to: SQLITE_LOCK_NONE)
        LockDescriptors.giveBack(key, for: purpose)
    }

    /// Whether the system can lock a description.
    static func isSupported(_ number: Int32) -> Bool { ![EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP].contains(number) }

    private func set(_ type: Int32, _ first: Int64, _ count: Int64 = 1) -> Int32 {
        pinview_lock_description(descriptor, Int16(type), first, count)
    }

    private static func code(_ number: Int32) -> Int32 {
        switch number {
        case 0: SQLITE_OK
        case EAGAIN, EACCES: SQLITE_BUSY
        default: SQLITE_IOERR | (15 << 8)  // SQLITE_IOERR_LOCK
        }
    }

    /// - Returns: a result code of SQLite; nil if there can be no such locks, and SQLite's own must
    ///   be used.
    func lock(_ wanted: Int32) -> Int32? {
        guard ForkGuard.epoch == epoch else { return SQLITE_IOERR | (15 << 8) }
        guard wanted > level else { return SQLITE_OK }
        switch wanted {
        case SQLITE_LOCK_SHARED:
            let number = lockShared()
            return Self.isSupported(number) ? Self.code(number) : nil
        case SQLITE_LOCK_RESERVED:
            let code = Self.code(set(F_WRLCK, LockBytes.reserved))
            if code == SQLITE_OK { level = wanted }
            return code
        default:
            // A connection that goes on from a shared lock, to roll a journal back, lets others
            // finish.
            if level == SQLITE_LOCK_RESERVED {
                let code = Self.code(set(F_WRLCK, LockBytes.pending))
                guard code == SQLITE_OK else { return code }
                level = SQLITE_LOCK_PENDING
            }
            let code = Self.code(set(F_WRLCK, LockBytes.sharedFirst, LockBytes.sharedSize))
            if code == SQLITE_OK { level = SQLITE_LOCK_EXCLUSIVE }
            return code
        }
    }

    /// - Returns: 0, or an error number.
    private func lockShared() -> Int32 {
        // A writer that waits for readers to finish lets no new ones in.
        var number = set(F_RDLCK, LockBytes.pending)
        guard number == 0 else { return number }
        number = set(F_RDLCK, LockBytes.sharedFirst, LockBytes.sharedSize)
        let unlocking = set(F_UNLCK, LockBytes.pending)
        if number == 0, unlocking != 0 {
            _ = set(F_UNLCK, LockBytes.sharedFirst, LockBytes.sharedSize)
            number = unlocking
        }
        if number == 0 { level = SQLITE_LOCK_SHARED }
        return number
    }

    /// - Parameter wanted: shared or none.
    func unlock(to wanted: Int32) -> Int32 {
        guard ForkGuard.epoch == epoch else { return SQLITE_OK }
        guard wanted < level else { return SQLITE_OK }
        if wanted == SQLITE_LOCK_SHARED {
            // Only a write lock on the shared bytes has to become a read lock.
            guard set(F_RDLCK, LockBytes.sharedFirst, LockBytes.sharedSize) == 0 else { return SQLITE_IOERR | (9 << 8) }
            guard set(F_UNLCK, LockBytes.pending, 2) == 0 else { return SQLITE_IOERR | (8 << 8) }
        } else {
            guard set(F_UNLCK, LockBytes.pending, LockBytes.sharedSize + 2) == 0 else { return SQLITE_IOERR | (8 << 8) }
        }
        level = wanted
        return SQLITE_OK
    }

    /// Whether any connection is about to write; nil if that cannot be told.
    var isReserved: Bool? {
        if level > SQLITE_LOCK_SHARED { return true }
        let found = pinview_finds_lock(descriptor, LockBytes.reserved)
        return found < 0 ? nil : found == 1
    }

    /// Whether the kernel knows that the connection is about to write: a description that someone
    /// has closed holds no locks. Locks it again, which changes nothing while it is held.
    var provesReserved: Bool { level >= SQLITE_LOCK_RESERVED && set(F_WRLCK, LockBytes.reserved) == 0 }
}
