import FoundationEssentials

/// Writes the predicates and expressions of a keyed archive in the format language.
struct ArchivedPredicate {
    private let archive: KeyedArchive
    private static let maximumDepth = 100
    private let budget = Budget()

    /// How many parts are still read: parts can be shared, so that a few describe very many.
    private final class Budget {
        var rest = 10_000
    }

    init(_ archive: KeyedArchive) {
        self.archive = archive
    }

    /// Whether one part more can be read, at that depth.
    private func spend(_ depth: Int) -> Bool {
        budget.rest -= 1
        return depth < Self.maximumDepth && budget.rest > 0
    }

    // MARK: Predicates

    /// - Returns: nil for one that cannot be written down.
    func predicate(_ object: ArchivedObject) -> String? { predicate(object, depth: 0) }

    private func predicate(_ object: ArchivedObject?, depth: Int) -> String? {
        guard let object, spend(depth) else { return nil }
        switch object.className {
        case "NSTruePredicate": return "TRUEPREDICATE"
        case "NSFalsePredicate": return "FALSEPREDICATE"
        case "NSCompoundPredicate":
            var parts: [String] = []
            for member in archive.elements(object["NSSubpredicates"]) ?? [] {
                guard let part = predicate(archive.object(member), depth: depth + 1) else { return nil }
                parts.append("(\(part))")
            }
            switch archive.number(object["NSCompoundPredicateType"]) {
            case 0: return parts.count == 1 ? "NOT \(parts[0])" : nil
            case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
            case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
            default: return nil
            }
        case "NSComparisonPredicate": return comparison(object, depth: depth)
        default: return nil
        }
    }

    private static let operators: [Int64: String] = [
        0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH", 9: "ENDSWITH", 10: "IN",
        99: "CONTAINS", 100: "BETWEEN",
    ]

    private func comparison(_ object: ArchivedObject, depth: Int) -> String? {
        guard let left = expression(archive.object(object["NSLeftExpression"]), depth: depth + 1),
            let right = expression(archive.object(object["NSRightExpression"]), depth: depth + 1),
            let kind = archive.object(object["NSPredicateOperator"]), let type = archive.number(kind["NSOperatorType"]),
            let name = Self.operators[type]
        else { return nil }
        let modifier: String
        switch archive.number(kind["NSModifier"]) ?? 0 {
        case 0: modifier = ""
        case 1: modifier = "ALL "
        case 2: modifier = "ANY "
        default: return nil
        }
        let flags = archive.number(kind["NSOptions"]) ?? archive.number(kind["NSFlags"]) ?? 0
        let comparesTexts = (4...9).contains(type) || type == 99
        let options = comparesTexts ? "\(flags & 1 != 0 ? "c" : "")\(flags & 2 != 0 ? "d" : "")" : ""
        return "\(modifier)\(left) \(name)\(options.isEmpty ? "" : "[\(options)]") \(right)"
    }

    // MARK: Expressions

    /// - Returns: nil for one that cannot be written down.
    func expression(_ object: ArchivedObject) -> String? { expression(object, depth: 0) }

    private func expression(_ object: ArchivedObject?, depth: Int) -> String? {
        guard let object, spend(depth) else { return nil }
        switch object.className {
        case "NSConstantValueExpression":
            guard object["NSConstantValueClassName"] == nil else { return nil }
            return constant(object["NSConstantValue"])
        case "NSSelfExpression": return "SELF"
        case "NSVariableExpression": return archive.text(object["NSVariable"]).map { "$\($0)" }
        case "NSKeyPathSpecifierExpression": return archive.text(object["NSKeyPath"])
        case "NSKeyPathExpression":
            guard let argument = archive.elements(object["NSArguments"])?.first,
                let path = expression(archive.object(argument), depth: depth + 1),
                let operand = expression(archive.object(object["NSOperand"]), depth: depth + 1)
            else { return nil }
            return operand == "SELF" ? path : "\(operand).\(path)"
        case "NSFunctionExpression": return function(object, depth: depth)
        case "NSAggregateExpression": return list(archive.elements(object["NSCollection"]) ?? [], depth: depth)
        default: return nil
        }
    }

    private func list(_ members: [PropertyListValue], depth: Int) -> String? {
        var parts: [String] = []
        for member in members {
            guard let part = expression(archive.object(member), depth: depth + 1) ?? constant(member) else { return nil }
            parts.append(part)
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    private static let arithmetic = ["add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**"]

    private func function(_ object: ArchivedObject, depth: Int) -> String? {
        guard let name = archive.text(object["NSSelectorName"]) else { return nil }
        var arguments: [String] = []
        for member in archive.elements(object["NSArguments"]) ?? [] {
            guard let argument = expression(archive.object(member), depth: depth + 1) else { return nil }
            arguments.append(argument)
        }
        if let symbol = Self.arithmetic[name], arguments.count == 2 { return "(\(arguments[0]) \(symbol) \(arguments[1]))" }
        if arguments.isEmpty { return "\(name)()" }
        if name == "count:", arguments.count == 1, !arguments[0].contains("(") { return "\(arguments[0]).@count" }
        guard name.utf8.filter({ $0 == UInt8(ascii: ":") }).count == 1 else { return nil }
        return "\(name)(\(arguments.joined(separator: ", ")))"
    }

    private func constant(_ member: PropertyListValue?) -> String? {
        guard let value = archive.value(member) else { return "NULL" }
        if let elements = archive.elements(value) { return list(elements, depth: Self.maximumDepth / 2) }
        return switch archive.scalar(value) {
        case .boolean(let flag): flag ? "TRUE" : "FALSE"
        case .integer(let number): String(number)
        case .double(let number): number.isFinite ? number.description : nil
        case .decimal(let number): number.description
        case .string(let text): Self.quoted(text)
        case .date(let date): "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        default: nil
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    // MARK: Rules for values

    /// Adds the limits that a validation predicate states.
    /// - Returns: false for a rule of another kind.
    func apply(_ rule: ArchivedObject?, to attribute: inout AttributeDescription) -> Bool {
        apply(rule, to: &attribute, depth: 0)
    }

    private func apply(_ rule: ArchivedObject?, to attribute: inout AttributeDescription, depth: Int) -> Bool {
        guard let rule, spend(depth) else { return false }
        if rule.className == "NSCompoundPredicate", archive.number(rule["NSCompoundPredicateType"]) == 1 {
            for member in archive.elements(rule["NSSubpredicates"]) ?? [] {
                guard apply(archive.object(member), to: &attribute, depth: depth + 1) else { return false }
            }
            return true
        }
        guard rule.className == "NSComparisonPredicate", let left = archive.object(rule["NSLeftExpression"]),
            let subject = expression(left, depth: 0), let right = archive.object(rule["NSRightExpression"]),
            right.className == "NSConstantValueExpression", let limit = archive.scalar(right["NSConstantValue"]),
            let type = archive.number(archive.object(rule["NSPredicateOperator"])?["NSOperatorType"])
        else { return false }
        switch (subject, type, limit) {
        case ("length", 1, .integer(let length)): attribute.maximumLength = Int(clamping: length)
        case ("length", 3, .integer(let length)): attribute.minimumLength = Int(clamping: length)
        case ("SELF", 6, .string(let pattern)): attribute.regularExpression = pattern
        case ("SELF", 1, _): attribute.maximumValue = limit
        case ("SELF", 3, _): attribute.minimumValue = limit
        default: return false
        }
        return true
    }
}
