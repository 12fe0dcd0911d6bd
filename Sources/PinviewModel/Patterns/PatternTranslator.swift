/// Translates a regular expression from ICU's syntax into PCRE2's (docs/predicates.md lists where they differ).
///
/// What both write alike is passed on; what they understand differently is rewritten, and what only PCRE2 knows (recursion,
/// conditions, verbs, callouts) is refused: ICU would refuse it too. All characters that stand for themselves are written as ASCII, those
/// that are no letters or digits by their codes, so that none of them can mean anything.
struct PatternTranslator {
    private let scalars: [Unicode.Scalar]
    private let folding: ((Unicode.Scalar) -> [Unicode.Scalar])?
    private var position = 0
    private var output: [UInt8] = []
    /// Where the parts of the output come from, in rising order.
    private var places: [(offset: Int, position: Int)] = []
    /// What `(?x)` and `(?i)` set, up to the end of the group.
    private struct Flags {
        /// Whether white space and comments are skipped.
        var skipsSpace = false
        var ignoresCase: Bool
    }

    /// The groups around the current place, with the flags outside.
    private var enclosing: [(start: Int, flags: Flags)] = []
    private var flags: Flags
    private var captureCount = 0
    /// Whether there is something before the current place that can be repeated.
    private var isRepeatable = false

    private static let maximumSetDepth = 50

    init(_ text: String, ignoresCase: Bool, folding: ((Unicode.Scalar) -> [Unicode.Scalar])?) {
        flags = Flags(ignoresCase: ignoresCase)
        scalars = Array(text.unicodeScalars)
        self.folding = folding
    }

    /// The place in the pattern as it was written, from a place in the translated one.
    func position(ofOffset offset: Int) -> Int {
        // PCRE2 names the place behind what is wrong.
        places.last { $0.offset < max(offset, 1) }?.position ?? 0
    }

