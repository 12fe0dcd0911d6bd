import PinviewModel

/// How a comparison compares (`NSComparisonPredicate.Operator`).
public enum PredicateOperator: String, Hashable, Sendable, CaseIterable {
    case equalTo = "=="
    case notEqualTo = "!="
    case lessThan = "<"
    case lessThanOrEqualTo = "<="
    case greaterThan = ">"
    case greaterThanOrEqualTo = ">="
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"

    /// Whether both sides are texts.
    package var isTextual: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .like: true
        default: false
        }
    }
}

/// How many of the values on a to-many key path have to fit (`NSComparisonPredicate.Modifier`).
public enum PredicateModifier: String, Hashable, Sendable {
    case direct = ""
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"
}

/// How texts are compared; written `[c]`, `[d]`, `[cd]` behind an operator.
public struct PredicateOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let caseInsensitive = PredicateOptions(rawValue: 1)
    public static let diacriticInsensitive = PredicateOptions(rawValue: 2)
}

/// A comparison of two expressions (`NSComparisonPredicate`).
public struct ComparisonPredicate: Hashable, Sendable {
    public var left: Expression
    public var right: Expression
    public var `operator`: PredicateOperator
    public var modifier: PredicateModifier
    public var options: PredicateOptions

    public init(
        _ left: Expression, _ operator: PredicateOperator, _ right: Expression, modifier: PredicateModifier = .direct,
        options: PredicateOptions = []
    ) {
        self.left = left
        self.right = right
        self.operator = `operator`
        self.modifier = modifier
        self.options = options
    }
}

/// A condition on objects (`NSPredicate`).
///
/// `Predicate(format: "name BEGINSWITH %@ AND age >= %d", "dave", 21)`. Values are given apart from the text, so nothing that
/// a value contains can change the meaning. The language has `==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN`, `IN`, `CONTAINS`,
/// `BEGINSWITH`, `ENDSWITH`, `LIKE` (with `*` and `?`), the options `[c]` and `[d]` behind an operator, `AND`, `OR`, `NOT`, parentheses,
/// `nil`, `TRUE`, `FALSE`, numbers, quoted texts, `{…}` lists, key paths over to-one relationships, `ANY`, `ALL`, `NONE` and `@count` over a
/// to-many one, `SELF`, `TRUEPREDICATE`, `FALSEPREDICATE`, `$VARIABLE`, `%@`, `%K` and the number formats of C.
public indirect enum Predicate: Hashable, Sendable {
    case comparison(ComparisonPredicate)
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)
    case constant(Bool)

    /// Reads a predicate in the format language.
    ///
    /// - Parameter arguments: one for each `%@`, `%K` (a key path as text) or number format, in order.
    /// - Throws: `badPredicate`, with the position, what was found and what was expected.
    public init(format: String, _ arguments: (any PredicateArgument)...) throws(PinviewError) {
        try self.init(format: format, arguments: arguments)
    }

    public init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parse()
    }

    /// How deep predicates may be nested, so that no walk over one can exhaust the stack.
    package static let depthLimit = 500

    /// The predicate with `$NAME` replaced by values.
    ///
    /// - Throws: `badPredicate` for a variable that has no value.
    public func withSubstitutionVariables(_ variables: [String: any PredicateArgument]) throws(PinviewError) -> Predicate {
        switch self {
        case .constant: return self
        case .not(let predicate): return .not(try predicate.withSubstitutionVariables(variables))
        case .and(let predicates): return .and(try Self.substitute(predicates, variables))
        case .or(let predicates): return .or(try Self.substitute(predicates, variables))
        case .comparison(var comparison):
            comparison.left = try comparison.left.substituting(variables)
            comparison.right = try comparison.right.substituting(variables)
            return .comparison(comparison)
        }
    }

    private static func substitute(
        _ predicates: [Predicate], _ variables: [String: any PredicateArgument]
    ) throws(PinviewError) -> [Predicate] {
        var result: [Predicate] = []
        for predicate in predicates { result.append(try predicate.withSubstitutionVariables(variables)) }
        return result
    }
}

extension Expression {
    fileprivate func substituting(_ variables: [String: any PredicateArgument]) throws(PinviewError) -> Expression {
        switch self {
        case .variable(let name):
            guard let value = variables[name] else {
                throw PinviewError(.badPredicate, "The variable $\(name) of the predicate has no value.")
            }
            return value.predicateArgument
        case .aggregate(let elements):
            var result: [Expression] = []
            for element in elements { result.append(try element.substituting(variables)) }
            return .aggregate(result)
        case .constant, .keyPath, .evaluatedObject:
            return self
        }
    }
}
