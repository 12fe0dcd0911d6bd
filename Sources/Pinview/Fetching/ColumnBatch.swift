import FoundationEssentials
import PinviewGenerations
import PinviewModel
import PinviewStore

/// Some rows of a column fetch. Immutable and usable on any thread, independently of stream and
/// context.
public struct ColumnBatch: Sendable {
    /// In the order of the request.
    public let columns: [Column]
    /// The number of rows, which all columns have.
    public let rowCount: Int

    init(_ descriptions: [ColumnDescription], _ batch: PackedBatch) {
        columns = zip(descriptions, batch.columns).map { Column(description: $0, data: $1) }
        rowCount = batch.rowCount
    }

    /// The column with a name; nil if there is none.
    public subscript(_ name: String) -> Column? { columns.first { $0.description.name == name } }
}

/// The values of one column of a batch.
public struct Column: RandomAccessCollection, Sendable {
    /// Name and type of the column.
    public let description: ColumnDescription
    package let data: ColumnData

    /// Owns the memory of the buffers.
    package var owner: AnyObject { data }
    /// The validity bits, the values or offsets, and the bytes of text and data.
    package var buffers: [UnsafeRawPointer?] { [data.validity, data.values] + (data.type.hasOffsets ? [data.bytes ?? data.values] : []) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { data.count }
    /// The number of nulls.
    public var nullCount: Int { data.nullCount }

    /// Whether the value in a row is null. True for a row out of bounds.
    public func isNull(_ row: Int) -> Bool { !indices.contains(row) || data.isNull(row) }

    /// The value in a row, as objects have it: the key of an object is an integer, its URI a
    /// string. Null for a row out of bounds.
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

    /// Calls a body with the numbers of a column, without copying them: `Int16`, `Int32`, `Int64`,
    /// `Float` or `Double` according to the column's type, `Int64` for dates (microseconds since
    /// 1970) and keys. Nulls are 0.
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

    /// Calls a body with the UTF-8 of a text or the bytes of data or of a UUID, without copying
    /// them. The buffer is empty for null and for other types.
    public func withBytes<R>(_ row: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        guard indices.contains(row) else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try withExtendedLifetime(data) { try body(data.bytes(row)) }
    }
}
