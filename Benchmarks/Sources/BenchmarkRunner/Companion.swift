import BenchmarkSupport
import Foundation

/// This program in a second process, as somebody else who uses the same store. Both sides speak in lines.
public final class Companion {
    private let process = Process()
    private let input = Pipe(), output = Pipe()
    private var pending = Data()

    /// Starts the companion of that name, which ``BenchmarkProgram/main(_:companions:notes:)`` knows.
    public init(_ name: String, _ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["companion", name] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    public func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits for the next line.
    public func hear() throws -> String {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(...end) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchmarkError("the other process has ended") }
            pending.append(more)
        }
    }

    /// Ends its input, and waits until it has ended.
    public func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("the other process failed") }
    }
}
