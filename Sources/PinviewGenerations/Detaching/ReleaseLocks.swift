internal import CPlatform
import Glibc

/// How processes agree to release a journal together: by locks on bytes of the WAL-index file, far
/// behind SQLite's own. If a process is killed, its locks are released, and processes that wait for
/// it go on.
///
///                 leader                                 each of the others
///     near        held by all while the journal is over half of their budget;
///                                                            if seen: checks more often
///     collect     held from the decision to the end          if seen: takes part
///     copying                                                held while it copies its generations
///     takingPart                                             held until it has released the journal
///     go          held while nobody may commit               if seen: releases the journal
struct ReleaseLocks {
    enum Byte: Int64 {
        case collect = 0x1000_0000
        case copying, takingPart, go, near
    }

    /// For shared locks, and for checking locks.
    private let descriptor: Int32
    private let exclusive: ExclusiveLocks

    init(descriptor: Int32, exclusive: ExclusiveLocks) {
        self.descriptor = descriptor
        self.exclusive = exclusive
    }

    func claim(_ byte: Byte) -> Bool { exclusive.lock(byte: byte.rawValue) }
    func endClaim(_ byte: Byte) { exclusive.unlock(byte: byte.rawValue) }

    func share(_ byte: Byte) { _ = pinview_lock_description(descriptor, Int16(F_RDLCK), byte.rawValue, 1) }
    func endSharing(_ byte: Byte) { _ = pinview_lock_description(descriptor, Int16(F_UNLCK), byte.rawValue, 1) }

    /// Whether another process has locked a byte.
    func isLocked(_ byte: Byte) -> Bool { pinview_finds_lock(descriptor, byte.rawValue) == 1 }

    /// Whether anybody but the pins of this process holds a read mark that keeps the journal from
    /// being restarted.
    var isJournalHeldElsewhere: Bool {
        (1..<Int64(WALIndex.slotCount)).contains { pinview_finds_lock(descriptor, LockBytes.firstReadMark + $0) == 1 }
    }
}
