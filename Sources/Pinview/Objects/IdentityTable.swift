import CPlatform
import PinviewGenerations
import PinviewModel

/// The registered objects of one store and one hierarchy of entities in a context, by primary key.
///
/// Open addressing with eight bytes per place: the object's address, which is not retained, and 16 bits of the key's hash above it. An object
/// takes itself out in its `deinit`, so whatever stands here has its memory. Guarded by the context's identity lock.
final class IdentityTable {
    private typealias Place = UInt64

    private var places: UnsafeMutablePointer<Place>
    private var mask: Int
    private(set) var count = 0
    /// Places that are not empty: objects and graves.
    private var used = 0

    private static let empty: Place = 0
    /// Where an object stood; a search goes on behind it.
    private static let grave: Place = 1
    private static let smallest = 16

    init() {
        places = Self.emptyPlaces(Self.smallest)
        mask = Self.smallest - 1
    }

    deinit { places.deallocate() }

    private static func emptyPlaces(_ capacity: Int) -> UnsafeMutablePointer<Place> {
        let places = UnsafeMutablePointer<Place>.allocate(capacity: capacity)
        places.initialize(repeating: empty, count: capacity)
        return places
    }

    // Addresses have 48 bits; the tag's highest bit is set, so that no grave looks like an object.
    @inline(__always)
    private static func tag(_ hash: UInt64) -> Place { (hash >> 52) << 3 | hash & 7 | 0x8000 }

