/// A value of a property list: what a store's metadata consist of.
package indirect enum PropertyListValue: Hashable, Sendable {
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

    package var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    package var dataValue: [UInt8]? {
        if case .data(let bytes) = self { return bytes }
        return nil
    }

    package var integerValue: Int64? {
        if case .integer(let integer) = self { return integer }
        return nil
    }

    package var dictionaryValue: [String: PropertyListValue]? {
        if case .dictionary(let members) = self { return members }
        return nil
    }

    package var arrayValue: [PropertyListValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }
}

/// What is wrong with the bytes of a property list.
package struct PropertyListError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
