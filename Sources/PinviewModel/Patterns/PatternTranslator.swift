/// Translates a regular expression from ICU's syntax into PCRE2's (docs/predicates.md lists the
/// differences).
///
/// Common syntax is passed on, syntax with another meaning is rewritten, and features of PCRE2
/// alone (recursion, conditions, verbs, callouts) are rejected, as ICU would. Literals are written
/// as ASCII, with codes for all but letters and digits, so that none has a special meaning.
struct PatternTranslator {
    private let scalars: [Unicode.Scalar]
    private let folding: ((Unicode.Scalar) -> [Unicode.Scalar])?
    private var position = 0
    private var output: [UInt8] = []
    /// The pattern position from which each part of the output comes, in ascending order.
    private var origins: [(offset: Int, position: Int)] = []
    /// The effect of `(?x)` and `(?i)`, up to the end of the group.
    private struct Flags {
        /// Whether white space and comments are skipped.
        var skipsSpace = false
        var ignoresCase: Bool
    }

    /// The groups around the current position, with the flags that held outside.
    private var enclosing: [(start: Int, flags: Flags)] = []
    private var flags: Flags
    private var captureCount = 0
    /// Whether something that can be repeated precedes the current position.
    private var isRepeatable = false

    private static let maximumSetDepth = 50

    init(_ text: String, ignoresCase: Bool, folding: ((Unicode.Scalar) -> [Unicode.Scalar])?) {
        flags = Flags(ignoresCase: ignoresCase)
        scalars = Array(text.unicodeScalars)
        self.folding = folding
    }

    /// The position in the original pattern that corresponds to an offset in the translated one.
    func position(ofOffset offset: Int) -> Int {
        // PCRE2 reports the offset after the mistake.
        origins.last { $0.offset < max(offset, 1) }?.position ?? 0
    }

    mutating func translated() throws(PatternProblem) -> [UInt8] {
        while true {
            if flags.skipsSpace { skipSpace() }
            origins.append((output.count, position))
            guard let scalar = take() else { break }
            let wasRepeatable = isRepeatable
            isRepeatable = true
            switch scalar {
            case "\\": try escape()
            case "[": emit(try set(openedAt: position - 1, depth: 0).expression)
            case "(": try openGroup()
            case ")":
                guard let group = enclosing.popLast() else {
                    throw problem("')' closes no group; write \\) for a literal parenthesis", at: position - 1)
                }
                flags = group.flags
                emit(")")
            case "*", "+", "?", "{": try repetition(scalar, of: wasRepeatable)
            case ".": emit(".")
            case "|", "^", "$":
                emit(String(scalar))
                isRepeatable = false
            default: emitLiteral(scalar)
            }
        }
        if let group = enclosing.last { throw problem("this group is not closed by ')'", at: group.start) }
        return output
    }

    // MARK: Reading and writing

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    private mutating func take() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    private func problem(_ reason: String, at position: Int) -> PatternProblem { .original(reason: reason, position: position) }

    /// Skips white space and comments.
    private mutating func skipSpace() {
        while let scalar = peek() {
            if scalar == "#" {
                while let scalar = peek(), !Self.endsLine(scalar) { position += 1 }
            } else if scalar.properties.isPatternWhitespace {
                position += 1
            } else {
                return
            }
        }
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private mutating func emit(_ text: String) { output += Array(text.utf8) }

    private func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] { folding.map { $0(scalar) } ?? [scalar] }

    private mutating func emitLiteral(_ scalar: Unicode.Scalar) {
        let scalars = folded(scalar)
        let text = scalars.map(PatternSet.written).joined()
        // A following quantifier applies to all of it.
        emit(scalars.count == 1 ? text : "(?:\(text))")
    }

    // MARK: Groups and repetitions

    private mutating func openGroup() throws(PatternProblem) {
        let start = position - 1
        if flags.skipsSpace { skipSpace() }
        guard accept("?") else {
            if peek() == "*" { throw problem("'*' has nothing to repeat", at: position) }
            captureCount += 1
            return open("(", at: start)
        }
        guard let kind = take() else { throw problem("this group is not closed by ')'", at: start) }
        switch kind {
        case ":", "=", "!", ">": open("(?\(kind)", at: start)
        case "<":
            if accept("=") { return open("(?<=", at: start) }
            if accept("!") { return open("(?<!", at: start) }
            let name = try groupName()
            captureCount += 1
            open("(?<\(name)>", at: start)
        case "#":
            isRepeatable = false
            while let scalar = take() {
                if scalar == ")" { return }
            }
            throw problem("this comment is not closed by ')'", at: start)
        default:
            position -= 1
            try changeFlags(startingAt: start)
        }
    }

