import Glibc

/// The type of a column's values, and with it their layout in memory, which is Apache Arrow's.
package enum ColumnLayout: String, Hashable, Sendable {
    /// One bit per value, the lowest bit first.
    case boolean
    case int16, int32, int64
    case float, double
    /// 64 bits: microseconds since 1970-01-01 00:00 UTC.
    case timestamp
    /// UTF-8 and bytes: 32-bit offsets, one more than there are values, and the bytes one after
    /// another.
    case text, binary
    /// 16 bytes per value.
    case uuid

    package var hasOffsets: Bool { self == .text || self == .binary }

    /// The number of bits per value, without the bytes that its offsets refer to.
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

/// The values of one column of a batch. Immutable; any thread may read and release it.
package final class ColumnData: @unchecked Sendable {
    package let type: ColumnLayout
    package let count: Int
    package let nullCount: Int
    /// One bit per value, the lowest bit first: 1 for a value, 0 for NULL. nil if there are no
    /// NULLs.
    package let validity: UnsafeRawPointer?
    /// The values, or the offsets of text and bytes. A NULL has the value 0.
    package let values: UnsafeRawPointer
    /// The bytes that the offsets refer to.
    package let bytes: UnsafeRawPointer?
    private let owned: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer, UnsafeMutableRawPointer?)

    /// Takes ownership of memory allocated with `malloc`.
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

    /// The bytes of a text, binary value or UUID; empty for NULL.
    package func bytes(_ row: Int) -> UnsafeRawBufferPointer {
        guard type.hasOffsets else {
            return type == .uuid
                ? UnsafeRawBufferPointer(start: values + row * 16, count: 16) : UnsafeRawBufferPointer(start: nil, count: 0)
        }
        let start = Int(values.load(fromByteOffset: row * 4, as: Int32.self))
        let end = Int(values.load(fromByteOffset: row * 4 + 4, as: Int32.self))
        return UnsafeRawBufferPointer(start: bytes.map { $0 + start }, count: bytes == nil ? 0 : end - start)
    }

    /// The size of the column in memory, in bytes.
    package var byteCount: Int {
        let heap = type.hasOffsets ? Int(values.load(fromByteOffset: count * 4, as: Int32.self)) : 0
        return (validity == nil ? 0 : (count + 7) / 8) + (count * type.bitWidth + 7) / 8 + heap
    }
}
