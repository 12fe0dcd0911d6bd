import PinviewGenerations
import PinviewModel
import PinviewStore

/// What an object has besides a committed row: made for objects that were changed, or whose relationships are loaded.
final class ObjectExtras {
    /// The block of the committed row, or of the row that a fault has at hand.
    var block: RowBlock?
    private var slots: [PropertySlot] = []
    /// The property of `loneSlot`; −1 while that is unused, or there are more slots than one.
    private var loneIndex = -1
    private var loneSlot = PropertySlot.unloaded
    var changed = PropertySet()
    /// When the object joined the pending changes, to write inserts in the order in which they were made.
    var changeSequence: UInt64 = 0
    private var rare: RareExtras?

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

    var hasSlots: Bool { loneIndex >= 0 || !slots.isEmpty }

    @inline(__always)
    func slot(_ index: Int) -> PropertySlot {
        if index == loneIndex { return loneSlot }
        return index < slots.count ? slots[index] : .unloaded
    }

    /// - Parameter count: how many slots there may be.
    func setSlot(_ index: Int, _ slot: PropertySlot, count: Int) {
        if slots.isEmpty {
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
            slots = Array(repeating: .unloaded, count: count)
            slots[loneIndex] = loneSlot
            loneIndex = -1
            loneSlot = .unloaded
        }
        slots[index] = slot
    }

    /// What is pending is committed now: values that a row has from now on need no slot, transient ones count as unchanged.
    ///
    /// - Parameter dropsValues: whether the object was given such a row.
    func settleSlots(_ properties: [Property], dropsValues: Bool) {
        var isNeeded = false
        func settle(_ slot: inout PropertySlot, _ index: Int) {
            if case .unloaded = slot { return }
            // Behind the properties stand the results of fetched ones.
            if index < properties.count {
                switch slot {
                case .value(let value) where properties[index].isTransient: rareExtras.transientBaseline[index] = value
                case .value where dropsValues:
                    slot = .unloaded
                    return
                case .toMany(let contents): contents.markCommitted()
                case .unloaded, .value, .toOne: break
                }
            }
            isNeeded = true
        }
        if loneIndex >= 0 { settle(&loneSlot, loneIndex) }
        for index in slots.indices { settle(&slots[index], index) }
        if isNeeded { return }
        loneIndex = -1
        loneSlot = .unloaded
        slots = []
    }

    /// All slots, to be put back later.
    struct Slots {
        fileprivate var slots: [PropertySlot] = []
        fileprivate var loneIndex = -1
        fileprivate var loneSlot = PropertySlot.unloaded

        init() {}
    }

    var allSlots: Slots {
        get {
            var all = Slots()
            (all.slots, all.loneIndex, all.loneSlot) = (slots, loneIndex, loneSlot)
            return all
        }
        set { (slots, loneIndex, loneSlot) = (newValue.slots, newValue.loneIndex, newValue.loneSlot) }
    }
}
