import FoundationEssentials
import PinviewModel

/// Words that a key path has to write with `#` before them.
private let reservedWords: Set<String> = [
    "AND", "OR", "NOT", "IN", "ANY", "SOME", "ALL", "NONE", "NIL", "NULL", "TRUE", "FALSE", "YES", "NO", "SELF", "TRUEPREDICATE",
    "FALSEPREDICATE", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
]

extension Predicate: CustomStringConvertible {
    /// The predicate in the format language. Read again it gives an equal predicate, where its values are ones that the language can
    /// write: nil, truth values, numbers and texts. Others stand there as CAST(…), for people.
    public var description: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let predicate): "NOT \(predicate.grouped)"
        case .and(let parts): parts.isEmpty ? "TRUEPREDICATE" : parts.map(\.grouped).joined(separator: " AND ")
        case .or(let parts): parts.isEmpty ? "FALSEPREDICATE" : parts.map(\.grouped).joined(separator: " OR ")
        case .comparison(let comparison): comparison.description
        }
    }

    private var grouped: String {
        switch self {
        case .and, .or: "(\(description))"
        case .not, .constant, .comparison: description
        }
    }
}

extension ComparisonPredicate: CustomStringConvertible {
    public var description: String {
        var text = modifier == .direct ? "" : modifier.rawValue + " "
        text += "\(left) \(`operator`.rawValue)"
        if !options.isEmpty {
            text += "[\(options.contains(.caseInsensitive) ? "c" : "")\(options.contains(.diacriticInsensitive) ? "d" : "")]"
        }
        return text + " \(right)"
    }
}

extension Expression: CustomStringConvertible {
    public var description: String {
        switch self {
        case .constant(let value): value.predicateDescription
        case .aggregate(let elements): "{" + elements.map(\.description).joined(separator: ", ") + "}"
        case .keyPath(let segments):
            segments.map { reservedWords.contains($0.uppercased()) ? "#" + $0 : $0 }.joined(separator: ".")
        case .evaluatedObject: "SELF"
        case .variable(let name): "$" + name
        }
    }
}

extension Value {
    fileprivate var predicateDescription: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): String(value)
        case .double(let value): value.isFinite ? String(value) : "CAST(\(value), 'double')"
        case .string(let value): Self.quoted(value)
        case .date(let value): "CAST(\(value.timeIntervalSinceReferenceDate), 'date')"
        case .uuid(let value): "CAST('\(value)', 'UUID')"
        case .decimal(let value): "CAST('\(value)', 'decimal')"
        case .binary(let value): "CAST('\(value.count) bytes', 'binary')"
        case .objectID(let value): "CAST('\(value)', 'objectID')"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\0": result += "\\0"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
