internal import CSQLite
import Glibc

/// Waits for a lock of another process.
///
/// SQLite's own busy handler sleeps for up to a tenth of a second, and next to a program that
/// writes without pauses it rarely finds the moment when the lock is free. This one tries every two
/// milliseconds, and gives up early when the monitor of the thread says so.
struct BusyWait {
    var timeout: Double
    private var deadline = MonotonicTime(nanoseconds: 0)

    private static let longestSleep: UInt32 = 2_000  // microseconds

    init(timeout: Double) { self.timeout = timeout }

    /// - Parameter attempt: how often the lock has been found taken before.
    /// - Returns: whether to try again.
    mutating func wait(_ attempt: Int32) -> Bool {
        let now = MonotonicTime.now
        if attempt == 0 { deadline = now.after(timeout) }
        guard now < deadline, ReadMonitor.current?.checkForStop() != true else { return false }
        let left = UInt32(clamping: (deadline.nanoseconds - now.nanoseconds) / 1000)
        usleep(min(100 << UInt32(min(max(attempt, 0), 10)), Self.longestSleep, max(left, 1)))
        return true
    }

    /// Makes a connection use this busy handler.
    ///
    /// - Parameter state: must stay allocated as long as the connection is open.
    static func install(_ state: UnsafeMutablePointer<BusyWait>, on connection: OpaquePointer) {
        guard state.pointee.timeout > 0 else {
            sqlite3_busy_handler(connection, nil, nil)
            return
        }
        sqlite3_busy_handler(
            connection,
            { state, attempt in
                guard let state = state?.assumingMemoryBound(to: BusyWait.self) else { return 0 }
                return state.pointee.wait(attempt) ? 1 : 0
            }, state)
    }
}
