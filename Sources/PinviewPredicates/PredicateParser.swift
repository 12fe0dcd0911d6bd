import PinviewModel

/// Reads the format language, by recursive descent:
///
///     or         = and { (OR | "||") and }
///     and        = not { (AND | "&&") not }
///     not        = [NOT | "!"] primary
///     primary    = "(" or ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
///     comparison = [ANY | SOME | ALL | NONE] expression operator [options] expression
struct PredicateParser {
    private var lexer: PredicateLexer
    private var token = PredicateToken.end
    private var arguments: ArraySlice<any PredicateArgument>
    private let argumentCount: Int
    private var depth = 0

    init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        lexer = PredicateLexer(format)
        self.arguments = arguments[...]
        argumentCount = arguments.count
        try advance()
    }

    mutating func parse() throws(PinviewError) -> Predicate {
        let predicate = try or()
        guard token == .end else { throw unexpected("AND, OR or the end of the predicate") }
        guard arguments.isEmpty else {
            throw PinviewError(
                .badPredicate,
                "\(argumentCount) arguments were given for the predicate, but it uses \(argumentCount - arguments.count).")
        }
        return predicate
    }

    private mutating func advance() throws(PinviewError) { token = try lexer.next() }

    private func unexpected(_ expected: String) -> PinviewError {
        lexer.error("\(token.description) was found where \(expected) was expected")
    }

    private func isWord(_ word: String) -> Bool {
        if case .word(let text) = token { return text.uppercased() == word }
        return false
    }

    private mutating func accept(word: String) throws(PinviewError) -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    private mutating func accept(symbol: String) throws(PinviewError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    // MARK: Compound predicates

    private mutating func or() throws(PinviewError) -> Predicate {
        var parts = [try and()]
        while true {
            var isMore = try accept(word: "OR")
            if !isMore { isMore = try accept(symbol: "||") }
            guard isMore else { break }
            parts.append(try and())
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func and() throws(PinviewError) -> Predicate {
        var parts = [try not()]
        while true {
            var isMore = try accept(word: "AND")
            if !isMore { isMore = try accept(symbol: "&&") }
            guard isMore else { break }
            parts.append(try not())
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func not() throws(PinviewError) -> Predicate {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Predicate.depthLimit else {
            throw lexer.error("The predicate is nested more than \(Predicate.depthLimit) levels deep")
        }
        var isNegated = try accept(word: "NOT")
        if !isNegated { isNegated = try accept(symbol: "!") }
        return isNegated ? .not(try not()) : try primary()
    }

    private mutating func primary() throws(PinviewError) -> Predicate {
        if try accept(symbol: "(") {
            let inner = try or()
            guard try accept(symbol: ")") else { throw unexpected("')'") }
            return inner
        }
        if try accept(word: "TRUEPREDICATE") { return .constant(true) }
        if try accept(word: "FALSEPREDICATE") { return .constant(false) }
        return try comparison()
    }

    // MARK: Comparisons

    private mutating func comparison() throws(PinviewError) -> Predicate {
        var modifier = PredicateModifier.direct
        if try accept(word: "ANY") {
            modifier = .any
        } else if try accept(word: "SOME") {
            modifier = .any
        } else if try accept(word: "ALL") {
            modifier = .all
        } else if try accept(word: "NONE") {
            modifier = .none
        }
        let left = try expression()
        if isWord("NOT") {
            // "a NOT IN b"
            try advance()
            guard isWord("IN") else { throw unexpected("IN") }
            return .not(try comparison(left, modifier))
        }
        return try comparison(left, modifier)
    }

    private mutating func comparison(_ left: Expression, _ modifier: PredicateModifier) throws(PinviewError) -> Predicate {
        let op = try comparisonOperator()
        let options = try options()
        let right = try expression()
        if op == .between {
            guard case .aggregate(let bounds) = right, bounds.count == 2 else {
                throw lexer.error("BETWEEN needs a list of two values, such as {1, 10}, before this place")
            }
        }
        return .comparison(ComparisonPredicate(left, op, right, modifier: modifier, options: options))
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
        case .word(let word): found = PredicateOperator(rawValue: word.uppercased())
        default: found = nil
        }
        guard let found else { throw unexpected("an operator (==, !=, <, <=, >, >=, BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE)") }
        try advance()
        return found
    }

    private mutating func options() throws(PinviewError) -> PredicateOptions {
        guard try accept(symbol: "[") else { return [] }
        var options: PredicateOptions = []
        guard case .word(let letters) = token else { throw unexpected("c, d or cd") }
        for letter in letters {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default: throw lexer.error("'\(letter)' is no option of an operator; c and d are")
            }
        }
        try advance()
        guard try accept(symbol: "]") else { throw unexpected("']'") }
        return options
    }

    // MARK: Expressions

    private mutating func expression() throws(PinviewError) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Predicate.depthLimit else {
            throw lexer.error("The predicate is nested more than \(Predicate.depthLimit) levels deep")
        }
        switch token {
        case .text(let text):
            try advance()
            return .constant(.string(text))
        case .integer, .double, .symbol("-"):
            return .constant(try number())
        case .variable(let name):
            try advance()
            return .variable(name)
        case .argument(let format):
            return try argument(format)
        case .symbol("{"):
            return try list()
        case .word(let word):
            switch word.uppercased() {
            case "NIL", "NULL":
                try advance()
                return .constant(.null)
            case "TRUE", "YES":
                try advance()
                return .constant(.boolean(true))
            case "FALSE", "NO":
                try advance()
                return .constant(.boolean(false))
            default: return try keyPath()
            }
        case .escapedName, .symbol("@"):
            return try keyPath()
        default:
            throw unexpected("a key path or a value")
        }
    }

    private mutating func number() throws(PinviewError) -> Value {
        let isNegative = try accept(symbol: "-")
        switch token {
        case .integer(let number):
            if number == .min, !isNegative { throw lexer.error("The number 9223372036854775808 is out of range") }
            try advance()
            return .integer(isNegative ? 0 &- number : number)
        case .double(let number):
            try advance()
            return .double(isNegative ? -number : number)
        default: throw unexpected("a number")
        }
    }

    private mutating func list() throws(PinviewError) -> Expression {
        try advance()
        var elements: [Expression] = []
        if try accept(symbol: "}") { return .aggregate([]) }
        repeat { elements.append(try expression()) } while try accept(symbol: ",")
        guard try accept(symbol: "}") else { throw unexpected("',' or '}'") }
        return .aggregate(elements)
    }

    private mutating func argument(_ format: String) throws(PinviewError) -> Expression {
        guard let argument = arguments.popFirst() else {
            throw lexer.error("The predicate needs more than the \(argumentCount) arguments that were given; '%\(format)' has none")
        }
        let expression = argument.predicateArgument
        if format == "K" {
            guard case .constant(.string(let path)) = expression else { throw lexer.error("The argument of %K has to be a key path as a text") }
            try advance()
            var segments = try Self.segments(path, lexer)
            while token == .symbol(".") { segments.append(try segment()) }
            return segments == ["SELF"] ? .evaluatedObject : .keyPath(segments)
        }
        if format != "@" {
            switch expression {
            case .constant(.integer), .constant(.double), .constant(.boolean), .constant(.decimal): break
            default: throw lexer.error("The argument of %\(format) has to be a number")
            }
        }
        try advance()
        return expression
    }

    private static func segments(_ path: String, _ lexer: PredicateLexer) throws(PinviewError) -> [String] {
        let segments = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !segments.contains("") else { throw lexer.error("'\(path)' is no key path") }
        return segments
    }

    private mutating func keyPath() throws(PinviewError) -> Expression {
        var segments: [String] = []
        switch token {
        case .word(let name):
            segments.append(name.uppercased() == "SELF" ? "SELF" : name)
            try advance()
        case .escapedName(let name):
            segments.append(name)
            try advance()
        default: segments.append(try collectionOperator())
        }
        while token == .symbol(".") { segments.append(try segment()) }
        if segments[0] == "SELF" {
            if segments.count == 1 { return .evaluatedObject }
            segments.removeFirst()
        }
        return .keyPath(segments)
    }

    /// What follows a dot.
    private mutating func segment() throws(PinviewError) -> String {
        try advance()
        switch token {
        case .word(let name), .escapedName(let name):
            try advance()
            return name
        case .symbol("@"): return try collectionOperator()
        default: throw unexpected("the name of a property")
        }
    }

    private mutating func collectionOperator() throws(PinviewError) -> String {
        try advance()
        guard case .word(let name) = token else { throw unexpected("the name of a collection operator, such as count") }
        guard name == "count" else { throw lexer.error("The collection operator @\(name) is not supported here; @count is") }
        try advance()
        return "@count"
    }
}
