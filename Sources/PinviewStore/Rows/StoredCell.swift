import PinviewModel

/// A value as it is stored in a column.
enum StoredCell: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Text is equal if its bytes are. Swift's strings are equal when they look the same, and SQLite's
    /// are not.
    static func == (left: StoredCell, right: StoredCell) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    /// The cell that is read after writing a value to an attribute's column, affinity included.
    /// - Throws: `wrongType` for a value that the column cannot hold without loss.
    init(_ value: Value, for attribute: Property) throws(PinviewError) {
        if let cell = try Self.cell(value, attribute) {
            self = cell
            return
        }
        guard let cell = try Self.cell(try attribute.convert(value), attribute) else { throw attribute.wrongType(value) }
        self = cell
    }

    private static func cell(_ value: Value, _ attribute: Property) throws(PinviewError) -> StoredCell? {
        switch (attribute.attributeType, value) {
        case (_, .null): return .null
        case (.string, .string(let text)), (.uri, .string(let text)): return .text(text)
        case (.integer16, .integer(let integer)), (.integer32, .integer(let integer)), (.integer64, .integer(let integer)):
            return .integer(integer)
        case (.boolean, .boolean(let flag)): return .integer(flag ? 1 : 0)
        case (.double, .double(let double)), (.float, .double(let double)):
            guard !double.isNaN else { throw notANumber(value, attribute) }
            return .real(double + 0.0)  // SQLite keeps no negative zero
        case (.date, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate
            guard !seconds.isNaN else { throw notANumber(value, attribute) }
            return numeric(seconds)
        case (.decimal, .decimal(let decimal)):
            guard let cell = cell(decimal) else { throw tooManyDigits(decimal, attribute) }
            return cell
        case (.uuid, .uuid(let uuid)): return .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case (.binaryData, .binary(let bytes)), (.transformable, .binary(let bytes)):
            return .blob(attribute.allowsExternalBinaryDataStorage ? [ExternalDataDirectory.inlineMarker] + bytes : bytes)
        default: return nil
        }
    }

    /// The cell as a value, whatever it stands for.
    fileprivate var value: Value {
        switch self {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): .double(real)
        case .text(let text): .string(text)
        case .blob(let bytes): .binary(bytes)
        }
    }

    /// A number in a column of numeric affinity, which turns whole reals into integers.
    private static func numeric(_ value: Double) -> StoredCell {
        if let integer = Int64(exactly: value), integer > Int64.min { return .integer(integer) }
        return .real(value)
    }

    /// A decimal as an integer, as a real with the same shortest text, or as the text "NaN"; nil if
    /// it is none of these.
    static func cell(_ decimal: DecimalNumber) -> StoredCell? {
        if decimal.isNaN { return .text("NaN") }
        if let integer = decimal.int64Value { return .integer(integer) }
        let double = decimal.doubleValue
        return DecimalNumber(double) == decimal ? .real(double) : nil
    }

    private static func notANumber(_ value: Value, _ attribute: Property) -> PinviewError {
        PinviewError(.wrongType, "\(attribute.qualifiedName) is NaN, which SQLite cannot store. Set it to a number or to nil.")
            .with(validationKey: attribute.name, validationValue: value)
    }

    private static func tooManyDigits(_ decimal: DecimalNumber, _ attribute: Property) -> PinviewError {
        PinviewError(
            .wrongType,
            "\(attribute.qualifiedName) is \(decimal), which a decimal column cannot hold without loss. "
                + "It holds whole numbers of 64 bits and numbers of up to 15 digits. Round it."
        ).with(validationKey: attribute.name, validationValue: .decimal(decimal))
    }
}

extension Property {
    /// What a cell of the attribute would hold for a value.
    /// - Throws: `wrongType` for a value that the column cannot hold without loss.
    package func cellValue(for value: Value) throws(PinviewError) -> Value { try StoredCell(value, for: self).value }
}
