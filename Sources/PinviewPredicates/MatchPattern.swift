import PinviewModel

/// The pattern of MATCHES, compiled. Under `[d]` marks are dropped from text and pattern as in the other comparisons; `[c]` is the
/// matcher's business, for folding would turn `\W` into `\w`.
package final class MatchPattern: Sendable {
    private let pattern: TextPattern
    private let folding: PredicateOptions

    /// - Returns: nil for a text that is no pattern.
    package init?(_ text: String, _ options: PredicateOptions) {
        do throws(PinviewError) {
            pattern = try Self.compiled(text, options)
        } catch {
            return nil
        }
        folding = options.intersection(.diacriticInsensitive)
    }

    package func matches(_ text: String) -> Bool { pattern.matches(StringMatching.folded(text, folding)) }

    /// - Throws: `badPredicate` with the reason for a text that is no pattern.
    static func check(_ text: String, _ options: PredicateOptions, _ comparison: ComparisonPredicate) throws(PinviewError) {
        do throws(PinviewError) {
            _ = try compiled(text, options)
        } catch {
            throw PinviewError(
                .badPredicate, "The pattern \(text.prefix(200).description.quotedForPeople) of MATCHES cannot be used: \(error.message).")
        }
    }

    private static func compiled(_ text: String, _ options: PredicateOptions) throws(PinviewError) -> TextPattern {
        try TextPattern(
            StringMatching.folded(text, options.intersection(.diacriticInsensitive)), ignoresCase: options.contains(.caseInsensitive))
    }
}
