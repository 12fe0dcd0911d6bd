import PinviewModel

/// Parses expressions:
///
///     expression     = bits { "|" bits }, where bits are joined by "^", "&", "<<" and ">>", in order of precedence
///     added          = multiplied { ("+" | "-") multiplied }
///     multiplied     = raised { ("*" | "/" | "%%") raised }
///     raised         = signed [ "**" raised ]
///     signed         = "-" signed | "~" signed | operand
///     operand        = value | list | key path | variable | function | "(" expression ")"
extension PredicateParser {
    mutating func expression() throws(PinviewError) -> PinviewExpression { try infix(from: 1) }

    /// An expression of functions that bind at least that tightly, from left to right.
    private mutating func infix(from precedence: Int) throws(PinviewError) -> PinviewExpression {
        var left = try raised()
        while let (function, its) = symbol?.infix, its >= precedence {
            try advance()
            left = try checked(.function(function, [left, try infix(from: its + 1)]))
        }
        return left
    }

    private mutating func raised() throws(PinviewError) -> PinviewExpression {
        let base = try signed()
        guard symbol == .power else { return base }
        return try nested { parser throws(PinviewError) in
            try parser.advance()
            return .function(.power, [base, try parser.raised()])
        }
    }

    private mutating func signed() throws(PinviewError) -> PinviewExpression {
        if try accept(.complement) {
            return try nested { parser throws(PinviewError) in .function(.onesComplement, [try parser.signed()]) }
        }
        guard try accept(.minus) else { return try operand() }
        switch token {
        case .integer(let number):
            try advance()
            return .constant(.integer(-number))
        case .integerBeyondMaximum:
            try advance()
            return .constant(.integer(.min))
        case .double(let number):
            try advance()
            return .constant(.double(-number))
        default: return try nested { parser throws(PinviewError) in .function(.negate, [try parser.signed()]) }
        }
    }

    private func checked(_ expression: PinviewExpression) throws(PinviewError) -> PinviewExpression {
        if case .tooDeep = expression.kind { throw error("The predicate \(NestingLimit.expressionProblem)") }
        if case .function(let function, let operands) = expression.kind, function.infix != nil || function.isBitwise,
            operands.contains(where: { if case .aggregate = $0.kind { true } else { false } })
        {
            throw error("A list cannot be an operand of an arithmetic operator")
        }
        return expression
    }

    /// Parses an expression one level deeper.
    private mutating func nested(_ read: (inout PredicateParser) throws(PinviewError) -> PinviewExpression) throws(PinviewError)
        -> PinviewExpression
    {
        guard expressionDepth < NestingLimit.maximumExpressionDepth else { throw error("The predicate \(NestingLimit.expressionProblem)") }
        expressionDepth += 1
        let expression = try read(&self)
        expressionDepth -= 1
        return try checked(expression)
    }

    private mutating func operand() throws(PinviewError) -> PinviewExpression {
        switch token {
        case .text(let text):
            try advance()
            return .constant(.string(text))
        case .integer(let number):
            try advance()
            return .constant(.integer(number))
        case .double(let number):
            try advance()
            return .constant(.double(number))
        case .integerBeyondMaximum: throw error("The number 9223372036854775808 is out of range; pass it as a decimal argument for %@")
        case .variable(let name):
            try advance()
            var keys: [String] = []
            try appendFurtherKeys(to: &keys)
            return .variable(name, keys: keys)
        case .argument(let format, let number):
            return try argument(format, number)
        case .word:
            if let constant = try constant() { return constant }
            return try keyPath()
        case .escapedName, .symbol(.at): return try keyPath()
        case .symbol(.openingBrace): return try list()
        case .symbol(.openingParenthesis):
            return try nested { parser throws(PinviewError) in
                try parser.advance()
                let expression = try parser.expression()
                try parser.require(.closingParenthesis)
                return expression
            }
        default: throw unexpected("a key path or a value")
        }
    }

