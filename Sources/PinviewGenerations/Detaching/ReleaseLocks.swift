internal import CPlatform
import Glibc

/// How processes agree to let go of a journal together: by locks on bytes of the WAL-index file that lie far behind those of SQLite.
/// A process that is killed lets go of them, and whoever waits for it goes on.
///
///                 leader                                    each of the others
///     near        held shared by all while the journal is more than half as long as their budget; seen: look more often
///     collect     held from the decision to the end         seen: takes part
///     copying                                               held while it copies its old generations aside
///     takingPart                                            held until it has let go of the journal
///     go          held while nobody may commit              seen: lets go
struct ReleaseLocks {
    enum Byte: Int64 {
        case collect = 0x1000_0000
        case copying, takingPart, go, near
    }

    /// Of shared locks, and for looking.
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

    /// Whether anybody but the pins of this process holds a read mark that keeps the journal from being begun anew.
    var isJournalHeldElsewhere: Bool {
        (1..<Int64(WALIndex.slotCount)).contains { pinview_finds_lock(descriptor, LockBytes.firstReadMark + $0) == 1 }
    }
}
