/// The order in which the objects of an ``IdentityTable`` were entered.
///
/// Programs that keep objects or IDs mostly go through them in the order in which they came. A
/// look-up that follows this order can load what the next ones need, which hides most of the time
/// that look-ups among many objects wait for memory. Nothing but speed depends on it: it keeps the
/// lower halves of the latest keys, also of objects that are gone, and a wrong guess costs a few
/// instructions.
struct RegistrationOrder: ~Copyable {
    /// A ring of the latest keys; without memory until the table is worth it.
    private var keys: UnsafeMutablePointer<UInt32>?
    private var capacity = 0
    private var count = 0
    /// Where the next key goes.
    private var end = 0
    /// Where the key is that the next look-up asks for, if it follows the order.
    private var expected = 0

    deinit { keys?.deallocate() }

    /// Where the oldest key is.
    private var first: Int { count < capacity ? 0 : end }

    /// Keeps so many keys, from now on.
    mutating func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        let more = UnsafeMutablePointer<UInt32>.allocate(capacity: needed)
        more.initialize(repeating: 0, count: needed)
        if let keys {
            let first = first
            for number in 0..<count { more[number] = keys[(first + number) % capacity] }
            expected = (expected + capacity - first) % capacity
            keys.deallocate()
        }
        (keys, capacity, end) = (more, needed, count)
    }

    mutating func removeAll() {
        keys?.deallocate()
        (keys, capacity, count, end, expected) = (nil, 0, 0, 0, 0)
    }

    @inline(__always)
    mutating func append(_ key: Int64) {
        guard let keys else { return }
        keys[end] = UInt32(truncatingIfNeeded: key)
        end &+= 1
        count = max(count, end)
        if end == capacity { end = 0 }
    }

    /// Notes that a key is looked up.
    ///
    /// - Returns: whether this look-up follows the order, so that the next ones probably do.
    @inline(__always)
    mutating func follow(_ key: Int64) -> Bool {
        guard let keys else { return false }
        let key = UInt32(truncatingIfNeeded: key)
        if keys[expected] != key {
            // A loop may begin.
            guard keys[first] == key else { return false }
            expected = first
        }
        expected = expected &+ 1 == capacity ? 0 : expected &+ 1
        return true
    }

    /// The key that is probably looked up some look-ups after one that follows the order.
    ///
    /// - Parameter distance: at least 1, and at most the number of keys that are kept.
    @inline(__always)
    func key(_ distance: Int, after key: Int64) -> Int64 {
        guard let keys else { return key }
        let index = expected &+ distance &- 1
        return key & ~0xffff_ffff | Int64(keys[index < capacity ? index : index &- capacity])
    }
}
