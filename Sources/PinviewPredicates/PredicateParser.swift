import PinviewModel

/// Reads the format language:
///
///     or         = and { (OR | "||") and }
///     and        = not { (AND | "&&") not }
///     not        = { NOT | "!" } primary
///     primary    = "(" or ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
///     comparison = [ANY | SOME | ALL | NONE] expression [NOT] operator ["[" options "]"] expression
///
/// Open parentheses are kept in an array and not on the thread's stack, which a long text could otherwise exhaust.
struct PredicateParser {
    private var lexer: PredicateLexer
    private(set) var token = PredicateToken.end
    private var arguments: ArraySlice<any PredicateArgument>
    private let argumentCount: Int

    init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        lexer = PredicateLexer(format)
        self.arguments = arguments[...]
        argumentCount = arguments.count
        try advance()
    }

    mutating func parse() throws(PinviewError) -> Predicate {
        let predicate = try compound()
        guard arguments.isEmpty else {
            throw PinviewError(
                .badPredicate,
                "\(argumentCount) arguments were given for the predicate, but it uses \(argumentCount - arguments.count).")
        }
        if case .tooDeep = predicate.kind { throw NestingLimit.error }
        return predicate
    }

    mutating func advance() throws(PinviewError) { token = try lexer.next() }

    func error(_ what: String) -> PinviewError { lexer.error(what) }

    func unexpected(_ expected: String) -> PinviewError {
        lexer.error("\(token.description) was found where \(expected) was expected")
    }

    func requireDepth(_ depth: Int) throws(PinviewError) {
        guard depth < NestingLimit.maximumDepth else { throw lexer.error("The predicate \(NestingLimit.problem)") }
    }

    /// The word in upper case; nil if the token is none.
    var keyword: String? {
        if case .word(let text) = token { return text.uppercased() }
        return nil
    }

    mutating func accept(word: String) throws(PinviewError) -> Bool {
        guard keyword == word else { return false }
        try advance()
        return true
    }

    mutating func accept(symbol: String) throws(PinviewError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func nextArgument(for format: String) throws(PinviewError) -> Expression {
        guard let argument = arguments.popFirst() else {
            let given = argumentCount == 1 ? "1 argument was" : "\(argumentCount) arguments were"
            throw lexer.error("'%\(format)' has no argument: \(given) given")
        }
        return argument.predicateArgument
    }

    // MARK: Compound predicates

    /// What has been read between an open parenthesis and the place reached.
    private struct Group {
        var alternatives: [Predicate] = []
        var conjunction: [Predicate] = []
        /// How many NOTs stand before the operand that comes next.
        var negations = 0

        mutating func append(_ operand: Predicate) {
            var operand = operand
            for _ in 0..<negations { operand = .not(operand) }
            negations = 0
            conjunction.append(operand)
        }

        mutating func beginAlternative() {
            alternatives.append(.and(conjunction))
            conjunction = []
        }

        var predicate: Predicate { .or(alternatives + [.and(conjunction)]) }
    }

    private mutating func compound() throws(PinviewError) -> Predicate {
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
            if try accept(symbol: "(") {
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
                    guard token == .end else { throw unexpected("AND, OR or the end of the predicate") }
                    return group.predicate
                }
                guard try accept(symbol: ")") else { throw unexpected("AND, OR or ')'") }
                operand = group.predicate
                group = enclosing
                depth -= 1
            }
        }
    }

    private mutating func acceptNot() throws(PinviewError) -> Bool {
        if try accept(symbol: "!") { return true }
        return try accept(word: "NOT")
    }

    private mutating func acceptAnd() throws(PinviewError) -> Bool {
        if try accept(symbol: "&&") { return true }
        return try accept(word: "AND")
    }

    private mutating func acceptOr() throws(PinviewError) -> Bool {
        if try accept(symbol: "||") { return true }
        return try accept(word: "OR")
    }

    private mutating func primary() throws(PinviewError) -> Predicate {
        if try accept(word: "TRUEPREDICATE") { return .constant(true) }
        if try accept(word: "FALSEPREDICATE") { return .constant(false) }
        return try comparison()
    }

    // MARK: Comparisons

    private mutating func comparison() throws(PinviewError) -> Predicate {
        let modifier = try self.modifier()
        let left = try expression()
        let isNegated = try accept(word: "NOT")
        if isNegated, keyword != "IN" { throw unexpected("IN") }
        let op = try comparisonOperator()
        let options = try self.options()
        let placeOfRight = lexer.tokenPosition
        let right = try expression()
        if op == .between, case .aggregate(let bounds) = right.kind, bounds.count != 2 {
            throw lexer.error("BETWEEN needs a list of two values, such as {1, 10}; this one has \(bounds.count)", at: placeOfRight)
        }
        let comparison = Predicate.comparison(ComparisonPredicate(left, op, right, modifier: modifier, options: options))
        return isNegated ? .not(comparison) : comparison
    }

    private mutating func modifier() throws(PinviewError) -> PredicateModifier {
        let modifier: PredicateModifier
        switch keyword {
        case "ANY", "SOME": modifier = .any
        case "ALL": modifier = .all
        case "NONE": modifier = .none
        default: return .direct
        }
        try advance()
        return modifier
    }

    private mutating func comparisonOperator() throws(PinviewError) -> PredicateOperator {
        let found: PredicateOperator?
        switch token {
        case .symbol("="), .symbol("=="): found = .equalTo
        case .symbol("!="), .symbol("<>"): found = .notEqualTo
        case .symbol("<"): found = .lessThan
        case .symbol("<="), .symbol("=<"): found = .lessThanOrEqualTo
        case .symbol(">"): found = .greaterThan
        case .symbol(">="), .symbol("=>"): found = .greaterThanOrEqualTo
        case .word where keyword == "MATCHES": throw lexer.error("MATCHES is not supported; LIKE with * and ? is")
        default: found = keyword.flatMap(PredicateOperator.init(rawValue:))
        }
        guard let found else { throw unexpected("an operator (==, !=, <, <=, >, >=, BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE)") }
        try advance()
        return found
    }

    private mutating func options() throws(PinviewError) -> PredicateOptions {
        guard try accept(symbol: "[") else { return [] }
        guard case .word(let letters) = token else { throw unexpected("c, d or cd") }
        var options: PredicateOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            default: throw lexer.error("'\(letter)' is no option of an operator; c and d are")
            }
        }
        try advance()
        guard try accept(symbol: "]") else { throw unexpected("']'") }
        return options
    }
}
