internal import CPlatform
import Glibc

/// Tells whether files and folders of open stores have been moved, replaced or deleted, by inotify:
/// one question to the kernel takes the place of looking up every path.
///
/// One for all stores of a process, since a user may only have some hundred of them. Any thread may
/// use it.
final class PathEvents: @unchecked Sendable {  // guarded by `lock`
    static let shared = PathEvents()

    private let lock = Lock()
    @exclusivity(unchecked) private var events: Int32 = -1
    /// Counts what has been opened for events.
    @exclusivity(unchecked) private var instance = 0
    /// How often each file or folder is watched; the kernel counts it once.
    @exclusivity(unchecked) private var users: [Int32: Int] = [:]
    @exclusivity(unchecked) private var reports: UInt64 = 0

    private init() {}

    /// What is watched, to be given back.
    struct Watch {
        fileprivate let numbers: [Int32]
        fileprivate let instance: Int
    }

    /// Watches files, and the folders that lead to them.
    ///
    /// - Parameter paths: absolute, without symbolic links, and in one folder.
    /// - Returns: nil if one of them cannot be watched, or if files of that file system can change
    ///   without this kernel.
    func watch(_ paths: [String]) -> Watch? {
        guard let first = paths.first, pinview_is_local(first) != 0 else { return nil }
        var folder = Array(first.utf8CString)
        return lock.withLock {
            guard openEvents() else { return nil }
            var numbers: [Int32] = []
            // The folders from the innermost one outwards.
            while let end = folder.lastIndex(of: CChar(UInt8(ascii: "/"))), end > 0 {
                folder[end...] = [0]
                add(pinview_watch_path(events, folder, 1), to: &numbers)
            }
            for path in paths { add(pinview_watch_path(events, path, 0), to: &numbers) }
            guard !numbers.contains(-1) else {
                numbers.forEach(drop)
                return nil
            }
            return Watch(numbers: numbers, instance: instance)
        }
    }

    private func add(_ number: Int32, to numbers: inout [Int32]) {
        numbers.append(number)
        if number >= 0 { users[number, default: 0] += 1 }
    }

    private func openEvents() -> Bool {
        _ = Self.forkHandlers
        guard events < 0 else { return true }
        events = pinview_open_change_events()
        (instance, users) = (instance + 1, [:])
        return events >= 0
    }

    func end(_ watch: Watch) {
        lock.withLock { if watch.instance == instance { watch.numbers.forEach(drop) } }
    }

    private func drop(_ number: Int32) {
        guard let count = users[number] else { return }
        users[number] = count - 1
        guard count == 1 else { return }
        users[number] = nil
        pinview_unwatch_changes(events, number)
    }

    /// A number that has grown if anything watched may have been moved, replaced or deleted since
    /// it was asked for; nil if that is not known any more.
    func serial(of watch: Watch) -> UInt64? {
        lock.withLock {
            guard watch.instance == instance, events >= 0 else { return nil }
            let isReported = pinview_has_events(events)
            if isReported == 0 { return reports }
            reports += 1
            if isReported > 0, pinview_drop_events(events) != 0 { return reports }
            // Other code has closed the descriptor.
            events = -1
            return nil
        }
    }

    private static let forkHandlers: Void = {
        pthread_atfork(
            { PathEvents.shared.lock.lock() },
            { PathEvents.shared.lock.unlock() },
            {
                // The child has the descriptor in common with its parent.
                let shared = PathEvents.shared
                if shared.events >= 0 { Glibc.close(shared.events) }
                (shared.events, shared.instance) = (-1, shared.instance + 1)
                shared.lock.unlock()
            })
    }()
}
