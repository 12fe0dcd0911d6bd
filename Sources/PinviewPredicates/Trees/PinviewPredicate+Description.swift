import FoundationEssentials
import PinviewModel

extension PinviewPredicate: CustomStringConvertible {
    /// The predicate in the format language; `PinviewPredicate(format:)` parses it into an equal
    /// predicate. Object IDs are written as URIs; that of a temporary ID is only valid in this
    /// process.
    public var description: String {
        var printer = PredicatePrinter()
        printer.append(self)
        return printer.text
    }
}

extension ComparisonPredicate: CustomStringConvertible {
    /// The comparison in the format language.
    public var description: String {
        var printer = PredicatePrinter()
        printer.append(self)
        return printer.text
    }
}

extension PinviewExpression: CustomStringConvertible {
    /// The expression in the format language.
    public var description: String {
        var printer = PredicatePrinter()
        printer.append(self)
        return printer.text
    }
}

/// Writes predicates and expressions in the format language.
private struct PredicatePrinter {
    var text = ""

    mutating func append(_ predicate: PinviewPredicate) {
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

    private mutating func append(_ parts: [PinviewPredicate], joinedBy joiner: String) {
        for (index, part) in parts.enumerated() {
            if index > 0 { text += joiner }
            appendGrouped(part)
        }
    }

    private mutating func appendGrouped(_ predicate: PinviewPredicate) {
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
        let letters: [(PredicateOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localized, "l"),
        ]
        let enabled = letters.filter { comparison.options.contains($0.0) }.map(\.1).joined()
        if !enabled.isEmpty { text += "[\(enabled)]" }
        text += " "
        append(comparison.right)
    }

    mutating func append(_ expression: PinviewExpression) {
        switch expression.kind {
        case .constant(let value): append(value)
        case .aggregate(let elements): appendList(elements, "{", "}")
        case .keyPath(let keys): appendKeys(keys)
        case .evaluatedObject: text += "SELF"
        case .variable(let name, let keys):
            appendVariable(name)
            if !keys.isEmpty {
                if !keys[0].hasPrefix("[") { text += "." }
                appendKeys(keys)
            }
        case .objectURI(let uri): appendCast(uri, "NSManagedObjectID")
        case .function(let function, let arguments): append(function, arguments)
        case .subquery(let collection, let variable, let predicate):
            text += "SUBQUERY("
            append(collection)
            text += ", "
            appendVariable(variable)
            text += ", "
            append(predicate)
            text += ")"
        case .conditional(let predicate, let then, let otherwise):
            text += "TERNARY("
            append(predicate)
            text += ", "
            append(then)
            text += ", "
            append(otherwise)
            text += ")"
        case .cast(let inner, let type):
            text += "CAST("
            append(inner)
            text += ", \"\(type.rawValue)\")"
        case .tooDeep: text += "<\(NestingLimit.problem)>"
        }
    }

    private mutating func appendList(_ elements: [PinviewExpression], _ opening: String, _ closing: String) {
        text += opening
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", " }
            append(element)
        }
        text += closing
    }

    private mutating func append(_ function: ExpressionFunction, _ arguments: [PinviewExpression]) {
        if let infix = function.infix, arguments.count == 2 {
            // All operators but the power are left-associative.
            let isPower = function == .power
            appendOperand(arguments[0], atLeast: isPower ? infix.strength + 1 : infix.strength)
            text += " \(infix.symbol) "
            appendOperand(arguments[1], atLeast: isPower ? infix.strength : infix.strength + 1)
        } else if function == .count, arguments.count == 1, case .subquery = arguments[0].kind {
            append(arguments[0])
            text += ".@count"
        } else {
            text += function.rawValue
            appendList(arguments, "(", ")")
        }
    }

    private mutating func appendOperand(_ operand: PinviewExpression, atLeast strength: Int) {
        let isWeaker: Bool =
            switch operand.kind {
            case .function(let function, _): function.infix.map { $0.strength < strength } ?? false
            // A leading minus would be read as part of the operation.
            case .constant(.integer(let number)): number < 0 && strength > 3
            case .constant(.double(let number)): number.sign == .minus && strength > 3
            default: false
            }
        if isWeaker { text += "(" }
        append(operand)
        if isWeaker { text += ")" }
    }

    private mutating func appendKeys(_ keys: [String]) {
        for (index, key) in keys.enumerated() {
            if index > 0, !key.hasPrefix("[") { text += "." }
            appendKey(key)
        }
    }

    private mutating func appendVariable(_ name: String) {
        text += "$"
        if PredicateName.isPlain(name) { text += name } else { appendQuoted(name) }
    }

    private mutating func appendKey(_ key: String) {
        if CollectionOperator(key: key) != nil || ElementIndex(key: key) != nil || key == "[SIZE]" {
            text += key
        } else if !PredicateName.isPlain(key) {
            text += "#"
            appendQuoted(key)
        } else {
            text += PredicateKeyword(word: key) == nil ? key : "#" + key
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

    private mutating func appendCast(_ literal: String, _ type: String) {
        text += "CAST("
        appendQuoted(literal)
        text += ", \"\(type)\")"
    }

    private mutating func appendQuoted(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
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
