import FoundationEssentials

/// A value of a property, a fetch result or a predicate.
///
/// Equality answers "has this property changed?": strings are equal if their UTF-8 bytes are (with
/// Swift's own `==`, a change from `é` to `e` + combining accent would be lost), NaN equals NaN,
/// and values of different cases are never equal (`.integer(1)` is not `.double(1)`). Comparing
/// numbers of different types is left to predicates.
public enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case binary([UInt8])
    case date(Date)
    case uuid(UUID)
    /// Indirect, so that the rare wide case does not enlarge every value.
    indirect case decimal(DecimalNumber)
    case objectID(ManagedObjectID)
}

extension Value {
    /// Whether the value is `.null`.
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The value of a `.boolean`; nil for every other case. Like all these accessors, it converts
    /// nothing.
    public var booleanValue: Bool? {
        if case .boolean(let value) = self { return value }
        return nil
    }

    /// The value of an `.integer`; nil for every other case.
    public var integerValue: Int64? {
        if case .integer(let value) = self { return value }
        return nil
    }

    /// The value of a `.double`; nil for every other case.
    public var doubleValue: Double? {
        if case .double(let value) = self { return value }
        return nil
    }

    /// The value of a `.string`; nil for every other case.
    public var stringValue: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The value of a `.binary`; nil for every other case.
    public var binaryValue: [UInt8]? {
        if case .binary(let value) = self { return value }
        return nil
    }

    /// The value of a `.date`; nil for every other case.
    public var dateValue: Date? {
        if case .date(let value) = self { return value }
        return nil
    }

    /// The value of a `.uuid`; nil for every other case.
    public var uuidValue: UUID? {
        if case .uuid(let value) = self { return value }
        return nil
    }

    /// The value of a `.decimal`; nil for every other case.
    public var decimalValue: DecimalNumber? {
        if case .decimal(let value) = self { return value }
        return nil
    }

    /// The value of an `.objectID`; nil for every other case.
    public var objectIDValue: ManagedObjectID? {
        if case .objectID(let value) = self { return value }
        return nil
    }

    /// The name of the value's type in error messages.
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
    /// A text for people: strings in double quotes, long text and data abbreviated.
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

/// Compares values of an ordered attribute. No comparison with NaN is true.
func isBelow(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.double(let left), .double(let right)): left < right
    case (.decimal(let left), .decimal(let right)): !left.isNaN && !right.isNaN && left < right
    case (.date(let left), .date(let right)): left.timeIntervalSinceReferenceDate < right.timeIntervalSinceReferenceDate
    default: false
    }
}
