/// Names of keys and variables as the format language writes them.
enum PredicateName {
    /// Words that are not taken for the first key of a path unless `#` stands before them.
    static let reservedWords: Set<String> = [
        "AND", "OR", "NOT", "IN", "ANY", "SOME", "ALL", "NONE", "NIL", "NULL", "TRUE", "FALSE", "YES", "NO", "SELF", "TRUEPREDICATE",
        "FALSEPREDICATE", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES",
    ]

    static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
        isStart(scalar) || scalar.properties.numericType == .decimal || scalar.properties.generalCategory == .nonspacingMark
    }

    /// Whether the name can stand in the text without quotes.
    static func isPlain(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, isStart(first) else { return false }
        return name.unicodeScalars.allSatisfy(isContinuation)
    }
}
