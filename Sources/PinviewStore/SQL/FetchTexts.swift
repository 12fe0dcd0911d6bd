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
/// Only for common fetches: comparisons of attributes and objects with constants, some of them
/// joined by one AND or OR, sorted by attributes.
struct FetchShape: Hashable {
    var words: [Int]
    let rootIndex: Int
}
