import FoundationEssentials
import PinviewTyped

// Foundation's own types as values of attributes, for Swift programs that use Foundation. The core
// does without them, so that its library stays small.

/// The bytes of a binary attribute.
extension Data: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.binaryData, .transformable] }
    public var pinviewValue: Value { .binary([UInt8](self)) }

    public init?(pinviewValue: Value) {
        guard case .binary(let bytes) = pinviewValue else { return nil }
        self.init(bytes)
    }
}

/// The number of a decimal attribute.
extension Decimal: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.decimal] }
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
extension URL: AttributeValue {
    public static var attributeTypes: [AttributeType] { [.uri, .string] }
    public var pinviewValue: Value { .string(absoluteString) }

    public init?(pinviewValue: Value) {
        guard case .string(let text) = pinviewValue else { return nil }
        self.init(string: text)
    }
}

/// A value that a binary attribute stores as JSON: `struct Address: CodableAttributeValue { … }`.
public protocol CodableAttributeValue: AttributeValue, Codable {}

extension CodableAttributeValue {
    public static var attributeTypes: [AttributeType] { [.binaryData, .transformable] }

    public var pinviewValue: Value {
        do {
            let encoder = JSONEncoder()
            // Equal values have equal bytes, so that setting one again changes nothing.
            encoder.outputFormatting = .sortedKeys
            return .binary([UInt8](try encoder.encode(self)))
        } catch {
            // A text is refused by the attribute, whose error quotes it.
            return .string("\(Self.self) cannot be encoded: \(error)")
        }
    }

    public init?(pinviewValue: Value) {
        guard case .binary(let bytes) = pinviewValue, let value = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = value
    }
}
