/// Names of tables and columns in SQL. They only come from the model; values are always bound.
enum SQLIdentifier {
    /// The name in SQL, quoted if it has characters other than ASCII letters, digits and `_`.
    @inline(never)  // Statements are made in many places.
    static func quoted(_ name: String) -> String { name.utf8.allSatisfy(isPlain) ? name : inQuotes(name) }

    /// The name in quotes, whatever its characters are: without, it could be a keyword.
    static func inQuotes(_ name: String) -> String {
        var result = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// Whether a byte of a name needs no quotes.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
