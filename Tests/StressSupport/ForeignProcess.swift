import Foundation

/// Another process with its own connection to the store: a Python program that gets its
/// instructions line by line, or any other program.
package final class ForeignProcess {
    private let process = Process()
    private let input = Pipe(), output = Pipe()
    private var pending = Data()

    /// The program answers each SQL text with a line: the first value, or the error. `cache_size=5`
    /// makes it spill.
    private static let program = """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
        db.execute('PRAGMA cache_size=5')
        for line in sys.stdin:
            try:
                row = db.execute(line).fetchone()
                print(row[0] if row else 'ok', flush=True)
            except sqlite3.Error as error:
                print('error:', error, flush=True)
        """

    package convenience init(path: String, program: String? = nil, arguments: [String] = []) throws {
        try self.init(program: "python3", arguments: ["-c", program ?? Self.program, path] + arguments)
    }

    /// - Parameter program: a path, or a name that is looked up in PATH.
    package init(program: String, arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    /// A role of Tests/StressProcess, which is built beside the tests.
    package static func stressProcess(_ arguments: String...) throws -> ForeignProcess {
        try beside("StressProcess", arguments)
    }

    /// Tests/StackProcess, which is built there too: a whole stack on a store.
    package static func stackProcess(_ paths: String...) throws -> ForeignProcess { try beside("StackProcess", paths) }

    /// Tests/MainActorProcess or Tests/MainLoopProcess, which are built there too: a program whose
    /// main queue runs as the name and the arguments say.
    package static func mainProcess(_ name: String, _ arguments: [String]) throws -> ForeignProcess { try beside(name, arguments) }

    private static func beside(_ name: String, _ arguments: [String]) throws -> ForeignProcess {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try ForeignProcess(program: (tests as NSString).deletingLastPathComponent + "/" + name, arguments: arguments)
    }

    package var identifier: pid_t { process.processIdentifier }

    /// Runs one statement and returns the answer.
    @discardableResult
    package func run(_ sql: String) throws -> String {
        try write(sql)
        return readLine()
    }

    package func write(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// The next line; empty at the end.
    package func readLine() -> String { readLine(until: nil) ?? "" }

    /// The next line; nil at the end, or if none has come by the deadline.
    package func readLine(until deadline: Date?) -> String? {
        while !pending.contains(0x0a) {
            if let deadline, !hasInput(until: deadline) { return nil }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            pending.append(more)
        }
        guard let end = pending.firstIndex(of: 0x0a) else { return nil }
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
    }

    private func hasInput(until deadline: Date) -> Bool {
        while true {
            let milliseconds = Int32(deadline.timeIntervalSinceNow * 1000)
            guard milliseconds > 0 else { return false }
            var descriptor = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&descriptor, 1, milliseconds)
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { return false }
        }
    }

    /// `kill -9`.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until it ends.
    package func finish() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
