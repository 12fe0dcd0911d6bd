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

    /// - Returns: the indexes of the opening parentheses that enclose predicates, including
    ///   unclosed ones.
    static func enclosingPredicates(in tokens: [LocatedToken]) -> Set<Int> {
        var found: Set<Int> = []
        var open: [Open] = []
        for (index, located) in tokens.enumerated() {
            switch located.symbol {
            case .openingParenthesis: open.append(Open(index: index, isCall: index > 0 && isName(tokens[index - 1])))
            case .closingParenthesis:
                guard let closed = open.popLast() else { continue }
                let isEmpty = index == closed.index + 1
                guard closed.holdsPredicate || isEmpty else { continue }
                found.insert(closed.index)
                if !closed.isCall, !open.isEmpty { open[open.count - 1].holdsPredicate = true }
            case let symbol:
                if symbol?.isOfPredicates ?? located.keyword?.isOfPredicates ?? false, !open.isEmpty {
                    open[open.count - 1].holdsPredicate = true
                }
            }
        }
        found.formUnion(open.map(\.index))
        return found
    }

    /// Whether a parenthesis after the token encloses arguments.
    private static func isName(_ located: LocatedToken) -> Bool {
        if case .word = located.token { return located.keyword?.isOfPredicates != true }
        return located.symbol == .colon
    }
}
