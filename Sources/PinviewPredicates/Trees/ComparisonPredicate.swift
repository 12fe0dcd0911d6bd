/// How a comparison compares (`NSComparisonPredicate.Operator`). The raw value is the operator in the format language.
public enum PredicateOperator: String, Hashable, Sendable, CaseIterable {
    case equalTo = "=="
    case notEqualTo = "!="
    case lessThan = "<"
    case lessThanOrEqualTo = "<="
    case greaterThan = ">"
    case greaterThanOrEqualTo = ">="
    /// From a lower to an upper bound, both included.
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    /// `*` stands for any text, `?` for one character (Unicode scalar), a backslash takes the meaning from the next one.
    case like = "LIKE"
    /// The whole text matches a regular expression in ICU's syntax, as in Core Data.
    case matches = "MATCHES"

    /// Whether both sides are texts.
    package var isTextual: Bool {
        switch self {
        case .contains, .beginsWith, .endsWith, .like, .matches: true
        default: false
        }
    }

    /// Whether it asks which value comes first.
    var isOrdering: Bool {
        switch self {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
        default: false
        }
    }

    /// The operator that means the same with the two sides exchanged.
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

/// How many of the values on a to-many key path have to fit (`NSComparisonPredicate.Modifier`).
public enum PredicateModifier: String, Hashable, Sendable {
    /// There is no to-many relationship in the key path.
    case direct = ""
    /// At least one.
    case any = "ANY"
    /// Each; true if there are none.
    case all = "ALL"
    /// Not one; true if there are none.
    case none = "NONE"
}

/// How texts are compared; written `[c]`, `[d]`, `[cd]` behind an operator.
public struct PredicateOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Upper and lower case are one, by Unicode's case folding.
    public static let caseInsensitive = PredicateOptions(rawValue: 1)
    /// Accents and other marks on letters do not count.
    public static let diacriticInsensitive = PredicateOptions(rawValue: 2)
    /// The texts are compared as they are, whatever the other options say (Core Data's promise that they are normalised already).
    public static let normalized = PredicateOptions(rawValue: 4)
    /// `[l]`: equality and order are those of the user's language, which the environment names (`LC_ALL`, `LC_COLLATE`, `LANG`), of texts
    /// that the other options have folded. For `==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN` and `IN`.
    public static let localized = PredicateOptions(rawValue: 8)

    /// What is done to texts before they are compared.
    var folding: PredicateOptions { contains(.normalized) ? [] : self }
}

/// A comparison of two expressions (`NSComparisonPredicate`), such as `name BEGINSWITH[c] "da"`.
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
