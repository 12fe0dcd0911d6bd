import Glibc
import Pinview
import Synchronization

/// The table behind all handles. A handle consists of a slot's index and a serial number and is
/// never an address. So NULL, released handles, handles of another kind and random bits are told
/// from valid handles without touching memory that may have been freed.
///
/// A look-up takes a reference by compare-and-swap, so the object cannot be deallocated while it is
/// being retained, whatever other threads release. Slots are reused with a new serial number, and
/// their memory is never freed.
///
///              63 60 59             28 27              0
///             ┌─────┬─────────────────┬─────────────────┐
///     handle  │ 0   │ serial number   │ slot            │   never 0: serial numbers begin at 1
///             └─────┴─────────────────┴─────────────────┘
enum HandleTable {
    /// The state of a slot, one atomic word.
    ///
    ///      63                32 31      24 23         0
    ///     ┌────────────────────┬──────────┬────────────┐
    ///     │ serial number      │ kind     │ references │   without references, the slot is free
    ///     └────────────────────┴──────────┴────────────┘
    private struct State {
        let bits: UInt64

        static let mostReferences: UInt64 = 0xff_ffff

        @inline(__always)
        init(bits: UInt64) { self.bits = bits }

        /// The state of a handle with one reference.
        init(serial: UInt64, kind: HandleKind) { bits = serial << 32 | kind.rawValue << 24 | 1 }

        var serial: UInt64 { bits >> 32 }

        @inline(__always)
        var references: UInt64 { bits & Self.mostReferences }

        /// The state of the slot once the handle is gone.
        @inline(__always)
        var free: State { State(bits: bits & 0xffff_ffff_0000_0000) }

        /// Whether the slot is a live handle's, which has at least one reference.
        @inline(__always)
        func isLive(_ serial: UInt64, _ kind: HandleKind) -> Bool {
            (bits ^ (serial << 32 | kind.rawValue << 24)) &- 1 < Self.mostReferences
        }
    }

    struct Slot: ~Copyable {
        /// See ``State``.
        fileprivate let state = Atomic<UInt64>(0)
        /// Written before the state makes the slot live, and read only while holding a reference.
        fileprivate var object: Unmanaged<AnyObject>?
        /// What was handed out with the handle. Guarded by `textLocks`.
        fileprivate var texts = HandleTexts()
        fileprivate let index: Int32
        /// While the slot is free, the next free slot, or −1.
        fileprivate let nextFree = Atomic<Int32>(-1)

        fileprivate init(index: Int32) { self.index = index }
    }

    /// What can be known about an object without a reference to it: for an object ID its key, for a
    /// context its holder. Written whenever a slot becomes a handle of one of these kinds.
    private struct Facts: ~Copyable {
        let first = Atomic<UInt64>(0), second = Atomic<UInt64>(0)
    }

    private static let chunkBits = 10, chunkSize = 1 << chunkBits
    private static let chunkLimit = 1 << 18

    /// Made with the first chunk. Starts as nil, so that look-ups need no check for initialisation:
    /// anyone who knows that slots exist knows that this does. Written under `lock`; publishing the
    /// number of slots publishes their chunk.
    nonisolated(unsafe) private static var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>?
    /// In chunks, like the slots.
    nonisolated(unsafe) private static var facts: UnsafeMutablePointer<UnsafeMutablePointer<Facts>?>?
    private static let lock = ThreadLock()
    private static let publishedSlots = Atomic<Int>(0)
    /// The free slots as a stack: a 32-bit count of its changes, and 1 + the index of the first
    /// slot (0 if empty).
    private static let free = Atomic<UInt64>(0)
    private static let textLocks = LockStripes(count: 16)
    /// Handles of the library's own, which are never released.
    private static let uncounted = Atomic<Int>(0)

    /// The number of live handles. Examines all slots.
    static var count: Int {
        let slots = publishedSlots.load(ordering: .acquiring)
        let living = (0..<slots).reduce(0) { $0 + (State(bits: slot($1).pointee.state.load(ordering: .relaxed)).references != 0 ? 1 : 0) }
        return living - uncounted.load(ordering: .relaxed)
    }

    // MARK: Making

    /// Makes a handle with one reference.
    ///
    /// - Parameters:
    ///   - isCounted: false for a handle of the library's own, which is never released.
    ///   - known: facts about the object, for kinds that have them.
    /// - Throws: `outOfMemory` if the table is full.
    @inline(never)
    static func make(
        _ kind: HandleKind, _ object: AnyObject, isCounted: Bool = true, known: (UInt64, UInt64)? = nil
    ) throws(PinviewError) -> OpaquePointer {
        let slot = try takeSlots(1).first
        if !isCounted { uncounted.add(1, ordering: .relaxed) }
        return use(slot, kind, object, known: known)
    }

