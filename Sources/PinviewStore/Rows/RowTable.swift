import CPlatform
import PinviewModel

/// The cached rows of one store and entity hierarchy, by primary key: a hash table with open
/// addressing and 16 bytes per slot. Separate from the contexts' identity tables, since entries
/// count contexts and have a row each.
struct RowTable {
    /// A row's location in the cache: the number of its batch, and its number in the batch's block;
    /// 0 for none.
    struct Location: Equatable {
        fileprivate(set) var bits: UInt64

        static let none = Location(bits: 0)
        static let blockLimit = 1 << 28, rowLimit = 1 << 16

        /// - Parameter block: at least 1.
        init(block: Int, row: Int) { bits = UInt64(block) << 16 | UInt64(row) }
        fileprivate init(bits: UInt64) { self.bits = bits }

        var block: Int { Int(bits >> 16) }
        var row: Int { Int(bits & 0xffff) }
    }

    /// A key registered by some context. The lowest 20 bits are the number of registrations, the
    /// others the location of the newest row.
    struct Entry {
        let key: Int64
        fileprivate var bits: UInt64

        private static let countBits: UInt64 = 20, mostCounts: UInt64 = 1 << 20 - 1
        /// The `bits` of a removed entry, past which a search continues. It has no registrations,
        /// and there is no such location.
        fileprivate static let tombstone: UInt64 = 1 << 20

        fileprivate init(key: Int64, bits: UInt64 = 0) {
            self.key = key
            self.bits = bits
        }

        /// Whether some context has registered the key. Otherwise the slot is empty or a tombstone.
        fileprivate var isLive: Bool { bits & Self.mostCounts != 0 }

        var count: Int { Int(bits & Self.mostCounts) }

        /// A count that reaches a million stays there for ever.
        mutating func addToCount(_ difference: Int) { if count < Self.mostCounts { bits = bits &+ UInt64(bitPattern: Int64(difference)) } }

        var location: Location {
            get { Location(bits: bits >> Self.countBits) }
            set { bits = newValue.bits << Self.countBits | bits & Self.mostCounts }
        }
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var mask: Int
    private(set) var count = 0
    /// Slots that are not empty: entries and tombstones.
    private var used = 0

    private static let smallest = 8

    init() {
        mask = Self.smallest - 1
        entries = Self.allocate(Self.smallest)
    }

    func deallocate() { entries.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: capacity)
        entries.initialize(repeating: Entry(key: 0), count: capacity)
        return entries
    }

    /// The index of a key's entry, valid until the table changes; nil if no context has registered
    /// the key.
    @inline(__always)
    func index(of key: Int64) -> Int? {
        var index = Int(truncatingIfNeeded: pinview_hash_key(key)) & mask
        while entries[index].bits != 0 {
            if entries[index].key == key, entries[index].isLive { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Begins to load the slots where a search for a key starts into the processor's cache.
    @inline(__always)
    func prefetch(_ key: Int64) {
        let start = entries + (Int(truncatingIfNeeded: pinview_hash_key(key)) & mask)
        pinview_prefetch(start)
        // A cache line has four.
        pinview_prefetch(start + 4)
    }

    subscript(index: Int) -> Entry {
        @inline(__always) get { entries[index] }
        @inline(__always) nonmutating set { entries[index] = newValue }
    }

    /// Counts one more registration of a key.
    /// - Returns: the index of its entry.
    @discardableResult
    mutating func register(_ key: Int64) -> Int {
        reserve(1)
        var index = Int(truncatingIfNeeded: pinview_hash_key(key)) & mask
        var free = -1
        while entries[index].bits != 0 {
            if !entries[index].isLive {
                if free < 0 { free = index }
            } else if entries[index].key == key {
                entries[index].addToCount(1)
                return index
            }
            index = (index + 1) & mask
        }
        if free < 0 {
            free = index
            used += 1
        }
        var entry = Entry(key: key)
        entry.addToCount(1)
        entries[free] = entry
        count += 1
        return free
    }

    /// Reserves room for more keys.
    mutating func reserve(_ additional: Int) {
        // At most three quarters of the slots are used.
        if (used + additional) * 4 <= (mask + 1) * 3 { return }
        var capacity = Self.smallest
        while (count + additional) * 4 > capacity * 3 { capacity *= 2 }
        // If only tombstones filled the table, avoid resizing again soon.
        if capacity <= mask + 1, (count + additional) * 8 > capacity * 5 { capacity *= 2 }
        resize(to: capacity)
    }

    private mutating func resize(to capacity: Int) {
        let old = entries, oldCapacity = mask + 1
        entries = Self.allocate(capacity)
        mask = capacity - 1
        used = count
        for index in 0..<oldCapacity where old[index].isLive {
            var target = Int(truncatingIfNeeded: pinview_hash_key(old[index].key)) & mask
            while entries[target].bits != 0 { target = (target + 1) & mask }
            entries[target] = old[index]
        }
        old.deallocate()
    }

    /// Removes an entry.
    mutating func remove(at removed: Int) {
        count -= 1
        entries[removed] = Entry(key: 0, bits: Entry.tombstone)
        // Tombstones before an empty slot can become empty too.
        if entries[(removed + 1) & mask].bits == 0 {
            var index = removed
            while entries[index].bits == Entry.tombstone {
                entries[index].bits = 0
                used -= 1
                index = (index - 1) & mask
            }
        }
        if mask >= Self.smallest * 8, count < mask / 8 { resize(to: (mask + 1) / 4) }
    }

    /// The indexes of all entries.
    var indices: some Sequence<Int> {
        let entries = entries
        return (0...mask).lazy.filter { entries[$0].isLive }
    }
}
