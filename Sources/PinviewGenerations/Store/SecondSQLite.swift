internal import CPlatform
import Glibc

/// Detects another copy of SQLite in this process that has the same store open, such as a Python
/// with SQLite built in, or a package that brings its own.
///
/// A copy of SQLite maps each part of the WAL-index once for all of its connections, and for
/// writing. If the same part is mapped twice, there are two copies, and neither knows of the
/// other's locks.
enum SecondSQLite {
    /// - Parameter path: the path of the store, without symbolic links.
    static func hasOpen(_ path: String) -> Bool { mapsTwice(path + "-shm", SmallFile.text("/proc/self/maps")) }

    /// A line such as `7f…-7f… rw-s 00000000 fe:00 1234    /folder/store.sqlite-shm`: addresses,
    /// access, offset, device, inode, path.
    static func mapsTwice(_ path: String, _ maps: String) -> Bool {
        var offsets: [Substring] = []
        var maps = maps
        // By bytes: a process maps hundreds of files.
        let suffix = Array(path.utf8)
        let lines = maps.withUTF8 { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).filter { $0.suffix(suffix.count).elementsEqual(suffix) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            // The path is preceded by spaces.
            guard words.count == 6, words[1] == "rw-s", words[5].drop(while: { $0 == " " }) == path else { continue }
            if offsets.contains(words[2]) { return true }
            offsets.append(words[2])
        }
        return false
    }

    static let warning =
        "a second copy of SQLite in this process has the store open; neither copy knows of the other's locks, so writing can destroy "
        + "the store: use the same SQLite everywhere in the process, or another process"
}

extension SharedFile {
    /// Whether the locks for writing are POSIX locks, which any code in the process can drop.
    var hasDroppableLocks: Bool { examined == nil && !options.isReadOnly && exclusiveLocks?.usesSQLites ?? true }

    /// Looks for a second copy of SQLite from time to time, and logs it once.
    func checkForSecondSQLite() {
        guard secondSQLiteCheck.beginIfDue(), SecondSQLite.hasOpen(path) else { return }
        secondSQLiteCheck.finish()
        if SQLLog.isEnabled { SQLLog.annotate("\(path): \(SecondSQLite.warning)") }
    }
}

/// Decides when to look for a second copy of SQLite. Used in the writers' turn.
struct SecondSQLiteCheck {
    private var isFinished = false
    private var next = MonotonicTime(nanoseconds: 0)
    private static let interval = 10.0

    /// Whether to look now. If so, the next check is due after an interval.
    mutating func beginIfDue() -> Bool {
        let now = MonotonicTime.now
        guard !isFinished, now >= next else { return false }
        next = now.after(Self.interval)
        return true
    }

    /// Ends the checks, because a second copy has been found.
    mutating func finish() { isFinished = true }
}

/// Keeps the WAL-index of a file that is in use while SQLite opens the file.
///
/// Whoever opens an index that nobody uses empties it. SQLite looks for users by the POSIX lock on
/// a byte, and does not see the locks of its own process: it would empty the index under a second
/// copy of SQLite. A lock of an open file description on the same byte tells it.
struct KeptIndex {
    private let key: LockDescriptors.FileKey, purpose: LockDescriptors.Purpose, descriptor: Int32

    /// - Returns: nil if nobody uses the index.
    init?(path: String) {
        guard access(path + "-shm", F_OK) == 0,
            let taken = LockDescriptors.takeForConnection(path + "-shm", isReadOnly: true)
        else { return nil }
        (key, purpose, descriptor) = taken
        guard pinview_finds_lock(descriptor, LockBytes.deadManSwitch) == 1,
            pinview_lock_description(descriptor, Int16(F_RDLCK), LockBytes.deadManSwitch, 1) == 0
        else {
            LockDescriptors.giveBack(key, for: purpose)
            return nil
        }
    }

    func giveBack() {
        _ = pinview_lock_description(descriptor, Int16(F_UNLCK), LockBytes.deadManSwitch, 1)
        LockDescriptors.giveBack(key, for: purpose)
    }
}
