import PinviewModel

/// Splits a predicate's text into tokens.
struct PredicateLexer {
    /// All tokens of a text. The last one is the end, or the mistake at which reading stopped.
    static func tokens(of text: String) -> [LocatedToken] {
        var lexer = PredicateLexer(text)
        var tokens: [LocatedToken] = []
        // Stop as soon as the text is nested too deeply; the rest may be long.
        var open = 0
        var negations = 0
        while true {
            let token: PredicateToken
            do throws(PinviewError) {
                token = try lexer.next()
            } catch {
                token = .invalid(error.message)
            }
            let located = LocatedToken(token, at: lexer.tokenPosition)
            tokens.append(located)
            switch token {
            case .end, .invalid: return tokens
            case .symbol(.openingParenthesis), .symbol(.openingBrace): open += 1
            case .symbol(.closingParenthesis), .symbol(.closingBrace): open -= 1
            default: break
            }
            let isNegation = located.symbol == .not || located.keyword == .not
            negations = isNegation ? negations + 1 : 0
            if open >= NestingLimit.maximumDepth || negations >= NestingLimit.maximumDepth {
                let error = error("The predicate \(NestingLimit.problem)", at: lexer.tokenPosition)
                tokens.append(LocatedToken(.invalid(error.message), at: lexer.tokenPosition))
                return tokens
            }
        }
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0
    /// The position of the last token, counted in Unicode scalars from 1.
    private var tokenPosition = 1

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    private mutating func next() throws(PinviewError) -> PredicateToken {
        while let scalar = peek(), scalar == " " || (!Self.isVisible(scalar) && scalar.properties.isWhitespace) { position += 1 }
        tokenPosition = position + 1
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "\"", "'":
            position += 1
            return .text(try quotedText(endingWith: scalar))
        case "%":
            position += 1
            return try argument()
        case "$", "#":
            position += 1
            let name = try nameOrQuotedText(after: scalar)
            return scalar == "$" ? .variable(name) : .escapedName(name)
        default: break
        }
        if Self.isDigit(scalar) { return try number() }
        if PredicateName.isStart(scalar) { return .word(name()) }
        guard let symbol = symbol(beginningWith: scalar) else {
            throw error("The character \(Self.forPeople(scalar)) is not expected here")
        }
        position += symbol.rawValue.utf8.count
        return .symbol(symbol)
    }

    private func error(_ what: String) -> PinviewError {
        Self.error(what, at: tokenPosition)
    }

    private func error(_ what: String, at position: Int) -> PinviewError { Self.error(what, at: position) }

    static func error(_ what: String, at position: Int) -> PinviewError {
        PinviewError(.badPredicate, "\(what) (character \(position) of the predicate).")
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

    /// Whether it is a printable ASCII character.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x20 && scalar.value < 0x7F }

    private static func forPeople(_ scalar: Unicode.Scalar) -> String {
        let isShown = scalar.isASCII ? isVisible(scalar) : scalar.properties.generalCategory != .control
        return isShown ? "'\(scalar)'" : "U+" + String(scalar.value, radix: 16, uppercase: true)
    }

    private func symbol(beginningWith scalar: Unicode.Scalar) -> PredicateSymbol? {
        switch (scalar, peek(1)) {
        case ("&", "&"): .and
        case ("|", "|"): .or
        case ("<", "<"): .leftShift
        case (">", ">"): .rightShift
        case ("=", "="): .doubleEqual
        case ("=", "<"): .equalOrLess
        case ("=", ">"): .equalOrGreater
        case ("!", "="): .notEqual
        case ("<", ">"): .lessOrGreater
        case ("<", "="): .lessOrEqual
        case (">", "="): .greaterOrEqual
        case ("*", "*"): .power
        default: PredicateSymbol(rawValue: String(scalar))
        }
    }

    // MARK: Names and texts

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = peek(), condition(scalar) { position += 1 }
        return String(String.UnicodeScalarView(scalars[start..<position]))
    }

    private mutating func name() -> String {
        take(while: PredicateName.isContinuation)
    }

    private mutating func nameOrQuotedText(after mark: Unicode.Scalar) throws(PinviewError) -> String {
        guard let scalar = peek() else { throw error("'\(mark)' must be followed by a name") }
        if scalar == "\"" || scalar == "'" {
            position += 1
            return try quotedText(endingWith: scalar)
        }
        guard PredicateName.isStart(scalar) else { throw error("'\(mark)' must be followed by a name") }
        return name()
    }

