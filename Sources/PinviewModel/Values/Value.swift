import FoundationEssentials

/// One value of a managed object's property, of a fetch result or of a predicate.
///
/// Equality is meant for "has this property changed": strings are equal if their UTF-8 bytes are equal (Swift's own `==`
/// would take `é` and `e` + combining accent for one text and lose the change), a NaN equals a NaN, and values of different
/// cases are never equal (`.integer(1)` is not `.double(1)`). Comparing numbers across types is the business of predicates.
public enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case binary([UInt8])
    case date(Date)
    case uuid(UUID)
    /// Boxed, so that the rare wide case does not widen every value.
    indirect case decimal(DecimalNumber)
    case objectID(ManagedObjectID)
}

extension Value {
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The value of a `.boolean`; nil for every other case (as with all accessors below: nothing is converted).
    public var booleanValue: Bool? {
        if case .boolean(let value) = self { return value }
        return nil
    }

    public var integerValue: Int64? {
        if case .integer(let value) = self { return value }
        return nil
    }

    public var doubleValue: Double? {
        if case .double(let value) = self { return value }
        return nil
    }

    public var stringValue: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    public var binaryValue: [UInt8]? {
        if case .binary(let value) = self { return value }
        return nil
    }

    public var dateValue: Date? {
        if case .date(let value) = self { return value }
        return nil
    }

    public var uuidValue: UUID? {
        if case .uuid(let value) = self { return value }
        return nil
    }

    public var decimalValue: DecimalNumber? {
        if case .decimal(let value) = self { return value }
        return nil
    }

    public var objectIDValue: ManagedObjectID? {
        if case .objectID(let value) = self { return value }
        return nil
    }

    /// What an error message calls the type of this value.
    package var typeName: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .double: "double"
        case .string: "string"
        case .binary: "binary data"
        case .date: "date"
        case .uuid: "UUID"
        case .decimal: "decimal"
        case .objectID: "object ID"
        }
    }
}

extension Value: Hashable {
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): isSame(left, right)
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.binary(let left), .binary(let right)): left == right
        case (.date(let left), .date(let right)):
            isSame(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
        case (.uuid(let left), .uuid(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right
        case (.objectID(let left), .objectID(let right)): left == right
        default: false
        }
    }

    private static func isSame(_ left: Double, _ right: Double) -> Bool {
        left == right || (left.isNaN && right.isNaN)
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null:
            hasher.combine(0 as UInt8)
        case .boolean(let value):
            hasher.combine(1 as UInt8)
            hasher.combine(value)
        case .integer(let value):
            hasher.combine(2 as UInt8)
            hasher.combine(value)
        case .double(let value):
            hasher.combine(3 as UInt8)
            hasher.combine(value.isNaN ? Double.nan : value)
        case .string(let value):
            hasher.combine(4 as UInt8)
            value.hashBytes(into: &hasher)
        case .binary(let value):
            hasher.combine(5 as UInt8)
            hasher.combine(value)
        case .date(let value):
            hasher.combine(6 as UInt8)
            let seconds = value.timeIntervalSinceReferenceDate
            hasher.combine(seconds.isNaN ? Double.nan : seconds)
        case .uuid(let value):
            hasher.combine(7 as UInt8)
            hasher.combine(value)
        case .decimal(let value):
            hasher.combine(8 as UInt8)
            hasher.combine(value)
        case .objectID(let value):
            hasher.combine(9 as UInt8)
            hasher.combine(value)
        }
    }
}

extension Value: CustomStringConvertible {
    /// For people: strings in double quotes, long texts and data cut short.
    public var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .string(let value): value.quotedForPeople
        case .binary(let value): "<\(value.count) bytes>"
        case .date(let value): "<date \(value.timeIntervalSinceReferenceDate) s after 2001-01-01 UTC>"
        case .uuid(let value): value.uuidString
        case .decimal(let value): value.description
        case .objectID(let value): value.uriRepresentation
        }
    }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}
