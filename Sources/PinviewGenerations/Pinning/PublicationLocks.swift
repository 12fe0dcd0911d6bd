internal import CPlatform
import Glibc

/// How processes tell each other which generations they hold: by locks on bytes of the WAL-index
/// file, far behind SQLite's. There is one byte for each published generation, held shared by every
/// process that holds the generation.
///
/// So the kernel knows whether anyone still holds a generation. No message can be late, and when a
/// process is killed, its bytes are released together with its read marks.
final class PublicationLocks: @unchecked Sendable {  // `counts` is guarded by `lock`, the rest is immutable
    /// Where a generation's content is.
    enum Location: Int64 {
        /// In the store and its journal; the process holds a read mark.
        case journal = 0x0000_0100_0000_0000
        /// In a detached copy.
        case detached = 0x0200_0000_0000_0000
    }

    private let lock = Lock()
    private var counts: [Int64: Int] = [:]
    private let use: LockDescriptorUse
    private let epoch = ForkGuard.epoch

    /// - Parameter path: the path of the store, whose WAL-index exists already.
    init?(path: String) {
        guard let use = LockDescriptorUse(path + "-shm") else { return nil }
        self.use = use
    }

    /// Tells other processes that this one holds a generation, until the result is released. The
    /// hold already exists, and ends later.
    ///
    /// - Returns: nil if the system refuses the lock.
    func publish(_ name: GenerationName, in location: Location = .journal) -> Publication? { publish(name.number, in: location) }

    fileprivate func publish(_ number: Int64, in location: Location) -> Publication? {
        let offset = location.rawValue + number
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
    func isHeldElsewhere(_ name: GenerationName, in location: Location = .journal) -> Bool {
        pinview_finds_lock(use.descriptor, location.rawValue + name.number) == 1
    }

    fileprivate func release(_ offset: Int64) {
        // A forked child shares the description: releasing the lock there would take it from the
        // parent.
        guard ForkGuard.epoch == epoch else { return }
        lock.withLock {
            counts[offset, default: 1] -= 1
            guard counts[offset] == 0 else { return }
            counts[offset] = nil
            _ = pinview_lock_description(use.descriptor, Int16(F_UNLCK), offset, 1)
        }
    }

    /// Call when no generation exists any more.
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

    /// Publishes the generation at another location, before this publication ends, so that nobody
    /// who checks one location after the other misses it.
    func moved(to location: PublicationLocks.Location) -> Publication? { locks.publish(number, in: location) }
}
