internal import CPlatform
internal import CSQLite
import Glibc
import Synchronization

/// The exclusive locks that connections of this process hold on the WAL-index: for writing,
/// checkpoints and recovery, and on read marks that are about to change.
///
///     byte   120     121         122       123 … 127         128
///            write   checkpoint  recovery  read marks 0 … 4  dead man's switch
///
/// SQLite takes them as POSIX locks, which are lost when any code in the process closes a
/// descriptor of the file, for example after copying the store's folder. Another process could then
/// write at the same time as the one that believes to hold the lock, and destroy the store. Here,
/// an open file description locks the same bytes, and no other code can unlock it. Both kinds of
/// locks conflict with each other, so other processes, plain SQLite and the shared locks of this
/// process are excluded as before.
///
/// All connections of the process share the description, whose locks do not conflict with each
/// other. The owner of each lock is therefore recorded here.
///
/// A reader that has moved a read mark to the newest state holds it shared right afterwards. It
/// turns its exclusive lock into the shared one, instead of unlocking the byte and locking it as
/// SQLite does. A commit unlocks both the lock for writing and the read mark's.
final class ExclusiveLocks: @unchecked Sendable {  // `owners` and `users` are guarded by locks
    typealias Owner = UnsafeMutableRawPointer
    /// For each lock, as many as SQLite has.
    private typealias Owners = InlineArray<8, Owner?>

    static let count = Owners.count
    static let firstByte: Int64 = 120
    static let write = 0

    private let key: LockDescriptors.FileKey
    private let descriptor: Int32
    private let lock = Lock()
    @exclusivity(unchecked) private var owners = Owners(repeating: nil)
    /// Who has turned an exclusive lock into a shared one.
    @exclusivity(unchecked) private var sharers = Owners(repeating: nil)
    /// The offset of the open file description, which nobody reads from. It tells the description
    /// from others that get its number when other code closes it.
    private let offset = off_t.random(in: 1...1 << 40)
    private let epoch = ForkGuard.epoch
    private var users = 1
    private let isRefused = Atomic<Bool>(false)

    private static let registryLock = Lock()
    nonisolated(unsafe) private static var registry: [LockDescriptors.FileKey: ExclusiveLocks] = [:]  // guarded by `registryLock`

    private init(key: LockDescriptors.FileKey, descriptor: Int32) {
        self.key = key
        self.descriptor = descriptor
        lseek(descriptor, offset, SEEK_SET)
    }

    /// Returns the locks of an existing WAL-index, to be given back; nil if it cannot be opened for
    /// writing.
    static func take(index path: String) -> ExclusiveLocks? {
        _ = forkHandlers
        return registryLock.withLock {
            guard let (key, descriptor) = LockDescriptors.take(path, for: .excluding) else { return nil }
            if let known = registry[key] {
                LockDescriptors.giveBack(key, for: .excluding)
                known.users += 1
                return known
            }
            let locks = ExclusiveLocks(key: key, descriptor: descriptor)
            registry[key] = locks
            return locks
        }
    }

    func giveBack(_ owner: Owner) {
        guard ForkGuard.epoch == epoch else { return }
        unlockAll(of: owner)
        Self.registryLock.withLock {
            users -= 1
            guard users == 0 else { return }
            if Self.registry[key] === self { Self.registry[key] = nil }
            LockDescriptors.giveBack(key, for: .excluding)
        }
    }

    /// - Returns: a result code of SQLite; nil if there are no such locks, and SQLite's own must be
    ///   used.
    func lock(_ first: Int, _ count: Int, by owner: Owner) -> Int32? {
        guard first >= 0, count > 0, first + count <= Self.count else { return SQLITE_MISUSE }
        return lock.withLock { () -> Int32? in
            for number in first..<first + count where sharers[number] != nil || owners[number] != nil && owners[number] != owner {
                return SQLITE_BUSY
            }
            switch pinview_lock_description(descriptor, Int16(F_WRLCK), Self.firstByte + Int64(first), Int64(count)) {
            case 0: isRefused.store(false, ordering: .relaxed)
            case EAGAIN, EACCES, EINTR: return SQLITE_BUSY
            // Not supported by the file system.
            case EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP:
                isRefused.store(true, ordering: .relaxed)
                return nil
            default: return SQLITE_IOERR | (20 << 8)  // SQLITE_IOERR_SHMLOCK
            }
            for number in first..<first + count { owners[number] = owner }
            return SQLITE_OK
        }
    }

    /// Unlocks those of some locks that are the owner's, with one call to the system for all between
    /// which nobody else has one.
    ///
    /// - Returns: false if the locks are SQLite's own.
    func unlock(_ first: Int, _ count: Int, by owner: Owner) -> Bool {
        guard first >= 0, count > 0, first + count <= Self.count, ForkGuard.epoch == epoch else { return false }
        return lock.withLock {
            var isOwn = false
            var run: ClosedRange<Int>?
            for number in first..<first + count {
                if owners[number] == owner || sharers[number] == owner {
                    isOwn = true
                    (owners[number], sharers[number]) = (nil, nil)
                    run = (run?.lowerBound ?? number)...number
                } else if owners[number] != nil || sharers[number] != nil {
                    unlock(run)
                    run = nil
                }
            }
            unlock(run)
            return isOwn
        }
    }

    private func unlock(_ run: ClosedRange<Int>?) {
        guard let run else { return }
        _ = pinview_lock_description(descriptor, Int16(F_UNLCK), Self.firstByte + Int64(run.lowerBound), Int64(run.count))
    }

    private func unlockAll(of owner: Owner) { _ = unlock(0, Self.count, by: owner) }

    /// Turns an owner's exclusive lock into a shared one.
    /// - Returns: false if it is not the owner's, or if the system refuses.
    func share(_ number: Int, by owner: Owner) -> Bool {
        guard ForkGuard.epoch == epoch else { return false }
        return lock.withLock {
            guard owners[number] == owner,
                pinview_lock_description(descriptor, Int16(F_RDLCK), Self.firstByte + Int64(number), 1) == 0
            else { return false }
            owners[number] = nil
            sharers[number] = owner
            return true
        }
    }

    /// Whether the kernel still has the locks: a description that someone has closed holds none.
    /// Nobody but this object unlocks its bytes.
    var hasItsDescription: Bool { lseek(descriptor, 0, SEEK_CUR) == offset }

    /// Whether the system has refused such a lock at the last attempt, so that SQLite's own is
    /// used.
    var usesSQLites: Bool { isRefused.load(ordering: .relaxed) }

    // MARK: Bytes beyond SQLite's

    func lock(byte: Int64) -> Bool { pinview_lock_description(descriptor, Int16(F_WRLCK), byte, 1) == 0 }
    func unlock(byte: Int64) { _ = pinview_lock_description(descriptor, Int16(F_UNLCK), byte, 1) }

    private static let forkHandlers: Void = {
        pthread_atfork(
            { ExclusiveLocks.registryLock.lock() },
            { ExclusiveLocks.registryLock.unlock() },
            {
                // The locks and the stores belong to the parent.
                ExclusiveLocks.registry = [:]
                ExclusiveLocks.registryLock.unlock()
            })
    }()
}
