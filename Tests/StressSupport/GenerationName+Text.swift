package import PinviewGenerations

/// Names as text, for the pipes between the processes of a test.
extension GenerationName {
    package var text: String { words.map { String($0, radix: 16) }.joined(separator: ",") }

    package init?(text: String) {
        let words = text.split(separator: ",").map { UInt64($0, radix: 16) }
        guard !words.contains(nil) else { return nil }
        self.init(words: words.compactMap { $0 })
    }
}
