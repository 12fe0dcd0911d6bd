import Synchronization

/// What keeps a generation readable. The generation owns the record and ends it; the file's table
/// of live generations knows it as well, and may replace its hold with another one on the same
/// content.
///
/// There may be thousands of generations that nobody reads: a record takes 120 bytes, a
/// `Generation` 32.
final class GenerationRecord: @unchecked Sendable {  // `hold` and `extras` are guarded by `lock`, `tableIndex` by the table's
    enum Hold {
        /// A read mark, for any number of readers on any threads at any time.
        case pin(ReadMarkPin)
        /// An open read transaction of the only connection that can read the state.
        case transaction(OpenTransaction)
        /// A state in a detached copy. The journal is not held any more.
        case detached(DetachedPin)
        /// A read mark under which nobody has read yet: the record releases it itself, or makes it
        /// a pin for the first reader.
        case unread
    }

    /// What few generations have.
    private final class Extras {
        /// Publishes the hold to other processes; nil until that is requested.
        var publication: Publication?
        /// The main file when the state was pinned, if read mark 0 held it.
        let observed: FileObservation?

        init(observed: FileObservation?) { self.observed = observed }
    }

    unowned(unsafe) let file: SharedFile  // lives as long as it has generations
    let ordinal: UInt64
    let rank: UInt64
    let compactHeader: CompactWALHeader
    private var hold: Hold?
    private var extras: Extras?
    /// Set once, before another thread knows of the record.
    private var reference: LightReference<Generation>?
    /// The last frame visible under the read mark, while the hold is `unread`.
    private let mark: UInt32
    /// The record's position in the file's table; negative if it is not in the table.
    var tableIndex: Int32 = -1
    /// When the state was pinned, in milliseconds; see `taken`.
    private let takenLow: UInt32
    private let takenHigh: UInt8
    private let slot: UInt8
    /// The observation of the main file that the read mark was taken with, while the hold is
    /// `unread`.
    private let observation: UInt8
    /// Whether another process held it first: it may be older than generations with lower ordinals.
    let isAdopted: Bool
    /// A `LossReason`; 0 if the generation is not lost.
    private let lost = Atomic<UInt8>(0)

    private static let locks = LockStripes(count: 64)
    private var lock: Lock { Self.locks[ordinal] }

    /// For a generation that has a hold already.
    init(file: SharedFile, ordinal: UInt64, rank: UInt64, header: WALHeader, hold: Hold, isAdopted: Bool) {
        self.file = file
        self.ordinal = ordinal
        self.rank = rank
        self.hold = hold
        self.isAdopted = isAdopted
        compactHeader = CompactWALHeader(header)
        mark = 0
        slot = 0
        observation = 0
        (takenLow, takenHigh) = Self.now
        if case .pin(let pin) = hold, pin.slot == 0 { extras = Extras(observed: pin.observed) }
    }

    /// For a generation under a read mark that has been acquired for it.
    init(file: SharedFile, slots: ReadMarkPins, ordinal: UInt64, rank: UInt64, held: HeldMark) {
        self.file = file
        self.ordinal = ordinal
        self.rank = rank
        hold = .unread
        isAdopted = false
        compactHeader = CompactWALHeader(held.header)
        mark = held.mark
        slot = UInt8(truncatingIfNeeded: held.slot)
        observation = held.observation
        (takenLow, takenHigh) = Self.now
        if held.slot == 0 { extras = Extras(observed: slots.observed(0, observation: held.observation)) }
    }

    deinit { reference?.release() }

    func setGeneration(_ generation: Generation) { reference = LightReference(generation) }

    /// The generation, unless it is ending.
    var generation: Generation? { reference?.object }

    var header: WALHeader { compactHeader.header }

    func isOf(_ other: Unmanaged<SharedFile>) -> Bool { Unmanaged.passUnretained(file).toOpaque() == other.toOpaque() }

    var identity: GenerationIdentity { compactHeader.identity(in: file.key) }

    /// The last frame of the state.
    var frame: UInt32 { compactHeader.frame }

    /// Whether it is the newest state and can be read: a request for the newest generation must not
    /// get one that is lost.
    func isNewest(in index: WALIndex) -> Bool { compactHeader.isNewest(in: index) && !isLost }

    private static var now: (UInt32, UInt8) {
        let milliseconds = MonotonicTime.coarse.nanoseconds / 1_000_000
        return (UInt32(truncatingIfNeeded: milliseconds), UInt8(truncatingIfNeeded: milliseconds >> 32))
    }