    @inline(__always)
    private static func place(_ object: ManagedObject, _ hash: UInt64) -> Place {
        tag(hash) << 48 | Place(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    }

    @inline(__always)
    private static func address(_ place: Place) -> UnsafeMutableRawPointer {
        // Safe: called for places with objects only.
        UnsafeMutableRawPointer(bitPattern: UInt(place & 0xffff_ffff_ffff)).unsafelyUnwrapped
    }

    /// Where the object of a key stands, or nil. It may be on its way out.
    @inline(__always)
    private func index(of key: Int64, _ hash: UInt64) -> Int? {
        let tag = Self.tag(hash)
        var index = Int(truncatingIfNeeded: hash) & mask
        while true {
            let place = places[index]
            if place == Self.empty { return nil }
            if place >> 48 == tag, Self.hasKey(place, key) { return index }
            index = (index + 1) & mask
        }
    }

    @inline(__always)
    private static func hasKey(_ place: Place, _ key: Int64) -> Bool {
        Unmanaged<ManagedObject>.fromOpaque(address(place))._withUnsafeGuaranteedRef { $0.primaryKey == key }
    }

    /// The object of a key, unless its last reference has gone.
    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? {
        guard count > 0, let index = index(of: key, pinview_hash_key(key)) else { return nil }
        return Self.retained(places[index])
    }

    /// Whether there is an object of a key, maybe one on its way out.
    @inline(__always)
    func mayHaveObject(_ key: Int64) -> Bool { count > 0 && index(of: key, pinview_hash_key(key)) != nil }

    /// The object of a key, which may be on its way out.
    @inline(__always)
    func unretainedObject(_ key: Int64) -> Unmanaged<ManagedObject>? {
        index(of: key, pinview_hash_key(key)).map { .fromOpaque(Self.address(places[$0])) }
    }

    @inline(__always)
    private static func retained(_ place: Place) -> ManagedObject? {
        guard let object = retainIfAlive(address(place)) else { return nil }
        return Unmanaged<ManagedObject>.fromOpaque(object).takeRetainedValue()
    }

    /// Enters an object under its key, in place of whatever has it.
    func enter(_ object: ManagedObject) {
        let key = object.primaryKey, hash = pinview_hash_key(key)
        if let index = index(of: key, hash) {
            places[index] = Self.place(object, hash)
            return
        }
        reserve(1)
        var index = Int(truncatingIfNeeded: hash) & mask
        while places[index] > Self.grave { index = (index + 1) & mask }
        if places[index] == Self.empty { used += 1 }
        places[index] = Self.place(object, hash)
        count += 1
    }

    /// Enters an object under a key that nobody has had.
    @inline(__always)
    func enterNew(_ object: ManagedObject) {
        reserve(1)
        let hash = pinview_hash_key(object.primaryKey)
        var index = Int(truncatingIfNeeded: hash) & mask
        while places[index] > Self.grave { index = (index + 1) & mask }
        if places[index] == Self.empty { used += 1 }
        places[index] = Self.place(object, hash)
        count += 1
    }

    /// The object of a key, or one that is made for it and entered.
    @inline(__always)
    func object(_ key: Int64, orEnter make: () -> ManagedObject) -> (object: ManagedObject, isNew: Bool) {
        reserve(1)
        let hash = pinview_hash_key(key), tag = Self.tag(hash)
        var index = Int(truncatingIfNeeded: hash) & mask
        var free = -1
        while places[index] != Self.empty {
            let place = places[index]
            if place == Self.grave {
                if free < 0 { free = index }
            } else if place >> 48 == tag, Self.hasKey(place, key) {
                if let object = Self.retained(place) { return (object, false) }
                let object = make()
                places[index] = Self.place(object, hash)
                return (object, true)
            }
            index = (index + 1) & mask
        }
        if free < 0 {
            free = index
            used += 1
        }
        let object = make()
        places[free] = Self.place(object, hash)
        count += 1
        return (object, true)
    }

    /// Takes out an object, if it is what stands under its key. False: it is not.
    @discardableResult
    func remove(_ object: ManagedObject) -> Bool {
        let hash = pinview_hash_key(object.primaryKey), place = Self.place(object, hash)
        var index = Int(truncatingIfNeeded: hash) & mask
        while places[index] != place {
            if places[index] == Self.empty { return false }
            index = (index + 1) & mask
        }
        count -= 1
        places[index] = Self.grave
        // Graves that nothing stands behind are empty places.
        if places[(index + 1) & mask] == Self.empty {
            while places[index] == Self.grave {
                places[index] = Self.empty
                used -= 1
                index = (index - 1) & mask
            }
        }
        if mask >= Self.smallest * 4, count < mask / 8 { resize(to: (mask + 1) / 4) }
        return true
    }

    func removeAll() {
        places.deallocate()
        places = Self.emptyPlaces(Self.smallest)
        (mask, count, used) = (Self.smallest - 1, 0, 0)
    }

    /// Whether an object stands under its key.
    func contains(_ object: ManagedObject) -> Bool {
        let hash = pinview_hash_key(object.primaryKey)
        return index(of: object.primaryKey, hash).map { places[$0] == Self.place(object, hash) } ?? false
    }

    /// Makes room for that many more objects.
    func reserve(_ additional: Int) {
        // Three quarters are full at the most.
        if (used + additional) * 4 <= (mask + 1) * 3 { return }
        var capacity = Self.smallest
        while (count + additional) * 4 > capacity * 3 { capacity *= 2 }
        // Not again after a few more: then it was graves that filled the table.
        if capacity == mask + 1, (count + additional) * 8 > capacity * 5 { capacity *= 2 }
        resize(to: capacity)
    }

    private func resize(to capacity: Int) {
        let old = places, oldCapacity = mask + 1
        places = Self.emptyPlaces(capacity)
        mask = capacity - 1
        used = count
        for index in 0..<oldCapacity where old[index] > Self.grave {
            let key = Unmanaged<ManagedObject>.fromOpaque(Self.address(old[index]))._withUnsafeGuaranteedRef { $0.primaryKey }
            var target = Int(truncatingIfNeeded: pinview_hash_key(key)) & mask
            while places[target] != Self.empty { target = (target + 1) & mask }
            places[target] = old[index]
        }
        old.deallocate()
    }

    /// Appends the objects that are alive.
    func append(to objects: inout [ManagedObject]) {
        for index in 0...mask where places[index] > Self.grave {
            if let object = Self.retained(places[index]) { objects.append(object) }
        }
    }

    #if DEBUG
        /// What does not hold, for the tests.
        var invariantViolations: [String] {
            var violations: [String] = []
            let objects = (0...mask).filter { places[$0] > Self.grave }
            if objects.count != count { violations.append("the table of objects counts \(count), but has \(objects.count)") }
            let taken = (0...mask).filter { places[$0] != Self.empty }.count
            if taken != used || used > mask {
                violations.append("the table of objects counts \(used) places of \(mask + 1), but uses \(taken)")
            }
            for index in objects {
                let key = Unmanaged<ManagedObject>.fromOpaque(Self.address(places[index]))._withUnsafeGuaranteedRef { $0.primaryKey }
                if self.index(of: key, pinview_hash_key(key)) != index {
                    violations.append("the table of objects does not find the key \(key)")
                }
            }
            return violations
        }
    #endif
}
