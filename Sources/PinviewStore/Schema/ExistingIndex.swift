import PinviewGenerations

/// An index that a file has.
struct ExistingIndex {
    let name: String
    let table: String
    let sql: String

    /// The tables with uniqueness constraints of their own, as old versions of Core Data made them.
    static func tablesWithConstraints(_ connection: Connection) throws -> Set<String> {
        let statement = try connection.statement(
            "SELECT DISTINCT m.name FROM sqlite_master AS m JOIN pragma_index_list(m.name) AS i WHERE m.type = 'table' AND i.origin = 'u'")
        defer { statement.reset() }
        var tables: Set<String> = []
        while try statement.step() { tables.insert(statement.string(0).uppercased()) }
        return tables
    }

    /// What an index statement says, without what may be written in several ways.
    ///
    /// - Parameter renames: new names of columns and tables by their old ones, in upper case.
    static func meaning(of sql: String, renames: [String: String] = [:]) -> [String] {
        var tokens: [String] = []
        var word = ""
        func endWord() {
            guard !word.isEmpty else { return }
            let folded = word.uppercased()
            tokens.append(renames[folded] ?? folded)
            word = ""
        }
        var isInText = false
        for character in sql {
            if isInText {
                word.append(character)
                guard character == "'" else { continue }
                tokens.append(word)
                (word, isInText) = ("", false)
                continue
            }
            switch character {
            case " ", "\n", "\t", "\r", "\"", "`", "[", "]": endWord()
            case "(", ")", ",", "=": (endWord(), tokens.append(String(character))).1
            case "'":
                endWord()
                (word, isInText) = ("'", true)
            default: word.append(character)
            }
        }
        endWord()
        var result: [String] = []
        var index = 0
        while index < tokens.count {
            if tokens[index] == "COLLATE", index + 1 < tokens.count, tokens[index + 1] == "BINARY" {
                index += 2
                continue
            }
            if tokens[index] != "ASC" { result.append(tokens[index]) }
            index += 1
        }
        return result
    }
}