    private mutating func open(_ text: String, at start: Int) {
        emit(text)
        enclosing.append((start, flags))
        isRepeatable = false
    }

    /// `name>`, after the `<`.
    private mutating func groupName() throws(PatternProblem) -> String {
        let start = position
        var name = String.UnicodeScalarView()
        while let scalar = take() {
            if scalar == ">", !name.isEmpty { return String(name) }
            guard scalar.isASCII, scalar.properties.isAlphabetic || (Self.isDigit(scalar) && !name.isEmpty) else { break }
            name.append(scalar)
        }
        throw problem("a group name consists of ASCII letters and digits, begins with a letter and ends with '>'", at: start)
    }

    /// `i-s)` or `i-s:`, after the `(?`.
    private mutating func changeFlags(startingAt start: Int) throws(PatternProblem) {
        var (isOn, on, off, changed) = (true, "", "", flags)
        while let flag = take() {
            switch flag {
            case "-" where isOn: isOn = false
            case "x": changed.skipsSpace = isOn
            case "i", "m", "s":
                if flag == "i" { changed.ignoresCase = isOn }
                if isOn { on.unicodeScalars.append(flag) } else { off.unicodeScalars.append(flag) }
            case ")", ":":
                let letters = on + (off.isEmpty ? "" : "-" + off)
                if flag == ":" {
                    open("(?\(letters):", at: start)
                } else if !letters.isEmpty {
                    emit("(?\(letters))")
                }
                flags = changed
                isRepeatable = false
                return
            case "w", "d": throw problem("the flag \(flag) is not supported; use i, m, s or x", at: position - 1)
            default: throw problem("'(?\(flag)' does not begin a known kind of group", at: start)
            }
        }
        throw problem("this group is not closed by ')'", at: start)
    }

    /// A quantifier, after its `*`, `+`, `?` or `{`.
    private mutating func repetition(_ scalar: Unicode.Scalar, of isSomething: Bool) throws(PatternProblem) {
        let start = position - 1
        let text = scalar == "{" ? try interval() : String(scalar)
        guard isSomething else {
            throw problem("'\(scalar)' has nothing to repeat; write \\\(scalar) for a literal character", at: start)
        }
        emit(text)
        if accept("?") { emit("?") } else if accept("+") { emit("+") }
        isRepeatable = false
    }

    /// `2}`, `2,}` or `2,5}`, after the brace.
    private mutating func interval() throws(PatternProblem) -> String {
        let start = position - 1
        let least = digits()
        var text = "{" + least
        if accept(",") { text += "," + digits() }
        guard !least.isEmpty, accept("}") else {
            throw problem("'{' must begin a count such as {2}, {2,} or {2,5}; write \\{ for a literal brace", at: start)
        }
        return text + "}"
    }

