internal import CSQLite
import Glibc
import Synchronization

/// The purpose of a connection.
enum ConnectionPart: String {
    /// Writes, and reads in stores without generations.
    case writer
    /// Reads generations.
    case reader
    /// Finds the newest state.
    case probe
    /// Holds read marks; runs no statement except its first.
    case anchor
    /// The writer while it copies the journal into the main file.
    case checkpoint
}

/// What the log adds to each statement of a connection: `people.sqlite, reader, generation 17`.
/// Used by the connection's thread.
final class LogSource {
    private let database: OpaquePointer
    let part: ConnectionPart
    let fileName: String
    /// The ordinal of the generation that a reader shows; 0 for the newest state.
    var generation: UInt64 = 0

    /// - Parameter database: open as long as statements may be logged.
    init(database: OpaquePointer, path: String, part: ConnectionPart) {
        self.database = database
        self.part = part
        fileName = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    func description(as part: ConnectionPart? = nil) -> String {
        let state = generation > 0 ? "generation \(generation)" : sqlite3_get_autocommit(database) == 0 ? "transaction" : "newest"
        return "\(fileName), \((part ?? self.part).rawValue), \(state)"
    }
}

/// The log of all statements passed to SQLite; off by default.
package enum SQLLog {
    private static let enabled = Atomic<Bool>(isAskedFor)
    private static let lock = Lock()
    nonisolated(unsafe) private static var handler: Handler?  // guarded by `lock`
    /// Handlers that were replaced while threads were inside them.
    nonisolated(unsafe) private static var retired: [Handler] = []  // guarded by `lock`

    /// Holds the application's closure. Released without holding locks, and never by a thread that
    /// is running it, which is in the middle of a statement.
    private final class Handler {
        let body: @Sendable (String) -> Void
        /// The number of threads inside the handler; guarded by the log's lock.
        var uses = 0

        init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }
    }

    /// Whether the launch argument or the environment enables the log.
    private static var isAskedFor: Bool {
        if let value = getenv("PINVIEW_SQL_DEBUG"), String(cString: value) == "1" { return true }
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug"), index + 1 < arguments.count else { return false }
        return (Int(arguments[index + 1]) ?? 0) >= 1
    }

    package static var isEnabled: Bool { enabled.load(ordering: .relaxed) }
    package static func setEnabled(_ isEnabled: Bool) { enabled.store(isEnabled, ordering: .relaxed) }

    /// Sets the handler of the lines; nil for standard error.
    package static func setHandler(_ body: (@Sendable (String) -> Void)?) {
        let new = body.map { Handler($0) }
        lock.withLock {
            if let handler { retired.append(handler) }
            handler = new
        }
        dropRetired()
    }

    /// Releases replaced handlers that no thread is inside, without holding the lock, because they
    /// belong to the application.
    private static func dropRetired() {
        let unused = lock.withLock { () -> [Handler] in
            let unused = retired.filter { $0.uses == 0 }
            retired.removeAll { $0.uses == 0 }
            return unused
        }
        withExtendedLifetime(unused) {}
    }

    /// Logs a statement with its file, its connection and the state that it reads. Call only if the
    /// log is enabled.
    ///
    /// - Parameter part: the connection's current purpose, if it differs from the one it was opened
    ///   for.
    static func log(_ sql: String, _ source: LogSource, as part: ConnectionPart? = nil) {
        // The journal mode statement is logged exactly as by Core Data (STO-03).
        emit("CoreData: sql: \(oneLine(sql))" + (sql.hasPrefix("pragma journal_mode=") ? "" : " -- \(source.description(as: part))"))
    }

    private static func oneLine(_ text: String) -> String {
        text.utf8.contains(10) ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }

    /// Logs an action of the library itself. Call only if the log is enabled.
    static func annotate(_ text: String) { emit("CoreData: annotation: \(oneLine(text))") }

    private static func emit(_ line: String) {
        // Unmanaged, because the last reference must not be released on this thread.
        let used = lock.withLock { () -> Unmanaged<Handler>? in
            handler?.uses += 1
            return handler.map { Unmanaged.passUnretained($0) }
        }
        if let used {
            run(used, line)
            let isLast = lock.withLock {
                used._withUnsafeGuaranteedRef { used in
                    used.uses -= 1
                    return used.uses == 0 && retired.contains { $0 === used }
                }
            }
            // If no thread can be started, the next call of `setHandler` releases it.
            if isLast { _ = DetachedThread.start { dropRetired() } }
            return
        }
        var text = line + "\n"
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Keeps no reference to the handler when it returns.
    @inline(never)
    private static func run(_ handler: Unmanaged<Handler>, _ line: String) {
        handler._withUnsafeGuaranteedRef { handler in StatementCallbacks.inside { handler.body(line) } }
    }
}
