import Glibc

enum Bytes {
    /// Reads up to `count` bytes of a file; fewer at its end.
    static func read(_ count: Int, at offset: Int64, from descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(pread(descriptor, buffer.baseAddress, count, off_t(offset)), 0)
        }
    }
}
