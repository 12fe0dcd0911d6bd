import FoundationEssentials

/// A Swift type whose values can be used wherever a property value is expected.
public protocol ValueConvertible {
    /// The value as a property value, without loss.
    var pinviewValue: Value { get }
}

extension Value: ValueConvertible {
    public var pinviewValue: Value { self }
}

extension String: ValueConvertible {
    public var pinviewValue: Value { .string(self) }
}

extension Int: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension Substring: ValueConvertible {
    public var pinviewValue: Value { .string(String(self)) }
}

extension Int8: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension UInt8: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension UInt16: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension UInt32: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension UInt: ValueConvertible {
    public var pinviewValue: Value { UInt64(self).pinviewValue }
}

extension UInt64: ValueConvertible {
    /// Numbers beyond Int64 become decimals, which integer attributes reject.
    public var pinviewValue: Value {
        if let integer = Int64(exactly: self) { return .integer(integer) }
        return DecimalNumber(description).map { .decimal($0) } ?? Value.null
    }
}

extension Int16: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension Int32: ValueConvertible {
    public var pinviewValue: Value { .integer(Int64(self)) }
}

extension Int64: ValueConvertible {
    public var pinviewValue: Value { .integer(self) }
}

extension Double: ValueConvertible {
    public var pinviewValue: Value { .double(self) }
}

extension Float: ValueConvertible {
    public var pinviewValue: Value { .double(Double(self)) }
}

extension Bool: ValueConvertible {
    public var pinviewValue: Value { .boolean(self) }
}

extension Date: ValueConvertible {
    public var pinviewValue: Value { .date(self) }
}

extension UUID: ValueConvertible {
    public var pinviewValue: Value { .uuid(self) }
}

extension [UInt8]: ValueConvertible {
    public var pinviewValue: Value { .binary(self) }
}

extension ArraySlice<UInt8>: ValueConvertible {
    public var pinviewValue: Value { .binary(Array(self)) }
}

extension DecimalNumber: ValueConvertible {
    public var pinviewValue: Value { .decimal(self) }
}

extension ManagedObjectID: ValueConvertible {
    public var pinviewValue: Value { .objectID(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
    public var pinviewValue: Value { self?.pinviewValue ?? .null }
}
