import Pinview
import Synchronization

/// What a handle stands for. Part of every look-up, so that a handle of another kind is found out.
enum HandleKind: UInt64 {
    case error = 1, buffer, modelBuilder, model, entity, coordinator, store, container, token, context, weakContext, object, weakObject,
        objectID, result, predicate, observer, notification, journalReport, undoManager, merge, historyToken, history, difference,
        asynchronousFetch, expression, fetchTemplate, resultsController, objectBlock

    /// The name of the C type, for error messages.
    var name: String {
        switch self {
        case .error: "pinview_error"
        case .buffer: "pinview_buffer"
        case .modelBuilder: "pinview_model_builder"
        case .model: "pinview_model"
        case .entity: "pinview_entity"
        case .coordinator: "pinview_coordinator"
        case .store: "pinview_store"
        case .container: "pinview_container"
        case .token: "pinview_token"
        case .context: "pinview_context"
        case .weakContext: "pinview_weak_context"
        case .object: "pinview_object"
        case .weakObject: "pinview_weak_object"
        case .objectID: "pinview_object_id"
        case .result: "pinview_result"
        case .predicate: "pinview_predicate"
        case .expression: "pinview_expression"
        case .observer: "pinview_observer"
        case .notification: "pinview_notification"
        case .undoManager: "pinview_undo_manager"
        case .historyToken: "pinview_history_token"
        case .history: "pinview_history"
        case .journalReport: "pinview_journal_report"
        case .merge: "pinview_merge"
        case .fetchTemplate: "pinview_fetch_template"
        case .resultsController: "pinview_results_controller"
        case .difference: "pinview_difference"
        case .asynchronousFetch: "pinview_asynchronous_fetch"
        case .objectBlock: "pinview_object_block"
        }
    }
}

/// The table behind all handles. A handle is a slot and a serial number in it, never an address, so NULL, released handles, handles
/// of another kind and random bits are told from good ones without touching memory that may be gone.
///
/// A slot's state is one atomic word: serial number (32 bits), kind (8), references (24). A look-up takes a reference by compare-and-swap,
/// so the thing cannot go while it is being retained, whatever other threads release. Slots are reused under a new serial and
/// their memory is never given back.
///
///     handle  = 0 serial:32 slot:28    (never 0: serials begin at 1)
enum HandleTable {
    struct Slot: ~Copyable {
        fileprivate let state = Atomic<UInt64>(0)
        /// Written before the state makes the slot live, read only with a reference taken.
        fileprivate var object: Unmanaged<AnyObject>?
        /// What was handed out with the handle; guarded by `textLocks`.
        fileprivate var texts = HandleTexts()
        fileprivate let index: Int32
        /// While the slot is free: the next free one, or -1.
        fileprivate let nextFree = Atomic<Int32>(-1)

        fileprivate init(index: Int32) { self.index = index }
    }

    private static let chunkSize = 4096
    private static let chunkLimit = 65536
    private static let referenceLimit: UInt64 = 0xff_ffff

    /// Made with the first chunk. It begins as nil, so that no look-up has to see to it that it is there: whoever knows that there
    /// are slots knows it, too. Written under `lock`; a slot's chunk is published by the number of slots.
    nonisolated(unsafe) private static var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>?
    private static let lock = ThreadLock()
    private static let publishedSlots = Atomic<Int>(0)
    /// The free slots as a stack: 32 bits that count its changes, and one more than the index of the first (0: none).
    private static let free = Atomic<UInt64>(0)
    private static let textLocks = LockStripes(count: 16)
    /// Handles of the library's own, which are never released.
    private static let uncounted = Atomic<Int>(0)

    /// How many handles are alive. Looks at all slots.
    static var count: Int {
        let slots = publishedSlots.load(ordering: .acquiring)
        let living = (0..<slots).reduce(0) { $0 + (slot($1).pointee.state.load(ordering: .relaxed) & referenceLimit != 0 ? 1 : 0) }
        return living - uncounted.load(ordering: .relaxed)
    }

