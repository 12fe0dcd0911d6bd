import PinviewModel

/// Limits to the nesting of predicates and lists. Walks over the trees are recursive; at these
/// depths they need 512 KiB of stack (1.5 MiB without optimisation), and threads have 8 MiB.
enum NestingLimit {
    static let maximumDepth = 1000
    /// For nested functions and parentheses. SQLite's parser has a stack of a hundred entries.
    static let maximumExpressionDepth = 12
    /// For chains such as `a + b + c`, which need no parentheses.
    static let maximumChainLength = 400

    /// For the keys of a key path. SQLite joins at most 64 tables.
    static let maximumKeyCount = 60
    /// For the to-many relationships of a key path, each of which becomes a nested SELECT.
    static let maximumToManyCount = 6

    static func keyPathError(_ keys: [String]) -> PinviewError {
        let text = keys.prefix(8).joined(separator: ".")
        return PinviewError(
            .badPredicate,
            "The key path '\(text.prefix(100))\(keys.count > 8 ? "…" : "")' is too long: at most \(maximumKeyCount) keys are possible, with at most \(maximumToManyCount) to-many relationships among them."
        )
    }

    static let problem =
        "is nested more than \(maximumDepth) levels deep; a chain of ANDs or of ORs counts as one level, however long it is"

    static let expressionProblem =
        "nests functions or parentheses more than \(maximumExpressionDepth) levels deep, or has a chain of more than \(maximumChainLength) terms"

    static var error: PinviewError { PinviewError(.badPredicate, "The predicate \(problem).") }
    static var expressionError: PinviewError { PinviewError(.badPredicate, "The predicate \(expressionProblem).") }
}

extension PinviewPredicate {
    /// - Throws: `badPredicate` if the predicate stands for one that was nested too deeply.
    package func withinLimits() throws(PinviewError) -> PinviewPredicate {
        if isTooDeep { throw NestingLimit.error }
        return self
    }
}

extension PinviewExpression {
    /// - Throws: `badPredicate` if the expression stands for one that was nested too deeply.
    package func withinLimits() throws(PinviewError) -> PinviewExpression {
        if case .tooDeep = kind { throw NestingLimit.expressionError }
        return self
    }
}