    mutating func translated() throws(PatternProblem) -> [UInt8] {
        while true {
            if flags.skipsSpace { skipSpace() }
            places.append((output.count, position))
            guard let scalar = take() else { break }
            let wasRepeatable = isRepeatable
            isRepeatable = true
            switch scalar {
            case "\\": try escape()
            case "[": emit(try set(openedAt: position - 1, depth: 0).expression)
            case "(": try openGroup()
            case ")":
                guard let group = enclosing.popLast() else {
                    throw problem("')' closes no group; as a character of the text it is written \\)", at: position - 1)
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
        if let group = enclosing.last { throw problem("the group that begins here has no ')'", at: group.start) }
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

    private func problem(_ reason: String, at place: Int) -> PatternProblem { .written(reason: reason, position: place) }

    /// Moves behind white space and comments.
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
        // What follows repeats all of it.
        emit(scalars.count == 1 ? text : "(?:\(text))")
    }

    // MARK: Groups and repetitions

    private mutating func openGroup() throws(PatternProblem) {
        let start = position - 1
        if flags.skipsSpace { skipSpace() }
        guard accept("?") else {
            if peek() == "*" { throw problem("'*' repeats nothing", at: position) }
            captureCount += 1
            return open("(", at: start)
        }
        guard let kind = take() else { throw problem("the group that begins here has no ')'", at: start) }
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
            throw problem("the comment that begins here has no ')'", at: start)
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

    /// `name>`, behind the `<`.
    private mutating func groupName() throws(PatternProblem) -> String {
        let start = position
        var name = String.UnicodeScalarView()
        while let scalar = take() {
            if scalar == ">", !name.isEmpty { return String(name) }
            guard scalar.isASCII, scalar.properties.isAlphabetic || (Self.isDigit(scalar) && !name.isEmpty) else { break }
            name.append(scalar)
        }
        throw problem("a group's name has letters and digits of ASCII, begins with a letter, and stands in < and >", at: start)
    }

    /// `i-s)` or `i-s:`, behind the `(?`.
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
                let written = on + (off.isEmpty ? "" : "-" + off)
                if flag == ":" {
                    open("(?\(written):", at: start)
                } else if !written.isEmpty {
                    emit("(?\(written))")
                }
                flags = changed
                isRepeatable = false
                return
            case "w", "d": throw problem("the flag \(flag) is not supported; i, m, s and x are", at: position - 1)
            default: throw problem("'(?\(flag)' begins no group that is known here", at: start)
            }
        }
        throw problem("the group that begins here has no ')'", at: start)
    }

    /// Behind `*`, `+`, `?` or `{`.
    private mutating func repetition(_ scalar: Unicode.Scalar, of isSomething: Bool) throws(PatternProblem) {
        let start = position - 1
        let text = scalar == "{" ? try interval() : String(scalar)
        guard isSomething else {
            throw problem("'\(scalar)' repeats nothing; as a character of the text it is written \\\(scalar)", at: start)
        }
        emit(text)
        if accept("?") { emit("?") } else if accept("+") { emit("+") }
        isRepeatable = false
    }

    /// `2}`, `2,}` or `2,5}`, behind the brace.
    private mutating func interval() throws(PatternProblem) -> String {
        let start = position - 1
        let least = digits()
        var text = "{" + least
        if accept(",") { text += "," + digits() }
        guard !least.isEmpty, accept("}") else {
            throw problem("'{' begins a count such as {2}, {2,} or {2,5}; as a character of the text it is written \\{", at: start)
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
        guard let letter = take() else { throw problem("the pattern ends in a backslash", at: start) }
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
            guard accept("<") else { throw problem("\\k needs the name of a group, as in \\k<name>", at: start) }
            emit("\\k<\(try groupName())>")
        default:
            if let set = try classSet(letter, at: start) { return emit(set.expression) }
            emitLiteral(try character(letter, at: start))
        }
    }

    /// The next character of a quoted part; nil, behind it, at its end.
    private mutating func quoted() -> Unicode.Scalar? {
        if peek() == "\\", peek(1) == "E" {
            position += 2
            return nil
        }
        return take()
    }

    /// The set that a letter behind a backslash stands for.
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
                guard let end = scalars[position...].firstIndex(of: "}") else { throw problem("\\\(letter){ has no '}'", at: start) }
                name = String(String.UnicodeScalarView(scalars[position..<end]))
                position = end + 1
            } else {
                guard let category = take() else { throw problem("\\\(letter) needs a property, as in \\p{L}", at: start) }
                name = String(category)
            }
            guard let set = PatternSet(property: name, ignoresCase: flags.ignoresCase) else {
                throw problem("\(name.quotedForPeople) is no property of characters that is known here", at: start)
            }
            return letter == "p" ? set : .negated(set)
        default: return nil
        }
    }

    /// The one character that an escape stands for.
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
                throw problem("\\c needs a letter behind it", at: start)
            }
            return scalar
        case "0": return try octal(at: start)
        case "x":
            if accept("{") {
                let scalar = try hexadecimal(1...8, at: start, "\\x{…} needs the code of a character in hexadecimal digits")
                guard accept("}") else { throw problem("\\x{ has no '}'", at: start) }
                return scalar
            }
            return try hexadecimal(1...2, at: start, "\\x needs one or two hexadecimal digits, or a code in braces such as \\x{1F600}")
        case "u": return try sixteenBits(at: start)
        case "U": return try hexadecimal(8...8, at: start, "\\U needs eight hexadecimal digits, the code of a character")
        case "N": throw problem("\\N{…}, a character by its name, is not supported; write its code, such as \\u2713", at: start)
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
            throw problem("\\0 needs one to three octal digits behind it", at: start)
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

    /// `\u00E9`, or two halves such as `\uD83D\uDE00`, behind the first `u`.
    private mutating func sixteenBits(at start: Int) throws(PatternProblem) -> Unicode.Scalar {
        let reason = "\\u needs four hexadecimal digits; characters beyond U+FFFF are written \\U0001F600 or \\uD83D\\uDE00"
        guard let first = code(4...4) else { throw problem(reason, at: start) }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, accept("\\"), accept("u"), let second = code(4...4), second >= 0xDC00, second < 0xE000,
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw problem(reason, at: start) }
        return scalar
    }

    // MARK: Sets

    /// What stood last in a set, for what a `-` or `&` behind it means.
    private enum SetElement {
        case nothing, character, set
    }

    private enum SetOperation {
        case intersection, difference
    }

    /// A set in brackets, behind the opening one. Sets can stand in sets; `&&` and `--` bind more weakly than union.
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
            let place = position
            guard let scalar = take() else { throw problem("the set that begins here has no ']'", at: start) }
            defer { isFirst = false }
            switch scalar {
            case "]" where !isFirst:
                if done != nil, last == .nothing { throw problem("&& and -- need a set behind them", at: place) }
                return isNegated ? .negated(combined()) : combined()
            case "[":
                current = .union(current, try set(openedAt: place, depth: depth + 1))
                last = .set
            case "&" where peek() == "&", "-" where peek() == "-" && last != .nothing:
                position += 1
                guard last != .nothing else { throw problem("&& needs a set before it", at: place) }
                done = (combined(), scalar == "&" ? .intersection : .difference)
                current = .items("")
                last = .nothing
            case "&" where last == .set && peek() == "[", "-" where last == .set && peek() == "[":
                position += 1
                let other = try set(openedAt: place + 1, depth: depth + 1)
                current = scalar == "&" ? .intersection(current, other) : .difference(current, other)
            case "\\":
                guard let letter = take() else { throw problem("the pattern ends in a backslash", at: place) }
                if letter == "Q" {
                    while let scalar = quoted() { add(scalar, to: &current) }
                    last = .character
                } else if letter == "E" {
                    continue
                } else if let set = try classSet(letter, at: place) {
                    current = .union(current, set)
                    last = .set
                } else {
                    try addRange(from: try character(letter, at: place), at: place, to: &current)
                    last = .character
                }
            default:
                try addRange(from: scalar, at: place, to: &current)
                last = .character
            }
        }
    }

    private func add(_ scalar: Unicode.Scalar, to set: inout PatternSet) {
        set = .union(set, .items(folded(scalar).map(PatternSet.written).joined()))
    }

    /// A character, or a range that begins with it.
    private mutating func addRange(from first: Unicode.Scalar, at place: Int, to set: inout PatternSet) throws(PatternProblem) {
        guard peek() == "-", let next = peek(1), next != "]", next != "-", next != "[" else { return add(first, to: &set) }
        if next == "\\", let letter = peek(2), "dDwWsShHvVpPQE".unicodeScalars.contains(letter) { return add(first, to: &set) }
        position += 2
        var last = next
        if next == "\\" {
            guard let letter = take() else { throw problem("the pattern ends in a backslash", at: position - 1) }
            last = try character(letter, at: position - 2)
        }
        let (low, high) = (end(first), end(last))
        guard low <= high else { throw problem("the range ends before it begins", at: place) }
        set = .union(set, .items(PatternSet.written(low) + "-" + PatternSet.written(high)))
    }

    /// The end of a range. One that folding makes into several characters is left as it is.
    private func end(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let scalars = folded(scalar)
        return scalars.count == 1 ? scalars[0] : scalar
    }

    /// `:alpha:]`, behind the bracket; nil for a set that merely begins with a colon.
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
            throw problem("\(text.quotedForPeople) is no property of characters that is known here", at: start)
        }
        position = end + 2
        return isNegated ? .negated(set) : set
    }
}
