import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Values of cells.
extension RowBlock {
    /// The value of an attribute in a cell; null for data that cannot be read
    /// (``RowSnapshot/data(of:objectID:)``).
    @inline(__always)
    func value(row: Int, column: Int, of attribute: Property, externalData: @autoclosure () -> ExternalDataDirectory?) -> Value {
        let cell = cell(row: row, column: column)
        var sink = ValueSink()
        return attribute.cellKind.decode(cell.type, cell.bits, bytes: bytes(at: cell.bits), into: &sink)
            ?? value(ofUncommon: cell, attribute.cellKind, externalData: externalData)
    }

    /// The value of a cell that takes more than the cell.
    @inline(never)
    private func value(ofUncommon cell: Cell, _ kind: CellKind, externalData: () -> ExternalDataDirectory?) -> Value {
        switch kind {
        case .integer, .boolean, .real, .date, .text, .reference:
            var sink = ValueSink()
            return kind.decodeConverted(cell, in: self, into: &sink).flatMap { $0 } ?? .null
        case .decimal: return .decimal(decimal(cell))
        case .uuid: return uuid(cell)
        case .binary: return .binary(Array(bytes(cell)))
        case .externalBinary: return (try? ExternalDataDirectory.data(in: bytes(cell), externalData())).map { .binary($0) } ?? .null
        case .none: return .null
        }
    }

    /// A computed value, as SQLite returned it.
    func computedValue(row: Int, column: Int) -> Value {
        let cell = cell(row: row, column: column)
        return switch cell.type {
        case .integer: .integer(int64(cell))
        case .real: .double(double(cell))
        case .text: .string(string(cell))
        case .blob: .binary(Array(bytes(cell)))
        default: .null
        }
    }

    private func decimal(_ cell: Cell) -> DecimalNumber {
        switch cell.type {
        case .integer: DecimalNumber(int64(cell))
        case .real: DecimalNumber(double(cell))
        default: DecimalNumber(string(cell)) ?? .notANumber
        }
    }

    private func uuid(_ cell: Cell) -> Value {
        let bytes = bytes(cell)
        if bytes.count == 16 { return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) }
        return UUID(uuidString: string(cell)).map { .uuid($0) } ?? .null
    }

    /// The 16 bytes of a UUID given as text.
    static func uuidBytes(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        UUID(uuidString: String(decoding: text, as: UTF8.self)).map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
    }
}
