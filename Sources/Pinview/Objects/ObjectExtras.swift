import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore

/// What an object has besides a committed row. Made for objects that are changed or whose
/// relationships are loaded.
///
/// Guarded by the context's queue. No other code is called in the middle of a change, so there are
/// no exclusivity checks.
///
///     new object          header │ a slot for each property
///     stored object       header │ one slot, for the property `loneIndex`
///     several slots       header │ unused slot       `slots` ──▶ allocated slots
final class ObjectExtras: ManagedBuffer<ExtrasHeader, PropertySlot> {
    // A new object's slots follow the header, in one allocation. Other extras have room for one
    // slot there.
    static func make(_ block: RowBlock?) -> ObjectExtras {
        let extras = allocate(room: 1)
        extras.block = block
        return extras
    }

    /// Extras of a new object.
    static func make(newLike slots: SlotsOfNewObjects, _ changeSequence: UInt64) -> ObjectExtras {
        let extras = allocate(room: max(slots.count, 1))
        extras.contents.pointee.changeSequence = changeSequence
        extras.contents.pointee.slotCount = Int32(truncatingIfNeeded: slots.count)
        extras.contents.pointee.slots = extras.room
        slots.copy(to: extras.room)
        return extras
    }

    @inline(__always)
    private static func allocate(room: Int) -> ObjectExtras {
        // Safe: created as this very class.
        unsafeDowncast(create(minimumCapacity: room) { _ in ExtrasHeader() }, to: ObjectExtras.self)
    }

    deinit {
        if loneIndex >= 0 { room.deinitialize(count: 1) }
        freeSlots()
    }

    @inline(__always)
    private var contents: UnsafeMutablePointer<ExtrasHeader> { withUnsafeMutablePointerToHeader { $0 } }
    /// The slots of a new object, or the only slot of another.
    @inline(__always)
    private var room: UnsafeMutablePointer<PropertySlot> { withUnsafeMutablePointerToElements { $0 } }

    /// The block of the committed row, or of a fault's prefetched row.
    @inline(__always)
    var block: RowBlock? {
        get { contents.pointee.block }
        set { contents.pointee.block = newValue }
    }
    /// The block, without counting a reference. The object keeps it.
    @inline(__always)
    var unmanagedBlock: Unmanaged<RowBlock>? { contents.pointee.block.map { Unmanaged.passUnretained($0) } }

    @inline(__always)
    func setBlock(_ new: Unmanaged<RowBlock>) { block = new.takeUnretainedValue() }

    @inline(__always)
    var changed: PropertySet {
        get { contents.pointee.changed }
        _modify { yield &contents.pointee.changed }
    }

    /// When the object joined the pending changes. Inserts are written in this order.
    @inline(__always)
    var changeSequence: UInt64 {
        get { contents.pointee.changeSequence }
        set { contents.pointee.changeSequence = newValue }
    }

    @inline(__always)
    private var slots: UnsafeMutablePointer<PropertySlot>? { contents.pointee.slots }
    @inline(__always)
    private var slotCount: Int { Int(contents.pointee.slotCount) }
    @inline(__always)
    private var loneIndex: Int { Int(contents.pointee.loneIndex) }
    @inline(__always)
    private func setLoneIndex(_ index: Int) { contents.pointee.loneIndex = Int32(truncatingIfNeeded: index) }
    @inline(__always)
    private var rare: RareExtras? { contents.pointee.rare }

    /// Memory for all slots. By `malloc`, since Swift allocates untyped memory by alignment, at
    /// twice the cost.
    private func makeSlots(_ count: Int) -> UnsafeMutablePointer<PropertySlot>? {
        let slots = malloc(max(count, 1) * MemoryLayout<PropertySlot>.stride)?.bindMemory(to: PropertySlot.self, capacity: count)
        slots?.initialize(repeating: .unloaded, count: count)
        (contents.pointee.slots, contents.pointee.slotCount) = (slots, slots == nil ? 0 : Int32(truncatingIfNeeded: count))
        return slots
    }

