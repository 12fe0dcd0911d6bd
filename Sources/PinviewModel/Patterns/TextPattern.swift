internal import CPCRE2

/// A compiled regular expression that a whole text must match, in ICU's syntax. Immutable; any thread may use it.
///
/// PCRE2 does the matching, without its just-in-time compiler: that one is two to three times as fast per text (measured: 90 against
/// 200 ns for an address of 30 bytes), but takes 20 to 80 µs per pattern, needs memory that is writable and executable, which hardened
/// systems refuse, and gives up on texts of some kilobytes for want of stack.
package final class TextPattern: @unchecked Sendable {  // `spare` is exchanged atomically, the rest never changes
    package let text: String
    private let code: OpaquePointer
    /// Working memory of the last match, for the next one; null while a match uses it.
    private let spare: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// Longer patterns are refused, in bytes.
    private static let maximumLength = 20_000
    /// How often a match may try again. PCRE2 needs some 20 ns for each, so that a hostile pattern ends after a tenth of a second;
    /// what a sensible one needs grows with the text.
    private static let matchLimit = 1_000_000
    private static let matchLimitPerByte = 16
    /// Memory for the places to return to, in KiB.
    private static let heapLimit: UInt32 = 64 << 10
    /// The working memory is not kept after a text longer than this.
    private static let longText = 4096

    /// - Parameter folding: what is done to texts before they are matched, so that the pattern's own characters suit them.
    /// - Throws: `badModel`; the message names the place and the reason, not the pattern.
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

    /// PCRE2's own words.
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
        return try judged(result)
    }

    /// The same for bytes, which need not be UTF-8: what is not counts as U+FFFD.
    package func matches(_ bytes: UnsafeBufferPointer<UInt8>) throws(PinviewError) -> Bool {
        let result = run(bytes, isValid: false)
        // The errors of PCRE2_ERROR_UTF8_ERR21 to PCRE2_ERROR_UTF8_ERR1.
        if result <= PCRE2_ERROR_UTF8_ERR1, result >= PCRE2_ERROR_UTF8_ERR21 { return try matches(String(decoding: bytes, as: UTF8.self)) }
        return try judged(result)
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
        // After a failure it may have grown to the limit.
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

    private func judged(_ result: Int32) throws(PinviewError) -> Bool {
        // 0: it matched, and there was no room to note the groups.
        if result >= 0 { return true }
        let reason: String
        switch result {
        case PCRE2_ERROR_NOMATCH: return false
        case PCRE2_ERROR_MATCHLIMIT: reason = "it would have to be tried in too many ways"
        case PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_DEPTHLIMIT: reason = "it would take too much memory"
        case PCRE2_ERROR_NOMEMORY: reason = "there is no memory left"
        default: reason = Self.message(for: result)
        }
        throw PinviewError(
            .badPredicate,
            "The pattern \(text.prefix(200).description.quotedForPeople) cannot be matched against a text: \(reason). "
                + "Write it without repetitions inside repetitions, or with possessive ones such as a++.")
    }
}

/// Why a pattern cannot be used.
enum PatternProblem: Error {
    /// Found in the pattern as it was written.
    case written(reason: String, position: Int)
    /// Found by PCRE2, in the translated pattern.
    case translated(reason: String, offset: Int)

    func described(in translator: PatternTranslator) -> String {
        switch self {
        case .written(let reason, let position): "\(reason) (character \(position + 1) of the pattern)"
        case .translated(let reason, let offset): "\(reason) (character \(translator.position(ofOffset: offset) + 1) of the pattern)"
        }
    }
}
