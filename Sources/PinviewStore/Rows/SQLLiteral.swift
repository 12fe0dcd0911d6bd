/// Constants within SQL text. A schema statement takes no parameters, so defaults of new columns
/// must be written out.
enum SQLLiteral {
    static func text(_ cell: StoredCell) -> String {
        switch cell {
        case .null: return "NULL"
        case .integer(let integer): return String(integer)
        case .real(let real): return real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : real.description
        case .blob(let bytes): return "X'\(hexadecimal(bytes))'"
        case .text(let text):
            // SQLite ends the text of a statement at a NUL.
            guard !text.utf8.contains(0) else { return "CAST(X'\(hexadecimal(Array(text.utf8)))' AS TEXT)" }
            return quoted(text)
        }
    }

    /// Whether SQLite takes the constant as the default of a column that is added.
    static func canBeDefault(_ cell: StoredCell) -> Bool {
        if case .text(let text) = cell { return !text.utf8.contains(0) }
        return true
    }

    static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { result += "'" }
            result.unicodeScalars.append(scalar)
        }
        return result + "'"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined()
    }
}
