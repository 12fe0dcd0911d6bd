import CSQLite
import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Cells as values.
extension RowBlock {
    /// The value of an attribute in one of its cells.
    func value(row: Int, column: Int, of attribute: Property, externalData: ExternalDataDirectory?) -> Value {
        let type = type(row: row, column: column)
        if type == SQLITE_NULL { return .null }
        switch attribute.attributeType {
        case .string, .uri: return .string(string(row: row, column: column))
        case .integer16, .integer32, .integer64: return .integer(int64(row: row, column: column))
        case .double, .float: return .double(double(row: row, column: column))
        case .boolean: return .boolean(int64(row: row, column: column) != 0)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(row: row, column: column)))
        case .decimal: return .decimal(decimal(row, column, type: type))
        case .uuid: return uuid(row, column)
        case .binaryData:
            let bytes = bytes(row, column)
            return attribute.allowsExternalBinaryDataStorage
                ? Self.externalBinary(bytes, externalData).map { .binary($0) } ?? .null : .binary(bytes)
        case .transformable: return .binary(bytes(row, column))
        case .undefined: return .null
        }
    }

    /// A computed value in the form in which SQLite gives it.
    func computedValue(row: Int, column: Int) -> Value {
        switch type(row: row, column: column) {
        case SQLITE_INTEGER: .integer(int64(row: row, column: column))
        case SQLITE_FLOAT: .double(double(row: row, column: column))
        case SQLITE_TEXT: .string(string(row: row, column: column))
        case SQLITE_BLOB: .binary(bytes(row, column))
        default: .null
        }
    }

    private func bytes(_ row: Int, _ column: Int) -> [UInt8] { withBytes(row: row, column: column) { Array($0) } }

    private func decimal(_ row: Int, _ column: Int, type: Int32) -> DecimalNumber {
        switch type {
        case SQLITE_INTEGER: DecimalNumber(int64(row: row, column: column))
        case SQLITE_FLOAT: DecimalNumber(double(row: row, column: column))
        default: DecimalNumber(string(row: row, column: column)) ?? .notANumber
        }
    }

    private func uuid(_ row: Int, _ column: Int) -> Value {
        let uuid = withBytes(row: row, column: column) { bytes -> UUID? in
            bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        }
        if let uuid { return .uuid(uuid) }
        return UUID(uuidString: string(row: row, column: column)).map { .uuid($0) } ?? .null
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
