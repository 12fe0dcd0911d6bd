/// A piece of a predicate's text.
enum PredicateToken: Equatable {
    /// A key or a word of the language.
    case word(String)
    /// A key that was written `#name`, so that it is no word of the language.
    case escapedName(String)
    case variable(String)
    case text(String)
    case integer(Int64)
    /// 2^63, which is a number behind a minus only.
    case integerBeyondMaximum
    case double(Double)
    case symbol(String)
    /// `%@`, `%K`, `%d`…; `%2$@` says which argument, counted from 1.
    case argument(String, number: Int?)
    case end
    /// What cannot be read; the text says why.
    case invalid(String)

    /// For error messages.
    var description: String {
        switch self {
        case .word(let word): "'\(word.prefix(60))'"
        case .escapedName(let name): "'#\(name.prefix(60))'"
        case .variable(let name): "'$\(name.prefix(60))'"
        case .text(let text): "the text \"\(text.prefix(30))\""
        case .integer(let number): "the number \(number)"
        case .integerBeyondMaximum: "the number 9223372036854775808"
        case .double(let number): "the number \(number)"
        case .symbol(let symbol): "'\(symbol)'"
        case .argument(let format, let number): "'%\(number.map { "\($0)$" } ?? "")\(format)'"
        case .end: "the end"
        case .invalid: "something unreadable"
        }
    }
}
