import Synchronization

/// Counts what has happened to a file in this process since it was opened. Each count is exact, but
/// two of them may be read at slightly different moments.
final class JournalCounters: Sendable {
    let pins = Atomic<UInt64>(0)
    let sharedPins = Atomic<UInt64>(0)
    let adoptions = Atomic<UInt64>(0)
    let advances = Atomic<UInt64>(0)
    let reads = StripedCounter()
    let readerWaits = Atomic<UInt64>(0)
    let checkpoints = Atomic<UInt64>(0)
    let busyCheckpoints = Atomic<UInt64>(0)
    let detaches = Atomic<UInt64>(0)
    let lost = Atomic<UInt64>(0)

    var snapshot: JournalCounts {
        JournalCounts(
            pins: pins.load(ordering: .relaxed), sharedPins: sharedPins.load(ordering: .relaxed),
            adoptions: adoptions.load(ordering: .relaxed), advances: advances.load(ordering: .relaxed),
            reads: reads.value, readerWaits: readerWaits.load(ordering: .relaxed),
            checkpoints: checkpoints.load(ordering: .relaxed), busyCheckpoints: busyCheckpoints.load(ordering: .relaxed),
            detaches: detaches.load(ordering: .relaxed), lost: lost.load(ordering: .relaxed))
    }
}

extension Atomic<UInt64> {
    /// Adds one, in relaxed order, because no other memory access depends on a count.
    @inline(__always)
    func increment() { add(1, ordering: .relaxed) }
}

/// What has happened to a store's file in this process since it was opened.
public struct JournalCounts: Sendable, Equatable {
    /// Generations taken, by locking a read mark or beginning a read transaction.
    public internal(set) var pins: UInt64 = 0
    /// Generations that were requested and already existed.
    public internal(set) var sharedPins: UInt64 = 0
    /// Generations adopted from a token of another process.
    public internal(set) var adoptions: UInt64 = 0
    /// Pinned contexts that moved to another generation.
    public internal(set) var advances: UInt64 = 0
    /// Reads of generations.
    public internal(set) var reads: UInt64 = 0
    /// Reads that had to wait for a reader connection.
    public internal(set) var readerWaits: UInt64 = 0
    /// Checkpoints begun.
    public internal(set) var checkpoints: UInt64 = 0
    /// Checkpoints that others prevented from completing.
    public internal(set) var busyCheckpoints: UInt64 = 0
    /// Generations copied aside so that they no longer hold the journal.
    public internal(set) var detaches: UInt64 = 0
    /// Generations that were lost.
    public internal(set) var lost: UInt64 = 0
}
