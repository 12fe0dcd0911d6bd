/// The syntax of keys and variables in the format language.
enum PredicateName {
    // Most names are ASCII, and looking up Unicode properties would take a third of the parsing
    // time of a short text.
    static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return scalar.properties.isAlphabetic }
        return scalar == "_" || (scalar.value | 0x20 >= 0x61 && scalar.value | 0x20 <= 0x7A)
    }

    static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return isStart(scalar) || (scalar >= "0" && scalar <= "9") }
        return isStart(scalar) || scalar.properties.numericType == .decimal || scalar.properties.generalCategory == .nonspacingMark
    }

    /// Whether the name can be written without quotes.
    static func isPlain(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isStart(first) else { return false }
        return name.unicodeScalars.allSatisfy(isContinuation)
    }
}
