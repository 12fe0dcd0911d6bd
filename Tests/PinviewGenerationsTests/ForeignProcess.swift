import Foundation

/// A Python program on the same store, told line by line what to do: another process with its own SQLite connection.
final class ForeignProcess {
    private let process = Process()
    private let input = Pipe(), output = Pipe()
    private var pending = Data()

    /// The program answers each SQL text with a line: the first value, or the error. `cache_size=5` makes it spill.
    private static let program = """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5)
        db.execute('PRAGMA cache_size=5')
        for line in sys.stdin:
            try:
                row = db.execute(line).fetchone()
                print(row[0] if row else 'ok', flush=True)
            except sqlite3.Error as error:
                print('error:', error, flush=True)
        """

    init(path: String, program: String? = nil, arguments: [String] = []) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program ?? Self.program, path] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Runs one statement and gives the answer.
    @discardableResult
    func run(_ sql: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
        return readLine()
    }

    func readLine() -> String {
        while !pending.contains(0x0a) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            pending.append(more)
        }
        guard let end = pending.firstIndex(of: 0x0a) else { return "" }
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
    }

    /// `kill -9`.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Lets it end by itself.
    func finish() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
