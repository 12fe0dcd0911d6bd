/// An insertion-ordered set of objects by identity: like a dictionary by `ObjectIdentifier`, at a
/// fraction of its cost.
///
/// A list, for which an index is made at the first search among many objects.
struct ObjectSet {
    /// In insertion order; nil where an object was removed. Neither the element at `start` nor the
    /// last is nil.
    private var objects: ContiguousArray<ManagedObject?> = []
    /// The first position in use.
    private var start = 0
    /// Nil while searching the list is faster. Copies of the set share it until one of them
    /// changes.
    private var index: ObjectIndex?
    private(set) var count = 0

    private static let searchedLimit = 12

    init() {}

    var isEmpty: Bool { count == 0 }

    var first: ManagedObject? { start < objects.count ? objects[start] : nil }

    // MARK: Looking

    @inline(__always)
    private static func address(_ object: ManagedObject?) -> UInt { unsafeBitCast(object, to: UInt.self) }

    /// The position of an object. Compares addresses, so no references are counted.
    @inline(__always)
    private func position(of address: UInt) -> Int? {
        guard count > 0 else { return nil }
        let last = objects.count - 1
        if objects.address(last) == address { return last }
        if let index, last - start >= Self.searchedLimit { return filled(index).position(of: address, objects) }
        var position = last - 1
        while position >= start {
            if objects.address(position) == address { return position }
            position -= 1
        }
        return nil
    }

    private func filled(_ index: ObjectIndex) -> ObjectIndex {
        if index.isFilled { return index }
        index.makeRoom(count + count / 2)
        for position in start..<objects.count where objects.address(position) != 0 { index.enter(objects.address(position), position) }
        return index
    }

    func contains(_ object: ManagedObject) -> Bool { position(of: Self.address(object)) != nil }

    /// The object of an identifier. Setting an object inserts it, setting nil removes it.
    subscript(identifier: ObjectIdentifier) -> ManagedObject? {
        get { position(of: UInt(bitPattern: identifier)).flatMap { objects[$0] } }
        set { if let newValue { insert(newValue) } else { removeValue(forKey: identifier) } }
    }

    // MARK: Changing

    mutating func insert(_ object: ManagedObject) {
        if !contains(object) { insertNew(object) }
    }

    /// Inserts an object that is known not to be in the set.
    mutating func insertNew(_ object: ManagedObject) {
        if objects.count - start >= count * 2 + Self.searchedLimit { closeGaps() }
        objects.append(object)
        count += 1
        if index != nil {
            prepareIndex()?.enter(Self.address(object), objects.count - 1)
        } else if objects.count - start > Self.searchedLimit {
            index = ObjectIndex()
        }
    }

    /// Inserts objects that are known not to be in the set.
    mutating func insertNew(_ new: ArraySlice<ManagedObject>) {
        if objects.count - start >= count * 2 + Self.searchedLimit { closeGaps() }
        let known = index == nil ? nil : prepareIndex(for: new.count)
        new.forEachUncounted { object in
            objects.append(object)
            known?.enter(Self.address(object), objects.count - 1)
        }
        count += new.count
        if index == nil, objects.count - start > Self.searchedLimit { index = ObjectIndex() }
    }

    /// The index to update; nil if it is shared by copies or full and must be made anew when
    /// needed.
    /// - Parameter added: the number of objects to be entered.
    private mutating func prepareIndex(for added: Int = 1) -> ObjectIndex? {
        guard isKnownUniquelyReferenced(&index), let index, index.hasRoom(for: added) else {
            self.index = ObjectIndex()
            return nil
        }
        return index.isFilled ? index : nil
    }

    private mutating func closeGaps() {
        objects.removeAll { $0 == nil }
        start = 0
        index = objects.count > Self.searchedLimit ? ObjectIndex() : nil
    }

    /// Removes all objects, and keeps the memory if it is little.
    mutating func removeAllKeepingRoom() {
        guard objects.count <= Self.searchedLimit else {
            self = ObjectSet()
            return
        }
        // In half the time that `removeAll` takes for one.
        while !objects.isEmpty { objects.removeLast() }
        (start, index, count) = (0, nil, 0)
    }

    /// Removes the first object. There must be one.
    mutating func removeFirst() { remove(at: start) }

    mutating func remove(_ object: ManagedObject) { removeValue(forKey: ObjectIdentifier(object)) }

    @discardableResult
    mutating func removeValue(forKey identifier: ObjectIdentifier) -> ManagedObject? {
        guard let position = position(of: UInt(bitPattern: identifier)) else { return nil }
        let object = objects[position]
        remove(at: position)
        return object
    }

