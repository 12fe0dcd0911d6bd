import Synchronization

/// What has happened to a file in this process since it was opened. Each count is right by itself; two of them may be of
/// slightly different moments.
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
    /// One more. Without any order: nothing is read after a count.
    @inline(__always)
    func increment() { add(1, ordering: .relaxed) }
}

/// What has happened to a store's file in this process since it was opened.
public struct JournalCounts: Sendable, Equatable {
    /// Generations taken: a read mark was locked, or a read transaction begun.
    public internal(set) var pins: UInt64 = 0
    /// Generations asked for that were there already.
    public internal(set) var sharedPins: UInt64 = 0
    /// Generations taken over from a token of another process.
    public internal(set) var adoptions: UInt64 = 0
    /// Contexts that were pinned and moved to another generation.
    public internal(set) var advances: UInt64 = 0
    /// Times that a generation was read.
    public internal(set) var reads: UInt64 = 0
    /// Reads that had to wait for a reader.
    public internal(set) var readerWaits: UInt64 = 0
    /// Checkpoints that were begun.
    public internal(set) var checkpoints: UInt64 = 0
    /// Checkpoints of these that somebody else was in the way of.
    public internal(set) var busyCheckpoints: UInt64 = 0
    /// Generations copied aside, away from the journal.
    public internal(set) var detaches: UInt64 = 0
    /// Generations found lost.
    public internal(set) var lost: UInt64 = 0
}
