import FoundationEssentials
import Pinview

// Foundation's own types as values of attributes, for Swift programs that use Foundation. The core does without them, so that its
// library stays small.

/// The bytes of a binary attribute.
extension Data: ValueConvertible, ValueInitializable {
    public var pinviewValue: Value { .binary([UInt8](self)) }

    public init?(pinviewValue: Value) {
        guard case .binary(let bytes) = pinviewValue else { return nil }
        self.init(bytes)
    }
}

/// The number of a decimal attribute.
extension Decimal: ValueConvertible, ValueInitializable {
    public var pinviewValue: Value {
        // A text that is no number of the library's is refused by the attribute, which says why.
        DecimalNumber(description).map { .decimal($0) } ?? .string(description)
    }

    public init?(pinviewValue: Value) {
        switch pinviewValue {
        case .decimal(let number): self.init(string: number.description)
        case .integer(let number): self.init(number)
        default: return nil
        }
    }
}

/// The text of a URI attribute.
extension URL: ValueConvertible, ValueInitializable {
    public var pinviewValue: Value { .string(absoluteString) }

    public init?(pinviewValue: Value) {
        guard case .string(let text) = pinviewValue else { return nil }
        self.init(string: text)
    }
}
