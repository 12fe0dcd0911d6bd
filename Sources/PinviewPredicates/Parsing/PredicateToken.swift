/// A token of a predicate's text.
enum PredicateToken: Equatable {
    /// A key or a keyword.
    case word(String)
    /// A key written `#name`, so that it is not taken for a keyword.
    case escapedName(String)
    case variable(String)
    case text(String)
    case integer(Int64)
    /// 2^63, which is only valid after a minus sign.
    case integerBeyondMaximum
    case double(Double)
    case symbol(PredicateSymbol)
    /// `%@`, `%K`, `%d`…; in `%2$@`, the number of the argument, counted from 1.
    case argument(String, number: Int?)
    case end
    /// A mistake, with its error message.
    case invalid(String)

    /// The token in error messages.
    var description: String {
        switch self {
        case .word(let word): "'\(word.prefix(60))'"
        case .escapedName(let name): "'#\(name.prefix(60))'"
        case .variable(let name): "'$\(name.prefix(60))'"
        case .text(let text): "the string \"\(text.prefix(30))\""
        case .integer(let number): "the number \(number)"
        case .integerBeyondMaximum: "the number 9223372036854775808"
        case .double(let number): "the number \(number)"
        case .symbol(let symbol): "'\(symbol.rawValue)'"
        case .argument(let format, let number): "'%\(number.map { "\($0)$" } ?? "")\(format)'"
        case .end: "the end"
        case .invalid: "an invalid token"
        }
    }
}
