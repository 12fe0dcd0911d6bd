import FoundationEssentials
import Pinview

/// A Swift type of a typed object's attribute: numbers, `Bool`, `String`, `Date`, `UUID`,
/// `[UInt8]`, `DecimalNumber`, optionals of them, and enumerations with such raw values:
///
/// ```swift
/// enum Status: String, AttributeValue { case open, closed }
/// ```
///
/// The module `PinviewFoundation` adds `Data`, `Decimal`, `URL` and types that are `Codable`.
public protocol AttributeValue: ValueConvertible, ValueInitializable, Sendable {
    /// The type without optionality, which conditions compare with.
    associatedtype Base: AttributeValue = Self
    /// The types of attributes that can hold the type's values, the usual one first.
    static var attributeTypes: [AttributeType] { get }
    /// Whether null is a value of the type.
    static var includesNull: Bool { get }
    /// Like `init(pinviewValue:)`. Inlined for the common types.
    init?(attributeValue: Value)
}

extension AttributeValue {
    @inlinable public static var includesNull: Bool { false }
    @inlinable public init?(attributeValue: Value) { self.init(pinviewValue: attributeValue) }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    public var pinviewValue: Value { rawValue.pinviewValue }
    public static var attributeTypes: [AttributeType] { RawValue.attributeTypes }

    @inlinable public init?(pinviewValue: Value) { self.init(attributeValue: pinviewValue) }
    @inlinable public init?(attributeValue: Value) {
        guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: raw)
    }
}

extension Optional: ValueInitializable where Wrapped: ValueInitializable {
    public init?(pinviewValue: Value) {
        if pinviewValue.isNull {
            self = .none
        } else {
            guard let value = Wrapped(pinviewValue: pinviewValue) else { return nil }
            self = .some(value)
        }
    }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    public typealias Base = Wrapped
    public static var attributeTypes: [AttributeType] { Wrapped.attributeTypes }
    @inlinable public static var includesNull: Bool { true }

    @inlinable public init?(attributeValue: Value) {
        if case .null = attributeValue {
            self = .none
        } else {
            guard let value = Wrapped(attributeValue: attributeValue) else { return nil }
            self = .some(value)
        }
    }
}

extension String: AttributeValue, ValueInitializable {
    public static var attributeTypes: [AttributeType] { [.string, .uri] }
    public init?(pinviewValue: Value) { self.init(attributeValue: pinviewValue) }
    @inlinable public init?(attributeValue: Value) {
        guard case .string(let text) = attributeValue else { return nil }
        self = text
    }
}

extension Bool: AttributeValue, ValueInitializable {
    public static var attributeTypes: [AttributeType] { [.boolean] }
    public init?(pinviewValue: Value) { self.init(attributeValue: pinviewValue) }
    @inlinable public init?(attributeValue: Value) {
        guard case .boolean(let value) = attributeValue else { return nil }
        self = value
    }
}

extension Int64: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer64] }
    @inlinable public init?(attributeValue: Value) {
        guard case .integer(let number) = attributeValue else { return nil }
        self = number
    }
}

extension Int: AttributeValue {
    /// Setting a number that a narrower attribute cannot hold fails.
    public static var attributeTypes: [AttributeType] { [.integer64, .integer32, .integer16] }
    @inlinable public init?(attributeValue: Value) {
        guard case .integer(let number) = attributeValue else { return nil }
        self.init(exactly: number)
    }
}

extension Int32: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer32] }
    @inlinable public init?(attributeValue: Value) {
        guard case .integer(let number) = attributeValue else { return nil }
        self.init(exactly: number)
    }
}

extension Int16: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.integer16] }
    @inlinable public init?(attributeValue: Value) {
        guard case .integer(let number) = attributeValue else { return nil }
        self.init(exactly: number)
    }
}

extension Double: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.double, .float] }
    @inlinable public init?(attributeValue: Value) {
        guard case .double(let number) = attributeValue else { return nil }
        self = number
    }
}

extension Float: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.float] }
}

extension Date: AttributeValue, ValueInitializable {
    public static var attributeTypes: [AttributeType] { [.date] }
    public init?(pinviewValue: Value) { self.init(attributeValue: pinviewValue) }
    @inlinable public init?(attributeValue: Value) {
        guard case .date(let date) = attributeValue else { return nil }
        self = date
    }
}

extension UUID: AttributeValue, ValueInitializable {
    public static var attributeTypes: [AttributeType] { [.uuid] }
    public init?(pinviewValue: Value) { self.init(attributeValue: pinviewValue) }
    @inlinable public init?(attributeValue: Value) {
        guard case .uuid(let uuid) = attributeValue else { return nil }
        self = uuid
    }
}

extension DecimalNumber: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.decimal] }
}

extension [UInt8]: AttributeValue, ValueInitializable {
    public static var attributeTypes: [AttributeType] { [.binaryData, .transformable] }
    public init?(pinviewValue: Value) { self.init(attributeValue: pinviewValue) }
    @inlinable public init?(attributeValue: Value) {
        guard case .binary(let bytes) = attributeValue else { return nil }
        self = bytes
    }
}