    // MARK: Making

    /// A new handle with one reference.
    ///
    /// - Parameter isCounted: false for a handle of the library's own, which is never released.
    /// - Throws: `outOfMemory` when the table is full.
    static func make(_ kind: HandleKind, _ object: AnyObject, isCounted: Bool = true) throws(PinviewError) -> OpaquePointer {
        var free = takeFree()
        if free == nil { free = try addSlots() }
        // Safe: adding slots gives one, or throws.
        let slot = free.unsafelyUnwrapped
        // Serial numbers go round after 2^32 uses of one slot.
        let serial = max((slot.pointee.state.load(ordering: .relaxed) >> 32) &+ 1 & 0xffff_ffff, 1)
        slot.pointee.object = Unmanaged.passRetained(object)
        slot.pointee.state.store(serial << 32 | kind.rawValue << 24 | 1, ordering: .releasing)
        if !isCounted { uncounted.add(1, ordering: .relaxed) }
        // Safe: the bits are not 0, for the serial is not.
        return unsafeBitCast(UInt(serial << 28 | UInt64(slot.pointee.index)), to: OpaquePointer.self)
    }

    /// A free slot, taken from the stack.
    private static func takeFree() -> UnsafeMutablePointer<Slot>? {
        var first = free.load(ordering: .acquiring)
        while first & 0xffff_ffff != 0 {
            let slot = slot(Int(first & 0xffff_ffff) - 1)
            // Another thread may have taken the slot by now; then the count has changed, and what is read here is not used.
            let next = UInt64(slot.pointee.nextFree.load(ordering: .relaxed) + 1)
            let (exchanged, original) = free.weakCompareExchange(
                expected: first, desired: (first >> 32 &+ 1) << 32 | next, successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring)
            if exchanged { return slot }
            first = original
        }
        return nil
    }

    /// Puts a run of slots, which are linked from the first to the last, on the stack.
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

