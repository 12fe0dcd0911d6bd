import Glibc

/// What the values of a column are, and with that how they lie in memory: Apache Arrow's layouts.
package enum ColumnLayout: String, Hashable, Sendable {
    /// One bit for each value, the lowest one first.
    case boolean
    case int16, int32, int64
    case float, double
    /// 64 bits: microseconds since 1970-01-01 00:00 UTC.
    case timestamp
    /// UTF-8 and bytes: 32-bit offsets, one more than there are values, and all bytes one after the other.
    case text, binary
    /// 16 bytes each.
    case uuid

    package var hasOffsets: Bool { self == .text || self == .binary }

    /// The bits of one value, without those that its offsets lead to.
    var bitWidth: Int {
        switch self {
        case .boolean: 1
        case .int16: 16
        case .int32, .float, .text, .binary: 32
        case .int64, .double, .timestamp: 64
        case .uuid: 128
        }
    }
}

/// The values of one column of one batch. Immutable; any thread may read it and let go of it.
package final class ColumnData: @unchecked Sendable {
    package let type: ColumnLayout
    package let count: Int
    package let nullCount: Int
    /// One bit for each value, the lowest one first: 1 for a value, 0 for NULL. Nil where there is no NULL.
    package let validity: UnsafeRawPointer?
    /// The values, or the offsets of texts and bytes. What stands for a NULL is zero.
    package let values: UnsafeRawPointer
    /// The bytes that the offsets lead to.
    package let bytes: UnsafeRawPointer?
    private let owned: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer?)

    /// Takes over memory of `malloc`.
    init(
        type: ColumnLayout, count: Int, nullCount: Int, validity: UnsafeMutableRawPointer?, values: UnsafeMutableRawPointer,
        bytes: UnsafeMutableRawPointer?
    ) {
        self.type = type
        self.count = count
        self.nullCount = nullCount
        self.validity = UnsafeRawPointer(validity)
        self.values = UnsafeRawPointer(values)
        self.bytes = UnsafeRawPointer(bytes)
        owned = (validity, values, bytes)
    }

    deinit {
        free(owned.0)
        free(owned.1)
        free(owned.2)
    }

    package func isNull(_ row: Int) -> Bool {
        guard let validity else { return false }
        return validity.load(fromByteOffset: row >> 3, as: UInt8.self) >> UInt8(row & 7) & 1 == 0
    }

    /// The bytes of a text, of binary data or of a UUID; of a NULL none.
    package func bytes(_ row: Int) -> UnsafeRawBufferPointer {
        guard type.hasOffsets else {
            return type == .uuid
                ? UnsafeRawBufferPointer(start: values + row * 16, count: 16) : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let start = Int(values.load(fromByteOffset: row * 4, as: Int32.self))
        let end = Int(values.load(fromByteOffset: row * 4 + 4, as: Int32.self))
        return UnsafeRawBufferPointer(start: bytes.map { $0 + start }, count: bytes == nil ? 0 : end - start)
    }

    /// How many bytes of memory it has.
    package var byteCount: Int {
        let heap = type.hasOffsets ? Int(values.load(fromByteOffset: count * 4, as: Int32.self)) : 0
        return (validity == nil ? 0 : (count + 7) / 8) + (count * type.bitWidth + 7) / 8 + heap
    }
}