    /// What few objects have.
    final class RareExtras {
        var provided: ProvidedRow?
        var siblings: FaultBatch?
        /// The committed values of transient properties, by property index.
        var transientBaseline: [Int: Value] = [:]
        var assignedStore: (any IncrementalStore)?
        var userData: AnyObject?
    }

    var rareIfAny: RareExtras? { rare }

    var rareExtras: RareExtras {
        if let rare { return rare }
        let rare = RareExtras()
        contents.pointee.rare = rare
        return rare
    }

    // MARK: Slots

    var hasSlots: Bool { loneIndex >= 0 || slots != nil }

    @inline(__always)
    func slot(_ index: Int) -> PropertySlot {
        if index == loneIndex { return room.pointee }
        guard let slots, index < slotCount else { return .unloaded }
        return slots[index]
    }

    /// Whether a property has a slot, so that the committed row does not apply.
    @inline(__always)
    func hasSlot(_ index: Int) -> Bool {
        if index == loneIndex { return true }
        guard let slots, index < slotCount else { return false }
        if case .unloaded = slots[index] { return false }
        return true
    }

    /// - Parameter owner: determines the number of slots.
    @inline(__always)
    func setSlot(_ index: Int, _ slot: __owned PropertySlot, of owner: ManagedObject) {
        if let slots {
            slots[index] = slot
            return
        }
        if index == loneIndex {
            room.pointee = slot
            if case .unloaded = slot { setLoneIndex(-1) }
            return
        }
        if case .unloaded = slot { return }
        if loneIndex < 0 {
            room.initialize(to: slot)
            setLoneIndex(index)
            return
        }
        let slots = makeSlots(owner.slotCount)
        slots?[loneIndex] = room.move()
        slots?[index] = slot
        setLoneIndex(-1)
    }

    func setValue(_ index: Int, _ value: __owned Value, isChanged: Bool, of owner: ManagedObject) {
        setSlot(index, .value(value), of: owner)
        changed.set(index, isChanged)
    }

    /// Stores a value into an empty or null slot of an object without a row. Returns false,
    /// changing nothing, in all other cases.
    @inline(__always)
    func fillEmpty(_ index: Int, _ value: Value) -> Bool {
        guard let slots, index < slotCount, rare == nil else { return false }
        switch slots[index] {
        case .unloaded, .value(.null): break
        default: return false
        }
        if case .null = value { return false }
        // An empty or null slot holds nothing to release.
        (slots + index).initialize(to: .value(value))
        changed.set(index, true)
        return true
    }

    private func freeSlots() {
        guard let slots else { return }
        contents.pointee.slots = nil
        slots.deinitialize(count: slotCount)
        if slots != room { free(slots) }
    }

    /// Makes pending values committed: stored values need no slot from now on, and transient ones
    /// count as unchanged.
    ///
    /// - Parameter dropsValues: whether the object has a row with its stored values.
    /// - Returns: the number of slots still needed, and of those the number of relationships
    ///   without members.
    @discardableResult
    func commitSlots(_ binding: EntityBinding, dropsValues: Bool) -> (needed: Int, withoutMembers: Int) {
        var needed = 0, withoutMembers = 0, last = 0
        func commit(_ slot: UnsafeMutablePointer<PropertySlot>, _ index: Int) {
            guard self.commit(&slot.pointee, index, binding, dropsValues) else { return }
            needed += 1
            if case .noMembers = slot.pointee { withoutMembers += 1 }
            last = index
        }
        guard let slots else {
            if loneIndex >= 0 {
                commit(room, loneIndex)
                if needed == 0 {
                    room.deinitialize(count: 1)
                    setLoneIndex(-1)
                }
            }
            return (needed, withoutMembers)
        }
        for index in 0..<slotCount { commit(slots + index, index) }
        if needed > 1 { return (needed, withoutMembers) }
        // All other slots are empty and hold nothing to release.
        if needed == 1 {
            if slots != room || last > 0 { room.moveInitialize(from: slots + last, count: 1) }
            setLoneIndex(last)
        }
        contents.pointee.slots = nil
        if slots != room { free(slots) }
        return (needed, withoutMembers)
    }

