import Foundation

/// The functions, computed properties and subscripts of the public Swift interface, and the options
/// of requests, read from the sources.
///
/// A member is named by its type and its labels, as in `ManagedObjectContext.count(for:)`. Stored
/// properties of other types are left out: reading one reads no store.
enum PublicMembers {
    /// Types whose stored properties are options of reading.
    private static let requests: Set = ["FetchRequest"]

    static func all() throws -> Set<String> {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let sources = tests.appendingPathComponent("../../../Sources/Pinview").standardizedFileURL
        var members: Set<String> = []
        guard let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil) else { return [] }
        for case let file as URL in files where file.pathExtension == "swift" {
            members.formUnion(try Self.members(of: try String(contentsOf: file, encoding: .utf8)))
        }
        return members
    }

    static func members(of text: String) throws -> Set<String> {
        let type = try NSRegularExpression(
            pattern:
                #"^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|open|package|private|fileprivate|internal|final|indirect) )*(?:extension|class|struct|enum|protocol|actor) ([\w.]+)"#
        )
        let declaration = try NSRegularExpression(
            pattern:
                #"^(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:(?:\w+\(set\)|static|class|final|mutating|nonmutating|override) )*(func|var|subscript)\b ?(.*)$"#
        )
        var members: Set<String> = []
        var scopes: [(indentation: Int, name: String)] = []
        let lines = text.components(separatedBy: "\n")
        for (number, line) in lines.enumerated() {
            let code = line.trimmingCharacters(in: .whitespaces)
            if code.isEmpty || code.hasPrefix("//") || code.hasPrefix("#") { continue }
            let indentation = line.prefix { $0 == " " }.count
            scopes.removeAll { $0.indentation >= indentation }
            if let name = type.groups(in: code)?[0] {
                scopes.append((indentation, name))
                continue
            }
            guard let groups = declaration.groups(in: code) else { continue }
            let owner = scopes.last?.name ?? ""
            if groups[0] == "var" {
                let name = String(groups[1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                if groups[1].contains("{") || requests.contains(owner) { members.insert("\(owner).\(name)") }
                continue
            }
            var signature = groups[1], next = number + 1
            while !isWhole(signature), next < lines.count {
                signature += " " + lines[next].trimmingCharacters(in: .whitespaces)
                next += 1
            }
            let name =
                groups[0] == "subscript"
                ? "subscript" : String(signature.prefix { $0 != "(" && $0 != "<" }).trimmingCharacters(in: .whitespaces)
            members.insert("\(owner).\(name)(\(labels(of: signature).map { $0 + ":" }.joined()))")
        }
        return members
    }

    private static func isWhole(_ signature: String) -> Bool {
        let opened = signature.filter { $0 == "(" }.count
        return opened > 0 && opened <= signature.filter { $0 == ")" }.count
    }

    /// The labels of the parameters, which are in the first pair of parentheses.
    private static func labels(of signature: String) -> [String] {
        guard let start = signature.firstIndex(of: "(") else { return [] }
        var labels: [String] = [], parameter = "", depth = 0, former: Character = " "
        for character in signature[start...] {
            let opens = "([{<".contains(character), closes = ")]}".contains(character) || (character == ">" && former != "-")
            if opens { depth += 1 }
            if closes { depth -= 1 }
            if depth == 0 || (depth == 1 && character == ",") {
                let label = parameter.split { " :".contains($0) }.first
                if let label { labels.append(String(label)) }
                parameter = ""
                if depth == 0 { break }
            } else if !(depth == 1 && opens) {
                parameter.append(character)
            }
            former = character
        }
        return labels
    }
}

extension NSRegularExpression {
    /// What the groups of the first match are.
    fileprivate func groups(in text: String) -> [String]? {
        guard let match = firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) else { return nil }
        return (1..<match.numberOfRanges).map { Range(match.range(at: $0), in: text).map { String(text[$0]) } ?? "" }
    }
}