    /// Makes another chunk of slots, and takes one of them.
    private static func addSlots() throws(PinviewError) -> UnsafeMutablePointer<Slot> {
        lock.lock()
        defer { lock.unlock() }
        // Another thread may have made some meanwhile.
        if let slot = takeFree() { return slot }
        let count = publishedSlots.load(ordering: .relaxed)
        guard count < chunkSize * chunkLimit else {
            throw PinviewError(.outOfMemory, "There are \(count) handles already; release some.")
        }
        let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: chunkSize)
        for offset in 0..<chunkSize {
            (chunk + offset).initialize(to: Slot(index: Int32(count + offset)))
            chunk[offset].nextFree.store(Int32(count + offset + 1), ordering: .relaxed)
        }
        if chunks == nil {
            let made = UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>.allocate(capacity: chunkLimit)
            made.initialize(repeating: nil, count: chunkLimit)
            chunks = made
        }
        chunks.unsafelyUnwrapped[count / chunkSize] = chunk
        publishedSlots.store(count + chunkSize, ordering: .releasing)
        giveFree(chunk + 1, chunk + chunkSize - 1)
        return chunk
    }

    private static func slot(_ index: Int) -> UnsafeMutablePointer<Slot> {
        // Safe: callers pass indexes below the published count, whose chunks exist.
        chunks.unsafelyUnwrapped[index / chunkSize].unsafelyUnwrapped + index % chunkSize
    }

    // MARK: Looking up

    private static func live(_ handle: OpaquePointer?) -> (slot: UnsafeMutablePointer<Slot>, serial: UInt64)? {
        let bits = UInt64(UInt(bitPattern: handle))
        let index = Int(bits & 0xfff_ffff)
        guard bits != 0, bits >> 60 == 0, index < publishedSlots.load(ordering: .acquiring) else { return nil }
        return (slot(index), bits >> 28)
    }

    /// Takes one more reference; false for a handle that is not good, or has as many as can be counted.
    private static func takeReference(_ handle: OpaquePointer?, _ kind: HandleKind) -> UnsafeMutablePointer<Slot>? {
        guard let (slot, serial) = live(handle) else { return nil }
        var state = slot.pointee.state.load(ordering: .acquiring)
        while true {
            guard state >> 32 == serial, state >> 24 & 0xff == kind.rawValue, state & referenceLimit != 0,
                state & referenceLimit != referenceLimit
            else { return nil }
            let (exchanged, original) = slot.pointee.state.weakCompareExchange(
                expected: state, desired: state + 1, successOrdering: .acquiring, failureOrdering: .acquiring)
            if exchanged { return slot }
            state = original
        }
    }

    /// Gives back a reference that somebody says to have.
    private static func giveReference(_ slot: UnsafeMutablePointer<Slot>, serial: UInt64, kind: HandleKind) -> Bool {
        var state = slot.pointee.state.load(ordering: .relaxed)
        while true {
            guard state >> 32 == serial, state >> 24 & 0xff == kind.rawValue, state & referenceLimit != 0 else { return false }
            let isLast = state & referenceLimit == 1
            let (exchanged, original) = slot.pointee.state.weakCompareExchange(
                expected: state, desired: isLast ? serial << 32 : state - 1, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if exchanged {
                if isLast { retire(slot) }
                return true
            }
            state = original
        }
    }

    /// Gives back a reference that was taken: a slot with a reference changes in nothing but their number.
    @inline(__always)
    private static func giveTaken(_ slot: UnsafeMutablePointer<Slot>) {
        let state = slot.pointee.state.subtract(1, ordering: .acquiringAndReleasing).newValue
        if state & referenceLimit == 0 {
            // Nobody takes a reference any more, so the state is this thread's.
            slot.pointee.state.store(state & 0xffff_ffff_0000_0000, ordering: .relaxed)
            retire(slot)
        }
    }

    private static func retire(_ slot: UnsafeMutablePointer<Slot>) {
        let object = slot.pointee.object
        slot.pointee.object = nil
        let texts = slot.pointee.texts
        slot.pointee.texts = HandleTexts()
        giveFree(slot, slot)
        // Last: the end of an object may come back here.
        texts.free()
        object?.release()
    }

    /// The thing that a handle stands for, retained; nil when the handle is not good.
    static func object(_ handle: OpaquePointer?, _ kind: HandleKind) -> AnyObject? {
        guard let slot = takeReference(handle, kind) else { return nil }
        let object = slot.pointee.object?.takeUnretainedValue()
        giveTaken(slot)
        return object
    }

    /// A handle for as long as a call lasts: the thing that it stands for stays meanwhile, whoever releases the handle.
    struct Borrowed {
        fileprivate let slot: UnsafeMutablePointer<Slot>

        @inline(__always)
        init?(_ handle: OpaquePointer?, _ kind: HandleKind) {
            guard let slot = takeReference(handle, kind) else { return nil }
            self.slot = slot
        }

        /// Ends the loan; once.
        @inline(__always)
        func end() { giveTaken(slot) }

        /// What the handle stands for: of the class that goes with the kind.
        @inline(__always)
        func thing<Thing: AnyObject>(_ type: Thing.Type) -> Unmanaged<Thing> {
            // Safe: a slot with a reference has an object, and handles of a kind are made of one class.
            unsafeBitCast(slot.pointee.object, to: Unmanaged<Thing>.self)
        }

        /// Runs a body with what was handed out with the handle.
        func withTexts<R, Failure>(_ body: (inout HandleTexts) throws(Failure) -> R) throws(Failure) -> R {
            let lock = textLocks[UInt64(slot.pointee.index)]
            lock.lock()
            defer { lock.unlock() }
            // Not in place: that would be an access to the whole slot, whose state other threads look at meanwhile.
            var texts = slot.pointee.texts
            defer { slot.pointee.texts = texts }
            return try body(&texts)
        }
    }

    static func retain(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool { takeReference(handle, kind) != nil }

    static func release(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool {
        guard let (slot, serial) = live(handle) else { return false }
        return giveReference(slot, serial: serial, kind: kind)
    }
}
