/// Names of keys and variables as the format language writes them.
enum PredicateName {
    /// Words that are not taken for the first key of a path unless `#` stands before them.
    static let reservedWords: Set<String> = [
        "AND", "OR", "NOT", "IN", "ANY", "SOME", "ALL", "NONE", "NIL", "NULL", "TRUE", "FALSE", "YES", "NO", "SELF", "TRUEPREDICATE",
        "FALSEPREDICATE", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES",
    ]

    // Most names are ASCII, and the tables of Unicode take a third of the time that a short text is parsed in.
    static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return scalar.properties.isAlphabetic }
        return scalar == "_" || (scalar.value | 0x20 >= 0x61 && scalar.value | 0x20 <= 0x7A)
    }

    static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return isStart(scalar) || (scalar >= "0" && scalar <= "9") }
        return isStart(scalar) || scalar.properties.numericType == .decimal || scalar.properties.generalCategory == .nonspacingMark
    }

    /// Whether the name can stand in the text without quotes.
    static func isPlain(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isStart(first) else { return false }
        return name.unicodeScalars.allSatisfy(isContinuation)
    }
}
