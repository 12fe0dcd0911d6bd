import FoundationEssentials
import PinviewModel

extension Predicate: CustomStringConvertible {
    /// The predicate in the format language: `Predicate(format:)` makes an equal one of it. Object IDs become URIs, which mean the
    /// same object; the URI of a temporary ID does so in this process only.
    public var description: String {
        var printer = PredicatePrinter()
        printer.append(self)
        return printer.text
    }
}

extension ComparisonPredicate: CustomStringConvertible {
    public var description: String {
        var printer = PredicatePrinter()
        printer.append(self)
        return printer.text
    }
}

extension Expression: CustomStringConvertible {
    public var description: String {
        var printer = PredicatePrinter()
        printer.append(self)
        return printer.text
    }
}

/// Writes the format language.
private struct PredicatePrinter {
    var text = ""

    mutating func append(_ predicate: Predicate) {
        switch predicate.kind {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): append(comparison)
        case .and(let parts): append(parts, joinedBy: " AND ")
        case .or(let parts): append(parts, joinedBy: " OR ")
        case .not(let inner):
            text += "NOT "
            appendGrouped(inner)
        case .tooDeep: text += "<\(NestingLimit.problem)>"
        }
    }

    private mutating func append(_ parts: [Predicate], joinedBy joiner: String) {
        for (index, part) in parts.enumerated() {
            if index > 0 { text += joiner }
            appendGrouped(part)
        }
    }

    private mutating func appendGrouped(_ predicate: Predicate) {
        switch predicate.kind {
        case .and, .or:
            text += "("
            append(predicate)
            text += ")"
        case .not, .constant, .comparison, .tooDeep: append(predicate)
        }
    }

    mutating func append(_ comparison: ComparisonPredicate) {
        if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
        append(comparison.left)
        text += " " + comparison.operator.rawValue
        if comparison.options.contains(.caseInsensitive) || comparison.options.contains(.diacriticInsensitive) {
            text += comparison.options.contains(.caseInsensitive) ? "[c" : "["
            text += comparison.options.contains(.diacriticInsensitive) ? "d]" : "]"
        }
        text += " "
        append(comparison.right)
    }

    mutating func append(_ expression: Expression) {
        switch expression.kind {
        case .constant(let value): append(value)
        case .aggregate(let elements):
            text += "{"
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                append(element)
            }
            text += "}"
        case .keyPath(let keys):
            for (index, key) in keys.enumerated() {
                if index > 0 { text += "." }
                appendKey(key)
            }
        case .evaluatedObject: text += "SELF"
        case .variable(let name):
            text += "$"
            if PredicateName.isPlain(name) { text += name } else { appendQuoted(name) }
        case .objectURI(let uri): appendCast(uri, "NSManagedObjectID")
        case .tooDeep: text += "<\(NestingLimit.problem)>"
        }
    }

    private mutating func appendKey(_ key: String) {
        if key == "@count" {
            text += key
        } else if !PredicateName.isPlain(key) {
            text += "#"
            appendQuoted(key)
        } else {
            text += PredicateName.reservedWords.contains(key.uppercased()) ? "#" + key : key
        }
    }

    private mutating func append(_ value: Value) {
        switch value {
        case .null: text += "nil"
        case .boolean(let value): text += value ? "TRUE" : "FALSE"
        case .integer(let value): text += String(value)
        case .double(let value):
            if value.isFinite { text += value.description } else { appendCast(value.description, "NSNumber") }
        case .string(let value): appendQuoted(value)
        case .date(let value): appendCast(value.timeIntervalSinceReferenceDate.description, "NSDate")
        case .uuid(let value): appendCast(value.uuidString, "NSUUID")
        case .decimal(let value): appendCast(value.description, "NSDecimalNumber")
        case .binary(let value): appendCast(HexadecimalText.text(of: value), "NSData")
        case .objectID(let value): appendCast(value.uriRepresentation, "NSManagedObjectID")
        }
    }

    private mutating func appendCast(_ written: String, _ type: String) {
        text += "CAST("
        appendQuoted(written)
        text += ", \"\(type)\")"
    }

    private mutating func appendQuoted(_ written: String) {
        text += "\""
        for scalar in written.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                text += "\\"
                text.unicodeScalars.append(scalar)
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case "\0": text += "\\0"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
