import CSQLite
import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Cells as values.
extension RowBlock {
    /// The value of an attribute in one of its cells.
    func value(row: Int, column: Int, of attribute: Property, externalData: @autoclosure () -> ExternalDataDirectory?) -> Value {
        let cell = cell(row: row, column: column)
        if cell.type == SQLITE_NULL { return .null }
        switch attribute.attributeType {
        case .string, .uri: return .string(string(cell))
        case .integer16, .integer32, .integer64: return .integer(int64(cell))
        case .double, .float: return .double(double(cell))
        case .boolean: return .boolean(int64(cell) != 0)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(cell)))
        case .decimal: return .decimal(decimal(cell))
        case .uuid: return uuid(cell)
        case .binaryData:
            let bytes = Array(bytes(cell))
            return attribute.allowsExternalBinaryDataStorage
                ? Self.externalBinary(bytes, externalData()).map { .binary($0) } ?? .null : .binary(bytes)
        case .transformable: return .binary(Array(bytes(cell)))
        case .undefined: return .null
        }
    }

    /// A computed value in the form in which SQLite gives it.
    func computedValue(row: Int, column: Int) -> Value {
        let cell = cell(row: row, column: column)
        return switch cell.type {
        case SQLITE_INTEGER: .integer(int64(cell))
        case SQLITE_FLOAT: .double(double(cell))
        case SQLITE_TEXT: .string(string(cell))
        case SQLITE_BLOB: .binary(Array(bytes(cell)))
        default: .null
        }
    }

    private func decimal(_ cell: Cell) -> DecimalNumber {
        switch cell.type {
        case SQLITE_INTEGER: DecimalNumber(int64(cell))
        case SQLITE_FLOAT: DecimalNumber(double(cell))
        default: DecimalNumber(string(cell)) ?? .notANumber
        }
    }

    private func uuid(_ cell: Cell) -> Value {
        let bytes = bytes(cell)
        if bytes.count == 16 { return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) }
        return UUID(uuidString: string(cell)).map { .uuid($0) } ?? .null
    }

    /// The 16 bytes of a UUID that is written out.
    static func uuidBytes(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        UUID(uuidString: String(decoding: text, as: UTF8.self)).map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
    }

    /// Data with a marker in front: inline, or in a file of its own, which may have gone.
    static func externalBinary(_ bytes: some Collection<UInt8>, _ externalData: ExternalDataDirectory?) -> [UInt8]? {
        switch bytes.first {
        case ExternalDataDirectory.inlineMarker: Array(bytes.dropFirst())
        case ExternalDataDirectory.fileMarker: externalData?.contents(named: bytes.dropFirst())
        default: Array(bytes)
        }
    }
}