    private mutating func quotedText(endingWith quote: Unicode.Scalar) throws(PinviewError) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek() {
            position += 1
            if scalar == quote { return String(text) }
            text.append(scalar == "\\" ? try escape() : scalar)
        }
        throw error("This string has no closing quote")
    }

    private mutating func escape() throws(PinviewError) -> Unicode.Scalar {
        let start = position
        guard let scalar = peek() else { throw error("This string has no closing quote") }
        position += 1
        switch scalar {
        case "\\", "\"", "'": return scalar
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "0": return "\0"
        case "u": return try escapedCode(at: start)
        default:
            throw error(
                "'\\\(scalar)' is not an escape sequence; use \\n \\t \\r \\0 \\\\ \\' \\\" or \\u, and \\\\ for a backslash, as in LIKE",
                at: start)
        }
    }

    /// `\u00E9` or `\u{1F600}`, after the `u`.
    private mutating func escapedCode(at start: Int) throws(PinviewError) -> Unicode.Scalar {
        let isBraced = peek() == "{"
        if isBraced { position += 1 }
        var code: UInt32 = 0
        var count = 0
        while count < (isBraced ? 6 : 4), let digit = peek().flatMap({ $0.isASCII ? Character($0).hexDigitValue : nil }) {
            code = code << 4 | UInt32(digit)
            count += 1
            position += 1
        }
        let isComplete = isBraced ? count > 0 && peek() == "}" : count == 4
        guard isComplete, let scalar = Unicode.Scalar(code) else {
            throw error(
                "'\\u' must be followed by a character code: four hexadecimal digits, or up to six in braces, as in \\u{1F600}", at: start)
        }
        if isBraced { position += 1 }
        return scalar
    }

    // MARK: Numbers and arguments

    private mutating func number() throws(PinviewError) -> PredicateToken {
        let start = position
        if peek() == "0", peek(1) == "x" || peek(1) == "X" {
            position += 2
            let digits = take { $0.properties.isASCIIHexDigit }
            try requireEndOfNumber()
            guard let number = Int64(digits, radix: 16) else {
                throw error("'0x\(digits.prefix(40))' is not a hexadecimal number of at most 63 bits")
            }
            return .integer(number)
        }
        _ = take(while: Self.isDigit)
        var isInteger = true
        if peek() == ".", let digit = peek(1), Self.isDigit(digit) {
            isInteger = false
            position += 1
            _ = take(while: Self.isDigit)
        }
        if peek() == "e" || peek() == "E" {
            isInteger = false
            position += 1
            if peek() == "+" || peek() == "-" { position += 1 }
            guard let digit = peek(), Self.isDigit(digit) else { throw error("The exponent of this number has no digits") }
            _ = take(while: Self.isDigit)
        }
        try requireEndOfNumber()
        let text = String(String.UnicodeScalarView(scalars[start..<position]))
        if isInteger {
            if let number = Int64(text) { return .integer(number) }
            if UInt64(text) == UInt64(1) << 63 { return .integerBeyondMaximum }
        } else if let number = Double(text), number.isFinite {
            return .double(number)
        }
        throw error("The number \(text.prefix(40)) is out of range; pass it as a decimal argument for %@")
    }

    /// Rejects `3rd`, which is not the number 3 followed by a word.
    private func requireEndOfNumber() throws(PinviewError) {
        if let scalar = peek(), PredicateName.isStart(scalar) {
            throw error(
                "A number cannot be followed by \(Self.forPeople(scalar)); put strings in quotes, and a space between a number and a word",
                at: position + 1
            )
        }
    }

    private mutating func argument() throws(PinviewError) -> PredicateToken {
        if peek() == "%" {
            position += 1
            return .symbol(.remainder)
        }
        let number = try argumentNumber()
        var format = ""
        while peek() == "l", format.utf8.count < 2 {
            format += "l"
            position += 1
        }
        let letters = format.isEmpty ? "@Kdiufge" : "diufge"
        guard let conversion = peek(), letters.unicodeScalars.contains(conversion) else {
            throw error(
                "'%' must be followed by one of @ K d i u f g e, with the argument's number and '$' between them if need be; write '%%' for the remainder operator"
            )
        }
        position += 1
        format.unicodeScalars.append(conversion)
        return .argument(format, number: number)
    }

    /// The `2` of `%2$@`, after the `%`.
    private mutating func argumentNumber() throws(PinviewError) -> Int? {
        var length = 0
        while let digit = peek(length), Self.isDigit(digit) { length += 1 }
        guard length > 0 else { return nil }
        let digits = String(String.UnicodeScalarView(scalars[position..<position + length]))
        guard peek(length) == "$", let number = Int(digits), number > 0 else {
            throw error("An argument number counts from 1 and is followed by '$', as in %1$@")
        }
        position += length + 1
        return number
    }
}
