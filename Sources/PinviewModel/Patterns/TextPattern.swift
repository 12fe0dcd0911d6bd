internal import CPCRE2

/// A compiled regular expression, in ICU's syntax, that a whole text must match. Immutable; any
/// thread may use it.
///
/// PCRE2 matches without its just-in-time compiler. With it, matching would be two to three times
/// as fast (90 instead of 200 ns for an address of 30 bytes, measured), but compiling a pattern
/// takes 20 to 80 µs and needs memory that is both writable and executable, which hardened systems
/// refuse, and texts of a few kilobytes overflow its stack.
package final class TextPattern: @unchecked Sendable {  // `spare` is exchanged atomically, the rest never changes
    package let text: String
    private let code: OpaquePointer
    /// Working memory kept from one match for the next; null while a match uses it.
    private let spare: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// The longest pattern accepted, in bytes.
    private static let maximumLength = 20_000
    /// How often a match may backtrack, at some 20 ns each: a hostile pattern ends after a tenth of
    /// a second. Sensible patterns need more for longer texts.
    private static let matchLimit = 1_000_000
    private static let matchLimitPerByte = 16
    /// The memory for backtracking positions, in KiB.
    private static let heapLimit: UInt32 = 64 << 10
    /// Working memory is not kept after a text longer than this.
    private static let longText = 4096

    /// - Parameters:
    ///   - text: the pattern.
    ///   - ignoresCase: whether letters match those of the other case.
    ///   - folding: the folding applied to texts before they are matched, for the pattern's
    ///     literals.
    /// - Throws: `badModel`; the message names the position and the reason, but not the pattern.
    package init(_ text: String, ignoresCase: Bool = false, folding: ((Unicode.Scalar) -> [Unicode.Scalar])? = nil) throws(PinviewError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw PinviewError(.badModel, "it is longer than \(Self.maximumLength) bytes")
        }
        var translator = PatternTranslator(text, ignoresCase: ignoresCase, folding: folding)
        do throws(PatternProblem) {
            let translated = try translator.translated()
            code = try Self.compiled(translated, ignoresCase: ignoresCase)
        } catch {
            throw PinviewError(.badModel, error.described(in: translator))
        }
        spare = .allocate(capacity: 1)
        spare.initialize(to: nil)
        self.text = text
    }

    deinit {
        if let kept = spare.pointee { pcre2_match_data_free_8(OpaquePointer(kept)) }
        spare.deallocate()
        pcre2_code_free_8(code)
    }

    private static func compiled(_ pattern: [UInt8], ignoresCase: Bool) throws(PatternProblem) -> OpaquePointer {
        let context = pcre2_compile_context_create_8(nil)
        defer { pcre2_compile_context_free_8(context) }
        pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_ANY))
        pcre2_set_bsr_8(context, UInt32(PCRE2_BSR_UNICODE))
        var options = UInt32(PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_ANCHORED | PCRE2_ENDANCHORED)
        if ignoresCase { options |= UInt32(PCRE2_CASELESS) }
        var number: Int32 = 0
        var offset = 0
        if let code = pcre2_compile_8(pattern, pattern.count, options, &number, &offset, context) { return code }
        throw .translated(reason: message(for: number), offset: offset)
    }

    /// PCRE2's own message.
    private static func message(for number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, pcre2_get_error_message_8(number, start, 256) > 0 else { return "error \(number)" }
            return String(cString: start)
        }
    }

    /// - Throws: `badPredicate` if the text is too hard to match within the limits.
    package func matches(_ subject: String) throws(PinviewError) -> Bool {
        var subject = subject
        let result = subject.withUTF8 { run($0, isValid: true) }
        return try isMatch(result)
    }

    /// Matches bytes that need not be UTF-8: invalid sequences count as U+FFFD.
    package func matches(_ bytes: UnsafeBufferPointer<UInt8>) throws(PinviewError) -> Bool {
        let result = run(bytes, isValid: false)
        // The range from PCRE2_ERROR_UTF8_ERR21 to PCRE2_ERROR_UTF8_ERR1.
        if result <= PCRE2_ERROR_UTF8_ERR1, result >= PCRE2_ERROR_UTF8_ERR21 { return try matches(String(decoding: bytes, as: UTF8.self)) }
        return try isMatch(result)
    }

    private func run(_ bytes: UnsafeBufferPointer<UInt8>, isValid: Bool) -> Int32 {
        let isLong = bytes.count > Self.longText
        let kept = isLong ? nil : pinview_exchange_pointer(spare, nil)
        guard let memory = kept.map({ OpaquePointer($0) }) ?? pcre2_match_data_create_8(1, nil),
            let limits = isLong ? Self.limits(forBytes: bytes.count) : Self.usualLimits
        else { return PCRE2_ERROR_NOMEMORY }
        let options = isValid ? UInt32(PCRE2_NO_UTF_CHECK) : 0
        let result = pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, options, memory, limits)
        if isLong { pcre2_match_context_free_8(limits) }
        // After a failure it may have grown to its limit.
        let unneeded =
            isLong || result < PCRE2_ERROR_NOMATCH
            ? UnsafeMutableRawPointer(memory) : pinview_exchange_pointer(spare, UnsafeMutableRawPointer(memory))
        if let unneeded { pcre2_match_data_free_8(OpaquePointer(unneeded)) }
        return result
    }

    private static func limits(forBytes count: Int) -> OpaquePointer? {
        let limits = pcre2_match_context_create_8(nil)
        pcre2_set_match_limit_8(limits, UInt32(clamping: matchLimit + matchLimitPerByte * count))
        pcre2_set_heap_limit_8(limits, heapLimit)
        return limits
    }

    /// For all texts but long ones. Never changed, so that threads can share it.
    nonisolated(unsafe) private static let usualLimits = limits(forBytes: longText)

    private func isMatch(_ result: Int32) throws(PinviewError) -> Bool {
        // 0 is a match without room for capture groups, which are not needed.
        if result >= 0 { return true }
        let reason: String
        switch result {
        case PCRE2_ERROR_NOMATCH: return false
        case PCRE2_ERROR_MATCHLIMIT: reason = "there are too many ways to try"
        case PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_DEPTHLIMIT: reason = "it would take too much memory"
        case PCRE2_ERROR_NOMEMORY: reason = "there is not enough memory"
        default: reason = Self.message(for: result)
        }
        throw PinviewError(
            .badPredicate,
            "The pattern \(text.prefix(200).description.quotedForPeople) cannot be matched against a text: \(reason). "
                + "Avoid nested repetitions, or make them possessive, as in a++.")
    }
}

/// Why a pattern cannot be used.
enum PatternProblem: Error {
    /// A problem in the pattern as it was given.
    case original(reason: String, position: Int)
    /// A problem that PCRE2 found in the translated pattern.
    case translated(reason: String, offset: Int)

    func described(in translator: PatternTranslator) -> String {
        switch self {
        case .original(let reason, let position): "\(reason) (character \(position + 1) of the pattern)"
        case .translated(let reason, let offset): "\(reason) (character \(translator.position(ofOffset: offset) + 1) of the pattern)"
        }
    }
}
