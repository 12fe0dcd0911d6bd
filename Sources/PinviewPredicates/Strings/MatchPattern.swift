import PinviewModel

/// A compiled pattern of MATCHES. Under `[d]`, marks are removed from the text and from the
/// pattern's literals, as in other comparisons. `[c]` is left to the regular expression engine,
/// because folding would turn `\W` into `\w`.
package final class MatchPattern: Sendable {
    private let pattern: TextPattern
    private let folding: PredicateOptions

    /// Returns the compiled pattern, which is shared by everyone who uses it.
    ///
    /// - Throws: `badPredicate` for an invalid pattern, with the pattern, position and reason.
    package static func compiled(_ text: String, _ options: PredicateOptions) throws(PinviewError) -> MatchPattern {
        let options = options.intersection([.caseInsensitive, .diacriticInsensitive])
        return try caches[options.rawValue].made(of: text) { () throws(PinviewError) in try MatchPattern(text, options) }
    }

    /// By the options, which are bits.
    private static let caches = (0..<4).map { _ in TextCache<MatchPattern>() }

    private init(_ text: String, _ options: PredicateOptions) throws(PinviewError) {
        folding = options.intersection(.diacriticInsensitive)
        let dropsMarks = { (scalar: Unicode.Scalar) in
            Array(StringMatching.folded(String(scalar), .diacriticInsensitive).unicodeScalars)
        }
        do throws(PinviewError) {
            pattern = try TextPattern(
                text, ignoresCase: options.contains(.caseInsensitive),
                folding: options.contains(.diacriticInsensitive) ? dropsMarks : nil)
        } catch {
            throw PinviewError(
                .badPredicate, "The pattern \(text.prefix(200).description.quotedForPeople) of MATCHES is invalid: \(error.message).")
        }
    }

    /// - Throws: `badPredicate` if the text cannot be matched within the limits.
    package func matches(_ text: String) throws(PinviewError) -> Bool {
        try pattern.matches(folding.isEmpty ? text : StringMatching.folded(text, folding))
    }

    /// Matches a string that comes as UTF-8.
    package func matches(_ text: UnsafeBufferPointer<UInt8>) throws(PinviewError) -> Bool {
        guard !folding.isEmpty, let folded = StringMatching.folded(text, folding) else { return try pattern.matches(text) }
        return try pattern.matches(folded)
    }
}
