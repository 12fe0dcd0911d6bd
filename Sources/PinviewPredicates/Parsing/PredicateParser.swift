import PinviewModel

/// Parses predicates in the format language:
///
///     or         = and { (OR | "||") and }
///     and        = not { (AND | "&&") not }
///     not        = { NOT | "!" } primary
///     primary    = "(" or ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
///     comparison = [ANY | SOME | ALL | NONE] expression [NOT] operator ["[" options "]"] expression
///
/// Expressions are in the other file. A parenthesis that encloses a comparison begins a predicate,
/// any other one an expression; a pass over all tokens decides this beforehand.
///
/// Open parentheses are kept in an array instead of on the thread's stack, which a long text could
/// exhaust.
struct PredicateParser {
    private let tokens: [LocatedToken]
    private var index = 0
    private let enclosesPredicates: Set<Int>
    private let arguments: [any PredicateArgument]
    /// Which arguments have been used.
    private var isUsed: [Bool]
    /// The index of the next argument for formats without a number.
    private var nextArgument = 0
    /// How many expressions enclose the current position.
    var expressionDepth = 0

    init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        let format = FormatTokens.of(format)
        tokens = format.tokens
        enclosesPredicates = format.enclosesPredicates
        self.arguments = arguments
        isUsed = [Bool](repeating: false, count: arguments.count)
        try requireReadable()
    }

    mutating func parse() throws(PinviewError) -> PinviewPredicate {
        let predicate = try compound(endingWith: .end)
        try requireArgumentsUsed("predicate")
        if predicate.isTooDeep { throw NestingLimit.error }
        return predicate
    }

    mutating func parseExpression() throws(PinviewError) -> PinviewExpression {
        let expression = try expression()
        guard token == .end else { throw unexpected("an operator or the end of the expression") }
        try requireArgumentsUsed("expression")
        return expression
    }

    private func requireArgumentsUsed(_ what: String) throws(PinviewError) {
        guard isUsed.allSatisfy(\.self) else {
            let given = arguments.count == 1 ? "1 argument was" : "\(arguments.count) arguments were"
            throw PinviewError(.badPredicate, "\(given) given, but the \(what) uses \(isUsed.count { $0 }).")
        }
    }

    var token: PredicateToken { tokens[index].token }
    var tokenPosition: Int { tokens[index].position }
    var symbol: PredicateSymbol? { tokens[index].symbol }
    var keyword: PredicateKeyword? { tokens[index].keyword }
    /// The symbol after the current token.
    var nextSymbol: PredicateSymbol? { tokens[min(index + 1, tokens.count - 1)].symbol }

    mutating func advance() throws(PinviewError) {
        if index < tokens.count - 1 { index += 1 }
        try requireReadable()
    }

    private func requireReadable() throws(PinviewError) {
        if case .invalid(let message) = tokens[index].token { throw PinviewError(.badPredicate, message) }
    }

    func error(_ what: String) -> PinviewError { PredicateLexer.error(what, at: tokenPosition) }

    func unexpected(_ expected: String) -> PinviewError { error("\(token.description) was found where \(expected) was expected") }

    func requireDepth(_ depth: Int) throws(PinviewError) {
        guard depth < NestingLimit.maximumDepth else { throw error("The predicate \(NestingLimit.problem)") }
    }

    mutating func accept(_ keyword: PredicateKeyword) throws(PinviewError) -> Bool {
        guard self.keyword == keyword else { return false }
        try advance()
        return true
    }

    mutating func accept(_ symbol: PredicateSymbol) throws(PinviewError) -> Bool {
        guard self.symbol == symbol else { return false }
        try advance()
        return true
    }

    /// - Parameter number: the argument's number, counted from 1; nil for the next one in order.
    mutating func argument(_ number: Int?) throws(PinviewError) -> PinviewExpression {
        let index = number.map { $0 - 1 } ?? nextArgument
        guard arguments.indices.contains(index) else {
            let given = arguments.count == 1 ? "1 argument was" : "\(arguments.count) arguments were"
            throw error("\(token.description) has no argument: \(given) given")
        }
        if number == nil { nextArgument += 1 }
        isUsed[index] = true
        return arguments[index].predicateArgument
    }

    // MARK: Compound predicates

    /// The operands between an opening parenthesis and the current position.
    private struct Group {
        var alternatives: [PinviewPredicate] = []
        var conjunction: [PinviewPredicate] = []
        /// The number of NOTs before the next operand.
        var negations = 0

        mutating func append(_ operand: PinviewPredicate) {
            var operand = operand
            for _ in 0..<negations { operand = .not(operand) }
            negations = 0
            conjunction.append(operand)
        }

        mutating func beginAlternative() {
            alternatives.append(.and(conjunction))
            conjunction = []
        }

        var predicate: PinviewPredicate { alternatives.isEmpty ? .and(conjunction) : .or(alternatives + [.and(conjunction)]) }
    }

    /// - Parameter last: the token expected after the predicate, which is not consumed.
    mutating func compound(endingWith last: PredicateToken) throws(PinviewError) -> PinviewPredicate {
        var outer: [Group] = []
        var group = Group()
        var depth = 0
        while true {
            if try acceptNot() {
                group.negations += 1
                depth += 1
                try requireDepth(depth)
                continue
            }
            if symbol == .openingParenthesis, enclosesPredicates.contains(index) {
                try advance()
                outer.append(group)
                group = Group()
                depth += 1
                try requireDepth(depth)
                continue
            }
            var operand = try primary()
            while true {
                depth -= group.negations
                group.append(operand)
                if try acceptAnd() { break }
                if try acceptOr() {
                    group.beginAlternative()
                    break
                }
                guard let enclosing = outer.popLast() else {
                    guard token == last else {
                        throw unexpected("AND, OR or \(last == .end ? "the end of the predicate" : last.description)")
                    }
                    return group.predicate
                }
                guard try accept(.closingParenthesis) else { throw unexpected("AND, OR or ')'") }
                operand = group.predicate
                group = enclosing
                depth -= 1
            }
        }
    }

    private mutating func acceptNot() throws(PinviewError) -> Bool {
        if try accept(PredicateSymbol.not) { return true }
        return try accept(PredicateKeyword.not)
    }

    private mutating func acceptAnd() throws(PinviewError) -> Bool {
        if try accept(PredicateSymbol.and) { return true }
        return try accept(PredicateKeyword.and)
    }

    private mutating func acceptOr() throws(PinviewError) -> Bool {
        if try accept(PredicateSymbol.or) { return true }
        return try accept(PredicateKeyword.or)
    }

    private mutating func primary() throws(PinviewError) -> PinviewPredicate {
        if try accept(.truePredicate) { return .constant(true) }
        if try accept(.falsePredicate) { return .constant(false) }
        return try comparison()
    }

    // MARK: Comparisons

    private mutating func comparison() throws(PinviewError) -> PinviewPredicate {
        let modifier = try self.modifier()
        let left = try expression()
        let isNegated = try accept(PredicateKeyword.not)
        if isNegated, keyword != .in { throw unexpected("IN") }
        let op = try comparisonOperator()
        let options = try self.options()
        let rightPosition = tokenPosition
        let right = try expression()
        if op == .between, case .aggregate(let bounds) = right.kind, bounds.count != 2 {
            throw PredicateLexer.error(
                "BETWEEN needs a list of two values, such as {1, 10}; this one has \(bounds.count)", at: rightPosition)
        }
        if op == .matches, case .constant(.string(let pattern)) = right.kind {
            do throws(PinviewError) {
                _ = try MatchPattern.compiled(pattern, options.folding)
            } catch {
                throw PredicateLexer.error(String(error.message.dropLast()), at: rightPosition)
            }
        }
        let comparison = PinviewPredicate.comparison(ComparisonPredicate(left, op, right, modifier: modifier, options: options))
        return isNegated ? .not(comparison) : comparison
    }

    private mutating func modifier() throws(PinviewError) -> PredicateModifier {
        guard let modifier = keyword?.modifier else { return .direct }
        try advance()
        return modifier
    }

    private mutating func comparisonOperator() throws(PinviewError) -> PredicateOperator {
        guard let found = symbol?.comparison ?? keyword?.comparison else {
            throw unexpected("an operator (==, !=, <, <=, >, >=, BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES)")
        }
        try advance()
        return found
    }

    private mutating func options() throws(PinviewError) -> PredicateOptions {
        guard try accept(.openingBracket) else { return [] }
        guard case .word(let letters) = token else { throw unexpected("c, d, cd, n or l") }
        var options: PredicateOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L": options.insert(.localized)
            default: throw error("'\(letter)' is not an option of an operator; use c, d, n or l")
            }
        }
        try advance()
        guard try accept(.closingBracket) else { throw unexpected("']'") }
        return options
    }
}
