import Glibc
import Synchronization

/// The log of every statement that goes to SQLite; off by default.
package enum SQLLog {
    private static let enabled = Atomic<Bool>(isAskedFor)
    private static let lock = Lock()
    nonisolated(unsafe) private static var handler: (@Sendable (String) -> Void)?  // guarded by `lock`

    /// Whether the launch argument or the environment asks for the log.
    private static var isAskedFor: Bool {
        if let value = getenv("PINVIEW_SQL_DEBUG"), String(cString: value) == "1" { return true }
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug"), index + 1 < arguments.count else { return false }
        return (Int(arguments[index + 1]) ?? 0) >= 1
    }

    package static var isEnabled: Bool { enabled.load(ordering: .relaxed) }
    package static func setEnabled(_ isEnabled: Bool) { enabled.store(isEnabled, ordering: .relaxed) }

    /// Who is given the lines; nil: standard error.
    package static func setHandler(_ newHandler: (@Sendable (String) -> Void)?) { lock.withLock { handler = newHandler } }

    /// Logs a statement. Call only when the log is on.
    static func log(_ sql: String) {
        let line = "CoreData: sql: \(sql)"
        if let handler = lock.withLock({ handler }) { return handler(line) }
        var text = line + "\n"
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
