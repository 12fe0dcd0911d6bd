import Foundation
import PredicateFuzzing
import StressSupport

nonisolated(unsafe) private let probe = try? FuzzProbe()

/// An input of libFuzzer (`make fuzz`): a text or, after a zero byte, the choices from which the
/// grammar generates one.
private func examineInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: data, count: size)
    var text = String(decoding: bytes, as: UTF8.self)
    if bytes.first == 0 {
        var position = 1
        var source = GrammarSource { bound in
            defer { position += 1 }
            return position < size ? Int(bytes[position]) % bound : 0
        }
        text = source.predicateText()
    }
    do {
        try probe?.examine(text)
    } catch {
        FileHandle.standardError.write(Data("PROBLEM: \(error)\nTEXT: \(text.debugDescription)\n".utf8))
        abort()
    }
    return 0
}

#if PINVIEW_LIBFUZZER
    /// usage: PredicateFuzzer, with the options of libFuzzer
    @main
    enum PredicateFuzzer {
        static func main() { runLibFuzzer { examineInput($0, $1) } }
    }
#else
    /// Without libFuzzer: usage: PredicateFuzzer SECONDS SEED FILE   (FILE holds the current
    /// text, in case it crashes the process)
    @main
    enum PredicateFuzzer {
        static func main() throws {
            let arguments = CommandLine.arguments
            guard arguments.count == 4, let seconds = Double(arguments[1]), let seed = UInt64(arguments[2]) else {
                print("usage: PredicateFuzzer SECONDS SEED FILE")
                exit(2)
            }
            let file = open(arguments[3], O_RDWR | O_CREAT | O_TRUNC, 0o644)
            var run = try FuzzRun(seed: seed)
            run.note = { text in
                var text = text
                text.withUTF8 { bytes in
                    _ = ftruncate(file, off_t(bytes.count))
                    _ = pwrite(file, bytes.baseAddress, bytes.count, 0)
                }
            }
            let end = Date(timeIntervalSinceNow: seconds)
            do {
                try run.examineCorpus()
                while Date() < end { for _ in 0..<100 { try run.examineNext() } }
            } catch let problem as FuzzProbe.Problem {
                print("seed \(seed), text \(run.count): \(problem)\nTEXT: \(problem.text.debugDescription)")
                exit(1)
            }
            print("\(run.count) texts examined, no problem found")
        }
    }
#endif
