import Glibc

/// Finds another copy of SQLite in this process that has the same store open: a Python that has SQLite built in, a package that brings
/// its own.
///
/// A copy of SQLite maps each part of the WAL-index once for all of its connections, and for writing. Where the same part is mapped
/// twice, there are two copies, and neither knows of the other's locks.
enum SecondSQLite {
    /// - Parameter path: of the store, without symbolic links.
    static func hasOpen(_ path: String) -> Bool { mapsTwice(path + "-shm", SmallFile.text("/proc/self/maps")) }

    /// `7f…-7f… rw-s 00000000 fe:00 1234    /folder/store.sqlite-shm`: addresses, access, offset, device, inode, path.
    static func mapsTwice(_ path: String, _ maps: String) -> Bool {
        var offsets: Set<Substring> = []
        for line in maps.split(separator: "\n") where line.hasSuffix(path) {
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            // Spaces come before the path.
            guard words.count == 6, words[1] == "rw-s", words[5].drop(while: { $0 == " " }) == path else { continue }
            if !offsets.insert(words[2]).inserted { return true }
        }
        return false
    }

    static let warning =
        "a second copy of SQLite in this process has the store open; neither knows of the other's locks, and when it writes it can destroy "
        + "the store: use the system's SQLite for both, or another process"
}

extension SharedFile {
    /// Looks for a second copy of SQLite now and then, and tells the log of it once.
    func lookForSecondSQLite() {
        guard secondLook.isDue, SecondSQLite.hasOpen(path) else { return }
        secondLook.isDue = false
        if SQLLog.isEnabled { SQLLog.annotate("\(path): \(SecondSQLite.warning)") }
    }
}

/// When the process is looked through again. Used in the writers' turn.
struct SecondLook {
    private var isTold = false
    private var next = MonotonicTime(nanoseconds: 0)
    private static let interval = 10.0

    var isDue: Bool {
        mutating get {
            let now = MonotonicTime.now
            guard !isTold, now >= next else { return false }
            next = now.after(Self.interval)
            return true
        }
        set { isTold = !newValue }
    }
}