    private mutating func digits() -> String {
        var text = ""
        while let scalar = peek(), Self.isDigit(scalar) {
            text.unicodeScalars.append(scalar)
            position += 1
        }
        return text
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

    // MARK: Escapes

    private mutating func escape() throws(PatternProblem) {
        let start = position - 1
        guard let letter = take() else { throw problem("the pattern ends with a backslash", at: start) }
        switch letter {
        case "Q": while let scalar = quoted() { emitLiteral(scalar) }
        case "E": break
        case "b": emit(PatternSet.wordBoundary)
        case "B": emit("(?!\(PatternSet.wordBoundary))")
        case "v", "V", "R", "X", "A", "Z", "z", "G": emit("\\\(letter)")
        case "1"..."9":
            var number = Int(letter.value) - 48
            while let digit = peek(), Self.isDigit(digit), number * 10 + Int(digit.value) - 48 <= captureCount {
                number = number * 10 + Int(digit.value) - 48
                position += 1
            }
            emit("\\g{\(number)}")
        case "k":
            guard accept("<") else { throw problem("\\k must be followed by the name of a group, as in \\k<name>", at: start) }
            emit("\\k<\(try groupName())>")
        default:
            if let set = try classSet(letter, at: start) { return emit(set.expression) }
            emitLiteral(try character(letter, at: start))
        }
    }

    /// The next character of a quoted part; nil at its end, which is skipped.
    private mutating func quoted() -> Unicode.Scalar? {
        if peek() == "\\", peek(1) == "E" {
            position += 2
            return nil
        }
        return take()
    }

    /// The character class that a letter after a backslash denotes.
    private mutating func classSet(_ letter: Unicode.Scalar, at start: Int) throws(PatternProblem) -> PatternSet? {
        switch letter {
        case "d": return .items("\\d")
        case "D": return .items("\\D")
        case "w": return .word
        case "W": return .negated(.word)
        case "s": return .space
        case "S": return .negated(.space)
        case "h": return .blank
        case "H": return .negated(.blank)
        case "v": return .items("\\v")
        case "V": return .items("\\V")
        case "p", "P":
            let name: String
            if accept("{") {
                guard let end = scalars[position...].firstIndex(of: "}") else {
                    throw problem("\\\(letter){ is not closed by '}'", at: start)
                }
                name = String(String.UnicodeScalarView(scalars[position..<end]))
                position = end + 1
            } else {
                guard let category = take() else { throw problem("\\\(letter) must be followed by a property, as in \\p{L}", at: start) }
                name = String(category)
            }
            guard let set = PatternSet(property: name, ignoresCase: flags.ignoresCase) else {
                throw problem("\(name.quotedForPeople) is not a known character property", at: start)
            }
            return letter == "p" ? set : .negated(set)
        default: return nil
        }
    }

    /// The character that an escape denotes.
    private mutating func character(_ letter: Unicode.Scalar, at start: Int) throws(PatternProblem) -> Unicode.Scalar {
        switch letter {
        case "a": return "\u{7}"
        case "e": return "\u{1B}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "c":
            guard let control = take(), let scalar = Unicode.Scalar(control.value & 0x1F) else {
                throw problem("\\c must be followed by a letter", at: start)
            }
            return scalar
        case "0": return try octal(at: start)
        case "x":
            if accept("{") {
                let scalar = try hexadecimal(1...8, at: start, "\\x{…} needs a character code in hexadecimal digits")
                guard accept("}") else { throw problem("\\x{ is not closed by '}'", at: start) }
                return scalar
            }
            return try hexadecimal(1...2, at: start, "\\x needs one or two hexadecimal digits, or a code in braces such as \\x{1F600}")
        case "u": return try sixteenBits(at: start)
        case "U": return try hexadecimal(8...8, at: start, "\\U needs a character code of eight hexadecimal digits")
        case "N": throw problem("\\N{…}, a character by name, is not supported; use its code, such as \\u2713", at: start)
        default:
            guard letter.isASCII, letter.properties.isAlphabetic || Self.isDigit(letter) else { return letter }
            throw problem("\\\(letter) has no meaning here", at: start)
        }
    }

    private mutating func octal(at start: Int) throws(PatternProblem) -> Unicode.Scalar {
        var code: UInt32 = 0
        var count = 0
        while count < 3, let digit = peek(), digit >= "0", digit <= "7", code * 8 + digit.value - 48 <= 0xFF {
            code = code * 8 + digit.value - 48
            count += 1
            position += 1
        }
        guard count > 0, let scalar = Unicode.Scalar(code) else {
            throw problem("\\0 must be followed by one to three octal digits", at: start)
        }
        return scalar
    }

    private mutating func code(_ counts: ClosedRange<Int>) -> UInt32? {
        var code: UInt32 = 0
        var count = 0
        while count < counts.upperBound, let digit = peek(), digit.isASCII, let value = Character(digit).hexDigitValue {
            code = code << 4 | UInt32(value)
            count += 1
            position += 1
        }
        return counts.contains(count) ? code : nil
    }

    private mutating func hexadecimal(
        _ counts: ClosedRange<Int>, at start: Int, _ reason: String
    ) throws(PatternProblem) -> Unicode.Scalar {
        guard let code = code(counts), let scalar = Unicode.Scalar(code) else { throw problem(reason, at: start) }
        return scalar
    }

    /// `\u00E9`, or a surrogate pair such as `\uD83D\uDE00`, after the first `u`.
    private mutating func sixteenBits(at start: Int) throws(PatternProblem) -> Unicode.Scalar {
        let reason = "\\u needs four hexadecimal digits; write characters beyond U+FFFF as \\U0001F600 or \\uD83D\\uDE00"
        guard let first = code(4...4) else { throw problem(reason, at: start) }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, accept("\\"), accept("u"), let second = code(4...4), second >= 0xDC00, second < 0xE000,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw problem(reason, at: start) }
        return scalar
    }

    // MARK: Sets

    /// The kind of the previous element of a set, which decides the meaning of a following `-` or
    /// `&`.
    private enum SetElement {
        case nothing, character, set
    }

    private enum SetOperation {
        case intersection, difference
    }

