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

    /// The string; nil for other kinds of values.
    public var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The bytes; nil for other kinds of values.
    public var dataValue: [UInt8]? {
        if case .data(let bytes) = self { return bytes }
        return nil
    }

    /// The integer; nil for other kinds of values.
    public var integerValue: Int64? {
        if case .integer(let integer) = self { return integer }
        return nil
    }

    /// The dictionary; nil for other kinds of values.
    public var dictionaryValue: [String: PropertyListValue]? {
        if case .dictionary(let members) = self { return members }
        return nil
    }

    /// The elements of an array; nil for other kinds of values.
    public var arrayValue: [PropertyListValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }
}

/// What is wrong with the bytes of a property list.
public struct PropertyListError: Error, CustomStringConvertible {
    /// What is wrong, in words.
    public let description: String

    package init(description: String) {
        self.description = description
    }
}