    /// Makes many handles of one kind, each with one reference. Their slots come from the stack in
    /// runs, since each change of it is a turn of all threads.
    struct Maker: ~Copyable {
        private let kind: HandleKind
        /// The number of handles to make.
        private var left: Int
        /// The slots that were taken and not used, linked from the first.
        private var slots: (first: UnsafeMutablePointer<Slot>, count: Int)?

        /// - Parameter count: the number of handles that will be made, at most.
        init(_ kind: HandleKind, count: Int) { (self.kind, left) = (kind, count) }

        /// - Throws: `outOfMemory` if the table is full.
        @inline(__always)
        mutating func make(_ object: AnyObject) throws(PinviewError) -> OpaquePointer {
            let (slot, count) = if let slots { slots } else { try takeSlots(left) }
            let next = slot.pointee.nextFree.load(ordering: .relaxed)
            slots = count > 1 ? (HandleTable.slot(Int(next)), count - 1) : nil
            left -= 1
            return use(slot, kind, object, known: nil)
        }

        deinit {
            guard let (first, count) = slots else { return }
            var last = first
            for _ in 1..<count { last = HandleTable.slot(Int(last.pointee.nextFree.load(ordering: .relaxed))) }
            giveFree(first, last)
        }
    }

    /// Makes a slot that this thread has taken the handle of an object.
    @inline(__always)
    private static func use(
        _ slot: UnsafeMutablePointer<Slot>, _ kind: HandleKind, _ object: AnyObject, known: (UInt64, UInt64)?
    ) -> OpaquePointer {
        // Serial numbers repeat after 2^32 uses of a slot.
        let serial = max((State(bits: slot.pointee.state.load(ordering: .relaxed)).serial &+ 1) & 0xffff_ffff, 1)
        slot.pointee.object = Unmanaged.passRetained(object)
        if let known {
            // Anyone who sees one of these also sees that the slot's former handle is gone.
            let facts = facts(Int(slot.pointee.index))
            facts.pointee.first.store(known.0, ordering: .releasing)
            facts.pointee.second.store(known.1, ordering: .releasing)
        }
        slot.pointee.state.store(State(serial: serial, kind: kind).bits, ordering: .releasing)
        // Safe: the bits are not 0, since the serial number is not.
        return unsafeBitCast(UInt(serial << 28 | UInt64(slot.pointee.index)), to: OpaquePointer.self)
    }

    /// Takes free slots, linked from the first.
    ///
    /// - Parameter limit: how many at most, and at least 1. Fewer are taken if the stack has fewer.
    /// - Throws: `outOfMemory` if the table is full.
    private static func takeSlots(_ limit: Int) throws(PinviewError) -> (first: UnsafeMutablePointer<Slot>, count: Int) {
        if let slots = takeFree(limit) { return slots }
        return (try addSlots(), 1)
    }

    /// Takes free slots from the stack; nil if it is empty.
    private static func takeFree(_ limit: Int) -> (first: UnsafeMutablePointer<Slot>, count: Int)? {
        var top = free.load(ordering: .acquiring)
        while top & 0xffff_ffff != 0 {
            let first = slot(Int(top & 0xffff_ffff) - 1)
            // If another thread has changed the stack meanwhile, its count has changed, and what was
            // read here is not used. It may then be the number of a slot in a chunk that this thread
            // has not seen yet.
            var next = first.pointee.nextFree.load(ordering: .relaxed), count = 1
            if limit > 1 {
                let published = publishedSlots.load(ordering: .acquiring)
                while count < limit, next >= 0, Int(next) < published {
                    next = slot(Int(next)).pointee.nextFree.load(ordering: .relaxed)
                    count += 1
                }
            }
            let (exchanged, original) = free.weakCompareExchange(
                expected: top, desired: (top >> 32 &+ 1) << 32 | UInt64(next + 1), successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring)
            if exchanged { return (first, count) }
            top = original
        }
        return nil
    }

