import Foundation

/// A scenario of Tests/Conformance; what its steps mean is in the README there.
struct ConformanceScenario {
    final class Step: @unchecked Sendable {  // does not change once it is read
        let line: Int
        let words: [String]
        let expected: String
        fileprivate(set) var body: [Step] = []

        init(line: Int, words: [String], expected: String) {
            self.line = line
            self.words = words
            self.expected = expected
        }
    }

    let file: String
    let title: String
    private(set) var languages: [String] = []
    private(set) var steps: [Step] = []

    static let nesting: Set<String> = ["in", "later", "thread", "on", "hook"]

    static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Conformance")
    }

    /// The names of the files, without their suffix.
    static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".steps") }
            .map { String($0.dropLast(6)) }.sorted()
    }

    static func read(_ file: String) throws -> [ConformanceScenario] {
        var scenarios: [ConformanceScenario] = []
        var open: [Step] = []
        let text = try String(contentsOf: folder.appendingPathComponent(file + ".steps"), encoding: .utf8)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = words(of: line)
            switch words[0] {
            case "scenario": scenarios.append(ConformanceScenario(file: file, title: String(line.dropFirst("scenario ".count))))
            case "rows": break
            case "languages": scenarios[scenarios.count - 1].languages = Array(words.dropFirst())
            case "end": open.removeLast()
            default:
                let parts = line.components(separatedBy: " = ")
                let expected = parts.count > 1 ? parts[1...].joined(separator: " = ").trimmingCharacters(in: .whitespaces) : "ok"
                let step = Step(line: index + 1, words: Self.words(of: parts[0]), expected: expected)
                if let last = open.last { last.body.append(step) } else { scenarios[scenarios.count - 1].steps.append(step) }
                if nesting.contains(words[0]) { open.append(step) }
            }
        }
        return scenarios
    }

    /// Splits at spaces; quotes make one word of several.
    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false, hasWord = false
        for character in line {
            switch character {
            case "'":
                isQuoted.toggle()
                hasWord = true
            case " " where !isQuoted:
                if hasWord { words.append(word) }
                word = ""
                hasWord = false
            default:
                word.append(character)
                hasWord = true
            }
        }
        if hasWord { words.append(word) }
        return words
    }

    static func modelText() throws -> String { try String(contentsOf: folder.appendingPathComponent("model.json"), encoding: .utf8) }

    /// The names of errors, by domain and code.
    static func errorNames() throws -> [String: String] {
        let text = try String(contentsOf: folder.appendingPathComponent("codes.txt"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }
        return Dictionary(rows.map { ("\($0[1]) \($0[2])", $0[0]) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The observations of the steps, in one order: those of blocks on other threads come where the
/// scenario has waited for them.
final class ConformanceTranscript: @unchecked Sendable {  // guarded by `lock`
    private static let mark = "conformance.later"
    private let lock = NSLock()
    private var written: [String] = []
    private var waiting: [String] = []
    private var wrong: [String] = []

    var lines: [String] { lock.withLock { written + waiting } }
    var mismatches: [String] { lock.withLock { wrong } }

    func add(_ line: String) {
        let isLater = Thread.current.threadDictionary[Self.mark] != nil
        lock.withLock { if isLater { waiting.append(line) } else { written.append(line) } }
    }

    func addMismatch(_ line: String) { lock.withLock { wrong.append(line) } }

    func asLater(_ body: () -> Void) {
        Thread.current.threadDictionary[Self.mark] = true
        body()
        Thread.current.threadDictionary.removeObject(forKey: Self.mark)
    }

    func takeLater() {
        lock.withLock {
            written += waiting
            waiting = []
        }
    }
}
