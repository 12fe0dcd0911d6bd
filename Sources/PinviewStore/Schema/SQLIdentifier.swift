/// Names of tables and columns in SQL. They only come from the model; values are always bound.
enum SQLIdentifier {
    /// The name in SQL, quoted if it has characters other than ASCII letters, digits and `_`.
    static func quoted(_ name: String) -> String {
        if name.utf8.allSatisfy(isPlain) { return name }
        var result = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
