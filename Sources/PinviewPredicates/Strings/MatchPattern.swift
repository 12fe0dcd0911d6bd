import Glibc
import PinviewModel

/// The pattern of MATCHES, compiled. Under `[d]` marks are dropped from the text, and from the pattern's characters, as in the other
/// comparisons; `[c]` is the matcher's business, for folding would turn `\W` into `\w`.
package final class MatchPattern: Sendable {
    private let pattern: TextPattern
    private let folding: PredicateOptions

    /// A pattern, compiled once for all who use it.
    ///
    /// - Throws: `badPredicate` with pattern, place and reason for a text that is no pattern.
    package static func compiled(_ text: String, _ options: PredicateOptions) throws(PinviewError) -> MatchPattern {
        let options = options.intersection([.caseInsensitive, .diacriticInsensitive])
        if let known = cache.pattern(text, options) { return known }
        let pattern = try MatchPattern(text, options)
        cache.keep(pattern, text, options)
        return pattern
    }

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
                .badPredicate, "The pattern \(text.prefix(200).description.quotedForPeople) of MATCHES cannot be used: \(error.message).")
        }
    }

    /// - Throws: `badPredicate` if the text is too hard to match within the limits.
    package func matches(_ text: String) throws(PinviewError) -> Bool {
        try pattern.matches(folding.isEmpty ? text : StringMatching.folded(text, folding))
    }

    /// The same for a text that comes as bytes.
    package func matches(_ text: UnsafeBufferPointer<UInt8>) throws(PinviewError) -> Bool {
        guard !folding.isEmpty, let folded = StringMatching.folded(text, folding) else { return try pattern.matches(text) }
        return try pattern.matches(folded)
    }

    private static let cache = MatchPatternCache()
}

/// The patterns that were used of late; each is compiled once, however many predicates, statements and threads use it.
private final class MatchPatternCache: @unchecked Sendable {  // guarded by `mutex`
    private struct Key: Hashable {
        let text: String
        let options: Int
    }

    // Allocated, for a mutex must not move. It lives as long as the process.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var patterns: [Key: MatchPattern] = [:]

    private static let capacity = 256

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    func pattern(_ text: String, _ options: PredicateOptions) -> MatchPattern? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return patterns[Key(text: text, options: options.rawValue)]
    }

    func keep(_ pattern: MatchPattern, _ text: String, _ options: PredicateOptions) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // Programs have few patterns; one that makes them without end has no use for old ones.
        if patterns.count >= Self.capacity { patterns.removeAll(keepingCapacity: true) }
        patterns[Key(text: text, options: options.rawValue)] = pattern
    }
}
