internal import CSQLite
import Glibc
import Synchronization

/// The space on disk that a store's generations and its history take besides the journal, in all
/// processes together.
package struct PinCosts: Sendable, Equatable {
    /// The number of detached copies, made by any process.
    package var copies = 0
    /// The disk blocks of their files. On a file system that shares blocks between a copy and the
    /// store, they count for both.
    package var copyBytes: Int64 = 0
    /// The estimated size of the history's tables; nil until it has been measured.
    package var historyBytes: Int64?

    /// The part of the budget that the journal cannot use.
    var bytes: Int64 { copyBytes + (historyBytes ?? 0) }
}

/// Measures the costs now and then, and keeps the results.
final class CostMeter: Sendable {
    /// Seconds between two scans of the store's folder, and between two measurements of the
    /// history.
    private static let copiesInterval = 1.0, historyInterval = 10.0
    private static let mostHistory: Int64 = 1 << 60

    private let history = Atomic<Int64>(-1)
    private let copies = Atomic<Int>(0), copyBytes = Atomic<Int64>(0)
    private let nextCopies = Atomic<UInt64>(0), nextHistory = Atomic<UInt64>(0)

    var historyBytes: Int64? {
        let bytes = history.load(ordering: .relaxed)
        return bytes < 0 ? nil : bytes
    }

    /// The costs, measured again if the last measurement is too old.
    func costs(of store: String) -> PinCosts {
        if Self.isDue(nextCopies) {
            nextCopies.store(MonotonicTime.now.after(Self.copiesInterval).nanoseconds, ordering: .relaxed)
            let found = CopyFiles.cost(of: store)
            copies.store(found.count, ordering: .relaxed)
            copyBytes.store(found.bytes, ordering: .relaxed)
        }
        return lastCosts
    }

    /// The costs when they were last measured.
    var lastCosts: PinCosts {
        PinCosts(
            copies: copies.load(ordering: .relaxed), copyBytes: copyBytes.load(ordering: .relaxed), historyBytes: historyBytes)
    }

    /// After new copies: the next request scans the folder again.
    func forgetCopies() { nextCopies.store(0, ordering: .relaxed) }

    var isHistoryDue: Bool { Self.isDue(nextHistory) }

    private static func isDue(_ next: borrowing Atomic<UInt64>) -> Bool { MonotonicTime.now.nanoseconds >= next.load(ordering: .relaxed) }

    /// Measures the history with a connection that nobody else uses meanwhile.
    func measureHistory(_ sql: String, _ connection: Connection) {
        nextHistory.store(MonotonicTime.now.after(Self.historyInterval).nanoseconds, ordering: .relaxed)
        // If it cannot be read now, the next measurement reads it.
        // The keys of a damaged history can be anything.
        if let bytes = connection.number(sql) { history.store(min(max(bytes, 0), Self.mostHistory), ordering: .relaxed) }
    }
}

extension CopyFiles {
    /// The number of detached copies of a store, and the disk blocks that they take.
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
    /// The number that a statement returns, without an entry in the log; 0 if a table does not
    /// exist, nil after an error.
    func number(_ sql: String) -> Int64? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            return sqlite3_errcode(handle) & 0xff == SQLITE_ERROR ? 0 : nil
        }
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : nil
    }
}
