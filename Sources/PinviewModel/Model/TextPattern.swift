import Glibc

/// A compiled POSIX extended regular expression that a whole text must match. It works on Unicode characters, whatever the
/// process's locale, and knows `\d`, `\D`, `\w`, `\W`, `\s`, `\S` and `\b` besides. Matching is free of shared state: any thread may do it.
package final class TextPattern: @unchecked Sendable {
    package let text: String
    private let forAllTexts: CompiledPattern
    /// For texts of ASCII alone, which the C library matches by bytes: many times as fast, and without memory for each of them.
    private let forASCII: CompiledPattern?

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
        // Anchored, or the C library would look for a match from each place of the text: quadratic time.
        var rewriter = PatternRewriter(Array(text.utf8))
        let written = "^(" + (try rewriter.rewritten()) + ")$"
        forAllTexts = try CompiledPattern(written, Self.unicodeLocale, ignoresCase: ignoresCase)
        forASCII = written.utf8.allSatisfy { $0 < 0x80 } ? try CompiledPattern(written, Self.byteLocale, ignoresCase: ignoresCase) : nil
        self.text = text
    }

    package func matches(_ subject: String) -> Bool {
        var subject = subject
        return subject.withUTF8 { bytes in
            guard let forASCII, bytes.allSatisfy({ $0 < 0x80 }) else { return forAllTexts.matches(bytes) }
            return forASCII.matches(bytes)
        }
    }

    /// The C library's own locale for UTF-8, which needs no installation; nil before glibc 2.35, where bytes are matched then.
    nonisolated(unsafe) private static let unicodeLocale = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
    nonisolated(unsafe) private static let byteLocale = newlocale(1 << LC_CTYPE, "C", nil)

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

    /// Moves behind the bracket expression that begins just before a position.
    static func skipBracket(in pattern: [UInt8], from position: inout Int) {
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

/// What the C library makes of a pattern that is anchored at both ends.
private final class CompiledPattern: @unchecked Sendable {
    // Allocated, for regexec needs a stable address; written at compilation only.
    private let compiled: UnsafeMutablePointer<regex_t>
    private let locale: locale_t?

    init(_ pattern: String, _ locale: locale_t?, ignoresCase: Bool) throws(PinviewError) {
        let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
        compiled.initialize(to: regex_t())
        let flags = REG_EXTENDED | Self.withoutPlaces | (ignoresCase ? REG_ICASE : 0)
        let result = Self.inLocale(locale) { regcomp(compiled, pattern, flags) }
        guard result == 0 else {
            let reason = Self.message(for: result, compiled)
            compiled.deallocate()
            throw PinviewError(.badModel, "the pattern is no POSIX extended regular expression: \(reason)")
        }
        // Set last: leaving with an error after every member is set would run deinit, which frees what regcomp made.
        self.locale = locale
        self.compiled = compiled
    }

    deinit {
        regfree(compiled)
        compiled.deallocate()
    }

    func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // With the length given, a NUL inside the text does not end it.
        var range = regmatch_t(rm_so: 0, rm_eo: regoff_t(clamping: bytes.count))
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1) { empty in
            empty.initialize(repeating: 0)
            let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? UnsafePointer(empty.baseAddress)
            guard let start else { return false }
            return Self.inLocale(locale) { regexec(compiled, start, 1, &range, Self.lengthIsGiven) } == 0
        }
    }

    /// `REG_NOSUB` and `REG_STARTEND`, which the importer does not see: macros with shifts.
    private static let withoutPlaces: Int32 = 1 << 3
    private static let lengthIsGiven: Int32 = 1 << 2

    private static func inLocale<R>(_ locale: locale_t?, _ body: () -> R) -> R {
        guard let locale else { return body() }
        let previous = uselocale(locale)
        defer { uselocale(previous) }
        return body()
    }

    private static func message(for result: Int32, _ compiled: UnsafePointer<regex_t>) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(result)" }
            regerror(result, compiled, start, 256)
            return String(cString: start)
        }
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
