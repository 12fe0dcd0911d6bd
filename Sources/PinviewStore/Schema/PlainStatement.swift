/// A statement in a file's schema that ends with a list in parentheses, written as the library and
/// Core Data write most of theirs: `CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR)`.
///
/// Each item is a name that begins with `Z`, which no keyword of SQL does, and words after it.
/// Nothing else is in the list: no parentheses, quotes, comments or operators. So its text says what
/// it means, without SQLite.
struct PlainStatement {
    private let items: [[String]]

    /// - Returns: nil for a statement of another form.
    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        guard let start = bytes.firstIndex(of: UInt8(ascii: "(")), bytes.last == UInt8(ascii: ")") else { return nil }
        var items: [[String]] = [], words: [String] = []
        var wordStart = start + 1
        for place in wordStart..<bytes.count {
            let byte = bytes[place]
            if SQLIdentifier.isPlain(byte) { continue }
            if wordStart < place { words.append(String(decoding: bytes[wordStart..<place], as: UTF8.self)) }
            wordStart = place + 1
            if byte == UInt8(ascii: " ") { continue }
            let isLast = wordStart == bytes.count
            guard byte == (isLast ? UInt8(ascii: ")") : UInt8(ascii: ",")), words.first?.utf8.first == UInt8(ascii: "Z") else { return nil }
            items.append(words)
            words = []
        }
        self.items = items
    }

    /// The columns of a table; nil if something else is said of one than its type, or that it is the
    /// primary key.
    var columns: [(name: String, type: String)]? {
        var columns: [(name: String, type: String)] = []
        for words in items {
            guard words.count == 2 || words.count == 4 && words[2...] == ["PRIMARY", "KEY"], Self.types.contains(words[1]) else {
                return nil
            }
            columns.append((words[0], words[1]))
        }
        return columns
    }

    /// Whether an index is one of columns, sorted one way or another.
    var isIndexOfColumns: Bool {
        items.allSatisfy { $0.dropFirst().allSatisfy { ["COLLATE", "BINARY", "ASC", "DESC"].contains($0) } }
    }

    private static let types = ["INTEGER", "VARCHAR", "FLOAT", "TIMESTAMP", "DECIMAL", "BLOB"]
}
