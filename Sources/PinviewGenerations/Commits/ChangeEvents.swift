internal import CPlatform
import Glibc

/// Reports writes to files by inotify, which does not open the files: closing a descriptor of
/// theirs would drop SQLite's locks.
struct ChangeEvents {
    private let events: Int32
    private let wakes: Int32

    /// Without descriptors left, neither changes nor wake-ups are reported.
    init() {
        events = pinview_open_change_events()
        wakes = pinview_open_wakeup()
    }

    var canWake: Bool { wakes >= 0 }

    func close() {
        if events >= 0 { _ = Glibc.close(events) }
        if wakes >= 0 { _ = Glibc.close(wakes) }
    }

    /// - Returns: the number by which changes of the file are reported; nil if it cannot be
    ///   watched.
    func watch(_ path: String) -> Int32? {
        guard events >= 0 else { return nil }
        let number = pinview_watch_changes(events, path)
        return number >= 0 ? number : nil
    }

    func unwatch(_ number: Int32) { pinview_unwatch_changes(events, number) }

    /// Ends the current wait, or the next one.
    func wake() { if wakes >= 0 { pinview_wake(wakes) } }

    /// Waits for changes.
    ///
    /// - Parameter nanoseconds: the longest time to wait.
    /// - Returns: the numbers of the files that were written to, and -1 if some reports were lost.
    func wait(nanoseconds: UInt64) -> [Int32] {
        var buffer = [Int32](repeating: 0, count: 256)
        let count = Int(pinview_wait_for_changes(events, wakes, nanoseconds, &buffer, Int32(buffer.count)))
        return Array(buffer.prefix(max(count, 0)))
    }
}
