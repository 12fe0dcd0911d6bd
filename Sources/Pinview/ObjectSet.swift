/// Objects by identity, in the order in which they joined: what a dictionary by `ObjectIdentifier` would do, at a quarter of its cost.
///
/// It hashes addresses, looks at the object that joined last first, and costs one retain and four bytes per object besides the list.
struct ObjectSet {
    /// In the order of joining; nil where one has left. Neither the first from `start` on nor the last is nil.
    private var objects: ContiguousArray<ManagedObject?> = []
    /// Where `objects` begins.
    private var start = 0
    /// Open addressing: an index in `objects` plus 1; 0 for an empty place. Empty while a search through the list is faster.
    private var table: ContiguousArray<UInt32> = []
    private(set) var count = 0

    private static let searchedLimit = 12

    init() {}

    var isEmpty: Bool { count == 0 }

    var first: ManagedObject? { start < objects.count ? objects[start] : nil }

    // MARK: Looking

    @inline(__always)
    private static func address(_ object: ManagedObject?) -> UInt { unsafeBitCast(object, to: UInt.self) }

    @inline(__always)
    private func home(_ address: UInt) -> Int {
        // Objects lie 16 bytes apart at least; the product's high bits depend on all others.
        Int(truncatingIfNeeded: (UInt64(address >> 4) &* 0x9e37_79b9_7f4a_7c15) >> 32) & (table.count - 1)
    }

    /// Where an object stands in `objects`.
    @inline(__always)
    private func index(of address: UInt) -> Int? {
        guard count > 0 else { return nil }
        let last = objects.count - 1
        if Self.address(objects[last]) == address { return last }
        if table.isEmpty {
            var index = last - 1
            while index >= start {
                if Self.address(objects[index]) == address { return index }
                index -= 1
            }
            return nil
        }
        return place(of: address).map { Int(table[$0]) - 1 }
    }

    private func place(of address: UInt) -> Int? {
        var place = home(address)
        while table[place] != 0 {
            if Self.address(objects[Int(table[place]) - 1]) == address { return place }
            place = (place + 1) & (table.count - 1)
        }
        return nil
    }

    func contains(_ object: ManagedObject) -> Bool { index(of: Self.address(object)) != nil }

    /// The object of an identifier; setting one adds it, setting nil takes it out.
    subscript(identifier: ObjectIdentifier) -> ManagedObject? {
        get { index(of: UInt(bitPattern: identifier)).flatMap { objects[$0] } }
        set { if let newValue { insert(newValue) } else { removeValue(forKey: identifier) } }
    }

    // MARK: Changing

    mutating func insert(_ object: ManagedObject) {
        let address = Self.address(object)
        guard index(of: address) == nil else { return }
        if objects.count - start >= count * 2 + Self.searchedLimit { closeGaps() }
        objects.append(object)
        count += 1
        if table.isEmpty ? objects.count > Self.searchedLimit : count * 2 > table.count { return rebuildTable() }
        if !table.isEmpty { enter(address, objects.count - 1) }
    }

    private mutating func enter(_ address: UInt, _ index: Int) {
        var place = home(address)
        while table[place] != 0 { place = (place + 1) & (table.count - 1) }
        table[place] = UInt32(truncatingIfNeeded: index + 1)
    }

    private mutating func closeGaps() {
        objects.removeAll { $0 == nil }
        start = 0
        if !table.isEmpty { rebuildTable() }
    }

    private mutating func rebuildTable() {
        var capacity = 32
        while capacity < count * 4 { capacity *= 2 }
        table = ContiguousArray(repeating: 0, count: capacity)
        for index in start..<objects.count where objects[index] != nil { enter(Self.address(objects[index]), index) }
    }

    @discardableResult
    mutating func removeValue(forKey identifier: ObjectIdentifier) -> ManagedObject? {
        let address = UInt(bitPattern: identifier)
        guard let index = index(of: address) else { return nil }
        if !table.isEmpty, let place = place(of: address) { vacate(place) }
        let object = objects[index]
        objects[index] = nil
        count -= 1
        if count == 0 {
            self = ObjectSet()
            return object
        }
        while objects[start] == nil { start += 1 }
        while let last = objects.last, last == nil { objects.removeLast() }
        return object
    }

    /// Empties a place of the table, and moves those behind it that were kept from their own.
    private mutating func vacate(_ place: Int) {
        let mask = table.count - 1
        var gap = place, next = place
        while true {
            next = (next + 1) & mask
            guard table[next] != 0 else { break }
            let wanted = home(Self.address(objects[Int(table[next]) - 1]))
            if (next - wanted) & mask >= (next - gap) & mask {
                table[gap] = table[next]
                gap = next
            }
        }
        table[gap] = 0
    }

    // MARK: Going through

    /// The objects in the order of joining.
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
