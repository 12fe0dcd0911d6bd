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
    private var mask = 0
    /// The position of the oldest key when the ring was made, and the position after the newest one.
    private var start = 0, end = 0
    /// The position of the key that the next look-up asks for, if it follows the order.
    private var expected = 0

    deinit { keys?.deallocate() }

    private var capacity: Int { keys == nil ? 0 : mask &+ 1 }
    /// The position of the oldest key.
    private var first: Int { max(start, end &- mask &- 1) }

    /// Keeps as many keys as a table of a number of objects needs, from now on.
    mutating func reserve(_ count: Int) {
        var needed = max(capacity, 1)
        while needed < count { needed *= 2 }
        guard needed > capacity else { return }
        let more = UnsafeMutablePointer<UInt32>.allocate(capacity: needed)
        more.initialize(repeating: 0, count: needed)
        if let keys {
            start = first
            for position in start..<end { more[position & (needed - 1)] = keys[position & mask] }
            keys.deallocate()
        }
        (keys, mask) = (more, needed - 1)
    }

    mutating func removeAll() {
        keys?.deallocate()
        (keys, mask, start, end, expected) = (nil, 0, 0, 0, 0)
    }

    @inline(__always)
    mutating func append(_ key: Int64) {
        guard let keys else { return }
        keys[end & mask] = UInt32(truncatingIfNeeded: key)
        end &+= 1
    }

    /// Notes that a key is looked up.
    ///
    /// - Returns: whether this look-up follows the order, so that the next ones probably do.
    @inline(__always)
    mutating func follow(_ key: Int64) -> Bool {
        guard let keys else { return false }
        let key = UInt32(truncatingIfNeeded: key)
        if keys[expected & mask] == key {
            expected &+= 1
            return true
        }
        let first = first
        if keys[first & mask] != key { return false }
        expected = first &+ 1
        return true
    }

    /// The key that is probably looked up some look-ups after one that follows the order.
    @inline(__always)
    func key(_ distance: Int, after key: Int64) -> Int64 {
        guard let keys else { return key }
        return key & ~0xffff_ffff | Int64(keys[(expected &+ distance &- 1) & mask])
    }
}
