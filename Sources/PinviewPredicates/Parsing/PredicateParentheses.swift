/// Tells parentheses around predicates from those around expressions, a difference that only their
/// contents show: `(a + b) > 1`, `(a > b)`.
enum PredicateParentheses {
    private struct Open {
        let index: Int
        /// Whether it encloses a function's arguments: comparisons inside them do not count
        /// outside.
        let isCall: Bool
        var holdsPredicate = false
    }

    private static let symbols: Set<String> = ["=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "&&", "||", "!"]
    private static let words: Set<String> = [
        "AND", "OR", "NOT", "IN", "ANY", "SOME", "ALL", "NONE", "TRUEPREDICATE", "FALSEPREDICATE", "BETWEEN", "CONTAINS", "BEGINSWITH",
        "ENDSWITH", "LIKE", "MATCHES",
    ]

    /// - Returns: the indexes of the opening parentheses that enclose predicates, including
    ///   unclosed ones.
    static func enclosingPredicates(in tokens: [PredicateLexer.Located]) -> Set<Int> {
        var found: Set<Int> = []
        var open: [Open] = []
        for (index, located) in tokens.enumerated() {
            switch located.token {
            case .symbol("("): open.append(Open(index: index, isCall: index > 0 && isName(tokens[index - 1].token)))
            case .symbol(")"):
                guard let closed = open.popLast() else { continue }
                let isEmpty = index == closed.index + 1
                guard closed.holdsPredicate || isEmpty else { continue }
                found.insert(closed.index)
                if !closed.isCall, !open.isEmpty { open[open.count - 1].holdsPredicate = true }
            case .symbol(let symbol) where symbols.contains(symbol): mark()
            case .word(let word) where words.contains(word.uppercased()): mark()
            default: break
            }
        }
        found.formUnion(open.map(\.index))
        return found

        func mark() {
            if !open.isEmpty { open[open.count - 1].holdsPredicate = true }
        }
    }

    /// Whether a parenthesis after the token encloses arguments.
    private static func isName(_ token: PredicateToken) -> Bool {
        switch token {
        case .word(let word): !words.contains(word.uppercased())
        case .symbol(":"): true
        default: false
        }
    }
}
