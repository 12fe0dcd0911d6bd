import CPlatform
import PinviewGenerations
import PinviewModel

/// The registered objects of one store and one entity hierarchy in a context, by primary key.
///
/// A hash table with open addressing and linear probing. Guarded by the lock of the context's
/// registry.
///
///     slot         63            48 47                               0
///                  ┌───────────────┬──────────────────────────────────┐
///     object       │ tag           │ address, not retained            │
///                  └───────────────┴──────────────────────────────────┘
///     tombstone    1: an object was removed, searching continues
///     empty        0: searching ends
///     tag          1 │ 12 high bits and 3 low bits of the key's hash
///
/// An object removes itself in its `deinit`, so an address in the table always has its memory. Most
/// misses are decided by the tag, without a look at the object. At most three quarters of the slots
/// are used, tombstones included. Eight slots make up a line of the processor's cache, and the
/// number of lines is free: a look-up among many objects waits for the slot, all the longer the
/// more memory there is.
final class IdentityTable {
    private typealias Slot = UInt64

    private var slots: UnsafeMutablePointer<Slot>
    private var lineCount: Int
    private(set) var count = 0
    /// Slots that are not empty: objects and tombstones.
    private var used = 0
    /// Kept for a large table: a small one is in the processor's cache.
    @exclusivity(unchecked) private var order = RegistrationOrder()

    private static let empty: Slot = 0
    /// Marks a removed object. A search continues past it.
    private static let tombstone: Slot = 1
    private static let addressBits: Slot = 0xffff_ffff_ffff
    private static let lineSize = 8
    /// The smallest number of lines.
    private static let smallest = 2
    /// More objects than these make up a large table.
    private static let largeCount = 1 << 14
    /// More objects than these have no room in the processor's nearest caches.
    private static let orderedCount = 1 << 9
    /// How many slots or keys ahead to prefetch when they are visited one after another.
    private static let lookahead = 16

    init() {
        slots = Self.emptySlots(Self.smallest)
        lineCount = Self.smallest
    }

    deinit { slots.deallocate() }

    private var capacity: Int { lineCount &* Self.lineSize }