    /// A set in brackets, after the opening one. Sets can be nested; `&&` and `--` bind less
    /// tightly than union.
    private mutating func set(openedAt start: Int, depth: Int) throws(PatternProblem) -> PatternSet {
        guard depth < Self.maximumSetDepth else { throw problem("sets are nested too deeply", at: start) }
        if peek() == ":", let set = try namedSet(at: start) { return set }
        let isNegated = accept("^")
        var done: (set: PatternSet, operation: SetOperation)?
        var current = PatternSet.items("")
        var last = SetElement.nothing
        var isFirst = true
        func combined() -> PatternSet {
            switch done?.operation {
            case .intersection: .intersection(done?.set ?? current, current)
            case .difference: .difference(done?.set ?? current, current)
            case nil: current
            }
        }
        while true {
            if flags.skipsSpace { skipSpace() }
            let elementStart = position
            guard let scalar = take() else { throw problem("this set is not closed by ']'", at: start) }
            defer { isFirst = false }
            switch scalar {
            case "]" where !isFirst:
                if done != nil, last == .nothing { throw problem("&& and -- must be followed by a set", at: elementStart) }
                return isNegated ? .negated(combined()) : combined()
            case "[":
                current = .union(current, try set(openedAt: elementStart, depth: depth + 1))
                last = .set
            case "&" where peek() == "&", "-" where peek() == "-" && last != .nothing:
                position += 1
                guard last != .nothing else { throw problem("&& must follow a set", at: elementStart) }
                done = (combined(), scalar == "&" ? .intersection : .difference)
                current = .items("")
                last = .nothing
            case "&" where last == .set && peek() == "[", "-" where last == .set && peek() == "[":
                position += 1
                let other = try set(openedAt: elementStart + 1, depth: depth + 1)
                current = scalar == "&" ? .intersection(current, other) : .difference(current, other)
            case "\\":
                guard let letter = take() else { throw problem("the pattern ends with a backslash", at: elementStart) }
                if letter == "Q" {
                    while let scalar = quoted() { add(scalar, to: &current) }
                    last = .character
                } else if letter == "E" {
                    continue
                } else if let set = try classSet(letter, at: elementStart) {
                    current = .union(current, set)
                    last = .set
                } else {
                    try addRange(from: try character(letter, at: elementStart), at: elementStart, to: &current)
                    last = .character
                }
            default:
                try addRange(from: scalar, at: elementStart, to: &current)
                last = .character
            }
        }
    }

    private func add(_ scalar: Unicode.Scalar, to set: inout PatternSet) {
        set = .union(set, .items(folded(scalar).map(PatternSet.written).joined()))
    }

    /// A character, or a range that begins with it.
    private mutating func addRange(from first: Unicode.Scalar, at start: Int, to set: inout PatternSet) throws(PatternProblem) {
        guard peek() == "-", let next = peek(1), next != "]", next != "-", next != "[" else { return add(first, to: &set) }
        if next == "\\", let letter = peek(2), "dDwWsShHvVpPQE".unicodeScalars.contains(letter) { return add(first, to: &set) }
        position += 2
        var last = next
        if next == "\\" {
            guard let letter = take() else { throw problem("the pattern ends with a backslash", at: position - 1) }
            last = try character(letter, at: position - 2)
        }
        let (low, high) = (end(first), end(last))
        guard low <= high else { throw problem("the range ends before it begins", at: start) }
        set = .union(set, .items(PatternSet.written(low) + "-" + PatternSet.written(high)))
    }

    /// The end of a range. A character that folds to several is left as it is.
    private func end(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let scalars = folded(scalar)
        return scalars.count == 1 ? scalars[0] : scalar
    }

    /// `:alpha:]`, after the bracket; nil for a set that merely begins with a colon.
    private mutating func namedSet(at start: Int) throws(PatternProblem) -> PatternSet? {
        guard let end = scalars[(position + 1)...].firstIndex(of: ":"), end + 1 < scalars.count, scalars[end + 1] == "]" else { return nil }
        var name = scalars[(position + 1)..<end]
        let isNegated = name.first == "^"
        if isNegated { name = name.dropFirst() }
        guard !name.isEmpty,
            name.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || Self.isDigit($0) || "_-= ".unicodeScalars.contains($0)) })
        else { return nil }
        let text = String(String.UnicodeScalarView(name))
        guard let set = PatternSet(property: text, ignoresCase: flags.ignoresCase) else {
            throw problem("\(text.quotedForPeople) is not a known character property", at: start)
        }
        position = end + 2
        return isNegated ? .negated(set) : set
    }
}
