import PinviewModel

/// How deep predicates and lists may nest. The walks over the trees recurse; at this depth they need 512 KiB of stack (1.5 MiB
/// without optimisation), where threads have 8 MiB.
enum NestingLimit {
    static let maximumDepth = 1000
    /// Of functions in functions, and of what else needs parentheses: SQLite's parser has room for a hundred open words.
    static let maximumExpressionDepth = 12
    /// Of a chain such as `a + b + c`, which needs none.
    static let maximumChainLength = 400

    /// Of keys in a key path: SQLite joins up to 64 tables.
    static let maximumKeyCount = 60
    /// Of to-many relationships in a key path, each of which is a SELECT within a SELECT.
    static let maximumToManyCount = 6

    static func keyPathError(_ keys: [String]) -> PinviewError {
        let text = keys.prefix(8).joined(separator: ".")
        return PinviewError(
            .badPredicate,
            "The key path '\(text.prefix(100))\(keys.count > 8 ? "…" : "")' is too long: \(maximumKeyCount) keys are possible, and \(maximumToManyCount) to-many relationships among them."
        )
    }

    static let problem = "nests deeper than \(maximumDepth) levels; a chain of ANDs or of ORs is one level, of any length"

    static let expressionProblem =
        "has functions or parentheses inside each other deeper than \(maximumExpressionDepth) levels, or a chain of more than \(maximumChainLength) terms"

    static var error: PinviewError { PinviewError(.badPredicate, "The predicate \(problem).") }
    static var expressionError: PinviewError { PinviewError(.badPredicate, "The predicate \(expressionProblem).") }
}

extension Predicate {
    /// - Throws: `badPredicate` if it took the place of one that nested too deep.
    package func withinLimits() throws(PinviewError) -> Predicate {
        if isTooDeep { throw NestingLimit.error }
        return self
    }
}

extension Expression {
    /// - Throws: `badPredicate` if it took the place of one that nested too deep.
    package func withinLimits() throws(PinviewError) -> Expression {
        if case .tooDeep = kind { throw NestingLimit.expressionError }
        return self
    }
}
