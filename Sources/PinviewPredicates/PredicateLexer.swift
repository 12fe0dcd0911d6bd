import PinviewModel

/// A piece of a predicate's text.
enum PredicateToken: Equatable {
    /// A key path segment or a word of the language.
    case word(String)
    /// A name that was written `#name` and is no word of the language.
    case escapedName(String)
    case variable(String)
    case text(String)
    case integer(Int64)
    case double(Double)
    case symbol(String)
    /// `%@`, `%K`, `%d`…
    case argument(String)
    case end

    /// For error messages.
    var description: String {
        switch self {
        case .word(let word): "'\(word)'"
        case .escapedName(let name): "'#\(name)'"
        case .variable(let name): "'$\(name)'"
        case .text(let text): "the text \"\(text.prefix(30))\""
        case .integer(let number): "the number \(number)"
        case .double(let number): "the number \(number)"
        case .symbol(let symbol): "'\(symbol)'"
        case .argument(let format): "'%\(format)'"
        case .end: "the end"
        }
    }
}

/// Cuts a predicate's text into tokens.
struct PredicateLexer {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The 1-based place of the token that follows.
    private(set) var tokenPosition = 1

    private static let symbols = [
        "&&", "||", "==", "=<", "=>", "!=", "<>", "<=", ">=", "=", "<", ">", "!", "(", ")", "{", "}", "[", "]", ",", ".", "@", "-",
    ]
    /// Longest first.
    private static let argumentFormats = ["lld", "lli", "llu", "ld", "li", "lu", "@", "K", "d", "i", "u", "f", "g", "e"]

    mutating func next() throws(PinviewError) -> PredicateToken {
        while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
        tokenPosition = position + 1
        guard position < scalars.count else { return .end }
        let scalar = scalars[position]
        if scalar == "\"" || scalar == "'" { return .text(try quotedText(scalar)) }
        if Self.isDigit(scalar) { return try number() }
        if scalar == "%" { return try argument() }
        if scalar == "$" || scalar == "#" {
            position += 1
            let name = takeName()
            guard !name.isEmpty else { throw error("A name is missing behind '\(scalar)'") }
            return scalar == "$" ? .variable(name) : .escapedName(name)
        }
        if Self.isNameStart(scalar) { return .word(takeName()) }
        for symbol in Self.symbols where matches(symbol) {
            position += symbol.unicodeScalars.count
            return .symbol(symbol)
        }
        throw error("The character '\(scalar)' has no meaning here")
    }

    func error(_ what: String) -> PinviewError {
        PinviewError(.badPredicate, "\(what) (character \(tokenPosition) of the predicate).")
    }

    private func matches(_ symbol: String) -> Bool {
        let wanted = Array(symbol.unicodeScalars)
        return position + wanted.count <= scalars.count && Array(scalars[position..<position + wanted.count]) == wanted
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isAlphabetic }

    private mutating func takeName() -> String {
        var name = String.UnicodeScalarView()
        while position < scalars.count, Self.isNameStart(scalars[position]) || Self.isDigit(scalars[position]) || (!name.isEmpty && scalars[position].properties.generalCategory == .nonspacingMark) {
            name.append(scalars[position])
            position += 1
        }
        return String(name)
    }

    private mutating func quotedText(_ quote: Unicode.Scalar) throws(PinviewError) -> String {
        position += 1
        var text = String.UnicodeScalarView()
        while position < scalars.count {
            let scalar = scalars[position]
            position += 1
            if scalar == quote { return String(text) }
            if scalar == "\\" { text.append(try escape()) } else { text.append(scalar) }
        }
        throw error("The text that begins here has no closing quote")
    }

    private mutating func escape() throws(PinviewError) -> Unicode.Scalar {
        guard position < scalars.count else { throw error("The text that begins here ends in a backslash") }
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "0": return "\0"
        case "u":
            let digits = String(String.UnicodeScalarView(scalars[position..<min(position + 4, scalars.count)]))
            guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16), let result = Unicode.Scalar(code) else {
                throw error("'\\u' in a text needs four hexadecimal digits of a character")
            }
            position += 4
            return result
        default: return scalar
        }
    }

    private mutating func number() throws(PinviewError) -> PredicateToken {
        let start = position
        if matches("0x") || matches("0X") {
            position += 2
            let digits = takeWhile { $0.properties.isASCIIHexDigit }
            guard let number = Int64(digits, radix: 16) else { throw error("'0x\(digits)' is no hexadecimal number of 64 bits") }
            return .integer(number)
        }
        _ = takeWhile(Self.isDigit)
        var isInteger = true
        if position + 1 < scalars.count, scalars[position] == ".", Self.isDigit(scalars[position + 1]) {
            isInteger = false
            position += 1
            _ = takeWhile(Self.isDigit)
        }
        if position < scalars.count, scalars[position] == "e" || scalars[position] == "E" {
            let mark = position
            position += 1
            if position < scalars.count, scalars[position] == "+" || scalars[position] == "-" { position += 1 }
            if takeWhile(Self.isDigit).isEmpty { position = mark } else { isInteger = false }
        }
        let text = String(String.UnicodeScalarView(scalars[start..<position]))
        if isInteger, let number = Int64(text) { return .integer(number) }
        // -9223372036854775808 is read as a minus and a number that is one too large for 64 bits.
        if isInteger, text == "9223372036854775808" { return .integer(.min) }
        guard !isInteger, let number = Double(text), number.isFinite else { throw error("The number \(text.prefix(40)) is out of range") }
        return .double(number)
    }

    private mutating func takeWhile(_ condition: (Unicode.Scalar) -> Bool) -> String {
        var taken = String.UnicodeScalarView()
        while position < scalars.count, condition(scalars[position]) {
            taken.append(scalars[position])
            position += 1
        }
        return String(taken)
    }

    private mutating func argument() throws(PinviewError) -> PredicateToken {
        position += 1
        for format in Self.argumentFormats where matches(format) {
            position += format.unicodeScalars.count
            return .argument(format)
        }
        throw error("'%' needs one of @ K d i u ld li lu lld lli llu f g e behind it")
    }
}

