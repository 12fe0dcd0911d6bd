import PinviewModel

/// A word of the format language, which needs a `#` before it to be the first key of a path.
enum PredicateKeyword: String {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case `in` = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case `nil` = "NIL"
    case null = "NULL"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case evaluatedObject = "SELF"

    /// - Parameter word: in any case.
    init?(word: String) { self.init(rawValue: word.uppercased()) }

    var comparison: PredicateOperator? { PredicateOperator(rawValue: rawValue) }

    /// The value that it stands for.
    var value: Value? {
        switch self {
        case .nil, .null: .null
        case .true, .yes: .boolean(true)
        case .false, .no: .boolean(false)
        default: nil
        }
    }

    var modifier: PredicateModifier? {
        switch self {
        case .any, .some: .any
        case .all: .all
        case .none: PredicateModifier.none
        default: nil
        }
    }

    /// Whether it stands in predicates only.
    var isOfPredicates: Bool { self != .evaluatedObject && value == nil }
}
