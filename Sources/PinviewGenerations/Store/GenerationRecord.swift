import Synchronization

/// What keeps a generation readable. The generation owns it and ends it; the file's table of live generations knows it
/// as well, and may put another hold on the same content in its place.
///
/// There may be thousands that nobody reads: one takes 120 bytes, and its `Generation` 32.
final class GenerationRecord: @unchecked Sendable {  // `hold` and `extras` are guarded by `lock`, `place` by the table's
    enum Hold {
        /// A read mark: any number of readers, on any thread, at any time.
        case pin(SlotPin)
        /// An open read transaction with the only connection that can read the state.
        case transaction(OpenTransaction)
        /// A place in a copy beside the store. The journal is not held any more.
        case detached(DetachedPin)
        /// A read mark that nobody has read under yet: the record lets it go itself, or makes it a pin for the first reader.
        case unread
    }

    /// What few generations have.
    private final class Extras {
        /// Tells other processes of the hold; nil until somebody has asked for it.
        var publication: Publication?
        /// The main file when the state was taken, if read mark 0 held it.
        let witnessed: WitnessedFile?

        init(witnessed: WitnessedFile?) { self.witnessed = witnessed }
    }

    unowned(unsafe) let file: SharedFile  // which lives as long as it has generations
    let ordinal: UInt64
    let rank: UInt64
    let compactHeader: CompactWALHeader
    private var hold: Hold?
    private var extras: Extras?
    /// Set once, before anybody else knows of the record.
    private var reference: LightReference<Generation>?
    /// The last frame that readers of the read mark may see, as long as it is `unread`.
    private let mark: UInt32
    /// Where it is in the file's table.
    var place: Int32 = -1
    /// When the state was pinned, in milliseconds: see `taken`.
    private let takenLow: UInt32
    private let takenHigh: UInt8
    private let slot: UInt8
    /// Which look at the main file the read mark was taken with, as long as it is `unread`.
    private let look: UInt8
    /// Whether another process held it first: it may be older than those with lower ordinals.
    let isAdopted: Bool
    /// A `LossReason`; 0: it is not lost.
    private let lost = Atomic<UInt8>(0)

    private static let locks = LockStripes(count: 64)
    private var lock: Lock { Self.locks[ordinal] }

    /// A generation that somebody holds already.
    init(file: SharedFile, ordinal: UInt64, rank: UInt64, header: WALHeader, hold: Hold, isAdopted: Bool) {
        self.file = file
        self.ordinal = ordinal
        self.rank = rank
        self.hold = hold
        self.isAdopted = isAdopted
        compactHeader = CompactWALHeader(header)
        mark = 0
        slot = 0
        look = 0
        (takenLow, takenHigh) = Self.now
        if case .pin(let pin) = hold, pin.slot == 0 { extras = Extras(witnessed: pin.witnessed) }
    }

    /// A generation under a read mark that has been acquired for it.
    init(file: SharedFile, slots: SlotPins, ordinal: UInt64, rank: UInt64, held: HeldMark) {
        self.file = file
        self.ordinal = ordinal
        self.rank = rank
        hold = .unread
        isAdopted = false
        compactHeader = CompactWALHeader(held.header)
        mark = held.mark
        slot = UInt8(truncatingIfNeeded: held.slot)
        look = held.look
        (takenLow, takenHigh) = Self.now
        if held.slot == 0 { extras = Extras(witnessed: slots.witnessed(0, look: held.look)) }
    }

    deinit { reference?.letGo() }

    func setGeneration(_ generation: Generation) { reference = LightReference(generation) }

    /// The generation, unless it is ending.
    var generation: Generation? { reference?.object }

    var header: WALHeader { compactHeader.header }

    func isOf(_ other: Unmanaged<SharedFile>) -> Bool { Unmanaged.passUnretained(file).toOpaque() == other.toOpaque() }

    var identity: GenerationIdentity { compactHeader.identity(in: file.key) }

    /// The last frame of the state.
    var frame: UInt32 { compactHeader.frame }

    /// Whether it is the newest state, and can be read: whoever asks for the newest one must not be given one that is lost.
    func isNewest(in index: WALIndex) -> Bool { compactHeader.isNewest(in: index) && !isLost }