    private mutating func remove(at position: Int) {
        guard position < objects.count, let object = objects[position] else { return }
        if index != nil { prepareIndex()?.remove(Self.address(object), objects) }
        objects[position] = nil
        count -= 1
        if count == 0 {
            self = ObjectSet()
            return
        }
        while objects[start] == nil { start += 1 }
        while let last = objects.last, last == nil { objects.removeLast() }
        // Releasing the object may use the context.
        withExtendedLifetime(object) {}
    }

    // MARK: Going through

    /// The objects in insertion order.
    var list: [ManagedObject] {
        guard count > 0 else { return [] }
        return Array(unsafeUninitializedCapacity: count) { buffer, filled in
            for position in start..<objects.count {
                guard let object = objects[position] else { continue }
                buffer.initializeElement(at: filled, to: object)
                filled += 1
            }
        }
    }

    var objectIDs: [ManagedObjectID] { mapUncounted { $0.objectID } }

    /// What is made of each object, in insertion order, without counting references.
    @inline(__always)
    func mapUncounted<Element>(_ transform: (ManagedObject) -> Element) -> [Element] {
        var elements: [Element] = []
        if isEmpty { return elements }
        elements.reserveCapacity(count)
        forEachUncounted { elements.append(transform($0)) }
        return elements
    }

    /// Runs a body with each object in insertion order, without counting references.
    @inline(__always)
    func forEachUncounted(_ body: (ManagedObject) -> Void) {
        objects.withUnsafeBytes { bytes in
            for object in bytes.bindMemory(to: Unmanaged<ManagedObject>?.self)[start...] { object?._withUnsafeGuaranteedRef(body) }
        }
    }

    /// The objects in insertion order.
    var values: Values { Values(objects: objects, index: start, count: count) }

    struct Values: Sequence, IteratorProtocol {
        fileprivate let objects: ContiguousArray<ManagedObject?>
        fileprivate var index: Int
        fileprivate let count: Int

        var underestimatedCount: Int { count }

        mutating func next() -> ManagedObject? {
            while index < objects.count {
                index += 1
                if let object = objects[index - 1] { return object }
            }
            return nil
        }
    }
}

extension ContiguousArray<ManagedObject?> {
    /// The address of the object at a position; 0 if there is none.
    @inline(__always)
    fileprivate func address(_ position: Int) -> UInt {
        withUnsafeBytes { $0.load(fromByteOffset: position * MemoryLayout<UInt>.stride, as: UInt.self) }
    }
}

/// Positions of objects in a list, by address. Open addressing, at most half full. Separate from
/// ``IdentityTable``, since it has no keys in the objects and moves entries up instead of leaving
/// tombstones.
private final class ObjectIndex {
    /// 32 bits of the address's hash, and the position plus 1; 0 if empty.
    private var slots: UnsafeMutablePointer<UInt64>?
    private var mask = 0
    private var count = 0

    deinit { slots?.deallocate() }

    var isFilled: Bool { slots != nil }
    func hasRoom(for added: Int) -> Bool { slots == nil || (count + added - 1) * 2 <= mask }

    /// Starts empty, with room for this many entries.
    func makeRoom(_ entries: Int) {
        var capacity = 32
        while capacity < entries * 2 { capacity *= 2 }
        let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        self.slots = slots
        mask = capacity - 1
    }

    @inline(__always)
    private static func hash(_ address: UInt) -> UInt64 {
        // Objects are at least 16 bytes apart. The product's high bits depend on all others.
        (UInt64(address >> 4) &* 0x9e37_79b9_7f4a_7c15) >> 32
    }

    @inline(__always)
    private static func position(_ slot: UInt64) -> Int { Int(slot & 0xffff_ffff) - 1 }

    @inline(__always)
    private func slot(of address: UInt, _ objects: ContiguousArray<ManagedObject?>) -> Int? {
        guard let slots else { return nil }
        let hash = Self.hash(address)
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            if slots[slot] >> 32 == hash, objects.address(Self.position(slots[slot])) == address { return slot }
            slot = (slot + 1) & mask
        }
        return nil
    }

    func position(of address: UInt, _ objects: ContiguousArray<ManagedObject?>) -> Int? {
        guard let slots, let slot = slot(of: address, objects) else { return nil }
        return Self.position(slots[slot])
    }

    func enter(_ address: UInt, _ position: Int) {
        guard let slots else { return }
        let hash = Self.hash(address)
        var slot = Int(hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = hash << 32 | UInt64(position + 1)
        count += 1
    }

    /// Empties a slot, and moves up entries that it had displaced.
    func remove(_ address: UInt, _ objects: ContiguousArray<ManagedObject?>) {
        guard let slots, var gap = slot(of: address, objects) else { return }
        count -= 1
        var next = gap
        while true {
            next = (next + 1) & mask
            guard slots[next] != 0 else { break }
            let home = Int(slots[next] >> 32) & mask
            if (next - home) & mask >= (next - gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
        }
        slots[gap] = 0
    }
}
