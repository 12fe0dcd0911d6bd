import Foundation
import RandomSupport

/// Examines the corpus, then texts generated from the grammar and damaged texts from the corpus.
package struct FuzzRun {
    package let seed: UInt64
    private var random: SeededGenerator
    private var corpus: [[UInt8]] = []
    private let probe: FuzzProbe
    /// Called with each text before it is examined, so that a crash can be traced to it.
    package var note: (String) -> Void = { _ in }
    package private(set) var count = 0

    /// The folder of texts that once gave wrong results, and of other good starting points.
    package static let corpusPath = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("corpus").path

    package init(seed: UInt64, corpusPath: String = FuzzRun.corpusPath) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        probe = try FuzzProbe()
        for name in try FileManager.default.contentsOfDirectory(atPath: corpusPath).sorted() where !name.hasPrefix(".") {
            corpus.append([UInt8](try Data(contentsOf: URL(fileURLWithPath: corpusPath).appendingPathComponent(name))))
        }
    }

    /// - Throws: the first `FuzzProbe.Problem` found.
    package mutating func examineCorpus() throws {
        for bytes in corpus { try examine(String(decoding: bytes, as: UTF8.self)) }
    }

    /// Examines another random text.
    ///
    /// - Throws: the `FuzzProbe.Problem` found.
    package mutating func examineNext() throws {
        let text: String
        switch random.below(4) {
        case 0, 1: text = grammarText()
        case 2: text = String(decoding: damaged(Array(grammarText().utf8)), as: UTF8.self)
        default: text = String(decoding: damaged(corpus.isEmpty ? [] : corpus[random.below(corpus.count)]), as: UTF8.self)
        }
        try examine(text)
    }

    /// - Throws: the `FuzzProbe.Problem` found.
    package mutating func examine(_ text: String) throws {
        note(text)
        count += 1
        try probe.examine(text)
    }

    private mutating func grammarText() -> String {
        var choices = SeededGenerator(seed: random.next())
        let isExpression = random.oneIn(4)
        var source = GrammarSource { choices.below($0) }
        return isExpression ? source.expressionText() : source.predicateText()
    }

    private static let fragments = [
        "(", ")", "{", "}", "[", "]", "[c]", "'", "\"", "\\", "%", "%@", "%1$@", "%%", "$", "#", "@", "@count", ".", ",", ":", "-", "**",
        "!", "NOT ",
        "AND", "||", "ANY ", "SELF", "nil", "IN", "BETWEEN", "0x", "e9", "\u{0}", "é", "😀", "\u{301}", "SUBQUERY(", "TERNARY(", "CAST(",
        "FUNCTION(",
        "9223372036854775808", "1e308", " == ",
    ].map { Array($0.utf8) }

    private mutating func damaged(_ source: [UInt8]) -> [UInt8] {
        var bytes = source
        for _ in 0...random.below(4) {
            let position = random.below(bytes.count + 1)
            switch random.below(6) {
            case 0 where position < bytes.count: bytes[position] = UInt8(truncatingIfNeeded: random.next())
            case 1 where position < bytes.count: bytes.remove(at: position)
            case 2 where position < bytes.count:
                let end = min(bytes.count, position + random.below(12))
                bytes.insert(contentsOf: bytes[position..<end], at: random.below(bytes.count + 1))
            case 3: bytes.removeSubrange(min(position, bytes.count)..<min(bytes.count, position + random.below(12)))
            case 4 where !corpus.isEmpty:
                let other = corpus[random.below(corpus.count)]
                bytes = Array(bytes[..<position]) + other.suffix(random.below(other.count + 1))
            default: bytes.insert(contentsOf: Self.fragments[random.below(Self.fragments.count)], at: position)
            }
        }
        return bytes.count > 1 << 14 ? Array(bytes.prefix(1 << 14)) : bytes
    }
}
