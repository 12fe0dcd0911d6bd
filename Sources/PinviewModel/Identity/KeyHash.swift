/// Hashing of primary keys for tables of one's own.
package enum KeyHash {
    /// A well mixed hash, but neighbours among the keys are neighbours in the table too: eight keys in a row share one place times eight.
    /// So reading along a sequence of keys stays in the cache, and keys that are multiples of something do not meet.
    @inlinable @inline(__always)
    package static func hash(_ key: Int64) -> UInt64 {
        var group = UInt64(bitPattern: key >> 3) &* 0x9E37_79B9_7F4A_7C15
        group ^= group >> 32
        return group << 3 | UInt64(bitPattern: key) & 7
    }
}
