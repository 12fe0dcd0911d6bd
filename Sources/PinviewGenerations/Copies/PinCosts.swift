internal import CSQLite
import Glibc
import Synchronization

/// What a store's generations and its history take on the disk beside the journal, in all processes together.
package struct PinCosts: Sendable, Equatable {
    /// Detached copies, whoever made them.
    package var copies = 0
    /// Blocks of their files. A file system that shares blocks between a copy and the store counts them for both.
    package var copyBytes: Int64 = 0
    /// Of the tables of the history, estimated; nil until it has been measured.
    package var historyBytes: Int64?

    /// What the budget has to bear besides the journal.
    var bytes: Int64 { copyBytes + (historyBytes ?? 0) }
}

/// Keeps what the costs were when they were measured last.
final class CostMeter: Sendable {
    /// Seconds between two looks into the store's folder, and between two measurements of the history.
    private static let copiesInterval = 1.0, historyInterval = 10.0

    private let history = Atomic<Int64>(-1)
    private let copies = Atomic<Int>(0), copyBytes = Atomic<Int64>(0)
    private let nextCopies = Atomic<UInt64>(0), nextHistory = Atomic<UInt64>(0)

    var historyBytes: Int64? {
        let bytes = history.load(ordering: .relaxed)
        return bytes < 0 ? nil : bytes
    }

    /// The costs, measured anew after a while.
    func costs(of store: String) -> PinCosts {
        if Self.isDue(nextCopies) {
            nextCopies.store(MonotonicTime.now.after(Self.copiesInterval).nanoseconds, ordering: .relaxed)
            let found = CopyFiles.cost(of: store)
            copies.store(found.count, ordering: .relaxed)
            copyBytes.store(found.bytes, ordering: .relaxed)
        }
        return PinCosts(
            copies: copies.load(ordering: .relaxed), copyBytes: copyBytes.load(ordering: .relaxed), historyBytes: historyBytes)
    }

    /// Copies have been made: they are looked for at the next question.
    func forgetCopies() { nextCopies.store(0, ordering: .relaxed) }

    var isHistoryDue: Bool { Self.isDue(nextHistory) }

    private static func isDue(_ next: borrowing Atomic<UInt64>) -> Bool { MonotonicTime.now.nanoseconds >= next.load(ordering: .relaxed) }

    /// Measures the history with a connection that nobody else uses meanwhile.
    func measureHistory(_ sql: String, _ connection: Connection) {
        nextHistory.store(MonotonicTime.now.after(Self.historyInterval).nanoseconds, ordering: .relaxed)
        // What cannot be read now is read the next time.
        if let bytes = connection.number(sql) { history.store(max(bytes, 0), ordering: .relaxed) }
    }
}

extension CopyFiles {
    /// How many detached copies of a store there are, and the blocks that they take.
    static func cost(of store: String) -> (count: Int, bytes: Int64) {
        var bytes: Int64 = 0
        let paths = copies(of: store)
        for path in paths {
            for name in [path, path + "-wal", path + "-index"] {
                var status = stat()
                if stat(name, &status) == 0 { bytes += Int64(status.st_blocks) * 512 }
            }
        }
        return (paths.count, bytes)
    }
}

extension Connection {
    /// The number that a statement gives, without an entry in the log; 0 for tables that are not there, nil after an error.
    func number(_ sql: String) -> Int64? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            return sqlite3_errcode(handle) & 0xff == SQLITE_ERROR ? 0 : nil
        }
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : nil
    }
}
