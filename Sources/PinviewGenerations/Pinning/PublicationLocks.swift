internal import CSQLite
import Glibc

/// How processes tell each other which generations they hold: by locks on bytes of the WAL-index file that lie far behind
/// those of SQLite, one byte for each published generation, held shared by every process that holds the generation.
///
/// Whether somebody still holds a generation is so asked of the kernel. No message can be late, and a process that is
/// killed lets go of its bytes together with its read marks.
final class PublicationLocks: @unchecked Sendable {  // `counts` is guarded by `lock`, the rest is immutable
    /// Where a generation's content is.
    enum Place: Int64 {
        /// In the store and its journal: who says so holds a read mark.
        case journal = 0x0000_0100_0000_0000
        /// In a copy aside.
        case detached = 0x0200_0000_0000_0000
    }

    private let lock = Lock()
    private var counts: [Int64: Int] = [:]
    private let use: LockDescriptorUse
    private let epoch = ForkGuard.epoch

    /// - Parameter path: of the store; the WAL-index exists already.
    init?(path: String) {
        guard let use = LockDescriptorUse(path + "-shm") else { return nil }
        self.use = use
    }

    /// Says that this process holds a generation, until the result is let go. The hold is there already, and ends later.
    ///
    /// - Returns: nil when the system refuses the lock.
    func publish(_ name: GenerationName, in place: Place = .journal) -> Publication? { publish(name.number, in: place) }

    fileprivate func publish(_ number: Int64, in place: Place) -> Publication? {
        let offset = place.rawValue + number
        let isHeld = lock.withLock {
            if counts[offset, default: 0] == 0 {
                guard pinview_lock_description(use.descriptor, Int16(F_RDLCK), offset, 1) == 0 else { return false }
            }
            counts[offset, default: 0] += 1
            return true
        }
        return isHeld ? Publication(locks: self, number: number, offset: offset) : nil
    }

    /// Whether another process holds a generation at this moment.
    func isHeldElsewhere(_ name: GenerationName, in place: Place = .journal) -> Bool {
        pinview_finds_lock(use.descriptor, place.rawValue + name.number) == 1
    }

    fileprivate func release(_ offset: Int64) {
        // A forked child shares the description: letting go there would take the parent's lock away.
        guard ForkGuard.epoch == epoch else { return }
        lock.withLock {
            counts[offset, default: 1] -= 1
            guard counts[offset] == 0 else { return }
            counts[offset] = nil
            _ = pinview_lock_description(use.descriptor, Int16(F_UNLCK), offset, 1)
        }
    }

    /// No generation lives any more.
    func close() { LockDescriptors.giveBack(use.key) }
}

/// Tells other processes that this one holds a generation.
final class Publication: Sendable {
    private let locks: PublicationLocks
    private let number: Int64
    private let offset: Int64

    fileprivate init(locks: PublicationLocks, number: Int64, offset: Int64) {
        self.locks = locks
        self.number = number
        self.offset = offset
    }

    deinit { locks.release(offset) }

    /// The same in another place. It is there before this one goes, so that nobody who looks here and then there misses it.
    func moved(to place: PublicationLocks.Place) -> Publication? { locks.publish(number, in: place) }
}