    private static func emptySlots(_ lineCount: Int) -> UnsafeMutablePointer<Slot> {
        let capacity = lineCount * lineSize
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: capacity)
        slots.initialize(repeating: empty, count: capacity)
        return slots
    }

    // Addresses have 48 bits. The tag's highest bit is set, so a tombstone cannot look like an
    // object.
    @inline(__always)
    private static func tag(_ hash: UInt64) -> Slot { (hash >> 52) << 3 | hash & 7 | 0x8000 }

    @inline(__always)
    private static func slot(_ object: ManagedObject, _ hash: UInt64) -> Slot {
        tag(hash) << 48 | Slot(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    @inline(__always)
    private static func address(_ slot: Slot) -> UnsafeMutableRawPointer {
        // Safe: only called for slots with objects.
        UnsafeMutableRawPointer(bitPattern: UInt(slot & addressBits)).unsafelyUnwrapped
    }

    /// Where the search for a key starts: in one of the lines, evenly, at one of its slots.
    @inline(__always)
    private func start(_ hash: UInt64) -> Int {
        let line = ((hash >> 3 & 0xffff_ffff) &* UInt64(truncatingIfNeeded: lineCount)) >> 32
        return Int(truncatingIfNeeded: line << 3 | hash & 7)
    }

    @inline(__always)
    private func next(_ index: Int) -> Int { index &+ 1 == capacity ? 0 : index &+ 1 }

    /// The index of a key's object, which may be deallocating; nil if there is none.
    @inline(__always)
    private func index(of key: Int64, _ hash: UInt64) -> Int? {
        let tag = Self.tag(hash)
        var index = start(hash)
        while true {
            let slot = slots[index]
            if slot == Self.empty { return nil }
            if slot >> 48 == tag, Self.hasKey(slot, key) { return index }
            index = next(index)
        }
    }

    @inline(__always)
    private static func hasKey(_ slot: Slot, _ key: Int64) -> Bool {
        Unmanaged<ManagedObject>.fromOpaque(address(slot))._withUnsafeGuaranteedRef { $0.primaryKey == key }
    }

    /// The object of a key, unless it is deallocating.
    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? {
        guard count > 0, let index = index(of: key, pinview_hash_key(key)) else { return nil }
        return Self.retained(slots[index])
    }

    /// Whether there is an object of a key, perhaps a deallocating one.
    @inline(__always)
    func mayHaveObject(_ key: Int64) -> Bool { count > 0 && index(of: key, pinview_hash_key(key)) != nil }

    /// The object of a key, perhaps a deallocating one.
    @inline(__always)
    func unretainedObject(_ key: Int64) -> Unmanaged<ManagedObject>? {
        index(of: key, pinview_hash_key(key)).map { .fromOpaque(Self.address(slots[$0])) }
    }

    @inline(__always)
    private static func retained(_ slot: Slot) -> ManagedObject? {
        guard let object = retainIfAlive(address(slot)) else { return nil }
        return Unmanaged<ManagedObject>.fromOpaque(object).takeRetainedValue()
    }

    /// Enters an object under its key, replacing any other.
    func enter(_ object: ManagedObject) {
        let key = object.primaryKey, hash = pinview_hash_key(key)
        if let index = index(of: key, hash) {
            slots[index] = Self.slot(object, hash)
        } else {
            enterNew(object)
        }
    }

    /// Enters an object under a key that has none.
    @inline(__always)
    func enterNew(_ object: ManagedObject) {
        reserve(1)
        let hash = pinview_hash_key(object.primaryKey)
        var index = start(hash)
        while slots[index] > Self.tombstone { index = next(index) }
        if slots[index] == Self.empty { used += 1 }
        slots[index] = Self.slot(object, hash)
        count += 1
        order.append(object.primaryKey)
    }

    /// The object of a key, or one that `make` creates and that is entered.
    @inline(__always)
    func object(_ key: Int64, orEnter make: () -> ManagedObject) -> (object: ManagedObject, isNew: Bool) {
        reserve(1)
        let hash = pinview_hash_key(key), tag = Self.tag(hash)
        var index = start(hash)
        var free = -1
        while slots[index] != Self.empty {
            let slot = slots[index]
            if slot == Self.tombstone {
                if free < 0 { free = index }
            } else if slot >> 48 == tag, Self.hasKey(slot, key) {
                if let object = Self.retained(slot) { return (object, false) }
                let object = make()
                slots[index] = Self.slot(object, hash)
                return (object, true)
            }
            index = next(index)
        }
        if free < 0 {
            free = index
            used += 1
        }
        let object = make()
        slots[free] = Self.slot(object, hash)
        count += 1
        order.append(key)
        return (object, true)
    }

    /// Removes an object. Returns false, changing nothing, if its key belongs to another one or
    /// none.
    @discardableResult
    func remove(_ object: ManagedObject) -> Bool {
        let hash = pinview_hash_key(object.primaryKey), slot = Self.slot(object, hash)
        var index = start(hash)
        while slots[index] != slot {
            if slots[index] == Self.empty { return false }
            index = next(index)
        }
        count -= 1
        slots[index] = Self.tombstone
        // Tombstones before an empty slot can become empty too.
        if slots[next(index)] == Self.empty {
            while slots[index] == Self.tombstone {
                slots[index] = Self.empty
                used -= 1
                index = (index == 0 ? capacity : index) - 1
            }
        }
        if lineCount > Self.smallest * 4, count < lineCount {
            resize(to: lineCount / 4)
            // Hardly any of its objects are left.
            order.removeAll()
        }
        return true
    }

    func removeAll() {
        slots.deallocate()
        slots = Self.emptySlots(Self.smallest)
        (lineCount, count, used) = (Self.smallest, 0, 0)
        order.removeAll()
    }

    /// Whether the table has this object under its key.
    func contains(_ object: ManagedObject) -> Bool {
        let hash = pinview_hash_key(object.primaryKey)
        return index(of: object.primaryKey, hash).map { slots[$0] == Self.slot(object, hash) } ?? false
    }

    /// Begins to load the slot where a search for a key starts into the processor's cache.
    @inline(__always)
    func prefetch(_ key: Int64) { pinview_prefetch(slots + start(pinview_hash_key(key))) }

    /// The same for the key that comes soon after one of consecutive keys.
    @inline(__always)
    func prefetch(ahead key: Int64) { prefetch(key &+ Int64(Self.lookahead)) }

    /// Begins to load what the next look-ups probably need, if the program looks up objects in the
    /// order in which they were entered.
    ///
    /// - Parameter key: the one that is looked up now.
    @inline(__always)
    func prefetch(following key: Int64) {
        guard order.follow(key) else { return }
        prefetch(order.key(Self.lookahead, after: key))
        // By now that slot has been loaded, and nearly always leads to the key's own object.
        let slot = slots[start(pinview_hash_key(order.key(Self.lookahead / 2, after: key)))]
        pinview_prefetch(UnsafeRawPointer(bitPattern: UInt(slot & Self.addressBits)))
    }

    /// Reserves room for more objects.
    func reserve(_ additional: Int) {
        if (used + additional) * 4 <= capacity * 3 { return }
        let needed = count + additional
        // A sparse table takes fewer steps, a dense one stays in the processor's cache longer.
        let isLarge = needed > Self.largeCount
        let together = needed > capacity ? (isLarge ? needed / 16 * 3 : needed / 3) + 1 : 0
        // Objects that come one by one need a new table only now and then, and so does a table that
        // is full of tombstones.
        let oneByOne = needed * 5 > capacity * 3 ? lineCount + (isLarge ? lineCount / 2 : lineCount) : lineCount
        resize(to: max(together, oneByOne))
        if needed > Self.orderedCount { order.reserve(capacity / 4 * 3) }
    }

    private func resize(to newCount: Int) {
        let old = slots, oldCapacity = capacity
        slots = Self.emptySlots(newCount)
        lineCount = newCount
        used = count
        for index in 0..<oldCapacity {
            // Objects lie anywhere in memory: begin early to load their keys.
            let ahead = index + Self.lookahead
            if ahead < oldCapacity { pinview_prefetch(UnsafeRawPointer(bitPattern: UInt(old[ahead] & Self.addressBits))) }
            guard old[index] > Self.tombstone else { continue }
            let key = Unmanaged<ManagedObject>.fromOpaque(Self.address(old[index]))._withUnsafeGuaranteedRef { $0.primaryKey }
            var target = start(pinview_hash_key(key))
            while slots[target] != Self.empty { target = next(target) }
            slots[target] = old[index]
        }
        old.deallocate()
    }

    /// Appends all living objects.
    func append(to objects: inout [ManagedObject]) {
        for index in 0..<capacity where slots[index] > Self.tombstone {
            if let object = Self.retained(slots[index]) { objects.append(object) }
        }
    }

    #if DEBUG
        /// Violated invariants, for the tests.
        var invariantViolations: [String] {
            var violations: [String] = []
            let objects = (0..<capacity).filter { slots[$0] > Self.tombstone }
            if objects.count != count { violations.append("the table of objects counts \(count), but has \(objects.count)") }
            let taken = (0..<capacity).filter { slots[$0] != Self.empty }.count
            if taken != used || used >= capacity {
                violations.append("the table of objects counts \(used) slots of \(capacity), but uses \(taken)")
            }
            for index in objects {
                let key = Unmanaged<ManagedObject>.fromOpaque(Self.address(slots[index]))._withUnsafeGuaranteedRef { $0.primaryKey }
                if self.index(of: key, pinview_hash_key(key)) != index {
                    violations.append("the table of objects does not find the key \(key)")
                }
            }
            return violations
        }
    #endif
}
