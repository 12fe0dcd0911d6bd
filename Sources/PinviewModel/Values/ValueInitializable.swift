import FoundationEssentials

/// A Swift type that attribute values can be read as.
public protocol ValueInitializable {
    /// Returns nil for a value that the type cannot hold without loss.
    init?(pinviewValue: Value)
}

extension ValueInitializable where Self: BinaryInteger {
    public init?(pinviewValue: Value) {
        guard case .integer(let number) = pinviewValue else { return nil }
        self.init(exactly: number)
    }
}

extension Int: ValueInitializable {}
extension Int8: ValueInitializable {}
extension Int16: ValueInitializable {}
extension Int32: ValueInitializable {}
extension Int64: ValueInitializable {}
extension UInt: ValueInitializable {}
extension UInt8: ValueInitializable {}
extension UInt16: ValueInitializable {}
extension UInt32: ValueInitializable {}
extension UInt64: ValueInitializable {}

extension Double: ValueInitializable {
    public init?(pinviewValue: Value) {
        switch pinviewValue {
        case .double(let number): self = number
        case .integer(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension Float: ValueInitializable {
    public init?(pinviewValue: Value) {
        switch pinviewValue {
        case .double(let number) where number.isNaN: self = .nan
        case .double(let number): self.init(exactly: number)
        case .integer(let number): self.init(exactly: number)
        default: return nil
        }
    }
}

extension Substring: ValueInitializable {
    public init?(pinviewValue: Value) {
        guard case .string(let text) = pinviewValue else { return nil }
        self.init(text)
    }
}

extension DecimalNumber: ValueInitializable {
    public init?(pinviewValue: Value) {
        switch pinviewValue {
        case .decimal(let number): self = number
        case .integer(let number): self.init(number)
        default: return nil
        }
    }
}
