import Glibc

/// A compiled POSIX extended regular expression that a whole text must match. It works on Unicode characters, whatever the
/// process's locale, and knows `\d`, `\D`, `\w`, `\W`, `\s`, `\S` and `\b` besides. Matching is free of shared state: any thread may do it.
package final class TextPattern: @unchecked Sendable {
    package let text: String
    // Allocated, for regexec needs a stable address; written at compilation only.
    private let compiled: UnsafeMutablePointer<regex_t>

    // The C library's compiler overflows a stack of 512 kB at some 500 nested groups, and takes seconds beyond 10,000 atoms.
    private static let maximumLength = 2000
    private static let maximumExpandedSize = 10_000
    private static let maximumDepth = 50

    /// - Throws: `badModel` with the C library's reason.
    package init(_ text: String, ignoresCase: Bool = false) throws(PinviewError) {
        guard text.utf8.count <= Self.maximumLength, Self.expandedSize(of: Array(text.utf8)) <= Self.maximumExpandedSize else {
            throw PinviewError(
                .badModel, "the pattern is too large: write it shorter, with fewer nested groups or smaller repetition counts")
        }
        guard !text.utf8.contains(0) else {
            throw PinviewError(.badModel, "the pattern contains a NUL character")
        }
        let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        compiled.initialize(to: regex_t())
        let written = try Self.withDigitClasses(text)
        let result = Self.inUnicodeLocale { regcomp(compiled, written, REG_EXTENDED | (ignoresCase ? REG_ICASE : 0)) }
        guard result == 0 else {
            let reason = Self.message(for: result, compiled)
            compiled.deallocate()
            throw PinviewError(.badModel, "the pattern is no POSIX extended regular expression: \(reason)")
        }
        // Set last: leaving with an error after every member is set would run deinit, which frees what regcomp made.
        self.text = text
        self.compiled = compiled
    }

    deinit {
        regfree(compiled)
        compiled.deallocate()
    }

    package func matches(_ subject: String) -> Bool {
        var subject = subject
        return subject.withUTF8 { bytes in
            // POSIX matches are the leftmost longest ones: if the whole text matches, this one spans it.
            var match = regmatch_t(rm_so: 0, rm_eo: regoff_t(clamping: bytes.count))
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1) { empty in
                empty.initialize(repeating: 0)
                // With the length given, a NUL inside the text does not end it.
                let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? UnsafePointer(empty.baseAddress)
                guard let start, Self.inUnicodeLocale({ regexec(compiled, start, 1, &match, Self.lengthIsGiven) }) == 0 else {
                    return false
                }
                return match.rm_so == 0 && Int(match.rm_eo) == bytes.count
            }
        }
    }

    /// `REG_STARTEND`, which the importer does not see: a macro with a shift.
    private static let lengthIsGiven: Int32 = 1 << 2

    /// The C library's own locale for UTF-8, which needs no installation; nil before glibc 2.35, where bytes are matched then.
    nonisolated(unsafe) private static let unicodeLocale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)

    private static func inUnicodeLocale<R>(_ body: () -> R) -> R {
        guard let unicodeLocale else { return body() }
        let previous = uselocale(unicodeLocale)
        defer { uselocale(previous) }
        return body()
    }

    /// The C library has no `\d`. A reference to a group (`\1`) would cost exponential time.
    private static func withDigitClasses(_ text: String) throws(PinviewError) -> String {
        var result = ""
        var isInBrackets = false
        var isEscaped = false
        for character in text.unicodeScalars {
            if isEscaped {
                isEscaped = false
                switch character {
                case "d": result += "[0-9]"
                case "D": result += "[^0-9]"
                case "1"..."9": throw PinviewError(.badModel, "\\\(character) refers back to a group, which is not supported")
                default: result += "\\\(character)"
                }
            } else if character == "\\", !isInBrackets {
                isEscaped = true
            } else {
                if character == "[" { isInBrackets = true } else if character == "]" { isInBrackets = false }
                result.unicodeScalars.append(character)
            }
        }
        return isEscaped ? result + "\\" : result
    }

    private static func message(for result: Int32, _ compiled: UnsafePointer<regex_t>) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(result)" }
            regerror(result, compiled, start, 256)
            return String(cString: start)
        }
    }

    /// How many atoms the pattern has when every repetition is written out as the C library does (`a+` becomes `aa*`, so nested
    /// ones grow exponentially): what compiling it costs. The greatest integer if groups are nested too deeply.
    private static func expandedSize(of pattern: [UInt8]) -> Int {
        var groups: [Int] = []
        var size = 0
        var lastAtom = 0
        var position = 0
        while position < pattern.count {
            let byte = pattern[position]
            position += 1
            switch byte {
            case UInt8(ascii: "("):
                if groups.count == maximumDepth { return .max }
                groups.append(size)
                size = 0
                lastAtom = 0
            case UInt8(ascii: ")"):
                lastAtom = size.saturatingSum(1)
                size = (groups.popLast() ?? 0).saturatingSum(lastAtom)
            case UInt8(ascii: "{"):
                // One more than counted, for an open end (`a{3,}` becomes `aaaa*`).
                let added = lastAtom.saturatingProduct(largestNumber(in: pattern, from: &position))
                size = size.saturatingSum(added)
                lastAtom = lastAtom.saturatingSum(added)
            case UInt8(ascii: "+"):
                size = size.saturatingSum(lastAtom)
                lastAtom = lastAtom.saturatingSum(lastAtom)
            case UInt8(ascii: "["):
                skipBracket(in: pattern, from: &position)
                lastAtom = 1
                size = size.saturatingSum(1)
            case UInt8(ascii: "\\"):
                position += 1
                lastAtom = 1
                size = size.saturatingSum(1)
            case UInt8(ascii: "*"), UInt8(ascii: "?"): break
            default:
                lastAtom = 1
                size = size.saturatingSum(1)
            }
        }
        return groups.reduce(size) { $0.saturatingSum($1) }
    }

    private static func largestNumber(in pattern: [UInt8], from position: inout Int) -> Int {
        var largest = 0
        var number = 0
        while position < pattern.count, pattern[position] != UInt8(ascii: "}") {
            let byte = pattern[position]
            number = byte >= 48 && byte <= 57 ? min(number * 10 + Int(byte - 48), 1_000_000) : 0
            largest = max(largest, number)
            position += 1
        }
        position += 1
        return largest
    }

    private static func skipBracket(in pattern: [UInt8], from position: inout Int) {
        if position < pattern.count, pattern[position] == UInt8(ascii: "^") { position += 1 }
        if position < pattern.count, pattern[position] == UInt8(ascii: "]") { position += 1 }
        while position < pattern.count, pattern[position] != UInt8(ascii: "]") {
            // [:alpha:], [.x.] and [=x=] hold a bracket of their own.
            if pattern[position] == UInt8(ascii: "["), position + 1 < pattern.count {
                let kind = pattern[position + 1]
                if kind == UInt8(ascii: ":") || kind == UInt8(ascii: ".") || kind == UInt8(ascii: "=") {
                    position += 2
                    while position + 1 < pattern.count, !(pattern[position] == kind && pattern[position + 1] == UInt8(ascii: "]")) {
                        position += 1
                    }
                    position += 1
                }
            }
            position += 1
        }
        position += 1
    }
}

extension Int {
    fileprivate func saturatingSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    fileprivate func saturatingProduct(_ other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