    private mutating func require(_ symbol: PredicateSymbol) throws(PinviewError) {
        guard try accept(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
    }

    private mutating func constant() throws(PinviewError) -> PinviewExpression? {
        guard let keyword, keyword != .evaluatedObject else { return nil }
        guard let value = keyword.value else { throw unexpected("a key path or a value (put '#' before a key of this name)") }
        try advance()
        return .constant(value)
    }

    /// Nested lists are kept in an array instead of on the thread's stack.
    private mutating func list() throws(PinviewError) -> PinviewExpression {
        try advance()
        var outer: [[PinviewExpression]] = []
        var elements: [PinviewExpression] = []
        var mayEnd = true
        while true {
            if symbol == .openingBrace {
                try advance()
                outer.append(elements)
                elements = []
                mayEnd = true
                try requireDepth(outer.count + 1)
                continue
            }
            if !(mayEnd && symbol == .closingBrace) {
                elements.append(try expression())
                mayEnd = false
            }
            while try !accept(.comma) {
                guard try accept(.closingBrace) else { throw unexpected("',' or '}'") }
                let list = PinviewExpression.aggregate(elements)
                guard let enclosing = outer.popLast() else { return list }
                elements = enclosing
                elements.append(list)
            }
            mayEnd = false
        }
    }

    private mutating func argument(_ format: String, _ number: Int?) throws(PinviewError) -> PinviewExpression {
        let argument = try argument(number)
        if format == "K" {
            guard case .constant(.string(let path)) = argument.kind else {
                throw error("The argument of %K must be a key path as a string")
            }
            var keys = PinviewExpression.keys(ofPath: path)
            guard !keys.contains("") else { throw error("\(path.quotedForPeople), the argument of %K, is not a key path") }
            try advance()
            try appendFurtherKeys(to: &keys)
            return try keyPath(keys)
        }
        if format != "@" {
            switch argument.kind {
            case .constant(.integer), .constant(.double), .constant(.boolean), .constant(.decimal): break
            default: throw error("The argument of %\(format) must be a number; use %@ for other values")
            }
        }
        try advance()
        return argument
    }

    // MARK: Key paths

    private mutating func keyPath() throws(PinviewError) -> PinviewExpression {
        var keys: [String] = []
        switch token {
        case .word(let name):
            if nextSymbol == .openingParenthesis || nextSymbol == .colon {
                return try nested { parser throws(PinviewError) in try parser.function() }
            }
            keys.append(keyword == .evaluatedObject ? "SELF" : name)
            try advance()
            try appendFurtherKeys(to: &keys)
            return try keyPath(keys)
        case .escapedName(let name):
            keys.append(name)
            try advance()
        default: keys.append(try collectionOperator())
        }
        try appendFurtherKeys(to: &keys)
        return try checkedStart(.keyPath(keys))
    }

    /// A path that may begin with SELF, which has no effect there.
    private func keyPath(_ keys: [String]) throws(PinviewError) -> PinviewExpression {
        try checkedStart(.keyPath(keys.first == "SELF" ? Array(keys.dropFirst()) : keys))
    }

    /// - Throws: `badPredicate` for a key path that begins with an element index.
    private func checkedStart(_ keyPath: PinviewExpression) throws(PinviewError) -> PinviewExpression {
        if case .keyPath(let keys) = keyPath.kind, keys[0].hasPrefix("[") {
            throw error("An index such as \(keys[0]) must follow an ordered to-many relationship")
        }
        return keyPath
    }

    private mutating func appendFurtherKeys(to keys: inout [String]) throws(PinviewError) {
        while true {
            if try accept(.period) {
                switch token {
                case .word(let name), .escapedName(let name):
                    keys.append(name)
                    try advance()
                case .symbol(.at): keys.append(try collectionOperator())
                default: throw unexpected("the name of a property")
                }
            } else if !keys.isEmpty, symbol == .openingBracket {
                keys.append(try elementIndex())
            } else {
                return
            }
        }
    }

    /// `[0]`, `[FIRST]`, `[LAST]`, `[SIZE]`.
    private mutating func elementIndex() throws(PinviewError) -> String {
        try advance()
        let index: String
        switch token {
        case .integer(let number): index = "[\(number)]"
        case .word(let word) where ["FIRST", "LAST", "SIZE"].contains(word.uppercased()): index = "[\(word.uppercased())]"
        default: throw unexpected("FIRST, LAST, SIZE or a whole number (options follow the operator)")
        }
        try advance()
        try require(.closingBracket)
        return index
    }

    private mutating func collectionOperator() throws(PinviewError) -> String {
        try advance()
        guard case .word(let name) = token else { throw unexpected("the name of a collection operator, such as count") }
        guard CollectionOperator(rawValue: name) != nil else {
            throw error("Unknown collection operator @\(name); expected one of \(CollectionOperator.names)")
        }
        try advance()
        return "@\(name)"
    }

    // MARK: Functions

    /// `name(…)`, `name:(…)`, `name:with:(…)`, from the name on.
    private mutating func function() throws(PinviewError) -> PinviewExpression {
        let start = tokenPosition
        var name = ""
        while case .word(let part) = token {
            name += part
            try advance()
            guard try accept(.colon) else { break }
            name += ":"
        }
        try require(.openingParenthesis)
        switch name.uppercased() {
        case "CAST": return try cast()
        case "SUBQUERY": return try subquery()
        case "TERNARY": return try conditional()
        case "FUNCTION": return try namedFunction()
        default: break
        }
        guard let function = ExpressionFunction(named: name) else { throw unknownFunction(name, at: start) }
        return try call(function)
    }

    private func unknownFunction(_ name: String, at position: Int) -> PinviewError {
        PredicateLexer.error(
            "Unknown function \(name); expected one of \(ExpressionFunction.allCases.map(\.rawValue).joined(separator: ", ")), "
                + "CAST, TERNARY, SUBQUERY", at: position)
    }

    /// The arguments and the closing parenthesis.
    private mutating func call(_ function: ExpressionFunction) throws(PinviewError) -> PinviewExpression {
        var arguments: [PinviewExpression] = []
        if symbol != .closingParenthesis {
            repeat { arguments.append(try expression()) } while try accept(.comma)
        }
        return try closed(function, arguments)
    }

    /// `FUNCTION(operand, "selector:", arguments…)`.
    private mutating func namedFunction() throws(PinviewError) -> PinviewExpression {
        var arguments = [try expression()]
        try require(.comma)
        guard case .text(let name) = token else { throw unexpected("the name of a function in quotes") }
        guard let function = ExpressionFunction(named: name) else { throw unknownFunction(name, at: tokenPosition) }
        try advance()
        while try accept(.comma) { arguments.append(try expression()) }
        return try closed(function, arguments)
    }

    private mutating func closed(_ function: ExpressionFunction, _ arguments: [PinviewExpression]) throws(PinviewError) -> PinviewExpression
    {
        let end = tokenPosition
        try require(.closingParenthesis)
        do throws(PinviewError) {
            return .function(function, try function.checked(arguments))
        } catch {
            throw PredicateLexer.error(String(error.message.dropLast()), at: end)
        }
    }

    /// `SUBQUERY(collection, $variable, predicate)`, after the parenthesis, with a following
    /// `.@count`.
    private mutating func subquery() throws(PinviewError) -> PinviewExpression {
        let collection = try expression()
        try require(.comma)
        guard case .variable(let name) = token else { throw unexpected("a variable, such as $member") }
        try advance()
        try require(.comma)
        let predicate = try compound(endingWith: .symbol(.closingParenthesis))
        try require(.closingParenthesis)
        let subquery = PinviewExpression.subquery(collection, variable: name, predicate: predicate)
        var keys: [String] = []
        try appendFurtherKeys(to: &keys)
        switch keys {
        case ["@count"]: return .function(.count, [subquery])
        case []: return subquery
        default: throw error("A SUBQUERY can only be followed by .@count")
        }
    }

    /// `TERNARY(predicate, then, else)`, after the parenthesis.
    private mutating func conditional() throws(PinviewError) -> PinviewExpression {
        let predicate = try compound(endingWith: .symbol(.comma))
        try require(.comma)
        let then = try expression()
        try require(.comma)
        let otherwise = try expression()
        try require(.closingParenthesis)
        return .conditional(predicate, then: then, otherwise: otherwise)
    }

    /// `CAST(expression, "type")`, after the parenthesis.
    private mutating func cast() throws(PinviewError) -> PinviewExpression {
        let expression = try expression()
        try require(.comma)
        guard case .text(let type) = token else { throw unexpected("the name of a type in quotes") }
        let literal: String? =
            switch expression.kind {
            case .constant(.string(let text)): text
            case .constant(.integer(let number)): "\(number)"
            case .constant(.double(let number)): "\(number)"
            default: nil
            }
        let result: PinviewExpression
        do throws(PredicateCast.Problem) {
            result = try PredicateCast.expression(expression, literal: literal, type: type)
        } catch {
            switch error {
            case .unknownType:
                let names = PredicateCast.typeNames.joined(separator: ", ")
                throw self.error("CAST does not support the type \(type.quotedForPeople); expected one of \(names)")
            case .unreadable(let expected):
                throw self.error("CAST to \(type) needs \(expected), not \((literal ?? expression.description).quotedForPeople)")
            }
        }
        try advance()
        try require(.closingParenthesis)
        return result
    }
}
