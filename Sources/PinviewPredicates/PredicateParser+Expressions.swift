import PinviewModel

extension PredicateParser {
    mutating func expression() throws(PinviewError) -> Expression {
        token == .symbol("{") ? try list() : try single()
    }

    /// Everything but a list.
    private mutating func single() throws(PinviewError) -> Expression {
        switch token {
        case .text(let text):
            try advance()
            return .constant(.string(text))
        case .integer, .integerBeyondMaximum, .double, .symbol("-"):
            return .constant(try number())
        case .variable(let name):
            try advance()
            return .variable(name)
        case .argument(let format):
            return try argument(format)
        case .word:
            if let constant = try constant() { return constant }
            return try keyPath()
        case .escapedName, .symbol("@"):
            return try keyPath()
        case .symbol("("):
            throw error("A parenthesis encloses whole comparisons, not one side of them; a list is written in braces")
        default:
            throw unexpected("a key path or a value")
        }
    }

    private mutating func constant() throws(PinviewError) -> Expression? {
        let value: Value
        switch keyword {
        case "NIL", "NULL": value = .null
        case "TRUE", "YES": value = .boolean(true)
        case "FALSE", "NO": value = .boolean(false)
        case let word? where word != "SELF" && PredicateName.reservedWords.contains(word):
            throw unexpected("a key path or a value (a key of this name is written with '#' before it)")
        default: return nil
        }
        try advance()
        return .constant(value)
    }

    private mutating func number() throws(PinviewError) -> Value {
        let isNegative = try accept(symbol: "-")
        let value: Value
        switch token {
        case .integer(let number): value = .integer(isNegative ? -number : number)
        case .integerBeyondMaximum where isNegative: value = .integer(.min)
        case .integerBeyondMaximum: throw error("The number 9223372036854775808 is out of range; give it as a DecimalNumber for %@")
        case .double(let number): value = .double(isNegative ? -number : number)
        default: throw unexpected("a number")
        }
        try advance()
        return value
    }

    /// Lists within lists are kept in an array and not on the thread's stack.
    private mutating func list() throws(PinviewError) -> Expression {
        try advance()
        var outer: [[Expression]] = []
        var elements: [Expression] = []
        var mayEnd = true
        while true {
            if token == .symbol("{") {
                try advance()
                outer.append(elements)
                elements = []
                mayEnd = true
                try requireDepth(outer.count + 1)
                continue
            }
            if !(mayEnd && token == .symbol("}")) {
                elements.append(try single())
                mayEnd = false
            }
            while try !accept(symbol: ",") {
                guard try accept(symbol: "}") else { throw unexpected("',' or '}'") }
                let list = Expression.aggregate(elements)
                guard let enclosing = outer.popLast() else { return list }
                elements = enclosing
                elements.append(list)
            }
            mayEnd = false
        }
    }

    private mutating func argument(_ format: String) throws(PinviewError) -> Expression {
        let argument = try nextArgument(for: format)
        if format == "K" {
            guard case .constant(.string(let path)) = argument.kind else {
                throw error("The argument of %K has to be a key path as a text")
            }
            var keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !keys.contains("") else { throw error("\(path.quotedForPeople), the argument of %K, is no key path") }
            try advance()
            try appendFurtherKeys(to: &keys)
            return keyPath(keys)
        }
        if format != "@" {
            switch argument.kind {
            case .constant(.integer), .constant(.double), .constant(.boolean), .constant(.decimal): break
            default: throw error("The argument of %\(format) has to be a number; %@ takes any value")
            }
        }
        try advance()
        return argument
    }

    private mutating func keyPath() throws(PinviewError) -> Expression {
        var keys: [String] = []
        switch token {
        case .word(let name):
            try advance()
            if token == .symbol("(") { return try function(name) }
            keys.append(name.uppercased() == "SELF" ? "SELF" : name)
            try appendFurtherKeys(to: &keys)
            return keyPath(keys)
        case .escapedName(let name):
            keys.append(name)
            try advance()
        default: keys.append(try collectionOperator())
        }
        try appendFurtherKeys(to: &keys)
        return .keyPath(keys)
    }

    /// A path that may begin with SELF, which adds nothing.
    private func keyPath(_ keys: [String]) -> Expression {
        .keyPath(keys.first == "SELF" ? Array(keys.dropFirst()) : keys)
    }

    private mutating func appendFurtherKeys(to keys: inout [String]) throws(PinviewError) {
        while try accept(symbol: ".") {
            switch token {
            case .word(let name), .escapedName(let name):
                keys.append(name)
                try advance()
            case .symbol("@"): keys.append(try collectionOperator())
            default: throw unexpected("the name of a property")
            }
        }
        if token == .symbol("[") {
            throw error("A key path has no elements to choose by '['; options stand behind the operator")
        }
    }

    private mutating func collectionOperator() throws(PinviewError) -> String {
        try advance()
        guard case .word(let name) = token else { throw unexpected("the name of a collection operator, such as count") }
        guard name == "count" else { throw error("The collection operator @\(name) is not supported; @count is") }
        try advance()
        return "@count"
    }

    /// `CAST(text, type)`, from the parenthesis on.
    private mutating func function(_ name: String) throws(PinviewError) -> Expression {
        guard name.uppercased() == "CAST" else { throw error("The function \(name) is not supported; CAST is") }
        try advance()
        let text: String
        let isNegative = try accept(symbol: "-")
        switch token {
        case .text(let written) where !isNegative: text = written
        case .integer(let number): text = "\(isNegative ? -number : number)"
        case .double(let number): text = "\(isNegative ? -number : number)"
        default: throw unexpected("a text or a number")
        }
        try advance()
        guard try accept(symbol: ",") else { throw unexpected("','") }
        guard case .text(let type) = token else { throw unexpected("the name of a type in quotes") }
        let expression: Expression
        do throws(PredicateCast.Problem) {
            expression = try PredicateCast.expression(text, type: type)
        } catch {
            switch error {
            case .unknownType:
                throw self.error("\(type.quotedForPeople) is no type to CAST to; these are: \(PredicateCast.typeNames)")
            case .unreadable(let expected):
                throw self.error("CAST to \(type) needs \(expected), not \(text.quotedForPeople)")
            }
        }
        try advance()
        guard try accept(symbol: ")") else { throw unexpected("')'") }
        return expression
    }
}
