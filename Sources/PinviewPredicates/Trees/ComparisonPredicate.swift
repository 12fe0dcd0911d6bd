/// The operator of a comparison (`NSComparisonPredicate.Operator`). The raw value is the operator
/// in the format language.
public enum PredicateOperator: String, Hashable, Sendable, CaseIterable {
    case equalTo = "=="
    case notEqualTo = "!="
    case lessThan = "<"
    case lessThanOrEqualTo = "<="
    case greaterThan = ">"
    case greaterThanOrEqualTo = ">="
    /// From a lower to an upper bound, both inclusive.
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    /// `*` matches any text, `?` one character (Unicode scalar), and a backslash makes the next one
    /// literal.
    case like = "LIKE"
    /// The whole string matches a regular expression in ICU's syntax, as in Core Data.
    case matches = "MATCHES"

    /// Whether both sides must be strings.
    package var isTextual: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .like, .matches: true
        default: false
        }
    }

    /// Whether it compares the order of values.
    var isOrdering: Bool {
        switch self {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
        default: false
        }
    }

    /// The operator that means the same with the sides exchanged.
    var mirrored: PredicateOperator? {
        switch self {
        case .equalTo, .notEqualTo: self
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        case .between, .in, .contains, .beginsWith, .endsWith, .like, .matches: nil
        }
    }
}

/// How many of the values of a to-many key path must satisfy a comparison
/// (`NSComparisonPredicate.Modifier`).
public enum PredicateModifier: String, Hashable, Sendable {
    /// The key path has no to-many relationship.
    case direct = ""
    /// At least one value.
    case any = "ANY"
    /// Every value; true if there are none.
    case all = "ALL"
    /// No value; true if there are none.
    case none = "NONE"
}

/// How strings are compared; written `[c]`, `[d]` or `[cd]` after an operator.
public struct PredicateOptions: OptionSet, Hashable, Sendable {
    /// The options as a bit set.
    public let rawValue: Int

    /// Creates a set of options from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `[c]`: case is ignored, by Unicode's case folding.
    public static let caseInsensitive = PredicateOptions(rawValue: 1)
    /// `[d]`: accents and other marks on letters are ignored.
    public static let diacriticInsensitive = PredicateOptions(rawValue: 2)
    /// `[n]`: strings are compared as they are, whatever the other options (in Core Data, a promise
    /// that they are normalized).
    public static let normalized = PredicateOptions(rawValue: 4)
    /// `[l]`: strings that the other options have folded are compared in the user's language, which
    /// the environment selects (`LC_ALL`, `LC_COLLATE`, `LANG`). For `==`, `!=`, `<`, `<=`, `>`,
    /// `>=`, `BETWEEN` and `IN`.
    public static let localized = PredicateOptions(rawValue: 8)

    /// The options that fold strings before they are compared.
    var folding: PredicateOptions { contains(.normalized) ? [] : self }
}

/// A comparison of two expressions (`NSComparisonPredicate`), such as `name BEGINSWITH[c] "da"`.
public struct ComparisonPredicate: Hashable, Sendable {
    /// The expression before the operator.
    public var left: PinviewExpression
    /// The expression after the operator.
    public var right: PinviewExpression
    /// How the sides are compared.
    public var `operator`: PredicateOperator
    /// How many values of a to-many key path on the left must satisfy the comparison.
    public var modifier: PredicateModifier
    /// How strings are compared.
    public var options: PredicateOptions

    /// Creates a comparison. It is checked when it is used with an entity.
    public init(
        _ left: PinviewExpression, _ operator: PredicateOperator, _ right: PinviewExpression, modifier: PredicateModifier = .direct,
        options: PredicateOptions = []
    ) {
        self.left = left
        self.right = right
        self.operator = `operator`
        self.modifier = modifier
        self.options = options
    }
}
