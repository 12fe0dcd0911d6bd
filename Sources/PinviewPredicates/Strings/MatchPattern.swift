import Glibc
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
        if let known = cache.pattern(text, options) { return known }
        let pattern = try MatchPattern(text, options)
        cache.insert(pattern, text, options)
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

    private static let cache = MatchPatternCache()
}

/// Recently used patterns: each is compiled once, however many predicates, statements and threads
/// use it.
private final class MatchPatternCache: @unchecked Sendable {  // guarded by `mutex`
    private struct Key: Hashable {
        let text: String
        let options: Int
    }

    // Allocated, because a mutex must not move. Never freed.
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

    func insert(_ pattern: MatchPattern, _ text: String, _ options: PredicateOptions) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        // Programs have few patterns; one that keeps creating them does not need the old ones.
        if patterns.count >= Self.capacity { patterns.removeAll(keepingCapacity: true) }
        patterns[Key(text: text, options: options.rawValue)] = pattern
    }
}