    /// Pushes a run of slots, linked from the first to the last, onto the stack.
    private static func giveFree(_ first: UnsafeMutablePointer<Slot>, _ last: UnsafeMutablePointer<Slot>) {
        var old = free.load(ordering: .relaxed)
        while true {
            last.pointee.nextFree.store(Int32(truncatingIfNeeded: old & 0xffff_ffff) - 1, ordering: .relaxed)
            let (exchanged, original) = free.weakCompareExchange(
                expected: old, desired: (old >> 32 &+ 1) << 32 | UInt64(first.pointee.index + 1), successOrdering: .releasing,
                failureOrdering: .relaxed)
            if exchanged { return }
            old = original
        }
    }

    /// Allocates another chunk of slots, and takes one of them.
    private static func addSlots() throws(PinviewError) -> UnsafeMutablePointer<Slot> {
        lock.lock()
        defer { lock.unlock() }
        // Another thread may have added slots meanwhile.
        if let (slot, _) = takeFree(1) { return slot }
        let count = publishedSlots.load(ordering: .relaxed)
        guard count < chunkSize * chunkLimit else {
            throw PinviewError(.outOfMemory, "There are too many handles (\(count)). Release some.")
        }
        let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: chunkSize)
        for offset in 0..<chunkSize {
            (chunk + offset).initialize(to: Slot(index: Int32(count + offset)))
            chunk[offset].nextFree.store(Int32(count + offset + 1), ordering: .relaxed)
        }
        let facts = UnsafeMutablePointer<Facts>.allocate(capacity: chunkSize)
        for offset in 0..<chunkSize { (facts + offset).initialize(to: Facts()) }
        if chunks == nil {
            (chunks, self.facts) = (try nothing(), try nothing())
        }
        chunks.unsafelyUnwrapped[count / chunkSize] = chunk
        self.facts.unsafelyUnwrapped[count / chunkSize] = facts
        publishedSlots.store(count + chunkSize, ordering: .releasing)
        giveFree(chunk + 1, chunk + chunkSize - 1)
        return chunk
    }

    /// A list of chunks without any. It takes two megabytes, of which a program that has few
    /// handles must not pay more than a page: memory that `calloc` gets from the system is zero, and
    /// zero is nil.
    private static func nothing<T: ~Copyable>() throws(PinviewError) -> UnsafeMutablePointer<UnsafeMutablePointer<T>?> {
        guard let memory = calloc(chunkLimit, MemoryLayout<UnsafeMutablePointer<T>?>.stride) else {
            throw PinviewError(.outOfMemory, "There is no memory for the table of handles.")
        }
        return memory.bindMemory(to: UnsafeMutablePointer<T>?.self, capacity: chunkLimit)
    }

    @inline(__always)
    private static func facts(_ index: Int) -> UnsafeMutablePointer<Facts> {
        // As for slots.
        facts.unsafelyUnwrapped[index >> chunkBits].unsafelyUnwrapped + index & (chunkSize - 1)
    }

    @inline(__always)
    private static func slot(_ index: Int) -> UnsafeMutablePointer<Slot> {
        // Safe: callers pass indexes below the published count, whose chunks exist.
        chunks.unsafelyUnwrapped[index >> chunkBits].unsafelyUnwrapped + index & (chunkSize - 1)
    }

    // MARK: Looking up

    @inline(__always)
    private static func index(_ handle: OpaquePointer?) -> Int { Int(UInt(bitPattern: handle) & 0xfff_ffff) }

    /// The slot of a handle and the serial number that it must have; nil if there is no such slot.
    @inline(__always)
    private static func live(_ handle: OpaquePointer?) -> (slot: UnsafeMutablePointer<Slot>, serial: UInt64)? {
        // With one of the highest bits, the index is beyond all slots. No slot in use has the serial
        // number of NULL.
        let bits = UInt64(UInt(bitPattern: handle)), index = bits & 0xf000_0000_0fff_ffff
        guard index < UInt64(truncatingIfNeeded: publishedSlots.load(ordering: .acquiring)) else { return nil }
        return (slot(Int(truncatingIfNeeded: index)), bits >> 28)
    }

    /// Takes a reference; returns nil if the handle is invalid or has the maximum number of
    /// references.
    private static func takeReference(_ handle: OpaquePointer?, _ kind: HandleKind) -> UnsafeMutablePointer<Slot>? {
        guard let (slot, serial) = live(handle) else { return nil }
        var state = State(bits: slot.pointee.state.load(ordering: .acquiring))
        while true {
            guard state.isLive(serial, kind), state.references != State.mostReferences else { return nil }
            let (exchanged, original) = slot.pointee.state.weakCompareExchange(
                expected: state.bits, desired: state.bits + 1, successOrdering: .acquiring, failureOrdering: .acquiring)
            if exchanged { return slot }
            state = State(bits: original)
        }
    }

    /// Drops a reference that the caller claims to have.
    ///
    /// - Returns: whether it was the last one, so that the slot must be retired; nil if the handle
    ///   is invalid.
    @inline(__always)
    private static func giveReference(_ slot: UnsafeMutablePointer<Slot>, serial: UInt64, kind: HandleKind) -> Bool? {
        var state = State(bits: slot.pointee.state.load(ordering: .relaxed))
        while true {
            guard state.isLive(serial, kind) else { return nil }
            let isLast = state.references == 1
            let (exchanged, original) = slot.pointee.state.weakCompareExchange(
                expected: state.bits, desired: isLast ? state.free.bits : state.bits - 1, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if exchanged { return isLast }
            state = State(bits: original)
        }
    }

    /// Drops a reference taken before. Nothing but the count of a slot with references changes.
    @inline(__always)
    private static func giveTaken(_ slot: UnsafeMutablePointer<Slot>) {
        let state = State(bits: slot.pointee.state.subtract(1, ordering: .acquiringAndReleasing).newValue)
        if state.references == 0 {
            // Nobody can take a reference any more, so the state belongs to this thread.
            slot.pointee.state.store(state.free.bits, ordering: .relaxed)
            retire(slot)
        }
    }

    @inline(never)
    private static func retire(_ slot: UnsafeMutablePointer<Slot>) {
        retire(slot) { giveFree(slot, slot) }
    }

    /// - Parameter give: takes the empty slot.
    @inline(__always)
    private static func retire(_ slot: UnsafeMutablePointer<Slot>, _ give: () -> Void) {
        let object = slot.pointee.object
        slot.pointee.object = nil
        let texts = slot.pointee.texts
        slot.pointee.texts = HandleTexts()
        give()
        // Last, since deallocating an object may call back here.
        texts.free()
        object?.release()
    }

    /// The object of a handle, retained; nil if the handle is invalid.
    static func object(_ handle: OpaquePointer?, _ kind: HandleKind) -> AnyObject? {
        // Functions without an error parameter do nothing there. Errors can be read, since that
        // waits for nothing.
        if kind != .error, StatementCallbacks.isInside { return nil }
        guard let slot = takeReference(handle, kind) else { return nil }
        let object = slot.pointee.object?.takeUnretainedValue()
        giveTaken(slot)
        return object
    }

    /// A handle borrowed for the length of a call: its object stays, whoever releases the handle.
    struct Borrowed {
        fileprivate let slot: UnsafeMutablePointer<Slot>

        @inline(__always)
        init?(_ handle: OpaquePointer?, _ kind: HandleKind) {
            guard let slot = takeReference(handle, kind) else { return nil }
            self.slot = slot
        }

        /// Ends the loan. Call it exactly once.
        @inline(__always)
        func end() { giveTaken(slot) }

        /// The object of the handle, of the class of its kind.
        @inline(__always)
        func thing<Thing: AnyObject>(_ type: Thing.Type) -> Unmanaged<Thing> {
            // Safe: a slot with a reference has an object, and all handles of a kind have objects
            // of one class.
            unsafeBitCast(slot.pointee.object, to: Unmanaged<Thing>.self)
        }

        /// Runs a body with what was handed out with the handle.
        func withTexts<R, Failure>(_ body: (inout HandleTexts) throws(Failure) -> R) throws(Failure) -> R {
            let lock = textLocks[UInt64(slot.pointee.index)]
            lock.lock()
            defer { lock.unlock() }
            // Copied, since access in place would be an access to the whole slot, whose state other
            // threads read meanwhile.
            var texts = slot.pointee.texts
            defer { slot.pointee.texts = texts }
            return try body(&texts)
        }
    }

    /// Several handles borrowed for the length of a call, without counting references to their
    /// objects.
    struct BorrowedList<Thing: AnyObject> {
        private let handles: UnsafeBufferPointer<OpaquePointer?>
        private let memory: UnsafeMutablePointer<Unmanaged<Thing>>
        private var count = 0

        /// The objects, without those of NULL.
        var things: UnsafeBufferPointer<Unmanaged<Thing>> { UnsafeBufferPointer(start: memory, count: count) }

        /// - Parameters:
        ///   - handles: handles, or NULL. They must stay in memory until the loan ends.
        ///   - type: the class of the kind's objects.
        /// - Returns: nil, having borrowed nothing, if a handle is invalid.
        init?(_ handles: UnsafeBufferPointer<OpaquePointer?>, _ kind: HandleKind, _ type: Thing.Type) {
            memory = .allocate(capacity: handles.count)
            for (place, handle) in handles.enumerated() {
                guard let handle else { continue }
                guard let borrowed = Borrowed(handle, kind) else {
                    self.handles = UnsafeBufferPointer(rebasing: handles[..<place])
                    end()
                    return nil
                }
                (memory + count).initialize(to: borrowed.thing(type))
                count += 1
            }
            self.handles = handles
        }

        /// Ends the loan. Call it exactly once.
        func end() {
            for handle in handles where handle != nil { giveTaken(slot(index(handle))) }
            memory.deallocate()
        }
    }

    // MARK: Without a reference

    /// Whether a handle is valid at this moment.
    @inline(__always)
    static func isGood(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool {
        guard let (slot, serial) = live(handle) else { return false }
        return State(bits: slot.pointee.state.load(ordering: .relaxed)).isLive(serial, kind)
    }

    /// The facts about a handle's object; nil if the handle is invalid.
    @inline(__always)
    static func known(_ handle: OpaquePointer?, _ kind: HandleKind) -> (UInt64, UInt64)? {
        guard let (slot, serial) = live(handle), State(bits: slot.pointee.state.load(ordering: .acquiring)).isLive(serial, kind) else {
            return nil
        }
        let facts = facts(index(handle))
        let known = (facts.pointee.first.load(ordering: .relaxed), facts.pointee.second.load(ordering: .relaxed))
        atomicMemoryFence(ordering: .acquiring)
        // They belong to this handle if it is still valid.
        return State(bits: slot.pointee.state.load(ordering: .relaxed)).isLive(serial, kind) ? known : nil
    }

    /// The calling thread as a holder. No fact of another kind equals it.
    private static var holder: UInt64 { UInt64(UInt(pthread_self())) | 1 }

    /// Runs a body while the calling thread holds a handle's object: further calls of the thread
    /// find the object with a single load.
    ///
    /// - Parameter thing: the object, which must outlive the body.
    static func holding<R>(_ handle: OpaquePointer?, _ kind: HandleKind, _ thing: AnyObject, _ body: () throws -> R) rethrows -> R {
        // While a reference is held, the slot cannot be reused.
        guard let slot = takeReference(handle, kind) else { return try body() }
        let facts = facts(Int(slot.pointee.index)), holder = holder
        facts.pointee.second.store(UInt64(UInt(bitPattern: Unmanaged.passUnretained(thing).toOpaque())), ordering: .relaxed)
        let isFirst = facts.pointee.first.compareExchange(expected: 0, desired: holder, ordering: .relaxed).exchanged
        giveTaken(slot)
        // By then it may be reused.
        defer { if isFirst { _ = facts.pointee.first.compareExchange(expected: holder, desired: 0, ordering: .relaxed) } }
        return try withExtendedLifetime(thing) { try body() }
    }

    /// The object of a handle if the calling thread holds it; otherwise nil.
    @inline(__always)
    static func held<Thing: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, _ type: Thing.Type) -> Unmanaged<Thing>? {
        guard let (slot, serial) = live(handle) else { return nil }
        let facts = facts(index(handle))
        guard State(bits: slot.pointee.state.load(ordering: .relaxed)).isLive(serial, kind) else { return nil }
        // Only the thread itself can have written this, and what it holds.
        guard facts.pointee.first.load(ordering: .relaxed) == holder else { return nil }
        return UnsafeRawPointer(bitPattern: UInt(facts.pointee.second.load(ordering: .relaxed))).map { .fromOpaque($0) }
    }

    static func retain(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool { takeReference(handle, kind) != nil }

    static func release(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool {
        guard let (slot, serial) = live(handle), let isLast = giveReference(slot, serial: serial, kind: kind) else { return false }
        if isLast { retire(slot) }
        return true
    }

    /// Releases many handles; invalid ones are skipped. Their slots are given back in one run.
    static func release(_ handles: UnsafeBufferPointer<OpaquePointer?>, _ kind: HandleKind) {
        var slots: (first: UnsafeMutablePointer<Slot>, last: UnsafeMutablePointer<Slot>)?
        for handle in handles {
            guard let (slot, serial) = live(handle), giveReference(slot, serial: serial, kind: kind) == true else { continue }
            retire(slot) {
                if let first = slots?.first { slot.pointee.nextFree.store(first.pointee.index, ordering: .relaxed) }
                slots = (slot, slots?.last ?? slot)
            }
        }
        if let slots { giveFree(slots.first, slots.last) }
    }
}
