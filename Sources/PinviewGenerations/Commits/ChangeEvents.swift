internal import CSQLite
import Glibc

/// Tells of writes to files by inotify, which opens no descriptor on them: closing one would drop SQLite's locks.
struct ChangeEvents {
    private let events: Int32
    private let wakes: Int32

    /// Where the system has no descriptor left, neither changes nor wake-ups are told of.
    init() {
        events = pinview_open_change_events()
        wakes = pinview_open_wakeup()
    }

    var canWake: Bool { wakes >= 0 }

    func close() {
        if events >= 0 { _ = Glibc.close(events) }
        if wakes >= 0 { _ = Glibc.close(wakes) }
    }

    /// - Returns: the number under which changes of the file are told; nil when it cannot be watched.
    func watch(_ path: String) -> Int32? {
        guard events >= 0 else { return nil }
        let number = pinview_watch_changes(events, path)
        return number >= 0 ? number : nil
    }

    func unwatch(_ number: Int32) { pinview_unwatch_changes(events, number) }

    /// Ends a wait, this one or the next.
    func wake() { if wakes >= 0 { pinview_wake(wakes) } }

    /// Waits for changes.
    ///
    /// - Parameter nanoseconds: the longest wait.
    /// - Returns: the numbers of the files that were written to; -1 among them when some were forgotten.
    func wait(nanoseconds: UInt64) -> [Int32] {
        var buffer = [Int32](repeating: 0, count: 256)
        let count = Int(pinview_wait_for_changes(events, wakes, nanoseconds, &buffer, Int32(buffer.count)))
        return Array(buffer.prefix(max(count, 0)))
    }
}