    /// - Returns: whether the slot is still needed.
    @inline(__always)
    private func commit(_ slot: inout PropertySlot, _ index: Int, _ binding: EntityBinding, _ dropsValues: Bool) -> Bool {
        switch slot {
        case .unloaded: return false
        case .value:
            if binding.isStoredAttribute(index) {
                guard dropsValues else { return true }
                slot = .unloaded
                return false
            }
            // The slots of fetched properties follow those of the properties.
            if index < binding.propertyCount, case .value(let value) = slot { rareExtras.transientBaseline[index] = value }
        case .toMany(let contents): if index < binding.propertyCount { contents.markCommitted() }
        case .toOne, .noMembers: break
        }
        return true
    }

    /// What becomes of extras once pending values are committed and in a row.
    enum AfterCommit {
        case needed
        case notNeeded
        /// Not needed if the object notes that its to-many relationships have no members.
        case withoutMembers
    }

    /// - Returns: nil, changing nothing, for extras with more than slots.
    @inline(__always)
    func commit(_ binding: EntityBinding) -> AfterCommit? {
        guard rare == nil else { return nil }
        let (needed, withoutMembers) = commitSlots(binding, dropsValues: true)
        changed.removeAll()
        changeSequence = 0
        if rare != nil { return .needed }
        if needed == 0 { return .notNeeded }
        return needed == withoutMembers && needed == binding.toManyIndexes.count ? .withoutMembers : .needed
    }

    /// A copy of all slots, to be restored later.
    struct Slots {
        fileprivate var slots: [PropertySlot]?
        fileprivate var loneIndex = -1
        fileprivate var loneSlot = PropertySlot.unloaded

        init() {}

        init(_ index: Int, _ slot: PropertySlot) { (loneIndex, loneSlot) = (index, slot) }

        var isEmpty: Bool { loneIndex < 0 && slots == nil }
    }

    var allSlots: Slots {
        get {
            var all = Slots()
            all.slots = slots.map { Array(UnsafeBufferPointer(start: $0, count: slotCount)) }
            if loneIndex >= 0 { (all.loneIndex, all.loneSlot) = (loneIndex, room.pointee) }
            return all
        }
        set {
            if loneIndex >= 0 { room.deinitialize(count: 1) }
            freeSlots()
            setLoneIndex(newValue.loneIndex)
            if newValue.loneIndex >= 0 { room.initialize(to: newValue.loneSlot) }
            guard let kept = newValue.slots, let slots = makeSlots(kept.count) else { return }
            slots.update(from: kept, count: kept.count)
        }
    }
}

/// The header of extras, followed by slots.
struct ExtrasHeader {
    var block: RowBlock?
    /// All slots, either after the header or allocated; nil if there is at most one.
    var slots: UnsafeMutablePointer<PropertySlot>?
    var slotCount: Int32 = 0
    /// The property of the only slot; −1 if there is none or several.
    var loneIndex: Int32 = -1
    var changed = PropertySet()
    var changeSequence: UInt64 = 0
    var rare: ObjectExtras.RareExtras?
}

/// The initial slots of an entity's new objects.
final class SlotsOfNewObjects {
    private let slots: [PropertySlot]
    /// Whether the slots may be copied byte by byte.
    private let arePlain: Bool

    init(_ entity: Entity) {
        var slots = [PropertySlot](repeating: .unloaded, count: entity.properties.count + entity.fetchedProperties.count)
        for property in entity.propertiesOfNewObjects {
            slots[property.index] = property.isAttribute ? .value(property.defaultValue) : .noMembers
        }
        self.slots = slots
        arePlain = slots.allSatisfy { slot in
            switch slot {
            case .unloaded, .noMembers, .value(.null), .value(.integer), .value(.double), .value(.boolean): true
            default: false
            }
        }
    }

    @inline(__always)
    fileprivate var count: Int { slots.count }

    @inline(__always)
    fileprivate func copy(to room: UnsafeMutablePointer<PropertySlot>) {
        slots.withUnsafeBufferPointer { slots in
            guard let first = slots.baseAddress else { return }
            if arePlain {
                UnsafeMutableRawPointer(room).copyMemory(from: first, byteCount: slots.count * MemoryLayout<PropertySlot>.stride)
            } else {
                room.initialize(from: first, count: slots.count)
            }
        }
    }
}
