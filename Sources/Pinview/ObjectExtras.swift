import Glibc
import PinviewGenerations
import PinviewModel
import PinviewStore

/// What an object has besides a committed row: made for objects that were changed, or whose relationships are loaded.
///
/// Of the context's queue, and nothing is called in the middle of a change: it needs no checks of exclusive access.
final class ObjectExtras {
    /// The block of the committed row, or of the row that a fault has at hand.
    @exclusivity(unchecked) var block: RowBlock?
    /// The same, for readers who count no reference: the object keeps it.
    @inline(__always)
    var unmanagedBlock: Unmanaged<RowBlock>? { block.map { Unmanaged.passUnretained($0) } }

    @inline(__always)
    func setBlock(_ new: Unmanaged<RowBlock>) { block = new.takeUnretainedValue() }

    @exclusivity(unchecked) private var slots: UnsafeMutableBufferPointer<PropertySlot>?
    /// The property of `loneSlot`; −1 while that is unused, or there are more slots than one.
    @exclusivity(unchecked) private var loneIndex = -1
    @exclusivity(unchecked) private var loneSlot = PropertySlot.unloaded
    @exclusivity(unchecked) var changed = PropertySet()
    /// When the object joined the pending changes, to write inserts in the order in which they were made.
    @exclusivity(unchecked) var changeSequence: UInt64 = 0
    @exclusivity(unchecked) private var rare: RareExtras?

    init(_ block: RowBlock?) { self.block = block }

    /// Of a new object.
    init(newLike slots: SlotsOfNewObjects, _ changeSequence: UInt64) {
        self.changeSequence = changeSequence
        self.slots = slots.copy()
    }

    /// By `malloc`: memory that Swift allocates without a type is asked for by alignment, at twice the cost.
    fileprivate static func makeRoom(_ count: Int) -> UnsafeMutableBufferPointer<PropertySlot> {
        let memory = malloc(max(count, 1) * MemoryLayout<PropertySlot>.stride)
        return UnsafeMutableBufferPointer(
            start: memory?.bindMemory(to: PropertySlot.self, capacity: count), count: memory == nil ? 0 : count)
    }

    private static func makeSlots(_ count: Int) -> UnsafeMutableBufferPointer<PropertySlot> {
        let slots = makeRoom(count)
        slots.initialize(repeating: .unloaded)
        return slots
    }

    deinit { freeSlots() }

    /// What few objects have.
    final class RareExtras {
        var provided: ProvidedRow?
        var siblings: Siblings?
        /// The values of transient properties that count as unchanged, by property index.
        var transientBaseline: [Int: Value] = [:]
        var assignedStore: SQLStore?
        var programSlot: AnyObject?
    }

    var rareIfAny: RareExtras? { rare }

    var rareExtras: RareExtras {
        if let rare { return rare }
        let rare = RareExtras()
        self.rare = rare
        return rare
    }

    // MARK: Slots

    var hasSlots: Bool { loneIndex >= 0 || slots != nil }

    @inline(__always)
    func slot(_ index: Int) -> PropertySlot {
        if index == loneIndex { return loneSlot }
        guard let slots, index < slots.count else { return .unloaded }
        return slots[index]
    }

    /// - Parameter owner: knows how many slots there may be.
    @inline(__always)
    func setSlot(_ index: Int, _ slot: __owned PropertySlot, of owner: ManagedObject) {
        if let slots {
            slots[index] = slot
            return
        }
        if index == loneIndex {
            loneSlot = slot
            if case .unloaded = slot { loneIndex = -1 }
            return
        }
        if case .unloaded = slot { return }
        if loneIndex < 0 {
            loneIndex = index
            loneSlot = slot
            return
        }
        let slots = Self.makeSlots(owner.slotCount)
        slots[loneIndex] = loneSlot
        slots[index] = slot
        self.slots = slots
        loneIndex = -1
        loneSlot = .unloaded
    }

