/// A symbol of the format language.
enum PredicateSymbol: String {
    case and = "&&"
    case or = "||"
    case not = "!"
    case equal = "="
    case doubleEqual = "=="
    case notEqual = "!="
    case lessOrGreater = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case equalOrLess = "=<"
    case greater = ">"
    case greaterOrEqual = ">="
    case equalOrGreater = "=>"
    case bitwiseOr = "|"
    case bitwiseXor = "^"
    case bitwiseAnd = "&"
    case leftShift = "<<"
    case rightShift = ">>"
    case complement = "~"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divided = "/"
    case remainder = "%%"
    case power = "**"
    case openingParenthesis = "("
    case closingParenthesis = ")"
    case openingBrace = "{"
    case closingBrace = "}"
    case openingBracket = "["
    case closingBracket = "]"
    case comma = ","
    case period = "."
    case colon = ":"
    case at = "@"

    var comparison: PredicateOperator? {
        switch self {
        case .equal, .doubleEqual: .equalTo
        case .notEqual, .lessOrGreater: .notEqualTo
        case .less: .lessThan
        case .lessOrEqual, .equalOrLess: .lessThanOrEqualTo
        case .greater: .greaterThan
        case .greaterOrEqual, .equalOrGreater: .greaterThanOrEqualTo
        default: nil
        }
    }

    /// A function between its two operands, and how tightly it binds them.
    var infix: (function: ExpressionFunction, precedence: Int)? {
        switch self {
        case .bitwiseOr: (.bitwiseOr, 1)
        case .bitwiseXor: (.bitwiseXor, 2)
        case .bitwiseAnd: (.bitwiseAnd, 3)
        case .leftShift: (.leftShift, 4)
        case .rightShift: (.rightShift, 4)
        case .plus: (.add, 5)
        case .minus: (.subtract, 5)
        case .times: (.multiply, 6)
        case .divided: (.divide, 6)
        case .remainder: (.modulus, 6)
        default: nil
        }
    }

    /// Whether it stands in predicates only.
    var isOfPredicates: Bool { comparison != nil || self == .and || self == .or || self == .not }
}
