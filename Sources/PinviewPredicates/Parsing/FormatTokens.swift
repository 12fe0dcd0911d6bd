/// A token and its position, counted in Unicode scalars from 1.
struct LocatedToken {
    let token: PredicateToken
    let position: Int
    /// The token as a symbol, and as a keyword. Parsing asks for them again and again.
    let symbol: PredicateSymbol?
    let keyword: PredicateKeyword?

    init(_ token: PredicateToken, at position: Int) {
        self.token = token
        self.position = position
        if case .symbol(let symbol) = token { self.symbol = symbol } else { symbol = nil }
        if case .word(let word) = token { keyword = PredicateKeyword(word: word) } else { keyword = nil }
    }
}

/// The tokens of a format. Programs parse the same few formats again and again, each time with other
/// arguments.
final class FormatTokens: Sendable {
    let tokens: [LocatedToken]
    /// The indexes of the opening parentheses that enclose predicates.
    let enclosesPredicates: Set<Int>

    private init(_ format: String) {
        tokens = PredicateLexer.tokens(of: format)
        enclosesPredicates = PredicateParentheses.enclosingPredicates(in: tokens)
    }

    static func of(_ format: String) -> FormatTokens { cache.made(of: format) { FormatTokens(format) } }

    // A longer format is likely to contain the values that it is about.
    private static let cache = TextCache<FormatTokens>(longest: 1024)
}