    private static var now: (UInt32, UInt8) {
        let milliseconds = MonotonicTime.coarse.nanoseconds / 1_000_000
        return (UInt32(truncatingIfNeeded: milliseconds), UInt8(truncatingIfNeeded: milliseconds >> 32))
    }

    /// When the state was pinned, to some milliseconds. Forty bits of them are 34 years.
    var taken: MonotonicTime { MonotonicTime(nanoseconds: (UInt64(takenHigh) << 32 | UInt64(takenLow)) * 1_000_000) }

    var isLost: Bool { lost.load(ordering: .relaxed) != 0 }

    /// Why it cannot be read any more; nil: it can.
    var lossReason: LossReason? { LossReason(rawValue: lost.load(ordering: .relaxed)) }

    /// - Returns: whether it was not known before. The first reason stays.
    func markLost(_ reason: LossReason) -> Bool {
        lost.compareExchange(expected: 0, desired: reason.rawValue, ordering: .relaxed).exchanged
    }

    // MARK: The hold

    /// The serial number of the pin that an unread mark becomes. Other pins have theirs from a counter.
    private var serialOfUnread: UInt64 { 1 << 63 | ordinal }

    /// The hold, to be kept by a reader for the time of its read; nil when the generation has ended.
    var currentHold: Hold? { lock.withLock { readableHold() } }

    /// With the lock.
    private func readableHold() -> Hold? {
        guard case .unread = hold, let slots = file.slots else { return hold }
        hold = .pin(SlotPin(slots: slots, held: HeldMark(slot: Int(slot), mark: mark, header: header, look: look), serial: serialOfUnread))
        return hold
    }

    /// What the hold is, without making a pin of a mark that nobody reads under.
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

    /// Lets an old hold go, outside the lock.
    private func letGo(_ old: Hold?) {
        if case .unread = old { file.slots?.release(Int(slot)) }
    }

    /// Puts another hold on the same content in place of the one that it has. Readers under way keep the old one alive.
    ///
    /// - Returns: false when the generation has ended meanwhile.
    @discardableResult
    func replaceHold(_ new: Hold) -> Bool {
        let old = lock.withLock { () -> Hold? in
            guard let old = hold else { return nil }
            hold = new
            return old
        }
        letGo(old)
        return withExtendedLifetime(old) { old != nil }
    }

    /// Whether the generation has ended.
    var hasEnded: Bool { lock.withLock { hold == nil } }

    /// Whether the generation still holds the read mark of a pin, and the pin stands up to proof.
    func holds(pin serial: UInt64, provedBy index: WALIndex) -> Bool {
        guard case .pin(let pin) = currentHold, pin.serial == serial else { return false }
        return pin.verdict(provedBy: index, after: .any).stands
    }

    /// Moves the generation from a pin, if it still has that one and it stands up to proof, to a copy. Readers under way
    /// stay with the pin.
    func detach(from serial: UInt64, provedBy index: WALIndex, to copied: DetachedPin) -> Bool {
        let old = lock.withLock { () -> Hold? in
            guard case .pin(let pin) = readableHold(), pin.serial == serial,
                pin.verdict(provedBy: index, after: .none).stands
            else { return nil }
            // Other processes must not take the journal's frames over, which are about to be let go, but the copy.
            if let extras { extras.publication = extras.publication?.moved(to: .detached) }
            defer { hold = .detached(copied) }
            return hold
        }
        return withExtendedLifetime(old) { old != nil }
    }

    /// Ends the hold. Readers under way keep it until they are done.
    func end() {
        let old = lock.withLock { () -> Hold? in
            // Other processes must not be told of a hold that has gone.
            extras?.publication = nil
            defer { hold = nil }
            return hold
        }
        letGo(old)
        withExtendedLifetime(old) {}
    }

    // MARK: Other processes

    var name: GenerationName {
        GenerationName(file: file.key, header: header, stamp: lock.withLock { extras?.witnessed?.stamp })
    }

    /// Tells other processes of the hold for as long as it lasts.
    func publish() {
        guard let locks = file.publications else { return }
        let name = self.name
        lock.withLock {
            guard extras?.publication == nil, let hold, !isLost else { return }
            let place: PublicationLocks.Place = if case .detached = hold { .detached } else { .journal }
            if extras == nil { extras = Extras(witnessed: nil) }
            extras?.publication = locks.publish(name, in: place)
        }
    }
}