    /// When the state was pinned, to the millisecond. Forty bits of milliseconds are 34 years.
    var taken: MonotonicTime { MonotonicTime(nanoseconds: (UInt64(takenHigh) << 32 | UInt64(takenLow)) * 1_000_000) }

    var isLost: Bool { lost.load(ordering: .relaxed) != 0 }

    /// Why the generation cannot be read any more; nil if it can.
    var lossReason: LossReason? { LossReason(rawValue: lost.load(ordering: .relaxed)) }

    /// Records the loss. The first reason stays.
    ///
    /// - Returns: whether the loss was not known before.
    func markLost(_ reason: LossReason) -> Bool {
        lost.compareExchange(expected: 0, desired: reason.rawValue, ordering: .relaxed).exchanged
    }

    // MARK: The hold

    /// The serial number of the pin that an unread mark becomes. Other pins have theirs from a
    /// counter.
    private var serialOfUnread: UInt64 { 1 << 63 | ordinal }

    /// The hold, to be retained by a reader during its read; nil if the generation has ended.
    var currentHold: Hold? { lock.withLock { readableHold() } }

    /// Requires the lock.
    private func readableHold() -> Hold? {
        guard case .unread = hold, let slots = file.slots else { return hold }
        hold = .pin(
            ReadMarkPin(
                slots: slots, held: HeldMark(slot: Int(slot), mark: mark, header: header, observation: observation), serial: serialOfUnread)
        )
        return hold
    }

    /// What the hold is, without making a pin of an unread mark.
    enum HoldKind {
        case mark(slot: Int, mark: UInt32, pin: UInt64)
        case transaction
        case detached(pin: UInt64)
    }

    var holdKind: HoldKind? {
        lock.withLock {
            switch hold {
            case .unread: .mark(slot: Int(slot), mark: mark, pin: serialOfUnread)
            case .pin(let pin): .mark(slot: pin.slot, mark: pin.mark, pin: pin.serial)
            case .transaction: .transaction
            case .detached(let pin): .detached(pin: pin.serial)
            case nil: nil
            }
        }
    }

    /// Releases an old hold, outside the lock.
    private func release(_ old: Hold?) {
        if case .unread = old { file.slots?.release(Int(slot)) }
    }

    /// Replaces the hold with another one on the same content. Readers under way retain the old
    /// one.
    ///
    /// - Returns: false if the generation has ended meanwhile.
    @discardableResult
    func replaceHold(_ new: Hold) -> Bool {
        let old = lock.withLock { () -> Hold? in
            guard let old = hold else { return nil }
            hold = new
            return old
        }
        release(old)
        return withExtendedLifetime(old) { old != nil }
    }

    /// Whether the generation has ended.
    var hasEnded: Bool { lock.withLock { hold == nil } }

    /// Whether the generation still has the read mark of a certain pin, and the pin can be proved.
    func holds(pin serial: UInt64, provedBy index: WALIndex) -> Bool {
        guard case .pin(let pin) = currentHold, pin.serial == serial else { return false }
        return pin.verdict(provedBy: index, after: .any).stands
    }

    /// Replaces a certain pin with a detached copy, if the generation still has the pin and the pin
    /// can be proved. Readers under way stay with the pin.
    func detach(from serial: UInt64, provedBy index: WALIndex, to copied: DetachedPin) -> Bool {
        let old = lock.withLock { () -> Hold? in
            guard case .pin(let pin) = readableHold(), pin.serial == serial,
                pin.verdict(provedBy: index, after: .none).stands
            else { return nil }
            // From now on other processes must adopt the copy, not the journal's frames, which are
            // about to be released.
            if let extras { extras.publication = extras.publication?.moved(to: .detached) }
            defer { hold = .detached(copied) }
            return hold
        }
        return withExtendedLifetime(old) { old != nil }
    }

    /// Ends the hold. Readers under way retain it until they are done.
    func end() {
        let old = lock.withLock { () -> Hold? in
            // A hold that has ended must not stay published.
            extras?.publication = nil
            defer { hold = nil }
            return hold
        }
        release(old)
        withExtendedLifetime(old) {}
    }

    // MARK: Other processes

    var name: GenerationName {
        GenerationName(file: file.key, header: header, stamp: lock.withLock { extras?.observed?.stamp })
    }

    /// Publishes the hold to other processes for as long as it lasts.
    func publish() {
        guard let locks = file.publications else { return }
        let name = self.name
        lock.withLock {
            guard extras?.publication == nil, let hold, !isLost else { return }
            let location: PublicationLocks.Location = if case .detached = hold { .detached } else { .journal }
            if extras == nil { extras = Extras(observed: nil) }
            extras?.publication = locks.publish(name, in: location)
        }
    }
}