    func setValue(_ index: Int, _ value: __owned Value, isChanged: Bool, of owner: ManagedObject) {
        setSlot(index, .value(value), of: owner)
        changed.set(index, isChanged)
    }

    /// The same where null stands, of an object that has no row; false, and nothing done, in all other cases.
    @inline(__always)
    func fillEmpty(_ index: Int, _ value: Value) -> Bool {
        guard let slots, index < slots.count, rare == nil else { return false }
        switch slots[index] {
        case .unloaded, .value(.null): break
        default: return false
        }
        if case .null = value { return false }
        // There is nothing to be let go.
        slots.initializeElement(at: index, to: .value(value))
        changed.set(index, true)
        return true
    }

    private func freeSlots() {
        guard let slots else { return }
        self.slots = nil
        slots.deinitialize()
        free(slots.baseAddress)
    }

    /// What is pending is committed now: values that a row has from now on need no slot, transient ones count as unchanged.
    ///
    /// - Parameter dropsValues: whether the object was given such a row.
    func settleSlots(_ origin: ObjectOrigin, dropsValues: Bool) {
        guard let slots else {
            if loneIndex >= 0, !settle(&loneSlot, loneIndex, origin, dropsValues) { loneIndex = -1 }
            return
        }
        var needed = 0, last = 0
        for index in slots.indices where settle(&slots[index], index, origin, dropsValues) {
            needed += 1
            last = index
        }
        if needed > 1 { return }
        if needed == 1 { (loneIndex, loneSlot) = (last, slots.moveElement(from: last)) }
        // All others are empty: there is nothing to be let go.
        self.slots = nil
        free(slots.baseAddress)
    }

    /// - Returns: whether the slot is needed from now on.
    @inline(__always)
    private func settle(_ slot: inout PropertySlot, _ index: Int, _ origin: ObjectOrigin, _ dropsValues: Bool) -> Bool {
        switch slot {
        case .unloaded: return false
        case .value:
            if origin.isStoredAttribute(index) {
                guard dropsValues else { return true }
                slot = .unloaded
                return false
            }
            // Behind the properties stand the results of fetched ones.
            if index < origin.propertyCount, case .value(let value) = slot { rareExtras.transientBaseline[index] = value }
        case .toMany(let contents): if index < origin.propertyCount { contents.markCommitted() }
        case .toOne, .noMembers: break
        }
        return true
    }

    /// What is pending is committed now, and a row has the values.
    ///
    /// - Returns: whether the extras are needed from now on; nil, and nothing done, for extras that have more than slots.
    @inline(__always)
    func settle(_ origin: ObjectOrigin) -> Bool? {
        guard rare == nil else { return nil }
        settleSlots(origin, dropsValues: true)
        changed.removeAll()
        changeSequence = 0
        return hasSlots || rare != nil
    }

    /// All slots, to be put back later.
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
            (all.slots, all.loneIndex, all.loneSlot) = (slots.map { Array($0) }, loneIndex, loneSlot)
            return all
        }
        set {
            freeSlots()
            (loneIndex, loneSlot) = (newValue.loneIndex, newValue.loneSlot)
            guard let kept = newValue.slots else { return }
            let slots = Self.makeSlots(kept.count)
            _ = slots.update(fromContentsOf: kept)
            self.slots = slots
        }
    }
}

/// What the slots of an entity's new objects hold.
final class SlotsOfNewObjects {
    private let slots: [PropertySlot]
    /// Whether a copy of the bytes is a copy.
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

    fileprivate func copy() -> UnsafeMutableBufferPointer<PropertySlot> {
        let copy = ObjectExtras.makeRoom(slots.count)
        if arePlain {
            slots.withUnsafeBytes { UnsafeMutableRawBufferPointer(copy).copyMemory(from: $0) }
        } else {
            _ = copy.initialize(from: slots)
        }
        return copy
    }
}
