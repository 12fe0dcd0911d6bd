import PinviewGenerations
import PinviewModel

/// A cache of statement texts for fetches that differ in their constants only.
final class FetchTexts: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var texts: [FetchShape: StatementText] = [:]
    /// A limit for programs whose fetches are always different.
    private static let limit = 256

    var count: Int { lock.withLock { texts.count } }

    /// The text of a shape, made at the first request.
    func text(of shape: FetchShape, _ make: () throws(PinviewError) -> String) throws(PinviewError) -> StatementText {
        if let known = lock.withLock({ texts[shape] }) { return known }
        let made = StatementText(try make())
        lock.withLock {
            if texts.count >= Self.limit { texts = [:] }
            texts[shape] = made
        }
        return made
    }
}

/// Everything that determines the text of a fetch: all but the constants.
///
/// Only for common fetches: comparisons of attributes and objects, at the end of any path, with
/// constants and short lists, some of them joined by one AND or OR, sorted by attributes.
struct FetchShape: Hashable {
    private let words: [Int]
    /// The hash of the words, which are looked up again and again.
    private let fingerprint: Int
    private let rootIndex: Int
    /// What the statement returns.
    var result: Int

    init(_ words: [Int], rootIndex: Int, result: Int = 0) {
        self.words = words
        self.rootIndex = rootIndex
        self.result = result
        fingerprint = words.reduce(rootIndex) { ($0 ^ $1) &* 0x9E37_79B9_7F4A_7C1 &+ 1 }
    }

    static func == (left: FetchShape, right: FetchShape) -> Bool {
        left.fingerprint == right.fingerprint && left.result == right.result && left.rootIndex == right.rootIndex
            && left.words == right.words
    }

    func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
