import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Receives the value of a cell: an object's slot, a C value, a column of a binding.
///
/// ``CellKind/decode(_:_:bytes:into:)`` calls exactly one of these functions for each cell.
@usableFromInline
package protocol CellSink {
    associatedtype Output
    mutating func takeNull() -> Output
    mutating func take(integer: Int64) -> Output
    mutating func take(boolean: Bool) -> Output
    mutating func take(real: Double) -> Output
    /// - Parameter date: seconds since the reference date.
    mutating func take(date: Double) -> Output
    /// - Parameter text: the bytes in the file, which may be invalid UTF-8.
    mutating func take(text: UnsafeRawBufferPointer) -> Output
    mutating func take(binary: UnsafeRawBufferPointer) -> Output
    /// - Parameter reference: the primary key of a to-one relationship's destination.
    mutating func take(reference: Int64) -> Output
    /// Takes decimals, UUIDs, data in files, and cells of another type than the property's, all of
    /// which must be made or converted.
    mutating func takeOther() -> Output
}

extension CellKind {
    /// The one place that maps a property's kind and a cell's type to a value. Inlined, together
    /// with the sink, into each caller.
    ///
    /// - Parameters:
    ///   - type: the type of the cell.
    ///   - bits: an integer, or the bits of a real.
    ///   - bytes: the bytes of a text or a blob, valid as long as the row's block.
    @inlinable @inline(__always)
    package func decode<Sink: CellSink>(
        _ type: CellType, _ bits: Int64, bytes: @autoclosure () -> UnsafeRawBufferPointer, into sink: inout Sink
    ) -> Sink.Output {
        switch (self, type) {
        case (_, .null): sink.takeNull()
        case (.integer, .integer): sink.take(integer: bits)
        case (.boolean, .integer): sink.take(boolean: bits != 0)
        case (.real, .real): sink.take(real: Double(bitPattern: UInt64(bitPattern: bits)))
        case (.date, .real): sink.take(date: Double(bitPattern: UInt64(bitPattern: bits)))
        case (.text, .text): sink.take(text: bytes())
        case (.binary, .blob): sink.take(binary: bytes())
        case (.reference, .integer): sink.take(reference: bits)
        default: sink.takeOther()
        }
    }

    /// Decodes a cell after converting it to the property's type as SQLite would: a number in a
    /// text column becomes its digits, a text in an integer column the number that it starts with.
    ///
    /// - Returns: nil for kinds that numbers and texts cannot represent. The sink receives nothing
    ///   then.
    @inlinable
    package func decodeConverted<Sink: CellSink>(_ cell: RowBlock.Cell, in block: RowBlock, into sink: inout Sink) -> Sink.Output? {
        switch self {
        case .integer: return sink.take(integer: block.int64(cell))
        case .boolean: return sink.take(boolean: block.int64(cell) != 0)
        case .real: return sink.take(real: block.double(cell))
        case .date: return sink.take(date: block.double(cell))
        case .text:
            // Invalid UTF-8 becomes U+FFFD.
            var text = block.string(cell)
            return text.withUTF8 { bytes in sink.take(text: UnsafeRawBufferPointer(bytes)) }
        case .reference: return sink.take(reference: block.int64(cell))
        case .decimal, .uuid, .binary, .externalBinary, .none: return nil
        }
    }
}

/// Makes the value of a cell; nil if that takes more than the cell.
@frozen
@usableFromInline
package struct ValueSink: CellSink {
    /// ThreadSanitizer follows the address of what is passed by reference, and something empty has
    /// none.
    @usableFromInline var isUsed = true
    @inlinable package init() {}
    @inlinable package func takeNull() -> Value? { .null }
    @inlinable package func take(integer: Int64) -> Value? { .integer(integer) }
    @inlinable package func take(boolean: Bool) -> Value? { .boolean(boolean) }
    @inlinable package func take(real: Double) -> Value? { .double(real) }
    @inlinable package func take(date: Double) -> Value? { .date(Date(timeIntervalSinceReferenceDate: date)) }
    @inlinable package func take(text: UnsafeRawBufferPointer) -> Value? { .string(String(decoding: text, as: UTF8.self)) }
    @inlinable package func take(binary: UnsafeRawBufferPointer) -> Value? { .binary(Array(binary)) }
    @inlinable package func take(reference: Int64) -> Value? { nil }
    @inlinable package func takeOther() -> Value? { nil }
}
