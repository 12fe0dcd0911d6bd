/// A value of a property list: what a store's metadata consist of.
public indirect enum PropertyListValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// An integer beyond the range of `integer`.
    case unsigned(UInt64)
    case real(Double)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// A reference inside a keyed archive.
    case uid(UInt64)
    case array([PropertyListValue])
    case set([PropertyListValue])
    case dictionary([String: PropertyListValue])

    public var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    public var dataValue: [UInt8]? {
        if case .data(let bytes) = self { return bytes }
        return nil
    }

    public var integerValue: Int64? {
        if case .integer(let integer) = self { return integer }
        return nil
    }

    public var dictionaryValue: [String: PropertyListValue]? {
        if case .dictionary(let members) = self { return members }
        return nil
    }

    public var arrayValue: [PropertyListValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }
}

/// What is wrong with the bytes of a property list.
public struct PropertyListError: Error, CustomStringConvertible {
    public let description: String

    package init(description: String) {
        self.description = description
    }
}
