internal import CSQLite
import Glibc
import Synchronization

/// What a connection is for.
enum ConnectionPart: String {
    /// Writes, and reads where there are no generations.
    case writer
    /// Reads generations.
    case reader
    /// Finds the newest state.
    case probe
    /// Holds read marks, and runs no statement but its first.
    case anchor
    /// The writer while it copies the journal into the file.
    case checkpoint
}

/// What the log says about a connection behind each of its statements: `people.sqlite, reader, generation 17`.
/// Used by the connection's thread.
final class LogSource {
    private let database: OpaquePointer
    let part: ConnectionPart
    let fileName: String
    /// The ordinal of the generation that a reader shows; 0: it reads the newest state.
    var generation: UInt64 = 0

    /// - Parameter database: open as long as a statement may be logged.
    init(database: OpaquePointer, path: String, part: ConnectionPart) {
        self.database = database
        self.part = part
        fileName = path.split(separator: "/").last.map(String.init) ?? path
    }

    func description(as part: ConnectionPart? = nil) -> String {
        let state = generation > 0 ? "generation \(generation)" : sqlite3_get_autocommit(database) == 0 ? "transaction" : "newest"
        return "\(fileName), \((part ?? self.part).rawValue), \(state)"
    }
}

/// The log of every statement that goes to SQLite; off by default.
package enum SQLLog {
    private static let enabled = Atomic<Bool>(isAskedFor)
    private static let lock = Lock()
    nonisolated(unsafe) private static var handler: Handler?  // guarded by `lock`
    /// Handlers that were replaced while threads were inside of them.
    nonisolated(unsafe) private static var retired: [Handler] = []  // guarded by `lock`

    /// What holds the program's closure. It is let go where nothing of the library is held, never by a thread that runs it: that one is in
    /// the middle of a statement.
    private final class Handler {
        let body: @Sendable (String) -> Void
        /// How many threads are inside; guarded by the log's lock.
        var uses = 0

        init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }
    }

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
    package static func setHandler(_ body: (@Sendable (String) -> Void)?) {
        let new = body.map { Handler($0) }
        lock.withLock {
            if let handler { retired.append(handler) }
            handler = new
        }
        dropRetired()
    }

    /// Lets go of what was replaced and runs no more; outside the lock, for it is the program's.
    private static func dropRetired() {
        let unused = lock.withLock { () -> [Handler] in
            let unused = retired.filter { $0.uses == 0 }
            retired.removeAll { $0.uses == 0 }
            return unused
        }
        withExtendedLifetime(unused) {}
    }

    /// Logs a statement with the file, the connection and the state that it reads. Call only when the log is on.
    ///
    /// - Parameter part: what the connection is for just now, if not what it was opened for.
    static func log(_ sql: String, _ source: LogSource, as part: ConnectionPart? = nil) {
        // The setting of the journal mode reads as in Core Data's log, word for word (STO-03).
        emit("CoreData: sql: \(oneLine(sql))" + (sql.hasPrefix("pragma journal_mode=") ? "" : " -- \(source.description(as: part))"))
    }

    private static func oneLine(_ text: String) -> String {
        text.utf8.contains(10) ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }

    /// Logs what the library does by itself. Call only when the log is on.
    static func annotate(_ text: String) { emit("CoreData: annotation: \(oneLine(text))") }

    private static func emit(_ line: String) {
        // Unmanaged: the reference that goes last must not be this thread's.
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
            // Without a thread the next one who sets a handler lets go of it.
            if isLast { _ = DetachedThread.start { dropRetired() } }
            return
        }
        var text = line + "\n"
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Keeps nothing of the handler when it returns.
    @inline(never)
    private static func run(_ handler: Unmanaged<Handler>, _ line: String) {
        handler._withUnsafeGuaranteedRef { handler in StatementCallbacks.inside { handler.body(line) } }
    }
}
