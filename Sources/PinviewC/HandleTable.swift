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
    private struct Slot: ~Copyable {
        let state = Atomic<UInt64>(0)
        /// Written before the state makes the slot live, read only with a reference taken.
        var object: Unmanaged<AnyObject>?
        let index: Int32
        var nextFree: Int32 = -1

        init(index: Int32) { self.index = index }
    }

    private static let chunkSize = 4096
    private static let chunkLimit = 65536
    private static let referenceLimit: UInt64 = 0xff_ffff

    // Written under `lock`; a slot's chunk is published by the handle that names it.
    nonisolated(unsafe) private static let chunks: UnsafeMutablePointer<UnsafeMutablePointer<Slot>?> = {
        let chunks = UnsafeMutablePointer<UnsafeMutablePointer<Slot>?>.allocate(capacity: chunkLimit)
        chunks.initialize(repeating: nil, count: chunkLimit)
        return chunks
    }()
    private static let lock = ThreadLock()
    nonisolated(unsafe) private static var slotCount = 0
    nonisolated(unsafe) private static var firstFree: Int32 = -1
    private static let publishedSlots = Atomic<Int>(0)
    private static let living = Atomic<Int>(0)

    /// How many handles are alive.
    static var count: Int { living.load(ordering: .relaxed) }

    // MARK: Making

    /// A new handle with one reference.
    ///
    /// - Parameter isCounted: false for a handle of the library's own, which is never released.
    /// - Throws: `outOfMemory` when the table is full.
    static func make(_ kind: HandleKind, _ object: AnyObject, isCounted: Bool = true) throws(PinviewError) -> OpaquePointer {
        lock.lock()
        defer { lock.unlock() }
        let index: Int
        if firstFree >= 0 {
            index = Int(firstFree)
            firstFree = slot(index).pointee.nextFree
        } else {
            guard slotCount < chunkSize * chunkLimit else {
                throw PinviewError(.outOfMemory, "There are \(slotCount) handles already; release some.")
            }
            index = slotCount
            if index % chunkSize == 0 {
                let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: chunkSize)
                for offset in 0..<chunkSize { (chunk + offset).initialize(to: Slot(index: Int32(index + offset))) }
                chunks[index / chunkSize] = chunk
            }
            slotCount += 1
            publishedSlots.store(slotCount, ordering: .releasing)
        }
        let slot = slot(index)
        // Serial numbers go round after 2^32 uses of one slot.
        let serial = max((slot.pointee.state.load(ordering: .relaxed) >> 32) &+ 1 & 0xffff_ffff, 1)
        slot.pointee.object = Unmanaged.passRetained(object)
        slot.pointee.state.store(serial << 32 | kind.rawValue << 24 | 1, ordering: .releasing)
        if isCounted { living.add(1, ordering: .relaxed) }
        // Safe: the bits are not 0, for the serial is not.
        return unsafeBitCast(UInt(serial << 28 | UInt64(index)), to: OpaquePointer.self)
    }

    private static func slot(_ index: Int) -> UnsafeMutablePointer<Slot> {
        // Safe: callers pass indexes below the published count, whose chunks exist.
        chunks[index / chunkSize].unsafelyUnwrapped + index % chunkSize
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

    private static func giveReference(_ slot: UnsafeMutablePointer<Slot>, serial: UInt64, kind: HandleKind) -> Bool {
        var state = slot.pointee.state.load(ordering: .relaxed)
        while true {
            guard state >> 32 == serial, state >> 24 & 0xff == kind.rawValue, state & referenceLimit != 0 else { return false }
            let isLast = state & referenceLimit == 1
            let (exchanged, original) = slot.pointee.state.weakCompareExchange(
                expected: state, desired: isLast ? serial << 32 : state - 1, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if exchanged {
                if isLast { retire(slot, serial: serial) }
                return true
            }
            state = original
        }
    }

    private static func retire(_ slot: UnsafeMutablePointer<Slot>, serial: UInt64) {
        let object = slot.pointee.object
        slot.pointee.object = nil
        living.subtract(1, ordering: .relaxed)
        lock.lock()
        slot.pointee.nextFree = firstFree
        firstFree = slot.pointee.index
        lock.unlock()
        // Last: the end of an object may come back here.
        object?.release()
    }

    /// The thing that a handle stands for, retained; nil when the handle is not good.
    static func object(_ handle: OpaquePointer?, _ kind: HandleKind) -> AnyObject? {
        guard let slot = takeReference(handle, kind) else { return nil }
        let object = slot.pointee.object?.takeUnretainedValue()
        _ = giveReference(slot, serial: UInt64(UInt(bitPattern: handle)) >> 28, kind: kind)
        return object
    }

    static func retain(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool { takeReference(handle, kind) != nil }

    static func release(_ handle: OpaquePointer?, _ kind: HandleKind) -> Bool {
        guard let (slot, serial) = live(handle) else { return false }
        return giveReference(slot, serial: serial, kind: kind)
    }
}
