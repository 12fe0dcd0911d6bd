import FoundationEssentials
import PinviewGenerations
import PinviewModel
import PinviewStore

/// Some rows of a fetch of columns. Immutable; any thread may use it, and it needs neither stream
/// nor context any more.
public struct ColumnBatch: Sendable {
    /// In the order of the request.
    public let columns: [Column]
    public let rowCount: Int

    init(_ descriptions: [ColumnDescription], _ batch: PackedBatch) {
        columns = zip(descriptions, batch.columns).map { Column(description: $0, data: $1) }
        rowCount = batch.rowCount
    }

    /// The column of a name; nil if there is none.
    public subscript(_ name: String) -> Column? { columns.first { $0.description.name == name } }
}

/// The values of one column of a batch.
public struct Column: RandomAccessCollection, Sendable {
    public let description: ColumnDescription
    package let data: ColumnData

    /// What keeps the memory of the buffers.
    package var owner: AnyObject { data }
    /// NULL bits, values or offsets, and the bytes of texts and data.
    package var buffers: [UnsafeRawPointer?] { [data.validity, data.values] + (data.type.hasOffsets ? [data.bytes ?? data.values] : []) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { data.count }
    public var nullCount: Int { data.nullCount }

    public func isNull(_ row: Int) -> Bool { !indices.contains(row) || data.isNull(row) }

    /// The value of a row as objects have it: the key of an object is an integer, its URI a text.
    /// Null for a row that is not there.
    public subscript(_ row: Int) -> Value {
        guard indices.contains(row), !data.isNull(row) else { return .null }
        switch data.type {
        case .boolean: return .boolean(data.values.load(fromByteOffset: row >> 3, as: UInt8.self) >> UInt8(row & 7) & 1 == 1)
        case .int16: return .integer(Int64(data.values.load(fromByteOffset: row * 2, as: Int16.self)))
        case .int32: return .integer(Int64(data.values.load(fromByteOffset: row * 4, as: Int32.self)))
        case .int64: return .integer(data.values.load(fromByteOffset: row * 8, as: Int64.self))
        case .float: return .double(Double(data.values.load(fromByteOffset: row * 4, as: Float.self)))
        case .double: return .double(data.values.load(fromByteOffset: row * 8, as: Double.self))
        case .timestamp:
            let microseconds = data.values.load(fromByteOffset: row * 8, as: Int64.self) - 978_307_200_000_000
            return .date(Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000))
        case .text:
            let text = String(decoding: data.bytes(row), as: UTF8.self)
            return description.type == .decimal ? .decimal(DecimalNumber(text) ?? .notANumber) : .string(text)
        case .binary: return .binary(Array(data.bytes(row)))
        case .uuid: return .uuid(UUID(uuid: data.bytes(row).loadUnaligned(as: uuid_t.self)))
        }
    }

    /// The numbers of a column of the same width, one after the other, without copying them:
    /// `Int16`, `Int32`, `Int64`, `Float` or `Double` as the column's type is, `Int64` for dates
    /// (microseconds since 1970) and keys. What stands for nil is 0.
    ///
    /// - Returns: nil for a column of another type.
    public func withNumbers<Number: BitwiseCopyable, R>(
        of type: Number.Type = Number.self, _ body: (UnsafeBufferPointer<Number>) throws -> R
    ) rethrows -> R? {
        let isOfType =
            switch data.type {
            case .int16: type == Int16.self
            case .int32: type == Int32.self
            case .int64, .timestamp: type == Int64.self
            case .float: type == Float.self
            case .double: type == Double.self
            case .boolean, .text, .binary, .uuid: false
            }
        guard isOfType else { return nil }
        return try withExtendedLifetime(data) {
            try body(UnsafeBufferPointer(start: data.values.assumingMemoryBound(to: Number.self), count: data.count))
        }
    }

    /// The UTF-8 of a text, the bytes of data or of a UUID, without copying them; none for nil and
    /// for other types.
    public func withBytes<R>(_ row: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        guard indices.contains(row) else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try withExtendedLifetime(data) { try body(data.bytes(row)) }
    }
}
